/*
 * A window that several processes cut, each the flows of its ranks; see cut.h.
 * Only its beginning concerns them all: what is in progress then between ranks
 * is known to the process of the receiver, or of the collective, and is stored
 * by the process of the sender, or the member. So at the end of all that lies
 * before the window all of them stand still, and the one that has the first
 * event after that goes on by it, as one process alone would. Then they tell
 * each other first what was sent and not told yet (pending_sends.h), and then
 * what of each other's is in progress. In the same way they find out now and
 * then, before, what need not be kept any longer.
 *
 * A process that is inside a read cannot block, so it takes part in meetings
 * from there. A step is complete when all processes have taken part.
 */
#include <stdlib.h>
#include <string.h>

#include "cut_state.h"
#include "growing_array.h"
#include "tape_peers.h"
#include "tool.h"

enum { WANT = TAPE_KINDS_OF_GUEST, HERE, UNSENT, WAY };

enum stage {
	PLAY, /* up to the window, or until a look is wanted */
	ONE,  /* the first event after that */
	TELL, /* what was not told */
	LISTS /* what is in progress */
};

/* One stands still: before whose turn? */
struct here {
	struct tape_turn turn;
	int32_t has_turn, stands; /* after all that is before the window */
};

/* What is in progress: the key only of a message. */
struct mark {
	struct tape_where where;
	struct tape_match_key key;
	uint64_t has_key;
};

struct marks {
	struct mark *list;
	size_t n, room;
};

struct cut_parallel {
	struct tape_peers *peers;
	struct tape_replay *r;
	enum stage stage;
	int enters; /* the window begins with it */
	int wanted; /* a look */
	/* of those that were here in this meeting */
	int here, standing, first; /* number, number, which; -1: none */
	struct tape_turn turn;	   /* of the first */
	struct marks unsent, ways;
	struct tape_turn behind; /* the one event that is after that */
	struct marks left;	 /* members of collectives that it ended */
	int failed;		 /* out of memory */
};

/* ---- marks ---- */

static void add_mark(struct marks *m, const struct mark *one)
{
	m->list = tape_must(
	    tape_grow_array(m->list, &m->room, m->n + 1, sizeof *m->list));
	m->list[m->n++] = *one;
}

static struct mark make_mark(const struct tape_where *w,
			     const struct tape_match_key *key)
{
	struct mark m = {.where = *w, .has_key = key != NULL};

	if (key)
		m.key = *key;
	return m;
}

void cut_mark_from_peers(struct tape_cut *c)
{
	const struct marks *m = &c->together->ways;

	for (size_t i = 0; i < m->n; i++)
		cut_mark_in_progress(c, &m->list[i].where,
				     m->list[i].has_key ? &m->list[i].key
							: NULL);
	m = &c->together->left;
	for (size_t i = 0; i < m->n; i++)
		cut_mark_in_progress(c, &m->list[i].where, NULL);
}

/* Did the event end it that is left out of the window? Then it is in progress.
 */
static int is_ended_by_first(const struct tape_cut *c,
			     const struct tape_collective_round *q)
{
	const struct tape_turn *k = &c->together->behind;
	const struct tape_flow_info *f = tape_trace_flow(c->t, k->flow);
	int is = 0;

	for (int32_t i = 0; !k->begins && i < q->size; i++)
		is |= q->member[i].ended.event &&
		      q->member[i].ended_ns == k->ns &&
		      q->member[i].ended.rank == f->rank &&
		      q->member[i].ended.thread == f->thread;
	return is;
}

void cut_note_collective(struct tape_cut *c,
			 const struct tape_collective_round *q)
{
	struct cut_parallel *g = c->together;
	struct mark m;

	if (c->within || !g->enters || !is_ended_by_first(c, q))
		return;
	for (int32_t i = 0; i < q->size; i++) {
		m = make_mark(&q->member[i].begun, NULL);
		if (m.where.event)
			add_mark(&g->left, &m);
	}
}

/* ---- what is told ---- */

static void queue_record(struct cut_parallel *g, int to, unsigned kind,
			 const void *data, size_t bytes)
{
	g->failed |= tape_peers_put(g->peers, to, kind, data, bytes);
}

static void queue_record_to_all(struct cut_parallel *g, unsigned kind,
				const void *data, size_t bytes)
{
	for (int i = 0; i < g->peers->n; i++)
		queue_record(g, i, kind, data, bytes);
}

static void queue_unsent_message(void *own, int to,
				 const struct tape_where *sent,
				 const struct tape_match_key *key)
{
	struct mark m = make_mark(sent, key);

	queue_record(own, to, UNSENT, &m, sizeof m);
}

/* It goes to whoever has the flow where it began. */
static void queue_in_progress(void *own, const struct tape_where *begun,
			      const struct tape_match_key *key)
{
	struct cut_parallel *g = own;
	struct mark m = make_mark(begun, key);

	if (!tape_peers_owns_rank(g->peers, begun->rank))
		queue_record(g, g->peers->owner[begun->rank], WAY, &m,
			     sizeof m);
}

static int is_same_key(const struct tape_match_key *a,
		       const struct tape_match_key *b)
{
	return a->comm == b->comm && a->src == b->src && a->dst == b->dst &&
	       a->tag == b->tag && a->way == b->way;
}

/* Of messages of one key the first that is told is received first. */
static void queue_unreceived(struct cut_parallel *g)
{
	for (size_t i = 0; i < g->unsent.n; i++) {
		const struct mark *m = &g->unsent.list[i];
		size_t nth = 0;

		for (size_t k = 0; k < i; k++)
			nth += (size_t)is_same_key(&g->unsent.list[k].key,
						   &m->key);
		if (!tape_replay_is_received(g->r, &m->key, nth))
			queue_in_progress(g, &m->where, &m->key);
	}
}

/* ---- meeting ---- */

int tape_cut_send_state(void *self)
{
	struct tape_cut *c = self;
	struct cut_parallel *g = c->together;
	struct here h = {.stands = 1};

	if (c->within || !c->dated)
		return 0;
	h.has_turn = tape_replay_turn(g->r, &h.turn);
	if (h.has_turn)
		h.stands = h.turn.ns > c->from_ns;
	if (g->stage == PLAY && c->kept >= c->prune_at)
		queue_record_to_all(g, WANT, &h, sizeof h);
	if (g->stage != PLAY || g->wanted || h.stands)
		queue_record_to_all(g, HERE, &h, sizeof h);
	if (g->stage == TELL)
		tape_replay_unsent(g->r, queue_unsent_message, g);
	if (g->stage == LISTS) {
		tape_replay_in_progress(g->r, queue_in_progress, g);
		for (size_t i = 0; i < g->left.n; i++)
			queue_in_progress(g, &g->left.list[i].where, NULL);
		queue_unreceived(g);
	}
	return g->failed;
}

int tape_cut_receive_state(void *self, int from, int now, unsigned kind,
			   const void *data)
{
	struct cut_parallel *g = ((struct tape_cut *)self)->together;
	struct mark m;
	struct here h;

	if (kind == WANT)
		g->wanted = 1;
	if (!now) /* not all were there */
		return 0;
	if (kind == HERE) {
		memcpy(&h, data, sizeof h);
		g->here++;
		g->standing += h.stands;
		if (h.has_turn &&
		    (g->first < 0 || tape_turn_before(&h.turn, &g->turn))) {
			g->first = from;
			g->turn = h.turn;
		}
	} else if (kind == UNSENT || kind == WAY) {
		memcpy(&m, data, sizeof m);
		add_mark(kind == WAY ? &g->ways : &g->unsent, &m);
	}
	return 0;
}

/*
 * Advances the protocol after a meeting of all processes. Returns the time up
 * to which this process may continue.
 */
static int64_t advance_stage(struct tape_cut *c, int standing)
{
	struct cut_parallel *g = c->together;

	switch (g->stage) {
	case PLAY:
		if (standing && g->first < 0)
			return c->from_ns; /* nothing is after it */
		g->enters = standing;
		g->behind = g->turn;
		g->stage = standing ? ONE : TELL;
		return standing && g->first == g->peers->me ? g->turn.ns
							    : INT64_MIN;
	case ONE:
		g->stage = TELL;
		return INT64_MIN;
	case TELL:
		g->stage = LISTS;
		return INT64_MIN;
	case LISTS:
		break;
	}
	if (g->enters)
		cut_begin_window(c, g->r, NULL);
	else
		cut_prune(c, g->r);
	g->stage = PLAY;
	g->wanted = g->enters = 0;
	g->unsent.n = 0;
	return c->within ? INT64_MAX : c->from_ns;
}

int64_t tape_cut_time_limit(void *self)
{
	struct tape_cut *c = self;
	struct cut_parallel *g = c->together;
	int all = g->here == g->peers->n, standing = g->standing == g->here;
	enum stage was = g->stage;
	int64_t ns = g->wanted || was != PLAY ? INT64_MIN : c->from_ns;

	if (c->within || !c->dated)
		return INT64_MAX;
	if (all)
		ns = advance_stage(c, standing);
	/* else it is all told once more */
	if (!all && was == TELL)
		g->unsent.n = 0;
	g->here = g->standing = 0;
	g->first = -1;
	g->ways.n = 0;
	return ns;
}

/* It has gone on by one event after what is before the window. */
void cut_stop_replay(struct tape_cut *c)
{
	tape_replay_set_limit(c->together->r, INT64_MIN, 0);
}

/* ---- from beginning to end ---- */

/* When it begins, as its own flows have it; INT64_MAX: not known. */
static int64_t find_own_start(const struct tape_cut *c,
			      const struct tape_replay *r)
{
	int64_t first = INT64_MAX, ns;

	for (size_t i = 0; i < c->flows; i++) {
		const struct tape_event *e = tape_replay_upcoming_event(r, i);

		if (!e)
			continue;
		ns = cut_is_init(e) ? e->end_ns : e->start_ns;
		first = ns < first ? ns : first;
	}
	return first;
}

/* All say one number: the least one, or the sum. */
static int64_t reduce_over_peers(struct tape_peers *p, int64_t own, int least,
				 char *place, size_t n)
{
	struct tape_peers_at at = {0};
	int64_t all = least ? INT64_MAX : 0, one;
	const void *data;
	unsigned kind;
	size_t bytes;

	for (int i = 0; i < p->n; i++) {
		if (tape_peers_put(p, i, HERE, &own, sizeof own) ||
		    (place && !p->me &&
		     tape_peers_put(p, i, WAY, place, strlen(place) + 1)))
			tape_die_no_memory();
	}
	p->swap(p);
	while ((data = tape_peers_next(p, &at, &kind, &bytes))) {
		if (kind == WAY && place && bytes <= n)
			memmove(place, data, bytes);
		if (kind != HERE)
			continue;
		memcpy(&one, data, sizeof one);
		all = !least ? all + one : one < all ? one : all;
	}
	return all;
}

struct tape_cut *tape_cut_new_part(const struct tape_trace *t, const char *path,
				   int64_t from_ns, int64_t to_ns,
				   struct tape_replay *r,
				   struct tape_peers *peers)
{
	struct tape_cut *c = cut_alloc(t, from_ns, to_ns);
	struct cut_parallel *g = tape_must(calloc(1, sizeof *g));
	char place[4400] = "";
	int64_t ns;

	*g = (struct cut_parallel){.peers = peers, .r = r, .first = -1};
	c->together = g;
	c->prune_at = CUT_MANY;
	if (!peers->me) {
		c->out = tape_output_begin(path);
		snprintf(place, sizeof place, "%s", tape_output_place(c->out));
	}
	ns = reduce_over_peers(peers, find_own_start(c, r), 1, place,
			       sizeof place);
	if (peers->me)
		c->out = tape_output_enter(place);
	if (ns != INT64_MAX)
		cut_set_origin(c, ns);
	return c;
}

/* Those of all; and the others have left the directory unchanged. */
uint64_t cut_all_events(struct tape_cut *c)
{
	struct tape_peers *p = c->together->peers;
	int64_t all = reduce_over_peers(p, (int64_t)c->events, 0, NULL, 0);

	if (p->me && all)
		tape_output_leave(c->out);
	else if (p->me)
		tape_output_abandon(c->out);
	reduce_over_peers(p, 0, 0, NULL, 0);
	return (uint64_t)all;
}

int cut_is_process_0(const struct tape_cut *c)
{
	return !c->together || !c->together->peers->me;
}

int cut_is_own_flow(const struct tape_cut *c, size_t flow)
{
	return !c->together ||
	       tape_peers_owns_rank(c->together->peers,
				    tape_trace_flow(c->t, flow)->rank);
}

void cut_parallel_free(struct tape_cut *c)
{
	if (!c->together)
		return;
	free(c->together->unsent.list);
	free(c->together->ways.list);
	free(c->together->left.list);
	free(c->together);
}
