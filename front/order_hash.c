/* See order_hash.h. */
#include "hash_bits.h"
#include "order_hash.h"
#include "tape_reader.h"
#include "tool.h"

static void add_number(uint64_t *hash, int64_t n)
{
	*hash = tape_hash_bytes(*hash, &n, sizeof n);
}

/* A message from peer, which is a task where the library is PVM. */
static void add_message(uint64_t *hash, const struct tape_trace *t, int peer,
			int tag)
{
	int task = tape_trace_task(t, peer);

	add_number(hash, task < 0 ? peer : task);
	add_number(hash, tag);
}

/* The message that a call took or found, if it asked for several. */
static void add_received(uint64_t *hash, const struct tape_trace *t,
			 const struct tape_event *e)
{
	const union tape_fields *u = &e->u;

#define ASKED(name, PEER, TAG)                                                 \
	do {                                                                   \
		if (u->name.PEER == TAPE_ANY_SOURCE ||                         \
		    u->name.TAG == TAPE_ANY_TAG)                               \
			add_message(hash, t, u->name.actual_peer,              \
				    u->name.actual_tag);                       \
	} while (0)
	if (e->class_ == TAPE_CLASS_RECV)
		ASKED(recv, peer, tag);
	else if (e->class_ == TAPE_CLASS_SENDRECV)
		ASKED(sendrecv, rpeer, rtag);
	else if (e->class_ == TAPE_CLASS_PROBE)
		ASKED(probe, peer, tag);
	else if (e->class_ == TAPE_CLASS_MPROBE)
		ASKED(mprobe, peer, tag);
	else if (e->class_ == TAPE_CLASS_IPROBE)
		ASKED(iprobe, peer, tag);
	else if (e->class_ == TAPE_CLASS_IMPROBE)
		ASKED(improbe, peer, tag);
	else if (e->class_ == TAPE_CLASS_NRECV)
		ASKED(nrecv, peer, tag);
#undef ASKED
}

/* What a wait or a test completed. */
static void add_completed(uint64_t *hash, const struct tape_trace *t,
			  const struct tape_event *e)
{
	if (e->class_ != TAPE_CLASS_WAIT && e->class_ != TAPE_CLASS_TEST)
		return;
	for (uint32_t i = 0; i < e->n_done; i++) {
		add_number(hash, (int64_t)e->done[i].request);
		if (e->done[i].kind == TAPE_DONE_RECV)
			add_message(hash, t, e->done[i].peer, e->done[i].tag);
	}
}

static int add_flow(uint64_t *hash, struct tape_trace *t, size_t i)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int rc;

	if (tape_flow_open(t, i, &f))
		return -1;
	add_number(hash, (int64_t)i);
	while ((rc = tape_flow_next(f, &e)) == 1) {
		if (tape_event_failed(e->class_, &e->u))
			continue;
		add_received(hash, t, e);
		add_completed(hash, t, e);
	}
	tape_flow_close(f);
	return rc;
}

int order_hash_read(const char *trace, uint64_t *hash)
{
	struct tape_trace *t;
	int rc = tape_trace_open(trace, &t);

	*hash = TAPE_HASH_START;
	for (size_t i = 0; !rc && i < tape_trace_flows(t); i++)
		rc = add_flow(hash, t, i);
	if (rc)
		tape_warn("%s", tape_trace_error(t));
	tape_trace_close(t);
	return rc ? -1 : 0;
}
