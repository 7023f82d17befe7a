/* How long calls wait; see waits.h. */
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

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t positive(int64_t a)
{
	return a > 0 ? a : 0;
}

int64_t tape_wait_late_sender(int64_t awaited_ns, int64_t ended_ns,
			      int64_t sent_ns)
{
	return positive(least(sent_ns, ended_ns) - awaited_ns);
}

int64_t tape_wait_late_receiver(int64_t begun_ns, int64_t ended_ns,
				int64_t posted_ns)
{
	return ended_ns <= posted_ns ? 0 : positive(posted_ns - begun_ns);
}

/* Is a later than b, or the first one there is? */
static int is_later(const struct tape_wait_member *m, int32_t a, int32_t b)
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

/*
 * The last one of the first n members that give data, but for i, and for those
 * that came only after i had left; -1: none.
 */
static int32_t last_before(const struct members *x, size_t n, size_t i)
{
	const struct tape_wait_member *m = x->m;
	int32_t last = -1;

	for (size_t j = 0; j < n; j++)
		if (j != i && m[j].there && m[j].sends &&
		    !is_refuted(x, i, j) && is_later(m, (int32_t)j, last))
			last = (int32_t)j;
	return last;
}

/* All wait for all: the last two tell for everybody who stayed that long. */
static void of_all(const struct members *x, int32_t *late)
{
	const struct tape_wait_member *m = x->m;
	int32_t first = -1, second = -1;

	for (size_t j = 0; j < x->n; j++) {
		if (!m[j].there || !m[j].sends)
			continue;
		if (is_later(m, (int32_t)j, first)) {
			second = first;
			first = (int32_t)j;
		} else if (is_later(m, (int32_t)j, second)) {
			second = (int32_t)j;
		}
	}
	for (size_t i = 0; i < x->n; i++) {
		int32_t who = first == (int32_t)i ? second : first;

		if (!m[i].there || !m[i].receives || who < 0)
			continue;
		if (is_refuted(x, i, (size_t)who))
			who = last_before(x, x->n, i);
		late[i] = who;
	}
}

static void of_root(const struct members *x, int32_t root, int32_t *late)
{
	for (size_t i = 0; i < x->n; i++)
		if ((int32_t)i != root && x->m[i].there && x->m[i].receives &&
		    !is_refuted(x, i, (size_t)root))
			late[i] = root;
}

/* Scans: what is refuted once is looked at pair by pair. */
static void of_those_before(const struct members *x, int32_t *late)
{
	const struct tape_wait_member *m = x->m;
	int32_t last = -1;

	for (size_t i = 0; i < x->n; i++) {
		if (!m[i].there)
			continue;
		late[i] = last < 0 || !is_refuted(x, i, (size_t)last)
				  ? last
				  : last_before(x, i, i);
		if (m[i].sends && is_later(m, (int32_t)i, last))
			last = (int32_t)i;
	}
}

void tape_wait_collective(enum tape_shape shape, int64_t slack_ns,
			  int32_t root, const struct tape_wait_member *m,
			  size_t n, int64_t *wait, int32_t *late)
{
	int rooted = root >= 0 && (size_t)root < n && m[root].there;
	struct members x = { m, n, slack_ns };

	for (size_t i = 0; i < n; i++)
		late[i] = -1;
	switch (shape) {
	case TAPE_SHAPE_ALL:
		of_all(&x, late);
		break;
	case TAPE_SHAPE_FROM:
		if (rooted)
			of_root(&x, root, late);
		break;
	case TAPE_SHAPE_TO:
		if (rooted)
			late[root] = last_before(&x, n, (size_t)root);
		break;
	case TAPE_SHAPE_SCAN:
		of_those_before(&x, late);
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
