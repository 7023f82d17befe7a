/*
 * The history of calls, and what merging leaves of it, against a made-up run
 * whose times and waits are known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "tap.h"

enum { FLOWS = 5, CALLS = 60000, ACTIVITIES = 9, PENDING = 200 };

/* A call as it was made; late: its wait is for that call, -1: it has none. */
struct made {
	int flow, activity, late, due;
	int64_t begun_ns, ended_ns, wait_ns, round;
	uint64_t event;
};

static struct made made[CALLS];
static int64_t spent_ns[FLOWS][ACTIVITIES]; /* calls included */
static int last_of[FLOWS];
static unsigned seed = 1;

static int draw(int n)
{
	return (int)((unsigned)rand_r(&seed) % (unsigned)n);
}

/* What the analysis does when the wait of a call is known. */
static void settle(struct tape_history *h, int call)
{
	struct made *m = &made[call];
	struct tape_sync *s =
	    tape_history_find_call(h, (size_t)m->flow, m->event);

	m->due = 0;
	if (!s || s->event != m->event)
		return;
	s->due = 0;
	s->cover = s->uncover = 0;
	if (m->late < 0)
		return;
	s->wait_ns = m->wait_ns;
	s->late_flow = (uint32_t)made[m->late].flow;
	/* an event behind it that is no call leads to the same one */
	s->late_event = made[m->late].event + (uint64_t)draw(2);
	s->late = tape_history_find_call(h, s->late_flow, s->late_event);
	s->late_event = s->late ? s->late->event : 0;
	if (s->late)
		s->late->is_awaited = 1;
}

/* Of those that began since the call, one of another flow; -1: none. */
static int choose_late(int call, int last)
{
	int k = call + 1 + draw(last - call);

	return made[k].flow != made[call].flow ? k : -1;
}

/* The call that begins next, after a time spent on another activity. */
static void add_next(struct tape_history *h, int call, int64_t *now,
		     int waits_of)
{
	struct made *m = &made[call];
	int activity = draw(ACTIVITIES);
	struct tape_sync *s;

	m->flow = draw(FLOWS);
	if (tape_history_add_time(h, (size_t)m->flow, (uint32_t)activity, 7))
		return;
	spent_ns[m->flow][activity] += 7;
	*now += 1 + draw(50);
	m->begun_ns = *now;
	m->ended_ns = m->begun_ns + draw(30); /* overlaps do not matter */
	m->activity = draw(ACTIVITIES);
	m->event = (uint64_t)call * 2 + 1;
	m->late = -1;
	m->due = 1;
	s = tape_history_add_call(h, (size_t)m->flow, m->event, m->begun_ns);
	if (!s)
		return;
	m->round = waits_of && !draw(40) ? call + 2 : 0;
	s->ended_ns = m->ended_ns;
	s->call = (uint32_t)m->activity;
	s->round = (uint64_t)m->round;
	s->due = 1;
	last_of[m->flow] = call;
}

/* One in waits_of calls waits; 0: none does. */
static struct tape_history *make_run(int waits_of)
{
	struct tape_history *h = tape_history_new(FLOWS);
	int64_t now = 0;

	if (!h)
		return NULL;
	memset(spent_ns, 0, sizeof spent_ns);
	tape_history_merge_calls(h);
	for (int i = 0; i < CALLS + PENDING; i++) {
		int call = i < PENDING ? -1 : i - PENDING;

		if (i < CALLS)
			add_next(h, i, &now, waits_of);
		if (call < 0)
			continue;
		if (waits_of && !draw(waits_of) && i < CALLS)
			made[call].late = choose_late(call, i);
		made[call].wait_ns = made[call].late < 0 ? 0 : 1;
		settle(h, call);
	}
	if (!tape_history_merge_rest(h))
		return h;
	tape_history_free(h);
	return NULL;
}

/* Adds up calls and what was spent before them; returns how many calls. */
static int sum_flow(struct tape_history *h, int flow, int64_t *sum)
{
	const struct tape_spent *rest;
	size_t n = tape_history_open_times(h, (size_t)flow, &rest);
	int calls = 0;

	for (size_t i = 0; i < n; i++)
		sum[rest[i].activity] += rest[i].ns;
	for (struct tape_sync *s = tape_history_last_call(h, (size_t)flow); s;
	     s = s->before, calls++) {
		sum[s->call] += s->ended_ns - s->begun_ns;
		for (uint32_t k = 0; k < s->n_spent; k++)
			sum[s->spent[k].activity] += s->spent[k].ns;
	}
	return calls;
}

/* Returns how many sums of time differ from what was made. */
static int count_wrong_sums(struct tape_history *h, int *calls)
{
	int wrong = 0;

	*calls = 0;
	for (int i = 0; i < CALLS; i++)
		spent_ns[made[i].flow][made[i].activity] +=
		    made[i].ended_ns - made[i].begun_ns;
	for (int f = 0; f < FLOWS; f++) {
		int64_t sum[ACTIVITIES] = {0};

		*calls += sum_flow(h, f, sum);
		for (int k = 0; k < ACTIVITIES; k++)
			wrong += sum[k] != spent_ns[f][k];
	}
	return wrong;
}

static struct tape_sync *find_made(struct tape_history *h, int call)
{
	struct tape_sync *s = tape_history_find_call(h, (size_t)made[call].flow,
						     made[call].event);

	return s && s->event == made[call].event ? s : NULL;
}

/* Returns how many waits are missing or are not for what they were for. */
static int count_wrong_waits(struct tape_history *h, int *waits)
{
	int wrong = 0;

	*waits = 0;
	for (int i = 0; i < CALLS; i++) {
		struct tape_sync *s = find_made(h, i);

		wrong += made[i].round && (!s || !s->round);
		if (made[i].late < 0)
			continue;
		++*waits;
		wrong += !s || s->wait_ns != 1 || !s->late ||
			 s->late != find_made(h, made[i].late);
	}
	return wrong;
}

static void merge_some(void)
{
	struct tape_history *h = make_run(10);
	int calls = 0, waits = 0;

	ok(h && !count_wrong_sums(h, &calls) && calls < CALLS / 2,
	   "what merged calls took is spent before others");
	ok(h && !count_wrong_waits(h, &waits) && waits > CALLS / 20,
	   "calls that waited, were waited for or met all stay, linked");
	tape_history_free(h);
}

static void merge_all(void)
{
	struct tape_history *h = make_run(0);
	int calls = 0;

	ok(h && !count_wrong_sums(h, &calls) && !calls,
	   "where nobody waited no call stays");
	tape_history_free(h);
}

static void keep_end(void)
{
	struct tape_history *h = tape_history_new(1);
	struct tape_sync *s;

	tape_history_merge_calls(h);
	for (int i = 1; i <= 1000; i++) {
		s = tape_history_add_call(h, 0, (uint64_t)i, i);
		s->ended_ns = i;
		if (i == 998)
			tape_history_end_flow(h, 0, (uint64_t)i);
	}
	ok(!tape_history_merge_rest(h), "the rest is merged");
	s = tape_history_last_call(h, 0);
	ok(s && s->event == 1000 && s->before->before->event == 998 &&
	       !s->before->before->before,
	   "calls from the end of a flow on stay");
	tape_history_free(h);
}

int main(void)
{
	printf("# seed %u\n", seed);
	merge_some();
	merge_all();
	keep_end();
	return done();
}
