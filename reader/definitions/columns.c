/* Events as columns of numbers, for languages that work on arrays. */
#include <string.h>

#include "flow.h"

/* The fields of a class that columns are made of; bytes 0: it has none. */
struct column_fields {
	struct tape_field peer, tag, bytes, comm;
	int known;
};

static struct column_fields find_column_fields(unsigned class_)
{
	static const char *const better[] = { "actual_peer", "actual_tag" };
	struct column_fields c = { .known = 1 };
	struct tape_field f;

	for (unsigned i = 0; tape_class_field(class_, i, &f); i++) {
		if (!strcmp(f.name, better[0]) ||
		    (!strcmp(f.name, "peer") && !c.peer.bytes))
			c.peer = f;
		else if (!strcmp(f.name, better[1]) ||
			 (!strcmp(f.name, "tag") && !c.tag.bytes))
			c.tag = f;
		else if (!strcmp(f.name, "bytes"))
			c.bytes = f;
		else if (!strcmp(f.name, "comm"))
			c.comm = f;
	}
	return c;
}

static int64_t get_or_default(const struct tape_event *e,
			      const struct tape_field *f, int64_t none)
{
	return f->bytes ? tape_field_get(&e->u, f) : none;
}

/* The rank in the trace of a peer; -1: none, or not known. */
static int32_t world_rank(const struct tape_trace *t,
			  const struct tape_rank_info *r, uint32_t comm,
			  int64_t peer)
{
	const struct tape_comm_info *c;

	if (r->tid)
		return peer > 0 && peer <= INT32_MAX
			       ? tape_trace_task(t, (int)peer)
			       : -1;
	if (peer < 0 || comm >= r->n_comms || !r->comms[comm].index)
		return -1;
	c = &r->comms[comm];
	return peer < c->size ? c->members[peer] : -1;
}

static void fill_row(const struct tape_trace *t, const struct tape_event *e,
		     const struct column_fields *f,
		     const struct tape_columns *c, size_t i)
{
	const struct tape_rank_info *r = tape_trace_rank(t, e->rank);
	uint32_t comm = (uint32_t)get_or_default(e, &f->comm, 0);
	int64_t bytes = get_or_default(e, &f->bytes, 0), region = 0;

	if (e->class_ == TAPE_CLASS_ENTER || e->class_ == TAPE_CLASS_LEAVE)
		region = e->region;
	for (uint32_t k = 0; k < e->n_done; k++)
		if (e->done[k].kind == TAPE_DONE_RECV)
			bytes += (int64_t)e->done[k].bytes;
	c->start_ns[i] = e->start_ns;
	c->end_ns[i] = e->end_ns;
	c->call[i] = e->call;
	c->class_[i] = e->class_;
	c->site[i] = e->site;
	c->region[i] = (uint32_t)region;
	c->peer[i] = world_rank(t, r, comm, get_or_default(e, &f->peer, -1));
	c->tag[i] = (int32_t)get_or_default(e, &f->tag, -1);
	c->bytes[i] = bytes;
	c->comm[i] = comm && comm < r->n_comms ? r->comms[comm].id : 0;
	c->calls[i] = (int64_t)(e->polls + e->also_polls);
}

int64_t tape_flow_columns(struct tape_trace *t, struct tape_flow *f,
			  const struct tape_columns *c, size_t room)
{
	struct column_fields known[TAPE_CLASS_COUNT] = { { .known = 0 } };
	const struct tape_event *e;
	size_t n = 0;
	int rc = 1;

	while (n < room && (rc = tape_flow_next(f, &e)) == 1) {
		struct column_fields *k = &known[e->class_];

		if (!k->known)
			*k = find_column_fields(e->class_);
		fill_row(t, e, k, c, n++);
	}
	return rc < 0 && !n ? rc : (int64_t)n;
}
