/*
 * What the calls record that start, complete, free or cancel requests; see
 * hooks.h. Their classes are marked "*": done_X stores what became of which
 * request, after the record. While nothing is recorded: untraced_requests.h.
 * A call is about a request of its own or, where a->many is set, about n.
 */
#ifndef TAPE_HOOKS_REQUESTS_H
#define TAPE_HOOKS_REQUESTS_H

#include "hooks.h"

TAPE_PUT(wait)
TAPE_PUT(test)
TAPE_POLL(test, TEST)
TAPE_PUT(query)
TAPE_POLL(query, QUERY)
TAPE_PUT(start)
TAPE_PUT(req)
TAPE_PUT(mrecv)
TAPE_PUT(imrecv)
TAPE_PUT(pready)
#define put_wait tape_put_wait
#define put_start tape_put_start
#define put_req tape_put_req
#define put_mrecv tape_put_mrecv
#define put_imrecv tape_put_imrecv
#define put_pready tape_put_pready

/* ---- completion ---- */

/*
 * A call that fails because of its arguments completes nothing; one that
 * fails because a request did takes that request away.
 */
static inline int is_finished(int rc, MPI_Request now)
{
	return rc == MPI_SUCCESS || now == MPI_REQUEST_NULL;
}

/* Of so many handles the copying is timed: it is no constant any more. */
enum { MANY_HANDLES = 32 };

/* Copies of the handles, what is known of them, and what has arrived. */
static inline int copy_handles(struct tape_flow *f, int n,
			       const MPI_Request *requests,
			       struct tape_scratch *s, int ask, uint64_t *probe)
{
	uint64_t t0;

	*probe = 0;
	if (n > 0 && (!requests || tape_scratch(f, n, s)))
		return -1;
	t0 = n > MANY_HANDLES ? tape_tick() : 0;
	for (int i = 0; i < n; i++) {
		s->handles[i] = requests[i];
		s->arrived[i] = 2;
		if (TAPE_UNLIKELY(s->before != NULL))
			tape_find_before(requests[i], &s->before[i]);
	}
	if (t0)
		f->extra_before += tape_tick() - t0;
	if (!ask || !f->arrived || n <= 0)
		return 0;
	*probe = tape_processor_due_soon(f, tape_tick());
	for (int i = 0; i < n; i++)
		if (requests[i] != MPI_REQUEST_NULL)
			s->arrived[i] =
			    (unsigned char)tape_probe_request(requests[i]);
	return 0;
}

/* The i-th of them is complete. */
static inline void record_done(struct tape_flow *f, int i,
			       const struct tape_scratch *s, int rc,
			       const MPI_Status *status)
{
	tape_record_completed(f, s->handles[i],
			      s->before ? &s->before[i] : NULL, rc, status,
			      s->arrived[i]);
}

/* Is the error of that class? Codes may say more than their class. */
static inline int is_error(int code, int wanted)
{
	int class_ = code;

	if (code != MPI_SUCCESS)
		PMPI_Error_class(code, &class_);
	return class_ == wanted;
}

/* After an error without statuses: those requests that are gone. */
static inline void record_failed(struct tape_flow *f, int n,
				 const MPI_Request *requests,
				 const struct tape_scratch *s, int rc)
{
	for (int i = 0; i < n; i++)
		if (s->handles[i] != MPI_REQUEST_NULL &&
		    requests[i] == MPI_REQUEST_NULL)
			record_done(f, i, s, rc, NULL);
}

static inline void record_all_done(struct tape_flow *f, int n,
				   const MPI_Request *requests,
				   const struct tape_scratch *s, int rc,
				   const MPI_Status *statuses)
{
	if (rc != MPI_SUCCESS && !is_error(rc, MPI_ERR_IN_STATUS)) {
		record_failed(f, n, requests, s, rc);
		return;
	}
	for (int i = 0; i < n; i++) {
		int one = rc == MPI_SUCCESS ? rc : statuses[i].MPI_ERROR;

		if (s->handles[i] != MPI_REQUEST_NULL &&
		    !is_error(one, MPI_ERR_PENDING))
			record_done(f, i, s, one, &statuses[i]);
	}
}

static inline void record_one_done(struct tape_flow *f, int n, int index,
				   const struct tape_scratch *s, int rc,
				   const MPI_Status *status)
{
	if (index != MPI_UNDEFINED && index >= 0 && index < n &&
	    s->handles[index] != MPI_REQUEST_NULL)
		record_done(f, index, s, rc, status);
}

static inline void record_any_done(struct tape_flow *f, int n,
				   const MPI_Request *requests,
				   const int *index,
				   const struct tape_scratch *s, int rc,
				   const MPI_Status *status)
{
	/* a message that was cut short has a status, too */
	if (rc == MPI_SUCCESS || is_error(rc, MPI_ERR_TRUNCATE))
		record_one_done(f, n, *index, s, rc, status);
	else
		record_failed(f, n, requests, s, rc);
}

static inline void record_some_done(struct tape_flow *f, int n,
				    const MPI_Request *requests,
				    const int *count, const int *indices,
				    const struct tape_scratch *s, int rc,
				    const MPI_Status *statuses)
{
	if (rc != MPI_SUCCESS && !is_error(rc, MPI_ERR_IN_STATUS)) {
		record_failed(f, n, requests, s, rc);
		return;
	}
	if (*count == MPI_UNDEFINED)
		return;
	for (int i = 0; i < *count; i++)
		record_one_done(f, n, indices[i], s,
				rc == MPI_SUCCESS ? rc : statuses[i].MPI_ERROR,
				&statuses[i]);
}

static inline uint32_t count_requests(const struct tape_mpi_args *a)
{
	return !a->many ? 1 : a->n > 0 ? (uint32_t)a->n : 0;
}

/* The only request, before the call takes it away. */
static inline TAPE_ALWAYS void copy_one_handle(struct tape_mpi_args *a)
{
	a->waited->handle = a->request ? *a->request : MPI_REQUEST_NULL;
	tape_before(a->waited->handle, &a->waited->before);
}

static inline TAPE_ALWAYS void copy_many_handles(struct tape_flow *f,
						 struct tape_mpi_args *a,
						 int ask, uint64_t *probe)
{
	struct tape_waited *w = a->waited;

	w->known = !copy_handles(f, a->n, a->requests, &w->all, ask, probe);
	if (a->statuses == MPI_STATUSES_IGNORE && w->known && a->n > 0)
		a->statuses = w->all.statuses;
}

/* Those that are complete, of one or of many. */
static inline TAPE_ALWAYS void record_completions(struct tape_flow *f,
						  const struct tape_mpi_args *a,
						  unsigned arrived)
{
	const struct tape_waited *w = a->waited;

	if (!a->many) {
		if (w->handle != MPI_REQUEST_NULL &&
		    is_finished(a->rc, *a->request))
			tape_record_completed(f, w->handle, &w->before, a->rc,
					      a->status, arrived);
	} else if (w->known && a->nout) {
		record_some_done(f, a->n, a->requests, a->nout, a->indices,
				 &w->all, a->rc, a->statuses);
	} else if (w->known && a->index) {
		record_any_done(f, a->n, a->requests, a->index, &w->all, a->rc,
				a->status);
	} else if (w->known) {
		record_all_done(f, a->n, a->requests, &w->all, a->rc,
				a->statuses);
	}
}

static inline TAPE_ALWAYS void
before_wait(struct tape_flow *f, struct tape_wait *r, struct tape_mpi_args *a)
{
	r->n = count_requests(a);
	r->probe = 0;
	if (a->many) {
		copy_many_handles(f, a, 1, &r->probe);
		return;
	}
	copy_one_handle(a);
	a->waited->arrived = 2;
	if (f->arrived && a->waited->handle != MPI_REQUEST_NULL) {
		r->probe = tape_processor_due_soon(f, tape_tick());
		a->waited->arrived = tape_probe_request(a->waited->handle);
	}
}

/* The number of a request that its owner waits for; 0: not known. */
static inline uint64_t number_of_request(MPI_Request handle)
{
	struct tape_request q;

	return handle != MPI_REQUEST_NULL &&
		       !tape_request_is_shared(tape_handle(handle)) &&
		       tape_request_find(tape_handle(handle), &q) && q.active
		   ? q.number
		   : 0;
}

/*
 * The first requests that had not completed. Where requests are not asked, all
 * of them count as incomplete. A wait for more handles than this is cut.
 */
enum { LOOKED_AT = 64 };

static inline void begin_many_waits(unsigned char *call,
				    const struct tape_mpi_args *a)
{
	const struct tape_scratch *s = &a->waited->all;
	uint32_t k = 0;
	uint64_t number;

	for (int i = 0; a->waited->known && i < a->n && i < LOOKED_AT &&
			k < TAPE_CALL_REQUESTS_MAX; i++)
		if (s->arrived[i] != 1 &&
		    (number = number_of_request(s->handles[i])))
			tape_call_request(call, k++, number);
	while (k < TAPE_CALL_REQUESTS_MAX)
		tape_call_request(call, k++, 0);
}

/* Of a wait whose message has arrived nothing is stored: it does not block. */
static inline TAPE_ALWAYS void begin_wait(struct tape_flow *f, uint32_t site,
					  const struct tape_wait *r,
					  const struct tape_mpi_args *a)
{
	unsigned char *call = tape_call_place(f);

	if (!a->many && a->waited->arrived == 1)
		return;
	tape_call_partner(call, -1, -1, 0, r->n);
	if (a->many)
		begin_many_waits(call, a);
	else
		tape_call_request(call, 0,
				  number_of_request(a->waited->handle));
	tape_call_begin(f, call, site);
}

static inline TAPE_ALWAYS void
after_wait(struct tape_flow *f, struct tape_wait *r, struct tape_mpi_args *a)
{
	r->probe = probe_ticks(f, r->probe, a->start);
}

static inline TAPE_ALWAYS void done_wait(struct tape_flow *f,
					 const struct tape_wait *r,
					 const struct tape_mpi_args *a)
{
	(void)r;
	record_completions(f, a, a->waited->arrived);
}

/* A test that found nothing joins the pending run of its call site. */
static inline TAPE_ALWAYS void put_test(struct tape_flow *f, uint32_t site,
					uint64_t start, uint64_t end,
					const struct tape_test *r)
{
	if (r->flag)
		tape_put_test(f, site, start, end, r);
	else
		tape_poll_test(f, site, start, end, r);
}

static inline TAPE_ALWAYS void
before_test(struct tape_flow *f, struct tape_test *r, struct tape_mpi_args *a)
{
	uint64_t none;

	r->n = count_requests(a);
	if (a->many)
		copy_many_handles(f, a, 0, &none);
	else
		copy_one_handle(a);
}

static inline TAPE_ALWAYS void
after_test(struct tape_flow *f, struct tape_test *r, struct tape_mpi_args *a)
{
	(void)f;
	r->flag = a->rc != MPI_SUCCESS || *(a->nout ? a->nout : a->flag);
}

static inline TAPE_ALWAYS void done_test(struct tape_flow *f,
					 const struct tape_test *r,
					 const struct tape_mpi_args *a)
{
	if (r->flag)
		record_completions(f, a, 2);
}

/* ---- asking about a request, which stays ---- */

/* Of a run of failed queries the first says which request it is about. */
static inline void put_query(struct tape_flow *f, uint32_t site, uint64_t start,
			     uint64_t end, struct tape_query *r)
{
	if (r->flag) {
		tape_put_query(f, site, start, end, r);
		return;
	}
	if (f->poll_count && f->poll_site == site)
		r->asked = f->poll_fields.query.asked;
	else if (f->also_count && f->also_site == site)
		r->asked = f->also_fields.query.asked;
	tape_poll_query(f, site, start, end, r);
}

static inline void before_query(struct tape_flow *f, struct tape_query *r,
				struct tape_mpi_args *a)
{
	(void)f;
	*r = (struct tape_query){0};
	a->waited->known =
	    a->queried != MPI_REQUEST_NULL &&
	    tape_request_find(tape_handle(a->queried), &a->waited->request) &&
	    a->waited->request.active;
}

static inline void after_query(struct tape_flow *f, struct tape_query *r,
			       struct tape_mpi_args *a)
{
	const struct tape_waited *w = a->waited;
	const MPI_Status *status = a->status;

	(void)f;
	r->asked = w->known ? w->request.number : 0;
	r->flag = a->rc != MPI_SUCCESS || *a->flag;
	if (w->known && w->request.kind == TAPE_REQUEST_RECV && r->flag &&
	    status && a->rc == MPI_SUCCESS && !tape_status_cancelled(status)) {
		r->actual_peer = tape_peer(status->MPI_SOURCE);
		r->actual_tag = tape_tag(status->MPI_TAG);
		r->bytes = tape_status_bytes(status);
	}
}

static inline void done_query(struct tape_flow *f, const struct tape_query *r,
			      const struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

/* ---- persistent requests, free, cancel ---- */

static inline void before_start(struct tape_flow *f, struct tape_start *r,
				struct tape_mpi_args *a)
{
	(void)f;
	r->n = count_requests(a);
}

static inline void after_start(struct tape_flow *f, struct tape_start *r,
			       struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void done_start(struct tape_flow *f, const struct tape_start *r,
			      const struct tape_mpi_args *a)
{
	const MPI_Request *requests = a->many ? a->requests : a->request;
	uint64_t number;

	for (uint32_t i = 0; a->rc == MPI_SUCCESS && i < r->n; i++) {
		tape_request_activate(tape_handle(requests[i]), &number);
		tape_buffer_done(f, TAPE_CODE_DONE, number, 0, 0, 0, 0);
	}
}

/*
 * Of a generalized request that ends, who waits for it may be gone with it
 * before the call returns.
 */
static inline void before_req(struct tape_flow *f, struct tape_req *r,
			      struct tape_mpi_args *a)
{
	(void)f;
	r->none_ = 0;
	a->waited->request = (struct tape_request){0};
	if (a->traits & TAPE_TRAIT_FREES)
		copy_one_handle(a);
	else if (a->queried != MPI_REQUEST_NULL && !a->request)
		tape_request_find(tape_handle(a->queried), &a->waited->request);
}

static inline void after_req(struct tape_flow *f, struct tape_req *r,
			     struct tape_mpi_args *a)
{
	struct tape_waited *w = a->waited;

	(void)f, (void)r;
	if (a->rc != MPI_SUCCESS)
		return;
	if (a->traits & TAPE_TRAIT_FREES)
		tape_take_freed(w->handle, &w->before, &w->request);
	else if (a->request)
		tape_request_cancel(tape_handle(*a->request),
				    &w->request.number);
}

static inline void done_req(struct tape_flow *f, const struct tape_req *r,
			    const struct tape_mpi_args *a)
{
	(void)r;
	if (a->rc == MPI_SUCCESS)
		tape_buffer_done(f, TAPE_CODE_DONE, a->waited->request.number,
				 0, 0, 0, 0);
}

/* ---- parts of a message that are ready ---- */

static inline void before_pready(struct tape_flow *f, struct tape_pready *r,
				 struct tape_mpi_args *a)
{
	(void)f, (void)r;
	a->waited->request = (struct tape_request){ 0 };
	tape_request_find(tape_handle(a->queried), &a->waited->request);
}

static inline void after_pready(struct tape_flow *f, struct tape_pready *r,
				struct tape_mpi_args *a)
{
	int n = a->many ? a->nparts : a->high - a->low + 1;

	(void)f;
	r->n = a->rc == MPI_SUCCESS && n > 0 ? (uint32_t)n : 0;
}

static inline void done_pready(struct tape_flow *f, const struct tape_pready *r,
			       const struct tape_mpi_args *a)
{
	if (r->n)
		tape_buffer_done(f, TAPE_CODE_DONE, a->waited->request.number,
				 0, 0, 0, 0);
}

/* ---- matched receives ---- */

/*
 * The call takes the message away, and its handle may be another thread's
 * when it returns: it is forgotten ahead.
 */
static inline void drop_message(const MPI_Message *message,
				struct tape_request *q)
{
	*q = (struct tape_request){0};
	if (message && *message != MPI_MESSAGE_NULL &&
	    *message != MPI_MESSAGE_NO_PROC)
		tape_request_drop(tape_message(*message), q);
}

/* That of MPI_PROC_NULL: all have one handle, and nothing becomes of them. */
static inline int is_from_proc_null(const MPI_Message *message)
{
	return message && *message == MPI_MESSAGE_NO_PROC;
}

/* The call failed: is the message still there? */
static inline void restore_message(const MPI_Message *message,
				   const struct tape_request *q)
{
	if (q->number && message && *message != MPI_MESSAGE_NULL)
		tape_request_add(tape_message(*message), q);
}

static inline void drop_matched_message(struct tape_mpi_args *a)
{
	a->waited->known = !is_from_proc_null(a->message);
	drop_message(a->message, &a->waited->request);
}

static inline void before_mrecv(struct tape_flow *f, struct tape_mrecv *r,
				struct tape_mpi_args *a)
{
	(void)f;
	r->none_ = 0;
	drop_matched_message(a);
}

static inline void begin_mrecv(struct tape_flow *f, uint32_t site,
			       const struct tape_mrecv *r,
			       const struct tape_mpi_args *a)
{
	unsigned char *call = tape_call_place(f);

	(void)r, (void)a;
	tape_call_partner(call, -1, -1, 0, 0);
	tape_call_begin(f, call, site);
}

static inline void after_mrecv(struct tape_flow *f, struct tape_mrecv *r,
			       struct tape_mpi_args *a)
{
	(void)f, (void)r, (void)a;
}

static inline void done_mrecv(struct tape_flow *f, const struct tape_mrecv *r,
			      const struct tape_mpi_args *a)
{
	const struct tape_waited *w = a->waited;

	(void)r;
	if (a->rc != MPI_SUCCESS)
		restore_message(a->message, &w->request);
	else if (w->known)
		tape_buffer_done(f, TAPE_CODE_DONE_RECV, w->request.number,
				 tape_peer(a->status->MPI_SOURCE),
				 tape_tag(a->status->MPI_TAG),
				 tape_status_bytes(a->status), 1);
}

static inline void before_imrecv(struct tape_flow *f, struct tape_imrecv *r,
				 struct tape_mpi_args *a)
{
	(void)f, (void)r;
	drop_matched_message(a);
}

static inline void after_imrecv(struct tape_flow *f, struct tape_imrecv *r,
				struct tape_mpi_args *a)
{
	(void)f;
	r->bytes = a->rc == MPI_SUCCESS ? tape_bytes(a->count, a->type) : 0;
}

static inline void created_imrecv(struct tape_flow *f,
				  const struct tape_imrecv *r,
				  const struct tape_mpi_args *a)
{
	(void)r;
	add_new_request(f, a, TAPE_REQUEST_RECV);
}

static inline void done_imrecv(struct tape_flow *f, const struct tape_imrecv *r,
			       const struct tape_mpi_args *a)
{
	const struct tape_waited *w = a->waited;

	(void)r;
	if (a->rc != MPI_SUCCESS)
		restore_message(a->message, &w->request);
	else if (w->known)
		tape_buffer_done(f, TAPE_CODE_DONE, w->request.number, 0, 0, 0,
				 0);
}

#endif
