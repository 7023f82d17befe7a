/* Programs of members; see coll_program.h. No formulas. */
#include <stdlib.h>
#include <string.h>

#include "coll_program.h"
#include "error.h"
#include "growing_array.h"

/* ---- adding calls ---- */

/* Returns the call's number; sets p->rc when out of memory. */
static size_t append_call(struct play *p, int v, enum tape_coll_kind kind,
			  int peer, uint64_t bytes)
{
	int sends = kind == TAPE_COLL_SEND || kind == TAPE_COLL_ISEND;
	void *more;

	if (sends && p->left-- < 1)
		p->rc = 1;
	if (sends && p->message && !p->rc)
		p->message(p->self, v, peer, bytes);
	if (p->rc || p->message)
		return 0;
	more = tape_grow_array(p->calls, &p->room, p->n + 1, sizeof *p->calls);
	if (!more) {
		p->rc = TAPE_ENOMEM;
		return 0;
	}
	p->calls = more;
	p->calls[p->n] = (struct tape_coll_call){ .bytes = bytes, .member = v,
					      .peer = peer,
					      .kind = (uint8_t)kind };
	return p->n++;
}

void tape_coll_send(struct play *p, int v, int to, uint64_t bytes)
{
	append_call(p, v, TAPE_COLL_SEND, to, bytes);
}

void tape_coll_recv(struct play *p, int v, int from)
{
	append_call(p, v, TAPE_COLL_RECV, from, 0);
}

size_t tape_coll_isend(struct play *p, int v, int to, uint64_t bytes)
{
	return append_call(p, v, TAPE_COLL_ISEND, to, bytes);
}

size_t tape_coll_irecv(struct play *p, int v, int from)
{
	return append_call(p, v, TAPE_COLL_IRECV, from, 0);
}

static int is_request(const struct tape_coll_call *op)
{
	return op->kind == TAPE_COLL_ISEND || op->kind == TAPE_COLL_IRECV;
}

/* Until make_program, message is the number of the request. */
static void append_wait(struct play *p, size_t request, int more)
{
	struct tape_coll_call *op;
	size_t k;

	if (p->rc || p->message)
		return;
	op = &p->calls[request];
	op->more = 1;
	k = append_call(p, op->member,
			op->kind == TAPE_COLL_ISEND ? TAPE_COLL_WAIT_SEND
						    : TAPE_COLL_WAIT_RECV,
			0, 0);
	if (p->rc)
		return;
	p->calls[k].message = (uint32_t)request;
	p->calls[k].more = (uint8_t)more;
}

void tape_coll_wait(struct play *p, size_t request)
{
	append_wait(p, request, 0);
}

void tape_coll_wait_all(struct play *p, int v, size_t from)
{
	size_t end = p->n, last = end;

	for (size_t i = from; i < end && !p->rc && !p->message; i++) {
		if (p->calls[i].member != v || !is_request(&p->calls[i]) ||
		    p->calls[i].more)
			continue;
		last = p->n;
		append_wait(p, i, 1);
	}
	if (!p->rc && last < p->n)
		p->calls[last].more = 0;
}

void tape_coll_sendrecv(struct play *p, int v, int to, uint64_t bytes, int from)
{
	size_t first = p->n;

	if (to == v && from == v)
		return;
	tape_coll_isend(p, v, to, bytes);
	tape_coll_irecv(p, v, from);
	tape_coll_wait_all(p, v, first);
}

/* ---- steps ---- */

void tape_coll_message(struct play *p, int from, int to, uint64_t bytes)
{
	tape_coll_isend(p, from, to, bytes);
	tape_coll_irecv(p, to, from);
}

/* Waits for the receives of the step, then for its sends. */
static void end_step(struct play *p, int more)
{
	size_t end = p->n;

	for (int kind = TAPE_COLL_IRECV; kind >= TAPE_COLL_ISEND; kind -= 2)
		for (size_t i = p->step; i < end && !p->rc; i++)
			if (p->calls[i].kind == kind)
				append_wait(p, i,
					    more && kind == TAPE_COLL_IRECV);
	p->step = p->n;
}

void tape_coll_step(struct play *p)
{
	end_step(p, 0);
}

void tape_coll_step_by_arrival(struct play *p)
{
	end_step(p, 1);
}

void tape_coll_message_step(struct play *p, int from, int to, uint64_t bytes)
{
	tape_coll_message(p, from, to, bytes);
	tape_coll_step(p);
}

/* ---- making a program of it ---- */

/* The members that send and receive the message of a call. */
static int sender_of(const struct tape_coll_call *op)
{
	return op->kind == TAPE_COLL_SEND || op->kind == TAPE_COLL_ISEND
		       ? op->member : op->peer;
}

static int receiver_of(const struct tape_coll_call *op)
{
	return sender_of(op) == op->member ? op->peer : op->member;
}

/*
 * Sorts numbers of calls by one of their members; the sort is stable. count:
 * scratch for size + 1.
 */
static void sort_by_member(const struct tape_coll_call *ops,
			   const uint32_t *from, uint32_t *to, size_t n,
			   int size,
			   int (*member)(const struct tape_coll_call *op),
			   uint32_t *count)
{
	uint32_t sum = 0;

	memset(count, 0, ((size_t)size + 1) * sizeof *count);
	for (size_t i = 0; i < n; i++)
		count[member(&ops[from[i]])]++;
	for (int v = 0; v < size; v++) {
		uint32_t k = count[v];

		count[v] = sum;
		sum += k;
	}
	for (size_t i = 0; i < n; i++)
		to[count[member(&ops[from[i]])]++] = from[i];
}

/* Lists the sends, or the receives, sorted by both members; their number. */
static size_t collect_side(const struct play *p, int sends, uint32_t *list,
			   uint32_t *other, uint32_t *count)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		int kind = p->calls[i].kind;

		if (sends ? kind == TAPE_COLL_SEND || kind == TAPE_COLL_ISEND
			  : kind == TAPE_COLL_RECV || kind == TAPE_COLL_IRECV)
			list[n++] = (uint32_t)i;
	}
	sort_by_member(p->calls, list, other, n, p->c.size, receiver_of, count);
	sort_by_member(p->calls, other, list, n, p->c.size, sender_of, count);
	return n;
}

/* Numbers the messages. Returns 1 if sends and receives do not match. */
static int pair_messages(const struct play *p, uint32_t *sends, uint32_t *recvs,
			 uint32_t *other, uint32_t *count, size_t *messages)
{
	size_t n = collect_side(p, 1, sends, other, count);

	*messages = n;
	if (collect_side(p, 0, recvs, other, count) != n)
		return 1;
	for (size_t i = 0; i < n; i++) {
		struct tape_coll_call *s = &p->calls[sends[i]];
		struct tape_coll_call *r = &p->calls[recvs[i]];

		if (s->peer != r->member || s->member != r->peer)
			return 1;
		s->message = r->message = (uint32_t)i;
		r->bytes = s->bytes;
	}
	for (size_t i = 0; i < p->n; i++) {
		struct tape_coll_call *w = &p->calls[i];

		if (w->kind >= TAPE_COLL_WAIT_SEND)
			w->message = p->calls[w->message].message;
	}
	return 0;
}

/* Sorts the calls by member. */
static void group_by_member(const struct play *p, struct tape_coll_program *to)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < p->n; i++)
		to->first[p->calls[i].member]++;
	for (int v = 0; v <= p->c.size; v++) {
		uint32_t k = to->first[v];

		to->first[v] = sum;
		sum += k;
	}
	for (size_t i = 0; i < p->n; i++)
		to->calls[to->first[p->calls[i].member]++] = p->calls[i];
	memmove(to->first + 1, to->first,
		(size_t)p->c.size * sizeof *to->first);
	to->first[0] = 0;
}

static int make_program(const struct play *p, struct tape_coll_program *to)
{
	size_t n = p->n + 1;
	uint32_t *lists = malloc(3 * n * sizeof *lists);
	int rc = TAPE_ENOMEM;

	to->size = p->c.size;
	to->n_calls = p->n;
	to->shared_hosts = p->shared_hosts;
	to->calls = malloc(n * sizeof *to->calls);
	to->first = calloc((size_t)p->c.size + 2, sizeof *to->first);
	if (lists && to->calls && to->first)
		rc = pair_messages(p, lists, lists + n, lists + 2 * n,
				   to->first, &to->n_messages);
	if (!rc) {
		memset(to->first, 0,
		       ((size_t)p->c.size + 2) * sizeof *to->first);
		group_by_member(p, to);
	}
	free(lists);
	return rc;
}

int tape_coll_program_make(const struct tape_collective *c,
			   enum tape_coll_way way, uint64_t segment,
			   struct tape_coll_program *program)
{
	struct play p = {.c = *c,
			 .segment = segment,
			 .left = tape_coll_max_messages(c->size)};
	int rc;

	memset(program, 0, sizeof *program);
	if (c->size > 1)
		tape_coll_add_algorithm(&p, way);
	rc = p.rc ? p.rc : p.n > UINT32_MAX / 4 ? 1 : make_program(&p, program);
	if (rc)
		tape_coll_program_free(program);
	free(p.calls);
	return rc;
}

void tape_coll_program_free(struct tape_coll_program *p)
{
	free(p->calls);
	free(p->first);
	memset(p, 0, sizeof *p);
}
