/* Channels with gaps; see channels.h. */
#include <stdlib.h>
#include <string.h>

#include "channels.h"

int tape_channels_has(const struct tape_channels *p,
		      enum tape_channel_kind kind, uint32_t comm,
		      int32_t tag)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct tape_channel *c = &p->list[i];

		if ((c->kinds & kind) && (!c->comm || c->comm == comm) &&
		    (kind == TAPE_CHANNEL_COLL || c->tag == TAPE_ANY_TAG ||
		     c->tag == tag))
			return 1;
	}
	return 0;
}

static int add_channel(struct tape_channels *p, uint32_t kinds, uint32_t comm,
		       int32_t tag)
{
	struct tape_channel *list;

	if (!kinds || tape_channels_has(p, kinds, comm, tag))
		return 0;
	list = realloc(p->list, (p->n + 1) * sizeof *list);
	if (!list)
		return TAPE_ENOMEM;
	p->list = list;
	p->list[p->n++] = (struct tape_channel){ kinds, comm, tag };
	return 0;
}

/* The field of that name of the calls that were counted, else 0. */
static int64_t get_counted_field(const struct tape_event *e, const char *name)
{
	struct tape_field f;

	for (unsigned i = 0; tape_class_field(e->also_class, i, &f); i++)
		if (!strcmp(f.name, name))
			return (int64_t)tape_field_get(&e->also, &f);
	return 0;
}

/* Messages each way. */
static int add_both(struct tape_channels *p, uint32_t comm, int32_t tag,
		    int32_t rtag)
{
	int rc = add_channel(p, TAPE_CHANNEL_SEND, comm, tag);

	return rc ? rc : add_channel(p, TAPE_CHANNEL_RECV, comm, rtag);
}

static int add_counted_class(struct tape_channels *p,
			     const struct tape_event *e, uint32_t comm,
			     int32_t tag)
{
	switch ((enum tape_class)e->also_class) {
	case TAPE_CLASS_SEND:
	case TAPE_CLASS_ISEND:
	case TAPE_CLASS_MCAST:
	case TAPE_CLASS_PSEND:
		return add_channel(p, TAPE_CHANNEL_SEND, comm, tag);
	case TAPE_CLASS_RECV:
	case TAPE_CLASS_NRECV:
	case TAPE_CLASS_IRECV:
	case TAPE_CLASS_MPROBE:
	case TAPE_CLASS_IMPROBE:
		return add_channel(p, TAPE_CHANNEL_RECV, comm, tag);
	case TAPE_CLASS_SENDRECV:
	case TAPE_CLASS_ISENDRECV:
		return add_both(p, comm, tag,
				(int32_t)get_counted_field(e, "rtag"));
	case TAPE_CLASS_PREADY: /* of which request is not known */
		return add_channel(p, TAPE_CHANNEL_SEND, 0, TAPE_ANY_TAG);
	case TAPE_CLASS_START: /* of which requests is not known */
		return add_both(p, 0, TAPE_ANY_TAG, TAPE_ANY_TAG);
	case TAPE_CLASS_COLL:
	case TAPE_CLASS_ICOLL:
	case TAPE_CLASS_COMM_NEW:
	case TAPE_CLASS_COMM_INEW:
	case TAPE_CLASS_COMM_FREE:
	case TAPE_CLASS_WIN_NEW:
	case TAPE_CLASS_FILE_NEW:
	case TAPE_CLASS_IO:
	case TAPE_CLASS_IO_AT:
	case TAPE_CLASS_IIO:
	case TAPE_CLASS_IIO_AT:
		return add_channel(p, TAPE_CHANNEL_COLL, comm, TAPE_ANY_TAG);
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_SPAWN:
	case TAPE_CLASS_PACK:
	case TAPE_CLASS_ABORT:
	case TAPE_CLASS_PROBE:
	case TAPE_CLASS_IPROBE:
	case TAPE_CLASS_MRECV: /* the message was taken by a probe */
	case TAPE_CLASS_IMRECV:
	case TAPE_CLASS_WAIT: /* what ends is not what is sent or posted */
	case TAPE_CLASS_TEST:
	case TAPE_CLASS_REQ:
	case TAPE_CLASS_QUERY:
	case TAPE_CLASS_GREQUEST:
	case TAPE_CLASS_RMA:
	case TAPE_CLASS_IRMA:
	case TAPE_CLASS_EPOCH:
	case TAPE_CLASS_PSCW:
	case TAPE_CLASS_WINTEST:
	case TAPE_CLASS_ENTER:
	case TAPE_CLASS_LEAVE:
	case TAPE_CLASS_OFF:
	case TAPE_CLASS_ON:
	case TAPE_CLASS_THREAD:
	case TAPE_CLASS_COUNTED:
	case TAPE_CLASS_BLOCK:
	case TAPE_CLASS_COUNT:
		break;
	}
	return 0;
}

int tape_channels_add(struct tape_channels *p, const struct tape_event *e)
{
	return e->also_call
		   ? add_counted_class(p, e,
				       (uint32_t)get_counted_field(e, "comm"),
				       (int32_t)get_counted_field(e, "tag"))
		   : 0;
}
