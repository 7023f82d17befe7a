/* Reads what each flow does at its end; see states.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "growing_array.h"
#include "not_recorded.h"
#include "states.h"
#include "tape_follow.h"
#include "tool.h"

uint64_t where_comm_id(const struct where_states *s, int rank, uint32_t comm)
{
	const struct tape_rank_info *r = tape_trace_rank(s->t, rank);

	return r && comm && comm < r->n_comms && r->comms[comm].index
		       ? r->comms[comm].id
		       : 0;
}

const struct where_flow *where_flow_of(const struct where_states *s, int rank)
{
	const struct where_rank *r = &s->rank[rank];

	for (size_t i = 0; i < r->n_flows; i++)
		if (s->flow[r->first + i].state != WHERE_ENDED)
			return &s->flow[r->first + i];
	return r->n_flows ? &s->flow[r->first] : NULL;
}

int where_is_collective(unsigned call, unsigned class_)
{
	const unsigned apart =
	    TAPE_TRAIT_BY_GROUP | TAPE_TRAIT_BY_TAG | TAPE_TRAIT_BY_PORT;

	switch (class_) {
	case TAPE_CLASS_COLL:
	case TAPE_CLASS_ICOLL:
		return 1;
	case TAPE_CLASS_COMM_NEW:
	case TAPE_CLASS_COMM_INEW:
	case TAPE_CLASS_COMM_FREE:
	case TAPE_CLASS_WIN_NEW:
	case TAPE_CLASS_FILE_NEW:
		return !(tape_call_traits(call) & apart);
	default:
		return 0;
	}
}

/* The communicator of such an event. */
static uint32_t get_comm(const struct tape_event *e)
{
	switch (e->class_) {
	case TAPE_CLASS_COLL: return e->u.coll.comm;
	case TAPE_CLASS_ICOLL: return e->u.icoll.comm;
	case TAPE_CLASS_COMM_NEW: return e->u.comm_new.comm;
	case TAPE_CLASS_COMM_INEW: return e->u.comm_inew.comm;
	case TAPE_CLASS_COMM_FREE: return e->u.comm_free.comm;
	case TAPE_CLASS_WIN_NEW: return e->u.win_new.comm;
	case TAPE_CLASS_FILE_NEW: return e->u.file_new.comm;
	default: return 0;
	}
}

const struct where_rounds *where_rounds_of(const struct where_states *s,
					   int rank, uint32_t comm)
{
	static const struct where_rounds none;
	const struct where_rank *r = &s->rank[rank];

	return comm < r->n_rounds ? &r->rounds[comm] : &none;
}

struct where_rounds *where_get_rounds(struct where_rank *r, uint32_t comm)
{
	size_t room = r->n_rounds, n = (size_t)comm + 1;

	if (n > r->n_rounds) {
		r->rounds = tape_must(tape_grow_array(r->rounds, &room, n,
						      sizeof *r->rounds));
		memset(r->rounds + r->n_rounds, 0,
		       (room - r->n_rounds) * sizeof *r->rounds);
		r->n_rounds = room;
	}
	return &r->rounds[comm];
}

static void count_collective(struct where_states *s, const struct tape_event *e)
{
	struct where_rank *r = &s->rank[e->rank];
	uint32_t comm = get_comm(e);
	struct where_rounds *k;

	if (!comm || comm >= tape_trace_rank(s->t, e->rank)->n_comms ||
	    (tape_call_traits(e->call) & TAPE_TRAIT_PERSISTENT)) {
		r->is_uncertain = 1;
		return;
	}
	/* the second part of a call of PVM */
	if (e->class_ == TAPE_CLASS_COLL &&
	    e->u.coll.part == TAPE_PART_END)
		return;
	k = where_get_rounds(r, comm);
	k->calls++;
	k->last_call = e->call;
	k->last_site = e->site;
	k->last_root = e->class_ == TAPE_CLASS_COLL    ? e->u.coll.root
		       : e->class_ == TAPE_CLASS_ICOLL ? e->u.icoll.root
						       : -1;
}

void where_states_add_event(struct where_states *s, const struct tape_event *e)
{
	struct where_flow *f = &s->flow[e->flow];

	if (e->class_ == TAPE_CLASS_OFF || e->class_ == TAPE_CLASS_ON)
		f->is_off = e->class_ == TAPE_CLASS_OFF;
	if (!e->call)
		return;
	if (!f->last_call)
		f->init_ns = e->end_ns;
	f->last_call = e->call;
	f->last_site = e->site;
	f->last_end_ns = e->end_ns;
	f->polls = tape_event_failed(e->class_, &e->u) ? e->polls : 0;
	s->rank[f->rank].may_have_threads |=
	    e->call == TAPE_CALL_MPI_Init_thread;
	if (where_is_collective(e->call, e->class_))
		count_collective(s, e);
}

/* The flow ended so; else its call has been set if it is in one. */
static void set_state(struct where_states *s, struct where_flow *f,
		      enum tape_end end, int is_in_call)
{
	f->end = end;
	switch (end) {
	case TAPE_END_NONE:
		break;
	case TAPE_END_FINALIZE:
	case TAPE_END_EXIT:
	case TAPE_END_ABORT:
		f->state = WHERE_ENDED;
		return;
	default:
		f->state = WHERE_UNKNOWN;
		s->rank[f->rank].is_uncertain = 1;
		return;
	}
	if (is_in_call)
		f->state = WHERE_IN_CALL;
	else if (f->is_off)
		f->state = WHERE_UNKNOWN;
	else
		f->state = f->polls ? WHERE_TESTING : WHERE_OUTSIDE;
	f->is_stable = is_in_call;
}

static void read_flow(struct where_states *s, size_t index,
		      struct tape_not_recorded *left_out,
		      unsigned long long *events)
{
	struct where_flow *f = &s->flow[index];
	const struct tape_event *e;
	struct tape_flow *from;
	uint64_t lost;
	int rc;

	if (tape_flow_open(s->t, index, &from))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(s->t));
	while ((rc = tape_flow_next(from, &e)) == 1) {
		where_states_add_event(s, e);
		if (tape_not_recorded_matters(e))
			tape_not_recorded_event(left_out, e);
		if (!(++*events & 0xfffff))
			tape_progress(*events, 0);
	}
	if (rc == TAPE_ENOMEM)
		tape_die_no_memory();
	if (rc < 0) {
		f->state = WHERE_UNKNOWN;
		s->rank[f->rank].is_uncertain = 1;
	} else {
		set_state(s, f, tape_flow_end(from, &lost),
			  tape_flow_call_in_progress(from, &f->call));
	}
	tape_flow_close(from);
}

static void read_flows(struct where_states *s)
{
	struct tape_not_recorded *left_out = tape_not_recorded_new(s->t);
	unsigned long long events = 0;

	for (size_t i = 0; i < s->n_flows; i++)
		read_flow(s, i, left_out, &events);
	tape_progress(events, 1);
	s->is_partial = tape_not_recorded_text(left_out, s->why_partial,
					       sizeof s->why_partial);
	tape_not_recorded_free(left_out);
	for (size_t i = 0; i < s->n_flows; i++)
		s->rank[s->flow[i].rank].n_active +=
		    s->flow[i].state != WHERE_ENDED;
}

/* The flows of a rank follow each other. */
static void find_flows(struct where_states *s)
{
	for (size_t i = 0; i < s->n_flows; i++) {
		const struct tape_flow_info *info = tape_trace_flow(s->t, i);
		struct where_rank *r = &s->rank[info->rank];

		s->flow[i].rank = info->rank;
		s->flow[i].thread = info->thread;
		if (!r->n_flows++)
			r->first = i;
	}
}

static void find_library(struct where_states *s)
{
	for (size_t k = 0; k < s->n_ranks; k++) {
		const struct tape_rank_info *r = tape_trace_rank(s->t, (int)k);

		s->is_pvm |= r && r->tid;
	}
}

/* The largest eager message of any transport. */
static uint64_t get_eager_bytes(const struct tape_trace *t)
{
	const char *line;
	uint64_t most = 0;

	for (unsigned n = 0; (line = tape_trace_meta(t, "eager", n)); n++) {
		const char *bytes = strchr(line, ' ');
		uint64_t one = bytes ? strtoull(bytes, NULL, 10) : 0;

		most = one > most ? one : most;
	}
	return most;
}

/* Which of the calls are still in progress, and unchanged. */
static void check_calls_again(struct where_states *s)
{
	for (size_t i = 0; i < s->n_flows; i++)
		if (s->flow[i].is_stable)
			s->flow[i].is_stable =
			    tape_call_is_current(s->t, i, &s->flow[i].call);
}

int where_is_mpi_stream(const struct tape_trace *t)
{
	const char *stream = tape_trace_meta(t, "stream", 0);

	return stream && !strcmp(stream, "mpi");
}

/*
 * A process that sends its records sends no call in progress: while the call
 * blocks, nothing of the tracer runs there that could send it.
 */
static void mark_unsent_calls(struct where_states *s)
{
	const char *stream = tape_trace_meta(s->t, "stream", 0);
	int is_by_mpi = where_is_mpi_stream(s->t);

	for (size_t i = 0; stream && i < s->n_flows; i++) {
		struct where_flow *f = &s->flow[i];

		if (f->state != WHERE_OUTSIDE || !f->last_call ||
		    (!is_by_mpi && s->rank[f->rank].is_here))
			continue;
		f->state = WHERE_UNSENT;
		s->rank[f->rank].is_uncertain = 1;
	}
}

struct where_states *where_states_begin(struct tape_trace *t)
{
	struct where_states *s = tape_must(calloc(1, sizeof *s));

	s->t = t;
	s->n_ranks = tape_trace_ranks(t);
	s->n_flows = tape_trace_flows(t);
	s->rank = tape_must(calloc(s->n_ranks + 1, sizeof *s->rank));
	s->flow = tape_must(calloc(s->n_flows + 1, sizeof *s->flow));
	s->eager_bytes = get_eager_bytes(t);
	find_flows(s);
	return s;
}

struct where_states *where_states_new(struct tape_trace *t)
{
	struct where_states *s = where_states_begin(t);
	int blocked = 0;

	find_library(s);
	read_flows(s);
	for (size_t i = 0; i < s->n_flows; i++)
		blocked |= s->flow[i].state == WHERE_IN_CALL;
	where_find_running(s, tape_trace_path(t));
	mark_unsent_calls(s);
	if (blocked)
		where_find_messages(s);
	if (s->is_running)
		check_calls_again(s);
	return s;
}

/* ---- of a trace that is followed ---- */

/* Flows and ranks that have not begun do not count. */
static void forget_absent_flows(struct where_states *s,
				const struct tape_replay *r)
{
	for (size_t k = 0; k < s->n_ranks; k++) {
		struct where_rank *w = &s->rank[k];

		while (w->n_flows &&
		       !tape_replay_has_flow(r, w->first + w->n_flows - 1))
			w->n_flows--;
	}
	while (s->n_ranks &&
	       !tape_trace_rank(s->t, (int)s->n_ranks - 1)->host)
		s->n_ranks--;
}

void where_states_stop(struct where_states *s, const struct tape_replay *r)
{
	uint64_t lost;

	if (tape_trace_catch_up(s->t) || tape_trace_settle_comms(s->t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(s->t));
	forget_absent_flows(s, r);
	find_library(s);
	for (size_t i = 0; i < s->n_flows; i++) {
		struct where_flow *f = &s->flow[i];
		enum tape_end end = tape_replay_end(r, i, &lost);

		if (!tape_replay_has_flow(r, i))
			continue;
		if (tape_trace_damage(s->t, i, NULL))
			end = TAPE_END_ERROR;
		set_state(s, f, end,
			  tape_replay_call_in_progress(r, i, &f->call));
		s->rank[f->rank].n_active += f->state != WHERE_ENDED;
	}
	where_messages_begin(s);
	where_copy_requests(s, r);
}

void where_states_complete(struct where_states *s, const struct tape_replay *r,
			   const char *dir, struct tape_peers *peers)
{
	where_find_running(s, dir);
	mark_unsent_calls(s);
	for (size_t i = 0; i < s->n_flows; i++)
		if (s->is_running && s->flow[i].is_stable)
			s->flow[i].is_stable =
			    tape_replay_call_is_current(r, i, &s->flow[i].call);
	where_messages_end(s, peers);
}

void where_states_free(struct where_states *s)
{
	if (!s)
		return;
	for (size_t k = 0; k < s->n_ranks; k++)
		free(s->rank[k].rounds);
	free(s->rank);
	free(s->flow);
	free(s->send);
	free(s->receive);
	free(s);
}
