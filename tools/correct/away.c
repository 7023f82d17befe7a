/*
 * What events tell flows of other processes, and what these tell; see
 * engine_state.h. Each process goes through the flows of its own ranks. A send
 * goes to the owner of its receiver, with its date and what that consists of;
 * of a rendezvous the date of the receive comes back. Entries of a collective
 * go to all who own members of it. Records are posted after some events, and at
 * once where a process cannot go on; only then it waits, for what others post.
 * All meet where none can go on, or one sees that several cannot do it: what
 * was posted has come then, and all find the same. What comes out does not
 * depend on when records come, for what an event waits for is known to the
 * traversal as ever.
 */
#include <stdlib.h>
#include <string.h>

#include "engine_state.h"
#include "tool.h"
#include "volume.h"

enum record { STATE = 50, SENT, POSTED, ENTERED, COUNTS, CALL, MEETING };

/*
 * Events after which records are posted, and others hear how far a process is
 * though nothing else is for them.
 */
enum { POST_EVENTS = 256, TELL_EVENTS = 1 << 12 };

/*
 * How far a process may be ahead of the one that is behind: so many events
 * after that has moved, and so much time.
 */
enum { AHEAD_EVENTS = 1 << 14, AHEAD_NS = 5000000 };

/* Processes told apart by a set; beyond, all are told of each collective. */
enum { SET = 64, KNOWN_COMMS = 1024 };

/* The key of a send whose receiver is away: no message's. */
enum { WAY_AWAY = INT32_MIN };

/* Where a process stands: records for others so far, and of others. */
struct state {
	uint64_t sent, heard;
	int64_t reached_ns;
	uint64_t waits; /* for others */
};

struct away {
	uint64_t keys;
	struct state now;
	struct other {
		struct state told, said; /* to that process and by it */
		uint64_t told_events;    /* of this one, then */
		uint64_t posts, polls;   /* to it and from it */
	} *other;
	uint64_t posted_events; /* of this process, when it posted */
	int64_t others_ns;      /* how far the others are at least, */
	uint64_t others_events; /* and of this process when that was new */
	int give_up, over, called;
	int more;   /* it could go on */
	int moved;  /* something did since the last meeting */
	int looked; /* did all see that they cannot go on? */
	/* who owns members of a communicator */
	struct owners {
		uint64_t comm, set;
	} of[KNOWN_COMMS];
};

/* What it says when all meet. */
struct meeting_state {
	uint64_t posts; /* to who gets this */
	uint64_t sent, heard;
	uint8_t more, moved, unfinished, give_up, lacking, pad[3];
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
	g->away->other =
	    tape_must(calloc((size_t)g->peers->n, sizeof *g->away->other));
	for (int i = 0; i < g->peers->n; i++)
		g->away->other[i].said.reached_ns = INT64_MIN;
	g->away->others_ns = INT64_MIN;
}

void away_close(struct engine *g)
{
	if (g->away)
		free(g->away->other);
	free(g->away);
	g->away = NULL;
}

void away_give_up(struct engine *g)
{
	if (g->away)
		g->away->give_up = 1;
}

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
			    .rank = op->r->rank};
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

static void hear_state(struct away *a, int from, const void *data)
{
	memcpy(&a->other[from].said, data, sizeof a->other[from].said);
}

/* A record of another process. */
static void hear(struct engine *g, int from, unsigned kind, const void *data,
		 size_t bytes)
{
	switch (kind) {
	case SENT:
		hear_sent(g, from, data, bytes);
		break;
	case POSTED:
		hear_posted(g, data, bytes);
		break;
	case ENTERED:
		hear_entered(g, data, bytes);
		break;
	case STATE:
		hear_state(g->away, from, data);
		return;
	case CALL:
		g->away->called = 1;
		return;
	default:
		return;
	}
	g->away->now.heard++;
}

/* What that process posted, or any: 0, nothing has. */
static int hear_post(struct engine *g, int from, int waits)
{
	struct tape_bytes b;
	int who = g->peers->poll(g->peers, from, waits, &b);
	const void *data;
	unsigned kind;
	size_t bytes, at = 0;

	if (who < 0)
		tape_die(TAPE_FAILED, "out of memory");
	if (!who)
		return 0;
	g->away->other[who - 1].polls++;
	while ((data = tape_bytes_next(&b, &at, &kind, &bytes)))
		hear(g, who - 1, kind, data, bytes);
	return 1;
}

/* All that is there. */
static int hear_posts(struct engine *g, int waits)
{
	struct away *a = g->away;
	int64_t least = INT64_MAX;
	int any = hear_post(g, -1, waits);

	while (hear_post(g, -1, 0))
		any = 1;
	for (int i = 0; any && i < g->peers->n; i++)
		if (i != g->peers->me && a->other[i].said.reached_ns < least)
			least = a->other[i].said.reached_ns;
	if (any && least != a->others_ns) {
		a->others_ns = least;
		a->others_events = g->r->events;
	}
	return any;
}

/* ---- posting ---- */

static void tell(struct engine *g, int to, unsigned kind, const void *data,
		 size_t bytes)
{
	if (tape_peers_put(g->peers, to, kind, data, bytes))
		tape_die(TAPE_FAILED, "out of memory");
}

static void post(struct engine *g, int to)
{
	struct away *a = g->away;
	struct other *o = &a->other[to];

	tell(g, to, STATE, &a->now, sizeof a->now);
	if (g->peers->post(g->peers, to))
		tape_die(TAPE_FAILED, "out of memory");
	o->told = a->now;
	o->told_events = g->r->events;
	o->posts++;
}

/*
 * What is for others; and where this process stands, to those to whom it did
 * not say so for so many events.
 */
static void post_all(struct engine *g, uint64_t events)
{
	struct away *a = g->away;

	a->posted_events = g->r->events;
	for (int i = 0; i < g->peers->n; i++)
		if (i != g->peers->me &&
		    (g->peers->out[i].n ||
		     g->r->events - a->other[i].told_events >= events))
			post(g, i);
}

/* Others hear where this process stands, if that is new to them. */
static void say_all(struct engine *g)
{
	struct away *a = g->away;

	for (int i = 0; i < g->peers->n; i++)
		if (i != g->peers->me &&
		    memcmp(&a->other[i].told, &a->now, sizeof a->now))
			post(g, i);
}

/* Do all wait, and is nothing on its way? If they said the latest. */
static int all_wait(const struct engine *g)
{
	const struct away *a = g->away;
	uint64_t sent = a->now.sent, heard = a->now.heard;

	for (int i = 1; i < g->peers->n; i++) {
		const struct state *s = &a->other[i].said;

		if (!s->waits)
			return 0;
		sent += s->sent;
		heard += s->heard;
	}
	return sent == heard;
}

/* All others are to meet this process. */
static void call(struct engine *g)
{
	for (int i = 0; i < g->peers->n; i++)
		if (i != g->peers->me) {
			tell(g, i, CALL, "", 1);
			post(g, i);
		}
	g->away->called = 1;
}

static int is_far(const struct engine *g)
{
	const struct away *a = g->away;

	return g->r->events - a->others_events >= AHEAD_EVENTS &&
	       a->others_ns < INT64_MAX - AHEAD_NS &&
	       a->now.reached_ns > a->others_ns + AHEAD_NS;
}

int away_go_on(struct engine *g, int moved, int64_t reached_ns)
{
	struct away *a = g->away;
	uint64_t before = a->now.heard;
	int heard = 0;

	a->moved |= moved;
	a->now.reached_ns = reached_ns;
	a->now.waits = 0;
	if (a->give_up || g->lacking)
		call(g);
	if (g->r->events - a->posted_events >= POST_EVENTS) {
		post_all(g, TELL_EVENTS);
		hear_posts(g, 0);
	}
	while (!a->called && (moved ? is_far(g) : !heard)) {
		a->now.waits = 1;
		post_all(g, UINT64_MAX);
		heard = hear_posts(g, 0);
		if (heard)
			continue;
		say_all(g);
		if (!g->peers->me && all_wait(g))
			call(g);
		if (a->called)
			break;
		heard = hear_posts(g, 1);
	}
	a->more = moved || a->now.heard != before;
	return !a->called;
}

/* ---- meeting ---- */

/* What is known of all then. */
struct all {
	uint64_t sent, heard;
	int more, moved, unfinished, give_up, lacking;
};

static void hear_meeting(struct engine *g, struct all *all, int from,
			 const void *data)
{
	struct meeting_state s;

	memcpy(&s, data, sizeof s);
	all->sent += s.sent;
	all->heard += s.heard;
	all->more |= s.more;
	all->moved |= s.moved;
	all->unfinished |= s.unfinished;
	all->give_up |= s.give_up;
	all->lacking |= s.lacking;
	/* what it posted comes before what it gives now */
	while (from != g->peers->me && g->away->other[from].polls < s.posts)
		hear_post(g, from, 1);
}

static void meet(struct engine *g, struct meeting_state *s, struct all *all)
{
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;

	for (int i = 0; i < g->peers->n; i++) {
		s->posts = g->away->other[i].posts;
		tell(g, i, MEETING, s, sizeof *s);
	}
	if (g->peers->swap(g->peers))
		tape_die(TAPE_FAILED, "out of memory");
	while ((data = tape_peers_next(g->peers, &at, &kind, &bytes)))
		if (kind == MEETING)
			hear_meeting(g, all, at.from, data);
	at = (struct tape_peers_at){0};
	while ((data = tape_peers_next(g->peers, &at, &kind, &bytes)))
		hear(g, at.from, kind, data, bytes);
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
		tell(g, i, COUNTS, g->sent, sizeof g->sent);
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

int away_meet(struct engine *g, int unfinished)
{
	struct away *a = g->away;
	struct meeting_state s = {.sent = a->now.sent,
				  .heard = a->now.heard,
				  .more = a->more != 0,
				  .moved = a->moved != 0,
				  .unfinished = unfinished != 0,
				  .give_up = a->give_up != 0,
				  .lacking = g->lacking != 0};
	struct all all = {0};

	meet(g, &s, &all);
	a->called = a->moved = 0;
	a->others_events = g->r->events;
	a->looked &= !all.moved;
	if (all.lacking) {
		g->lacking = ENGINE_LACKS;
	} else if (all.give_up) {
		g->lacking = ENGINE_ALONE;
	} else if (all.more || all.sent != all.heard) {
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
