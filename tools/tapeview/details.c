/* The columns of single events; see details.h. */
#include <string.h>

#include "details.h"
#include "place.h"

/* The fields of a class by meaning; bytes 0: the class has no such field. */
struct fields {
	struct tape_field comm, sent, received, peer, tag;
	int found;
};

/* Returns 1 if the field is the size of a buffer, not of a message: the bytes
 * of a nonblocking receive. */
static int is_buffer_size(unsigned class_, const char *name)
{
	if (class_ == TAPE_CLASS_ISENDRECV)
		return !strcmp(name, "rbytes");
	return (class_ == TAPE_CLASS_IRECV || class_ == TAPE_CLASS_IMRECV) &&
	       !strcmp(name, "bytes");
}

static void find_class_fields(struct fields *k, unsigned class_)
{
	struct tape_field f;

	k->found = 1;
	for (unsigned i = 0; tape_class_field(class_, i, &f); i++) {
		if (is_buffer_size(class_, f.name))
			continue;
		if (!strcmp(f.name, "comm"))
			k->comm = f;
		else if (!strcmp(f.name, "bytes"))
			k->sent = f;
		else if (!strcmp(f.name, "rbytes"))
			k->received = f;
		/* the actual peer and tag follow the requested ones */
		else if (!strcmp(f.name, "peer") || !strcmp(f.name, "root") ||
			 !strcmp(f.name, "actual_peer"))
			k->peer = f;
		else if (!strcmp(f.name, "tag") ||
			 !strcmp(f.name, "actual_tag"))
			k->tag = f;
	}
}

/* Cached at first use: the catalogue does not change. */
static const struct fields *fields_of(unsigned class_)
{
	static struct fields known[TAPE_CLASS_COUNT];

	if (!known[class_].found)
		find_class_fields(&known[class_], class_);
	return &known[class_];
}

static int64_t get_event_field(const struct tape_event *e,
			       const struct tape_field *f)
{
	return f->bytes ? tape_field_get(&e->u, f) : 0;
}

uint64_t view_bytes_of(const struct tape_event *e)
{
	const struct fields *k = fields_of(e->class_);

	return (uint64_t)get_event_field(e, &k->sent) +
	       (uint64_t)get_event_field(e, &k->received);
}

unsigned view_call_of_block(const struct tape_trace *t,
			    const struct tape_event *e)
{
	const struct tape_site_info *s =
		tape_site_of(t, e->rank, e->u.block.site);

	return s ? s->call : 0;
}

/* Returns the message of a call that completes exactly one receive, or NULL. */
static const struct tape_done *single_done_message(const struct tape_event *e)
{
	return e->n_done == 1 && e->done[0].kind == TAPE_DONE_RECV
		       ? &e->done[0]
		       : NULL;
}

void view_add_details(const struct view *v, const struct tape_trace *t,
		      struct view_flow *f, const struct tape_event *e)
{
	int block = e->class_ == TAPE_CLASS_BLOCK;
	const struct fields *k = fields_of(e->class_);
	const struct tape_done *d = single_done_message(e);
	uint32_t comm = (uint32_t)get_event_field(e, &k->comm);
	int64_t peer = k->peer.bytes ? get_event_field(e, &k->peer) : -1;

	view_put(&f->place, view_place_of(v->names, t, e->rank,
					  block ? e->u.block.site : e->site));
	view_put(&f->comm, view_comm_of(v->names, t, e->rank, comm));
	view_put(&f->bytes,
		 d ? d->bytes : (uint64_t)get_event_field(e, &k->sent));
	view_put(&f->rbytes, (uint64_t)get_event_field(e, &k->received));
	view_put_signed(&f->peer,
			tape_peer_rank(t, e->rank, comm, (int32_t)peer));
	view_put_signed(&f->tag, d ? d->tag : get_event_field(e, &k->tag));
	view_put(&f->calls,
		 block ? e->u.block.calls : e->polls + e->also_polls);
}
