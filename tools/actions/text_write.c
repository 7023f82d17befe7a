/* Actions to text; see action_text.h and doc/actions.md. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "action_text.h"
#include "action_file.h"

const char *const tape_action_ops[TAPE_DO_OPS] = {
    "barrier",	"bcast",	  "reduce",   "allreduce",  "scan",
    "exscan",	"reduce_scatter", "gather",   "scatter",    "allgather",
    "alltoall", "gatherv",	  "scatterv", "allgatherv", "alltoallv"};

enum { BUFFER = 1 << 16, ITEM = 64 };

/* How a line waits for a request. */
struct request {
	int32_t src, dst, tag; /* src -1: of a collective */
	int32_t unused;
};

struct tape_action_writer {
	struct tape_action_out *out;
	int rank, error;
	size_t used;
	char head[16]; /* the rank and a blank */
	size_t head_bytes;
	double operations; /* not written yet */
	int computes;
	struct tape_table requests;
	struct tape_action_sums sums;
	char buffer[BUFFER];
};

int tape_action_compresses(void)
{
	return tape_action_out_packs();
}

struct tape_action_writer *tape_action_writer_new(int rank, int fd,
						  int compressed)
{
	struct tape_action_writer *w = malloc(sizeof *w);

	if (!w)
		return NULL;
	memset(w, 0, offsetof(struct tape_action_writer, buffer));
	w->rank = rank;
	w->sums.alone = 1;
	w->requests.bytes = sizeof(struct request);
	w->head_bytes = (size_t)snprintf(w->head, sizeof w->head, "%d ", rank);
	w->out = tape_action_out_new(fd, compressed);
	if (!w->out) {
		free(w);
		return NULL;
	}
	return w;
}

/* ---- words ---- */

static void flush(struct tape_action_writer *w)
{
	if (w->used && !w->error)
		w->error = tape_action_out_write(w->out, w->buffer, w->used);
	w->used = 0;
}

static void word(struct tape_action_writer *w, const char *text)
{
	size_t n = strlen(text);

	if (w->used + n + ITEM > BUFFER)
		flush(w);
	w->buffer[w->used++] = ' ';
	memcpy(w->buffer + w->used, text, n);
	w->used += n;
}

static void number(struct tape_action_writer *w, uint64_t n)
{
	char digits[24], *p = digits + sizeof digits;

	if (w->used + ITEM > BUFFER)
		flush(w);
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	*--p = ' ';
	memcpy(w->buffer + w->used, p, (size_t)(digits + sizeof digits - p));
	w->used += (size_t)(digits + sizeof digits - p);
}

static void integer(struct tape_action_writer *w, int64_t n)
{
	if (n >= 0) {
		number(w, (uint64_t)n);
		return;
	}
	if (w->used + ITEM > BUFFER)
		flush(w);
	w->used += (size_t)sprintf(w->buffer + w->used, " %" PRId64, n);
}

/* "RANK NAME"; alone: SimGrid knows such lines. */
static void line(struct tape_action_writer *w, const char *name, int alone)
{
	if (w->used + ITEM > BUFFER)
		flush(w);
	memcpy(w->buffer + w->used, w->head, w->head_bytes - 1);
	w->used += w->head_bytes - 1;
	word(w, name);
	w->sums.lines++;
	w->sums.alone &= alone;
}

static void end(struct tape_action_writer *w)
{
	w->buffer[w->used++] = '\n';
}

/* SimGrid's number of MPI_BYTE. */
static void byte_type(struct tape_action_writer *w)
{
	if (w->used + ITEM > BUFFER)
		flush(w);
	w->buffer[w->used++] = ' ';
	w->buffer[w->used++] = '6';
}

/* ---- actions ---- */

static void operations(struct tape_action_writer *w, const char *name,
		       double amount, int alone)
{
	char text[40];

	line(w, name, alone);
	if (amount < 1e18) {
		number(w, (uint64_t)amount);
	} else {
		snprintf(text, sizeof text, "%.17g", amount);
		word(w, text);
	}
	end(w);
}

/* Whole operations of what was gathered. */
static void compute(struct tape_action_writer *w)
{
	double whole = w->operations < 1e18 ? (double)(uint64_t)w->operations
					    : w->operations;

	w->computes = 0;
	if (whole < 1)
		return;
	operations(w, "compute", whole, 1);
	w->operations -= whole;
}

static int remember(struct tape_action_writer *w, const struct tape_action *a,
		    int32_t src, int32_t dst)
{
	struct request *r;

	if (!a->request)
		return 0;
	r = tape_table_get(&w->requests, a->request);
	if (!r)
		return TAPE_ENOMEM;
	*r = (struct request){.src = src, .dst = dst, .tag = a->tag};
	return 0;
}

static int message(struct tape_action_writer *w, const struct tape_action *a,
		   const char *name, int sends, int alone)
{
	line(w, name, alone);
	integer(w, a->peer);
	integer(w, a->tag);
	number(w, a->bytes);
	byte_type(w);
	end(w);
	w->sums.messages += (uint64_t)sends;
	w->sums.bytes += sends ? a->bytes : 0;
	return remember(w, a, sends ? w->rank : a->peer,
			sends ? a->peer : w->rank);
}

/* Messages, then collectives: a line for each kind. */
static void wait(struct tape_action_writer *w, const struct tape_action *a)
{
	const struct request *r;
	uint64_t messages = 0, others = 0;

	for (size_t i = 0; i < a->n_waits; i++) {
		r = tape_table_find(&w->requests, a->waits[i]);
		messages += r && r->src >= 0;
		others += r && r->src < 0;
	}
	if (messages) {
		line(w, messages > 1 ? "waits" : "wait", messages == 1);
		if (messages > 1)
			number(w, messages);
	}
	for (size_t i = 0; messages && i < a->n_waits; i++) {
		r = tape_table_find(&w->requests, a->waits[i]);
		if (!r || r->src < 0)
			continue;
		integer(w, r->src);
		integer(w, r->dst);
		integer(w, r->tag);
		if (!others)
			tape_table_drop(&w->requests, a->waits[i]);
	}
	if (messages)
		end(w);
	if (!others)
		return;
	line(w, "end", 0);
	for (size_t i = 0; i < a->n_waits; i++) {
		r = tape_table_find(&w->requests, a->waits[i]);
		if (r && r->src < 0)
			number(w, a->waits[i]);
		tape_table_drop(&w->requests, a->waits[i]);
	}
	end(w);
}

/* A line that SimGrid has, but for communicators of ours. */
static void arguments(struct tape_action_writer *w, const struct tape_action *a)
{
	int32_t root = a->root < 0 ? 0 : a->root;

	switch (a->op) {
	case TAPE_DO_BARRIER:
	case TAPE_DO_OPS:
		break;
	case TAPE_DO_BCAST:
		number(w, a->bytes);
		integer(w, root);
		byte_type(w);
		break;
	case TAPE_DO_REDUCE:
		number(w, a->bytes);
		number(w, 0);
		integer(w, root);
		byte_type(w);
		break;
	case TAPE_DO_ALLREDUCE:
	case TAPE_DO_SCAN:
	case TAPE_DO_EXSCAN:
		number(w, a->bytes);
		number(w, 0);
		byte_type(w);
		break;
	case TAPE_DO_REDUCE_SCATTER:
	case TAPE_DO_ALLGATHERV:
	case TAPE_DO_ALLTOALLV:
		number(w, a->bytes);
		number(w, a->rbytes);
		break;
	case TAPE_DO_GATHERV:
	case TAPE_DO_SCATTERV:
		number(w, a->bytes);
		number(w, a->rbytes);
		integer(w, root);
		break;
	case TAPE_DO_GATHER:
	case TAPE_DO_SCATTER:
		number(w, a->bytes);
		number(w, a->rbytes);
		integer(w, root);
		byte_type(w);
		byte_type(w);
		break;
	case TAPE_DO_ALLGATHER:
	case TAPE_DO_ALLTOALL:
		number(w, a->bytes);
		number(w, a->rbytes);
		byte_type(w);
		byte_type(w);
		break;
	}
}

/* SimGrid 3.32 dies (SIGFPE) of these two where they have no bytes. */
static int is_simgrids(const struct tape_action *a)
{
	if (a->op == TAPE_DO_BCAST || a->op == TAPE_DO_ALLREDUCE)
		return a->bytes != 0;
	return a->op < TAPE_DO_GATHERV && a->op != TAPE_DO_REDUCE_SCATTER;
}

static int collective(struct tape_action_writer *w, const struct tape_action *a)
{
	const char *name = tape_action_ops[a->op];

	if (a->kind == TAPE_ACTION_ICOLL) {
		line(w, "begin", 0);
		number(w, a->request);
		number(w, a->comm);
		word(w, name);
	} else if (a->comm) {
		line(w, "on", 0);
		number(w, a->comm);
		word(w, name);
	} else {
		line(w, name, is_simgrids(a));
	}
	arguments(w, a);
	end(w);
	w->sums.collectives++;
	w->sums.coll_bytes += a->bytes;
	return remember(w, a, -1, -1);
}

static void group(struct tape_action_writer *w, const struct tape_action *a)
{
	for (size_t i = 0; i < a->n_group; i++)
		integer(w, a->group[i]);
}

static void new_comm(struct tape_action_writer *w, const struct tape_action *a)
{
	line(w, "comm", 0);
	number(w, a->comm);
	number(w, a->parent);
	integer(w, a->color);
	integer(w, a->key);
	group(w, a);
	end(w);
}

static void moved(struct tape_action_writer *w, const struct tape_action *a,
		  const char *name)
{
	line(w, name, 0);
	number(w, a->comm);
	integer(w, a->peer);
	number(w, a->bytes);
	if (a->kind == TAPE_ACTION_ACCUMULATE)
		number(w, a->rbytes);
	end(w);
	w->sums.messages++;
	w->sums.bytes += a->bytes;
}

/* "NAME WIN", with a target, a group or what else belongs to it. */
static void on_window(struct tape_action_writer *w, const struct tape_action *a,
		      const char *name)
{
	line(w, name, 0);
	number(w, a->comm);
	if (a->kind == TAPE_ACTION_WIN) {
		number(w, a->parent);
		number(w, a->bytes);
	}
	if (a->kind == TAPE_ACTION_LOCK || a->kind == TAPE_ACTION_UNLOCK ||
	    a->kind == TAPE_ACTION_FLUSH)
		integer(w, a->peer);
	if (a->kind == TAPE_ACTION_LOCK)
		integer(w, a->root == 1);
	group(w, a);
	end(w);
}

static void bare(struct tape_action_writer *w, const char *name)
{
	line(w, name, 1);
	end(w);
}

static void sleeps(struct tape_action_writer *w, double seconds)
{
	char text[40];

	snprintf(text, sizeof text, "%.9f", seconds);
	line(w, "sleep", 1);
	word(w, text);
	end(w);
}

static void probe(struct tape_action_writer *w, const struct tape_action *a)
{
	line(w, "probe", 0);
	integer(w, a->peer);
	integer(w, a->tag);
	end(w);
}

static int put(struct tape_action_writer *w, const struct tape_action *a)
{
	switch (a->kind) {
	case TAPE_ACTION_INIT:
		bare(w, "init");
		break;
	case TAPE_ACTION_FINALIZE:
		bare(w, "finalize");
		break;
	case TAPE_ACTION_COMPUTE: /* gathered */
		break;
	case TAPE_ACTION_PACK:
		operations(w, "pack", a->amount, 0);
		break;
	case TAPE_ACTION_SLEEP:
		sleeps(w, a->amount);
		break;
	case TAPE_ACTION_SEND:
		return message(w, a, "send", 1, 1);
	case TAPE_ACTION_SSEND:
		return message(w, a, "ssend", 1, 0);
	case TAPE_ACTION_ISEND:
		return message(w, a, "isend", 1, 1);
	case TAPE_ACTION_ISSEND:
		return message(w, a, "issend", 1, 0);
	case TAPE_ACTION_RECV:
		return message(w, a, "recv", 0, 1);
	case TAPE_ACTION_IRECV:
		return message(w, a, "irecv", 0, 1);
	case TAPE_ACTION_PROBE:
		probe(w, a);
		break;
	case TAPE_ACTION_WAIT:
		wait(w, a);
		break;
	case TAPE_ACTION_COLL:
	case TAPE_ACTION_ICOLL:
		return collective(w, a);
	case TAPE_ACTION_COMM:
		new_comm(w, a);
		break;
	case TAPE_ACTION_COMM_FREE:
		on_window(w, a, "comm_free");
		break;
	case TAPE_ACTION_WIN:
		on_window(w, a, "win");
		break;
	case TAPE_ACTION_WIN_FREE:
		on_window(w, a, "win_free");
		break;
	case TAPE_ACTION_PUT:
		moved(w, a, "put");
		break;
	case TAPE_ACTION_GET:
		moved(w, a, "get");
		break;
	case TAPE_ACTION_ACCUMULATE:
		moved(w, a, "accumulate");
		break;
	case TAPE_ACTION_FENCE:
		on_window(w, a, "fence");
		break;
	case TAPE_ACTION_LOCK:
		on_window(w, a, "lock");
		break;
	case TAPE_ACTION_UNLOCK:
		on_window(w, a, "unlock");
		break;
	case TAPE_ACTION_FLUSH:
		on_window(w, a, "flush");
		break;
	case TAPE_ACTION_POST:
		on_window(w, a, "post");
		break;
	case TAPE_ACTION_START:
		on_window(w, a, "start");
		break;
	case TAPE_ACTION_COMPLETE:
		on_window(w, a, "complete");
		break;
	case TAPE_ACTION_WAIT_WIN:
		on_window(w, a, "wait_win");
		break;
	case TAPE_ACTION_KINDS:
		break;
	}
	return 0;
}

int tape_action_writer_put(struct tape_action_writer *w,
			   const struct tape_action *a)
{
	int rc;

	if (a->kind == TAPE_ACTION_COMPUTE || a->kind == TAPE_ACTION_PACK)
		w->sums.operations += a->amount;
	if (a->kind == TAPE_ACTION_COMPUTE) {
		w->operations += a->amount;
		w->computes = 1;
		return 0;
	}
	if (w->computes)
		compute(w);
	rc = put(w, a);
	return rc ? rc : w->error;
}

static void add(struct tape_action_sums *to, const struct tape_action_sums *s)
{
	to->lines += s->lines;
	to->operations += s->operations;
	to->messages += s->messages;
	to->bytes += s->bytes;
	to->collectives += s->collectives;
	to->coll_bytes += s->coll_bytes;
	to->alone &= s->alone;
}

int tape_action_writer_end(struct tape_action_writer *w,
			   struct tape_action_sums *sums)
{
	int rc, error;

	if (w->computes)
		compute(w);
	flush(w);
	if (!w->error)
		w->error = tape_action_out_write(w->out, w->buffer, 0);
	add(sums, &w->sums);
	rc = w->error;
	error = errno;
	tape_action_out_free(w->out);
	tape_table_free(&w->requests);
	free(w);
	errno = error;
	return rc;
}
