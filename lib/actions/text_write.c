/* Writes actions as text; see action_text.h and doc/actions.md. */
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

/* How a wait names a request. */
struct request {
	int32_t src, dst, tag; /* src -1: a collective */
	int32_t unused;
};

struct tape_action_writer {
	struct tape_action_out *out;
	int rank, error;
	size_t used;
	char head[16]; /* the rank and a space */
	size_t head_bytes;
	double operations; /* not written yet */
	int computes;
	struct tape_table requests;
	struct tape_action_sums sums;
	char buffer[BUFFER];
};

int tape_action_can_compress(void)
{
	return tape_action_out_can_compress();
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

static void flush_buffer(struct tape_action_writer *w)
{
	if (w->used && !w->error)
		w->error = tape_action_out_write(w->out, w->buffer, w->used);
	w->used = 0;
}

static void write_word(struct tape_action_writer *w, const char *text)
{
	size_t n = strlen(text);

	if (w->used + n + ITEM > BUFFER)
		flush_buffer(w);
	w->buffer[w->used++] = ' ';
	memcpy(w->buffer + w->used, text, n);
	w->used += n;
}

static void write_number(struct tape_action_writer *w, uint64_t n)
{
	char digits[24], *p = digits + sizeof digits;

	if (w->used + ITEM > BUFFER)
		flush_buffer(w);
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	*--p = ' ';
	memcpy(w->buffer + w->used, p, (size_t)(digits + sizeof digits - p));
	w->used += (size_t)(digits + sizeof digits - p);
}

static void write_integer(struct tape_action_writer *w, int64_t n)
{
	if (n >= 0) {
		write_number(w, (uint64_t)n);
		return;
	}
	if (w->used + ITEM > BUFFER)
		flush_buffer(w);
	w->used += (size_t)sprintf(w->buffer + w->used, " %" PRId64, n);
}

/* Writes "RANK NAME". alone: SimGrid knows such lines. */
static void begin_line(struct tape_action_writer *w, const char *name,
		       int alone)
{
	if (w->used + ITEM > BUFFER)
		flush_buffer(w);
	memcpy(w->buffer + w->used, w->head, w->head_bytes - 1);
	w->used += w->head_bytes - 1;
	write_word(w, name);
	w->sums.lines++;
	w->sums.alone &= alone;
}

static void end_line(struct tape_action_writer *w)
{
	w->buffer[w->used++] = '\n';
}

/* Writes SimGrid's number of MPI_BYTE. */
static void write_byte_type(struct tape_action_writer *w)
{
	if (w->used + ITEM > BUFFER)
		flush_buffer(w);
	w->buffer[w->used++] = ' ';
	w->buffer[w->used++] = '6';
}

/* ---- actions ---- */

static void write_amount(struct tape_action_writer *w, const char *name,
			 double amount, int alone)
{
	char text[40];

	begin_line(w, name, alone);
	if (amount < 1e18) {
		write_number(w, (uint64_t)amount);
	} else {
		snprintf(text, sizeof text, "%.17g", amount);
		write_word(w, text);
	}
	end_line(w);
}

/* Writes the whole operations of the accumulated computations. */
static void flush_computation(struct tape_action_writer *w)
{
	double whole = w->operations < 1e18 ? (double)(uint64_t)w->operations
					    : w->operations;

	w->computes = 0;
	if (whole < 1)
		return;
	write_amount(w, "compute", whole, 1);
	w->operations -= whole;
}

static int store_request(struct tape_action_writer *w,
			 const struct tape_action *a, int32_t src, int32_t dst)
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

static int write_message(struct tape_action_writer *w,
			 const struct tape_action *a, const char *name,
			 int sends, int alone)
{
	begin_line(w, name, alone);
	write_integer(w, a->peer);
	write_integer(w, a->tag);
	write_number(w, a->bytes);
	write_byte_type(w);
	end_line(w);
	w->sums.messages += (uint64_t)sends;
	w->sums.bytes += sends ? a->bytes : 0;
	return store_request(w, a, sends ? w->rank : a->peer,
			     sends ? a->peer : w->rank);
}

/* Writes a line for the messages, then a line for the collectives. */
static void write_wait(struct tape_action_writer *w,
		       const struct tape_action *a)
{
	const struct request *r;
	uint64_t messages = 0, others = 0;

	for (size_t i = 0; i < a->n_waits; i++) {
		r = tape_table_find(&w->requests, a->waits[i]);
		messages += r && r->src >= 0;
		others += r && r->src < 0;
	}
	if (messages) {
		begin_line(w, messages > 1 ? "waits" : "wait", messages == 1);
		if (messages > 1)
			write_number(w, messages);
	}
	for (size_t i = 0; messages && i < a->n_waits; i++) {
		r = tape_table_find(&w->requests, a->waits[i]);
		if (!r || r->src < 0)
			continue;
		write_integer(w, r->src);
		write_integer(w, r->dst);
		write_integer(w, r->tag);
		if (!others)
			tape_table_drop(&w->requests, a->waits[i]);
	}
	if (messages)
		end_line(w);
	if (!others)
		return;
	begin_line(w, "end", 0);
	for (size_t i = 0; i < a->n_waits; i++) {
		r = tape_table_find(&w->requests, a->waits[i]);
		if (r && r->src < 0)
			write_number(w, a->waits[i]);
		tape_table_drop(&w->requests, a->waits[i]);
	}
	end_line(w);
}

/* Writes the arguments as SimGrid has them. */
static void write_arguments(struct tape_action_writer *w,
			    const struct tape_action *a)
{
	int32_t root = a->root < 0 ? 0 : a->root;

	switch (a->op) {
	case TAPE_DO_BARRIER:
	case TAPE_DO_OPS:
		break;
	case TAPE_DO_BCAST:
		write_number(w, a->bytes);
		write_integer(w, root);
		write_byte_type(w);
		break;
	case TAPE_DO_REDUCE:
		write_number(w, a->bytes);
		write_number(w, 0);
		write_integer(w, root);
		write_byte_type(w);
		break;
	case TAPE_DO_ALLREDUCE:
	case TAPE_DO_SCAN:
	case TAPE_DO_EXSCAN:
		write_number(w, a->bytes);
		write_number(w, 0);
		write_byte_type(w);
		break;
	case TAPE_DO_REDUCE_SCATTER:
	case TAPE_DO_ALLGATHERV:
	case TAPE_DO_ALLTOALLV:
		write_number(w, a->bytes);
		write_number(w, a->rbytes);
		break;
	case TAPE_DO_GATHERV:
	case TAPE_DO_SCATTERV:
		write_number(w, a->bytes);
		write_number(w, a->rbytes);
		write_integer(w, root);
		break;
	case TAPE_DO_GATHER:
	case TAPE_DO_SCATTER:
		write_number(w, a->bytes);
		write_number(w, a->rbytes);
		write_integer(w, root);
		write_byte_type(w);
		write_byte_type(w);
		break;
	case TAPE_DO_ALLGATHER:
	case TAPE_DO_ALLTOALL:
		write_number(w, a->bytes);
		write_number(w, a->rbytes);
		write_byte_type(w);
		write_byte_type(w);
		break;
	}
}

/* SimGrid 3.32 crashes (SIGFPE) on a broadcast or allreduce of 0 bytes. */
static int is_known_to_simgrid(const struct tape_action *a)
{
	if (a->op == TAPE_DO_BCAST || a->op == TAPE_DO_ALLREDUCE)
		return a->bytes != 0;
	return a->op < TAPE_DO_GATHERV && a->op != TAPE_DO_REDUCE_SCATTER;
}

static int write_collective(struct tape_action_writer *w,
			    const struct tape_action *a)
{
	const char *name = tape_action_ops[a->op];

	if (a->kind == TAPE_ACTION_ICOLL) {
		begin_line(w, "begin", 0);
		write_number(w, a->request);
		write_number(w, a->comm);
		write_word(w, name);
	} else if (a->comm) {
		begin_line(w, "on", 0);
		write_number(w, a->comm);
		write_word(w, name);
	} else {
		begin_line(w, name, is_known_to_simgrid(a));
	}
	write_arguments(w, a);
	end_line(w);
	w->sums.collectives++;
	w->sums.coll_bytes += a->bytes;
	return store_request(w, a, -1, -1);
}

static void write_group(struct tape_action_writer *w,
			const struct tape_action *a)
{
	for (size_t i = 0; i < a->n_group; i++)
		write_integer(w, a->group[i]);
}

static void write_comm(struct tape_action_writer *w,
		       const struct tape_action *a)
{
	begin_line(w, "comm", 0);
	write_number(w, a->comm);
	write_number(w, a->parent);
	write_integer(w, a->color);
	write_integer(w, a->key);
	write_group(w, a);
	end_line(w);
}

static void write_rma(struct tape_action_writer *w, const struct tape_action *a,
		      const char *name)
{
	begin_line(w, name, 0);
	write_number(w, a->comm);
	write_integer(w, a->peer);
	write_number(w, a->bytes);
	if (a->kind == TAPE_ACTION_ACCUMULATE)
		write_number(w, a->rbytes);
	end_line(w);
	w->sums.messages++;
	w->sums.bytes += a->bytes;
}

/* Writes "NAME WIN" with the arguments of the kind. */
static void write_window(struct tape_action_writer *w,
			 const struct tape_action *a, const char *name)
{
	begin_line(w, name, 0);
	write_number(w, a->comm);
	if (a->kind == TAPE_ACTION_WIN) {
		write_number(w, a->parent);
		write_number(w, a->bytes);
	}
	if (a->kind == TAPE_ACTION_LOCK || a->kind == TAPE_ACTION_UNLOCK ||
	    a->kind == TAPE_ACTION_FLUSH)
		write_integer(w, a->peer);
	if (a->kind == TAPE_ACTION_LOCK)
		write_integer(w, a->root == 1);
	write_group(w, a);
	end_line(w);
}

static void write_bare(struct tape_action_writer *w, const char *name)
{
	begin_line(w, name, 1);
	end_line(w);
}

static void write_sleep(struct tape_action_writer *w, double seconds)
{
	char text[40];

	snprintf(text, sizeof text, "%.9f", seconds);
	begin_line(w, "sleep", 1);
	write_word(w, text);
	end_line(w);
}

static void write_probe(struct tape_action_writer *w,
			const struct tape_action *a)
{
	begin_line(w, "probe", 0);
	write_integer(w, a->peer);
	write_integer(w, a->tag);
	end_line(w);
}

static int write_action(struct tape_action_writer *w,
			const struct tape_action *a)
{
	switch (a->kind) {
	case TAPE_ACTION_INIT:
		write_bare(w, "init");
		break;
	case TAPE_ACTION_FINALIZE:
		write_bare(w, "finalize");
		break;
	case TAPE_ACTION_COMPUTE: /* written by flush_computation() */
		break;
	case TAPE_ACTION_PACK:
		write_amount(w, "pack", a->amount, 0);
		break;
	case TAPE_ACTION_SLEEP:
		write_sleep(w, a->amount);
		break;
	case TAPE_ACTION_SEND:
		return write_message(w, a, "send", 1, 1);
	case TAPE_ACTION_SSEND:
		return write_message(w, a, "ssend", 1, 0);
	case TAPE_ACTION_ISEND:
		return write_message(w, a, "isend", 1, 1);
	case TAPE_ACTION_ISSEND:
		return write_message(w, a, "issend", 1, 0);
	case TAPE_ACTION_RECV:
		return write_message(w, a, "recv", 0, 1);
	case TAPE_ACTION_IRECV:
		return write_message(w, a, "irecv", 0, 1);
	case TAPE_ACTION_PROBE:
		write_probe(w, a);
		break;
	case TAPE_ACTION_WAIT:
		write_wait(w, a);
		break;
	case TAPE_ACTION_COLL:
	case TAPE_ACTION_ICOLL:
		return write_collective(w, a);
	case TAPE_ACTION_COMM:
		write_comm(w, a);
		break;
	case TAPE_ACTION_COMM_FREE:
		write_window(w, a, "comm_free");
		break;
	case TAPE_ACTION_WIN:
		write_window(w, a, "win");
		break;
	case TAPE_ACTION_WIN_FREE:
		write_window(w, a, "win_free");
		break;
	case TAPE_ACTION_PUT:
		write_rma(w, a, "put");
		break;
	case TAPE_ACTION_GET:
		write_rma(w, a, "get");
		break;
	case TAPE_ACTION_ACCUMULATE:
		write_rma(w, a, "accumulate");
		break;
	case TAPE_ACTION_FENCE:
		write_window(w, a, "fence");
		break;
	case TAPE_ACTION_LOCK:
		write_window(w, a, "lock");
		break;
	case TAPE_ACTION_UNLOCK:
		write_window(w, a, "unlock");
		break;
	case TAPE_ACTION_FLUSH:
		write_window(w, a, "flush");
		break;
	case TAPE_ACTION_POST:
		write_window(w, a, "post");
		break;
	case TAPE_ACTION_START:
		write_window(w, a, "start");
		break;
	case TAPE_ACTION_COMPLETE:
		write_window(w, a, "complete");
		break;
	case TAPE_ACTION_WAIT_WIN:
		write_window(w, a, "wait_win");
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
		flush_computation(w);
	rc = write_action(w, a);
	return rc ? rc : w->error;
}

static void add_sums(struct tape_action_sums *to,
		     const struct tape_action_sums *s)
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
		flush_computation(w);
	flush_buffer(w);
	if (!w->error)
		w->error = tape_action_out_write(w->out, w->buffer, 0);
	add_sums(sums, &w->sums);
	rc = w->error;
	error = errno;
	tape_action_out_free(w->out);
	tape_table_free(&w->requests);
	free(w);
	errno = error;
	return rc;
}
