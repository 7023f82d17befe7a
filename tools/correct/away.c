/*
 * How processes go through a trace together; see engine_state.h. Each goes
 * through the flows of its own ranks, and tells others what concerns theirs
 * (away_records.c). Records are posted after some events, and at once where a
 * process cannot go on; only then it waits, for what others post. All meet
 * where none can go on, or one sees that several cannot do it: what was posted
 * has come then, and all find the same. What comes out does not depend on when
 * records come, for what an event waits for is known to the traversal as ever.
 */
#include <stdlib.h>
#include <string.h>

#include "away.h"
#include "tool.h"

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

/* What it says when all meet. */
struct meeting_state {
	uint64_t posts; /* to who gets this */
	uint64_t sent, heard;
	uint8_t more, moved, unfinished, give_up, lacking, pad[3];
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

/* ---- hearing ---- */

static void hear_state(struct away *a, int from, const void *data)
{
	memcpy(&a->other[from].said, data, sizeof a->other[from].said);
}

/* A record of another process. */
static void hear(struct engine *g, int from, unsigned kind, const void *data,
		 size_t bytes)
{
	if (kind == STATE)
		hear_state(g->away, from, data);
	else if (kind == CALL)
		g->away->called = 1;
	else
		g->away->now.heard +=
			(uint64_t)away_hear(g, from, kind, data, bytes);
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
	away_forget_sends(g);
	return 0;
}
