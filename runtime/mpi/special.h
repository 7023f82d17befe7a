/*
 * Bodies of the calls that the tables mark "!": wrap_NAME records, and
 * outside_NAME runs while nothing is recorded. Included once, by wrap.c,
 * before the generated doors.
 */
#ifndef TAPE_SPECIAL_H
#define TAPE_SPECIAL_H

#include <stdlib.h>
#include <string.h>

#include "complete.h"
#include "life.h"

/* What a door knows of the call site when it cannot record. */
#define WHERE struct tape_site *source_, const void *address_
#define UNUSED_WHERE (void)source_, (void)address_

/* ---- start and end ---- */

static int outside_MPI_Init(WHERE, int *argc, char ***argv)
{
	uint64_t start = tape_life_tick(), end;
	int rc = TAPE_REAL(MPI_Init)(argc, argv);

	end = tape_life_tick();
	if (rc == MPI_SUCCESS)
		tape_life_start(start, end, TAPE_CALL_MPI_Init, source_,
				address_);
	return rc;
}

static inline int wrap_MPI_Init(struct tape_flow *f, uint32_t site, int *argc,
				char ***argv)
{
	(void)f, (void)site;
	return TAPE_REAL(MPI_Init)(argc, argv);
}

static int outside_MPI_Init_thread(WHERE, int *argc, char ***argv, int required,
				   int *provided)
{
	uint64_t start = tape_life_tick(), end;
	int rc = TAPE_REAL(MPI_Init_thread)(argc, argv, required, provided);

	end = tape_life_tick();
	if (rc == MPI_SUCCESS)
		tape_life_start(start, end, TAPE_CALL_MPI_Init_thread, source_,
				address_);
	return rc;
}

static inline int wrap_MPI_Init_thread(struct tape_flow *f, uint32_t site,
				       int *argc, char ***argv, int required,
				       int *provided)
{
	(void)f, (void)site;
	return TAPE_REAL(MPI_Init_thread)(argc, argv, required, provided);
}

/* The end of the run is recorded also where a region keeps a thread silent. */
static int outside_MPI_Finalize(WHERE)
{
	struct tape_flow *f = tape_region_stop();
	uint32_t site = 0;

	if (f)
		site = source_ ? tape_site_source(f, source_,
						  TAPE_CALL_MPI_Finalize)
			       : tape_site_here(f, TAPE_CALL_MPI_Finalize,
						address_);
	return tape_life_finalize(site ? f : NULL, site,
				  TAPE_REAL(MPI_Finalize));
}

static inline int wrap_MPI_Finalize(struct tape_flow *f, uint32_t site)
{
	return tape_life_finalize(f, site, TAPE_REAL(MPI_Finalize));
}

static int outside_MPI_Abort(WHERE, MPI_Comm comm, int code)
{
	UNUSED_WHERE;
	tape_core_stop(TAPE_END_ABORT);
	return TAPE_REAL(MPI_Abort)(comm, code);
}

TAPE_PUT(abort)

static inline int wrap_MPI_Abort(struct tape_flow *f, uint32_t site,
				 MPI_Comm comm, int code)
{
	struct tape_abort r = { 0 };
	uint64_t now = tape_tick();

	tape_put_abort(f, site, now, now, &r);
	tape_core_stop(TAPE_END_ABORT);
	return TAPE_REAL(MPI_Abort)(comm, code);
}

/* ---- completion ---- */

#define put_wait tape_put_wait
#define put_start tape_put_start
#define put_req tape_put_req
#define put_mrecv tape_put_mrecv
#define put_imrecv tape_put_imrecv

/*
 * A call that fails because of its arguments completes nothing; one that
 * fails because a request did takes that request away.
 */
static inline int finished(int rc, MPI_Request now)
{
	return rc == MPI_SUCCESS || now == MPI_REQUEST_NULL;
}

static inline TAPE_ALWAYS int wrap_MPI_Wait(struct tape_flow *f, uint32_t site,
					    MPI_Request *request,
					    MPI_Status *status)
{
	struct tape_mpi_args a = { 0 };
	MPI_Request handle = request ? *request : MPI_REQUEST_NULL;
	struct tape_wait r = { .n = 1 };
	struct tape_before before;
	unsigned arrived = 2;
	MPI_Status own;
	TAPE_WRAP_BEGIN(f);

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	tape_before(handle, &before);
	if (f->arrived && handle != MPI_REQUEST_NULL) {
		r.probe = tape_tick();
		arrived = tape_ask_request(handle);
	}
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Wait)(request, status);
	TAPE_WRAP_STOP(f);
	r.probe = probe_ticks(f, r.probe, a.start);
	TAPE_WRAP_PUT(wait, f, site, &r);
	if (handle != MPI_REQUEST_NULL && finished(a.rc, *request))
		tape_completed(f, handle, &before, a.rc, status, arrived);
	TAPE_WRAP_END(f);
	return a.rc;
}

/* Of so many handles the copying is timed: it is no constant any more. */
enum { MANY_HANDLES = 32 };

/* Copies of the handles, what is known of them, and what has arrived. */
static inline int look(struct tape_flow *f, int n, const MPI_Request *requests,
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
			tape_ask_before(requests[i], &s->before[i]);
	}
	if (t0)
		f->extra_before += tape_tick() - t0;
	if (!ask || !f->arrived || n <= 0)
		return 0;
	*probe = tape_tick();
	for (int i = 0; i < n; i++)
		if (requests[i] != MPI_REQUEST_NULL)
			s->arrived[i] = (unsigned char)tape_ask_request(
				requests[i]);
	return 0;
}

/* The i-th of them is complete. */
static inline void done_at(struct tape_flow *f, int i,
			   const struct tape_scratch *s, int rc,
			   const MPI_Status *status)
{
	tape_completed(f, s->handles[i], s->before ? &s->before[i] : NULL, rc,
		       status, s->arrived[i]);
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
static inline void done_failed(struct tape_flow *f, int n,
			       const MPI_Request *requests,
			       const struct tape_scratch *s, int rc)
{
	for (int i = 0; i < n; i++)
		if (s->handles[i] != MPI_REQUEST_NULL &&
		    requests[i] == MPI_REQUEST_NULL)
			done_at(f, i, s, rc, NULL);
}

static inline void done_all(struct tape_flow *f, int n,
			    const MPI_Request *requests,
			    const struct tape_scratch *s, int rc,
			    const MPI_Status *statuses)
{
	if (rc != MPI_SUCCESS && !is_error(rc, MPI_ERR_IN_STATUS)) {
		done_failed(f, n, requests, s, rc);
		return;
	}
	for (int i = 0; i < n; i++) {
		int one = rc == MPI_SUCCESS ? rc : statuses[i].MPI_ERROR;

		if (s->handles[i] != MPI_REQUEST_NULL &&
		    !is_error(one, MPI_ERR_PENDING))
			done_at(f, i, s, one, &statuses[i]);
	}
}

static inline void done_one(struct tape_flow *f, int n, int index,
			    const struct tape_scratch *s, int rc,
			    const MPI_Status *status)
{
	if (index != MPI_UNDEFINED && index >= 0 && index < n &&
	    s->handles[index] != MPI_REQUEST_NULL)
		done_at(f, index, s, rc, status);
}

static inline void done_any(struct tape_flow *f, int n,
			    const MPI_Request *requests, const int *index,
			    const struct tape_scratch *s, int rc,
			    const MPI_Status *status)
{
	if (rc == MPI_SUCCESS)
		done_one(f, n, *index, s, rc, status);
	else
		done_failed(f, n, requests, s, rc);
}

static inline void done_some(struct tape_flow *f, int n,
			     const MPI_Request *requests, const int *count,
			     const int *indices, const struct tape_scratch *s,
			     int rc, const MPI_Status *statuses)
{
	if (rc != MPI_SUCCESS && !is_error(rc, MPI_ERR_IN_STATUS)) {
		done_failed(f, n, requests, s, rc);
		return;
	}
	if (*count == MPI_UNDEFINED)
		return;
	for (int i = 0; i < *count; i++)
		done_one(f, n, indices[i], s,
			 rc == MPI_SUCCESS ? rc : statuses[i].MPI_ERROR,
			 &statuses[i]);
}

static inline int wrap_MPI_Waitall(struct tape_flow *f, uint32_t site, int n,
				   MPI_Request *requests, MPI_Status *statuses)
{
	struct tape_mpi_args a = { 0 };
	struct tape_wait r = { .n = (uint32_t)(n > 0 ? n : 0) };
	struct tape_scratch s;
	int known;
	TAPE_WRAP_BEGIN(f);

	known = !look(f, n, requests, &s, 1, &r.probe);
	if (statuses == MPI_STATUSES_IGNORE && known && n > 0)
		statuses = s.statuses;
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Waitall)(n, requests, statuses);
	TAPE_WRAP_STOP(f);
	r.probe = probe_ticks(f, r.probe, a.start);
	TAPE_WRAP_PUT(wait, f, site, &r);
	if (known)
		done_all(f, n, requests, &s, a.rc, statuses);
	TAPE_WRAP_END(f);
	return a.rc;
}

static inline int wrap_MPI_Waitany(struct tape_flow *f, uint32_t site, int n,
				   MPI_Request *requests, int *index,
				   MPI_Status *status)
{
	struct tape_mpi_args a = { 0 };
	struct tape_wait r = { .n = (uint32_t)(n > 0 ? n : 0) };
	struct tape_scratch s;
	MPI_Status own;
	int known;
	TAPE_WRAP_BEGIN(f);

	known = !look(f, n, requests, &s, 1, &r.probe);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Waitany)(n, requests, index, status);
	TAPE_WRAP_STOP(f);
	r.probe = probe_ticks(f, r.probe, a.start);
	TAPE_WRAP_PUT(wait, f, site, &r);
	if (known)
		done_any(f, n, requests, index, &s, a.rc, status);
	TAPE_WRAP_END(f);
	return a.rc;
}

static inline int wrap_MPI_Waitsome(struct tape_flow *f, uint32_t site, int n,
				    MPI_Request *requests, int *count,
				    int *indices, MPI_Status *statuses)
{
	struct tape_mpi_args a = { 0 };
	struct tape_wait r = { .n = (uint32_t)(n > 0 ? n : 0) };
	struct tape_scratch s;
	int known;
	TAPE_WRAP_BEGIN(f);

	known = !look(f, n, requests, &s, 1, &r.probe);
	if (statuses == MPI_STATUSES_IGNORE && known && n > 0)
		statuses = s.statuses;
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Waitsome)(n, requests, count, indices, statuses);
	TAPE_WRAP_STOP(f);
	r.probe = probe_ticks(f, r.probe, a.start);
	TAPE_WRAP_PUT(wait, f, site, &r);
	if (known)
		done_some(f, n, requests, count, indices, &s, a.rc, statuses);
	TAPE_WRAP_END(f);
	return a.rc;
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

static inline TAPE_ALWAYS int wrap_MPI_Test(struct tape_flow *f, uint32_t site,
					    MPI_Request *request, int *flag,
					    MPI_Status *status)
{
	struct tape_mpi_args a = { 0 };
	MPI_Request handle = request ? *request : MPI_REQUEST_NULL;
	struct tape_test r = { .n = 1 };
	struct tape_before before;
	MPI_Status own;
	TAPE_WRAP_BEGIN(f);

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	tape_before(handle, &before);
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Test)(request, flag, status);
	TAPE_WRAP_STOP(f);
	r.flag = a.rc != MPI_SUCCESS || *flag;
	TAPE_WRAP_PUT(test, f, site, &r);
	if (r.flag && handle != MPI_REQUEST_NULL && finished(a.rc, *request))
		tape_completed(f, handle, &before, a.rc, status, 2);
	TAPE_WRAP_END(f);
	return a.rc;
}

static inline int wrap_MPI_Testall(struct tape_flow *f, uint32_t site, int n,
				   MPI_Request *requests, int *flag,
				   MPI_Status *statuses)
{
	struct tape_mpi_args a = { 0 };
	struct tape_test r = { .n = (uint32_t)(n > 0 ? n : 0) };
	struct tape_scratch s;
	uint64_t none;
	int known;
	TAPE_WRAP_BEGIN(f);

	known = !look(f, n, requests, &s, 0, &none);
	if (statuses == MPI_STATUSES_IGNORE && known && n > 0)
		statuses = s.statuses;
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Testall)(n, requests, flag, statuses);
	TAPE_WRAP_STOP(f);
	r.flag = a.rc != MPI_SUCCESS || *flag;
	TAPE_WRAP_PUT(test, f, site, &r);
	if (r.flag && known)
		done_all(f, n, requests, &s, a.rc, statuses);
	TAPE_WRAP_END(f);
	return a.rc;
}

static inline int wrap_MPI_Testany(struct tape_flow *f, uint32_t site, int n,
				   MPI_Request *requests, int *index, int *flag,
				   MPI_Status *status)
{
	struct tape_mpi_args a = { 0 };
	struct tape_test r = { .n = (uint32_t)(n > 0 ? n : 0) };
	struct tape_scratch s;
	MPI_Status own;
	uint64_t none;
	int known;
	TAPE_WRAP_BEGIN(f);

	known = !look(f, n, requests, &s, 0, &none);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Testany)(n, requests, index, flag, status);
	TAPE_WRAP_STOP(f);
	r.flag = a.rc != MPI_SUCCESS || *flag;
	TAPE_WRAP_PUT(test, f, site, &r);
	if (r.flag && known)
		done_any(f, n, requests, index, &s, a.rc, status);
	TAPE_WRAP_END(f);
	return a.rc;
}

static inline int wrap_MPI_Testsome(struct tape_flow *f, uint32_t site, int n,
				    MPI_Request *requests, int *count,
				    int *indices, MPI_Status *statuses)
{
	struct tape_mpi_args a = { 0 };
	struct tape_test r = { .n = (uint32_t)(n > 0 ? n : 0) };
	struct tape_scratch s;
	uint64_t none;
	int known;
	TAPE_WRAP_BEGIN(f);

	known = !look(f, n, requests, &s, 0, &none);
	if (statuses == MPI_STATUSES_IGNORE && known && n > 0)
		statuses = s.statuses;
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Testsome)(n, requests, count, indices, statuses);
	TAPE_WRAP_STOP(f);
	r.flag = a.rc != MPI_SUCCESS || *count != 0;
	TAPE_WRAP_PUT(test, f, site, &r);
	if (r.flag && known)
		done_some(f, n, requests, count, indices, &s, a.rc, statuses);
	TAPE_WRAP_END(f);
	return a.rc;
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

static inline int wrap_MPI_Request_get_status(struct tape_flow *f,
					      uint32_t site,
					      MPI_Request request, int *flag,
					      MPI_Status *status)
{
	struct tape_mpi_args a = { 0 };
	struct tape_query r = { 0 };
	struct tape_request q;
	MPI_Status own;
	int known;
	TAPE_WRAP_BEGIN(f);

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	known = request != MPI_REQUEST_NULL &&
		tape_request_find(tape_handle(request), &q) && q.active;
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Request_get_status)(request, flag, status);
	TAPE_WRAP_STOP(f);
	r.asked = known ? q.number : 0;
	r.flag = a.rc != MPI_SUCCESS || *flag;
	if (known && q.kind == TAPE_REQUEST_RECV && r.flag &&
	    a.rc == MPI_SUCCESS && !tape_status_cancelled(status)) {
		r.actual_peer = tape_peer(status->MPI_SOURCE);
		r.actual_tag = tape_tag(status->MPI_TAG);
		r.bytes = tape_status_bytes(status);
	}
	TAPE_WRAP_PUT(query, f, site, &r);
	TAPE_WRAP_END(f);
	return a.rc;
}

/* Who waits for it may be gone with it before this returns. */
static inline int wrap_MPI_Grequest_complete(struct tape_flow *f, uint32_t site,
					     MPI_Request request)
{
	struct tape_mpi_args a = { 0 };
	struct tape_request q = { 0 };
	struct tape_req r = { 0 };
	TAPE_WRAP_BEGIN(f);

	if (request != MPI_REQUEST_NULL)
		tape_request_find(tape_handle(request), &q);
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Grequest_complete)(request);
	TAPE_WRAP_STOP(f);
	TAPE_WRAP_PUT(req, f, site, &r);
	if (a.rc == MPI_SUCCESS)
		tape_buffer_done(f, TAPE_CODE_DONE, q.number, 0, 0, 0, 0);
	TAPE_WRAP_END(f);
	return a.rc;
}

/* ---- persistent requests, free, cancel ---- */

static inline void note_started(struct tape_flow *f, int n,
				const MPI_Request *requests)
{
	uint64_t number;

	for (int i = 0; i < n; i++) {
		tape_request_activate(tape_handle(requests[i]), &number);
		tape_buffer_done(f, TAPE_CODE_DONE, number, 0, 0, 0, 0);
	}
}

static inline int wrap_MPI_Start(struct tape_flow *f, uint32_t site,
				 MPI_Request *request)
{
	struct tape_mpi_args a = { 0 };
	struct tape_start r = { .n = 1 };
	TAPE_WRAP_BEGIN(f);

	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Start)(request);
	TAPE_WRAP_STOP(f);
	TAPE_WRAP_PUT(start, f, site, &r);
	if (a.rc == MPI_SUCCESS)
		note_started(f, 1, request);
	TAPE_WRAP_END(f);
	return a.rc;
}

static inline int wrap_MPI_Startall(struct tape_flow *f, uint32_t site, int n,
				    MPI_Request *requests)
{
	struct tape_mpi_args a = { 0 };
	struct tape_start r = { .n = (uint32_t)(n > 0 ? n : 0) };
	TAPE_WRAP_BEGIN(f);

	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Startall)(n, requests);
	TAPE_WRAP_STOP(f);
	TAPE_WRAP_PUT(start, f, site, &r);
	if (a.rc == MPI_SUCCESS)
		note_started(f, n, requests);
	TAPE_WRAP_END(f);
	return a.rc;
}

static inline int wrap_MPI_Request_free(struct tape_flow *f, uint32_t site,
					MPI_Request *request)
{
	struct tape_mpi_args a = { 0 };
	MPI_Request handle = request ? *request : MPI_REQUEST_NULL;
	struct tape_request q = { 0 };
	struct tape_before before;
	struct tape_req r = { 0 };
	TAPE_WRAP_BEGIN(f);

	tape_before(handle, &before);
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Request_free)(request);
	TAPE_WRAP_STOP(f);
	TAPE_WRAP_PUT(req, f, site, &r);
	if (a.rc == MPI_SUCCESS) {
		tape_known_freed(handle, &before, &q);
		tape_buffer_done(f, TAPE_CODE_DONE, q.number, 0, 0, 0, 0);
	}
	TAPE_WRAP_END(f);
	return a.rc;
}

static inline int wrap_MPI_Cancel(struct tape_flow *f, uint32_t site,
				  MPI_Request *request)
{
	struct tape_mpi_args a = { 0 };
	uint64_t number = 0;
	struct tape_req r = { 0 };
	TAPE_WRAP_BEGIN(f);

	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Cancel)(request);
	TAPE_WRAP_STOP(f);
	TAPE_WRAP_PUT(req, f, site, &r);
	if (a.rc == MPI_SUCCESS) {
		tape_request_cancel(tape_handle(*request), &number);
		tape_buffer_done(f, TAPE_CODE_DONE, number, 0, 0, 0, 0);
	}
	TAPE_WRAP_END(f);
	return a.rc;
}

/* ---- matched receives ---- */

/*
 * The call takes the message away, and its handle may be another thread's
 * when it returns: it is forgotten ahead.
 */
static inline void take_message(const MPI_Message *message,
				struct tape_request *q)
{
	*q = (struct tape_request){ 0 };
	if (message && *message != MPI_MESSAGE_NULL &&
	    *message != MPI_MESSAGE_NO_PROC)
		tape_request_drop(tape_message(*message), q);
}

/* That of MPI_PROC_NULL: all have one handle, and nothing becomes of them. */
static inline int is_nobodys(const MPI_Message *message)
{
	return message && *message == MPI_MESSAGE_NO_PROC;
}

/* The call failed: is the message still there? */
static inline void return_message(const MPI_Message *message,
				  const struct tape_request *q)
{
	if (q->number && message && *message != MPI_MESSAGE_NULL)
		tape_request_add(tape_message(*message), q);
}

static inline int wrap_MPI_Mrecv(struct tape_flow *f, uint32_t site, void *buf,
				 int count, MPI_Datatype type,
				 MPI_Message *message, MPI_Status *status)
{
	struct tape_mpi_args a = { 0 };
	struct tape_request q;
	struct tape_mrecv r = { 0 };
	int nobodys = is_nobodys(message);
	MPI_Status own;
	TAPE_WRAP_BEGIN(f);

	take_message(message, &q);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Mrecv)(buf, count, type, message, status);
	TAPE_WRAP_STOP(f);
	TAPE_WRAP_PUT(mrecv, f, site, &r);
	if (a.rc == MPI_SUCCESS && !nobodys)
		tape_buffer_done(f, TAPE_CODE_DONE_RECV, q.number,
				 tape_peer(status->MPI_SOURCE),
				 tape_tag(status->MPI_TAG),
				 tape_status_bytes(status), 1);
	else if (a.rc != MPI_SUCCESS)
		return_message(message, &q);
	TAPE_WRAP_END(f);
	return a.rc;
}

static inline int wrap_MPI_Imrecv(struct tape_flow *f, uint32_t site, void *buf,
				  int count, MPI_Datatype type,
				  MPI_Message *message, MPI_Request *request)
{
	struct tape_mpi_args a = { .request = request };
	struct tape_request q;
	struct tape_imrecv r = { 0 };
	int nobodys = is_nobodys(message);
	TAPE_WRAP_BEGIN(f);

	take_message(message, &q);
	TAPE_WRAP_START(f);
	a.rc = TAPE_REAL(MPI_Imrecv)(buf, count, type, message, request);
	TAPE_WRAP_STOP(f);
	if (a.rc == MPI_SUCCESS)
		r.bytes = tape_bytes(count, type);
	TAPE_WRAP_PUT(imrecv, f, site, &r);
	created(f, &a, TAPE_REQUEST_RECV);
	if (a.rc == MPI_SUCCESS && !nobodys)
		tape_buffer_done(f, TAPE_CODE_DONE, q.number, 0, 0, 0, 0);
	else if (a.rc != MPI_SUCCESS)
		return_message(message, &q);
	TAPE_WRAP_END(f);
	return a.rc;
}

/* ---- names ---- */

#define NAMES(call_, Handle)                                                   \
	static inline int wrap_##call_(struct tape_flow *f, uint32_t site,     \
				       Handle handle, const char *name)        \
	{                                                                      \
		struct tape_mpi_args a = { 0 };        \
		struct tape_local r = { 0 };                                   \
		uint64_t t0;                                                   \
		TAPE_WRAP_BEGIN(f);                                            \
                                                                               \
		TAPE_WRAP_START(f);                                            \
		a.rc = TAPE_REAL(call_)(handle, name);                         \
		TAPE_WRAP_STOP(f);                                             \
		if (a.rc == MPI_SUCCESS) {                                     \
			t0 = tape_tick();                                      \
			tape_comm_named((uintptr_t)handle, name);              \
			f->extra_after += tape_tick() - t0;                    \
		}                                                              \
		TAPE_WRAP_PUT(local, f, site, &r);                             \
		TAPE_WRAP_END(f);                                              \
		return a.rc;                                                   \
	}                                                                      \
	static inline int outside_##call_(WHERE, Handle handle,                \
					  const char *name)                    \
	{                                                                      \
		int rc = TAPE_REAL(call_)(handle, name);                       \
                                                                               \
		UNUSED_WHERE;                                                  \
		if (rc == MPI_SUCCESS)                                         \
			tape_comm_named((uintptr_t)handle, name);              \
		return rc;                                                     \
	}

NAMES(MPI_Comm_set_name, MPI_Comm)
NAMES(MPI_Win_set_name, MPI_Win)

/* ---- error handlers, which asking has to know ---- */

#define HANDLERS(call_)                                                        \
	static inline int wrap_##call_(struct tape_flow *f, uint32_t site,     \
				       MPI_Comm comm, MPI_Errhandler handler)  \
	{                                                                      \
		struct tape_mpi_args a = { 0 };        \
		struct tape_local r = { 0 };                                   \
		TAPE_WRAP_BEGIN(f);                                            \
                                                                               \
		TAPE_WRAP_START(f);                                            \
		a.rc = TAPE_REAL(call_)(comm, handler);                        \
		TAPE_WRAP_STOP(f);                                             \
		tape_handlers_changed();                                       \
		TAPE_WRAP_PUT(local, f, site, &r);                             \
		TAPE_WRAP_END(f);                                              \
		return a.rc;                                                   \
	}                                                                      \
	static inline int outside_##call_(WHERE, MPI_Comm comm,                \
					  MPI_Errhandler handler)              \
	{                                                                      \
		int rc = TAPE_REAL(call_)(comm, handler);                      \
                                                                               \
		UNUSED_WHERE;                                                  \
		tape_handlers_changed();                                       \
		return rc;                                                     \
	}

HANDLERS(MPI_Comm_set_errhandler)
HANDLERS(MPI_Errhandler_set)

/* ---- while nothing is recorded ---- */

#define PAST(name, parameters, arguments)                                      \
	static inline int outside_##name parameters                            \
	{                                                                      \
		UNUSED_WHERE;                                                  \
		return TAPE_REAL(name) arguments;                              \
	}

PAST(MPI_Startall, (WHERE, int n, MPI_Request *r), (n, r))
PAST(MPI_Start, (WHERE, MPI_Request *r), (r))
PAST(MPI_Cancel, (WHERE, MPI_Request *r), (r))
PAST(MPI_Grequest_complete, (WHERE, MPI_Request r), (r))
PAST(MPI_Request_get_status, (WHERE, MPI_Request r, int *g, MPI_Status *s),
     (r, g, s))

/*
 * A request that was created while recording may be completed while not: it
 * has to be forgotten, since its handle will come again.
 */
struct past_one {
	MPI_Request handle;
	struct tape_before before;
};

struct past {
	struct past_one *one, few[8];
	int n;
};

static inline void past_look(struct past *p, int n, const MPI_Request *r)
{
	p->one = NULL;
	p->n = n;
	if (n <= 0 || !r || tape_process.state != TAPE_RUNNING)
		return;
	p->one = n <= 8 ? p->few : malloc((size_t)n * sizeof *p->one);
	for (int i = 0; p->one && i < n; i++) {
		p->one[i].handle = r[i];
		tape_before(r[i], &p->one[i].before);
	}
}

/* What is no longer there is done; so are all when all says so. */
static inline void past_done(struct past *p, const MPI_Request *r, int all)
{
	if (!p->one)
		return;
	for (int i = 0; i < p->n; i++)
		if (p->one[i].handle != MPI_REQUEST_NULL &&
		    (all || r[i] == MPI_REQUEST_NULL))
			tape_completed_outside(p->one[i].handle,
					       &p->one[i].before);
	if (p->one != p->few)
		free(p->one);
}

static inline int outside_MPI_Wait(WHERE, MPI_Request *r, MPI_Status *s)
{
	struct past p;
	int rc;

	UNUSED_WHERE;
	past_look(&p, 1, r);
	rc = TAPE_REAL(MPI_Wait)(r, s);
	past_done(&p, r, rc == MPI_SUCCESS);
	return rc;
}

static inline int outside_MPI_Waitall(WHERE, int n, MPI_Request *r,
				      MPI_Status *s)
{
	struct past p;
	int rc;

	UNUSED_WHERE;
	past_look(&p, n, r);
	rc = TAPE_REAL(MPI_Waitall)(n, r, s);
	past_done(&p, r, rc == MPI_SUCCESS);
	return rc;
}

static inline int outside_MPI_Waitany(WHERE, int n, MPI_Request *r, int *i,
				      MPI_Status *s)
{
	struct past p;
	int rc;

	UNUSED_WHERE;
	past_look(&p, n, r);
	rc = TAPE_REAL(MPI_Waitany)(n, r, i, s);
	past_done(&p, r, 0);
	return rc;
}

static inline int outside_MPI_Waitsome(WHERE, int n, MPI_Request *r, int *m,
				       int *i, MPI_Status *s)
{
	struct past p;
	int rc;

	UNUSED_WHERE;
	past_look(&p, n, r);
	rc = TAPE_REAL(MPI_Waitsome)(n, r, m, i, s);
	past_done(&p, r, 0);
	return rc;
}

static inline int outside_MPI_Test(WHERE, MPI_Request *r, int *g, MPI_Status *s)
{
	struct past p;
	int rc;

	UNUSED_WHERE;
	past_look(&p, 1, r);
	rc = TAPE_REAL(MPI_Test)(r, g, s);
	past_done(&p, r, rc == MPI_SUCCESS && *g);
	return rc;
}

static inline int outside_MPI_Testall(WHERE, int n, MPI_Request *r, int *g,
				      MPI_Status *s)
{
	struct past p;
	int rc;

	UNUSED_WHERE;
	past_look(&p, n, r);
	rc = TAPE_REAL(MPI_Testall)(n, r, g, s);
	past_done(&p, r, rc == MPI_SUCCESS && *g);
	return rc;
}

static inline int outside_MPI_Testany(WHERE, int n, MPI_Request *r, int *i,
				      int *g, MPI_Status *s)
{
	struct past p;
	int rc;

	UNUSED_WHERE;
	past_look(&p, n, r);
	rc = TAPE_REAL(MPI_Testany)(n, r, i, g, s);
	past_done(&p, r, 0);
	return rc;
}

static inline int outside_MPI_Testsome(WHERE, int n, MPI_Request *r, int *m,
				       int *i, MPI_Status *s)
{
	struct past p;
	int rc;

	UNUSED_WHERE;
	past_look(&p, n, r);
	rc = TAPE_REAL(MPI_Testsome)(n, r, m, i, s);
	past_done(&p, r, 0);
	return rc;
}

static inline int outside_MPI_Request_free(WHERE, MPI_Request *r)
{
	struct past p;
	struct tape_request q;
	int rc;

	UNUSED_WHERE;
	past_look(&p, 1, r);
	rc = TAPE_REAL(MPI_Request_free)(r);
	if (p.one && rc == MPI_SUCCESS)
		tape_known_freed(p.one->handle, &p.one->before, &q);
	return rc;
}

static inline int outside_MPI_Mrecv(WHERE, void *b, int n, MPI_Datatype t,
				    MPI_Message *m, MPI_Status *s)
{
	struct tape_request q;
	int rc;

	UNUSED_WHERE;
	if (tape_process.state != TAPE_RUNNING)
		return TAPE_REAL(MPI_Mrecv)(b, n, t, m, s);
	take_message(m, &q);
	rc = TAPE_REAL(MPI_Mrecv)(b, n, t, m, s);
	if (rc != MPI_SUCCESS)
		return_message(m, &q);
	return rc;
}

static inline int outside_MPI_Imrecv(WHERE, void *b, int n, MPI_Datatype t,
				     MPI_Message *m, MPI_Request *r)
{
	struct tape_request q;
	int rc;

	UNUSED_WHERE;
	if (tape_process.state != TAPE_RUNNING)
		return TAPE_REAL(MPI_Imrecv)(b, n, t, m, r);
	take_message(m, &q);
	rc = TAPE_REAL(MPI_Imrecv)(b, n, t, m, r);
	if (rc != MPI_SUCCESS)
		return_message(m, &q);
	return rc;
}

#endif
