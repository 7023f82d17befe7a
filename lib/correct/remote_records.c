/*
 * What events tell flows of other processes, and what these tell; see
 * engine_state.h. A send goes to the owner of its receiver, with its date and
 * what that consists of; for a rendezvous the timestamp of the receive is
 * returned. Entries of a collective go to all who own members of it. When they
 * go, and when they come, is remote_ranks.c's.
 */
#include <string.h>

#include "remote_ranks.h"
#include "tool.h"
#include "record_volume.h"

/* The key of a send whose receiver is away: no message's. */
enum { WAY_REMOTE = INT32_MIN };

struct sent {
	struct tape_match_key key;
	struct tape_where begun;
	int64_t start_ns, written_ns;
	uint64_t bytes;
	struct tape_delay p;
	uint32_t slot, rendezvous : 1, known_bytes : 31;
};

struct posted {
	int64_t start_ns, written_ns;
	struct tape_delay p;
	uint32_t slot, is_shared; /* threads share its key (tape_where) */
};

struct entered {
	uint64_t comm, k, bytes;
	int64_t start_ns, end_ns, written_ns;
	struct tape_delay p;
	int32_t size, known, rank, counts, weak, pad;
};

const size_t remote_send_bytes = sizeof(struct sent);
const size_t remote_receive_bytes = sizeof(struct posted);
const size_t remote_entry_bytes = sizeof(struct entered);

/* ---- telling ---- */

/* A record, and after it of what p consists, and which receives are known. */
static void send_record(struct engine *g, int to, enum remote_record kind,
			const void *data, size_t bytes, const struct blame *b,
			const struct known_receives *known)
{
	char text[512 + KNOWN_BYTES + BLAME_BYTES];

	if (g->remote->over)
		return;
	memcpy(text, data, bytes);
	bytes += known_receives_pack(known, text + bytes);
	bytes += blame_pack(g->blames, b, text + bytes);
	if (tape_peers_put(g->peers, to, kind, text, bytes))
		tape_die_no_memory();
	g->remote->local_progress.sent++;
	if (g->how->volume)
		g->how->volume->sums.bytes += bytes + TAPE_PEERS_HEAD;
}

uint32_t remote_send_message(struct engine *g, const struct flow *f,
			     const struct tape_op *op, int rendezvous)
{
	struct tape_match_key key = {.comm = g->remote->keys++,
				     .way = WAY_REMOTE};
	struct sent s = {.key = op->key,
			 .begun = op->r->begun,
			 .start_ns = f->e->start_ns,
			 .written_ns = f->start_ta,
			 .bytes = op->bytes,
			 .p = f->reported_delay,
			 .slot = TAPE_NO_SLOT,
			 .rendezvous = rendezvous != 0};

	s.known_bytes = known_receives_bytes(f->known) & 0x7fffffff;

	if (rendezvous)
		s.slot = tape_match_send(g->match, &key);
	send_record(g, g->peers->owner[op->r->to], SENT, &s, sizeof s,
		    f->blame, f->known);
	return s.slot;
}

void remote_report_post(struct engine *g, struct tape_slot *s)
{
	struct side *from = send_side(s), *d = receive_side(s);
	struct posted p = {.start_ns = s->recv->start_ns,
			   .written_ns = d->written_ns,
			   .p = d->p,
			   .slot = from->remote_slot,
			   .is_shared = s->recv->begun.shared};

	if (!from->waiting_peer || !tape_is_posted(s))
		return;
	send_record(g, from->waiting_peer - 1, POSTED, &p, sizeof p, d->blame,
		    NULL);
	from->waiting_peer = 0;
}

static uint64_t add_members(const struct engine *g, const int *members, int n)
{
	uint64_t set = 0;

	for (int i = 0; i < n; i++)
		if (members[i] >= 0)
			set |= (uint64_t)1 << g->peers->owner[members[i]];
	return set;
}

/* The communicator that the event of f is about, or NULL. */
static const struct tape_comm_info *find_communicator(const struct engine *g,
						      const struct flow *f,
						      const struct tape_op *op)
{
	const struct tape_rank_info *r = tape_trace_rank(g->t, f->rank);

	return op->r->comm < r->n_comms ? &r->comms[op->r->comm] : NULL;
}

/* Who owns members of the communicator that the event of f is about. */
static uint64_t find_owners(struct engine *g, const struct flow *f,
			    const struct tape_op *op)
{
	const struct tape_comm_info *c = find_communicator(g, f, op);
	uint64_t comm = op->key.comm;
	struct owners *o = &g->remote->of[comm % KNOWN_COMMS];

	if (!c || !c->members || g->peers->n > SET)
		return UINT64_MAX;
	if (o->comm == comm && o->set)
		return o->set;
	o->comm = comm;
	o->set = add_members(g, c->members, c->size);
	if (c->side >= 0)
		o->set |= add_members(g, c->own, c->own_size);
	return o->set;
}

void remote_send_entry(struct engine *g, const struct flow *f,
		       const struct tape_op *op, const struct tape_round *q)
{
	struct entered e = {.comm = op->key.comm,
			    .k = op->r->k,
			    .start_ns = f->e->start_ns,
			    .end_ns = f->e->end_ns,
			    .written_ns = f->start_ta,
			    .p = f->reported_delay,
			    .size = op->r->size,
			    .known = op->r->known,
			    .rank = op->r->rank,
			    .weak = op->r->weak != 0};
	uint64_t set = find_owners(g, f, op);

	if (g->how->volume)
		volume_enter(g->how->volume, find_communicator(g, f, op),
			     op->key.comm, blame_bytes(f->blame));
	e.counts = engine_entry_bytes(f, q->size, &e.bytes);
	for (int i = 0; i < g->peers->n; i++)
		if (i != g->peers->me && (i >= SET || set >> i & 1))
			send_record(g, i, ENTERED, &e, sizeof e, f->blame,
				    NULL);
}

/* ---- hearing ---- */

static struct blame *unpack_shares(struct engine *g, const char *data,
				   size_t at, size_t bytes)
{
	return blame_unpack(g->blames, data + at, bytes - at);
}

static void receive_sent(struct engine *g, int from, const char *data,
			 size_t bytes)
{
	struct tape_slot *t;
	struct side *d;
	uint32_t slot;
	struct sent s;

	memcpy(&s, data, sizeof s);
	slot = tape_match_send(g->match, &s.key);
	if (slot == TAPE_NO_SLOT)
		tape_die_no_memory();
	t = tape_match_slot(g->match, slot);
	d = send_side(t);
	t->send->start_ns = s.start_ns;
	t->send->bytes = s.bytes;
	t->send->begun = s.begun;
	d->written_ns = s.written_ns;
	d->p = s.p;
	d->rendezvous = s.rendezvous != 0;
	d->known = known_receives_unpack(g->known_pool, data + sizeof s,
					 s.known_bytes);
	d->blame = unpack_shares(g, data, sizeof s + s.known_bytes, bytes);
	d->waiting_peer = s.rendezvous ? from + 1 : 0;
	d->remote_slot = s.slot;
	engine_wake_side(g, receive_side(t));
	remote_report_post(g, t);
	engine_release_side(g, slot, 1);
}

static void receive_posted(struct engine *g, const char *data, size_t bytes)
{
	struct tape_slot *t;
	struct side *d;
	struct posted p;
	uint32_t slot;

	memcpy(&p, data, sizeof p);
	t = tape_match_slot(g->match, p.slot);
	slot = tape_match_post(g->match, &t->key);
	if (slot == TAPE_NO_SLOT)
		tape_die_no_memory();
	t = tape_match_slot(g->match, slot);
	d = receive_side(t);
	t->recv->start_ns = p.start_ns;
	t->recv->begun.shared = p.is_shared != 0;
	d->written_ns = p.written_ns;
	d->p = p.p;
	d->blame = unpack_shares(g, data, sizeof p, bytes);
	engine_wake_side(g, send_side(t));
	engine_release_side(g, slot, 2);
}

static void receive_entered(struct engine *g, const char *data, size_t bytes)
{
	struct tape_round *q;
	struct entered e;
	struct blame *b;

	memcpy(&e, data, sizeof e);
	b = unpack_shares(g, data, sizeof e, bytes);
	q = tape_must(tape_rounds_get(g->rounds, e.comm, e.k, e.size, e.known));
	if (engine_add_entry(q, e.rank, e.start_ns, e.written_ns, &e.p))
		member_state(q, e.rank)->blame = b;
	else
		blame_drop(g->blames, b);
	collective_state(q)->weak |= e.weak;
	if (e.counts)
		engine_add_table_entry(q, e.rank, e.end_ns, e.bytes);
	engine_wake_round(g, q);
	/* nobody here waits for it to leave */
	engine_leave_round(g, q);
}

int remote_receive_record(struct engine *g, int from, unsigned kind,
			  const void *data, size_t bytes)
{
	switch (kind) {
	case SENT:
		receive_sent(g, from, data, bytes);
		return 1;
	case POSTED:
		receive_posted(g, data, bytes);
		return 1;
	case ENTERED:
		receive_entered(g, data, bytes);
		return 1;
	default:
		return 0;
	}
}

void remote_drop_sends(struct engine *g)
{
	uint32_t at = 0, slot;

	while ((slot = tape_match_each(g->match, &at)) != TAPE_NO_SLOT)
		if (tape_match_slot(g->match, slot)->key.way == WAY_REMOTE)
			tape_match_slot(g->match, slot)->queued = 0;
}
