/* What flows did, for the processes that need it; see parallel_sums.h. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "parallel_sums.h"
#include "tape_follow.h"
#include "tool.h"

/* What an activity of a process that computes is called there. */
struct computes {
	uint32_t number, region, after;
};

/* And a place: its code is the same for all. */
struct place_at {
	uint32_t number, code;
};

/* A flow whose calls are wanted, and by whom. */
struct need {
	uint32_t flow;
	int by;
};

/* Of the flows of a process: how many there are, and which waited. */
struct load {
	uint64_t calls, waits;
};

/*
 * To take a call of others, and what is found of it in the end, is this part
 * of finding why one waited (callgrind, allreduce and master of bench/made).
 */
enum { TAKEN_CALLS = 7 };

struct stats_histories {
	struct stats *s;
	struct load *load; /* of each process */
	uint64_t distributed; /* of waits, which are left */
	struct tape_history *of;
	/* of each process: the number here of what it computes */
	uint32_t **map;
	size_t *room;
	uint32_t told; /* activities from there on others do not know */
	struct need *needs;
	size_t n_needs;
	struct tape_sync *call; /* a copy, with what was spent */
	size_t call_room;
};

struct stats_histories *stats_histories_new(struct stats *s)
{
	struct stats_histories *h = tape_must(calloc(1, sizeof *h));

	h->s = s;
	h->told = s->n_static;
	h->of = tape_analysis_history(s->analysis);
	h->load = tape_must(calloc((size_t)s->peers->n, sizeof *h->load));
	h->map = tape_must(calloc((size_t)s->peers->n, sizeof *h->map));
	h->room = tape_must(calloc((size_t)s->peers->n, sizeof *h->room));
	return h;
}

void stats_histories_free(struct stats_histories *h)
{
	for (int i = 0; i < h->s->peers->n; i++)
		free(h->map[i]);
	free(h->map);
	free(h->load);
	free(h->room);
	free(h->needs);
	free(h->call);
	free(h);
}

static int is_mine(const struct stats_histories *h, size_t flow)
{
	const struct stats *s = h->s;

	return tape_peers_owns_rank(s->peers,
				    tape_trace_flow(s->t, flow)->rank);
}

/* ---- taking ---- */

/* Maps a call-site number of process from to the local number. */
static void set_number(struct stats_histories *h, int from, uint32_t number,
		       uint32_t here)
{
	size_t at = number - h->s->n_static;

	if (here == UINT32_MAX)
		tape_die_no_memory();
	h->map[from] = tape_must(tape_grow_array(h->map[from], &h->room[from],
						 at + 1, sizeof **h->map));
	h->map[from][at] = here;
}

uint32_t stats_histories_place(const struct stats_histories *h, int from,
			       uint32_t number)
{
	return number < h->s->n_static ? number
				       : h->map[from][number - h->s->n_static];
}

static void take_computes(struct stats_histories *h, int from, const void *data)
{
	struct computes c;

	memcpy(&c, data, sizeof c);
	c.region = stats_histories_place(h, from, c.region);
	c.after = stats_histories_place(h, from, c.after);
	set_number(h, from, c.number,
		   tape_place_computing(h->s->places, c.region, c.after));
}

static void take_place(struct stats_histories *h, int from, const void *data)
{
	struct place_at a;
	uint32_t here;

	memcpy(&a, data, sizeof a);
	here = tape_place_from_code(h->s->places, a.code);
	if (!here && !tape_trace_catch_up(h->s->t))
		here = tape_place_from_code(h->s->places, a.code);
	set_number(h, from, a.number, here);
}

static void die_of_history(void)
{
	tape_die(TAPE_FAILED,
		 "no space in the temporary file for the results of the other "
		 "processes (TMPDIR selects its folder)");
}

/* Room for a call with n of what it spent, and why. */
static struct tape_sync *reserve_call(struct stats_histories *h, size_t n)
{
	size_t bytes = sizeof *h->call + n * sizeof *h->call->spent;

	h->call = tape_must(tape_grow_array(h->call, &h->call_room, bytes, 1));
	return h->call;
}

static void take_call(struct stats_histories *h, int from, const void *data,
		      size_t bytes)
{
	size_t n = (bytes + STATS_CALL_FROM - sizeof *h->call) /
		   sizeof *h->call->spent;
	struct tape_sync *c = reserve_call(h, n);

	memset(c, 0, STATS_CALL_FROM);
	memcpy((char *)c + STATS_CALL_FROM, data, bytes);
	c->call = stats_histories_place(h, from, c->call);
	/* where all is whole numbers of each is an activity, or 0 */
	for (size_t i = 0; i < n; i++)
		c->spent[i].activity =
		    stats_histories_place(h, from, c->spent[i].activity);
	if (!tape_history_copy_call(h->of, c, c->spent))
		die_of_history();
}

static void take_rest(struct stats_histories *h, int from, const void *data)
{
	struct {
		uint64_t flow;
		struct tape_spent spent;
	} one;

	memcpy(&one, data, sizeof one);
	if (tape_history_add_time(
		h->of, one.flow,
		stats_histories_place(h, from, one.spent.activity),
		one.spent.ns))
		die_of_history();
}

static void take_need(struct stats_histories *h, int from, const void *data)
{
	size_t n = h->n_needs++;

	h->needs = tape_must(tape_grow_list(h->needs, n, sizeof *h->needs));
	memcpy(&h->needs[n].flow, data, sizeof h->needs[n].flow);
	h->needs[n].by = from;
}

int stats_histories_receive(struct stats_histories *h, int from, unsigned kind,
			    const void *data, size_t bytes)
{
	if (kind == STATS_COMPUTES)
		take_computes(h, from, data);
	else if (kind == STATS_AT)
		take_place(h, from, data);
	else if (kind == STATS_CALL)
		take_call(h, from, data, bytes);
	else if (kind == STATS_REST)
		take_rest(h, from, data);
	else if (kind == STATS_NEED)
		take_need(h, from, data);
	else if (kind == STATS_LOAD)
		memcpy(&h->load[from], data, sizeof *h->load);
	else
		return 0;
	return 1;
}

static void receive_history(void *own, int from, unsigned kind,
			    const void *data, size_t bytes)
{
	stats_histories_receive(own, from, kind, data, bytes);
}

/* ---- giving ---- */

static void give_call(struct stats_histories *h, const struct tape_sync *c,
		      int to)
{
	tape_peers_exchange_add(
	    h->s->peers, to, STATS_CALL, (const char *)c + STATS_CALL_FROM,
	    sizeof *c - STATS_CALL_FROM +
		((size_t)c->n_spent + c->n_why) * sizeof *c->spent,
	    receive_history, h);
}

/* What a number here is, to another process. */
static void give_number(struct stats_histories *h, uint32_t number, int to)
{
	const struct stats *s = h->s;
	const struct tape_activity *a = tape_place_get(s->places, number);
	struct computes c = {number, a->region, a->after};
	struct place_at at = {number, 0};

	if (a->kind == TAPE_ACTIVITY_COMPUTES) {
		tape_peers_exchange_add(s->peers, to, STATS_COMPUTES, &c,
					sizeof c, receive_history, h);
		return;
	}
	at.code = tape_place_code(s->places, number);
	tape_peers_exchange_add(s->peers, to, STATS_AT, &at, sizeof at,
				receive_history, h);
}

/* What others do not number alike, to processes 0 to last. */
static void give_numbers(struct stats_histories *h, int last)
{
	uint32_t n = tape_places_count(h->s->places);

	for (uint32_t i = h->told; i < n; i++)
		for (int to = 0; to <= last; to++)
			if (to != h->s->peers->me)
				give_number(h, i, to);
	h->told = n;
}

/*
 * All are told how many calls there are. The flows of others that own ones
 * waited for are asked for; process 0 will have them all.
 */
static void request_flows(struct stats_histories *h)
{
	const struct stats *s = h->s;
	struct load *own = &h->load[s->peers->me];
	char *needed = tape_must(calloc(s->flows + 1, 1));

	for (size_t i = 0; i < s->flows; i++) {
		struct tape_history_at at = {0};
		const struct tape_sync *c;

		while (is_mine(h, i) &&
		       (c = tape_history_next_call(h->of, i, &at))) {
			own->calls++;
			if (c->wait_ns <= 0)
				continue;
			own->waits++;
			needed[c->late_flow] = 1;
		}
	}
	for (int to = 0; to < s->peers->n; to++)
		if (to != s->peers->me)
			tape_peers_exchange_add(s->peers, to, STATS_LOAD, own,
						sizeof *own, receive_history,
						h);
	for (uint32_t i = 0; s->peers->me && i < s->flows; i++)
		if (needed[i] && !is_mine(h, i))
			tape_peers_exchange_add(
			    s->peers,
			    s->peers->owner[tape_trace_flow(s->t, i)->rank],
			    STATS_NEED, &i, sizeof i, receive_history, h);
	free(needed);
}

void stats_histories_share(struct stats_histories *h)
{
	struct tape_peers *p = h->s->peers;

	give_numbers(h, p->n - 1);
	request_flows(h);
	tape_peers_exchange(p, receive_history, h);
	for (size_t i = 0; i < h->n_needs; i++) {
		struct tape_history_at at = {0};
		const struct tape_sync *c;

		while (
		    (c = tape_history_next_call(h->of, h->needs[i].flow, &at)))
			give_call(h, c, h->needs[i].by);
	}
	tape_peers_exchange(p, receive_history, h);
	if (p->me)
		tape_analysis_link_waits(h->s->analysis);
}

/* All processes find as much as that; how much is that of process 0 then? */
static uint64_t work_of_first(const struct stats_histories *h, uint64_t each)
{
	uint64_t calls = 0, left = 0;

	for (int i = 1; i < h->s->peers->n; i++) {
		const struct load *l = &h->load[i];

		calls += l->calls;
		left += l->waits > each ? l->waits - each : 0;
	}
	return h->load[0].waits + calls / TAKEN_CALLS + left;
}

/*
 * So many of its waits this process leaves to process 0, which has all calls
 * and finds why where nobody else has: those by which it has more to find.
 */
static uint64_t waits_left_to_first(const struct stats_histories *h)
{
	uint64_t own = h->load[h->s->peers->me].waits, least = 0, most = own;

	/* what is too much for process 0 is below what is not */
	while (least < most) {
		uint64_t each = least + (most - least) / 2;

		if (work_of_first(h, each) > each)
			least = each + 1;
		else
			most = each;
	}
	return own - least;
}

static void give_flow(struct stats_histories *h, struct tape_why *w,
		      size_t flow, uint64_t left)
{
	struct tape_history_at at = {0};
	const struct tape_spent *list;
	const struct tape_sync *c;
	struct tape_sync *copy;
	struct {
		uint64_t flow;
		struct tape_spent spent;
	} one = {.flow = flow};
	uint64_t own = h->load[h->s->peers->me].waits + 1;
	size_t n;

	while ((c = tape_history_next_call(h->of, flow, &at))) {
		h->distributed += c->wait_ns > 0 ? left : 0;
		n = 0;
		if (h->distributed < own)
			n = tape_why_find(w, c, &list);
		else
			h->distributed -= own;
		if (!n) {
			give_call(h, c, 0);
			continue;
		}
		copy = reserve_call(h, c->n_spent + n);
		memcpy(copy, c, sizeof *c + c->n_spent * sizeof *c->spent);
		memcpy(copy->spent + c->n_spent, list, n * sizeof *list);
		copy->n_why = n & 0x3ff;
		give_call(h, copy, 0);
	}
	n = tape_history_open_times(h->of, flow, &list);
	for (size_t i = 0; i < n; i++) {
		one.spent = list[i];
		tape_peers_gather_add(h->s->peers, STATS_REST, &one,
				      sizeof one);
	}
}

void stats_histories_send(struct stats_histories *h)
{
	struct tape_why *w = tape_must(tape_why_new(h->s->analysis));
	uint64_t left = waits_left_to_first(h);

	/* and what others have told */
	give_numbers(h, 0);
	for (size_t i = 0; i < h->s->flows; i++)
		if (is_mine(h, i))
			give_flow(h, w, i, left);
	tape_why_free(w);
}

void stats_histories_send_places(struct stats_histories *h)
{
	if (tape_trace_followed(h->s->t))
		give_numbers(h, 0);
}

void stats_histories_copy(const struct stats *s, struct tape_bytes *to)
{
	uint32_t n = tape_places_count(s->places);

	for (uint32_t i = s->n_static; i < n; i++) {
		struct place_at at = {i, 0};

		if (tape_place_get(s->places, i)->kind ==
		    TAPE_ACTIVITY_COMPUTES)
			continue;
		at.code = tape_place_code(s->places, i);
		if (tape_bytes_put(to, STATS_AT, &at, sizeof at))
			tape_die_no_memory();
	}
}
