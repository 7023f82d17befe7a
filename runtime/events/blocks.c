/* Blocks of events, kept and skipped; see blocks.h. */
#include <string.h>

#include "arch.h"
#include "blocks.h"
#include "filter.h"
#include "publish.h"
#include "tape.h"

/*
 * Two blocks of some 32 are skipped, on average; events that are farther apart
 * than NEAR_NS cost next to nothing, so that their constant will do. What comes
 * between the events of a block ends it: another try then, and shorter blocks
 * where none succeeds.
 */
enum { PAUSE = 60, LOOK = 16, NEAR_NS = 2000, WAITS = 32, TRIES = 8 };

/* Bytes that the records of a block that is skipped may need, at its end. */
enum { ROOM = TAPE_BLOCK_EVENTS * 40 };

/* The shortest block, and marks that are skipped again after an enter. */
enum { LEAST = 16, REPEATS = 4 };

/* A reading of the clock that nothing around it passes. */
static uint64_t read_fenced_tick(void)
{
	uint64_t t;

	tape_begin_fenced();
	t = tape_tick();
	tape_end_fenced();
	return t;
}

/* Pseudo-random bits (Marsaglia 2003, xorshift64). */
static uint64_t draw_random(struct tape_blocks *b)
{
	uint64_t x = b->random ? b->random : tape_tick() | 1;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return b->random = x;
}

/* ---- records ---- */

static void put_block(struct tape_flow *f, enum tape_block_kind kind,
		      uint64_t gap, uint64_t ticks, uint64_t events,
		      uint64_t what, uint64_t calls)
{
	const struct tape_blocks *b = &f->blocks;
	unsigned char *q, first;

	q = tape_code_rest(f->p, TAPE_CODE_BLOCK, &first);
	q = tape_put_varint(q, gap);
	q = tape_put_varint(q, 4 * b->group + (unsigned)kind);
	q = tape_put_varint(q, ticks);
	q = tape_put_varint(q, events);
	q = tape_put_varint(q, what);
	q = tape_put_varint(q, calls);
	tape_publish(f, q, first);
	f->last += gap;
	f->events++;
}

/* Sums up what was skipped, and of it what is first; returns its events. */
static uint32_t take_first(uint32_t *skipped, uint32_t *n, uint32_t *calls)
{
	uint32_t what = skipped[0] & ~TAPE_SKIPPED, events = 0, left = 0;

	*calls = 0;
	for (uint32_t i = 0; i < *n; i++) {
		if ((skipped[i] & ~TAPE_SKIPPED) != what) {
			skipped[left++] = skipped[i];
			continue;
		}
		events++;
		*calls += !(skipped[i] & TAPE_SKIPPED);
	}
	*n = left;
	return events;
}

/*
 * n steps of skipping, the last one first: removes those that were repeats,
 * after each enter as many as tape_blocks_repeat makes. Returns what is left.
 */
static uint32_t take_repeats(uint32_t *skipped, uint32_t n)
{
	uint32_t left = n, i = n;

	while (i) {
		uint32_t what = skipped[--i];

		skipped[--left] = what;
		if (what & 1 && !(what & TAPE_SKIPPED))
			i -= i < REPEATS ? i : REPEATS;
	}
	n -= left;
	memmove(skipped, skipped + left, n * sizeof *skipped);
	return n;
}

/*
 * n events were skipped, in so many ticks (0: not timed), which end that long
 * after the last record: a record for each site and region, and for repeats,
 * the times shared by the number of events.
 */
static void put_skipped(struct tape_flow *f, uint32_t n, uint64_t gap,
			uint64_t ticks)
{
	struct tape_blocks *b = &f->blocks;
	uint32_t left = n, calls, what, events;
	uint64_t part, share;

	if (b->kind == TAPE_BLOCK_REPEATED) {
		left = take_repeats(b->skipped, n);
		part = gap * (n - left) / n;
		share = ticks * (n - left) / n;
		put_block(f, TAPE_BLOCK_REPEATS, part, share, n - left, 0, 0);
		gap -= part;
		ticks -= share;
		n = left;
	}
	while (left) {
		what = b->skipped[0] & ~TAPE_SKIPPED;
		events = take_first(b->skipped, &left, &calls);
		part = left ? gap * events / n : gap;
		share = left ? ticks * events / n : ticks;
		put_block(f, b->kind, part, share, events, what, calls);
		gap -= part;
		ticks -= share;
		n -= events;
	}
}

/* ---- what is recorded up to now ---- */

static int find_site_class(uint32_t site)
{
	return site < TAPE_SITES_MAX ? tape_filter_class(tape_site_call(site))
				     : -1;
}

/*
 * May calls of that site be skipped? Not where they run functions of the
 * program: what these call is inside of them, and is seen to be only while
 * they are recorded.
 */
static int is_skippable(uint32_t site)
{
	return find_site_class(site) == TAPE_CLASS_LOCAL &&
	       !tape_filter_is_always(tape_site_call(site)) &&
	       !(tape_filter_traits(tape_site_call(site)) &
		 TAPE_TRAIT_CALLS_BACK);
}

/* Remembers a call site that may be skipped; 0: it may not. */
static int add_site(struct tape_blocks *b, uint32_t site)
{
	if (!is_skippable(site))
		return 0;
	for (uint32_t i = 0; i < b->n_sites; i++)
		if (b->sites[i] == site)
			return 1;
	if (b->n_sites == TAPE_BLOCK_SITES)
		return 0;
	b->sites[b->n_sites++] = site;
	return 1;
}

/*
 * Looks at the records since b->from: are they all of events that may be
 * skipped? How deep their regions went, against where they end, goes to
 * *deepest, which is 0 or less.
 */
static int may_skip_records(struct tape_flow *f, int32_t *deepest)
{
	struct tape_blocks *b = &f->blocks;
	const unsigned char *p = b->from, *end = f->p;
	uint64_t code = 0, v[2] = { 0 };
	int32_t depth = 0, least = 0;

	b->n_sites = b->n = 0;
	while (p && p < end) {
		p = tape_get_varint(p, end, &code);
		for (int i = 0; p && i < 2; i++)
			p = tape_get_varint(p, end, &v[i]);
		b->n += code != TAPE_CODE_ALPHA;
		if (code >= TAPE_CODE_SITE &&
		    add_site(b, (uint32_t)(code - TAPE_CODE_SITE) / 2))
			continue;
		if (code == TAPE_CODE_ALPHA)
			continue;
		if (code != TAPE_CODE_ENTER && code != TAPE_CODE_LEAVE)
			return 0;
		if (!(f->regions[v[1]] & TAPE_NAME_CONSTANT))
			return 0;
		depth += code == TAPE_CODE_ENTER ? 1 : -1;
		least = depth < least ? depth : least;
	}
	*deepest = least - depth;
	return p != NULL;
}

/* ---- appointments ---- */

static void schedule_phase(struct tape_flow *f, uint64_t bytes)
{
	f->blocks.due = f->p + bytes;
}

static void begin_pause(struct tape_flow *f)
{
	struct tape_blocks *b = &f->blocks;

	b->phase = TAPE_BLOCKS_IDLE;
	schedule_phase(f, TAPE_BLOCK_EVENTS * 4 * (1 + draw_random(b) % PAUSE));
}

/* Call sites of the block leave the recording path, or return to it. */
static void set_sites_skipped(struct tape_flow *f, int leave)
{
	const struct tape_blocks *b = &f->blocks;
	const uint32_t mark = TAPE_ONLY_COUNTED | TAPE_SKIPPED;

	for (uint32_t i = 0; i < b->n_sites; i++)
		f->sites[b->sites[i]].count = leave ? mark | b->sites[i] : 0;
	for (uint32_t i = 0; b->n_sites && i < TAPE_SITE_CACHE; i++) {
		uint32_t site = f->cache[i].site & ~TAPE_SKIPPED;

		for (uint32_t j = 0; j < b->n_sites; j++)
			if (site == b->sites[j]) {
				f->cache[i].call &= ~TAPE_ONLY_COUNTED;
				f->cache[i].call |= leave ? TAPE_ONLY_COUNTED
							  : 0;
				f->cache[i].site = leave ? site | TAPE_SKIPPED
							 : site;
			}
	}
	f->plain = !leave || !b->n_sites;
}

/* The block begins with the event in progress. */
static void begin_block(struct tape_flow *f)
{
	struct tape_blocks *b = &f->blocks;
	uint32_t n = b->last_kept ? b->last_kept : b->size;

	b->from = f->p;
	b->events = f->events;
	if (b->kind == TAPE_BLOCK_KEPT) {
		b->phase = TAPE_BLOCKS_KEPT;
		schedule_phase(f, b->bytes * b->size / 16);
	} else {
		b->phase = TAPE_BLOCKS_SKIPPED;
		f->skip_more = b->kind == TAPE_BLOCK_REPEATED;
		/* half of the marks are enters */
		b->skipping = f->skip_more ? n + n / 2 * REPEATS : n;
		f->skip_left = b->skipping;
		set_sites_skipped(f, 1);
	}
	b->began = read_fenced_tick();
}

/* A block is to begin at the next event that allows for it. */
static void await_block(struct tape_flow *f)
{
	f->blocks.phase = TAPE_BLOCKS_WAITING;
	f->blocks.waits = WAITS;
	schedule_phase(f, 0);
}

static void begin_looking(struct tape_flow *f)
{
	struct tape_blocks *b = &f->blocks;

	b->phase = TAPE_BLOCKS_LOOKING;
	b->from = f->p;
	b->looked_ns = tape_raw_ns();
	schedule_phase(f, LOOK * 4);
}

/* Something came between: the same again, but not for ever. */
static void retry_phase(struct tape_flow *f, void (*what)(struct tape_flow *f))
{
	struct tape_blocks *b = &f->blocks;

	if (b->tries) {
		b->tries--;
		what(f);
		return;
	}
	if (what == await_block && b->size > LEAST) {
		b->size /= 2;
		b->last_kept = 0;
	}
	begin_pause(f);
}

/* The next block of the group, of any of the kinds that it lacks. */
static void begin_next_kind(struct tape_flow *f)
{
	struct tape_blocks *b = &f->blocks;
	uint32_t k = (uint32_t)(draw_random(b) >> 20) % 3;

	while (!(b->left >> k & 1))
		k = (k + 1) % 3;
	b->kind = (enum tape_block_kind)k;
	await_block(f);
}

/* A block is whole: another one of its group, or a pause. */
static void complete_block(struct tape_flow *f)
{
	struct tape_blocks *b = &f->blocks;

	b->left &= ~(1u << b->kind);
	if (b->left) {
		begin_next_kind(f);
		return;
	}
	if (b->tries == TRIES && b->size < TAPE_BLOCK_EVENTS) {
		b->size *= 2;
		b->last_kept = 0;
	}
	begin_pause(f);
}

/* Was there nothing but what may be skipped, close together? Then begin. */
static void end_looking(struct tape_flow *f)
{
	struct tape_blocks *b = &f->blocks;
	int32_t deepest;

	if (!may_skip_records(f, &deepest) || !b->n ||
	    tape_raw_ns() - b->looked_ns > (uint64_t)NEAR_NS * b->n) {
		retry_phase(f, begin_looking);
		return;
	}
	b->bytes = (uint32_t)(f->p - b->from) * 16 / b->n;
	b->depth = (int32_t)f->depth - b->step + deepest;
	b->left = 1u << TAPE_BLOCK_KEPT | 1u << TAPE_BLOCK_SKIPPED;
	if (!b->n_sites)
		b->left |= 1u << TAPE_BLOCK_REPEATED;
	b->group++;
	b->tries = TRIES;
	begin_next_kind(f);
}

/* The kept block is at its end. */
static void end_kept_block(struct tape_flow *f)
{
	struct tape_blocks *b = &f->blocks;
	uint64_t took = read_fenced_tick() - b->began,
		 n = f->events - b->events;
	int32_t deepest;

	if (!may_skip_records(f, &deepest) || b->n != n || n < LEAST / 2) {
		retry_phase(f, await_block);
		return;
	}
	put_block(f, b->kind, 0, took, n, 0, 0);
	b->last_kept = n < TAPE_BLOCK_EVENTS ? (uint32_t)n : TAPE_BLOCK_EVENTS;
	complete_block(f);
}

static void advance_phase(struct tape_flow *f)
{
	struct tape_blocks *b = &f->blocks;

	switch (b->phase) {
	case TAPE_BLOCKS_IDLE:
		b->tries = TRIES;
		begin_looking(f);
		break;
	case TAPE_BLOCKS_LOOKING:
		end_looking(f);
		break;
	case TAPE_BLOCKS_KEPT:
		end_kept_block(f);
		break;
	case TAPE_BLOCKS_SKIPPED:
	case TAPE_BLOCKS_WAITING:
		break;
	}
	if (b->phase != TAPE_BLOCKS_WAITING)
		return;
	if ((int32_t)f->depth <= b->depth &&
	    f->depth < TAPE_REGION_DEPTH - TAPE_BLOCK_EVENTS)
		begin_block(f);
	else if (!b->waits--)
		begin_pause(f);
}

static void set_limit(struct tape_flow *f)
{
	const struct tape_blocks *b = &f->blocks;

	f->limit = f->skip_left			  ? NULL
		   : b->due < tape_chunk_limit(f) ? b->due
						  : tape_chunk_limit(f);
}

/* Where a library was, another may be, with other names in it. */
static void reset_region_names(struct tape_flow *f)
{
	f->blocks.unloads = tape_process.unloads;
	for (uint32_t i = 0; i < TAPE_REGION_CACHE; i++)
		f->region_cache[i].skips = NULL;
	for (uint32_t i = 1; i <= tape_process.regions; i++)
		f->regions[i] &= ~TAPE_NAME_CONSTANT;
}

void tape_blocks_turn(struct tape_flow *f, int whole)
{
	struct tape_blocks *b = &f->blocks;

	/* where each event is measured, or counted, none is skipped */
	if (f->filed || f->tallies || f->extras)
		return;
	if (!b->size) {
		b->size = TAPE_BLOCK_EVENTS;
		b->unloads = tape_process.unloads;
	}
	if (b->unloads != tape_process.unloads)
		reset_region_names(f);
	if (b->chunk != f->chunk || !b->due) {
		b->chunk = f->chunk;
		begin_pause(f);
	}
	/* what a block needs is to be in one chunk */
	if (f->p + b->bytes * b->size / 8 + ROOM > tape_chunk_limit(f))
		begin_pause(f);
	else if (whole && f->p >= b->due)
		advance_phase(f);
	set_limit(f);
}

void tape_blocks_over(struct tape_flow *f)
{
	struct tape_blocks *b = &f->blocks;
	uint64_t end = read_fenced_tick();

	if (f->filed) /* the calibration goes on */
		return;
	set_sites_skipped(f, 0);
	f->skip_more = 0;
	put_skipped(f, b->skipping, tape_gap(f, end), end - b->began);
	complete_block(f);
	set_limit(f);
	f->extra_before += tape_tick() - end;
}

void tape_blocks_cut(struct tape_flow *f)
{
	struct tape_blocks *b = &f->blocks;
	uint32_t n = b->skipping - f->skip_left;

	if (f->filed) { /* the calibration was left */
		tape_blocks_rehearse(f, b->sites[0], 0);
		return;
	}
	memmove(b->skipped, b->skipped + f->skip_left,
		n * sizeof *b->skipped);
	f->skip_left = f->skip_more = 0;
	set_sites_skipped(f, 0);
	if (n)
		put_skipped(f, n, 0, 0);
	retry_phase(f, await_block);
}

void tape_blocks_repeat(struct tape_flow *f, const char *name)
{
	f->skip_more = 0;
	for (int i = 0; i < REPEATS / 2 && f->skip_left; i++) {
		tape_enter(name);
		if (f->skip_left)
			tape_leave();
		else
			f->depth--; /* the leave would be recorded */
	}
	f->skip_more = f->skip_left != 0;
}

void tape_blocks_rehearse(struct tape_flow *f, uint32_t site, int on)
{
	struct tape_blocks *b = &f->blocks;

	b->n_sites = site ? 1 : 0;
	b->sites[0] = site;
	f->skip_left = on ? 1u << 20 : 0;
	set_sites_skipped(f, on);
}
