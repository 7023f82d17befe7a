/* Messages that bound clocks; see message_bounds.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "hash_slots.h"
#include "hash_bits.h"
#include "lower_bound.h"
#include "message_bounds.h"
#include "sort.h"
#include "tool.h"

/* Initial number of bins of the run. */
enum { BINS = 1 << 24 };

TAPE_SLOTS_TYPE(pair_slots, uint32_t)

struct bounds {
	const struct clocks *k;
	struct bounds_pair *way;
	size_t n, room;
	struct pair_slots pairs; /* number of a pair plus 1 */
	size_t kept;
	unsigned shift;    /* bins are 2^shift times their initial length */
};

struct bounds *bounds_new(const struct clocks *k)
{
	struct bounds *b = tape_must(calloc(1, sizeof *b));

	b->k = k;
	return b;
}

void bounds_free(struct bounds *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		free(b->way[i].kept);
	free(b->way);
	free(b->pairs.list);
	free(b);
}

/* ---- pairs ---- */

/* Slots at first. */
enum { PAIRS_LEAST = 64 };

static int is_used(const uint32_t *slot)
{
	return *slot != 0;
}

static uint64_t get_key(const struct bounds *b, const uint32_t *slot)
{
	const struct bounds_pair *w = &b->way[*slot - 1];

	return (uint64_t)w->from << 32 | w->to;
}

static uint64_t hash_clocks(uint64_t key)
{
	return tape_spread_bits(key) >> 32;
}

static int is_equal_key(uint64_t a, uint64_t b)
{
	return a == b;
}

TAPE_SLOTS(pair_slots, uint32_t, const struct bounds *, uint64_t, is_used,
	   get_key, hash_clocks, is_equal_key)

static struct bounds_pair *find_pair(struct bounds *b, uint32_t from,
				     uint32_t to)
{
	uint32_t *at;

	if (pair_slots_reserve(b, &b->pairs, PAIRS_LEAST))
		tape_die_no_memory();
	at = pair_slots_find(b, &b->pairs, (uint64_t)from << 32 | to);
	if (*at)
		return &b->way[*at - 1];
	b->way = tape_must(
	    tape_grow_array(b->way, &b->room, b->n + 1, sizeof *b->way));
	b->way[b->n++] = (struct bounds_pair){.from = from, .to = to};
	*at = (uint32_t)b->n;
	b->pairs.used++;
	return &b->way[b->n - 1];
}

/* ---- messages ---- */

/* Returns 1 if m is the tighter bound; a total order for equal slacks. */
static int is_tighter(const struct bounds_message *m,
		      const struct bounds_message *than)
{
	if (m->slack != than->slack)
		return m->slack < than->slack;
	if (m->received != than->received)
		return m->received < than->received;
	return m->is_round < than->is_round;
}

/* Merges messages into bins 2^by times as long; returns their number. */
static size_t merge_bins(struct bounds_message *m, size_t n, unsigned by)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		m[i].bin >>= by;
		if (!used || m[used - 1].bin != m[i].bin)
			m[used++] = m[i];
		else if (is_tighter(&m[i], &m[used - 1]))
			m[used - 1] = m[i];
	}
	return used;
}

/* Doubles the length of all bins. */
static void coarsen_bins(struct bounds *b)
{
	b->shift++;
	b->kept = 0;
	for (size_t i = 0; i < b->n; i++) {
		struct bounds_pair *w = &b->way[i];

		w->n = merge_bins(w->kept, w->n, 1);
		b->kept += w->n;
	}
}

/* Doubles bins until at most BOUNDS_KEPT messages are stored, or one a pair. */
static void limit_kept(struct bounds *b)
{
	while (b->kept > BOUNDS_KEPT && b->shift < 62)
		coarsen_bins(b);
}

/* The index of a bin, or where to insert it; most messages come in order. */
static size_t find_bin(const struct bounds_pair *w, int64_t bin)
{
	size_t i;

	if (w->n && w->kept[w->n - 1].bin <= bin)
		return w->n - (w->kept[w->n - 1].bin == bin);
	TAPE_LOWER_BOUND(i, w->n, w->kept[i].bin < bin);
	return i;
}

static void insert_bound(struct bounds *b, struct bounds_pair *w,
			 struct bounds_message m)
{
	size_t i = find_bin(w, m.bin);

	if (i < w->n && w->kept[i].bin == m.bin) {
		if (is_tighter(&m, &w->kept[i]))
			w->kept[i] = m;
		return;
	}
	w->kept = tape_must(
	    tape_grow_array(w->kept, &w->room, w->n + 1, sizeof *w->kept));
	memmove(&w->kept[i + 1], &w->kept[i], (w->n - i) * sizeof *w->kept);
	w->kept[i] = m;
	w->n++;
	b->kept++;
	limit_kept(b);
}

/* Sets slack and bin by the first tracks. Returns 1 if both clocks have a track
 * and the message contradicts them. */
static int rank_message(const struct bounds *b, const struct bounds_pair *w,
			struct bounds_message *m)
{
	const struct clocks *k = b->k;
	const double half = 0x1p62;
	double lo[2], hi[2], at, stretch;

	at = clock_instant(&k->c[w->to].track, m->received, &lo[1], &hi[1]);
	m->slack = at - clock_instant(&k->c[w->from].track, m->sent, &lo[0],
				      &hi[0]);
	/* by its own clock: it may be unrelated to the run's span */
	stretch = floor(m->received / ((k->to_ns - k->from_ns) / BINS));
	m->bin = (int64_t)fmin(fmax(stretch, -half), half) >> b->shift;
	/* readings are rounded */
	return k->c[w->from].status != CLOCK_UNPLACED &&
	       k->c[w->to].status != CLOCK_UNPLACED &&
	       m->slack + hi[1] - lo[0] < -1;
}

void bounds_add(struct bounds *b, uint32_t from, double sent, uint32_t to,
		double received)
{
	struct bounds_message m = { sent, received, 0, 0, 0 };
	struct bounds_pair *w = find_pair(b, from, to);

	w->messages++;
	w->refuted += (uint64_t)rank_message(b, w, &m);
	insert_bound(b, w, m);
}

void bounds_round(struct bounds *b, uint32_t from, double sent, uint32_t to,
		  double received)
{
	struct bounds_message m = { sent, received, 0, 0, 1 };
	struct bounds_pair *w = find_pair(b, from, to);

	rank_message(b, w, &m);
	insert_bound(b, w, m);
}

/* ---- bounds of other processes ---- */

unsigned bounds_doublings(const struct bounds *b)
{
	return b->shift;
}

/* Merges n messages in order of bin into w. */
static void merge_messages(struct bounds *b, struct bounds_pair *w,
			   const struct bounds_message *m, size_t n)
{
	struct bounds_message *all =
	    tape_must(malloc((w->n + n + 1) * sizeof *all));
	size_t i = 0, j = 0, used = 0;

	while (i < w->n || j < n) {
		int same = i < w->n && j < n && w->kept[i].bin == m[j].bin;
		int own = j == n || (i < w->n && w->kept[i].bin < m[j].bin);

		if (same)
			own = !is_tighter(&m[j], &w->kept[i]);
		all[used++] = own ? w->kept[i] : m[j];
		i += (size_t)(own || same);
		j += (size_t)(!own || same);
	}
	b->kept += used - w->n;
	free(w->kept);
	w->kept = all;
	w->n = used;
	w->room = used;
}

void bounds_merge(struct bounds *b, unsigned wide, const struct bounds_pair *w,
		  struct bounds_message *m, size_t n)
{
	struct bounds_pair *own = find_pair(b, w->from, w->to);

	own->messages += w->messages;
	own->refuted += w->refuted;
	while (b->shift < wide)
		coarsen_bins(b);
	n = merge_bins(m, n, b->shift - wide);
	if (n)
		merge_messages(b, own, m, n);
	limit_kept(b);
}

uint64_t bounds_refuted(const struct bounds *b)
{
	uint64_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->way[i].refuted;
	return n;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct bounds_pair *p = a, *q = b;

	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	return p->to < q->to ? -1 : p->to > q->to;
}

const struct bounds_pair *bounds_pairs(struct bounds *b, size_t *n)
{
	if (b->n) {
		tape_sort(b->way, b->n, sizeof *b->way, compare_pairs);
		memset(b->pairs.list, 0,
		       (b->pairs.mask + 1) * sizeof *b->pairs.list);
	}
	for (uint32_t i = 1; i <= b->n; i++)
		*pair_slots_find(b, &b->pairs, get_key(b, &i)) = i;
	*n = b->n;
	return b->way;
}
