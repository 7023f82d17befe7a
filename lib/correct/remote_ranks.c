/*
 * How processes go through a trace together; see engine_parts.h. Each goes
 * through the flows of its own ranks, and tells others what concerns theirs
 * (remote_records.c). Records are posted after some events, and at once where a
 * process cannot go on; only then it waits, for what others post. All meet
 * where none can go on, or one sees that several cannot do it: what was posted
 * has come then, and all find the same. What comes out does not depend on when
 * records come, for what an event waits for is known to the traversal as usual.
 */
#include <stdlib.h>
#include <string.h>

#include "remote_ranks.h"
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

/* State that every process contributes to a synchronisation. */
struct meeting_state {
	uint64_t posts; /* sent to the process that receives this */
	uint64_t sent, heard;
	uint8_t more, moved, unfinished, give_up, lacking, pad[3];
};

void remote_open(struct engine *g)
{
	if (!g->peers)
		return;
	g->remote = tape_must(calloc(1, sizeof *g->remote));
	g->remote->other =
	    tape_must(calloc((size_t)g->peers->n, sizeof *g->remote->other));
	for (int i = 0; i < g->peers->n; i++)
		g->remote->other[i].received_progress.reached_ns = INT64_MIN;
	g->remote->others_ns = INT64_MIN;
}

void remote_close(struct engine *g)
{
	if (g->remote)
		free(g->remote->other);
	free(g->remote);
	g->remote = NULL;
}

void remote_give_up(struct engine *g)
{
	if (g->remote)
		g->remote->give_up = 1;
}

/* ---- hearing ---- */

static void receive_state(struct remote *a, int from, const void *data)
{
	memcpy(&a->other[from].received_progress, data,
	       sizeof a->other[from].received_progress);
}

/* A record of another process. */
static void handle_record(struct engine *g, int from, unsigned kind,
			  const void *data, size_t bytes)
{
	if (kind == STATE)
		receive_state(g->remote, from, data);
	else if (kind == CALL)
		g->remote->called = 1;
	else
		g->remote->local_progress.heard +=
		    (uint64_t)remote_receive_record(g, from, kind, data, bytes);
}

/* What that process posted, or any: 0, nothing has. */
static int receive_post(struct engine *g, int from, int waits)
{
	struct tape_bytes b;
	int who = g->peers->poll(g->peers, from, waits, &b);
	const void *data;
	unsigned kind;
	size_t bytes, at = 0;

	if (who < 0)
		tape_die_no_memory();
	if (!who)
		return 0;
	g->remote->other[who - 1].polls++;
	while ((data = tape_bytes_next(&b, &at, &kind, &bytes)))
		handle_record(g, who - 1, kind, data, bytes);
	return 1;
}

/* All that is there. */
static int receive_posts(struct engine *g, int waits)
{
	struct remote *a = g->remote;
	int64_t least = INT64_MAX;
	int any = receive_post(g, -1, waits);

	while (receive_post(g, -1, 0))
		any = 1;
	for (int i = 0; any && i < g->peers->n; i++)
		if (i != g->peers->me &&
		    a->other[i].received_progress.reached_ns < least)
			least = a->other[i].received_progress.reached_ns;
	if (any && least != a->others_ns) {
		a->others_ns = least;
		a->others_events = g->r->events;
	}
	return any;
}

/* ---- posting ---- */

static void queue_record(struct engine *g, int to, unsigned kind,
			 const void *data, size_t bytes)
{
	if (tape_peers_put(g->peers, to, kind, data, bytes))
		tape_die_no_memory();
}

static void post_to_peer(struct engine *g, int to)
{
	struct remote *a = g->remote;
	struct peer_progress *o = &a->other[to];

	queue_record(g, to, STATE, &a->local_progress,
		     sizeof a->local_progress);
	if (g->peers->post(g->peers, to))
		tape_die_no_memory();
	o->sent_progress = a->local_progress;
	o->sent_at_events = g->r->events;
	o->posts++;
}

/*
 * Posts pending records to their peers. Also posts the progress of this process
 * to every peer that has not received it for the given number of events.
 */
static void post_pending(struct engine *g, uint64_t events)
{
	struct remote *a = g->remote;

	a->posted_events = g->r->events;
	for (int i = 0; i < g->peers->n; i++)
		if (i != g->peers->me &&
		    (g->peers->out[i].n ||
		     g->r->events - a->other[i].sent_at_events >= events))
			post_to_peer(g, i);
}

/* Posts the progress of this process to peers that have an older one. */
static void post_progress(struct engine *g)
{
	struct remote *a = g->remote;

	for (int i = 0; i < g->peers->n; i++)
		if (i != g->peers->me &&
		    memcmp(&a->other[i].sent_progress, &a->local_progress,
			   sizeof a->local_progress))
			post_to_peer(g, i);
}

/* Returns 1 if all peers wait and no record is in flight, as last reported. */
static int all_peers_wait(const struct engine *g)
{
	const struct remote *a = g->remote;
	uint64_t sent = a->local_progress.sent, heard = a->local_progress.heard;

	for (int i = 1; i < g->peers->n; i++) {
		const struct progress *s = &a->other[i].received_progress;

		if (!s->waits)
			return 0;
		sent += s->sent;
		heard += s->heard;
	}
	return sent == heard;
}

/* Calls all peers to a synchronisation. */
static void request_meeting(struct engine *g)
{
	for (int i = 0; i < g->peers->n; i++)
		if (i != g->peers->me) {
			queue_record(g, i, CALL, "", 1);
			post_to_peer(g, i);
		}
	g->remote->called = 1;
}

static int is_far_ahead(const struct engine *g)
{
	const struct remote *a = g->remote;

	return g->r->events - a->others_events >= AHEAD_EVENTS &&
	       a->others_ns < INT64_MAX - AHEAD_NS &&
	       a->local_progress.reached_ns > a->others_ns + AHEAD_NS;
}

int remote_exchange(struct engine *g, int moved, int64_t reached_ns)
{
	struct remote *a = g->remote;
	uint64_t before = a->local_progress.heard;
	int heard = 0;

	a->moved |= moved;
	a->local_progress.reached_ns = reached_ns;
	a->local_progress.waits = 0;
	if (a->give_up || g->lacking)
		request_meeting(g);
	if (g->r->events - a->posted_events >= POST_EVENTS) {
		post_pending(g, TELL_EVENTS);
		receive_posts(g, 0);
	}
	while (!a->called && (moved ? is_far_ahead(g) : !heard)) {
		a->local_progress.waits = 1;
		post_pending(g, UINT64_MAX);
		heard = receive_posts(g, 0);
		if (heard)
			continue;
		post_progress(g);
		if (!g->peers->me && all_peers_wait(g))
			request_meeting(g);
		if (a->called)
			break;
		heard = receive_posts(g, 1);
	}
	a->more = moved || a->local_progress.heard != before;
	return !a->called;
}

/* ---- meeting ---- */

/* The states of all processes. */
struct all {
	uint64_t sent, heard;
	int more, moved, unfinished, give_up, lacking;
};

static void receive_meeting(struct engine *g, struct all *all, int from,
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
	/* process the records that this peer posted before this state */
	while (from != g->peers->me && g->remote->other[from].polls < s.posts)
		receive_post(g, from, 1);
}

static void exchange_meeting(struct engine *g, struct meeting_state *s,
			     struct all *all)
{
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;

	for (int i = 0; i < g->peers->n; i++) {
		s->posts = g->remote->other[i].posts;
		queue_record(g, i, MEETING, s, sizeof *s);
	}
	if (g->peers->swap(g->peers))
		tape_die_no_memory();
	while ((data = tape_peers_next(g->peers, &at, &kind, &bytes)))
		if (kind == MEETING)
			receive_meeting(g, all, at.from, data);
	at = (struct tape_peers_at){0};
	while ((data = tape_peers_next(g->peers, &at, &kind, &bytes)))
		handle_record(g, at.from, kind, data, bytes);
}

/* Returns 1 if the sample has too few messages of some size of all. */
static int sample_lacks_sizes(struct engine *g)
{
	uint64_t all[TAPE_DISTANCES][TAPE_SIZE_CLASSES] = {{0}};
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	int lacking = 0;

	for (int i = 0; i < g->peers->n; i++)
		queue_record(g, i, COUNTS, g->sent, sizeof g->sent);
	if (g->peers->swap(g->peers))
		tape_die_no_memory();
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

int remote_synchronise(struct engine *g, int unfinished)
{
	struct remote *a = g->remote;
	struct meeting_state s = {.sent = a->local_progress.sent,
				  .heard = a->local_progress.heard,
				  .more = a->more != 0,
				  .moved = a->moved != 0,
				  .unfinished = unfinished != 0,
				  .give_up = a->give_up != 0,
				  .lacking = g->lacking != 0};
	struct all all = {0};

	exchange_meeting(g, &s, &all);
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
	} else if (sample_lacks_sizes(g)) {
		g->lacking = ENGINE_LACKS;
	}
	a->over = 1;
	remote_drop_sends(g);
	return 0;
}
