/*
 * The course of a replay, the same for all libraries: a process follows its
 * record until the program departs from it. From there it runs in its own
 * order. A line on standard error says where, and why.
 */
#ifndef TAPE_ORDER_COURSE_H
#define TAPE_ORDER_COURSE_H

#include <stddef.h>
#include <stdint.h>

#include "order_file.h"

/* The words of a library in the lines on standard error. */
struct tape_order_words {
	const char *(*call_name)(unsigned call);
	/* writes the sender in a decision, "rank 3", to n bytes */
	void (*name_source)(int32_t source, char *to, size_t n);
	/* where the program made the call that is replayed; NULL: not known */
	const char *(*call_site)(void);
	const char *last_call; /* the call that ends the order */
};

/* The calling thread is the one whose order is recorded and replayed. */
void tape_order_choose_thread(void);

/* Returns 1 in the thread that called tape_order_choose_thread. */
int tape_order_is_thread(void);

/*
 * The process follows the record, which tape_order_open has read, from its
 * beginning. w stays the caller's and must not change.
 */
void tape_order_begin_course(const struct tape_order_words *w);

/* Ends the replay: says if decisions are left. */
void tape_order_end_course(void);

/* Returns 1 if the process has departed from its record. */
int tape_order_is_free(void);

/* Bits of kinds that a call may have. */
#define TAPE_DECISION_BIT(kind) (1u << (kind))

/*
 * Returns the next decision, which is of that call and of one of these kinds,
 * or NULL where this thread or process runs in its own order. Says so when the
 * program departs from the record.
 */
const struct tape_order_decision *tape_order_follow(unsigned call,
						    unsigned kinds);

/*
 * Returns 1 if the record says that this call, a test or a probe, fails; kinds
 * are those of its success. The failure is then consumed.
 */
int tape_order_take_failure(unsigned call, unsigned kinds);

/* The process runs in its own order from here; expected and got say why. */
void tape_order_depart(const char *expected, const char *got);

/* Writes "MPI_Recv from rank 3, tag 7" to n bytes. Returns them. */
const char *tape_order_describe(const struct tape_order_decision *d, char *to,
				size_t n);

/* A wait for what the record has; all zeros when it begins. */
struct tape_order_patience {
	uint64_t start_ns;
	unsigned polls;
	int was_said;
};

/*
 * Called after each vain attempt, yields the processor. After half the time of
 * the setting replay_wait it names the call. Returns 1 when the time is over:
 * the process then runs in its own order.
 */
int tape_order_give_up(struct tape_order_patience *w, unsigned call);

#endif
