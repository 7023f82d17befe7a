/* Runs of programs without races as text; see mixed_text.h. */
#include <inttypes.h>

#include "mixed_text.h"
#include "tape_ids.h"

static const struct mixed_call {
	const char *class_;
	int call;
	const char *name;
} calls[] = {
    {"local", TAPE_CALL_MPI_Type_size, "MPI_Type_size"},
    {"send", TAPE_CALL_MPI_Send, "MPI_Send"},
    {"recv", TAPE_CALL_MPI_Recv, "MPI_Recv"},
    {"coll", TAPE_CALL_MPI_Barrier, "MPI_Barrier"},
    {"coll", TAPE_CALL_MPI_Bcast, "MPI_Bcast"},
    {"coll", TAPE_CALL_MPI_Reduce, "MPI_Reduce"},
    {"coll", TAPE_CALL_MPI_Alltoallv, "MPI_Alltoallv"},
    {"coll", TAPE_CALL_MPI_Reduce_scatter, "MPI_Reduce_scatter"},
    {"coll", TAPE_CALL_MPI_Gatherv, "MPI_Gatherv"},
    {"coll", TAPE_CALL_MPI_Scatterv, "MPI_Scatterv"},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* The number of the rank in the communicator. */
static int member_of(const struct mixed_program *p, int comm, int rank)
{
	return __builtin_popcount(p->members[comm] & ((1u << rank) - 1));
}

static void put_comms(FILE *f, const struct mixed_program *p, int rank)
{
	for (int c = 0; c < p->comms; c++) {
		if (!(p->members[c] >> rank & 1))
			continue;
		fprintf(f, "\tcomm %d %x %d %d comm%d\n", c + 1,
			c ? 0x1000 + c : 1, __builtin_popcount(p->members[c]),
			member_of(p, c, rank), c);
		if (!c)
			continue;
		fprintf(f, "\tgroup %d", c + 1);
		for (int r = 0; r < p->ranks; r++)
			if (p->members[c] >> r & 1)
				fprintf(f, " %d", r);
		fputc('\n', f);
	}
}

static void put_rank(FILE *f, const struct mixed_program *p, int rank)
{
	const struct mixed_costs *c = &p->costs[rank];

	fprintf(f, "rank %d\n\ttape-rank 1\n\trank %d\n\thost h\n\tpid %d\n"
		   "\tdomain 0\n\talpha done 0 0\n", rank, rank, rank + 1);
	put_comms(f, p, rank);
	for (int i = 0; i < CALLS; i++) {
		fprintf(f, "\tsite %d %d %d mixed.c main\n", i + 1,
			calls[i].call, 10 + i);
		if (i > 3)
			continue; /* of one class */
		fprintf(f, "\talpha %s %" PRId64 " %" PRId64, calls[i].class_,
			c->before, c->after);
		if (c->less || c->more)
			fprintf(f, " %" PRId64 " %" PRId64,
				c->before + c->after - c->less,
				c->before + c->after + c->more);
		fputc('\n', f);
	}
}

static void put_call(FILE *f, const struct mixed_event *e, int call)
{
	fprintf(f, "\t%" PRId64 " +%" PRId64 " %s @%d", e->start,
		e->end - e->start, calls[call].name, call + 1);
}

/* The tag tells the flows of a message. */
static void put_message(FILE *f, const struct mixed_event *e)
{
	const struct mixed_op *o = e->op;
	int receives = e->kind == MIXED_RECV || e->kind == MIXED_RECEIVES;
	int sender = e->kind == MIXED_RECV ? o->other : o->flow;
	int receiver = e->kind == MIXED_RECV ? o->flow : o->other;
	int tag = sender * MIXED_FLOWS + receiver;

	put_call(f, e, receives ? 2 : 1);
	fprintf(f, " peer=%d tag=%d",
		(receives ? sender : receiver) / MIXED_SLOTS, tag);
	if (receives)
		fprintf(f, " actual_peer=%d actual_tag=%d arrived=%d probe=0",
			sender / MIXED_SLOTS, tag, e->arrived);
	fprintf(f, " comm=1 bytes=%" PRId64 "\n", o->bytes);
}

/* The bytes that a rank sends (0) and receives (1) in a collective. */
static int64_t count_bytes(const struct mixed_op *o, int rank, int receives)
{
	int n = 0;

	if (o->kind != MIXED_SOME)
		return o->kind == MIXED_ALL ? 0 : o->bytes;
	if (receives)
		return o->bytes * __builtin_popcount(o->awaited[rank]);
	for (int r = 0; r < MIXED_RANKS; r++)
		n += (int)(o->awaited[r] >> rank & 1);
	return o->bytes * n;
}

static void put_collective(FILE *f, const struct mixed_program *p,
			   const struct mixed_event *e, int rank)
{
	const struct mixed_op *o = e->op;
	int call = o->kind == MIXED_SOME ? 6 + o->call
					 : 3 + (int)o->kind - MIXED_ALL;
	int has_root = o->kind == MIXED_SOME ? o->call >= MIXED_GATHERV
					     : o->kind != MIXED_ALL;

	put_call(f, e, call);
	fprintf(f, " root=%d bytes=%" PRId64 " rbytes=%" PRId64 " comm=%d\n",
		has_root ? member_of(p, o->comm, o->other / MIXED_SLOTS) : -1,
		count_bytes(o, rank, 0), count_bytes(o, rank, 1), o->comm + 1);
}

static void put_step(FILE *f, const struct mixed_event *e)
{
	fprintf(f, "\t%" PRId64 " +0 pthread step=%d which=%" PRIu64
		   " alpha=%" PRId64 ":%" PRId64 "\n", e->start,
		e->kind - MIXED_STEP, e->which, e->before, e->after);
}

/* What is only counted, at the end of the flow. */
static void put_counted(FILE *f, const struct mixed_program *p, int flow,
			int64_t end)
{
	int n = 0;

	for (int i = 0; i < p->ops; i++)
		n += p->op[i].kind == MIXED_COUNTED && p->op[i].flow == flow;
	if (n)
		fprintf(f, "\t%" PRId64 " +0 counted site=1 region=0 rate=0 "
			   "calls=%d ticks=0\n", end, n);
}

static void put_event(FILE *f, const struct mixed_program *p, int flow,
		      const struct mixed_event *e)
{
	switch (e->kind) {
	case MIXED_LOCAL:
		put_call(f, e, 0);
		fputc('\n', f);
		break;
	case MIXED_SEND:
	case MIXED_RECV:
	case MIXED_RENDEZVOUS:
	case MIXED_RECEIVES:
		put_message(f, e);
		break;
	case MIXED_ALL:
	case MIXED_ONE_TO_ALL:
	case MIXED_ALL_TO_ONE:
	case MIXED_SOME:
		put_collective(f, p, e, flow / MIXED_SLOTS);
		break;
	case MIXED_OFF:
	case MIXED_OFF + 1:
		fprintf(f, "\t%" PRId64 " +0 %s\n", e->start,
			e->kind == MIXED_OFF ? "off" : "on");
		break;
	case MIXED_THREAD:
		fprintf(f,
			"\t%" PRId64 " +0 thread tid=5 alpha=%" PRId64 ":0\n",
			e->start, e->before);
		break;
	default:
		put_step(f, e);
	}
}

void mixed_put_program(FILE *f, const struct mixed_program *p)
{
	fprintf(f, "meta\n\ttape-trace 1\n\tranks %d\n\tbase global\n"
		   "\tdomain 0 simulated h\n\tclock 0 0 0 1 0 0\n", p->ranks);
	for (int r = 0; r < p->ranks; r++)
		put_rank(f, p, r);
	for (int i = 0; i < p->ranks * MIXED_SLOTS; i++) {
		int n = p->events[i];

		if (!n)
			continue;
		fprintf(f, "flow %d %d\n", i / MIXED_SLOTS, i % MIXED_SLOTS);
		for (int k = 0; k < n; k++)
			put_event(f, p, i, &p->event[i][k]);
		put_counted(f, p, i, p->event[i][n - 1].end);
		fprintf(f, "\tend %s 0\n",
			i % MIXED_SLOTS ? "exit" : "finalize");
	}
}
