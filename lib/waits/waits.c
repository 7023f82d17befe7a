/* How long calls wait; see waits.h. */
#include "lower_bound.h"
#include "heap.h"
#include "waits.h"

const char *tape_wait_name(enum tape_wait_kind kind)
{
	static const char *const names[TAPE_WAIT_KINDS] = {
		[TAPE_WAIT_NONE] = "none",
		[TAPE_WAIT_LATE_SENDER] = "late sender",
		[TAPE_WAIT_LATE_RECEIVER] = "late receiver",
		[TAPE_WAIT_BARRIER] = "wait at barrier",
		[TAPE_WAIT_N_TO_N] = "wait at n-to-n",
		[TAPE_WAIT_LATE_ROOT] = "late broadcast",
		[TAPE_WAIT_EARLY_ROOT] = "early reduce",
		[TAPE_WAIT_PREFIX] = "wait at scan",
		[TAPE_WAIT_LOCK] = "lock of a window",
		[TAPE_WAIT_END] = "wait at the end",
	};

	return names[kind];
}

static int64_t min_timestamp(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t clamp_to_zero(int64_t a)
{
	return a > 0 ? a : 0;
}

int64_t tape_wait_late_sender(int64_t awaited_ns, int64_t ended_ns,
			      int64_t sent_ns)
{
	return clamp_to_zero(min_timestamp(sent_ns, ended_ns) - awaited_ns);
}

int64_t tape_wait_late_receiver(int64_t begun_ns, int64_t ended_ns,
				int64_t posted_ns)
{
	return ended_ns <= posted_ns ? 0 : clamp_to_zero(posted_ns - begun_ns);
}

/* Is a later than b, or the first one there is? */
static int began_later(const struct tape_wait_member *m, int32_t a, int32_t b)
{
	return b < 0 || m[a].begun_ns > m[b].begun_ns;
}

/* The members, and by how much their dates may be wrong. */
struct members {
	const struct tape_wait_member *m;
	size_t n;
	int64_t slack_ns;
};

/* Did member j come only after i had left? */
static int is_refuted(const struct members *x, size_t i, size_t j)
{
	return x->m[j].begun_ns > x->m[i].ended_ns &&
	       (uint64_t)x->m[j].begun_ns - (uint64_t)x->m[i].ended_ns >
		       (uint64_t)x->slack_ns;
}

/* ---- the last one who came in time ---- */

/*
 * The members that give data, in the order in which they came; of those that
 * came at once the one with the lowest number is the last.
 */
struct senders {
	const struct members *x;
	int32_t *list;
	size_t n;
};

static int began_after(const struct tape_wait_member *m, const int32_t *a,
		       const int32_t *b)
{
	if (m[*a].begun_ns != m[*b].begun_ns)
		return m[*a].begun_ns > m[*b].begun_ns;
	return *a < *b;
}

TAPE_HEAP(senders, int32_t, const struct tape_wait_member *, began_after)

static struct senders sort_senders(const struct members *x, int32_t *room)
{
	struct senders s = { x, room, 0 };

	for (size_t j = 0; j < x->n; j++)
		if (x->m[j].there && x->m[j].sends)
			s.list[s.n++] = (int32_t)j;
	/* a sort by a heap: the last sender moves after the others */
	senders_order(x->m, s.list, s.n);
	for (size_t n = s.n; n > 1;) {
		int32_t last = s.list[0];

		n = senders_pop(x->m, s.list, n);
		s.list[n] = last;
	}
	return s;
}

/* How many of the senders came before member i left. */
static size_t senders_in_time(const struct senders *s, size_t i)
{
	size_t k;

	TAPE_LOWER_BOUND(k, s->n, !is_refuted(s->x, i, (size_t)s->list[k]));
	return k;
}

/* The last of the senders, but for i, that came before i left; -1: none. */
static int32_t last_in_time(const struct senders *s, size_t i)
{
	size_t n = senders_in_time(s, i);

	n -= n && s->list[n - 1] == (int32_t)i;
	return n ? s->list[n - 1] : -1;
}

/* ---- by shape ---- */

/* All wait for all: the last two decide for every member that stayed that long.
 */
static void find_late_for_all(const struct members *x, int32_t *room,
			      int32_t *late)
{
	const struct tape_wait_member *m = x->m;
	int32_t first = -1, second = -1;
	struct senders s = { .list = NULL };

	for (size_t j = 0; j < x->n; j++) {
		if (!m[j].there || !m[j].sends)
			continue;
		if (began_later(m, (int32_t)j, first)) {
			second = first;
			first = (int32_t)j;
		} else if (began_later(m, (int32_t)j, second)) {
			second = (int32_t)j;
		}
	}
	for (size_t i = 0; i < x->n; i++) {
		int32_t who = first == (int32_t)i ? second : first;

		if (!m[i].there || !m[i].receives || who < 0)
			continue;
		if (is_refuted(x, i, (size_t)who)) {
			if (!s.list)
				s = sort_senders(x, room);
			who = last_in_time(&s, i);
		}
		late[i] = who;
	}
}

/* The root waits for all. */
static void find_late_for_root(const struct members *x, size_t root,
			       int32_t *late)
{
	const struct tape_wait_member *m = x->m;
	int32_t last = -1;

	for (size_t j = 0; j < x->n; j++)
		if (j != root && m[j].there && m[j].sends &&
		    !is_refuted(x, root, j) && began_later(m, (int32_t)j, last))
			last = (int32_t)j;
	late[root] = last;
}

static void set_late_root(const struct members *x, int32_t root, int32_t *late)
{
	for (size_t i = 0; i < x->n; i++)
		if ((int32_t)i != root && x->m[i].there && x->m[i].receives &&
		    !is_refuted(x, i, (size_t)root))
			late[i] = root;
}

/* The last of the first n senders that up does not leave out, plus 1. */
static size_t find_kept_sender(int32_t *up, size_t n)
{
	while ((size_t)up[n] != n) {
		up[n] = up[up[n]];
		n = (size_t)up[n];
	}
	return n;
}

/*
 * Of a scan some of which left early: from the last member to the first, each
 * is left out before it asks, so that those with lower numbers remain. Of the
 * first n senders, up names the last one that remains, or one on the way there.
 */
static void find_late_in_time(const struct members *x, int32_t *room,
			      int32_t *late)
{
	struct senders s = sort_senders(x, room);
	int32_t *up = room + x->n, *place = late;

	for (size_t k = 0; k <= s.n; k++)
		up[k] = (int32_t)k;
	for (size_t k = 0; k < s.n; k++)
		place[s.list[k]] = (int32_t)k + 1;
	for (size_t i = x->n; i-- > 0;) {
		const struct tape_wait_member *m = &x->m[i];
		size_t n;

		if (m->there && m->sends)
			up[place[i]] = place[i] - 1;
		n = m->there ? find_kept_sender(up, senders_in_time(&s, i)) : 0;
		late[i] = n ? s.list[n - 1] : -1;
	}
}

/* Scans: each member waits for those with lower numbers. */
static void find_late_in_scan(const struct members *x, int32_t *room,
			      int32_t *late)
{
	const struct tape_wait_member *m = x->m;
	int32_t last = -1;
	int any = 0; /* left early */

	for (size_t i = 0; i < x->n; i++) {
		if (!m[i].there)
			continue;
		any |= last >= 0 && is_refuted(x, i, (size_t)last);
		late[i] = last;
		if (m[i].sends && began_later(m, (int32_t)i, last))
			last = (int32_t)i;
	}
	if (any)
		find_late_in_time(x, room, late);
}

void tape_wait_collective(enum tape_shape shape, int64_t slack_ns,
			  int32_t root, const struct tape_wait_member *m,
			  size_t n, int32_t *room, int64_t *wait,
			  int32_t *late)
{
	int rooted = root >= 0 && (size_t)root < n && m[root].there;
	struct members x = { m, n, slack_ns };

	for (size_t i = 0; i < n; i++)
		late[i] = -1;
	switch (shape) {
	case TAPE_SHAPE_ALL:
		find_late_for_all(&x, room, late);
		break;
	case TAPE_SHAPE_FROM:
		if (rooted)
			set_late_root(&x, root, late);
		break;
	case TAPE_SHAPE_TO:
		if (rooted)
			find_late_for_root(&x, (size_t)root, late);
		break;
	case TAPE_SHAPE_SCAN:
		find_late_in_scan(&x, room, late);
		break;
	case TAPE_SHAPE_NONE:
	case TAPE_SHAPE_NEAR: /* who is near is not said here */
		break;
	}
	for (size_t i = 0; i < n; i++) {
		wait[i] = late[i] < 0 ? 0
				      : tape_wait_late_sender(
						m[i].awaited_ns, m[i].ended_ns,
						m[late[i]].begun_ns);
		if (!wait[i])
			late[i] = -1;
	}
}
