/* See reference.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"
#include "reference.h"
#include "resolve.h"
#include "tool.h"

enum { BINS = 4096 };

/* A flow of t0: the next event that counts. */
struct reference_flow {
	struct tape_flow *reader;
	const struct tape_event *e; /* or NULL: there is none */
	uint64_t n;		    /* its number, from 1 */
	double own_ns;		    /* alphas of the flow so far, without its */
};

struct reference {
	struct tape_trace *t0, *t1;
	struct reference_flow *flow;
	size_t n_flows;
	int is_corrected; /* t0 is without what its recording cost */
	int64_t origin_ns;    /* t1 less t0, */
	double origin_off_ns; /* and by so much off */
	/* alphas, at most, of events of all flows that start in a bin of time,
	 * or before */
	int64_t first_ns;
	uint64_t bin_ns;
	double bin[BINS];
};

/* ---- events that count ---- */

static int asks_any_source(const struct tape_event *e)
{
	switch (e->class_) {
	case TAPE_CLASS_RECV:
		return e->u.recv.peer == TAPE_ANY_SOURCE;
	case TAPE_CLASS_SENDRECV:
		return e->u.sendrecv.rpeer == TAPE_ANY_SOURCE;
	case TAPE_CLASS_PROBE:
		return e->u.probe.peer == TAPE_ANY_SOURCE;
	case TAPE_CLASS_MPROBE:
		return e->u.mprobe.peer == TAPE_ANY_SOURCE;
	case TAPE_CLASS_NRECV:
		return e->u.nrecv.peer == TAPE_ANY_SOURCE;
	default:
		return 0;
	}
}

static int is_counted(const struct tape_event *e)
{
	if (tape_event_failed(e->class_, &e->u))
		return 0;
	if (e->class_ == TAPE_CLASS_WAIT || e->class_ == TAPE_CLASS_TEST)
		return e->n_done > 0;
	return asks_any_source(e);
}

static int is_test(const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_TEST || e->class_ == TAPE_CLASS_QUERY ||
	       e->class_ == TAPE_CLASS_IPROBE ||
	       e->class_ == TAPE_CLASS_IMPROBE || e->class_ == TAPE_CLASS_NRECV;
}

/* Whom the message of the event came from, and its tag; -1: it has none. */
static void find_message(const struct tape_event *e, int *peer, int *tag)
{
	*peer = *tag = -1;
#define MESSAGE(NAME, name)                                                    \
	if (e->class_ == TAPE_CLASS_##NAME) {                                  \
		*peer = e->u.name.actual_peer;                                 \
		*tag = e->u.name.actual_tag;                                   \
	}
	MESSAGE(RECV, recv)
	MESSAGE(SENDRECV, sendrecv)
	MESSAGE(PROBE, probe)
	MESSAGE(MPROBE, mprobe)
	MESSAGE(NRECV, nrecv)
#undef MESSAGE
	for (uint32_t i = 0; i < e->n_done; i++)
		if (e->done[i].kind == TAPE_DONE_RECV) {
			*peer = e->done[i].peer;
			*tag = e->done[i].tag;
			return;
		}
}

static const struct tape_site_info *find_site(const struct tape_trace *t,
					      const struct tape_event *e)
{
	return &tape_trace_rank(t, e->rank)->sites[e->site];
}

static int is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static int is_same_site(const struct tape_site_info *a,
			const struct tape_site_info *b)
{
	if (a->call != b->call || a->line != b->line)
		return 0;
	return a->line ? is_same_text(a->file, b->file)
		       : a->address == b->address &&
			     is_same_text(a->module, b->module);
}

static int is_same_event(const struct reference *r, const struct tape_event *a,
			 const struct tape_event *b)
{
	int peer[2], tag[2];

	if (a->class_ != b->class_ || a->n_done != b->n_done ||
	    !is_same_site(find_site(r->t0, a), find_site(r->t1, b)))
		return 0;
	for (uint32_t i = 0; i < a->n_done; i++)
		if (a->done[i].kind != b->done[i].kind ||
		    (a->done[i].kind == TAPE_DONE_RECV &&
		     (a->done[i].peer != b->done[i].peer ||
		      a->done[i].tag != b->done[i].tag)))
			return 0;
	find_message(a, &peer[0], &tag[0]);
	find_message(b, &peer[1], &tag[1]);
	return peer[0] == peer[1] && tag[0] == tag[1];
}

static void describe_event(const struct tape_trace *t,
			   const struct tape_event *e, char *text, size_t n)
{
	char place[TAPE_PLACE_BYTES];
	int peer, tag, used;

	find_message(e, &peer, &tag);
	used = snprintf(text, n, "%s %s", tape_call_name(e->call),
			tape_place_text(find_site(t, e), place, sizeof place));
	if (e->n_done)
		used += snprintf(text + used, n - (size_t)used,
				 " of %" PRIu32 " requests", e->n_done);
	if (peer >= 0)
		snprintf(text + used, n - (size_t)used, " from %d, tag %d",
			 peer, tag);
}

/* ---- t0 ---- */

/* The alphas of an event, at most. */
static double alpha_at_most(const struct tape_trace *t,
			    const struct tape_event *e)
{
	struct tape_alpha_error error;

	tape_event_alpha_error(t, e, &error);
	return e->alpha_before_ns + e->alpha_after_ns + error.before_more +
	       error.after_more;
}

/* a - b: timestamps of a damaged trace may be any numbers. */
static int64_t subtract_times(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static uint64_t time_since_first(const struct reference *r, int64_t ns)
{
	return ns > r->first_ns ? (uint64_t)ns - (uint64_t)r->first_ns : 0;
}

/* Doubles the width of the bins until the time is in one. */
static size_t find_bin(struct reference *r, int64_t ns)
{
	uint64_t since = time_since_first(r, ns);

	while (since / r->bin_ns >= BINS) {
		for (size_t i = 0; i < BINS; i++)
			r->bin[i] = i < BINS / 2 ? r->bin[2 * i] +
						       r->bin[2 * i + 1]
						 : 0;
		r->bin_ns *= 2;
	}
	return (size_t)(since / r->bin_ns);
}

static void sum_alphas(struct reference *r)
{
	const struct tape_event *e;
	struct tape_merge *m;
	int any = 0, rc;

	r->bin_ns = 1024;
	if (tape_merge_open(r->t0, &m))
		tape_die_no_memory();
	while ((rc = tape_merge_next(m, &e)) == 1) {
		if (!any++)
			r->first_ns = e->start_ns;
		r->bin[find_bin(r, e->start_ns)] += alpha_at_most(r->t0, e);
	}
	if (rc)
		tape_die(TAPE_FAILED, "%s", tape_merge_error(m));
	tape_merge_close(m);
	for (size_t i = 1; i < BINS; i++)
		r->bin[i] += r->bin[i - 1];
}

/* All alphas of events of t0 that begin by then, at most. */
static double sum_until(const struct reference *r, int64_t ns)
{
	uint64_t i = time_since_first(r, ns) / r->bin_ns;

	return r->bin[i < BINS ? i : BINS - 1];
}

static void open_reader(struct tape_trace *t, size_t flow, struct tape_flow **f)
{
	if (tape_flow_open(t, flow, f))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
}

/* Goes on to the next event that counts. */
static void fetch_event(struct reference_flow *f)
{
	int rc;

	if (f->e)
		f->own_ns += f->e->alpha_before_ns + f->e->alpha_after_ns;
	while ((rc = tape_flow_next(f->reader, &f->e)) == 1) {
		if (is_counted(f->e)) {
			f->n++;
			return;
		}
		f->own_ns += f->e->alpha_before_ns + f->e->alpha_after_ns;
	}
	f->e = NULL;
}

void reference_rewind(struct reference *r)
{
	for (size_t i = 0; i < r->n_flows; i++) {
		struct reference_flow *f = &r->flow[i];

		if (f->reader)
			tape_flow_close(f->reader);
		*f = (struct reference_flow){0};
		open_reader(r->t0, i, &f->reader);
		fetch_event(f);
	}
}

/* ---- the common origin ---- */

/* The end of the first event of a flow without the alpha before it. */
static int64_t find_origin(struct tape_trace *t, size_t flow, unsigned *call)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int64_t ns;
	int rc;

	open_reader(t, flow, &f);
	while ((rc = tape_flow_next(f, &e)) == 1 && !e->call)
		;
	if (rc != 1 || e->class_ != TAPE_CLASS_LOCAL)
		tape_die(TAPE_FAILED,
			 "%s: flow %zu does not begin with a local call such "
			 "as MPI_Init: it has no origin for --reference",
			 tape_trace_path(t), flow);
	*call = e->call;
	ns = tape_timestamp_minus(e->end_ns, e->alpha_before_ns);
	tape_flow_close(f);
	return ns;
}

static void join_origins(struct reference *r)
{
	int64_t least = INT64_MAX, most = INT64_MIN, apart;
	uint64_t wide;

	for (size_t i = 0; i < r->n_flows; i++) {
		unsigned call[2];

		if (tape_trace_flow(r->t0, i)->thread)
			continue;
		apart = find_origin(r->t1, i, &call[1]);
		apart = subtract_times(apart,
				       find_origin(r->t0, i, &call[0]));
		if (call[0] != call[1])
			tape_die(TAPE_FAILED,
				 "%s: rank %d begins with %s, in %s with %s",
				 tape_trace_path(r->t0),
				 tape_trace_flow(r->t0, i)->rank,
				 tape_call_name(call[0]),
				 tape_trace_path(r->t1),
				 tape_call_name(call[1]));
		least = apart < least ? apart : least;
		most = apart > most ? apart : most;
	}
	if (least > most)
		tape_die(TAPE_FAILED, "%s: no rank has a first thread",
			 tape_trace_path(r->t0));
	wide = (uint64_t)most - (uint64_t)least;
	r->origin_ns = (int64_t)((uint64_t)least + wide / 2);
	/* ends of two events, the middle and a sum are rounded */
	r->origin_off_ns = (double)wide / 2 + 3;
}

double reference_origin_width(const struct reference *r)
{
	return 2 * r->origin_off_ns;
}

/* ---- a pass ---- */

static void check_flows(const struct reference *r)
{
	if (tape_trace_ranks(r->t0) && tape_trace_rank(r->t0, 0)->tid)
		tape_die(TAPE_FAILED,
			 "%s is of PVM, whose tasks have other ranks in each "
			 "run: --reference compares runs of MPI",
			 tape_trace_path(r->t0));
	if (r->n_flows != tape_trace_flows(r->t1))
		tape_die(TAPE_FAILED, "%s has %zu flows, %s has %zu",
			 tape_trace_path(r->t0), r->n_flows,
			 tape_trace_path(r->t1), tape_trace_flows(r->t1));
	for (size_t i = 0; i < r->n_flows; i++) {
		const struct tape_flow_info *a = tape_trace_flow(r->t0, i),
					    *b = tape_trace_flow(r->t1, i);

		if (a->rank != b->rank || a->thread != b->thread)
			tape_die(TAPE_FAILED,
				 "%s: flow %zu is thread %d of rank %d, in %s "
				 "thread %d of rank %d",
				 tape_trace_path(r->t0), i, a->thread, a->rank,
				 tape_trace_path(r->t1), b->thread, b->rank);
	}
}

struct reference *reference_open(const char *path, struct tape_trace *t1)
{
	struct reference *r = tape_must(calloc(1, sizeof *r));
	enum tape_base base;

	r->t1 = t1;
	if (tape_trace_open(path, &r->t0))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(r->t0));
	tape_resolve(r->t0);
	base = tape_trace_base(r->t0);
	if (base == TAPE_BASE_LOCAL && tape_trace_domains(r->t0) > 1)
		tape_die(TAPE_FAILED,
			 "%s has several clocks: run sba before --reference",
			 path);
	r->is_corrected = base == TAPE_BASE_COMPENSATED;
	r->n_flows = tape_trace_flows(r->t0);
	check_flows(r);
	r->flow = tape_must(calloc(r->n_flows + 1, sizeof *r->flow));
	join_origins(r);
	sum_alphas(r);
	return r;
}

void reference_free(struct reference *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_flows; i++)
		if (r->flow[i].reader)
			tape_flow_close(r->flow[i].reader);
	tape_trace_close(r->t0);
	free(r->flow);
	free(r);
}

/* The perturbation at the end of e if it ended as its event of t0 did. */
static struct tape_delay measured_delay(const struct reference *r,
					const struct reference_flow *f,
					const struct tape_event *e)
{
	const struct tape_event *a = f->e;
	double late = (double)subtract_times(
	    subtract_times(e->end_ns, a->end_ns), r->origin_ns);
	double earlier = (double)a->earlier_ns + r->origin_off_ns;
	double later = (double)a->later_ns + r->origin_off_ns;
	struct tape_delay p = {late, late - later, late + earlier};
	int64_t lo = 0, hi = 0;
	double cost, apart;

	if (r->is_corrected)
		return p;
	tape_trace_interval(r->t0, tape_trace_rank(r->t0, a->rank)->domain,
			    a->end_tick, &lo, &hi);
	/* other flows may be that much further by their clocks */
	apart = 2 * ((double)hi - (double)lo);
	cost = sum_until(r, tape_timestamp_minus(a->end_ns, -apart));
	p.p += tape_min(f->own_ns + a->alpha_before_ns, cost);
	p.hi += cost - (double)lo;
	p.lo -= (double)hi;
	return p;
}

__attribute__((noreturn)) static void
refuse_event(const struct reference *r, const struct reference_flow *f,
	     const struct tape_event *e)
{
	char in_t0[TAPE_PLACE_BYTES + 200] = "nothing",
	     in_t1[TAPE_PLACE_BYTES + 200];

	if (f->e)
		describe_event(r->t0, f->e, in_t0, sizeof in_t0);
	describe_event(r->t1, e, in_t1, sizeof in_t1);
	tape_die(TAPE_FAILED,
		 "the runs differ: rank %d, receive or completion %" PRIu64
		 ": %s in %s, %s in %s",
		 e->rank, f->n + !f->e, in_t0, tape_trace_path(r->t0), in_t1,
		 tape_trace_path(r->t1));
}

void reference_apply(struct reference *r, const struct tape_event *e,
		     struct tape_delay *p, struct reference_counts *c)
{
	struct reference_flow *f = &r->flow[e->flow];
	struct tape_delay q;
	double before = p->p;

	c->tests += (uint64_t)is_test(e);
	if (!is_counted(e))
		return;
	if (!f->e || !is_same_event(r, f->e, e))
		refuse_event(r, f, e);
	q = measured_delay(r, f, e);
	c->events++;
	if (q.lo <= p->hi && p->lo <= q.hi) {
		p->lo = tape_max(p->lo, q.lo);
		p->hi = tape_min(p->hi, q.hi);
		p->p = tape_min(tape_max(q.p, p->lo), p->hi);
	} else {
		c->apart++;
		c->gap_ns = tape_max(
		    c->gap_ns, tape_max(q.lo - p->hi, p->lo - q.hi));
		*p = q;
	}
	c->moved_ns = tape_max(c->moved_ns, fabs(p->p - before));
	fetch_event(f);
}

void reference_end_flow(struct reference *r, size_t flow)
{
	struct reference_flow *f = &r->flow[flow];
	char text[TAPE_PLACE_BYTES + 200];

	if (!f->e)
		return;
	describe_event(r->t0, f->e, text, sizeof text);
	tape_die(TAPE_FAILED,
		 "the runs differ: rank %d, receive or completion %" PRIu64
		 ": %s in %s, nothing in %s",
		 f->e->rank, f->n, text, tape_trace_path(r->t0),
		 tape_trace_path(r->t1));
}
