/*
 * Converts the events of a rank to actions (Desprez and others 2010, section
 * 3); see action_convert.h. The time between two calls is one computation.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action_convert.h"
#include "place.h"

int tape_action_reject(struct tape_action_rank *r, const struct tape_event *e,
		       const char *format, ...)
{
	const struct tape_site_info *site =
	    e->site ? tape_site_of(r->of->t, r->rank, e->site) : NULL;
	char why[512], place[TAPE_PLACE_BYTES];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	return tape_actions_fail(
	    &r->of->s, TAPE_ERANGE, "%s: rank %d: %s%s%s: %s",
	    tape_trace_path(r->of->t), r->rank, tape_call_name(e->call),
	    site ? " at " : "",
	    site ? tape_place_text(site, place, sizeof place) : "", why);
}

int32_t tape_action_world_rank(const struct tape_action_rank *r, uint32_t comm,
			       int32_t peer)
{
	const struct tape_comm_info *c;

	if (r->info->tid)
		return tape_trace_task(r->of->t, peer);
	if (peer == TAPE_PROC_NULL)
		return TAPE_PROC_NULL;
	if (!comm || comm >= r->info->n_comms)
		return -1;
	c = &r->info->comms[comm];
	return c->members && peer >= 0 && peer < c->size ? c->members[peer]
							 : -1;
}

/* ---- actions ---- */

/*
 * Adds a slot. After the end of the rank's actions it is marked to be skipped.
 */
static struct tape_action_slot *
append_slot(struct tape_action_rank *r, enum tape_action_kind kind, int inside)
{
	struct tape_action_slot *s = tape_action_queue_add(&r->q);

	if (!s)
		return NULL;
	s->a.kind = kind;
	s->a.event = r->event;
	s->a.inside = inside;
	s->gone = r->finalized;
	return s;
}

struct tape_action *tape_action_append(struct tape_action_rank *r,
				       enum tape_action_kind kind)
{
	struct tape_action_slot *s = append_slot(r, kind, 1);

	return s ? &s->a : NULL;
}

static int append_amount(struct tape_action_rank *r, enum tape_action_kind kind,
			 int inside, double n)
{
	struct tape_action_slot *s;

	if (!(n > 0))
		return 0;
	s = append_slot(r, kind, inside);
	if (!s)
		return TAPE_ENOMEM;
	s->a.amount = n;
	return 0;
}

int tape_action_add_sleep(struct tape_action_rank *r,
			  const struct tape_event *e)
{
	return append_amount(r, TAPE_ACTION_SLEEP, 1,
			     (double)e->inside_ns * 1e-9);
}

/* ---- start and end ---- */

static int is_life(const struct tape_event *e)
{
	return e->call && (tape_call_traits(e->call) & TAPE_TRAIT_LIFE) != 0;
}

static int is_finalize(const struct tape_event *e)
{
	return tape_call_base(e->call) == TAPE_CALL_MPI_Finalize;
}

static int begin_actions(struct tape_action_rank *r, const struct tape_event *e)
{
	r->begun = 1;
	return append_slot(r, TAPE_ACTION_INIT, is_life(e) && !is_finalize(e))
		   ? 0
		   : TAPE_ENOMEM;
}

static int end_actions(struct tape_action_rank *r, int inside)
{
	if (!r->finalized && !append_slot(r, TAPE_ACTION_FINALIZE, inside))
		return TAPE_ENOMEM;
	r->finalized = 1;
	return 0;
}

int tape_action_end_flow(struct tape_action_rank *r)
{
	if (!r->begun && !append_slot(r, TAPE_ACTION_INIT, 0))
		return TAPE_ENOMEM;
	tape_action_drop_unknown(r);
	return end_actions(r, 0);
}

/* ---- classes ---- */

static int convert_local(struct tape_action_rank *r, const struct tape_event *e)
{
	int packs = (tape_call_traits(e->call) & TAPE_TRAIT_PACKING) != 0;

	if (is_finalize(e))
		return end_actions(r, 1);
	if (is_life(e) || (packs && r->of->no_packing))
		return 0;
	return append_amount(r, packs ? TAPE_ACTION_PACK : TAPE_ACTION_COMPUTE,
			     1, tape_action_measure_inside(r, e));
}

static int convert_pack(struct tape_action_rank *r, const struct tape_event *e)
{
	double between, n = tape_action_measure_packing(r, e, &between);
	int rc = 0;

	if (!r->of->no_packing)
		rc = append_amount(r, TAPE_ACTION_PACK, 1, n);
	return rc ? rc : append_amount(r, TAPE_ACTION_COMPUTE, 1, between);
}

static int convert_send(struct tape_action_rank *r, const struct tape_event *e)
{
	const struct tape_send *u = &e->u.send;

	return tape_action_add_send(
	    r,
	    &(struct tape_action_message){u->comm, u->peer, u->tag, u->bytes,
					  e->call},
	    0, NULL);
}

/* A multicast is one send to each member of the group without a wait. */
static int convert_mcast(struct tape_action_rank *r, const struct tape_event *e)
{
	const struct tape_mcast *u = &e->u.mcast;
	const struct tape_group_info *g =
	    u->group < r->info->n_groups ? &r->info->groups[u->group] : NULL;
	int rc = 0;

	for (size_t i = 0; !rc && g && i < g->n; i++)
		if (g->ranks[i] != r->info->tid)
			rc = tape_action_add_send(
			    r,
			    &(struct tape_action_message){u->comm, g->ranks[i],
							  u->tag, u->bytes,
							  TAPE_CALL_MPI_Bsend},
			    0, NULL);
	return rc;
}

/* A receive that failed or timed out has no source. */
static int convert_receive(struct tape_action_rank *r,
			   const struct tape_recv *u)
{
	if (u->actual_peer == -1)
		return 0;
	return tape_action_add_receive(
	    r,
	    &(struct tape_action_message){u->comm, u->actual_peer,
					  u->actual_tag, u->bytes, 0},
	    0, NULL);
}

static int convert_probe(struct tape_action_rank *r, uint32_t comm,
			 int32_t peer, int32_t tag)
{
	const struct tape_action_comm *c =
	    tape_action_find_comm(&r->of->comms, r->rank, comm);
	int32_t from = tape_action_world_rank(r, comm, peer);
	struct tape_action *a;

	if (!c || from < 0)
		return 0;
	a = tape_action_append(r, TAPE_ACTION_PROBE);
	if (!a)
		return TAPE_ENOMEM;
	a->peer = from;
	a->tag = tape_action_comm_tag(&r->of->comms,
				      (uint32_t)(c - r->of->comms.list), tag);
	return a->tag < 0 ? TAPE_ENOMEM : 0;
}

/*
 * Calls that were only counted are missing as messages. So they are an error
 * unless the call is local.
 */
static int reject_counted(struct tape_action_rank *r,
			  const struct tape_event *e)
{
	const struct tape_site_info *site;
	unsigned call = e->also_call;
	struct tape_event of = *e;

	if (e->u.counted.region)
		return 0;
	site = tape_site_of(r->of->t, r->rank, e->u.counted.site);
	if (!call && site)
		call = site->call;
	if (call && tape_call_class(call) == TAPE_CLASS_LOCAL)
		return 0;
	of.call = (uint16_t)call;
	of.site = e->u.counted.site;
	return tape_action_reject(r, &of,
				  "some of its calls were only counted "
				  "(max_rate); trace with max_rate = 0");
}

/*
 * Converts collectives, communicators, windows and files. A spawn is a sleep:
 * no rank waits for the tasks that PVM starts.
 */
static int convert_comm_event(struct tape_action_rank *r,
			      const struct tape_event *e)
{
	const union tape_fields *u = &e->u;

	switch ((enum tape_class)e->class_) {
	case TAPE_CLASS_COLL:
		return tape_action_add_collective(r, e, &u->coll, e->call,
						  NULL);
	case TAPE_CLASS_COMM_NEW:
		return tape_action_create_comm(r, e, &u->comm_new);
	case TAPE_CLASS_COMM_FREE:
		return tape_action_free_comm(r, e);
	case TAPE_CLASS_WIN_NEW:
		return tape_action_create_window(r, e);
	case TAPE_CLASS_RMA:
		return tape_action_add_rma(r, e, &u->rma);
	case TAPE_CLASS_EPOCH:
		return tape_action_add_epoch(r, e);
	case TAPE_CLASS_PSCW:
		return tape_action_add_pscw(r, e, u->pscw.comm, u->pscw.group);
	case TAPE_CLASS_WINTEST:
		return u->wintest.flag
			   ? tape_action_add_pscw(r, e, u->wintest.comm, 0)
			   : 0;
	case TAPE_CLASS_FILE_NEW:
	case TAPE_CLASS_IO:
	case TAPE_CLASS_IO_AT:
	case TAPE_CLASS_SPAWN:
		return tape_action_add_sleep(r, e);
	default: /* convert_class() has the other classes */
		return 0;
	}
}

static int convert_class(struct tape_action_rank *r, const struct tape_event *e)
{
	const union tape_fields *u = &e->u;
	int rc;

	switch ((enum tape_class)e->class_) {
	case TAPE_CLASS_LOCAL:
		return convert_local(r, e);
	case TAPE_CLASS_PACK:
		return convert_pack(r, e);
	case TAPE_CLASS_SEND:
		return convert_send(r, e);
	case TAPE_CLASS_MCAST:
		return convert_mcast(r, e);
	case TAPE_CLASS_RECV:
		return convert_receive(r, &u->recv);
	case TAPE_CLASS_NRECV:
		return u->nrecv.flag
			   ? convert_receive(
				 r,
				 &(struct tape_recv){
				     .comm = u->nrecv.comm,
				     .bytes = u->nrecv.bytes,
				     .actual_peer = u->nrecv.actual_peer,
				     .actual_tag = u->nrecv.actual_tag})
			   : 0;
	case TAPE_CLASS_SENDRECV:
		return tape_action_add_sendrecv(r, &u->sendrecv, e->call);
	case TAPE_CLASS_PROBE:
		return convert_probe(r, u->probe.comm, u->probe.actual_peer,
				     u->probe.actual_tag);
	case TAPE_CLASS_IPROBE:
		return u->iprobe.flag ? convert_probe(r, u->iprobe.comm,
						      u->iprobe.actual_peer,
						      u->iprobe.actual_tag)
				      : 0;
	case TAPE_CLASS_MPROBE:
		rc = convert_probe(r, u->mprobe.comm, u->mprobe.actual_peer,
				   u->mprobe.actual_tag);
		return rc ? rc : tape_action_create_request(r, e);
	case TAPE_CLASS_IMPROBE:
		if (!u->improbe.flag)
			return 0;
		rc = convert_probe(r, u->improbe.comm, u->improbe.actual_peer,
				   u->improbe.actual_tag);
		return rc ? rc : tape_action_create_request(r, e);
	case TAPE_CLASS_ISEND:
	case TAPE_CLASS_IRECV:
	case TAPE_CLASS_ISENDRECV:
	case TAPE_CLASS_PSEND:
	case TAPE_CLASS_ICOLL:
	case TAPE_CLASS_IRMA:
	case TAPE_CLASS_IIO:
	case TAPE_CLASS_IIO_AT:
	case TAPE_CLASS_GREQUEST:
	case TAPE_CLASS_COMM_INEW:
		return tape_action_create_request(r, e);
	case TAPE_CLASS_IMRECV:
		return tape_action_receive_probed(r, e);
	case TAPE_CLASS_START:
		return tape_action_start_requests(r, e);
	case TAPE_CLASS_PREADY:
		return tape_action_ready_parts(r, e);
	case TAPE_CLASS_WAIT:
	case TAPE_CLASS_TEST:
	case TAPE_CLASS_MRECV:
		return tape_action_complete_requests(r, e);
	case TAPE_CLASS_QUERY:
		return tape_action_query_request(r, e);
	case TAPE_CLASS_REQ:
		return tape_action_free_request(r, e);
	case TAPE_CLASS_COUNTED:
		return reject_counted(r, e);
	case TAPE_CLASS_COLL:
	case TAPE_CLASS_COMM_NEW:
	case TAPE_CLASS_COMM_FREE:
	case TAPE_CLASS_WIN_NEW:
	case TAPE_CLASS_FILE_NEW:
	case TAPE_CLASS_RMA:
	case TAPE_CLASS_EPOCH:
	case TAPE_CLASS_PSCW:
	case TAPE_CLASS_WINTEST:
	case TAPE_CLASS_IO:
	case TAPE_CLASS_IO_AT:
	case TAPE_CLASS_SPAWN:
		return convert_comm_event(r, e);
	case TAPE_CLASS_ABORT:
		return tape_action_reject(
		    r, e, "the program called MPI_Abort before MPI_Finalize");
	case TAPE_CLASS_ENTER:
	case TAPE_CLASS_LEAVE:
	case TAPE_CLASS_OFF:
	case TAPE_CLASS_ON:
	case TAPE_CLASS_THREAD:
	case TAPE_CLASS_BLOCK:
	case TAPE_CLASS_PROCESSOR:
	case TAPE_CLASS_PTHREAD:
	case TAPE_CLASS_COUNT:
		break;
	}
	return 0;
}

int tape_action_convert_event(struct tape_action_rank *r,
			      const struct tape_event *e)
{
	double before;
	int rc = 0;

	r->event++;
	if (!r->begun)
		rc = begin_actions(r, e);
	if (!rc)
		rc = append_amount(r, TAPE_ACTION_COMPUTE, 0,
				   tape_action_measure_gap(r, e));
	if (!rc)
		rc = convert_class(r, e);
	r->end_ns = e->end_ns;
	r->alpha_ns = tape_event_alpha_after(e);
	if (r->measure.in_ns)
		tape_event_constants(r->of->t, e, &before, &r->constant_ns);
	return rc;
}
