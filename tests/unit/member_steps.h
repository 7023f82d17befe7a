/*
 * Members of a collective as programs that send, receive and wait, and a
 * simulation of them: each does its actions one after the other; a message is
 * there a transit after it was sent, or, of a rendezvous, after both began.
 */
#ifndef MEMBERS_H
#define MEMBERS_H
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "coll.h"

enum { MOST = 40, ACTIONS = 4096 };

static unsigned long long state;

static double chance(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) * 0x1p-53;
}

/* ---- messages ---- */

static double base[MOST][MOST], per_byte, take_ns;
static uint64_t eager;

static double transit(const void *of, int from, int to, uint64_t bytes,
		      int *together)
{
	(void)of;
	*together = bytes > eager;
	return base[from][to] + per_byte * (double)bytes;
}

static double take(const void *of, int from, int to, uint64_t bytes)
{
	(void)of, (void)from, (void)to, (void)bytes;
	return take_ns;
}

static const struct tape_coll_cost cost = { transit, take, NULL, NULL };

/* Entries, and transits of each pair. */
static inline void make_up(int n, double *entry)
{
	for (int i = 0; i < n; i++) {
		entry[i] = floor(5000 * chance());
		for (int j = 0; j < n; j++)
			base[i][j] = 500 + floor(1000 * chance());
	}
}

/* ---- programs of members, and their simulation ---- */

enum what { SEND, RECV, WAIT };

struct action {
	enum what what;
	int other;
	uint64_t bytes;
};

static struct {
	struct action list[ACTIONS];
	int n, at;
	double t;
} member[MOST];

/* The messages between two, in order. */
static struct {
	struct { double sent, posted, there; int is_sent, is_posted; } m[256];
	uint64_t bytes[256];
	int sends, recvs;
} pair[MOST][MOST];

static void put(int who, enum what what, int other, uint64_t bytes)
{
	if (member[who].n == ACTIONS)
		abort();
	member[who].list[member[who].n++] =
		(struct action){ what, other, bytes };
}

static inline void send(int who, int to, uint64_t bytes)
{
	put(who, SEND, to, bytes);
	put(who, WAIT, 0, 0);
}

static inline void recv(int who, int from)
{
	put(who, RECV, from, 0);
}

static inline void sendrecv(int who, int to, int from, uint64_t bytes)
{
	put(who, SEND, to, bytes);
	put(who, RECV, from, 0);
	put(who, WAIT, 0, 0);
}

/* The date at which a message is there, if that can be known. */
static int is_there(int from, int to, int i, double *there)
{
	int together;
	double ns;

	if (!pair[from][to].m[i].is_sent)
		return 0;
	ns = transit(NULL, from, to, pair[from][to].bytes[i], &together);
	if (together && !pair[from][to].m[i].is_posted)
		return 0;
	*there = pair[from][to].m[i].sent;
	if (together)
		*there = fmax(*there, pair[from][to].m[i].posted);
	*there += ns;
	return 1;
}

static int waited(int who)
{
	double last = member[who].t, there;

	for (int to = 0; to < MOST; to++)
		for (int i = 0; i < pair[who][to].sends; i++) {
			if (pair[who][to].bytes[i] <= eager)
				continue;
			if (!is_there(who, to, i, &there))
				return 0;
			last = fmax(last, there);
		}
	member[who].t = last;
	return 1;
}

/* One action of a member: 1, or 0 where it has to wait. */
static int act(int who)
{
	const struct action *a = &member[who].list[member[who].at];
	double there;
	int i;

	switch (a->what) {
	case SEND:
		i = pair[who][a->other].sends++;
		pair[who][a->other].m[i].sent = member[who].t;
		pair[who][a->other].m[i].is_sent = 1;
		pair[who][a->other].bytes[i] = a->bytes;
		break;
	case RECV:
		i = pair[a->other][who].recvs;
		pair[a->other][who].m[i].posted = member[who].t;
		pair[a->other][who].m[i].is_posted = 1;
		if (!is_there(a->other, who, i, &there))
			return 0;
		pair[a->other][who].recvs++;
		member[who].t = fmax(member[who].t, there) + take_ns;
		break;
	case WAIT:
		if (!waited(who))
			return 0;
		break;
	}
	member[who].at++;
	return 1;
}

static inline void start(void)
{
	memset(member, 0, sizeof member);
	memset(pair, 0, sizeof pair);
}

/* 1: all ran to their ends */
static inline int simulate(int n)
{
	int moved = 1, over = 1;

	while (moved) {
		moved = 0;
		for (int who = 0; who < n; who++)
			while (member[who].at < member[who].n && act(who))
				moved = 1;
	}
	for (int who = 0; who < n; who++)
		over &= member[who].at == member[who].n;
	return over;
}
#endif
