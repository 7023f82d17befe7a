/* Finds what is recorded too often, and its tallies; see rate_limit.h. */
#include <string.h>

#include "filter.h"
#include "record.h"
#include "rate_limit.h"
#include "message.h"
#include "tape_skip.h"

/* Some milliseconds, whatever the clock: for so long it stays counted. */
#define PAUSE_TICKS ((uint64_t)1 << 23)

/* ---- what a chunk holds ---- */

struct walk {
	const unsigned char *p, *end;
};

static int find_record_class(uint64_t site)
{
	return site < TAPE_SITES_MAX ? tape_filter_class(tape_site_call(site))
				     : -1;
}

/* The next event of a site or region: 1 with *what, or 0 at the end. */
static int next_counted_event(struct walk *w, uint64_t *what)
{
	uint64_t code;

	while (w->p && w->p < w->end) {
		w->p = tape_get_varint(w->p, w->end, &code);
		if (w->p)
			w->p = tape_skip_record(code, w->p, w->end,
						find_record_class, what);
		if (w->p && *what)
			return *what / 2 <= TAPE_REGIONS_MAX || !(*what & 1);
	}
	return 0;
}

static uint32_t *find_event_count(const struct tape_flow *f, uint64_t what)
{
	return what & 1 ? &f->regions[what / 2] : &f->sites[what / 2].count;
}

/* Can it be counted: is it recorded, and allowed not to be? */
static int may_count(const struct tape_flow *f, uint64_t what)
{
	return !(*find_event_count(f, what) & TAPE_ONLY_COUNTED) &&
	       (what & 1 || !tape_filter_is_always(tape_site_call(what / 2)));
}

/* What the last records have most events of; 0: nothing that can be counted. */
static uint64_t most_frequent(struct tape_flow *f)
{
	const unsigned char *records = f->rate_from;
	struct walk w = { records, f->p };
	uint64_t what, best = 0;
	uint32_t most = 0;

	while (next_counted_event(&w, &what))
		if (may_count(f, what) && ++*find_event_count(f, what) > most) {
			most = *find_event_count(f, what);
			best = what;
		}
	w = (struct walk){ records, f->p };
	while (next_counted_event(&w, &what))
		if (may_count(f, what))
			*find_event_count(f, what) = 0;
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
	uint64_t end = __atomic_load_n(&g->rate_end, __ATOMIC_RELAXED);
	uint64_t spent = end > g->rate_begin ? end - g->rate_begin : 0;
	uint64_t ago = now > end ? now - end : 0;

	return per_second(g->rate_events, ago > 2 * spent ? ago : spent);
}

/* Where the rate of what is recorded is judged again: after so many bytes. */
static void schedule_rate_check(struct tape_flow *f)
{
	enum { FEWEST = 16, MOST = 4096, EVENT_BYTES = 12 };
	uint64_t events = tape_process.config.max_rate / 100;

	events = events < FEWEST ? FEWEST : events > MOST ? MOST : events;
	f->rate_from = f->p;
	f->rate_look = f->p + events * EVENT_BYTES;
}

/*
 * A bucket of events for all flows of the rank: max_rate flow into it in each
 * second, and it holds those of one second. With the lock.
 */
static void fill_bucket(struct tape_flow *f, uint64_t now)
{
	struct tape_process *p = &tape_process;
	double limit = p->config.max_rate;

	if (!p->rate_ns)
		p->rate_left = limit / 10;
	else
		p->rate_left += limit * (double)(now - p->rate_ns) / 1e9;
	p->rate_ns = now;
	if (p->rate_left > limit)
		p->rate_left = limit;
	p->rate_left -= (double)(f->events - f->rate_spent);
	f->rate_spent = f->events;
}

/*
 * At that rate, is it too much? What is far above the limit is stopped at once;
 * of what is not, half a second may be borrowed: the rest of a program whose
 * hottest calls are counted is so recorded in full, if that is possible.
 */
static int is_too_much(uint64_t rate)
{
	double limit = tape_process.config.max_rate;

	return tape_process.rate_left <
	       ((double)rate > 256 * limit ? 0 : -limit / 2);
}

/*
 * The rate of the rank over the last events of f, where it is too high; else 0,
 * and when other flows have more than their part in it than f has. While
 * another thread has the lock, which may be long, it is 0: what was recorded
 * meanwhile is judged the next time.
 */
static uint64_t rate_of_rank(struct tape_flow *f)
{
	uint64_t now, sum, mine, active = 1;

	if (tape_lock_if_free())
		return 0;
	now = tape_raw_ns();
	f->rate_begin = f->rate_end;
	if (!f->rate_begin)
		f->rate_begin = tape_get64(f->chunk + TAPE_CHUNK_ANCHOR_NS);
	__atomic_store_n(&f->rate_end, now, __ATOMIC_RELAXED);
	f->rate_events = f->events - f->rate_seen;
	f->rate_seen = f->events;
	fill_bucket(f, now);
	sum = mine = per_second(f->rate_events, now - f->rate_begin);
	for (const struct tape_flow *g = tape_process.flows; g; g = g->next)
		if (g != f && g->rate_events) {
			sum += rate_of(g, now);
			active++;
		}
	if (mine < sum / active || !is_too_much(sum))
		sum = 0;
	tape_unlock();
	return sum;
}

void tape_rate_check(struct tape_flow *f)
{
	uint64_t rate;

	if (!tape_process.config.max_rate || f->due)
		return;
	rate = rate_of_rank(f);
	if (rate && f->counted < TAPE_TALLIES_MAX) {
		f->due = most_frequent(f);
		f->due_rate = rate;
	}
	schedule_rate_check(f);
}

void tape_rate_chunk(struct tape_flow *f)
{
	if (tape_process.config.max_rate)
		schedule_rate_check(f);
}

/* ---- tallies ---- */

/*
 * In the cache, too: a site that stands there as from (its number, or its tally
 * with the bit) stands there as to.
 */
static void set_cache(struct tape_flow *f, uint32_t site, uint32_t from,
		      uint32_t to)
{
	uint32_t counts = to & TAPE_ONLY_COUNTED;
	uint32_t was = from & TAPE_ONLY_COUNTED;

	for (uint32_t i = 0; i < TAPE_SITE_CACHE; i++)
		if (f->cache[i].address &&
		    (f->cache[i].call & TAPE_ONLY_COUNTED) == was &&
		    f->cache[i].site == (from & ~TAPE_ONLY_COUNTED) &&
		    (f->cache[i].call & ~TAPE_ONLY_COUNTED) ==
			    tape_site_call(site)) {
			f->cache[i].call ^= was ^ counts;
			f->cache[i].site = to & ~TAPE_ONLY_COUNTED;
		}
}

/* A tally that nothing uses. */
static uint32_t free_tally(struct tape_flow *f)
{
	uint32_t k = 0;

	while (k < f->tallies && tape_get64(f->chunk + TAPE_TALLY_AT(k)))
		k++;
	return k;
}

void tape_rate_begin_counting(struct tape_flow *f)
{
	uint32_t k = free_tally(f), mark = TAPE_ONLY_COUNTED | k;
	unsigned char *at = f->chunk + TAPE_TALLY_AT(k);

	f->plain = 0;
	tape_put64(at + TAPE_TALLY_CALLS, 0);
	tape_put64(at + TAPE_TALLY_TICKS, 0);
	/* a process that is killed in between leaves no calls of another */
	__atomic_signal_fence(__ATOMIC_RELEASE);
	tape_put64(at, f->due);
	if (k == f->tallies) {
		__atomic_thread_fence(__ATOMIC_RELEASE);
		tape_put32(f->chunk + TAPE_CHUNK_TALLIES, ++f->tallies);
	}
	f->counted++;
	f->tally[k] = (struct tape_tally_state){ tape_tick() + PAUSE_TICKS,
						 tape_raw_ns(), 0 };
	*find_event_count(f, f->due) = mark;
	if (!(f->due & 1))
		set_cache(f, (uint32_t)(f->due / 2), (uint32_t)(f->due / 2),
			  mark);
}

/*
 * What is rare may return as soon as there is room for it; of what is not, some
 * events are taken now and then. Asked again later where another thread has the
 * lock.
 */
int tape_rate_may_return(struct tape_flow *f, uint32_t k, uint64_t tick)
{
	struct tape_tally_state *s = &f->tally[k];
	double limit = tape_process.config.max_rate, left;
	uint64_t calls, rate, now;

	if (tape_lock_if_free()) {
		s->next = tick + PAUSE_TICKS;
		return 0;
	}
	now = tape_raw_ns();
	tape_tally(f, k, &calls);
	fill_bucket(f, now);
	left = tape_process.rate_left;
	tape_unlock();
	rate = per_second(calls - s->calls, now - s->ns);
	*s = (struct tape_tally_state){ tick + PAUSE_TICKS, now, calls };
	return left > ((double)rate < limit / 2 ? 0 : limit / 20);
}

void tape_rate_end_counting(struct tape_flow *f, uint32_t k)
{
	uint64_t calls, what = tape_tally(f, k, &calls);

	tape_put64(f->chunk + TAPE_TALLY_AT(k), 0);
	*find_event_count(f, what) = 0;
	if (!(what & 1))
		set_cache(f, (uint32_t)(what / 2), TAPE_ONLY_COUNTED | k,
			  (uint32_t)(what / 2));
	f->plain = --f->counted == 0;
	/* what was not recorded until now says nothing of what comes */
	__atomic_store_n(&f->rate_end, tape_raw_ns(), __ATOMIC_RELAXED);
	f->rate_seen = f->events;
	schedule_rate_check(f);
}

void tape_tallies_move(const struct tape_flow *f, const unsigned char *from,
			unsigned char *to)
{
	size_t n = f->tallies * TAPE_TALLY_BYTES;

	memcpy(to + TAPE_CHUNK_CALL - n, from + TAPE_CHUNK_CALL - n, n);
}

uint64_t tape_tally(const struct tape_flow *f, uint32_t k, uint64_t *calls)
{
	const unsigned char *at = f->chunk + TAPE_TALLY_AT(k);

	*calls = tape_get64(at + TAPE_TALLY_CALLS);
	return tape_get64(at);
}

uint64_t tape_tally_ticks(const struct tape_flow *f, uint32_t k)
{
	return tape_get64(f->chunk + TAPE_TALLY_AT(k) + TAPE_TALLY_TICKS);
}
