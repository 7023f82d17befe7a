/*
 * SimGrid's algorithms (TAPE_COLL_SMPI_...) with 2 to 17 members: each has a
 * program, each send of it has its receive, and all members leave, whether
 * senders wait for receivers or not.
 */
#include "coll_exits.h"
#include "coll_program.h"
#include "member_steps.h"
#include "tap.h"

enum { FIRST = TAPE_COLL_SMPI_FLAT, LAST = TAPE_COLL_SMPI_SCAN, LARGEST = 17 };

/* Operations, as bits. */
#define BARRIER (1 << TAPE_COLL_BARRIER)
#define BCAST (1 << TAPE_COLL_BCAST)
#define SCATTER (1 << TAPE_COLL_SCATTER)
#define GATHER (1 << TAPE_COLL_GATHER)
#define REDUCE (1 << TAPE_COLL_REDUCE)
#define ALLGATHER (1 << TAPE_COLL_ALLGATHER)
#define ALLREDUCE (1 << TAPE_COLL_ALLREDUCE)
#define ALLTOALL (1 << TAPE_COLL_ALLTOALL)
#define PARTS (1 << TAPE_COLL_REDUCE_SCATTER)
#define SCAN (1 << TAPE_COLL_SCAN)

/* The operations that are done that way. */
static const int ops[TAPE_COLL_WAYS] = {
	[TAPE_COLL_SMPI_FLAT] = SCATTER | GATHER | REDUCE,
	[TAPE_COLL_SMPI_AT_ONCE] = BARRIER | BCAST | SCATTER | GATHER | REDUCE,
	[TAPE_COLL_SMPI_HEAVY] = GATHER,
	[TAPE_COLL_SMPI_BINOMIAL] = BARRIER | BCAST | SCATTER | GATHER,
	[TAPE_COLL_SMPI_KNOMIAL] = BCAST,
	[TAPE_COLL_SMPI_CHAIN_0] = BCAST,
	[TAPE_COLL_SMPI_BINARY_0] = BCAST,
	[TAPE_COLL_SMPI_PIPELINE] = BCAST,
	[TAPE_COLL_SMPI_SCATTERED] = BCAST,
	[TAPE_COLL_SMPI_CHAIN] = REDUCE,
	[TAPE_COLL_SMPI_CHAINS] = REDUCE,
	[TAPE_COLL_SMPI_LEVELS] = REDUCE,
	[TAPE_COLL_SMPI_IN_ORDER] = REDUCE,
	[TAPE_COLL_SMPI_SYNC] = GATHER,
	[TAPE_COLL_SMPI_LAST] = BARRIER,
	[TAPE_COLL_SMPI_DOUBLING] = ALLREDUCE,
	[TAPE_COLL_SMPI_RAB] = ALLREDUCE,
	[TAPE_COLL_SMPI_RING_SUM] = ALLREDUCE,
	[TAPE_COLL_SMPI_HALVING] = PARTS,
	[TAPE_COLL_SMPI_BUTTERFLY] = PARTS,
	[TAPE_COLL_SMPI_RING_PARTS] = PARTS,
	[TAPE_COLL_SMPI_TWO_FLAT] = PARTS,
	[TAPE_COLL_SMPI_REST] = ALLGATHER,
	[TAPE_COLL_SMPI_BRUCK] = BARRIER | ALLGATHER | ALLTOALL,
	[TAPE_COLL_SMPI_SHIFTS] = ALLGATHER,
	[TAPE_COLL_SMPI_XOR] = ALLGATHER | ALLTOALL,
	[TAPE_COLL_SMPI_NEIGHBOURS] = ALLGATHER,
	[TAPE_COLL_SMPI_RING] = ALLGATHER,
	[TAPE_COLL_SMPI_GATHER_0] = ALLGATHER,
	[TAPE_COLL_SMPI_REVERSE] = ALLTOALL,
	[TAPE_COLL_SMPI_UPWARDS] = ALLTOALL,
	[TAPE_COLL_SMPI_BY_PEER] = ALLGATHER | ALLREDUCE | PARTS,
	[TAPE_COLL_SMPI_SCAN] = SCAN
};

static const uint64_t sizes_bytes[] = { 0, 1, 8, 136, 5000, 200000 };
enum { SIZES = sizeof sizes_bytes / sizeof *sizes_bytes };

/* One side of a message, as its number says. */
struct side {
	int calls, waits, from, to;
};

/* Returns 1 if each message of p is sent once and received once, between the
 * same members, and each request is waited for once. */
static int is_paired(const struct tape_coll_program *p)
{
	struct side *sides = calloc(2 * p->n_messages + 1, sizeof *sides);
	int right = 1;

	if (!sides)
		abort();
	for (size_t i = 0; i < p->n_calls && right; i++) {
		const struct tape_coll_call *call = &p->calls[i];
		int sends = call->kind == TAPE_COLL_SEND ||
			    call->kind == TAPE_COLL_ISEND ||
			    call->kind == TAPE_COLL_WAIT_SEND;
		struct side *s = sides;

		right = call->message < p->n_messages;
		if (!right)
			break;
		s += 2 * call->message + (unsigned)sends;
		if (call->kind >= TAPE_COLL_WAIT_SEND) {
			s->waits++;
			continue;
		}
		s->calls++;
		s->waits += call->kind == TAPE_COLL_SEND ||
			    call->kind == TAPE_COLL_RECV;
		s->from = sends ? call->member : call->peer;
		s->to = sends ? call->peer : call->member;
		right = s->from != s->to;
	}
	for (size_t m = 0; m < p->n_messages && right; m++) {
		const struct side *r = &sides[2 * m], *s = r + 1;

		right = s->calls == 1 && r->calls == 1 && s->waits == 1 &&
			r->waits == 1 && s->from == r->from && s->to == r->to;
	}
	free(sides);
	return right;
}

/* Returns 1 if each member leaves, and not before it enters. */
static int all_leave(const struct tape_coll_program *p, uint64_t eager_bytes)
{
	double entry[MOST], leave[MOST];
	int left = 0;

	make_up(p->size, entry);
	eager = eager_bytes;
	if (tape_coll_program_exits(p, &cost, entry, leave))
		return 0;
	for (int v = 0; v < p->size; v++)
		left += leave[v] >= entry[v] && isfinite(leave[v]);
	return left == p->size;
}

static int is_right(const struct tape_collective *c, enum tape_coll_way way,
		    uint64_t segment)
{
	struct tape_coll_program p;
	int rc = tape_coll_program_make(c, way, segment, &p);
	int right = !rc && is_paired(&p) && all_leave(&p, UINT64_MAX) &&
		    all_leave(&p, 0);

	if (!right)
		printf("# way %d, operation %d, size %d, root %d, %llu bytes, "
		       "pieces of %llu: %d\n", (int)way, (int)c->op, c->size,
		       c->root, (unsigned long long)c->bytes,
		       (unsigned long long)segment, rc);
	tape_coll_program_free(&p);
	return right;
}

/* All sizes of an operation: the root is the first, and any one. */
static void try_operation(enum tape_coll_way way, enum tape_coll_op op)
{
	int tried = 0, wrong = 0;

	for (int n = 2; n <= LARGEST; n++)
		for (int i = 0; i < 4 * SIZES; i++) {
			struct tape_collective c = {
				.library = TAPE_COLL_SMPI, .op = op, .size = n,
				.bytes = sizes_bytes[i / 4] };

			if (way == TAPE_COLL_SMPI_XOR && (n & (n - 1)))
				continue;
			if (op == TAPE_COLL_BCAST || op == TAPE_COLL_SCATTER ||
			    op == TAPE_COLL_GATHER || op == TAPE_COLL_REDUCE)
				c.root = i % 2 ? (int)(n * chance()) : 0;
			wrong += !is_right(&c, way, i % 4 < 2 ? 0 : 1024);
			tried++;
		}
	ok(tried && !wrong, "way %d, operation %d: %d runs, %d wrong", (int)way,
	   (int)op, tried, wrong);
}

int main(int argc, char **argv)
{
	unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	printf("# seed %llu\n", seed);
	state = seed * 1000003;
	per_byte = 0.125;
	take_ns = 40;
	for (int way = FIRST; way <= LAST; way++) {
		if (!ops[way])
			ok(0, "way %d has operations", way);
		for (int op = 0; op < TAPE_COLL_OPS; op++)
			if (ops[way] & 1 << op)
				try_operation((enum tape_coll_way)way,
					      (enum tape_coll_op)op);
	}
	return done();
}
