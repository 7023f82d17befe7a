/* Waiting for processors; see contention.h. */
#include <stdio.h>
#include <string.h>

#include "contention.h"
#include "duration_text.h"

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
		if (r->processor.ns > 0 && r->processor.waited_ns >= 0) {
			c->ns += (double)r->processor.ns;
			c->waited_ns += (double)r->processor.waited_ns;
		}
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

/* Who shared what. */
static void write_shared_text(const struct tape_contention *c, char *text,
			      size_t n)
{
	if (c->ranks > c->processors && c->processors)
		snprintf(text, n, "%zu ranks shared %zu processor%s and waited",
			 c->ranks, c->processors,
			 c->processors > 1 ? "s" : "");
	else if (c->processors)
		snprintf(text, n, "other programs used the processors of %zu "
			 "rank%s, which waited",
			 c->ranks, c->ranks > 1 ? "s" : "");
	else
		snprintf(text, n, "%zu rank%s waited", c->others + 1,
			 c->others ? "s" : "");
}

int tape_contention_text(const struct tape_trace *t, char *text, size_t n)
{
	char shared[128], all[TAPE_DURATION_TEXT_BYTES],
	    most[TAPE_DURATION_TEXT_BYTES], of[TAPE_DURATION_TEXT_BYTES];
	struct tape_contention c;

	if (!tape_contention(t, &c))
		return 0;
	write_shared_text(&c, shared, sizeof shared);
	tape_duration_text((double)c.of.waited_ns, most, sizeof most);
	tape_duration_text((double)c.of.ns, of, sizeof of);
	if (c.ranks && c.ns > 0)
		snprintf(text, n, "%s %s for them, %.0f%% of %s time "
			 "(longest: rank %d, %s of %s)", shared,
			 tape_duration_text(c.waited_ns, all, sizeof all),
			 100 * c.waited_ns / c.ns,
			 c.ranks > 1 ? "their" : "its", c.rank, most, of);
	else
		snprintf(text, n, "%s for processors (longest: rank %d, %s of "
			 "%s)", shared, c.rank, most, of);
	return 1;
}
