/*
 * The ideal clock of a run: what its timestamps would be if messages took no
 * time. A flow computes as long as in the trace. A call takes no time, but it
 * waits: a receive until its message was sent, a collective until the members
 * on which it depends have entered, a send that was held until its receive was
 * posted. Who communicates with whom is as in the
 * trace. So no event is later than there, where the timestamps of the trace
 * agree with its messages. The run time by this clock is T_ideal of POP's
 * factors (Rosas, Gimenez, Labarta 2014).
 *
 * One clock per flow, which only the messages in progress connect: events are
 * given in the order of replay.h, and memory is that of the flows and of sends
 * that have not ended.
 *
 * Times are ns since the first event of the trace; that of the end of MPI_Init
 * is as recorded.
 *
 * Such a time never falls if a computing time grows. So two more clocks bound
 * it: one on which each computing time is the least that the errors of the
 * alphas allow, and one on which it is the most. Senders, collectives and the
 * sends that were held are those of the trace.
 */
#ifndef TAPE_IDEAL_CLOCK_H
#define TAPE_IDEAL_CLOCK_H

#include "tape_reader.h"

struct tape_ideal_clock;

/* A time by the ideal clock, what it is at least and at most, ns; NAN: none. */
struct tape_ideal_time {
	double ns, least_ns, most_ns;
};
extern const struct tape_ideal_time tape_ideal_no_time;

/* The later one, of each of the three clocks; not NAN if one of them is not. */
struct tape_ideal_time tape_ideal_later(struct tape_ideal_time a,
					struct tape_ideal_time b);

/*
 * has_errors 0: computing times have no errors. NULL: out of memory. t outlives
 * it. The caller frees it; NULL is fine.
 */
struct tape_ideal_clock *tape_ideal_new(const struct tape_trace *t,
					int has_errors);
void tape_ideal_free(struct tape_ideal_clock *c);

/* e begins, and it ends. Between them its flow waits (tape_ideal_wait). */
void tape_ideal_begin(struct tape_ideal_clock *c, const struct tape_event *e);
void tape_ideal_end(struct tape_ideal_clock *c, const struct tape_event *e);

/* When the latest event of the flow began; and what the time there is now. */
struct tape_ideal_time tape_ideal_begun(const struct tape_ideal_clock *c,
					size_t flow);
struct tape_ideal_time tape_ideal_now(const struct tape_ideal_clock *c,
				      size_t flow);

/*
 * What follows is of an event of that flow: when it is by its clock, and that
 * it waits until then. NAN does not wait.
 */
void tape_ideal_set_turn(struct tape_ideal_clock *c, size_t flow);
struct tape_ideal_time tape_ideal_turn(const struct tape_ideal_clock *c);
void tape_ideal_wait(struct tape_ideal_clock *c, struct tape_ideal_time until);

/* When a receive was posted: by the ideal clock, and as recorded. */
struct tape_ideal_post {
	struct tape_ideal_time ideal;
	int64_t start_ns;
};

/*
 * A receive may end before the call that sent its message: then its post is
 * stored under a key of the send until that call ends. Adding returns 0 or
 * TAPE_ENOMEM. Taking returns 1 with *post set and removes it, or 0: none.
 */
int tape_ideal_add_post(struct tape_ideal_clock *c, uint64_t key,
			const struct tape_ideal_post *post);
int tape_ideal_take_post(struct tape_ideal_clock *c, uint64_t key,
			 struct tape_ideal_post *post);

/*
 * The call e ends a send that call started, whose receive was posted as post
 * says. Waits until then if the send was held: a synchronous one always is,
 * another one if e waited for the post as recorded.
 */
void tape_ideal_end_send(struct tape_ideal_clock *c, const struct tape_event *e,
			 unsigned call, const struct tape_ideal_post *post);

/* Returns 1 if a send of that call and rank can be held. PVM's never are. */
int tape_ideal_can_hold(const struct tape_ideal_clock *c, int rank,
			unsigned call);

/*
 * The trace has something that this clock does not follow (MPI_Win_start and
 * the like). Returns 1 if there was nothing of that.
 */
void tape_ideal_set_unknown(struct tape_ideal_clock *c);
int tape_ideal_is_known(const struct tape_ideal_clock *c);

#endif
