/*
 * Actions for tests, of a text: what a source of actions gives, without one.
 *
 *	made_actions(&s, 2, "0 send 1 7 100\n1 recv 0 7 100\n");
 *
 * A line is a rank, a name, and numbers: compute and sleep AMOUNT; send, ssend,
 * recv, probe PEER TAG BYTES; isend, issend, irecv the same and REQUEST; wait
 * REQUEST...; the collectives COMM BYTES ROOT [RBYTES], those with an i before
 * their name and REQUEST behind it; comm COMM PARENT; win WINDOW PARENT; put,
 * get WINDOW PEER BYTES; lock WINDOW PEER EXCLUSIVE; post, start WINDOW
 * MEMBER...; others WINDOW [PEER]. x N before a line: N times.
 */
#ifndef MADE_ACTIONS_H
#define MADE_ACTIONS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action.h"

#define MADE_NUMBERS 8
#define MADE_COMMS 4

struct made_action {
	struct tape_action a;
	uint64_t waits[MADE_NUMBERS];
	int32_t group[MADE_NUMBERS];
};

struct tape_actions {
	int n;
	struct made_list {
		struct made_action *all;
		size_t n, room, at;
	} *ranks;
	int comm_size[MADE_COMMS]; /* 0: as many as there are */
	const int *comm[MADE_COMMS];
};

static const char *const made_names[] = { "init", "finalize", "compute",
	"pack", "sleep", "send", "ssend", "isend", "issend", "recv", "irecv",
	"probe", "wait", "", "", "comm", "comm_free", "win", "win_free", "put",
	"get", "accumulate", "fence", "lock", "unlock", "flush", "post",
	"start", "complete", "wait_win" };

static const char *const made_ops[] = { "barrier", "bcast", "reduce",
	"allreduce", "scan", "exscan", "reduce_scatter", "gather", "scatter",
	"allgather", "alltoall", "gatherv", "scatterv", "allgatherv",
	"alltoallv" };

static inline int made_find(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

static inline void made_fill(struct made_action *m, const char *name,
			     const double *v, int n)
{
	struct tape_action *a = &m->a;
	int kind = made_find(name, made_names, TAPE_ACTION_KINDS);
	int now = *name == 'i' && strcmp(name, "init") && kind < 0;
	int op = made_find(name + now, made_ops, TAPE_DO_OPS);

	a->root = -1;
	if (op >= 0) {
		a->kind = now ? TAPE_ACTION_ICOLL : TAPE_ACTION_COLL;
		a->op = (enum tape_action_op)op;
		a->comm = (uint32_t)v[0];
		a->bytes = (uint64_t)v[1];
		a->root = (int32_t)v[2];
		*(now ? &a->request : &a->rbytes) = (uint64_t)v[3];
		return;
	}
	a->kind = (enum tape_action_kind)kind;
	if (kind < 0) {
		fprintf(stderr, "no action %s\n", name);
		abort();
	}
	if (kind >= TAPE_ACTION_COMPUTE && kind <= TAPE_ACTION_SLEEP) {
		a->amount = v[0];
	} else if (kind >= TAPE_ACTION_SEND && kind <= TAPE_ACTION_PROBE) {
		a->peer = (int32_t)v[0];
		a->tag = (int32_t)v[1];
		a->bytes = (uint64_t)v[2];
		a->request = (uint64_t)v[3];
	} else if (kind == TAPE_ACTION_WAIT) {
		a->n_waits = (size_t)n;
		for (int i = 0; i < n; i++)
			m->waits[i] = (uint64_t)v[i];
	} else {
		a->comm = (uint32_t)v[0];
		a->parent = (uint32_t)v[1];
		a->peer = n > 1 ? (int32_t)v[1] : -1;
		a->bytes = (uint64_t)v[2];
		a->root = kind == TAPE_ACTION_LOCK ? (int32_t)v[2] : -1;
		a->n_group = n > 1 ? (size_t)n - 1 : 0;
		for (int i = 1; i < n; i++)
			m->group[i - 1] = (int32_t)v[i];
	}
}

static inline void made_add(struct made_list *l, const struct made_action *m)
{
	if (l->n == l->room) {
		l->room = 2 * l->room + 16;
		l->all = realloc(l->all, l->room * sizeof *l->all);
		if (!l->all)
			abort();
	}
	l->all[l->n++] = *m;
}

static inline void made_actions(struct tape_actions *s, int n,
				const char *text)
{
	memset(s, 0, sizeof *s);
	s->n = n;
	s->ranks = calloc((size_t)n, sizeof *s->ranks);
	while (*text) {
		struct made_action m = { 0 };
		double v[MADE_NUMBERS] = { 0 };
		int rank, used = 0, values = 0, more;
		long times = 1;
		char name[32];

		if (sscanf(text, " x %ld%n", &times, &used) == 1)
			text += used;
		if (sscanf(text, "%d %31s%n", &rank, name, &used) != 2)
			break;
		text += used;
		while (values < MADE_NUMBERS && *text != '\n' &&
		       sscanf(text, "%lf%n", &v[values], &more) == 1) {
			text += more;
			values++;
		}
		made_fill(&m, name, v, values);
		m.a.event = 1;
		while (times--)
			made_add(&s->ranks[rank], &m);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
}

static inline void made_free(struct tape_actions *s)
{
	for (int r = 0; r < s->n; r++)
		free(s->ranks[r].all);
	free(s->ranks);
}

size_t tape_actions_ranks(const struct tape_actions *s)
{
	return (size_t)s->n;
}

const int *tape_actions_members(const struct tape_actions *s, uint32_t comm,
				int *size)
{
	*size = comm < MADE_COMMS ? s->comm_size[comm] : 0;
	return comm < MADE_COMMS ? s->comm[comm] : NULL;
}

int tape_actions_next(struct tape_actions *s, int rank,
		      const struct tape_action **a)
{
	struct made_list *l = &s->ranks[rank];
	struct made_action *m;

	if (l->at == l->n)
		return 0;
	m = &l->all[l->at++];
	m->a.waits = m->waits;
	m->a.group = m->group;
	*a = &m->a;
	return 1;
}

const char *tape_actions_error(const struct tape_actions *s)
{
	(void)s;
	return "";
}

#endif
