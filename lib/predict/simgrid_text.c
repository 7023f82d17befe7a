/* See simgrid_text.h. */
#include <inttypes.h>

#include "action_text.h"
#include "simgrid_text.h"

/*
 * Writes a collective. Where two sizes must be equal, writes the larger one.
 * Reductions are of doubles where the size allows (type 0, else 6, bytes): a
 * trace has no types, and SimGrid's choice depends on the number of elements,
 * too.
 */
static void write_collective(FILE *f, const struct tape_action *a)
{
	uint64_t most = a->bytes > a->rbytes ? a->bytes : a->rbytes;
	int doubles = a->bytes % 8 == 0;
	uint64_t elements = doubles ? a->bytes / 8 : a->bytes;
	int type = doubles ? 0 : 6;

	fputs(tape_action_ops[a->op], f);
	switch (a->op) {
	case TAPE_DO_BARRIER:
		break;
	case TAPE_DO_BCAST:
		fprintf(f, " %" PRIu64 " %d 6", a->bytes, a->root);
		break;
	case TAPE_DO_REDUCE:
		fprintf(f, " %" PRIu64 " 0 %d %d", elements, a->root, type);
		break;
	case TAPE_DO_ALLREDUCE:
	case TAPE_DO_SCAN:
	case TAPE_DO_EXSCAN:
		fprintf(f, " %" PRIu64 " 0 %d", elements, type);
		break;
	case TAPE_DO_GATHER:
	case TAPE_DO_SCATTER:
		fprintf(f, " %" PRIu64 " %" PRIu64 " %d 6 6", most, most,
			a->root);
		break;
	case TAPE_DO_ALLGATHER:
	case TAPE_DO_ALLTOALL:
		fprintf(f, " %" PRIu64 " %" PRIu64 " 6 6", a->bytes, a->bytes);
		break;
	case TAPE_DO_REDUCE_SCATTER:
	case TAPE_DO_ALLGATHERV:
	case TAPE_DO_ALLTOALLV:
		fprintf(f, " %" PRIu64 " %" PRIu64, a->bytes, a->rbytes);
		break;
	case TAPE_DO_GATHERV:
	case TAPE_DO_SCATTERV:
		fprintf(f, " %" PRIu64 " %" PRIu64 " %d", a->bytes, a->rbytes,
			a->root);
		break;
	case TAPE_DO_OPS:
		break;
	}
}

static void write_message(FILE *f, const char *name,
			  const struct tape_action *a)
{
	fprintf(f, "%s %d %d %" PRIu64 " 6", name, a->peer, a->tag, a->bytes);
	if (a->request)
		fprintf(f, " %" PRIu64, a->request);
}

static void write_comm(FILE *f, const struct tape_action *a)
{
	fprintf(f, "comm %u %u %d %d", a->comm, a->parent, a->color, a->key);
	for (size_t i = 0; a->parent == a->comm && i < a->n_group; i++)
		fprintf(f, " %d", a->group[i]);
}

static void write_group(FILE *f, const char *name, const struct tape_action *a)
{
	fprintf(f, "%s %u", name, a->comm);
	for (size_t i = 0; i < a->n_group; i++)
		fprintf(f, " %d", a->group[i]);
}

static void write_waits(FILE *f, const struct tape_action *a)
{
	fputs("end", f);
	for (size_t i = 0; i < a->n_waits; i++)
		fprintf(f, " %" PRIu64, a->waits[i]);
}

/* Writes an action of a window. */
static void write_window(FILE *f, const struct tape_action *a)
{
	switch (a->kind) {
	case TAPE_ACTION_WIN:
		fprintf(f, "win %u %u %" PRIu64, a->comm, a->parent, a->bytes);
		break;
	case TAPE_ACTION_WIN_FREE:
		fprintf(f, "win_free %u", a->comm);
		break;
	case TAPE_ACTION_PUT:
	case TAPE_ACTION_GET:
		fprintf(f, "%s %u %d %" PRIu64,
			a->kind == TAPE_ACTION_PUT ? "put" : "get", a->comm,
			a->peer, a->bytes);
		break;
	case TAPE_ACTION_ACCUMULATE:
		fprintf(f, "accumulate %u %d %" PRIu64 " %" PRIu64, a->comm,
			a->peer, a->bytes, a->rbytes);
		break;
	case TAPE_ACTION_FENCE:
		fprintf(f, "fence %u", a->comm);
		break;
	case TAPE_ACTION_LOCK:
		fprintf(f, "lock %u %d %d", a->comm, a->peer, a->root == 1);
		break;
	case TAPE_ACTION_UNLOCK:
		fprintf(f, "unlock %u %d", a->comm, a->peer);
		break;
	case TAPE_ACTION_FLUSH:
		fprintf(f, "flush %u %d", a->comm, a->peer);
		break;
	case TAPE_ACTION_POST:
		write_group(f, "post", a);
		break;
	case TAPE_ACTION_START:
		write_group(f, "start", a);
		break;
	case TAPE_ACTION_COMPLETE:
		fprintf(f, "complete %u", a->comm);
		break;
	default: /* TAPE_ACTION_WAIT_WIN */
		fprintf(f, "wait_win %u", a->comm);
		break;
	}
}

static void write_action(FILE *f, const struct tape_action *a, double speed)
{
	static const char *const messages[TAPE_ACTION_KINDS] = {
		[TAPE_ACTION_SEND] = "send",
		[TAPE_ACTION_SSEND] = "ssend",
		[TAPE_ACTION_ISEND] = "isend",
		[TAPE_ACTION_ISSEND] = "issend",
		[TAPE_ACTION_RECV] = "recv",
		[TAPE_ACTION_IRECV] = "irecv"
	};

	if (messages[a->kind])
		write_message(f, messages[a->kind], a);
	else if (a->kind == TAPE_ACTION_INIT)
		fputs("init", f);
	else if (a->kind == TAPE_ACTION_FINALIZE)
		fputs("finalize", f);
	else if (a->kind == TAPE_ACTION_COMPUTE ||
		 a->kind == TAPE_ACTION_PACK)
		fprintf(f, "compute %.17g", a->amount / speed);
	else if (a->kind == TAPE_ACTION_SLEEP)
		fprintf(f, "sleep %.17g", a->amount);
	else if (a->kind == TAPE_ACTION_PROBE)
		fprintf(f, "probe %d %d", a->peer, a->tag);
	else if (a->kind == TAPE_ACTION_WAIT)
		write_waits(f, a);
	else if (a->kind == TAPE_ACTION_COLL) {
		if (a->comm)
			fprintf(f, "on %u ", a->comm);
		write_collective(f, a);
	} else if (a->kind == TAPE_ACTION_ICOLL) {
		fprintf(f, "begin %" PRIu64 " %u ", a->request, a->comm);
		write_collective(f, a);
	} else if (a->kind == TAPE_ACTION_COMM)
		write_comm(f, a);
	else if (a->kind == TAPE_ACTION_COMM_FREE)
		fprintf(f, "comm_free %u", a->comm);
	else
		write_window(f, a);
}

void sim_simgrid_write_line(FILE *f, int rank, const struct tape_action *a,
			    double speed)
{
	fprintf(f, "%d ", rank);
	write_action(f, a, speed);
	putc('\n', f);
}
