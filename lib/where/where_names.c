/* Parts of sentences; see where.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "place.h"
#include "where.h"

/* Adds to the text, which is cut to size. */
__attribute__((format(printf, 3, 4))) static void
add_text(char *text, size_t size, const char *format, ...)
{
	size_t n = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + n, size - n, format, ap);
	va_end(ap);
}

const char *where_place_text(const struct where_states *s, int rank,
			     uint32_t site, unsigned call, char *text,
			     size_t size)
{
	const struct tape_site_info *i = tape_site_of(s->t, rank, site);
	char place[TAPE_PLACE_BYTES], name[256], function[256] = "";
	const char *file;

	if (i && i->file && *i->file) {
		file = strrchr(i->file, '/');
		tape_clean(tape_place_python_function(i), function,
			   sizeof function);
		snprintf(text, size, "%s %s:%d%s%s", tape_call_name(call),
			 tape_clean(file ? file + 1 : i->file, name,
				    sizeof name),
			 i->line, *function ? " " : "", function);
		return text;
	}
	snprintf(text, size, "%s %s", tape_call_name(call),
		 tape_place_text(i, place, sizeof place));
	return text;
}

/* So many runs of ranks are named. */
enum { MOST_RUNS = 6 };

const char *where_ranks_text(const int *rank, size_t n, int is_first,
			     char *text, size_t size)
{
	size_t runs = 0, at = 0;

	snprintf(text, size, "%s%s ", is_first ? "Rank" : "rank",
		 n == 1 ? "" : "s");
	while (at < n) {
		size_t end = at + 1;

		if (runs++ == MOST_RUNS) {
			add_text(text, size, " and %zu more", n - at);
			break;
		}
		while (end < n && rank[end] == rank[end - 1] + 1)
			end++;
		add_text(text, size, "%s%d", at ? ", " : "", rank[at]);
		if (end - at > 1)
			add_text(text, size, "%s%d", end - at == 2 ? ", " : "-",
				 rank[end - 1]);
		at = end;
	}
	return text;
}

static void add_tag(char *text, size_t size, int32_t tag)
{
	if (tag == TAPE_ANY_TAG)
		add_text(text, size, "any tag");
	else
		add_text(text, size, "tag %d", tag);
}

/* The communicator, unless it is the world's. */
static void add_comm(const struct where_states *s, int rank, uint32_t comm,
		     char *text, size_t size)
{
	const struct tape_rank_info *r = tape_trace_rank(s->t, rank);
	char name[128];

	if (r->tid || !comm || comm >= r->n_comms || r->comms[comm].id == 1)
		return;
	if (r->comms[comm].name && *r->comms[comm].name)
		add_text(text, size, ", %s",
			 tape_clean(r->comms[comm].name, name, sizeof name));
	else
		add_text(text, size, ", communicator %" PRIx64,
			 r->comms[comm].id);
}

static void add_receive(const struct where_states *s, int rank, uint32_t comm,
			int32_t peer, int32_t tag, char *text, size_t size)
{
	int from = tape_peer_rank(s->t, rank, comm, peer);

	if (peer == TAPE_ANY_SOURCE)
		add_text(text, size, "a message of any rank (");
	else if (from >= 0)
		add_text(text, size, "a message of rank %d (", from);
	else
		add_text(text, size, "a message (");
	add_tag(text, size, tag);
	add_comm(s, rank, comm, text, size);
	add_text(text, size, ")");
}

static void add_send(const struct where_states *s, int rank, uint32_t comm,
		     int32_t peer, int32_t tag, char *text, size_t size)
{
	int to = tape_peer_rank(s->t, rank, comm, peer);

	if (to < 0)
		return;
	add_text(text, size, "rank %d to receive (", to);
	add_tag(text, size, tag);
	add_comm(s, rank, comm, text, size);
	add_text(text, size, ")");
}

static void add_request(const struct where_states *s, int rank,
			const struct where_request *w, char *text, size_t size)
{
	if (w->is_recv)
		add_receive(s, rank, w->comm, w->peer, w->tag, text, size);
	else if (w->is_send)
		add_send(s, rank, w->comm, w->peer, w->tag, text, size);
	else if (w->call)
		add_text(text, size, "its %s", tape_call_name(w->call));
}

static void add_wait(const struct where_states *s, const struct where_flow *f,
		     char *text, size_t size)
{
	int any = f->call.call == TAPE_CALL_MPI_Waitany ||
		  f->call.call == TAPE_CALL_MPI_Waitsome;

	for (uint32_t i = 0; i < f->call.n_requests; i++) {
		size_t n = strlen(text);

		add_text(text, size, "%s",
			 !i ? "" : any ? " or " : " and ");
		if (strlen(text) > n || !i)
			n = strlen(text);
		add_request(s, f->rank, &f->request[i], text, size);
		if (strlen(text) == n)
			add_text(text, size, "a request");
	}
	if (f->call.n > f->call.n_requests && f->call.n_requests)
		add_text(text, size, " (%u requests)", f->call.n);
}

static void add_round(const struct wait_graph *g, const struct where_flow *f,
		      char *text, size_t size)
{
	size_t k = g->round_of[f->rank];
	const struct wait_round *r = k ? &g->round[k - 1] : NULL;
	enum tape_shape shape = tape_call_shape(f->call.call);
	int root = wait_graph_peer(g->s, f, f->call.peer);
	char ranks[300];

	if (!r || !r->n_missing)
		return;
	if (shape == TAPE_SHAPE_FROM ||
	    (shape == TAPE_SHAPE_TO && root != f->rank)) {
		for (size_t i = 0; i < r->n_missing; i++)
			if (r->missing[i] == root)
				add_text(text, size, "rank %d, the root", root);
		return;
	}
	add_text(text, size, "%s",
		 where_ranks_text(r->missing, r->n_missing, 0, ranks,
				  sizeof ranks));
}

const char *where_target_text(const struct wait_graph *g,
			      const struct where_flow *f, char *text,
			      size_t size)
{
	const struct tape_call_in_progress *c = &f->call;

	*text = '\0';
	if (f->state != WHERE_IN_CALL)
		return text;
	switch (c->class_) {
	case TAPE_CLASS_RECV:
	case TAPE_CLASS_PROBE:
	case TAPE_CLASS_MPROBE:
		add_receive(g->s, f->rank, c->comm, c->peer, c->tag, text,
			    size);
		break;
	case TAPE_CLASS_SENDRECV:
		add_receive(g->s, f->rank, c->comm, c->rpeer, c->rtag, text,
			    size);
		break;
	case TAPE_CLASS_SEND:
		add_send(g->s, f->rank, c->comm, c->peer, c->tag, text, size);
		break;
	case TAPE_CLASS_WAIT:
		add_wait(g->s, f, text, size);
		break;
	default:
		add_round(g, f, text, size);
	}
	return text;
}
