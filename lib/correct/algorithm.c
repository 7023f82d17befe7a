/*
 * Collectives by the library's algorithm; see coll.h: which calls
 * have a table, what it says of the exits of a round, and what a round says of
 * how long messages take.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coll_exits.h"
#include "coll.h"
#include "engine_parts.h"
#include "tool.h"

int engine_coll_library(const struct tape_trace *t)
{
	/* words of meta have no spaces (trace-format) */
	static const char open_mpi[] = "Open%20MPI%20v4.1.";
	const char *name = tape_trace_meta(t, "library", 0);

	if (name && !strncmp(name, open_mpi, strlen(open_mpi)))
		return TAPE_COLL_OPEN_MPI;
	if (name && !strcmp(name, "SMPI"))
		return TAPE_COLL_SMPI;
	return -1;
}

/* enum tape_coll_op, or -1: no table says how it is done. */
static int find_coll_op(unsigned call)
{
	static const struct {
		enum tape_call call;
		enum tape_coll_op op;
	} known[] = {
		{ TAPE_CALL_MPI_Barrier, TAPE_COLL_BARRIER },
		{ TAPE_CALL_MPI_Bcast, TAPE_COLL_BCAST },
		{ TAPE_CALL_MPI_Scatter, TAPE_COLL_SCATTER },
		{ TAPE_CALL_MPI_Gather, TAPE_COLL_GATHER },
		{ TAPE_CALL_MPI_Reduce, TAPE_COLL_REDUCE },
		{ TAPE_CALL_MPI_Allgather, TAPE_COLL_ALLGATHER },
		{ TAPE_CALL_MPI_Allreduce, TAPE_COLL_ALLREDUCE },
		{ TAPE_CALL_MPI_Alltoall, TAPE_COLL_ALLTOALL },
		{ TAPE_CALL_MPI_Reduce_scatter, TAPE_COLL_REDUCE_SCATTER },
		{ TAPE_CALL_MPI_Scan, TAPE_COLL_SCAN },
		{ TAPE_CALL_MPI_Exscan, TAPE_COLL_SCAN },
	};
	unsigned base = tape_call_base(call);

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].call == base)
			return (int)known[i].op;
	return -1;
}

/* How many bytes each member, or all, sends in the collective of e. */
static uint64_t collective_bytes(const struct tape_event *e, int size)
{
	const struct tape_coll *u = &e->u.coll;
	uint64_t most = u->bytes > u->rbytes ? u->bytes : u->rbytes;
	int op = e->class_ == TAPE_CLASS_COLL ? find_coll_op(e->call) : -1;

	if (op < 0)
		return 0;
	switch ((enum tape_coll_op)op) {
	case TAPE_COLL_BARRIER:
		return 0;
	case TAPE_COLL_SCATTER:
		return u->rbytes;
	case TAPE_COLL_ALLGATHER:
		return u->rbytes / (uint64_t)size;
	case TAPE_COLL_ALLTOALL:
		return most / (uint64_t)size;
	case TAPE_COLL_BCAST:
		return most;
	case TAPE_COLL_GATHER:
	case TAPE_COLL_REDUCE:
	case TAPE_COLL_ALLREDUCE:
	case TAPE_COLL_REDUCE_SCATTER:
	case TAPE_COLL_SCAN:
	case TAPE_COLL_OPS:
		break;
	}
	return u->bytes;
}

int engine_entry_bytes(const struct flow *f, int size, uint64_t *bytes)
{
	*bytes = collective_bytes(f->e, size);
	return f->e->class_ == TAPE_CLASS_COLL;
}

void engine_add_table_entry(struct tape_round *q, int rank, int64_t end_ns,
			    uint64_t bytes)
{
	struct collective_state *m = collective_state(q);

	if (rank < 0 || rank >= q->size)
		return;
	m->has_exits = 1;
	/* as measured, until the round is solved */
	member_state(q, rank)->exit.p = (double)(end_ns - q->base_ns);
	/* some calls have it at the root only, or where it is not in place */
	if (bytes > m->bytes)
		m->bytes = bytes;
}

/* What is collective in op, of q's bytes so far; 0: no such thing. */
static int describe_collective(const struct engine *g, const struct tape_op *op,
			       const struct tape_round *q,
			       struct tape_collective *c)
{
	int what = find_coll_op(op->r->call);

	/* nonblocking ones are not done as these are */
	if (g->library < 0 || what < 0 || op->r->number ||
	    collective_state(q)->weak || q->known < q->size ||
	    op->r->root >= q->size)
		return 0;
	*c = (struct tape_collective){.library =
					  (enum tape_coll_library)g->library,
				      .op = (enum tape_coll_op)what,
				      .size = q->size,
				      .root = op->r->root < 0 ? 0 : op->r->root,
				      .bytes = collective_state(q)->bytes};
	return op->r->shape == TAPE_SHAPE_ALL ||
	       op->r->shape == TAPE_SHAPE_SCAN || op->r->root >= 0;
}

int engine_has_table(const struct engine *g, const struct tape_op *op,
		     const struct tape_round *q)
{
	struct tape_collective c;
	uint64_t piece;

	return describe_collective(g, op, q, &c) &&
	       tape_coll_choose(&c, &piece) != TAPE_COLL_UNKNOWN;
}

/* Who the members are to the communication model. */
struct members {
	const struct engine *g;
	const int *world; /* their ranks */
	double share;     /* of the model's times: 1, or less */
};

static struct tape_parcel member_parcel(const struct members *m, int from,
					int to, uint64_t bytes)
{
	return (struct tape_parcel){
		.bytes = bytes,
		.distance = engine_distance(m->g, m->world[from],
					    m->world[to]) };
}

static double member_transit(const void *of, int from, int to, uint64_t bytes,
			     int *together)
{
	const struct members *m = of;
	struct tape_parcel x = member_parcel(m, from, to, bytes);

	x.rendezvous = bytes > m->g->eager->bytes[x.distance];
	*together = x.rendezvous;
	return m->share * tape_comm_transit(m->g->model, &x);
}

static double member_overhead(const void *of, int from, int to, uint64_t bytes)
{
	const struct members *m = of;
	struct tape_parcel x = member_parcel(m, from, to, bytes);

	return m->share * tape_comm_dc(m->g->model, &x);
}

/* A round, as its table sees it. */
struct table {
	struct tape_collective c;
	enum tape_coll_way way;
	uint64_t piece;
	struct members m;
};

/* Exits of the table's model; of the entries as measured, or approximated. */
static int compute_exits(const struct table *t, const struct tape_round *q,
			 int approximated, double *at)
{
	struct tape_coll_cost cost = {member_transit, member_overhead, &t->m,
				      NULL};

	for (int i = 0; i < q->size; i++)
		at[i] = (double)(q->start_ns[i] - q->base_ns) -
			(approximated ? member_state(q, i)->p.p : 0);
	return tape_coll_exits(&t->c, t->way, t->piece, &cost, at, at);
}

/* Returns 1 if a member leaves later than measured. */
static int exits_are_late(const struct table *t, const struct tape_round *q,
			  const double *at)
{
	/* dates are whole ns, and clocks may disagree */
	double slack = t->m.g->slack + 1;

	for (int i = 0; i < q->size; i++)
		if (at[i] > member_state(q, i)->exit.p + slack)
			return 1;
	return 0;
}

/*
 * The model's times are cut so that nobody leaves later than was measured: to
 * the largest 32nd part that does, as a message's transit is to what was seen.
 */
static int scale_times(struct table *t, const struct tape_round *q, double *at)
{
	double low = 0, high = 1;
	int rc = compute_exits(t, q, 0, at);

	if (rc || !exits_are_late(t, q, at))
		return rc;
	while (high - low > 1.0 / 32 && !rc) {
		t->m.share = (low + high) / 2;
		rc = compute_exits(t, q, 0, at);
		if (exits_are_late(t, q, at))
			high = t->m.share;
		else
			low = t->m.share;
	}
	t->m.share = low;
	return rc ? rc : compute_exits(t, q, 0, at);
}

/*
 * Exits follow from entries by maxima and sums, whatever the algorithm and
 * the times of its messages: so none is moved by less than the entry that is
 * moved least, nor by more than the one that is moved most. Where all wait for
 * all, the data of a member reaches all members within twice the time after,
 * ns, in which what the last one told did: half of the way may be one from a
 * leaf of a tree to its root. Where messages have a greatest transit, it does
 * within 2 n of them, of all blocks. Who entered earlier than that decided
 * nothing.
 */
static void bound_exits(const struct engine *g, const struct tape_op *op,
			double after, struct tape_round *q)
{
	double lo = INFINITY, hi = -INFINITY, n = q->size, path = INFINITY;

	if (op->r->shape == TAPE_SHAPE_ALL)
		path =
		    tape_min(2 * n *
				     (g->how->longest_ns +
				      g->how->longest_rate * n *
					  (double)collective_state(q)->bytes) +
				 g->slack,
			     2 * (after + g->slack));
	for (int i = 0; i < q->size; i++) {
		double early = (double)(q->latest_ns - q->start_ns[i]) - path;

		lo =
		    tape_min(lo, member_state(q, i)->p.lo + tape_max(early, 0));
		hi = tape_max(hi, member_state(q, i)->p.hi);
	}
	for (int i = 0; i < q->size; i++) {
		member_state(q, i)->exit.lo = lo;
		member_state(q, i)->exit.hi = hi;
	}
}

static int solve_round(struct table *t, const struct tape_op *op,
		       struct tape_round *q)
{
	int n = q->size;
	double *at = malloc(2 * (size_t)n * sizeof *at);
	int rc = at ? scale_times(t, q, at) : TAPE_ENOMEM;
	double after = 0, last = (double)(q->latest_ns - q->base_ns);

	for (int i = 0; i < n; i++)
		after = tape_max(after, member_state(q, i)->exit.p - last);
	/* it was not done so, whatever messages take */
	if (!rc && exits_are_late(t, q, at))
		rc = 1;
	rc = rc ? rc : compute_exits(t, q, 1, at + n);
	for (int i = 0; i < n && !rc; i++)
		member_state(q, i)->exit.p = at[i] - at[n + i];
	if (!rc)
		bound_exits(t->m.g, op, after, q);
	free(at);
	return rc;
}

int engine_solve_round(struct engine *g, const struct flow *f,
		       const struct tape_op *op, struct tape_round *q)
{
	const struct tape_comm_info *comm =
		&tape_trace_rank(g->t, f->rank)->comms[op->r->comm];
	struct table t = { .m = { g, comm->members, 1 } };
	int rc;

	/* nothing says that a trace's ranks agree on a communicator's size */
	if (op->r->size != q->size)
		return 0;
	if (collective_state(q)->solved)
		return collective_state(q)->solved > 0;
	if (q->entered < q->size || comm->side >= 0 ||
	    !collective_state(q)->has_exits || !engine_has_table(g, op, q) ||
	    !describe_collective(g, op, q, &t.c))
		return 0;
	t.way = tape_coll_choose(&t.c, &t.piece);
	rc = solve_round(&t, op, q);
	if (rc < 0)
		tape_die_no_memory();
	collective_state(q)->solved = rc ? -1 : 1;
	return !rc;
}

/* ---- what a round tells of the transit ---- */

/* All messages of a round take the same time, if they are alike. */
struct attempt {
	struct members m;
	double ns;
	uint64_t bytes;
	enum tape_distance distance;
	int any, differ;
};

static double trial_transit(const void *of, int from, int to, uint64_t bytes,
			    int *together)
{
	struct attempt *x = *(struct attempt *const *)of;
	struct tape_parcel one = member_parcel(&x->m, from, to, bytes);

	(void)together;
	x->differ |=
	    x->any && (bytes != x->bytes || tape_transport(one.distance) !=
						tape_transport(x->distance));
	x->differ |= bytes > x->m.g->eager->bytes[one.distance];
	/* of several distances of a transport it tells of the widest */
	if (!x->any || one.distance > x->distance)
		x->distance = one.distance;
	x->any = 1;
	x->bytes = bytes;
	return x->ns;
}

static double zero_overhead(const void *of, int from, int to, uint64_t bytes)
{
	(void)of, (void)from, (void)to, (void)bytes;
	return 0;
}

/* How long before its exit a member would leave; the least of all. */
static double least_slack(struct attempt *x, const struct tape_collective *c,
			  const struct tape_round *q, double ns, int *who)
{
	struct attempt *const of = x;
	struct tape_coll_cost cost = {trial_transit, zero_overhead, &of, NULL};
	double *at = malloc((size_t)q->size * sizeof *at), least = INFINITY;
	uint64_t piece;
	enum tape_coll_way way = tape_coll_choose(c, &piece);

	if (!at)
		tape_die_no_memory();
	x->ns = ns;
	for (int i = 0; i < q->size; i++)
		at[i] = (double)(q->start_ns[i] - q->base_ns);
	if (tape_coll_exits(c, way, piece, &cost, at, at))
		x->differ = 1;
	for (int i = 0; i < q->size && !x->differ; i++)
		if (member_state(q, i)->exit.p - at[i] < least) {
			least = member_state(q, i)->exit.p - at[i];
			*who = i;
		}
	free(at);
	return least;
}

/*
 * The longest transit with which nobody would leave later than it did. Who
 * leaves just then had waited for a message if it was there before that one
 * can have gone.
 */
static int learn_transit(struct engine *g, const struct tape_round *q,
			 const struct tape_collective *c,
			 const struct tape_comm_info *comm,
			 struct tape_parcel *parcel, double *ns)
{
	struct attempt x = { .m = { g, comm->members, 1 } };
	double low = 0, high = 0, began;
	int who = 0;

	for (int i = 0; i < q->size; i++)
		high = fmax(high, member_state(q, i)->exit.p);
	if (least_slack(&x, c, q, 0, &who) < 0 || x.differ || !x.any)
		return 0;
	/* to a thousandth of a nanosecond, or of the smallest double */
	for (int k = 0; k < 60 && high - low > 1e-3; k++) {
		double middle = (low + high) / 2;

		if (least_slack(&x, c, q, middle, &who) < 0)
			high = middle;
		else
			low = middle;
	}
	least_slack(&x, c, q, high, &who);
	began = (double)(q->start_ns[who] - q->base_ns);
	*parcel = (struct tape_parcel){ .bytes = x.bytes,
					.distance = x.distance };
	*ns = low;
	return member_state(q, who)->exit.p - began >= low;
}

int engine_round_size(struct engine *g, const struct flow *f,
		      const struct tape_op *op, const struct tape_round *q,
		      uint64_t *bytes)
{
	const struct tape_comm_info *comm =
		&tape_trace_rank(g->t, f->rank)->comms[op->r->comm];
	struct tape_collective c;

	*bytes = collective_state(q)->bytes;
	return comm->side < 0 && engine_has_table(g, op, q) &&
	       describe_collective(g, op, q, &c) && q->left + 1 >= q->known &&
	       q->entered >= q->size && collective_state(q)->has_exits;
}

int engine_round_transit(struct engine *g, const struct flow *f,
			 const struct tape_op *op, const struct tape_round *q,
			 struct tape_parcel *parcel, double *ns)
{
	const struct tape_comm_info *comm =
		&tape_trace_rank(g->t, f->rank)->comms[op->r->comm];
	struct tape_collective c;

	return describe_collective(g, op, q, &c) &&
	       learn_transit(g, q, &c, comm, parcel, ns);
}
