/* Completion of requests; see completion.h. */
#include <sys/mman.h>

#include "buffer.h"
#include "communicators.h"
#include "completion.h"
#include "order_layer.h"
#include "silent_query.h"

int tape_scratch(struct tape_flow *f, int n, struct tape_scratch *s)
{
	size_t count = n > 0 ? (size_t)n : 1;
	size_t before = tape_process.many_threads ? sizeof *s->before : 0;
	size_t need =
	    count * (sizeof(MPI_Request) + sizeof(MPI_Status) + before + 1) +
	    64;

	if (TAPE_UNLIKELY(need > f->scratch_bytes)) {
		size_t bytes = 2 * need + 65536;
		uint64_t t0 = tape_tick();
		void *p =
		    mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (p == MAP_FAILED)
			return -1;
		if (f->scratch)
			munmap(f->scratch, f->scratch_bytes);
		f->scratch = p;
		f->scratch_bytes = bytes;
		f->extra_before += tape_tick() - t0;
	}
	s->before = before ? f->scratch : NULL;
	s->statuses = (void *)((char *)f->scratch + count * before);
	s->handles = (MPI_Request *)(void *)(s->statuses + count);
	s->arrived = (unsigned char *)(s->handles + count);
	return 0;
}

/* Has it completed, whether with an error or not? */
static unsigned has_completed(MPI_Request handle)
{
#ifdef OPEN_MPI
	int flag = 0;

	PMPI_Request_get_status(handle, &flag, MPI_STATUS_IGNORE);
	return flag != 0;
#else
	return tape_silent_query_status(handle, MPI_STATUS_IGNORE);
#endif
}

unsigned tape_probe_request(MPI_Request handle)
{
	struct tape_request q;

	if (!tape_request_find(tape_handle(handle), &q) ||
	    q.kind != TAPE_REQUEST_RECV || !q.active)
		return 2;
	if (q.persistent)
		handle = tape_order_find_started(handle);
	return has_completed(handle);
}

void tape_find_before(MPI_Request handle, struct tape_before *b)
{
	uintptr_t h = tape_handle(handle);

	/* those that are complete wait in a queue */
	if (handle == MPI_REQUEST_NULL || tape_request_is_shared(h))
		b->state = TAPE_FIND_LATER;
	else
		b->state =
		    tape_request_find(h, &b->r) ? TAPE_KNOWN : TAPE_UNKNOWN;
}

int tape_take_completed(MPI_Request handle, const struct tape_before *b,
			struct tape_request *q)
{
	if (!b || b->state == TAPE_FIND_LATER)
		return tape_request_take(tape_handle(handle), q);
	if (b->state == TAPE_UNKNOWN)
		return 0;
	*q = b->r;
	tape_request_finish(tape_handle(handle), q);
	return 1;
}

int tape_take_freed(MPI_Request handle, const struct tape_before *b,
		    struct tape_request *q)
{
	if (b->state == TAPE_FIND_LATER)
		return tape_request_drop(tape_handle(handle), q);
	if (b->state == TAPE_UNKNOWN)
		return 0;
	*q = b->r;
	q->persistent = 0;
	tape_request_finish(tape_handle(handle), q);
	return 1;
}

/* The communicator that the completed request was to make. */
static void bind_comm(const struct tape_request *q)
{
	MPI_Comm comm =
	    q->fortran ? PMPI_Comm_f2c(*(MPI_Fint *)(void *)q->comm) : *q->comm;

	tape_comm_bind(q->comm_index, (uintptr_t)comm);
}

/* A receive that was cut short fails, and has taken its message. */
static int has_message(int rc, const MPI_Status *status)
{
	int class_ = MPI_SUCCESS;

	if (rc == MPI_SUCCESS)
		return 1;
	PMPI_Error_class(rc, &class_);
	return class_ == MPI_ERR_TRUNCATE && status;
}

void tape_record_completed(struct tape_flow *f, MPI_Request handle,
			   const struct tape_before *b, int rc,
			   const MPI_Status *status, unsigned arrived)
{
	struct tape_request q;

	if (!tape_take_completed(handle, b, &q)) {
		tape_buffer_done(f, TAPE_CODE_DONE, 0, 0, 0, 0, 0);
		return;
	}
	if (!q.active)
		return; /* a persistent request that was not started */
	if (q.kind == TAPE_REQUEST_COMM)
		bind_comm(&q);
	if (q.cancelled && rc == MPI_SUCCESS && tape_status_cancelled(status))
		tape_buffer_done(f, TAPE_CODE_CANCELLED, q.number, 0, 0, 0, 0);
	else if (q.kind == TAPE_REQUEST_RECV && has_message(rc, status))
		tape_buffer_done(f, TAPE_CODE_DONE_RECV, q.number,
				 tape_peer(status->MPI_SOURCE),
				 tape_tag(status->MPI_TAG),
				 tape_status_bytes(status), arrived);
	else
		tape_buffer_done(f, TAPE_CODE_DONE, q.number, 0, 0, 0, 0);
}

void tape_forget_completed(MPI_Request handle, const struct tape_before *b)
{
	struct tape_request q;
	int inside = tape_own && tape_own->self && !tape_current;

	/* a call-back's own: the shared handle stands for another request */
	if (inside && tape_request_is_shared(tape_handle(handle)))
		return;
	if (handle != MPI_REQUEST_NULL && tape_take_completed(handle, b, &q) &&
	    q.kind == TAPE_REQUEST_COMM && q.active)
		bind_comm(&q);
}
