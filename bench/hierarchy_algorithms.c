/* See hierarchy.h. */
#include <stdlib.h>
#include <string.h>

#include "hierarchy.h"

const char *const bcast_names[ALGORITHMS] = {
	"linear", "chain", "pipeline", "split-binary", "binary", "binomial"
};
const char *const reduce_names[ALGORITHMS] = {
	"linear", "chain", "pipeline", "binary", "binomial", "in-order-binary"
};

enum { LINEAR, CHAIN, PIPELINE, BINARY, BINOMIAL, IN_ORDER };
enum { CHAINS = 4 }; /* coll_tuned_*_chain_fanout */
enum { CHILDREN_MAX = 1 << 12, TAG = 1 };

struct tree {
	int rank, size, parent, n, child[CHILDREN_MAX];
};

/* ---- trees ---- */

static void add(struct tree *t, int child)
{
	t->child[t->n++] = child;
}

/* Rank 0 and so many chains of the others, in order, as long as each other. */
static void chains(struct tree *t, int most)
{
	int others = t->size - 1, n = others < most ? others : most, first = 1;

	for (int c = 0; c < n; c++) {
		int length = others / n + (c < others % n);

		if (!t->rank)
			add(t, first);
		if (t->rank == first)
			t->parent = 0;
		else if (t->rank > first && t->rank < first + length)
			t->parent = t->rank - 1;
		if (t->rank >= first && t->rank < first + length - 1)
			add(t, t->rank + 1);
		first += length;
	}
}

/* Level by level: the children of r are r + d and r + 2d, d ranks above it. */
static void binary(struct tree *t)
{
	int d = 1;

	while (2 * d - 1 <= t->rank)
		d *= 2;
	for (int i = 1; i <= 2; i++)
		if (t->rank + i * d < t->size)
			add(t, t->rank + i * d);
	if (t->rank) /* the one of the level above that this is a child of */
		t->parent = t->rank - d / 2 >= d - 1 ? t->rank - d
						     : t->rank - d / 2;
}

static void binomial(struct tree *t)
{
	for (int bit = 1; bit < t->size; bit *= 2) {
		if (t->rank & bit) {
			t->parent = t->rank - bit;
			break;
		}
		if (t->rank + bit < t->size)
			add(t, t->rank + bit);
	}
}

/*
 * The root is the last rank; its right part is the ranks just before it, its
 * left part those before: their last ranks are the children.
 */
static void in_order(struct tree *t)
{
	int first = 0, last = t->size - 1; /* a part, whose root is last */

	t->parent = -1;
	for (;;) {
		int others = last - first, right = others / 2;
		int left_last = last - 1 - right;

		if (t->rank == last) {
			if (right)
				add(t, last - 1);
			if (others > right)
				add(t, left_last);
			return;
		}
		t->parent = last;
		if (t->rank > left_last) {
			first = left_last + 1;
			last = last - 1;
		} else {
			last = left_last;
		}
	}
}

static void make(struct tree *t, int kind, MPI_Comm comm)
{
	MPI_Comm_rank(comm, &t->rank);
	MPI_Comm_size(comm, &t->size);
	t->parent = -1;
	t->n = 0;
	if (kind == LINEAR)
		chains(t, t->size - 1);
	else if (kind == CHAIN)
		chains(t, CHAINS);
	else if (kind == PIPELINE)
		chains(t, 1);
	else if (kind == BINARY)
		binary(t);
	else if (kind == BINOMIAL)
		binomial(t);
	else
		in_order(t);
}

/* ---- segments ---- */

/* How many numbers a segment has, and how many segments there are. */
static int cut(int n, int segment, int *segments)
{
	int each = segment / (int)sizeof(double);

	if (each < 1 || each > n)
		each = n > 0 ? n : 1;
	*segments = (n + each - 1) / each;
	return each;
}

static int part(int n, int each, int k)
{
	return n - k * each < each ? n - k * each : each;
}

/* ---- broadcast ---- */

/* Each segment goes on when it is there; the next is on its way. */
static void down(const struct tree *t, double *b, int n, int segment,
		 MPI_Comm comm)
{
	MPI_Request next, *sends = malloc((size_t)(t->n + 1) * sizeof *sends);
	int segments, each = cut(n, segment, &segments);

	if (t->parent >= 0 && segments)
		MPI_Irecv(b, part(n, each, 0), MPI_DOUBLE, t->parent, TAG, comm,
			  &next);
	for (int k = 0; k < segments; k++) {
		double *at = b + (size_t)k * (size_t)each;

		if (t->parent >= 0)
			MPI_Wait(&next, MPI_STATUS_IGNORE);
		if (t->parent >= 0 && k + 1 < segments)
			MPI_Irecv(at + each, part(n, each, k + 1), MPI_DOUBLE,
				  t->parent, TAG, comm, &next);
		for (int c = 0; c < t->n; c++)
			MPI_Isend(at, part(n, each, k), MPI_DOUBLE, t->child[c],
				  TAG, comm, &sends[c]);
		MPI_Waitall(t->n, sends, MPI_STATUSES_IGNORE);
	}
	free(sends);
}

/*
 * One half down each side of a binary tree, odd ranks and even ones; then a
 * rank and the next one exchange theirs. The last, if it has nobody, gets the
 * other half of rank 0.
 */
static void split_binary(struct tree *t, double *b, int n, int segment,
			 MPI_Comm comm)
{
	int half = (n + 1) / 2, odd = t->rank % 2, other = t->rank + 1;
	int last_alone = t->size % 2 == 0;

	if (n < 2 || t->size < 3) {
		down(t, b, n, segment, comm);
		return;
	}
	if (!t->rank) {
		struct tree left = *t, right = *t;

		left.n = right.n = 1;
		right.child[0] = t->child[1];
		down(&left, b, half, segment, comm);
		down(&right, b + half, n - half, segment, comm);
		if (last_alone)
			MPI_Send(b + half, n - half, MPI_DOUBLE, t->size - 1,
				 TAG, comm);
		return;
	}
	if (odd)
		down(t, b, half, segment, comm);
	else
		down(t, b + half, n - half, segment, comm);
	if (odd && other == t->size)
		MPI_Recv(b + half, n - half, MPI_DOUBLE, 0, TAG, comm,
			 MPI_STATUS_IGNORE);
	else if (odd)
		MPI_Sendrecv(b, half, MPI_DOUBLE, other, TAG, b + half,
			     n - half, MPI_DOUBLE, other, TAG, comm,
			     MPI_STATUS_IGNORE);
	else
		MPI_Sendrecv(b + half, n - half, MPI_DOUBLE, t->rank - 1, TAG,
			     b, half, MPI_DOUBLE, t->rank - 1, TAG, comm,
			     MPI_STATUS_IGNORE);
}

void bcast_by(int algorithm, double *buffer, int n, int segment, MPI_Comm comm)
{
	static const int kinds[] = { LINEAR, CHAIN,  PIPELINE,
				     BINARY, BINARY, BINOMIAL };
	struct tree *t = malloc(sizeof *t);

	make(t, kinds[algorithm], comm);
	if (algorithm == 3)
		split_binary(t, buffer, n, segment, comm);
	else /* linear is not cut */
		down(t, buffer, n, algorithm ? segment : 0, comm);
	free(t);
}

/* ---- reduction ---- */

static void sum(double *to, const double *more, int n)
{
	for (int i = 0; i < n; i++)
		to[i] += more[i];
#ifdef SMPI_H
	smpi_execute_flops(n);
#endif
}

/* Message k of all segments and children: the next one is on its way. */
static void receive(const struct tree *t, int k, int n, int each, double *into,
		    MPI_Comm comm, MPI_Request *r)
{
	MPI_Irecv(into, part(n, each, k / t->n), MPI_DOUBLE,
		  t->child[k % t->n], TAG, comm, r);
}

static void up(const struct tree *t, double *to, int n, int segment,
	       MPI_Comm comm)
{
	int segments, each = cut(n, segment, &segments), all = segments * t->n;
	double *two[2] = { malloc((size_t)each * sizeof **two),
			   malloc((size_t)each * sizeof **two) };
	MPI_Request next;

	if (all)
		receive(t, 0, n, each, two[0], comm, &next);
	for (int k = 0; k < segments; k++) {
		double *at = to + (size_t)k * (size_t)each;

		for (int c = 0; c < t->n; c++) {
			int m = k * t->n + c;

			MPI_Wait(&next, MPI_STATUS_IGNORE);
			if (m + 1 < all)
				receive(t, m + 1, n, each, two[(m + 1) % 2],
					comm, &next);
			sum(at, two[m % 2], part(n, each, k));
		}
		if (t->parent >= 0)
			MPI_Send(at, part(n, each, k), MPI_DOUBLE, t->parent,
				 TAG, comm);
	}
	free(two[0]);
	free(two[1]);
}

void reduce_by(int algorithm, const double *from, double *to, int n,
	       int segment, MPI_Comm comm)
{
	struct tree *t = malloc(sizeof *t);
	double *sums = algorithm == IN_ORDER
			       ? malloc((size_t)(n ? n : 1) * sizeof *sums)
			       : to;

	make(t, algorithm, comm);
	if (sums != from)
		memcpy(sums, from, (size_t)n * sizeof *sums);
	up(t, sums, n, algorithm ? segment : 0, comm);
	if (algorithm == IN_ORDER) { /* the last rank has it */
		int last = t->size - 1;

		if (t->rank == last && last)
			MPI_Send(sums, n, MPI_DOUBLE, 0, TAG, comm);
		else if (t->rank == last)
			memcpy(to, sums, (size_t)n * sizeof *sums);
		else if (!t->rank)
			MPI_Recv(to, n, MPI_DOUBLE, last, TAG, comm,
				 MPI_STATUS_IGNORE);
		free(sums);
	}
	free(t);
}
