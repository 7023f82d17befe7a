/*
 * Random programs; see des.h. The program is made as one sequence of actions,
 * each of which could be executed completely before the next: so no choice of
 * speeds can lock it up. Tags keep the ways apart in which the two ends of a
 * message may be placed in that sequence, so that within one tag the order of
 * sends is the order of receives.
 */
#include <stdlib.h>
#include <string.h>

#include "des.h"
#include "tape_ids.h"

enum tag { TAG_NOW, TAG_LATE, TAG_EARLY, TAG_SWAP, TAG_WARM,
	   TAG_AGAIN, TAG_OWN = 100 };

/* A message of which one end is still to be placed, or a request open. */
struct open {
	int message, side;
};

struct maker {
	struct des_program *p;
	struct open *late, *early;       /* receive, send to be placed */
	struct open *wait[DES_RANKS];    /* can be completed without blocking */
	int n_late, n_early, n_wait[DES_RANKS];
	int icoll[DES_RANKS];            /* collective under way, or -1 */
	int icoll_request[DES_RANKS];
};

static void *checked(void *p)
{
	if (!p) {
		fputs("des: out of memory\n", stderr);
		exit(2);
	}
	return p;
}

int64_t des_random(struct des_program *p, int64_t n)
{
	uint64_t z = p->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (int64_t)((z ^ z >> 31) % (uint64_t)n);
}

int des_size_class(int64_t bytes)
{
	return bytes ? 64 - __builtin_clzll((uint64_t)bytes) : 0;
}

int des_is_source(int size, int me, int i)
{
	return i == (me + size - 1) % size ||
	       (me % 2 == 0 && i == (me + 2) % size);
}

static int one_in(struct des_program *p, int n)
{
	return !des_random(p, n);
}

/* ---- steps ---- */

static int64_t cost_of_tracer(struct des_program *p)
{
	return one_in(p, 3) ? des_random(p, p->alpha + 1) : 0;
}

static struct des_step *step(struct maker *m, int rank, enum des_kind kind,
			     int call)
{
	struct des_program *p = m->p;
	struct des_rank *r = &p->rank[rank];
	struct des_step *s;

	if (r->n == r->room) {
		r->room = r->room ? 2 * r->room : 64;
		r->step = checked(realloc(r->step,
					  (size_t)r->room * sizeof *r->step));
	}
	s = &r->step[r->n++];
	memset(s, 0, sizeof *s);
	s->kind = kind;
	s->call = call;
	s->gap = r->pending_gap + des_random(p, 300);
	s->cost = 20 + des_random(p, 400);
	s->before = cost_of_tracer(p);
	s->after = cost_of_tracer(p);
	s->asked = !one_in(p, 8);
	s->probe = s->asked ? des_random(p, p->alpha / 4 + 1) : 0;
	r->pending_gap = 0;
	return s;
}

static void on_message(struct des_step *s, int message, int side)
{
	s->what[s->n] = message;
	s->side[s->n++] = side;
}

static int new_message(struct maker *m, int src, int dst, int tag)
{
	static const int64_t sizes[] = { 0, 1, 8, 100, 1024, 3000, 20000,
					 50000 };
	struct des_program *p = m->p;
	struct des_message *x;

	if (p->messages == p->message_room) {
		p->message_room = p->message_room ? 2 * p->message_room : 64;
		p->message = checked(realloc(p->message,
					     (size_t)p->message_room *
						     sizeof *p->message));
	}
	x = &p->message[p->messages];
	memset(x, 0, sizeof *x);
	x->src = src;
	x->dst = dst;
	x->comm = 1 + (int)des_random(p, 2);
	if (p->comm[DES_INTER].side[src] != p->comm[DES_INTER].side[dst] &&
	    one_in(p, 4))
		x->comm = DES_INTER;
	x->tag = tag;
	x->bytes = sizes[des_random(p, 8)];
	if (one_in(p, 4))
		x->bytes += des_random(p, 50);
	x->send_after = des_random(p, 100);
	x->recv_after = des_random(p, 100);
	for (int run = 0; run < DES_RUNS; run++)
		x->s[run] = x->post[run] = DES_UNKNOWN;
	return p->messages++;
}

/* Which kind of send, and so which protocol. */
static void choose_mode(struct maker *m, struct des_message *x, int persistent)
{
	static const int calls[3][3] = {
		{ TAPE_CALL_MPI_Send, TAPE_CALL_MPI_Ssend,
		  TAPE_CALL_MPI_Bsend },
		{ TAPE_CALL_MPI_Isend, TAPE_CALL_MPI_Issend,
		  TAPE_CALL_MPI_Ibsend },
		{ TAPE_CALL_MPI_Send_init, TAPE_CALL_MPI_Ssend_init,
		  TAPE_CALL_MPI_Bsend_init },
	};
	int mode = (int)des_random(m->p, 8);

	mode = x->buffered ? 2 : mode < 2 ? mode + 1 : 0;
	x->call = calls[persistent ? 2 : x->isend ? 1 : 0][mode];
	x->rendezvous = mode == 1 || (!mode && x->bytes > m->p->eager);
}

static void can_wait(struct maker *m, int message, int side)
{
	const struct des_message *x = &m->p->message[message];
	int r = side == 1 ? x->src : x->dst;

	if (side == 1 && x->freed)
		return;
	m->wait[r][m->n_wait[r]++] = (struct open){ message, side };
}

/* ---- the two ends of a message ---- */

/* A request; now and then a persistent one, made and started at once. */
static int request(struct maker *m, int rank, int message, int side, int call,
		   int persistent)
{
	struct des_step *s;
	int number = ++m->p->rank[rank].requests;

	s = step(m, rank, persistent ? DES_INIT
			  : side == 1 ? DES_ISEND : DES_IRECV, call);
	on_message(s, message, side);
	s->request = number;
	if (persistent) {
		s = step(m, rank, DES_START, TAPE_CALL_MPI_Start);
		on_message(s, message, side);
		s->request = number;
	}
	return number;
}

static void place_send(struct maker *m, int message, int blocking)
{
	struct des_message *x = &m->p->message[message];
	int persistent = !blocking && one_in(m->p, 5);

	x->isend = !blocking;
	choose_mode(m, x, persistent);
	if (blocking) {
		on_message(step(m, x->src, DES_SEND, x->call), message, 1);
		return;
	}
	x->isend = request(m, x->src, message, 1, x->call, persistent);
	if (one_in(m->p, 6)) {
		x->freed = 1;
		on_message(step(m, x->src, DES_FREE,
				TAPE_CALL_MPI_Request_free), message, 1);
	}
	if (!x->rendezvous)
		can_wait(m, message, 1);
}

static void place_irecv(struct maker *m, int message)
{
	struct des_message *x = &m->p->message[message];
	int persistent = one_in(m->p, 5);

	x->irecv = request(m, x->dst, message, 2,
			   persistent ? TAPE_CALL_MPI_Recv_init
				      : TAPE_CALL_MPI_Irecv, persistent);
}

/* The send is placed already, so nothing here blocks for ever. */
static void place_recv(struct maker *m, int message)
{
	struct des_message *x = &m->p->message[message];
	int r = x->dst, how = (int)des_random(m->p, 8);
	struct des_step *s;

	if (how < 2) {
		/* a rendezvous cannot be received before its source is known */
		x->any &= !x->rendezvous;
		place_irecv(m, message);
		can_wait(m, message, 2);
	} else if (how == 2 && !x->rendezvous) {
		s = step(m, r, DES_MPROBE, TAPE_CALL_MPI_Mprobe);
		on_message(s, message, 2);
		s->request = x->irecv = ++m->p->rank[r].requests;
		s = step(m, r, DES_MRECV, TAPE_CALL_MPI_Mrecv);
		on_message(s, message, 2);
	} else {
		if (how == 3)
			on_message(step(m, r, DES_PROBE, TAPE_CALL_MPI_Probe),
				   message, 2);
		if (how == 4)
			on_message(step(m, r, DES_IPROBE, TAPE_CALL_MPI_Iprobe),
				   message, 2);
		on_message(step(m, r, DES_RECV, TAPE_CALL_MPI_Recv), message,
			   2);
	}
	if (x->isend && x->rendezvous)
		can_wait(m, message, 1);
}

/* ---- actions ---- */

static void two_ranks(struct des_program *p, int *a, int *b)
{
	*a = (int)des_random(p, p->ranks);
	*b = (*a + 1 + (int)des_random(p, p->ranks - 1)) % p->ranks;
}

static void message_now(struct maker *m)
{
	struct des_program *p = m->p;
	int a, b, k, own = one_in(p, 4);

	two_ranks(p, &a, &b);
	k = new_message(m, a, b, own ? TAG_OWN + p->messages : TAG_NOW);
	p->message[k].any = own;
	place_send(m, k, one_in(p, 2));
	place_recv(m, k);
}

/*
 * A receive is cancelled before the next one for such a message. Not for a
 * rendezvous: its sender goes on where the first receive is posted, before
 * the trace tells that this was cancelled.
 */
static void message_again(struct maker *m)
{
	struct des_program *p = m->p;
	int a, b, k, comm;

	two_ranks(p, &a, &b);
	k = new_message(m, a, b, TAG_AGAIN);
	comm = p->message[k].comm;
	place_irecv(m, k);
	on_message(step(m, b, DES_CANCEL, TAPE_CALL_MPI_Cancel), k, 2);
	on_message(step(m, b, DES_CANCELLED, TAPE_CALL_MPI_Wait), k, 2);
	k = new_message(m, a, b, TAG_AGAIN);
	p->message[k].comm = comm;
	p->message[k].buffered = 1;
	place_send(m, k, one_in(p, 2));
	place_recv(m, k);
}

static void message_late(struct maker *m)
{
	int a, b, k;

	two_ranks(m->p, &a, &b);
	k = new_message(m, a, b, TAG_LATE);
	/* a blocking rendezvous would wait for what comes later */
	place_send(m, k, 0);
	m->late[m->n_late++] = (struct open){ k, 2 };
}

static void message_early(struct maker *m)
{
	int a, b, k;

	two_ranks(m->p, &a, &b);
	k = new_message(m, a, b, TAG_EARLY);
	place_irecv(m, k);
	m->early[m->n_early++] = (struct open){ k, 1 };
}

static int same_key(const struct des_message *a, const struct des_message *b)
{
	return a->src == b->src && a->dst == b->dst && a->comm == b->comm;
}

/* Takes out a random one, or rather the oldest with its key. */
static int take(struct maker *m, struct open *list, int *n)
{
	int at = (int)des_random(m->p, *n), k;

	for (int i = 0; i < at; i++)
		if (same_key(&m->p->message[list[i].message],
			     &m->p->message[list[at].message]))
			at = i;
	k = list[at].message;
	memmove(&list[at], &list[at + 1],
		(size_t)(*n - at - 1) * sizeof *list);
	--*n;
	return k;
}

static void finish_late(struct maker *m)
{
	if (m->n_late)
		place_recv(m, take(m, m->late, &m->n_late));
}

static void finish_early(struct maker *m)
{
	int k;

	if (!m->n_early)
		return;
	k = take(m, m->early, &m->n_early);
	place_send(m, k, one_in(m->p, 2));
	can_wait(m, k, 2);
	if (m->p->message[k].isend && m->p->message[k].rendezvous)
		can_wait(m, k, 1);
}

static void swap(struct maker *m)
{
	int a, b, k[2];
	struct des_step *s;

	two_ranks(m->p, &a, &b);
	k[0] = new_message(m, a, b, TAG_SWAP);
	k[1] = new_message(m, b, a, TAG_SWAP);
	m->p->message[k[1]].comm = m->p->message[k[0]].comm;
	for (int i = 0; i < 2; i++) {
		struct des_message *x = &m->p->message[k[i]];

		x->call = TAPE_CALL_MPI_Sendrecv;
		x->rendezvous = x->bytes > m->p->eager;
		x->send_after = x->recv_after = 0;
	}
	for (int i = 0; i < 2; i++) {
		s = step(m, i ? b : a, DES_SENDRECV, TAPE_CALL_MPI_Sendrecv);
		on_message(s, k[i], 1);
		on_message(s, k[!i], 2);
	}
}

static void complete(struct maker *m, int r, int most)
{
	struct des_program *p = m->p;
	int n = m->n_wait[r], some = n < most ? n : most;
	struct des_step *s;

	if (!n)
		return;
	some = 1 + (int)des_random(p, some);
	if (some == 1 && one_in(p, 3))
		s = step(m, r, DES_POLL, TAPE_CALL_MPI_Test);
	else
		s = step(m, r, DES_WAIT, some > 1 ? TAPE_CALL_MPI_Waitall
						  : TAPE_CALL_MPI_Wait);
	for (int i = 0; i < some; i++) {
		int at = (int)des_random(p, m->n_wait[r]);

		on_message(s, m->wait[r][at].message, m->wait[r][at].side);
		m->wait[r][at] = m->wait[r][--m->n_wait[r]];
	}
	/* each of them costs a question */
	s->probe *= 3 * s->n;
}

static int shape_of(int call)
{
	switch (call) {
	case TAPE_CALL_MPI_Bcast:
	case TAPE_CALL_MPI_Scatter:
	case TAPE_CALL_MPI_Ibcast:
		return TAPE_SHAPE_FROM;
	case TAPE_CALL_MPI_Gather:
	case TAPE_CALL_MPI_Reduce:
		return TAPE_SHAPE_TO;
	case TAPE_CALL_MPI_Scan:
		return TAPE_SHAPE_SCAN;
	case TAPE_CALL_MPI_Neighbor_allgather:
	case TAPE_CALL_MPI_Ineighbor_alltoall:
		return TAPE_SHAPE_NEAR;
	default:
		return TAPE_SHAPE_ALL;
	}
}

static int new_collective(struct maker *m, int call, int comm)
{
	struct des_program *p = m->p;
	struct des_collective *c;

	if (p->collectives == p->collective_room) {
		p->collective_room = p->collective_room
					     ? 2 * p->collective_room : 16;
		p->collective = checked(
			realloc(p->collective, (size_t)p->collective_room *
						       sizeof *p->collective));
	}
	c = &p->collective[p->collectives];
	memset(c, 0, sizeof *c);
	c->call = call;
	c->comm = comm;
	c->shape = shape_of(call);
	c->root = c->shape == TAPE_SHAPE_FROM || c->shape == TAPE_SHAPE_TO
			  ? (int)des_random(p, p->comm[comm].size) : 0;
	/* the library leaves those of no bytes at once */
	c->bytes = 1 + des_random(p, 99);
	for (int i = 0; i < DES_RANKS; i++) {
		c->lag[i] = 50 + des_random(p, 3000);
		c->entry[0][i] = c->entry[1][i] = DES_UNKNOWN;
	}
	return p->collectives++;
}

static void end_icoll(struct maker *m, int r)
{
	struct des_step *s;

	if (m->icoll[r] < 0)
		return;
	s = step(m, r, DES_COLL_WAIT,
		 m->p->collective[m->icoll[r]].call ==
				 TAPE_CALL_MPI_File_write_all_begin
			 ? TAPE_CALL_MPI_File_write_all_end
			 : TAPE_CALL_MPI_Wait);
	s->what[s->n++] = m->icoll[r];
	s->request = m->icoll_request[r];
	m->icoll[r] = -1;
}

/* In two calls; the second one is a wait, or names the file. */
static int is_later(int call)
{
	return call == TAPE_CALL_MPI_Ibarrier || call == TAPE_CALL_MPI_Ibcast ||
	       call == TAPE_CALL_MPI_Ineighbor_alltoall ||
	       call == TAPE_CALL_MPI_File_iwrite_all ||
	       call == TAPE_CALL_MPI_File_write_all_begin;
}

static void collective(struct maker *m)
{
	static const int calls[] = {
		TAPE_CALL_MPI_Barrier, TAPE_CALL_MPI_Bcast,
		TAPE_CALL_MPI_Gather, TAPE_CALL_MPI_Scatter,
		TAPE_CALL_MPI_Reduce, TAPE_CALL_MPI_Allreduce,
		TAPE_CALL_MPI_Alltoall, TAPE_CALL_MPI_Ibarrier,
		TAPE_CALL_MPI_Ibcast, TAPE_CALL_MPI_Scan,
		TAPE_CALL_MPI_Neighbor_allgather,
		TAPE_CALL_MPI_Ineighbor_alltoall, TAPE_CALL_MPI_Win_fence,
		TAPE_CALL_MPI_File_write_all, TAPE_CALL_MPI_File_iwrite_all,
		TAPE_CALL_MPI_File_write_all_begin };
	int comm = 1 + (int)des_random(m->p, DES_COMMS);
	/* the first ones are also between groups */
	int call = calls[des_random(m->p, comm == DES_INTER ? 9 : 16)];
	int later = is_later(call);
	int k = new_collective(m, call, comm);
	const struct des_comm *c = &m->p->comm[comm];

	for (int i = 0; i < c->size; i++) {
		int r = c->member[i];
		struct des_step *s;

		if (later)
			end_icoll(m, r);
		s = step(m, r, later ? DES_ICOLL : DES_COLL, call);
		s->what[s->n++] = k;
		if (!later)
			continue;
		if (call != TAPE_CALL_MPI_File_write_all_begin)
			s->request = ++m->p->rank[r].requests;
		m->icoll[r] = k;
		m->icoll_request[r] = s->request;
	}
}

/* One rank opens a window, another one enters and leaves it. */
static void window(struct maker *m)
{
	int a, b, opened, left;

	two_ranks(m->p, &a, &b);
	opened = new_message(m, a, b, 0);
	left = new_message(m, b, a, 0);
	on_message(step(m, a, DES_POST, TAPE_CALL_MPI_Win_post), opened, 1);
	on_message(step(m, b, DES_ENTER, TAPE_CALL_MPI_Win_start), opened, 2);
	on_message(step(m, b, DES_LEAVE, TAPE_CALL_MPI_Win_complete), left, 1);
	on_message(step(m, a, DES_CLOSE, TAPE_CALL_MPI_Win_wait), left, 2);
}

static void action(struct maker *m)
{
	struct des_program *p = m->p;
	int r = (int)des_random(p, p->ranks), a, b;

	switch (des_random(p, 16)) {
	case 0: case 1: case 2:
		message_now(m);
		break;
	case 3:
		message_late(m);
		break;
	case 4:
		message_early(m);
		break;
	case 5: case 6:
		finish_late(m);
		break;
	case 7: case 8:
		finish_early(m);
		break;
	case 9: case 10:
		complete(m, r, DES_LIST);
		break;
	case 11:
		swap(m);
		break;
	case 12:
		if (one_in(p, 2))
			collective(m);
		else if (one_in(p, 2))
			window(m);
		else
			end_icoll(m, r);
		break;
	case 13:
		step(m, r, DES_LOCAL, TAPE_CALL_MPI_Type_size);
		break;
	case 14:
		/* fails, and the flow continues with other things */
		if (one_in(p, 2)) {
			message_again(m);
			break;
		}
		two_ranks(p, &a, &b);
		step(m, a, DES_MISS, TAPE_CALL_MPI_Iprobe)->what[0] = b;
		p->rank[a].pending_gap += 10000;
		break;
	default:
		p->rank[r].pending_gap += des_random(p, 40000);
		break;
	}
}

/*
 * One message of each size that certainly has arrived when it is received: so
 * that the time to hand it over is observed for each size class.
 */
static void warm_up(struct maker *m)
{
	static const int64_t sizes[] = { 0, 1, 3, 5, 8, 20, 40, 100, 140,
					 1024, 3000, 20000, 50000 };
	struct des_program *p = m->p;
	struct des_step *s;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct des_message *x;
		int k;

		k = new_message(m, 0, 1, TAG_WARM);
		x = &p->message[k];
		x->comm = 1;
		x->bytes = sizes[i];
		x->call = x->bytes > p->eager ? TAPE_CALL_MPI_Bsend
					      : TAPE_CALL_MPI_Send;
		on_message(step(m, 0, DES_SEND, x->call), k, 1);
		s = step(m, 1, DES_RECV, TAPE_CALL_MPI_Recv);
		on_message(s, k, 2);
		s->asked = 1;
		/* ranks begin within 10 us, rank 0 goes on at any speed */
		if (!i)
			s->gap += 200000 + p->beta + 50000 * p->tau +
				  100 * p->alpha;
	}
}

static void finish_all(struct maker *m)
{
	while (m->n_late || m->n_early) {
		finish_late(m);
		finish_early(m);
	}
	for (int r = 0; r < m->p->ranks; r++) {
		end_icoll(m, r);
		while (m->n_wait[r])
			complete(m, r, DES_LIST);
	}
}

struct des_program *des_make(uint64_t seed, int steps)
{
	struct des_program *p = checked(calloc(1, sizeof *p));
	struct maker m = { .p = p };
	size_t most = (size_t)steps + 64;

	p->seed = p->state = seed;
	des_machine(p);
	m.late = checked(calloc(most, sizeof *m.late));
	m.early = checked(calloc(most, sizeof *m.early));
	for (int r = 0; r < p->ranks; r++) {
		m.wait[r] = checked(calloc(2 * most, sizeof *m.wait[r]));
		m.icoll[r] = -1;
	}
	warm_up(&m);
	for (int i = 0; i < steps; i++)
		action(&m);
	finish_all(&m);
	free(m.late);
	free(m.early);
	for (int r = 0; r < p->ranks; r++)
		free(m.wait[r]);
	return p;
}

void des_free(struct des_program *p)
{
	if (!p)
		return;
	for (int r = 0; r < DES_RANKS; r++)
		free(p->rank[r].step);
	free(p->message);
	free(p->collective);
	free(p);
}
