/* Waiting for processors; see contention.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "contention.h"

enum { WORDS = TAPE_PROCESSORS_MAX / 64 };

static int has_waited_long(const struct tape_processor_info *p)
{
	return p->waited_ns > 1000000 && p->waited_ns > p->ns / 100;
}

static int share_processor(const uint64_t *a, const uint64_t *b)
{
	for (int i = 0; i < WORDS; i++)
		if (a[i] & b[i])
			return 1;
	return 0;
}

/* Ranks of its host that may use a processor of its, and all processors. */
static void count_sharing_ranks(const struct tape_trace *t,
				struct tape_contention *c)
{
	const struct tape_rank_info *of = tape_trace_rank(t, c->rank);
	uint64_t all[WORDS] = { 0 };

	for (size_t i = 0; i < tape_trace_ranks(t); i++) {
		const struct tape_rank_info *r = tape_trace_rank(t, (int)i);

		if (!r->host || !of->host || strcmp(r->host, of->host) ||
		    !share_processor(r->may_use, of->may_use))
			continue;
		c->ranks++;
		for (int k = 0; k < WORDS; k++)
			all[k] |= r->may_use[k];
	}
	for (int k = 0; k < WORDS; k++)
		c->processors += (size_t)__builtin_popcountll(all[k]);
}

int tape_contention(const struct tape_trace *t, struct tape_contention *c)
{
	memset(c, 0, sizeof *c);
	c->rank = -1;
	for (size_t i = 0; i < tape_trace_ranks(t); i++) {
		const struct tape_processor_info *p =
			&tape_trace_rank(t, (int)i)->processor;

		if (!has_waited_long(p))
			continue;
		c->others += c->rank >= 0;
		if (c->rank < 0 || p->waited_ns > c->of.waited_ns) {
			c->rank = (int)i;
			c->of = *p;
		}
	}
	if (c->rank < 0)
		return 0;
	count_sharing_ranks(t, c);
	return 1;
}

int tape_contention_text(const struct tape_trace *t, char *text, size_t n)
{
	struct tape_contention c;
	char others[64] = "", why[128] = "";

	if (!tape_contention(t, &c))
		return 0;
	if (c.others)
		snprintf(others, sizeof others, ", and %zu more waited",
			 c.others);
	if (c.ranks > c.processors && c.processors)
		snprintf(why, sizeof why, ": %zu ranks on %zu processor%s",
			 c.ranks, c.processors, c.processors > 1 ? "s" : "");
	else if (c.processors)
		snprintf(why, sizeof why, ": another program ran there");
	snprintf(text, n, "rank %d waited %.6f s of %.6f s for its processor "
		 "(%" PRIu64 " involuntary switches)%s%s", c.rank,
		 (double)c.of.waited_ns / 1e9, (double)c.of.ns / 1e9,
		 c.of.involuntary, others, why);
	return 1;
}
