/*
 * Collectives as Open MPI 4.1 does them among up to six members, for vectors
 * and blocks of less than 100 bytes; see des.h. Each member has a list of what
 * it does; a member goes on until a message is missing.
 */
#include <stdlib.h>
#include <string.h>

#include "des.h"
#include "tape_ids.h"

enum { ACTIONS = 16 };

enum what { SEND, RECV, RECV_ALL };

struct action {
	enum what what;
	int other;
	int64_t bytes;
};

struct play {
	const struct des_program *p;
	const int *world; /* ranks of its members */
	int n, root;
	struct {
		struct action list[ACTIONS];
		int n, at;
		int64_t now;
	} member[DES_RANKS];
	/* times at which messages were sent, and their number */
	int64_t sent[DES_RANKS][DES_RANKS][ACTIONS];
	int64_t bytes[DES_RANKS][DES_RANKS][ACTIONS];
	int sends[DES_RANKS][DES_RANKS], recvs[DES_RANKS][DES_RANKS];
};

/* Members are counted from the root. */
static void put(struct play *x, int v, enum what what, int u, int64_t bytes)
{
	int me = (v + x->root) % x->n;
	struct action *a = &x->member[me].list[x->member[me].n++];

	if (x->member[me].n > ACTIONS)
		abort();
	a->what = what;
	a->other = (u + x->root) % x->n;
	a->bytes = bytes;
}

/* Whose child each is; the trees of two to six members begin alike. */
static const int flat[] = { -1, 0, 0, 0, 0, 0 };
static const int chain[] = { -1, 0, 1, 2, 3, 4 };
static const int levels[] = { -1, 0, 0, 1, 2, 1 };
static const int binomial[] = { -1, 0, 0, 1, 0, 1 };
static const int in_order[] = { -1, 0, 0, 2, 0, 4 };

static int blocks(const struct play *x, const int *parent, int v)
{
	int sum = 1;

	for (int u = v + 1; u < x->n; u++)
		sum += parent[u] == v ? blocks(x, parent, u) : 0;
	return sum;
}

static void down(struct play *x, const int *parent, int64_t bytes, int block)
{
	for (int v = 0; v < x->n; v++) {
		if (v)
			put(x, v, RECV, parent[v], 0);
		for (int u = v + 1; u < x->n; u++)
			if (parent[u] == v)
				put(x, v, SEND, u, bytes *
				    (block ? blocks(x, parent, u) : 1));
	}
}

static void up(struct play *x, const int *parent, int64_t bytes, int block)
{
	for (int v = 0; v < x->n; v++) {
		for (int u = v + 1; u < x->n; u++)
			if (parent[u] == v)
				put(x, v, RECV, u, 0);
		if (v)
			put(x, v, SEND, parent[v], bytes *
			    (block ? blocks(x, parent, v) : 1));
	}
}

/* To the root only; it receives by number, backwards in a reduction. */
static void flat_up(struct play *x, int64_t bytes, int back)
{
	for (int v = 1; v < x->n; v++)
		put(x, v, SEND, 0, bytes);
	for (int i = 0; i < x->n; i++) {
		int me = back ? x->n - 1 - i : i;

		if (me != x->root)
			put(x, 0, RECV, (me - x->root + x->n) % x->n, 0);
	}
}

static void swap(struct play *x, int v, int u, int64_t bytes)
{
	put(x, v, SEND, u, bytes);
	put(x, v, RECV, u, 0);
}

static void barrier(struct play *x)
{
	if (x->n >= 4) {
		for (int v = 1; v < x->n; v++)
			put(x, v, SEND, 0, 0);
		put(x, 0, RECV_ALL, 0, 0);
		down(x, flat, 0, 0);
		return;
	}
	/* of three, the last sends to the first, which answers */
	if (x->n == 3) {
		swap(x, 2, 0, 0);
		put(x, 0, RECV, 2, 0);
	}
	swap(x, 0, 1, 0);
	swap(x, 1, 0, 0);
	if (x->n == 3)
		put(x, 0, SEND, 2, 0);
}

/* Of 3, 5 and 6 the even members of the first pairs sit out. */
static void allreduce(struct play *x, int64_t bytes)
{
	static const int core[][4] = { { 0, 0, 0, 0 }, { 0, 0, 0, 0 },
				       { 0, 1, 0, 0 }, { 1, 2, 0, 0 },
				       { 0, 1, 2, 3 }, { 1, 2, 3, 4 },
				       { 1, 3, 4, 5 } };
	int size = x->n >= 4 ? 4 : 2, extra = x->n - size;

	for (int i = 0; i < extra; i++) {
		put(x, 2 * i, SEND, 2 * i + 1, bytes);
		put(x, 2 * i + 1, RECV, 2 * i, 0);
	}
	for (int d = 1; d < size; d *= 2)
		for (int v = 0; v < size; v++)
			swap(x, core[x->n][v], core[x->n][v ^ d], bytes);
	for (int i = 0; i < extra; i++) {
		put(x, 2 * i + 1, SEND, 2 * i, bytes);
		put(x, 2 * i, RECV, 2 * i + 1, 0);
	}
}

static void alltoall(struct play *x, int64_t bytes)
{
	for (int v = 0; v < x->n; v++) {
		for (int u = 0; u < x->n; u++)
			if (u != v)
				put(x, v, SEND, u, bytes);
		put(x, v, RECV_ALL, 0, 0);
	}
}

/* Each member's actions; 0 if Open MPI's algorithm is not implemented here. */
static int programs(struct play *x, const struct des_collective *c)
{
	int few = x->n < 4;
	int64_t b = c->bytes;

	switch (c->call) {
	case TAPE_CALL_MPI_Barrier:
		barrier(x);
		break;
	case TAPE_CALL_MPI_Bcast:
		down(x, few ? (b < 32 ? chain : levels)
			    : (b < 64 ? levels : binomial), b, 0);
		break;
	case TAPE_CALL_MPI_Scatter:
		down(x, few ? flat : in_order, b, 1);
		break;
	case TAPE_CALL_MPI_Gather:
		if (few && b < 2)
			return 0;
		if (few && b < 4)
			flat_up(x, b, 0);
		else
			up(x, in_order, b, 1);
		break;
	case TAPE_CALL_MPI_Reduce:
		if (few && (b < 8 || b >= 32))
			flat_up(x, b, 1);
		else
			up(x, few && b >= 16 ? chain : levels, b, 0);
		break;
	case TAPE_CALL_MPI_Allreduce:
		allreduce(x, b);
		break;
	case TAPE_CALL_MPI_Alltoall:
		alltoall(x, b);
		break;
	case TAPE_CALL_MPI_Scan:
		down(x, chain, b, 0);
		break;
	default:
		return 0;
	}
	return 1;
}

static int64_t there(const struct play *x, int from, int to, int i)
{
	return x->sent[from][to][i] + des_transit(x->p, x->world[from],
						  x->world[to],
						  x->bytes[from][to][i]);
}

static void take(struct play *x, int me, int from)
{
	int i = x->recvs[from][me]++;
	int64_t at = there(x, from, me, i), *now = &x->member[me].now;

	*now = (*now > at ? *now : at) +
	       x->p->dc[des_size_class(x->bytes[from][me][i])];
}

/* From each other, in the order of arrival. */
static int take_all(struct play *x, int me)
{
	int done[DES_RANKS] = { 0 };

	for (int v = 0; v < x->n; v++)
		if (v != me && x->sends[v][me] <= x->recvs[v][me])
			return 0;
	for (int k = 1; k < x->n; k++) {
		int first = -1;

		for (int v = 0; v < x->n; v++)
			if (v != me && !done[v] &&
			    (first < 0 ||
			     there(x, v, me, x->recvs[v][me]) <
				     there(x, first, me, x->recvs[first][me])))
				first = v;
		done[first] = 1;
		take(x, me, first);
	}
	return 1;
}

static int act(struct play *x, int me)
{
	const struct action *a = &x->member[me].list[x->member[me].at];
	int i;

	switch (a->what) {
	case SEND:
		i = x->sends[me][a->other]++;
		x->sent[me][a->other][i] = x->member[me].now;
		x->bytes[me][a->other][i] = a->bytes;
		break;
	case RECV:
		if (x->sends[a->other][me] <= x->recvs[a->other][me])
			return 0;
		take(x, me, a->other);
		break;
	case RECV_ALL:
		if (!take_all(x, me))
			return 0;
		break;
	}
	x->member[me].at++;
	return 1;
}

int des_by_algorithm(const struct des_program *p,
		     const struct des_collective *c)
{
	struct play x = { .p = p, .n = p->comm[c->comm].size };

	return p->algorithms && c->comm != DES_INTER && x.n > 1 &&
	       programs(&x, c);
}

int64_t des_leave(const struct des_program *p, const struct des_collective *c,
		  enum des_runs run, int me)
{
	struct play x = {.p = p,
			 .world = p->comm[c->comm].member,
			 .n = p->comm[c->comm].size,
			 .root = c->root};
	int moved = 1;

	programs(&x, c);
	for (int v = 0; v < x.n; v++)
		x.member[v].now = c->entry[run][v];
	while (moved) {
		moved = 0;
		for (int v = 0; v < x.n; v++)
			while (c->entry[run][v] != DES_UNKNOWN &&
			       x.member[v].at < x.member[v].n && act(&x, v))
				moved = 1;
	}
	return x.member[me].at < x.member[me].n ? DES_UNKNOWN
						: x.member[me].now;
}
