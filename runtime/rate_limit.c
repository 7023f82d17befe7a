/* Finds what is recorded too often, and its tallies; see rate_limit.h. */
#include <string.h>

#include "filter.h"
#include "record.h"
#include "rate_limit.h"
#include "say.h"
#include "tape_skip.h"

/* ---- what a chunk holds ---- */

struct walk {
	const unsigned char *p, *end;
};

static int class_of(uint64_t site)
{
	return site < TAPE_SITES_MAX ? tape_filter_class(tape_site_call(site))
				     : -1;
}

/* The next event of a site or region: 1 with *what, or 0 at the end. */
static int next(struct walk *w, uint64_t *what)
{
	uint64_t code;

	while (w->p && w->p < w->end) {
		w->p = tape_get_varint(w->p, w->end, &code);
		if (w->p)
			w->p = tape_skip_record(code, w->p, w->end, class_of,
						what);
		if (w->p && *what)
			return *what / 2 <= TAPE_REGIONS_MAX || !(*what & 1);
	}
	return 0;
}

static uint32_t *count_of(const struct tape_flow *f, uint64_t what)
{
	return what & 1 ? &f->regions[what / 2] : &f->sites[what / 2].count;
}

/* Can it be counted: is it recorded, and allowed not to be? */
static int may_count(const struct tape_flow *f, uint64_t what)
{
	return !(*count_of(f, what) & TAPE_ONLY_COUNTED) &&
	       (what & 1 || !tape_filter_is_always(tape_site_call(what / 2)));
}

/* What the full chunk has most events of; 0: nothing that can be counted. */
static uint64_t most_frequent(struct tape_flow *f)
{
	const unsigned char *records = f->chunk + TAPE_CHUNK_HEADER;
	struct walk w = { records, f->p };
	uint64_t what, best = 0;
	uint32_t most = 0;

	while (next(&w, &what))
		if (may_count(f, what) && ++*count_of(f, what) > most) {
			most = *count_of(f, what);
			best = what;
		}
	w = (struct walk){ records, f->p };
	while (next(&w, &what))
		if (may_count(f, what))
			*count_of(f, what) = 0;
	return best;
}

/* ---- rates ---- */

static uint64_t per_second(uint64_t events, uint64_t ns)
{
	return (uint64_t)((double)events * 1e9 / (double)(ns ? ns : 1));
}

/* What another flow adds: less and less when its last chunk is long ago. */
static uint64_t rate_of(const struct tape_flow *g, uint64_t now)
{
	uint64_t spent = g->rate_end - g->rate_begin, ago = now - g->rate_end;

	return per_second(g->rate_events, ago > 2 * spent ? ago : spent);
}

/*
 * The rate of the rank over the full chunk of f; 0 when other flows have more
 * than their part in it than f has.
 */
static uint64_t rate_of_rank(struct tape_flow *f)
{
	uint64_t now = tape_raw_ns(), sum, mine, active = 1;

	tape_lock();
	f->rate_begin = tape_get64(f->chunk + TAPE_CHUNK_ANCHOR_NS);
	f->rate_end = now;
	f->rate_events = f->events - f->chunk_events;
	sum = mine = per_second(f->rate_events, now - f->rate_begin);
	for (const struct tape_flow *g = tape_process.flows; g; g = g->next)
		if (g != f && g->rate_events) {
			sum += rate_of(g, now);
			active++;
		}
	tape_unlock();
	return mine < sum / active ? 0 : sum;
}

void tape_rate_check(struct tape_flow *f)
{
	uint64_t rate;

	if (!tape_process.config.max_rate || f->due ||
	    f->tallies == TAPE_TALLIES_MAX)
		return;
	rate = rate_of_rank(f);
	if (rate <= tape_process.config.max_rate)
		return;
	f->due = most_frequent(f);
	f->due_rate = rate;
}

/* ---- tallies ---- */

void tape_rate_begin_counting(struct tape_flow *f)
{
	uint32_t k = f->tallies++, mark = TAPE_ONLY_COUNTED | k;
	unsigned char *at = f->chunk + TAPE_TALLY_AT(k);

	f->plain = 0;
	tape_put64(at, f->due);
	tape_put64(at + 8, 0);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	tape_put32(f->chunk + TAPE_CHUNK_TALLIES, f->tallies);
	*count_of(f, f->due) = mark;
	for (uint32_t i = 0; !(f->due & 1) && i < TAPE_SITE_CACHE; i++)
		if (f->cache[i].site == f->due / 2 &&
		    !(f->cache[i].call & TAPE_ONLY_COUNTED)) {
			f->cache[i].call |= TAPE_ONLY_COUNTED;
			f->cache[i].site = k;
		}
}

void tape_tallies_move(const struct tape_flow *f, const unsigned char *from,
			unsigned char *to)
{
	size_t n = f->tallies * TAPE_TALLY_BYTES;

	memcpy(to + TAPE_CHUNK_BYTES - n, from + TAPE_CHUNK_BYTES - n, n);
}

uint64_t tape_tally(const struct tape_flow *f, uint32_t k, uint64_t *calls)
{
	const unsigned char *at = f->chunk + TAPE_TALLY_AT(k);

	*calls = tape_get64(at + 8);
	return tape_get64(at);
}
