/* See partners.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "hash_bits.h"
#include "lower_bound.h"
#include "action_collective.h"
#include "partners.h"
#include "sort.h"
#include "table.h"
#include "tool.h"

/* ---- pairs ---- */

struct pair {
	/* bytes to the higher and to the lower rank */
	double messages, up, down;
};

struct place_traffic {
	size_t ranks;
	struct tape_table pairs; /* lower rank << 32 | higher rank */
};

struct place_traffic *place_traffic_new(size_t ranks)
{
	struct place_traffic *g = tape_must(calloc(1, sizeof *g));

	g->ranks = ranks;
	g->pairs.bytes = sizeof(struct pair);
	return g;
}

void place_traffic_add(struct place_traffic *g, int from, int to,
		       double messages, double bytes)
{
	uint64_t low, high;
	struct pair *p;

	if (from < 0 || to < 0 || (size_t)from >= g->ranks ||
	    (size_t)to >= g->ranks || from == to)
		return;
	low = (uint64_t)(from < to ? from : to);
	high = (uint64_t)(from < to ? to : from);
	p = tape_must(tape_table_get(&g->pairs, low << 32 | high));
	p->messages += messages;
	*(from < to ? &p->up : &p->down) += bytes;
}

static int compare_partners(const void *a, const void *b)
{
	const struct place_partner *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void add_partner(struct place_pairs *p, size_t *end, uint64_t rank,
			uint64_t partner, const struct pair *one)
{
	p->partner[end[rank]++] = (struct place_partner){
	    (uint32_t)partner, one->messages, one->up + one->down,
	    rank < partner ? one->up : one->down};
}

void place_traffic_end(struct place_traffic *g, struct place_pairs *p)
{
	size_t at, n = g->ranks;
	size_t *end = tape_must(calloc(n + 1, sizeof *end));
	struct pair *one;
	uint64_t key;

	memset(p, 0, sizeof *p);
	p->ranks = n;
	p->first = tape_must(calloc(n + 1, sizeof *p->first));
	for (at = 0; (one = tape_table_each(&g->pairs, &at, &key));) {
		p->first[key >> 32]++;
		p->first[key & UINT32_MAX]++;
		p->messages += one->messages;
		p->bytes += one->up + one->down;
	}
	for (size_t i = 0, sum = 0; i <= n; i++) {
		size_t mine = i < n ? p->first[i] : 0;

		p->first[i] = end[i] = sum;
		sum += mine;
	}
	p->partner = tape_must(malloc((p->first[n] + 1) * sizeof *p->partner));
	for (at = 0; (one = tape_table_each(&g->pairs, &at, &key));) {
		add_partner(p, end, key >> 32, key & UINT32_MAX, one);
		add_partner(p, end, key & UINT32_MAX, key >> 32, one);
	}
	/* the order of results must not depend on the table */
	for (size_t i = 0; i < n; i++)
		tape_sort(p->partner + p->first[i], end[i] - p->first[i],
			  sizeof *p->partner, compare_partners);
	tape_table_free(&g->pairs);
	free(end);
	free(g);
}

void place_pairs_free(struct place_pairs *p)
{
	free(p->first);
	free(p->partner);
	memset(p, 0, sizeof *p);
}

/* ---- actions ---- */

/*
 * Repeated operations of a rank: collectives, and one-sided transfers. They are
 * counted first, since the members of communicators are complete only at the
 * end.
 */
struct repeated {
	int is; /* used */
	/* op from TAPE_DO_OPS on: a transfer, root is the target */
	int rank, op, root;
	uint32_t comm;
	uint64_t bytes;
	double times, back;
};

/* A member of a communicator. Needed for actions from files. */
struct membership {
	uint32_t comm;
	int32_t key;
	int rank;
};

struct reading {
	struct tape_actions *s;
	enum tape_coll_library library;
	struct place_traffic *g;
	struct tape_table repeated; /* by a hash of the equal fields */
	struct tape_table windows;  /* by window: number of its communicator */
	struct membership *made; /* sorted by communicator and key in the end */
	size_t n_made, made_room;
	int *ranks; /* world ranks of made, in its order */
	uint64_t unknown;
};

static int is_same_transfer(const struct repeated *a, const struct repeated *b)
{
	return a->rank == b->rank && a->op == b->op && a->root == b->root &&
	       a->comm == b->comm && a->bytes == b->bytes;
}

static void count_repeated(struct reading *r, const struct repeated *one)
{
	uint64_t key = (uint64_t)one->rank;
	struct repeated *o;

	key = tape_spread_bits(key << 5 ^ (uint64_t)one->op);
	key = (key ^ one->comm) * 0xc2b2ae3d27d4eb4fu;
	key = tape_spread_bits(key ^ (uint32_t)one->root);
	key = (key ^ one->bytes) * 0xc2b2ae3d27d4eb4fu;
	for (;; key++) {
		o = tape_must(tape_table_get(&r->repeated, key ? key : ++key));
		if (!o->is || is_same_transfer(o, one))
			break;
	}
	if (!o->is)
		*o = *one;
	o->is = 1;
	o->times++;
}

static void add_member(struct reading *r, int rank, const struct tape_action *a)
{
	r->made = tape_must(tape_grow_array(r->made, &r->made_room,
					    r->n_made + 1, sizeof *r->made));
	r->made[r->n_made++] = (struct membership){a->comm, a->key, rank};
}

static int compare_members(const void *a, const void *b)
{
	const struct membership *x = a, *y = b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void sort_members(struct reading *r)
{
	if (r->n_made)
		tape_sort(r->made, r->n_made, sizeof *r->made, compare_members);
	r->ranks = tape_must(malloc((r->n_made + 1) * sizeof *r->ranks));
	for (size_t i = 0; i < r->n_made; i++)
		r->ranks[i] = r->made[i].rank;
}

/*
 * World ranks of a communicator by number; NULL: the world, or (*size 0) not
 * known.
 */
static const int *find_members(const struct reading *r, uint32_t comm,
			       int *size)
{
	const int *known;
	size_t first, end;

	*size = (int)tape_actions_ranks(r->s);
	if (!comm)
		return NULL;
	known = tape_actions_members(r->s, comm, size);
	if (known)
		return known;
	TAPE_LOWER_BOUND(first, r->n_made, r->made[first].comm < comm);
	for (end = first; end < r->n_made && r->made[end].comm == comm; end++)
		;
	*size = (int)(end - first);
	return *size ? r->ranks + first : NULL;
}

static void read_action(struct reading *r, int rank,
			const struct tape_action *a)
{
	struct repeated one = {.rank = rank, .comm = a->comm};

	switch (a->kind) {
	case TAPE_ACTION_SEND:
	case TAPE_ACTION_SSEND:
	case TAPE_ACTION_ISEND:
	case TAPE_ACTION_ISSEND:
		place_traffic_add(r->g, rank, a->peer, 1, (double)a->bytes);
		break;
	case TAPE_ACTION_COLL:
	case TAPE_ACTION_ICOLL:
		one.op = (int)a->op;
		one.root = a->root;
		one.bytes = a->bytes > a->rbytes ? a->bytes : a->rbytes;
		if (a->op == TAPE_DO_REDUCE_SCATTER ||
		    a->op == TAPE_DO_ALLTOALLV)
			one.bytes = a->bytes;
		count_repeated(r, &one);
		break;
	case TAPE_ACTION_COMM:
		if (a->comm)
			add_member(r, rank, a);
		break;
	case TAPE_ACTION_WIN:
		*(uint64_t *)tape_must(tape_table_get(
		    &r->windows, (uint64_t)a->comm + 1)) = a->parent;
		break;
	case TAPE_ACTION_PUT:
	case TAPE_ACTION_GET:
	case TAPE_ACTION_ACCUMULATE:
		/* the request of a get has no bytes */
		one.op = TAPE_DO_OPS + (a->kind == TAPE_ACTION_GET);
		one.root = a->peer;
		one.bytes = a->bytes;
		count_repeated(r, &one);
		if (a->kind == TAPE_ACTION_ACCUMULATE && a->rbytes) {
			one.op = TAPE_DO_OPS + 1;
			one.bytes = a->rbytes;
			count_repeated(r, &one);
		}
		break;
	case TAPE_ACTION_INIT:
	case TAPE_ACTION_FINALIZE:
	case TAPE_ACTION_COMPUTE:
	case TAPE_ACTION_PACK:
	case TAPE_ACTION_SLEEP:
	case TAPE_ACTION_RECV:
	case TAPE_ACTION_IRECV:
	case TAPE_ACTION_PROBE:
	case TAPE_ACTION_WAIT:
	case TAPE_ACTION_COMM_FREE:
	case TAPE_ACTION_WIN_FREE:
	case TAPE_ACTION_FENCE:
	case TAPE_ACTION_LOCK:
	case TAPE_ACTION_UNLOCK:
	case TAPE_ACTION_FLUSH:
	case TAPE_ACTION_POST:
	case TAPE_ACTION_START:
	case TAPE_ACTION_COMPLETE:
	case TAPE_ACTION_WAIT_WIN:
	case TAPE_ACTION_KINDS:
		break;
	}
}

/* ---- collectives ---- */

struct expanding {
	struct place_traffic *g;
	const int *members; /* NULL: the world */
	double times;
};

static int member_rank(const struct expanding *x, int member)
{
	return x->members ? x->members[member] : member;
}

static void add_part_message(void *self, int from, int to, uint64_t bytes)
{
	const struct expanding *x = self;

	place_traffic_add(x->g, member_rank(x, from), member_rank(x, to),
			  x->times, (double)bytes * x->times);
}

static int has_root(int op)
{
	return op == TAPE_DO_BCAST || op == TAPE_DO_REDUCE ||
	       op == TAPE_DO_GATHER || op == TAPE_DO_SCATTER ||
	       op == TAPE_DO_GATHERV || op == TAPE_DO_SCATTERV;
}

/*
 * Adds the messages of the library's algorithm, or of Open MPI's if that is
 * unknown. Returns 0 if done.
 */
static int add_messages(struct expanding *x, struct tape_collective *c)
{
	uint64_t piece = 0;
	enum tape_coll_way way = tape_coll_choose(c, &piece);
	int rc;

	if (way == TAPE_COLL_UNKNOWN) {
		c->library = TAPE_COLL_OPEN_MPI;
		way = tape_coll_choose(c, &piece);
	}
	if (way == TAPE_COLL_UNKNOWN)
		return 1;
	/* more than 64 segments count as one message */
	if (piece && c->bytes / piece > 64)
		piece = 0;
	rc = tape_coll_messages(c, way, piece, add_part_message, x);
	if (rc < 0)
		tape_die_no_memory();
	return rc;
}

/*
 * Adds the traffic of a collective once, at the root or, without a root, at the
 * first member. For MPI_Alltoallv every member adds its own sends.
 */
static void add_collective(struct reading *r, const struct repeated *o)
{
	int size, speaks = 0;
	const int *members = find_members(r, o->comm, &size);
	struct expanding x = {r->g, members, o->times};
	struct tape_collective c = {.library = r->library,
				    .op = tape_action_collective[o->op],
				    .size = size,
				    .bytes = o->bytes};

	if (size < 1)
		return;
	if (o->op == TAPE_DO_ALLTOALLV) {
		for (int i = 0; i < size; i++)
			place_traffic_add(r->g, o->rank, member_rank(&x, i),
					  o->times,
					  (double)o->bytes * o->times / size);
		return;
	}
	if (has_root(o->op)) {
		if (o->root < 0 || o->root >= size)
			return;
		c.root = speaks = o->root;
	}
	if (member_rank(&x, speaks) != o->rank)
		return;
	if (o->op == TAPE_DO_BARRIER)
		c.bytes = 0;
	if (o->op == TAPE_DO_GATHERV || o->op == TAPE_DO_SCATTERV ||
	    o->op == TAPE_DO_ALLGATHERV) {
		c.vector = 1;
		c.bytes /= (uint64_t)size;
	}
	if (add_messages(&x, &c))
		r->unknown += (uint64_t)o->times;
}

/* Adds a transfer to or from a rank of a window. */
static void add_transfer(struct reading *r, const struct repeated *o)
{
	uint64_t *comm = tape_table_find(&r->windows, (uint64_t)o->comm + 1);
	int size = 0, target = o->root;
	const int *members =
	    comm ? find_members(r, (uint32_t)*comm, &size) : NULL;

	if (target < 0 || target >= size)
		return;
	if (members)
		target = members[target];
	if (o->op == TAPE_DO_OPS)
		place_traffic_add(r->g, o->rank, target, o->times,
				  (double)o->bytes * o->times);
	else
		place_traffic_add(r->g, target, o->rank, o->times,
				  (double)o->bytes * o->times);
}

void place_pairs_read(struct place_pairs *p, struct tape_actions *s,
		      enum tape_coll_library library)
{
	size_t ranks = tape_actions_ranks(s), at = 0;
	struct reading r = {.s = s,
			    .library = library,
			    .g = place_traffic_new(ranks),
			    .repeated = {.bytes = sizeof(struct repeated)},
			    .windows = {.bytes = sizeof(uint64_t)}};
	const struct tape_action *a;
	const struct repeated *o;
	uint64_t done = 0, key;
	int rc;

	for (size_t i = 0; i < ranks; i++) {
		while ((rc = tape_actions_next(s, (int)i, &a)) == 1) {
			read_action(&r, (int)i, a);
			if (!(++done & 0x3ffff))
				tape_progress(done, 0);
		}
		if (rc < 0)
			tape_die(TAPE_FAILED, "%s", tape_actions_error(s));
	}
	sort_members(&r);
	while ((o = tape_table_each(&r.repeated, &at, &key)))
		if (o->op >= TAPE_DO_OPS)
			add_transfer(&r, o);
		else
			add_collective(&r, o);
	tape_progress(done, 1);
	tape_table_free(&r.repeated);
	tape_table_free(&r.windows);
	free(r.made);
	free(r.ranks);
	place_traffic_end(r.g, p);
	p->unknown = r.unknown;
}
