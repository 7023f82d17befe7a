/* Channels with gaps; see channels.h. */
#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "tape_class_uses.h"

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

/* Channels of the counted calls of a class (catalogue/classes.tab). */
enum class_channel {
	CHANNEL_NONE,
	CHANNEL_SEND,
	CHANNEL_RECEIVE,
	CHANNEL_BOTH,
	CHANNEL_COLLECTIVE,
	CHANNEL_UNKNOWN, /* of which requests is not known */
	CHANNEL_UNKNOWN_SEND
};
static const unsigned char class_channel[TAPE_CLASS_COUNT] = {
#define CHANNEL(class_, waits, channel, group, doing)                          \
	[TAPE_CLASS_##class_] = CHANNEL_##channel,
    TAPE_CLASS_USES(CHANNEL)
#undef CHANNEL
};

static int add_counted_class(struct tape_channels *p,
			     const struct tape_event *e, uint32_t comm,
			     int32_t tag)
{
	if (e->also_class >= TAPE_CLASS_COUNT)
		return 0;
	switch ((enum class_channel)class_channel[e->also_class]) {
	case CHANNEL_SEND:
		return add_channel(p, TAPE_CHANNEL_SEND, comm, tag);
	case CHANNEL_RECEIVE:
		return add_channel(p, TAPE_CHANNEL_RECV, comm, tag);
	case CHANNEL_BOTH:
		return add_both(p, comm, tag,
				(int32_t)get_counted_field(e, "rtag"));
	case CHANNEL_COLLECTIVE:
		return add_channel(p, TAPE_CHANNEL_COLL, comm, TAPE_ANY_TAG);
	case CHANNEL_UNKNOWN:
		return add_both(p, 0, TAPE_ANY_TAG, TAPE_ANY_TAG);
	case CHANNEL_UNKNOWN_SEND:
		return add_channel(p, TAPE_CHANNEL_SEND, 0, TAPE_ANY_TAG);
	case CHANNEL_NONE:
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
