/* Opens and closes one flow and reports its end; flow.c decodes the records. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "flow.h"
#include "tape_follow.h"

/* Of many flows each has a window into its chunk, not all of it in memory. */
enum { MANY = 512, WINDOW = 4096 };

static struct tape_flow *alloc_flow(struct tape_trace *t, int rank)
{
	struct tape_flow *f = calloc(1, sizeof *f);
	const struct tape_domain *d;

	if (!f)
		return NULL;
	f->t = t;
	f->rank = &t->ranks[rank];
	f->list = &f->own_done;
	d = &t->domains[f->rank->info.domain];
	f->pieces = d->info.pieces;
	f->n_pieces = d->info.n_pieces;
	f->tick_ns = d->local_rate;
	/* of a trace that is followed others may come */
	f->n_sites = tape_trace_sites(t, rank);
	f->last_ns = INT64_MIN;
	f->sites = calloc(f->n_sites + 1, sizeof *f->sites);
	f->most = t->n_flows > MANY && !t->follow ? WINDOW : TAPE_CHUNK_BYTES;
	f->seen = t->follow ? malloc(TAPE_CHUNK_BYTES) : NULL;
	if (!f->sites || (t->follow && !f->seen)) {
		tape_flow_close(f);
		return NULL;
	}
	/* of a trace that is followed the rest comes later */
	for (size_t i = 0; i < f->n_sites && !t->follow; i++) {
		f->sites[i].call = f->rank->sites[i].call;
		f->sites[i].class_ =
		    (uint8_t)tape_call_class(f->rank->sites[i].call);
	}
	return f;
}

int tape_flow_open(struct tape_trace *t, size_t flow, struct tape_flow **out)
{
	const struct tape_flow_info *info = tape_trace_flow(t, flow);
	struct tape_flow *f;
	int rc;

	*out = NULL;
	if (!info)
		return tape_trace_fail(t, TAPE_ERANGE, "%s: no flow %zu",
				       t->path, flow);
	rc = t->follow ? tape_follow_open(t, flow) : 0;
	f = alloc_flow(t, info->rank);
	if (!f)
		return tape_trace_no_memory(t);
	f->finished = rc > 0;
	f->index = (uint32_t)flow;
	f->thread = (uint32_t)info->thread;
	f->name = info->file;
	*out = f;
	if (rc < 0)
		tape_flow_fail(f, rc, "%s", t->error);
	else if (!rc && !f->rank->info.host)
		tape_flow_fail(f, TAPE_EFORMAT,
			       "rank.%d, which describes this flow, is missing "
			       "or has no host",
			       info->rank);
	return 0;
}

int tape_flow_memory(struct tape_trace *t, const void *bytes, size_t n,
		     struct tape_flow **out)
{
	struct tape_chunk c = {0};
	struct tape_flow *f;

	*out = NULL;
	if (n >= TAPE_CHUNK_HEADER)
		tape_chunk_get(bytes, &c);
	f = alloc_flow(t, c.rank < t->n_ranks ? (int)c.rank : 0);
	if (!f)
		return tape_trace_no_memory(t);
	f->thread = c.thread;
	f->name = "memory";
	f->memory = bytes ? bytes : (const void *)"";
	f->memory_n = n;
	*out = f;
	return 0;
}

void tape_flow_close(struct tape_flow *f)
{
	if (!f)
		return;
	free(f->sites);
	free(f->chunk);
	free(f->seen);
	free(f->tail);
	free(f->text);
	free(f->own);
	free(f->own_done.done);
	free(f);
}

const char *tape_flow_error(const struct tape_flow *f)
{
	if (!f || (f->error && !f->text))
		return tape_error_text(TAPE_ENOMEM);
	return f->text ? f->text : "";
}

enum tape_end tape_flow_end(const struct tape_flow *f, uint64_t *lost)
{
	if (lost)
		*lost = f->lost;
	return f->why;
}
