/* Barriers by arrivals, other calls by their root's; see pvm_groups.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "pvm_groups.h"
#include "sort.h"

struct arrival {
	uint64_t barrier;  /* identity of the communicator */
	int64_t start_ns, end_ns;
	int rank;
	uint32_t comm;     /* as the rank numbers it */
	int32_t count;     /* as count_of */
	int root;          /* a rank; of no barrier */
	unsigned call;
	struct tape_meeting meeting;
};

struct tape_pvm_groups {
	size_t n;
	struct arrival *a; /* by rank, communicator and date */
};

/* ---- which barriers ---- */

/* Of the collective calls of a group that are no barriers. */
#define OF_ROOT (-1)

/*
 * How many tasks make a barrier; 0: all that use it, or nothing that is looked
 * into here.
 */
static int32_t barrier_task_count(const struct tape_comm_info *c)
{
	int count = 0, users = 0;

	if (c->index && !strncmp(c->name, "group-", 6))
		return OF_ROOT;
	if (!c->index || sscanf(c->name, "barrier-%d-", &count) != 1)
		return 0;
	for (int i = 0; i < c->size; i++)
		users += c->members[i] >= 0;
	return count > 0 && count < users ? count : 0;
}

int tape_pvm_groups_fewer(const struct tape_comm_info *c)
{
	return barrier_task_count(c) > 0;
}

/* By communicator, *any is set where one is not 0. NULL: out of memory. */
static int32_t *list_task_counts(const struct tape_rank_info *r, int *any)
{
	int32_t *counts = calloc(r->n_comms + 1, sizeof *counts);

	*any = 0;
	for (size_t i = 0; counts && r->tid && i < r->n_comms; i++) {
		counts[i] = barrier_task_count(&r->comms[i]);
		*any |= counts[i] != 0;
	}
	return counts;
}

/* ---- arrivals ---- */

static int add_arrival(struct tape_pvm_groups *m, const struct arrival *a)
{
	struct arrival *p = tape_grow_list(m->a, m->n, sizeof *p);

	if (!p)
		return TAPE_ENOMEM;
	m->a = p;
	m->a[m->n++] = *a;
	return 0;
}

/*
 * Adds the arrival of e at its group call, or sets the end of the arrival that
 * e ends. open[comm]: number, from 1 on, of the arrival whose end is another
 * event, which is to come; 0: none. An end without a beginning adds nothing:
 * no event says when the rank arrived.
 */
static int read_arrival(struct tape_pvm_groups *m, struct tape_trace *t,
			const struct tape_event *e, int32_t count, size_t *open)
{
	uint32_t comm = e->u.coll.comm;
	size_t ended = open[comm];
	int root = -1, rc;

	open[comm] = 0;
	if (e->u.coll.part == TAPE_PART_END) {
		if (ended)
			m->a[ended - 1].end_ns = e->end_ns;
		return 0;
	}
	if (count == OF_ROOT && (root = tape_trace_task(t, e->u.coll.root)) < 0)
		return 0;
	rc = add_arrival(
	    m, &(struct arrival){
		   .barrier = tape_trace_rank(t, e->rank)->comms[comm].id,
		   .rank = e->rank,
		   .start_ns = e->start_ns,
		   .end_ns = e->end_ns,
		   .comm = comm,
		   .count = count,
		   .root = root,
		   .call = e->call});
	if (!rc && e->u.coll.part == TAPE_PART_BEGINNING)
		open[comm] = m->n;
	return rc;
}

static int read_flow_arrivals(struct tape_pvm_groups *m, struct tape_trace *t,
			      size_t index, const int32_t *counts)
{
	size_t n = tape_trace_rank(t, tape_trace_flow(t, index)->rank)->n_comms;
	size_t *open = calloc(n + 1, sizeof *open);
	const struct tape_event *e;
	struct tape_flow *f;
	int rc = open ? tape_flow_open(t, index, &f) : TAPE_ENOMEM;

	if (rc) {
		free(open);
		return rc == TAPE_ENOMEM ? rc : 0;
	}
	while (!rc && tape_flow_next(f, &e) == 1)
		if (e->class_ == TAPE_CLASS_COLL && e->u.coll.comm < n &&
		    counts[e->u.coll.comm])
			rc =
			    read_arrival(m, t, e, counts[e->u.coll.comm], open);
	tape_flow_close(f);
	free(open);
	return rc;
}

static int read_all_arrivals(struct tape_pvm_groups *m, struct tape_trace *t)
{
	int rc = 0, any;

	for (size_t i = 0; !rc && i < tape_trace_flows(t); i++) {
		int rank = tape_trace_flow(t, i)->rank;
		int32_t *counts =
		    list_task_counts(tape_trace_rank(t, rank), &any);

		if (!counts)
			return TAPE_ENOMEM;
		if (any)
			rc = read_flow_arrivals(m, t, i, counts);
		free(counts);
	}
	return rc;
}

/* ---- meetings ---- */

static int compare_arrival_times(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->barrier != y->barrier)
		return x->barrier < y->barrier ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->rank - y->rank;
}

static int compare_arrival_ranks(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank - y->rank;
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	/* a task's calls follow each other */
	return x->meeting.k < y->meeting.k ? -1 : x->meeting.k > y->meeting.k;
}

/* May a be in the meeting of those n, the first of which left at left_ns? */
static int may_join(const struct arrival *of, size_t n, int64_t left_ns,
		    const struct arrival *a, double slack_ns)
{
	if (n == (size_t)of->count ||
	    (double)(a->start_ns - left_ns) > slack_ns)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (of[i].rank == a->rank)
			return 0;
	return 1;
}

/* The arrivals at one barrier, in order; *k counts the meetings. */
static void number_barrier_meetings(struct arrival *a, size_t all,
				    double slack_ns, uint64_t *k)
{
	for (size_t i = 0, n; i < all; i += n, ++*k) {
		struct arrival *of = &a[i];
		int64_t left_ns = of->end_ns;

		for (n = 1; i + n < all &&
			    may_join(of, n, left_ns, &of[n], slack_ns); n++)
			if (of[n].end_ns < left_ns)
				left_ns = of[n].end_ns;
		for (size_t j = 0; j < n; j++)
			of[j].meeting = (struct tape_meeting){ *k, (int32_t)n };
	}
}

/* ---- calls with a root ---- */

/* The root's come first. */
static int compare_arrival_members(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;
	int i = x->rank != x->root, j = y->rank != y->root;

	if (i != j)
		return i - j;
	if (x->rank != y->rank)
		return x->rank - y->rank;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/*
 * The root does not leave before a member comes: each call of a member is of
 * the first of the root's that may be.
 */
static void to_root(struct arrival *r, size_t n_roots, struct arrival *of,
		    size_t n, double slack_ns)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++, k++) {
		while (k < n_roots &&
		       (double)(of[i].start_ns - r[k].end_ns) > slack_ns)
			k++;
		if (k == n_roots)
			return;
		of[i].meeting.k = r[k].meeting.k;
		of[i].meeting.n = 0;
		r[k].meeting.n++;
	}
}

/* No member leaves before the root comes: the same from the end backwards. */
static void from_root(struct arrival *r, size_t n_roots, struct arrival *of,
		      size_t n, double slack_ns)
{
	size_t k = n_roots;

	for (size_t i = n; i; i--, k--) {
		while (k && (double)(r[k - 1].start_ns - of[i - 1].end_ns) >
				    slack_ns)
			k--;
		if (!k)
			return;
		of[i - 1].meeting.k = r[k - 1].meeting.k;
		of[i - 1].meeting.n = 0;
		r[k - 1].meeting.n++;
	}
}

/*
 * The calls of one kind with one root, in any order. A member's that is of none
 * of the root's has a meeting of its own.
 */
static void pair_with_root(struct arrival *a, size_t all, double slack_ns,
			   uint64_t *k)
{
	uint64_t first = *k;
	size_t roots = 0;

	tape_sort(a, all, sizeof *a, compare_arrival_members);
	for (size_t i = 0; i < all; i++)
		a[i].meeting = (struct tape_meeting){ (*k)++, 1 };
	while (roots < all && a[roots].rank == a[roots].root)
		roots++;
	for (size_t i = roots, n; i < all; i += n) {
		for (n = 1; i + n < all && a[i + n].rank == a[i].rank; n++)
			;
		if (tape_call_shape(a[i].call) == TAPE_SHAPE_FROM)
			from_root(a, roots, &a[i], n, slack_ns);
		else
			to_root(a, roots, &a[i], n, slack_ns);
	}
	for (size_t i = roots; i < all; i++)
		if (!a[i].meeting.n)
			a[i].meeting.n = a[a[i].meeting.k - first].meeting.n;
}

/* Arrivals are in order. */
static void number_meetings(struct tape_pvm_groups *m, double slack_ns)
{
	uint64_t k = 0;

	for (size_t i = 0, n; i < m->n; i += n) {
		struct arrival *of = &m->a[i];

		for (n = 1; i + n < m->n && of[n].barrier == of->barrier; n++)
			;
		if (of->count == OF_ROOT)
			pair_with_root(of, n, slack_ns, &k);
		else
			number_barrier_meetings(of, n, slack_ns, &k);
	}
}

int tape_pvm_groups_read(struct tape_trace *t, double slack_ns,
		       struct tape_pvm_groups **out)
{
	struct tape_pvm_groups *m = calloc(1, sizeof *m);
	int rc = m ? read_all_arrivals(m, t) : TAPE_ENOMEM;

	*out = NULL;
	if (rc || !m->n) {
		tape_pvm_groups_free(m);
		return rc;
	}
	tape_sort(m->a, m->n, sizeof *m->a, compare_arrival_times);
	number_meetings(m, slack_ns);
	tape_sort(m->a, m->n, sizeof *m->a, compare_arrival_ranks);
	*out = m;
	return 0;
}

void tape_pvm_groups_free(struct tape_pvm_groups *m)
{
	if (!m)
		return;
	free(m->a);
	free(m);
}

const struct tape_meeting *tape_pvm_groups_find(const struct tape_pvm_groups *m,
					      int rank, uint32_t comm,
					      uint64_t k)
{
	size_t i = 0, j = m ? m->n : 0;

	while (i < j) {
		size_t mid = i + (j - i) / 2;
		const struct arrival *a = &m->a[mid];

		if (a->rank < rank || (a->rank == rank && a->comm < comm))
			i = mid + 1;
		else
			j = mid;
	}
	if (!m || k >= m->n - i || m->a[i + k].rank != rank ||
	    m->a[i + k].comm != comm)
		return NULL;
	return &m->a[i + k].meeting;
}
