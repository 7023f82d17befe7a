/*
 * A trace as a source of actions, rank by rank; see action.h. What cannot be
 * actions is reported when the trace is opened, as far as its definitions show
 * it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "action_convert.h"

static struct tape_action_trace *trace_source(struct tape_actions *s)
{
	return (struct tape_action_trace *)(void *)s;
}

/* ---- one rank ---- */

static int end_rank(struct tape_action_rank *r)
{
	static const char *const why[] = {
	    [TAPE_END_NONE] = "it was killed, or still runs",
	    [TAPE_END_FINALIZE] = NULL,
	    [TAPE_END_EXIT] = NULL,
	    [TAPE_END_ABORT] = "MPI_Abort was called",
	    [TAPE_END_FULL] = "the disk was full",
	    [TAPE_END_LIMIT] = "the configured size was reached",
	    [TAPE_END_ERROR] = "it could not be written"};
	uint64_t lost;
	enum tape_end end = tape_flow_end(r->f, &lost);
	const char *reason = why[end];

	if (!reason && lost)
		reason = "events were lost";
	if (reason)
		return tape_actions_fail(
		    &r->of->s, TAPE_ETRUNCATED, "%s: rank %d is incomplete: %s",
		    tape_trace_path(r->of->t), r->rank, reason);
	return tape_action_end_flow(r);
}

/* Converts the next event of the rank, or ends the rank's actions. */
static int convert_next_event(struct tape_action_rank *r)
{
	const struct tape_event *e;
	int rc = tape_flow_next(r->f, &e);

	if (rc == 1) {
		rc = tape_action_convert_event(r, e);
	} else if (rc == 0) {
		rc = end_rank(r);
		r->over = 1;
		tape_flow_close(r->f);
		r->f = NULL;
	} else {
		tape_actions_fail(&r->of->s, rc, "%s", tape_flow_error(r->f));
	}
	return rc;
}

static int next_trace_action(struct tape_actions *s, int rank,
			     const struct tape_action **a)
{
	struct tape_action_trace *x = trace_source(s);
	struct tape_action_rank *r = &x->ranks[rank];
	int rc = r->failed;

	if (!rc && !r->f && !r->over) {
		rc = tape_flow_open(x->t, r->flow, &r->f);
		if (rc)
			tape_actions_fail(s, rc, "%s", tape_trace_error(x->t));
	}
	while (!rc) {
		if (tape_action_queue_take(&r->q, a))
			return 1;
		if (r->over)
			return 0;
		rc = tape_action_needs_look_ahead(r) ? tape_action_look_ahead(r)
						     : convert_next_event(r);
		if (rc == TAPE_ENOMEM)
			tape_actions_no_memory(s);
	}
	r->failed = rc;
	return rc;
}

/* ---- all ranks ---- */

static const int *trace_members(const struct tape_actions *s, uint32_t comm,
				int *size)
{
	const struct tape_action_trace *x =
	    (const struct tape_action_trace *)(const void *)s;

	if (comm >= x->comms.n || !x->comms.list[comm].members)
		return NULL;
	*size = x->comms.list[comm].size;
	return x->comms.list[comm].members;
}

static size_t trace_flow(const struct tape_actions *s, int rank)
{
	const struct tape_action_trace *x =
	    (const struct tape_action_trace *)(const void *)s;

	return x->ranks[rank].flow;
}

void tape_action_rank_free(struct tape_action_rank *r)
{
	tape_flow_close(r->f);
	tape_action_queue_free(&r->q);
	tape_table_free(&r->pending);
	tape_table_free(&r->parts);
	free(r->waits);
	free(r->declared);
	free(r->rounds);
	free(r->outcomes);
}

static void close_trace_source(struct tape_actions *s)
{
	struct tape_action_trace *x = trace_source(s);

	for (size_t i = 0; x->ranks && i < s->ranks; i++)
		tape_action_rank_free(&x->ranks[i]);
	free(x->ranks);
	tape_action_comms_free(&x->comms);
	tape_pvm_groups_free(x->meetings);
	free(x);
}

/* ---- opening ---- */

static int is_communication(const struct tape_event *e)
{
	switch (e->class_) {
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_PACK:
	case TAPE_CLASS_ENTER:
	case TAPE_CLASS_LEAVE:
	case TAPE_CLASS_OFF:
	case TAPE_CLASS_ON:
	case TAPE_CLASS_THREAD:
	case TAPE_CLASS_BLOCK:
	case TAPE_CLASS_PROCESSOR:
	case TAPE_CLASS_PTHREAD:
	case TAPE_CLASS_COUNTED:
	case TAPE_CLASS_GREQUEST:
		return 0;
	default:
		return 1;
	}
}

/* Returns 1 if a flow communicates, 0, or an error. */
static int flow_communicates(struct tape_action_trace *x, size_t flow)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int rc = tape_flow_open(x->t, flow, &f), found = 0;

	if (rc)
		return tape_actions_fail(&x->s, rc, "%s",
					 tape_trace_error(x->t));
	while (!found && (rc = tape_flow_next(f, &e)) == 1)
		found = is_communication(e);
	if (rc < 0)
		tape_actions_fail(&x->s, rc, "%s", tape_flow_error(f));
	tape_flow_close(f);
	return rc < 0 ? rc : found;
}

/* Chooses the communicating flow of each rank. */
static int choose_flows(struct tape_action_trace *x)
{
	size_t n = tape_trace_flows(x->t);
	/* number of communicating flows, by rank */
	int *flows = calloc(x->s.ranks + 1, sizeof *flows);
	int *all = calloc(x->s.ranks + 1, sizeof *all);
	int rc = flows && all ? 0 : tape_actions_no_memory(&x->s);

	for (size_t i = 0; !rc && i < n; i++)
		all[tape_trace_flow(x->t, i)->rank]++;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct tape_flow_info *f = tape_trace_flow(x->t, i);
		struct tape_action_rank *r = &x->ranks[f->rank];
		int does = all[f->rank] > 1 ? flow_communicates(x, i) : 1;

		if (does < 0)
			rc = does;
		else if (does && flows[f->rank]++)
			rc = tape_actions_fail(
			    &x->s, TAPE_ERANGE,
			    "%s: rank %d: threads %d and %d both communicate; "
			    "actions need one communicating thread for each "
			    "rank",
			    tape_trace_path(x->t), f->rank,
			    tape_trace_flow(x->t, r->flow)->thread, f->thread);
		else if (does || !f->thread)
			r->flow = i;
	}
	for (size_t i = 0; !rc && i < x->s.ranks; i++)
		if (!all[i] || !tape_trace_rank(x->t, (int)i)->host)
			rc = tape_actions_fail(
			    &x->s, TAPE_ERANGE,
			    "%s: rank %zu is not in the trace",
			    tape_trace_path(x->t), i);
	free(flows);
	free(all);
	return rc;
}

static int set_rank(struct tape_action_trace *x, int rank)
{
	struct tape_action_rank *r = &x->ranks[rank];
	const struct tape_rank_info *info = tape_trace_rank(x->t, rank);

	r->of = x;
	r->rank = rank;
	r->info = info;
	r->pending.bytes = sizeof(struct tape_action_pending);
	r->parts.bytes = sizeof(uint64_t);
	for (size_t i = 0; i < info->n_sites; i++)
		r->cancels |= info->sites[i].call == TAPE_CALL_MPI_Cancel;
	r->declared = calloc(info->n_comms / 8 + 1, 1);
	if (info->tid)
		r->rounds = calloc(info->n_comms + 1, sizeof *r->rounds);
	return r->declared && (r->rounds || !info->tid)
		   ? 0
		   : tape_actions_no_memory(&x->s);
}

static int open_trace(struct tape_action_trace *x,
		      const struct tape_actions_how *how)
{
	int rc = 0;

	if (!(how->rate >= 0) || how->rate > 1e30)
		return tape_actions_fail(&x->s, TAPE_ERANGE,
					 "%g operations per second", how->rate);
	x->rate_ns = (how->rate > 0 ? how->rate : 1e9) * 1e-9;
	x->no_packing = how->no_packing;
	if (!x->s.ranks)
		return tape_actions_fail(&x->s, TAPE_ERANGE,
					 "%s: the trace has no ranks",
					 tape_trace_path(x->t));
	for (size_t i = 0; !rc && i < x->s.ranks; i++)
		rc = set_rank(x, (int)i);
	if (!rc)
		rc = choose_flows(x);
	if (!rc)
		rc = tape_action_choose_measure(x, how->measure);
	if (!rc && x->ranks[0].info->tid &&
	    (rc = tape_pvm_groups_read(x->t, 0, &x->meetings)))
		tape_actions_no_memory(&x->s);
	if (!rc && (rc = tape_action_comms_read(&x->comms, x->t)))
		tape_actions_no_memory(&x->s);
	return rc;
}

int tape_actions_open_trace(struct tape_trace *t,
			    const struct tape_actions_how *how,
			    struct tape_actions **s)
{
	static const struct tape_actions_kind kind = {
	    next_trace_action, trace_members, trace_flow, close_trace_source};
	struct tape_action_trace *x = calloc(1, sizeof *x);

	*s = NULL;
	if (!x)
		return TAPE_ENOMEM;
	*s = &x->s;
	x->s.kind = &kind;
	x->s.measure = "";
	x->t = t;
	x->comms.t = t;
	x->s.ranks = tape_trace_ranks(t);
	x->ranks = calloc(x->s.ranks + 1, sizeof *x->ranks);
	if (!x->ranks)
		return tape_actions_no_memory(&x->s);
	return open_trace(x, how);
}
