/*
 * What events tell flows of other processes, and what these tell; see
 * engine_state.h. A send goes to the owner of its receiver, with its date and
 * what that consists of; of a rendezvous the date of the receive comes back.
 * Entries of a collective go to all who own members of it. When they go, and
 * when they come, is away.c's.
 */
#include <string.h>

#include "away.h"
#include "tool.h"
#include "volume.h"

/* The key of a send whose receiver is away: no message's. */
enum { WAY_AWAY = INT32_MIN };

struct sent {
	struct tape_match_key key;
	struct tape_where begun;
	int64_t start_ns, written_ns;
	uint64_t bytes;
	struct tape_delay p;
	uint32_t slot, rendezvous;
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

const size_t away_send_bytes = sizeof(struct sent);
const size_t away_receive_bytes = sizeof(struct posted);
const size_t away_entry_bytes = sizeof(struct entered);

/* ---- telling ---- */

/* A record, and behind it of what p consists. */
static void put(struct engine *g, int to, enum record kind, const void *data,
		size_t bytes, const struct blame *b)
{
	char text[512 + BLAME_BYTES];

	if (g->away->over)
		return;
	memcpy(text, data, bytes);
	bytes += blame_pack(g->blames, b, text + bytes);
	if (tape_peers_put(g->peers, to, kind, text, bytes))
		tape_die(TAPE_FAILED, "out of memory");
	g->away->now.sent++;
	if (g->how->volume)
		g->how->volume->sums.bytes += bytes + TAPE_PEERS_HEAD;
}

uint32_t away_send(struct engine *g, const struct flow *f,
		   const struct tape_op *op, int rendezvous)
{
	struct tape_match_key key = {.comm = g->away->keys++, .way = WAY_AWAY};
	struct sent s = {.key = op->key,
			 .begun = op->r->begun,
			 .start_ns = f->e->start_ns,
			 .written_ns = f->start_ta,
			 .bytes = op->bytes,
			 .p = f->told,
			 .slot = TAPE_NO_SLOT,
			 .rendezvous = rendezvous != 0};

	if (rendezvous)
		s.slot = tape_match_send(g->match, &key);
	put(g, g->peers->owner[op->r->to], SENT, &s, sizeof s, f->blame);
	return s.slot;
}

void away_posted(struct engine *g, struct tape_slot *s)
{
	struct side *from = sent_of(s), *d = received_of(s);
	struct posted p = {.start_ns = s->recv->start_ns,
			   .written_ns = d->written_ns,
			   .p = d->p,
			   .slot = from->away_slot,
			   .is_shared = s->recv->begun.shared};

	if (!from->away || !tape_is_posted(s))
		return;
	put(g, from->away - 1, POSTED, &p, sizeof p, d->blame);
	from->away = 0;
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
static const struct tape_comm_info *comm_of(const struct engine *g,
					    const struct flow *f,
					    const struct tape_op *op)
{
	const struct tape_rank_info *r = tape_trace_rank(g->t, f->rank);

	return op->r->comm < r->n_comms ? &r->comms[op->r->comm] : NULL;
}

/* Who owns members of the communicator that the event of f is about. */
static uint64_t owners_of(struct engine *g, const struct flow *f,
			  const struct tape_op *op)
{
	const struct tape_comm_info *c = comm_of(g, f, op);
	uint64_t comm = op->key.comm;
	struct owners *o = &g->away->of[comm % KNOWN_COMMS];

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

void away_enter(struct engine *g, const struct flow *f,
		const struct tape_op *op, const struct tape_round *q)
{
	struct entered e = {.comm = op->key.comm,
			    .k = op->r->k,
			    .start_ns = f->e->start_ns,
			    .end_ns = f->e->end_ns,
			    .written_ns = f->start_ta,
			    .p = f->told,
			    .size = op->r->size,
			    .known = op->r->known,
			    .rank = op->r->rank,
			    .weak = op->r->weak != 0};
	uint64_t set = owners_of(g, f, op);

	if (g->how->volume)
		volume_enter(g->how->volume, comm_of(g, f, op), op->key.comm,
			     blame_bytes(f->blame));
	e.counts = engine_entry(f, q->size, &e.bytes);
	for (int i = 0; i < g->peers->n; i++)
		if (i != g->peers->me && (i >= SET || set >> i & 1))
			put(g, i, ENTERED, &e, sizeof e, f->blame);
}

/* ---- hearing ---- */

static struct blame *shares(struct engine *g, const char *data, size_t at,
			    size_t bytes)
{
	return blame_unpack(g->blames, data + at, bytes - at);
}

static void hear_sent(struct engine *g, int from, const char *data,
		      size_t bytes)
{
	struct tape_slot *t;
	struct side *d;
	uint32_t slot;
	struct sent s;

	memcpy(&s, data, sizeof s);
	slot = tape_match_send(g->match, &s.key);
	if (slot == TAPE_NO_SLOT)
		tape_die(TAPE_FAILED, "out of memory");
	t = tape_match_slot(g->match, slot);
	d = sent_of(t);
	t->send->start_ns = s.start_ns;
	t->send->bytes = s.bytes;
	t->send->begun = s.begun;
	d->written_ns = s.written_ns;
	d->p = s.p;
	d->rendezvous = s.rendezvous != 0;
	d->blame = shares(g, data, sizeof s, bytes);
	d->away = s.rendezvous ? from + 1 : 0;
	d->away_slot = s.slot;
	engine_wake_side(g, received_of(t));
	away_posted(g, t);
	engine_side_done(g, slot, 1);
}

static void hear_posted(struct engine *g, const char *data, size_t bytes)
{
	struct tape_slot *t;
	struct side *d;
	struct posted p;
	uint32_t slot;

	memcpy(&p, data, sizeof p);
	t = tape_match_slot(g->match, p.slot);
	slot = tape_match_post(g->match, &t->key);
	if (slot == TAPE_NO_SLOT)
		tape_die(TAPE_FAILED, "out of memory");
	t = tape_match_slot(g->match, slot);
	d = received_of(t);
	t->recv->start_ns = p.start_ns;
	t->recv->begun.shared = p.is_shared != 0;
	d->written_ns = p.written_ns;
	d->p = p.p;
	d->blame = shares(g, data, sizeof p, bytes);
	engine_wake_side(g, sent_of(t));
	engine_side_done(g, slot, 2);
}

static void hear_entered(struct engine *g, const char *data, size_t bytes)
{
	struct tape_round *q;
	struct entered e;
	struct blame *b;

	memcpy(&e, data, sizeof e);
	b = shares(g, data, sizeof e, bytes);
	q = tape_must(tape_rounds_get(g->rounds, e.comm, e.k, e.size, e.known));
	if (kept_enter(q, e.rank, e.start_ns, e.written_ns, &e.p))
		member_of(q, e.rank)->blame = b;
	else
		blame_drop(g->blames, b);
	meeting_of(q)->weak |= e.weak;
	if (e.counts)
		engine_enter_round(q, e.rank, e.end_ns, e.bytes);
	engine_wake_round(g, q);
	/* nobody here waits for it to leave */
	engine_leave_round(g, q);
}

int away_hear(struct engine *g, int from, unsigned kind, const void *data,
	      size_t bytes)
{
	switch (kind) {
	case SENT:
		hear_sent(g, from, data, bytes);
		return 1;
	case POSTED:
		hear_posted(g, data, bytes);
		return 1;
	case ENTERED:
		hear_entered(g, data, bytes);
		return 1;
	default:
		return 0;
	}
}

void away_forget_sends(struct engine *g)
{
	uint32_t at = 0, slot;

	while ((slot = tape_match_each(g->match, &at)) != TAPE_NO_SLOT)
		if (tape_match_slot(g->match, slot)->key.way == WAY_AWAY)
			tape_match_slot(g->match, slot)->queued = 0;
}
