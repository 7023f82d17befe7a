/*
 * Record and replay of what MPI leaves to chance: the messages that receives
 * and probes of any source get, and the results of tests and of waits for any
 * or some requests. Functions between the wrappers and the library (next.h) do
 * both, so that runs without these settings have the same path as before.
 *
 * Only the thread that started MPI is recorded and replayed.
 */
#ifndef TAPE_ORDER_LAYER_H
#define TAPE_ORDER_LAYER_H

#include <mpi.h>

#include "abi.h"
#include "config.h"
#include "next.h"
#include "order_course.h"
#include "order_read.h"
#include "order_write.h"

/*
 * Begins what the settings say, on all ranks of comm or on none: collective.
 * Lines on standard error say what cannot be done.
 */
void tape_order_start(MPI_Comm comm);

/* The program calls MPI_Finalize: closes the file, reports unused decisions. */
void tape_order_stop(void);

/* Put the functions that record, or that replay, into the tables of next.h. */
void tape_order_put_record(void);
void tape_order_put_replay(void);

/*
 * Appends the end of a post, whose status says which message it got; NULL: it
 * was freed and never got one.
 */
void tape_order_record_end(uint64_t post, const MPI_Status *status);

/*
 * The program frees the request of a post that is pending: keeps the request
 * until it is complete (order_freed.c). Non-zero: no memory.
 */
int tape_order_keep_freed(MPI_Request request, uint64_t post);
/* The program calls MPI_Finalize: ends all posts that are kept. */
void tape_order_end_freed(void);

/* Number of posts that were recorded. */
uint64_t tape_order_recorded_posts(void);
/* Ends the replay: says if decisions are left. */
void tape_order_end_replay(void);

/* Returns 1 if the order is recorded or replayed. */
int tape_order_is_active(void);

/*
 * Returns the function to call from Fortran in place of real, the library's;
 * interface 1 is mpi_f08.
 */
void *tape_order_fortran(unsigned call, int interface, void *real);

/*
 * Returns the receive that a replay has started in place of a persistent
 * request, or request itself.
 */
MPI_Request tape_order_find_started(MPI_Request request);

/* Returns 1 if chance decides which message a receive gets. */
static inline int tape_order_is_any(int source)
{
	return source == MPI_ANY_SOURCE;
}

/* Memory for the handles and statuses of n requests; NULL: there is none. */
struct tape_order_room {
	MPI_Request *handles;
	MPI_Status *statuses;
};
const struct tape_order_room *tape_order_room(int n);

/* ---- posts: receives with a request, of any source; order_posts.c ---- */

struct tape_order_post {
	uintptr_t handle; /* 0: none */
	uint64_t number;  /* from 0, in program order */
	/* replay: the receive as the program wants it; is_matched: a message
	 * is recorded; is_plain: the type is a predefined one */
	int is_matched, is_plain;
	void *buf;
	MPI_Count count;
	int tag;
	MPI_Datatype type;
	MPI_Comm comm;
	/* replay: the receive that a start has posted for a persistent one,
	 * while is_started; of that receive, if has_owner, the persistent one
	 */
	MPI_Request started, owner;
	int is_started, has_owner;
};

/* Posts that are not complete, by handle. All zeros: none. */
struct tape_order_posts {
	struct tape_order_post *slots;
	size_t n_slots; /* a power of two, or 0 */
	size_t n;
};

/* Adds a post. Non-zero: no memory. */
int tape_order_add_post(struct tape_order_posts *all,
			const struct tape_order_post *p);
/* Copies the post of a handle to *p and returns 1, or returns 0. */
int tape_order_find_post(const struct tape_order_posts *all, MPI_Request handle,
			 struct tape_order_post *p);
/* The same, and removes it. */
int tape_order_take_post(struct tape_order_posts *all, MPI_Request handle,
			 struct tape_order_post *p);

#endif
