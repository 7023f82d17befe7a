/*
 * Collectives: the k-th collective that each member of a communicator enters is
 * one round. When the last member has entered, the exit times of all members
 * are known; see own_state.h.
 */
#include <stdlib.h>
#include <string.h>

#include "action_collective.h"
#include "delay_bounds.h"
#include "coll_exits.h"
#include "coll_program.h"
#include "own_play.h"
#include "own_state.h"
#include "sort.h"
#include "tool.h"

/* Bytes that a member sends to the others for a new communicator. */
#define COMM_BYTES 8

struct member {
	double entry_ns;
	uint64_t request; /* 0: the member is blocked */
	int entered;
};

/*
 * One collective, from the first entry to the last entry, or to the last exit
 * if it is played.
 */
struct round {
	struct round *next;
	enum tape_action_op op;
	int root, entered, over, later;
	struct own_play *play; /* played over shared links; or NULL */
	double sum_bytes, sum_rbytes;
	uint64_t most_bytes, most_rbytes, root_bytes;
	struct member *members; /* by rank in the communicator */
};

struct number {
	int rank, in_comm;
};

struct own_comm {
	const int *members;     /* NULL: the world */
	/* expected: members that are ranks of the simulation */
	int size, expected;
	struct number *numbers; /* sorted by rank; NULL: the world */
	uint64_t *count;	/* by member: number of collectives entered */
	/* SMPI has already determined which members share a host */
	int shared_hosts;
	/* the collective of program; size 0: none */
	struct tape_collective last;
	struct tape_coll_program program;
	uint64_t first; /* number of the first open round */
	struct round *open;
};

/* ---- communicators ---- */

static int compare_numbers(const void *a, const void *b)
{
	const struct number *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void number_members(const struct own *o, struct own_comm *c)
{
	c->expected = 0;
	c->numbers = tape_must(malloc(((size_t)c->size + 1) *
				      sizeof *c->numbers));
	for (int i = 0; i < c->size; i++)
		if (c->members[i] >= 0 && c->members[i] < o->n)
			c->numbers[c->expected++] =
				(struct number){ c->members[i], i };
	tape_sort(c->numbers, (size_t)c->expected, sizeof *c->numbers,
		  compare_numbers);
}

/*
 * Finds or creates a communicator. Returns NULL if its members are not known.
 */
static struct own_comm *find_comm(struct own *o, uint32_t number)
{
	struct own_comm *c;
	const int *members;
	int size = 0;

	if (number < o->n_comms && o->comms[number])
		return o->comms[number];
	members = tape_actions_members(o->s, number, &size);
	if ((!members || size <= 0) && number)
		return NULL;
	if (number >= o->n_comms) {
		size_t n = (size_t)number + 1 + o->n_comms;

		o->comms = tape_must(realloc(o->comms, n * sizeof *o->comms));
		memset(o->comms + o->n_comms, 0,
		       (n - o->n_comms) * sizeof *o->comms);
		o->n_comms = n;
	}
	c = tape_must(calloc(1, sizeof *c));
	o->comms[number] = c;
	c->size = c->expected = number ? size : o->n;
	if (number) {
		c->members = members;
		number_members(o, c);
	}
	c->count = tape_must(calloc((size_t)c->size + 1, sizeof *c->count));
	return c;
}

static int member_of_rank(const struct own_comm *c, int rank)
{
	struct number key = { .rank = rank }, *found;

	if (!c->numbers)
		return rank;
	found = tape_search(&key, c->numbers, (size_t)c->expected,
			    sizeof *c->numbers, compare_numbers);
	return found ? found->in_comm : -1;
}

static int rank_of_member(const struct own_comm *c, int member)
{
	return c->members ? c->members[member] : member;
}

const int *own_comm_members(struct own *o, uint32_t comm, int *size)
{
	const struct own_comm *c = find_comm(o, comm);

	*size = c ? c->size : 0;
	return c ? c->members : NULL;
}

int own_comm_rank(struct own *o, uint32_t comm, int rank)
{
	const struct own_comm *c = find_comm(o, comm);

	return c ? member_of_rank(c, rank) : -1;
}

/* ---- costs of messages ---- */

struct between {
	struct own *o;
	const struct own_comm *c;
};

static const struct sim_cost *member_cost(const struct between *b, int from,
					  int to, uint64_t bytes)
{
	enum tape_distance d = own_distance(b->o, rank_of_member(b->c, from),
					    rank_of_member(b->c, to));

	return sim_net_cost(b->o->m->net, d, bytes);
}

static double member_transit(const void *of, int from, int to, uint64_t bytes,
			     int *together)
{
	const struct sim_cost *c = member_cost(of, from, to, bytes);

	*together = c->protocol == SIM_RENDEZVOUS  ? TAPE_COLL_RENDEZVOUS
		    : c->protocol == SIM_DETACHED ? TAPE_COLL_DETACHED
						  : TAPE_COLL_EAGER;
	return c->transit_ns;
}

/*
 * The overhead of a send, for SMPI only: a model's overhead is that of
 * receives.
 */
static double send_overhead(const void *of, int from, int to, uint64_t bytes,
			    int blocking)
{
	const struct between *b = of;
	const struct sim_cost *c = member_cost(of, from, to, bytes);

	if (!b->o->m->net->smpi)
		return 0;
	return blocking ? c->send_ns : c->isend_ns;
}

static double receive_overhead(const void *of, int from, int to, uint64_t bytes)
{
	return member_cost(of, from, to, bytes)->recv_ns;
}

/* ---- exit times ---- */

static int is_vector(enum tape_action_op op)
{
	return op == TAPE_DO_GATHERV || op == TAPE_DO_SCATTERV ||
	       op == TAPE_DO_ALLGATHERV || op == TAPE_DO_ALLTOALLV;
}

/*
 * The host of each member. SMPI needs them for the first broadcast of some
 * kinds; otherwise NULL.
 */
static int *member_hosts(const struct own *o, const struct own_comm *c)
{
	int *host;

	if (c->shared_hosts || o->m->library != TAPE_COLL_SMPI ||
	    c->expected < c->size)
		return NULL;
	host = tape_must(malloc(((size_t)c->size + 1) * sizeof *host));
	for (int i = 0; i < c->size; i++)
		host[i] = o->m->host ? o->m->host[rank_of_member(c, i)]
				     : rank_of_member(c, i);
	return host;
}

/* Describes a round for the models; a v variant has parts of the mean size. */
static struct tape_collective describe_round(const struct own *o,
					     const struct own_comm *c,
					     const struct round *r)
{
	double n = c->size;
	struct tape_collective what = {
		.library = o->m->library,
		.op = tape_action_collective[r->op],
		.size = c->size,
		.root = r->root,
		.bytes = r->most_bytes,
		.vector = is_vector(r->op),
		.later = r->later
	};

	if (r->op == TAPE_DO_BARRIER)
		what.bytes = 0;
	else if (r->op == TAPE_DO_SCATTER)
		what.bytes = r->root_bytes ? r->root_bytes : r->most_rbytes;
	else if (r->op == TAPE_DO_SCATTERV)
		what.bytes = (uint64_t)(r->sum_rbytes / n);
	else if (r->op == TAPE_DO_GATHERV || r->op == TAPE_DO_ALLGATHERV)
		what.bytes = (uint64_t)(r->sum_bytes / n);
	else if (r->op == TAPE_DO_ALLTOALLV)
		what.bytes = (uint64_t)(r->sum_bytes / n / n);
	return what;
}

/*
 * Without a known algorithm all members leave at the same time: the last entry
 * plus log2 n messages one after the other, as through a tree.
 */
static void set_common_exit(const struct between *b, uint64_t bytes, double *at)
{
	const struct sim_cost *c = member_cost(b, 0, b->c->size - 1, bytes);
	double last = at[0];
	int levels = 0;

	for (int i = 1; i < b->c->size; i++)
		last = tape_max(last, at[i]);
	while ((b->c->size - 1) >> levels)
		levels++;
	last += levels * (c->send_start_ns + c->transit_ns + c->recv_ns);
	for (int i = 0; i < b->c->size; i++)
		at[i] = last;
}

static int is_same_collective(const struct tape_collective *a,
			      const struct tape_collective *b)
{
	return a->op == b->op && a->size == b->size && a->root == b->root &&
	       a->bytes == b->bytes && a->vector == b->vector &&
	       a->later == b->later;
}

/* Its members' program, which many rounds have in common; 0: there is none. */
static int has_program(struct own *o, struct own_comm *c,
		       const struct tape_collective *of)
{
	struct tape_collective what = *of;
	enum tape_coll_way way;
	uint64_t segment = 0;
	int *host, rc = 1;

	if (c->last.size && is_same_collective(&c->last, of))
		return 1;
	tape_coll_program_free(&c->program);
	what.hosts = host = member_hosts(o, c);
	way = tape_coll_choose(&what, &segment);
	if (way != TAPE_COLL_UNKNOWN)
		rc = tape_coll_program_make(&what, way, segment, &c->program);
	free(host);
	if (rc < 0)
		tape_die_no_memory();
	c->last = *of;
	/* the hosts are determined only once */
	if (rc || c->program.shared_hosts)
		c->last.size = 0;
	c->shared_hosts |= c->program.shared_hosts;
	return !rc;
}

static void compute_exits(struct own *o, struct own_comm *c,
			  const struct round *r, double *at)
{
	struct between b = { o, c };
	struct tape_coll_cost cost = {member_transit, receive_overhead, &b,
				      send_overhead};
	struct tape_collective what = describe_round(o, c, r);
	int rc = 1;

	o->out->rounds++;
	if (c->expected < c->size)
		return;
	if (has_program(o, c, &what))
		rc = tape_coll_program_exits(&c->program, &cost, at, at);
	if (rc < 0)
		tape_die_no_memory();
	if (!rc)
		return;
	o->out->unknown++;
	set_common_exit(&b, what.bytes, at);
}

/*
 * Over shared links, members send their messages from their own entry on if
 * each member knows the sizes, otherwise when all members have entered. Returns
 * 1 if the play has started.
 */
static int start_play(struct own *o, struct own_comm *c, uint32_t number,
		      struct round *r, uint64_t k)
{
	struct tape_collective what;
	enum tape_coll_way way;
	uint64_t segment = 0;
	int *host;

	if (!o->links || r->play || c->expected < c->size ||
	    (is_vector(r->op) && r->entered < c->expected))
		return 0;
	what = describe_round(o, c, r);
	what.hosts = host = member_hosts(o, c);
	way = tape_coll_choose(&what, &segment);
	r->play = own_play_new(o, &what, way, segment, c->members,
			       OWN_PLAYED | number, (int32_t)(k & INT32_MAX));
	if (r->play && own_play_shares_hosts(r->play))
		c->shared_hosts = 1;
	free(host);
	return r->play != NULL;
}

static void play_entry(const struct round *r, int member)
{
	const struct member *m = &r->members[member];

	own_play_enter(r->play, member, m->entry_ns, m->request);
}

/* Frees completed rounds, from the first one on. */
static void free_complete_rounds(struct own_comm *c)
{
	while (c->open && c->open->over) {
		struct round *r = c->open;

		c->open = r->next;
		c->first++;
		own_play_free(r->play);
		free(r->members);
		free(r);
	}
}

/* Completes a played round when its last member has left. */
static void check_complete(struct own *o, struct own_comm *c, struct round *r)
{
	if (r->over || !own_play_is_complete(r->play))
		return;
	o->out->rounds++;
	r->over = 1;
	free_complete_rounds(c);
}

void own_part_arrived(struct own *o, const struct sim_message *m, int sender)
{
	struct own_comm *c = o->comms[m->channel & ~OWN_PLAYED];
	struct round *r = c->open;

	for (uint64_t k = c->first; (int32_t)(k & INT32_MAX) != m->tag; k++)
		r = r->next;
	own_play_arrived(r->play, sender ? m->sends : m->receives, sender,
			 m->arrival_ns, m->recv_ns);
	check_complete(o, c, r);
}

/* Ends a round: all members leave at their exit times. */
static void end_round(struct own *o, struct own_comm *c, struct round *r)
{
	double *at = tape_must(malloc((size_t)c->size * sizeof *at));

	for (int i = 0; i < c->size; i++)
		at[i] = r->members[i].entry_ns;
	compute_exits(o, c, r, at);
	for (int i = 0; i < c->size; i++) {
		const struct member *m = &r->members[i];
		int rank = rank_of_member(c, i);

		if (!m->entered)
			continue;
		if (m->request)
			own_complete_request(o, rank, m->request, at[i], 0);
		else
			own_end_action(o, rank, tape_max(at[i], m->entry_ns));
	}
	free(at);
}

/* ---- entering ---- */

static struct round *find_round(struct own_comm *c, int member,
				const struct own_entry *e)
{
	struct round **link = &c->open;

	for (uint64_t k = c->first; k < c->count[member]; k++)
		link = &(*link)->next;
	if (!*link) {
		*link = tape_must(calloc(1, sizeof **link));
		(*link)->members = tape_must(
			calloc((size_t)c->size, sizeof *(*link)->members));
		(*link)->op = e->op;
	}
	c->count[member]++;
	return *link;
}

static void add_entry(struct round *r, int member, const struct own_entry *e)
{
	r->members[member] = (struct member){ e->at_ns, e->request, 1 };
	r->entered++;
	r->later |= e->request != 0;
	r->sum_bytes += (double)e->bytes;
	r->sum_rbytes += (double)e->rbytes;
	if (e->bytes > r->most_bytes)
		r->most_bytes = e->bytes;
	if (e->rbytes > r->most_rbytes)
		r->most_rbytes = e->rbytes;
	if (e->root >= 0)
		r->root = e->root;
	if (e->root == member)
		r->root_bytes = e->bytes;
}

void own_enter_collective(struct own *o, int rank, const struct own_entry *e)
{
	struct own_comm *c = find_comm(o, e->comm);
	int member = c ? member_of_rank(c, rank) : -1;
	struct round *r;

	if ((unsigned)e->op >= TAPE_DO_OPS) {
		own_fail(o, TAPE_ERANGE, "%s: no such collective",
			 own_describe_action(o, rank));
		return;
	}
	if (member < 0 || e->root >= c->size) {
		own_fail(
		    o, TAPE_ERANGE,
		    member < 0
			? "%s: this rank is not a member of communicator %u"
			: "%s: communicator %u has no such root",
		    own_describe_action(o, rank), e->comm);
		return;
	}
	r = find_round(c, member, e);
	if (r->op != e->op) {
		own_fail(o, TAPE_EFORMAT,
			 "%s: the other members of communicator %u are in a "
			 "different collective",
			 own_describe_action(o, rank), e->comm);
		return;
	}
	add_entry(r, member, e);
	if (start_play(o, c, e->comm, r, c->count[member] - 1)) {
		for (int i = 0; i < c->size; i++)
			if (r->members[i].entered)
				play_entry(r, i);
	} else if (r->play) {
		play_entry(r, member);
	} else if (r->entered == c->expected) {
		r->over = 1;
		end_round(o, c, r);
		free_complete_rounds(c);
		return;
	}
	if (r->play)
		check_complete(o, c, r);
}

void own_collective(struct own *o, int rank)
{
	const struct own_rank *k = &o->ranks[rank];
	const struct tape_action *a = k->a;
	struct own_entry e = { .op = a->op, .comm = a->comm, .root = a->root,
			       .bytes = a->bytes, .rbytes = a->rbytes,
			       .at_ns = k->now_ns };
	int later = a->kind == TAPE_ACTION_ICOLL && a->request;

	if (later) {
		e.request = a->request;
		sim_request_add(&o->ranks[rank].requests, a->request);
	}
	own_enter_collective(o, rank, &e);
	if (later)
		own_end_action(o, rank, k->begin_ns);
}

void own_create_comm(struct own *o, int rank)
{
	const struct own_rank *k = &o->ranks[rank];
	struct own_entry e = {.op = TAPE_DO_ALLGATHER,
			      .root = -1,
			      /* also if only its members create it */
			      .comm = k->a->parent,
			      .bytes = COMM_BYTES,
			      .at_ns = k->now_ns};

	own_enter_collective(o, rank, &e);
}

/* ---- deadlock report and end ---- */

int own_count_entered(const struct own *o, int rank, int *all)
{
	const struct tape_action *a = o->ranks[rank].a;
	uint32_t number = a->kind == TAPE_ACTION_COLL ? a->comm : a->parent;
	const struct own_comm *c;
	int member;

	*all = 0;
	if (number >= o->n_comms || !(c = o->comms[number]))
		return 0;
	*all = c->expected;
	member = member_of_rank(c, rank);
	for (const struct round *r = c->open; r && member >= 0; r = r->next)
		if (r->members[member].entered && !r->members[member].request)
			return r->entered;
	return 0;
}

void own_comms_free(struct own *o)
{
	for (size_t i = 0; i < o->n_comms; i++) {
		struct own_comm *c = o->comms[i];

		while (c && c->open) {
			struct round *r = c->open;

			c->open = r->next;
			own_play_free(r->play);
			free(r->members);
			free(r);
		}
		if (c) {
			tape_coll_program_free(&c->program);
			free(c->numbers);
			free(c->count);
		}
		free(c);
	}
	free(o->comms);
}
