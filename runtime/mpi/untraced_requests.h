/*
 * Keeps the table of requests valid during calls that are not recorded; see
 * hooks_requests.h.
 */
#ifndef TAPE_UNTRACED_REQUESTS_H
#define TAPE_UNTRACED_REQUESTS_H

#include <stdlib.h>

#include "hooks_requests.h"

/*
 * A request that was created while recording was on may be completed while
 * recording is off. It must be removed, since its handle will be reused.
 */
struct tape_untraced_request {
	MPI_Request handle;
	struct tape_before before;
};

struct tape_untraced {
	struct tape_untraced_request *one, few[8];
	int n;
	struct tape_request message; /* of a matched receive */
};

static inline void untraced_begin(struct tape_untraced *p, int n,
				  const MPI_Request *r)
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

/*
 * Marks every request whose handle has become MPI_REQUEST_NULL as completed; if
 * all is set, marks every request.
 */
static inline void untraced_end(struct tape_untraced *p, const MPI_Request *r,
				int all)
{
	if (!p->one)
		return;
	for (int i = 0; i < p->n; i++)
		if (p->one[i].handle != MPI_REQUEST_NULL &&
		    (all || r[i] == MPI_REQUEST_NULL))
			tape_forget_completed(p->one[i].handle,
					      &p->one[i].before);
	if (p->one != p->few)
		free(p->one);
}

static inline void outside_before_wait(const struct tape_mpi_args *a,
				       struct tape_untraced *p)
{
	untraced_begin(p, a->many ? a->n : 1,
		       a->many ? a->requests : a->request);
}

/* all: a successful call has completed all of its requests. */
static inline void untraced_finish(const struct tape_mpi_args *a,
				   struct tape_untraced *p, int all)
{
	untraced_end(p, a->many ? a->requests : a->request,
		     a->rc == MPI_SUCCESS && all);
}

static inline void outside_after_wait(const struct tape_mpi_args *a,
				      struct tape_untraced *p)
{
	untraced_finish(a, p, !a->index && !a->nout);
}

#define outside_before_test outside_before_wait

static inline void outside_after_test(const struct tape_mpi_args *a,
				      struct tape_untraced *p)
{
	untraced_finish(a, p, !a->index && !a->nout && *a->flag);
}

static inline void outside_before_req(const struct tape_mpi_args *a,
				      struct tape_untraced *p)
{
	untraced_begin(p, (a->traits & TAPE_TRAIT_FREES) != 0, a->request);
}

static inline void outside_after_req(const struct tape_mpi_args *a,
				     struct tape_untraced *p)
{
	struct tape_request q;

	if (p->one && a->rc == MPI_SUCCESS)
		tape_take_freed(p->one->handle, &p->one->before, &q);
}

static inline void outside_before_mrecv(const struct tape_mpi_args *a,
					struct tape_untraced *p)
{
	p->message = (struct tape_request){0};
	if (tape_process.state == TAPE_RUNNING)
		drop_message(a->message, &p->message);
}

static inline void outside_after_mrecv(const struct tape_mpi_args *a,
				       struct tape_untraced *p)
{
	if (a->rc != MPI_SUCCESS)
		restore_message(a->message, &p->message);
}

#define outside_before_imrecv outside_before_mrecv
#define outside_after_imrecv outside_after_mrecv

#endif
