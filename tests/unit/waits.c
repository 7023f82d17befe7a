/* How long calls wait, against examples, and a definition pair by pair. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history.h"
#include "table.h"
#include "tap.h"
#include "waits.h"

static void messages(void)
{
	/* Wait 4 to 7, sent at 6: 2; sent at 3: none; after its end: 3 */
	ok(tape_wait_late_sender(4, 7, 6) == 2, "late sender");
	ok(tape_wait_late_sender(4, 7, 3) == 0, "sent before");
	ok(tape_wait_late_sender(4, 7, 9) == 3, "no more than the call");
	ok(tape_wait_late_receiver(2, 9, 5) == 3, "late receiver");
	ok(tape_wait_late_receiver(2, 4, 5) == 0, "ended before: not held");
	ok(tape_wait_late_receiver(6, 9, 5) == 0, "posted before");
}

/* By the sentences of waits.h, pair by pair. */
static int64_t brute(enum tape_shape shape, int64_t slack, int32_t root,
		     const struct tape_wait_member *m, size_t n, size_t i)
{
	int64_t last = INT64_MIN, to;

	for (size_t j = 0; j < n; j++) {
		int waits = shape == TAPE_SHAPE_ALL
				    ? m[i].receives && m[j].sends
			    : shape == TAPE_SHAPE_FROM
				    ? (int32_t)j == root && m[i].receives
			    : shape == TAPE_SHAPE_TO
				    ? (int32_t)i == root && m[j].sends
				    : j < i && m[j].sends;

		if (i == j || !m[i].there || !m[j].there || !waits)
			continue;
		if (root >= 0 && !m[root].there && shape != TAPE_SHAPE_ALL &&
		    shape != TAPE_SHAPE_SCAN)
			continue;
		if (m[j].begun_ns > m[i].ended_ns + slack)
			continue;
		last = m[j].begun_ns > last ? m[j].begun_ns : last;
	}
	to = last < m[i].ended_ns ? last : m[i].ended_ns;
	return to > m[i].awaited_ns ? to - m[i].awaited_ns : 0;
}

static void collectives(void)
{
	static const enum tape_shape shapes[] = {
		TAPE_SHAPE_ALL, TAPE_SHAPE_FROM, TAPE_SHAPE_TO,
		TAPE_SHAPE_SCAN };
	struct tape_wait_member m[9];
	int64_t wait[9];
	int32_t late[9], room[19];
	int wrong = 0, waited = 0;

	srand(7);
	for (int k = 0; k < 40000; k++) {
		size_t n = 2 + (size_t)rand() % 8;
		enum tape_shape shape = shapes[rand() % 4];
		int64_t slack = rand() % 2 ? 0 : rand() % 20;
		int32_t root = rand() % (int)n;

		for (size_t i = 0; i < n; i++) {
			m[i].begun_ns = rand() % 50;
			m[i].awaited_ns = m[i].begun_ns + rand() % 10;
			m[i].ended_ns = m[i].awaited_ns + rand() % 50;
			m[i].there = rand() % 8 != 0;
			m[i].sends = rand() % 4 != 0;
			m[i].receives = rand() % 4 != 0;
		}
		tape_wait_collective(shape, slack, root, m, n, room, wait,
				     late);
		for (size_t i = 0; i < n; i++) {
			wrong += wait[i] !=
				 brute(shape, slack, root, m, n, i);
			wrong += (wait[i] > 0) != (late[i] >= 0);
			waited += wait[i] > 0;
		}
	}
	ok(!wrong && waited > 10000, "40,000 collectives, as by pairs");
}

/*
 * Each of many left before the next one came: it waited for the one before it.
 * Pair by pair that takes minutes. Of all, members come from the last to the
 * first; of a scan those with even numbers before those with odd ones.
 */
static void many(enum tape_shape shape, const char *name)
{
	enum { N = 200000 };
	int scan = shape == TAPE_SHAPE_SCAN;
	struct tape_wait_member *m = calloc(N, sizeof *m);
	int64_t *wait = calloc(N, sizeof *wait);
	int32_t *late = calloc(N, sizeof *late);
	int32_t *room = calloc(2 * N + 1, sizeof *room);
	int wrong = !m || !wait || !late || !room;

	for (int i = 0; !wrong && i < N; i++) {
		int64_t at = 100 * (!scan ? N - i : i % 2 ? N + i : i);

		m[i] = (struct tape_wait_member){
			at, at - (scan ? 250 : 150), at + 50, 1, 1, 1 };
	}
	alarm(30);
	if (!wrong)
		tape_wait_collective(shape, 0, -1, m, N, room, wait, late);
	alarm(0);
	for (int i = 0; !wrong && i < N; i++) {
		int32_t who = scan ? (i > 1 ? i - 2 : -1)
				   : (i < N - 1 ? i + 1 : -1);

		wrong += late[i] != who || wait[i] != (who < 0 ? 0 : 50);
	}
	ok(!wrong, "%s", name);
	free(m);
	free(wait);
	free(late);
	free(room);
}

/* A table against an array of what should be in it. */
static void tables(void)
{
	struct tape_table t = { .bytes = sizeof(uint64_t) };
	static uint64_t truth[5000];
	uint64_t key, *v;
	size_t at = 0, n = 0, wrong = 0;

	srand(3);
	for (int i = 0; i < 400000; i++) {
		uint64_t k = (uint64_t)rand() % 4999 + 1;

		if (rand() % 3) {
			v = tape_table_get(&t, k << 33);
			wrong += !v || *v != truth[k];
			if (v)
				*v = truth[k] = (uint64_t)i + 1;
		} else {
			tape_table_drop(&t, k << 33);
			truth[k] = 0;
		}
	}
	for (size_t k = 1; k < 5000; k++) {
		v = tape_table_find(&t, (uint64_t)k << 33);
		wrong += truth[k] ? !v || *v != truth[k] : v != NULL;
		n += truth[k] != 0;
	}
	wrong += n != t.used;
	while ((v = tape_table_each(&t, &at, &key))) {
		wrong += *v != truth[key >> 33];
		n--;
	}
	ok(!wrong && !n, "a table of 400,000 changes");
	tape_table_free(&t);
}

static void history(void)
{
	struct tape_history *h = tape_history_new(3);
	const struct tape_spent *rest;
	struct tape_sync *s;
	int wrong = 0;
	int64_t sum = 0;

	for (int i = 0; h && i < 60000; i++) {
		size_t flow = (size_t)i % 3;

		for (uint32_t k = 0; k < 20; k++)
			wrong += tape_history_add_time(h, flow, k % 7, k) != 0;
		s = tape_history_add_call(h, flow, (uint64_t)i + 1, i);
		if (!s)
			break;
		wrong += s->n_spent != 7 || s->flow != flow;
	}
	for (s = h ? tape_history_last_call(h, 1) : NULL; s; s = s->before) {
		wrong += s->before && s->before->begun_ns != s->begun_ns - 3;
		for (uint32_t k = 0; k < s->n_spent; k++)
			sum += s->spent[k].ns;
	}
	ok(h && !wrong && sum == 20000 * 190, "calls are kept as they came");
	ok(h && tape_history_find_call(h, 1, 30001)->begun_ns == 29998,
	   "the latest call up to an event");
	ok(h && tape_history_open_times(h, 1, &rest) == 0,
	   "nothing is left over");
	tape_history_free(h);
}

int main(void)
{
	messages();
	collectives();
	many(TAPE_SHAPE_ALL, "200,000 leave an allreduce early");
	many(TAPE_SHAPE_SCAN, "200,000 leave a scan early");
	tables();
	history();
	return done();
}
