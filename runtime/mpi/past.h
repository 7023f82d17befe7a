/*
 * What is noticed of calls about requests while nothing is recorded; see
 * hooks_requests.h.
 */
#ifndef TAPE_PAST_H
#define TAPE_PAST_H

#include <stdlib.h>

#include "hooks_requests.h"

/*
 * A request that was created while recording may be completed while not: it
 * has to be forgotten, since its handle will come again.
 */
struct tape_past_one {
	MPI_Request handle;
	struct tape_before before;
};

struct tape_past {
	struct tape_past_one *one, few[8];
	int n;
	struct tape_request message; /* of a matched receive */
};

static inline void past_look(struct tape_past *p, int n, const MPI_Request *r)
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
static inline void past_done(struct tape_past *p, const MPI_Request *r, int all)
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

static inline void outside_before_wait(const struct tape_mpi_args *a,
				       struct tape_past *p)
{
	past_look(p, a->many ? a->n : 1, a->many ? a->requests : a->request);
}

/* all: a successful call has completed all that it was about. */
static inline void outside_done(const struct tape_mpi_args *a,
				struct tape_past *p, int all)
{
	past_done(p, a->many ? a->requests : a->request,
		  a->rc == MPI_SUCCESS && all);
}

static inline void outside_after_wait(const struct tape_mpi_args *a,
				      struct tape_past *p)
{
	outside_done(a, p, !a->index && !a->nout);
}

#define outside_before_test outside_before_wait

static inline void outside_after_test(const struct tape_mpi_args *a,
				      struct tape_past *p)
{
	outside_done(a, p, !a->index && !a->nout && *a->flag);
}

static inline void outside_before_req(const struct tape_mpi_args *a,
				      struct tape_past *p)
{
	past_look(p, (a->traits & TAPE_TRAIT_FREES) != 0, a->request);
}

static inline void outside_after_req(const struct tape_mpi_args *a,
				     struct tape_past *p)
{
	struct tape_request q;

	if (p->one && a->rc == MPI_SUCCESS)
		tape_known_freed(p->one->handle, &p->one->before, &q);
}

static inline void outside_before_mrecv(const struct tape_mpi_args *a,
					struct tape_past *p)
{
	p->message = (struct tape_request){0};
	if (tape_process.state == TAPE_RUNNING)
		take_message(a->message, &p->message);
}

static inline void outside_after_mrecv(const struct tape_mpi_args *a,
				       struct tape_past *p)
{
	if (a->rc != MPI_SUCCESS)
		return_message(a->message, &p->message);
}

#define outside_before_imrecv outside_before_mrecv
#define outside_after_imrecv outside_after_mrecv

#endif
