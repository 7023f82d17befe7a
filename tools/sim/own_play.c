/* Collectives played message by message; see own_play.h. */
#include <math.h>
#include <stdlib.h>

#include "certain.h"
#include "own_play.h"
#include "own_state.h"
#include "tool.h"

/* One message of the algorithm. */
struct part {
	int from, to, step;
	uint64_t bytes;
	double sent_ns;         /* a rendezvous ended for its sender */
	double there_ns, take_ns; /* for its receiver */
};

struct member {
	uint32_t first, end;    /* its parts, in mine[] */
	uint32_t at;            /* the first of its step */
	int pending;            /* parts of its step that it waits for */
	int inside;             /* it has entered, and not left */
	double now_ns;
	uint64_t request;
};

struct own_play {
	struct part *parts;
	size_t n, room;
	int step, taken;        /* while the parts are found out */
	int failed;
	uint32_t *mine;         /* numbers of parts, by member */
	struct member *members;
	int size, left;
	const int *world;
	uint32_t channel;
	int32_t tag;
};

/* ---- which messages ---- */

/*
 * The algorithm asks what each message costs when it sends it, and what it
 * takes to receive it at the end of the step: that tells all of them.
 */
static double sends(const void *of, int from, int to, uint64_t bytes,
		    int *together)
{
	struct own_play *p = *(struct own_play *const *)of;

	*together = 0;
	if (p->taken) {
		p->step++;
		p->taken = 0;
	}
	if (p->n == p->room) {
		size_t room = 2 * p->room + 64;
		void *more = realloc(p->parts, room * sizeof *p->parts);

		if (!more) {
			p->failed = 1;
			return 0;
		}
		p->parts = more;
		p->room = room;
	}
	p->parts[p->n++] = (struct part){ .from = from, .to = to,
					  .step = p->step, .bytes = bytes };
	return 0;
}

static double takes(const void *of, int from, int to, uint64_t bytes)
{
	struct own_play *p = *(struct own_play *const *)of;

	(void)from;
	(void)to;
	(void)bytes;
	p->taken = 1;
	return 0;
}

/* Each member's parts, in their order. */
static void divide(struct own_play *p)
{
	uint32_t first = 0;

	for (size_t i = 0; i < p->n; i++) {
		p->members[p->parts[i].from].end++;
		p->members[p->parts[i].to].end++;
	}
	for (int v = 0; v < p->size; v++) {
		struct member *m = &p->members[v];
		uint32_t n = m->end;

		m->first = m->at = m->end = first;
		first += n;
	}
	p->mine = tape_must(malloc(((size_t)first + 1) * sizeof *p->mine));
	for (uint32_t i = 0; i < p->n; i++) {
		p->mine[p->members[p->parts[i].from].end++] = i;
		p->mine[p->members[p->parts[i].to].end++] = i;
	}
}

struct own_play *own_play_new(const struct tape_collective *c,
			      enum tape_coll_way way, uint64_t segment,
			      const int *world, uint32_t channel, int32_t tag)
{
	struct own_play *p = tape_must(calloc(1, sizeof *p));
	size_t n = (size_t)c->size + 1;
	double *dates = tape_must(calloc(n, sizeof *dates));
	struct tape_coll_cost cost = { sends, takes, &p };

	p->members = tape_must(calloc(n, sizeof *p->members));
	p->size = c->size;
	p->world = world;
	p->channel = channel;
	p->tag = tag;
	if (way == TAPE_COLL_UNKNOWN ||
	    tape_coll_exits(c, way, segment, &cost, dates, dates) ||
	    p->failed || p->n > UINT32_MAX / 4) {
		own_play_free(p);
		p = NULL;
	} else {
		divide(p);
	}
	free(dates);
	return p;
}

void own_play_free(struct own_play *p)
{
	if (!p)
		return;
	free(p->parts);
	free(p->mine);
	free(p->members);
	free(p);
}

int own_play_over(const struct own_play *p)
{
	return p->left == p->size;
}

/* ---- a member's steps ---- */

static int rank_of(const struct own_play *p, int member)
{
	return p->world ? p->world[member] : member;
}

/* Where the step of a member ends, in mine[]. */
static uint32_t step_end(const struct own_play *p, const struct member *m)
{
	uint32_t end = m->at;
	int step = p->parts[p->mine[m->at]].step;

	while (end < m->end && p->parts[p->mine[end]].step == step)
		end++;
	return end;
}

static void post(struct own *o, struct own_play *p, int member, uint32_t end)
{
	struct member *m = &p->members[member];
	double begin = m->now_ns;

	/* all count, before any can be over */
	m->pending = 1;
	for (uint32_t i = m->at; i < end; i++) {
		struct part *q = &p->parts[p->mine[i]];

		m->pending += q->to == member ||
			      own_part_waits(o, rank_of(p, q->from),
					     rank_of(p, q->to), q->bytes);
	}
	for (uint32_t i = m->at; i < end; i++) {
		uint32_t number = p->mine[i];
		const struct part *q = &p->parts[number];

		if (q->to == member)
			own_part_recv(o, rank_of(p, q->from), rank_of(p, q->to),
				      p->channel, p->tag, begin, number + 1);
	}
	for (uint32_t i = m->at; i < end; i++) {
		uint32_t number = p->mine[i];
		const struct part *q = &p->parts[number];

		if (q->from == member)
			m->now_ns = own_part_send(o, rank_of(p, q->from),
						  rank_of(p, q->to), p->channel,
						  p->tag, q->bytes, m->now_ns,
						  number + 1);
	}
}

/* All that a step waits for is there. */
static void end_step(const struct own_play *p, int member, uint32_t end)
{
	struct member *m = &p->members[member];

	for (uint32_t i = m->at; i < end; i++) {
		const struct part *q = &p->parts[p->mine[i]];

		if (q->to == member)
			m->now_ns = tape_max(m->now_ns, q->there_ns) +
				    q->take_ns;
	}
	for (uint32_t i = m->at; i < end; i++) {
		const struct part *q = &p->parts[p->mine[i]];

		if (q->from == member)
			m->now_ns = tape_max(m->now_ns, q->sent_ns);
	}
	m->at = end;
}

static void leave(struct own *o, struct own_play *p, int member)
{
	struct member *m = &p->members[member];
	int rank = rank_of(p, member);

	m->inside = 0;
	p->left++;
	if (m->request)
		own_request_done(o, rank, m->request, m->now_ns, 0);
	else
		own_done(o, rank, m->now_ns);
}

static void go_on(struct own *o, struct own_play *p, int member)
{
	struct member *m = &p->members[member];

	while (m->at < m->end) {
		uint32_t end = step_end(p, m);

		post(o, p, member, end);
		if (--m->pending)
			return;
		end_step(p, member, end);
	}
	leave(o, p, member);
}

void own_play_enter(struct own *o, struct own_play *p, int member,
		    double at_ns, uint64_t request)
{
	struct member *m = &p->members[member];

	m->inside = 1;
	m->now_ns = at_ns;
	m->request = request;
	go_on(o, p, member);
}

void own_play_there(struct own *o, struct own_play *p, uint64_t number,
		    int sender, double there_ns, double take_ns)
{
	struct part *q = &p->parts[number - 1];
	int member = sender ? q->from : q->to;
	struct member *m = &p->members[member];

	if (sender) {
		q->sent_ns = there_ns;
	} else {
		q->there_ns = there_ns;
		q->take_ns = take_ns;
	}
	if (--m->pending)
		return;
	end_step(p, member, step_end(p, m));
	go_on(o, p, member);
}
