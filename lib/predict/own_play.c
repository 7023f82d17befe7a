/* See own_play.h. */
#include <stdlib.h>

#include "coll_run.h"
#include "own_play.h"
#include "own_state.h"
#include "tool.h"

struct own_play {
	struct own *o;
	struct tape_coll_program program;
	struct tape_coll_run *run;
	uint64_t *requests; /* by member; 0: the member is blocked */
	const int *world;
	uint32_t channel;
	int32_t tag;
};

static int world_rank(const struct own_play *p, int member)
{
	return p->world ? p->world[member] : member;
}

static double send_part(void *self, const struct tape_coll_call *call,
			double at_ns)
{
	struct own_play *p = self;
	int from = world_rank(p, call->member), to = world_rank(p, call->peer);
	double end = own_part_send(p->o, from, to, p->channel, p->tag,
				   call->bytes, at_ns,
				   (uint64_t)call->message + 1,
				   call->kind == TAPE_COLL_SEND);

	if (!own_part_is_blocking(p->o, from, to, call->bytes))
		tape_coll_message_sent(p->run, call->message, end);
	return end;
}

static void receive_part(void *self, const struct tape_coll_call *call,
			 double at_ns)
{
	struct own_play *p = self;

	own_part_recv(p->o, world_rank(p, call->peer),
		      world_rank(p, call->member), p->channel, p->tag, at_ns,
		      (uint64_t)call->message + 1);
}

static void leave_collective(void *self, int member, double at_ns)
{
	struct own_play *p = self;
	int rank = world_rank(p, member);

	if (p->requests[member])
		own_complete_request(p->o, rank, p->requests[member], at_ns, 0);
	else
		own_end_action(p->o, rank, at_ns);
}

struct own_play *own_play_new(struct own *o, const struct tape_collective *c,
			      enum tape_coll_way way, uint64_t segment,
			      const int *world, uint32_t channel, int32_t tag)
{
	struct own_play *p = tape_must(calloc(1, sizeof *p));
	struct tape_coll_net net = {p, send_part, receive_part,
				    leave_collective};

	p->o = o;
	p->requests = tape_must(calloc((size_t)c->size + 1,
				       sizeof *p->requests));
	p->world = world;
	p->channel = channel;
	p->tag = tag;
	if (tape_coll_program_make(c, way, segment, &p->program)) {
		own_play_free(p);
		return NULL;
	}
	if (tape_coll_run_open(&p->program, &net, &p->run))
		tape_die_no_memory();
	return p;
}

void own_play_free(struct own_play *p)
{
	if (!p)
		return;
	tape_coll_run_close(p->run);
	tape_coll_program_free(&p->program);
	free(p->requests);
	free(p);
}

int own_play_is_complete(const struct own_play *p)
{
	return tape_coll_is_complete(p->run);
}

int own_play_shares_hosts(const struct own_play *p)
{
	return p->program.shared_hosts;
}

/* Dies when out of memory, the only possible error. */
static void check_memory(const struct own_play *p)
{
	if (tape_coll_run_rc(p->run))
		tape_die_no_memory();
}

void own_play_enter(struct own_play *p, int member, double at_ns,
		    uint64_t request)
{
	p->requests[member] = request;
	tape_coll_enter(p->run, member, at_ns);
	check_memory(p);
}

void own_play_arrived(struct own_play *p, uint64_t number, int sender,
		      double arrival_ns, double recv_ns)
{
	uint32_t message = (uint32_t)(number - 1);

	if (sender)
		tape_coll_message_sent(p->run, message, arrival_ns);
	else
		tape_coll_message_arrived(p->run, message, arrival_ns, recv_ns);
	check_memory(p);
}
