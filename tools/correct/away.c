/*
 * What events tell flows of other processes, and what these tell; see
 * engine_state.h. Each process goes through the flows of its own ranks. A send
 * goes to the owner of its receiver, with its date and what that consists of;
 * of a rendezvous the date of the receive comes back. Entries of a collective
 * go to all who own members of it. All meet when each can go no further, or has
 * gone far enough. What comes out does not depend on when records come, for
 * what an event waits for is known to the traversal as ever.
 */
#include <stdlib.h>
#include <string.h>

#include "engine_state.h"
#include "tool.h"

enum record { STATE = 50, SENT, POSTED, ENTERED, COUNTS };

/* Events from meeting to meeting at most, and time ahead of the last one. */
enum { MEETING_EVENTS = 1 << 14, AHEAD_NS = 5000000 };

/* Processes told apart by a set; beyond, all are told of each collective. */
enum { SET = 64, KNOWN_COMMS = 1024 };

/* The key of a send whose receiver is away: no message's. */
enum { WAY_AWAY = INT32_MIN };

struct away {
	uint64_t sent; /* records for others since the last meeting */
	uint64_t keys;
	int64_t others_ns, ahead_ns; /* how far the others are at least */
	int give_up, over;
	int looked; /* did all see that they cannot go on? */
	/* who owns members of a communicator */
	struct owners {
		uint64_t comm, set;
	} of[KNOWN_COMMS];
};

/* Where a process stands. */
struct state {
	uint64_t sent;
	int64_t reached_ns;
	uint8_t more, full, unfinished, give_up, lacking, pad[3];
};

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
	uint32_t slot, pad;
};

struct entered {
	uint64_t comm, k, bytes;
	int64_t start_ns, end_ns, written_ns;
	struct tape_delay p;
	int32_t size, known, rank, counts;
};

void away_open(struct engine *g)
{
	if (!g->peers)
		return;
	g->away = tape_must(calloc(1, sizeof *g->away));
	g->away->others_ns = INT64_MIN;
	g->away->ahead_ns = AHEAD_NS;
}

void away_close(struct engine *g)
{
	free(g->away);
	g->away = NULL;
}

void away_give_up(struct engine *g)
{
	if (g->away)
		g->away->give_up = 1;
}

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
	g->away->sent++;
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
			   .slot = from->away_slot};

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

/* Who owns members of the communicator that the event of f is about. */
static uint64_t owners_of(struct engine *g, const struct flow *f,
			  const struct tape_op *op)
{
	const struct tape_rank_info *r = tape_trace_rank(g->t, f->rank);
	const struct tape_comm_info *c =
	    op->r->comm < r->n_comms ? &r->comms[op->r->comm] : NULL;
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
			    .rank = op->r->rank};
	uint64_t set = owners_of(g, f, op);

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
	if (e.counts)
		engine_enter_round(q, e.rank, e.end_ns, e.bytes);
	engine_wake_round(g, q);
	/* nobody here waits for it to leave */
	engine_leave_round(g, q);
}

/* What is known of all at a meeting. */
struct all {
	uint64_t sent;
	int64_t others_ns;
	int more, full, unfinished, give_up, lacking;
};

static void hear_state(const struct engine *g, struct all *all, int from,
		       const void *data)
{
	struct state s;

	memcpy(&s, data, sizeof s);
	all->sent += s.sent;
	all->more |= s.more;
	all->full |= s.full;
	all->unfinished |= s.unfinished;
	all->give_up |= s.give_up;
	all->lacking |= s.lacking;
	if (from != g->peers->me && s.reached_ns < all->others_ns)
		all->others_ns = s.reached_ns;
}

static void swap(struct engine *g, struct all *all)
{
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;

	if (g->peers->swap(g->peers))
		tape_die(TAPE_FAILED, "out of memory");
	g->away->sent = 0;
	while ((data = tape_peers_next(g->peers, &at, &kind, &bytes)))
		if (kind == STATE)
			hear_state(g, all, at.from, data);
		else if (kind == SENT)
			hear_sent(g, at.from, data, bytes);
		else if (kind == POSTED)
			hear_posted(g, data, bytes);
		else if (kind == ENTERED)
			hear_entered(g, data, bytes);
}

/* ---- meeting ---- */

int away_is_far(const struct engine *g, uint64_t events, int64_t reached_ns)
{
	const struct away *a = g->away;

	return a->give_up || events >= MEETING_EVENTS ||
	       (a->others_ns < INT64_MAX - a->ahead_ns &&
		reached_ns > a->others_ns + a->ahead_ns);
}

/* Messages of all: does the sample lack some? */
static int is_lacking(struct engine *g)
{
	uint64_t all[TAPE_DISTANCES][TAPE_SIZE_CLASSES] = {{0}};
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	int lacking = 0;

	for (int i = 0; i < g->peers->n; i++)
		if (tape_peers_put(g->peers, i, COUNTS, g->sent,
				   sizeof g->sent))
			tape_die(TAPE_FAILED, "out of memory");
	if (g->peers->swap(g->peers))
		tape_die(TAPE_FAILED, "out of memory");
	while ((data = tape_peers_next(g->peers, &at, &kind, &bytes))) {
		uint64_t own[TAPE_DISTANCES][TAPE_SIZE_CLASSES];

		if (kind != COUNTS)
			continue;
		memcpy(own, data, sizeof own);
		for (int d = 0; d < TAPE_DISTANCES; d++)
			for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
				all[d][c] += own[d][c];
	}
	for (int d = 0; d < TAPE_DISTANCES; d++)
		for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
			lacking |= g->sample->most &&
				   all[d][c] >= SAMPLE_MANY &&
				   g->sample->sent[d][c] < SAMPLE_MANY;
	return lacking;
}

/* Sends without their receive are counted where that would be. */
static void forget_sends(struct engine *g)
{
	uint32_t at = 0, slot;

	while ((slot = tape_match_each(g->match, &at)) != TAPE_NO_SLOT)
		if (tape_match_slot(g->match, slot)->key.way == WAY_AWAY)
			tape_match_slot(g->match, slot)->queued = 0;
}

int away_meet(struct engine *g, int more, uint64_t events, int64_t reached_ns,
	      int unfinished)
{
	struct away *a = g->away;
	struct state s = {.sent = a->sent,
			  .reached_ns = reached_ns,
			  .more = more != 0,
			  .full = events >= MEETING_EVENTS,
			  .unfinished = unfinished != 0,
			  .give_up = a->give_up != 0,
			  .lacking = g->lacking != 0};
	struct all all = {.others_ns = INT64_MAX};

	for (int i = 0; i < g->peers->n; i++)
		if (tape_peers_put(g->peers, i, STATE, &s, sizeof s))
			tape_die(TAPE_FAILED, "out of memory");
	swap(g, &all);
	a->others_ns = all.others_ns;
	if (all.full && a->ahead_ns > AHEAD_NS)
		a->ahead_ns /= 2;
	else if (!all.full && a->ahead_ns < INT64_MAX / 4)
		a->ahead_ns *= 2;
	if (all.lacking) {
		g->lacking = ENGINE_LACKS;
	} else if (all.give_up) {
		g->lacking = ENGINE_ALONE;
	} else if (all.more || all.sent) {
		a->looked = 0;
		return 1;
	} else if (all.unfinished && !a->looked++) {
		engine_wake_all(g);
		return 1;
	} else if (all.unfinished) {
		g->lacking = ENGINE_ALONE;
	} else if (is_lacking(g)) {
		g->lacking = ENGINE_LACKS;
	}
	a->over = 1;
	forget_sends(g);
	return 0;
}
