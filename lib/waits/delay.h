/*
 * Why there was waiting: the activities that made a rank late. Delay costs
 * of Boehme, Geimer, Arnold, Voigtlaender, Wolf (ICPP 2010; ACM Transactions
 * on Parallel Computing 3(2), 2016):
 *
 * A call X of flow w waits for flow l. Since both were last in step (one waited
 * for the other, or both left a collective of all to all) an activity c took l
 * the time t_l(c) and w t_w(c), waiting left out; d(c) = max(0, t_l - t_w) is a
 * delay. D is their sum, W what l waited itself meanwhile. Of the wait of X the
 * share d(c) / (D + W) is c's, directly; what of it is W's has its causes where
 * l waited, and theirs are blamed for X's wait, too, at second hand.
 *
 * Where D + W is less than the wait (l was late already when they were in step)
 * the rest has no cause.
 *
 * The first step of a loop comes after another call than the steps that follow.
 * If its computing made the flow late once, for the same call as that of the
 * loop, and at most twice as much as a step of the loop on average, both are
 * one activity: that of the loop.
 */
#ifndef TAPE_DELAY_H
#define TAPE_DELAY_H

#include "analysis.h"
#include "delay_entry.h"

/* Of the waiting of one call (activity): whose delay it was, directly. */
struct tape_blame {
	uint32_t call;
	size_t flow;
	uint32_t activity;
	double ns;
};

struct tape_delays {
	struct tape_delay *delay; /* the most expensive first */
	size_t n;
	struct tape_blame *blame; /* by call, the most expensive first */
	size_t n_blames;
	double rest_ns;           /* of all waiting, that has no cause */
	/* of the rest of it: for a processor; not known without marks of the
	 * processor (is_ready_known) */
	struct tape_ready ready;
	int is_ready_known;
};

/*
 * After the last item of a, once. Returns 0 or TAPE_ENOMEM; *d is to be given
 * to tape_delays_free in any case.
 */
int tape_delays_find(struct tape_analysis *a, struct tape_delays *d);
void tape_delays_free(struct tape_delays *d);

/*
 * What is most work of that, for one wait at a time, by several processes: what
 * both flows did since they were in step. The calls of the waiting flow and of
 * the late one are to be in the history of a, those of other flows need not.
 * NULL: out of memory. The caller frees; NULL is fine.
 */
struct tape_why;
struct tape_why *tape_why_new(struct tape_analysis *a);
void tape_why_free(struct tape_why *w);

/*
 * Finds why the call s waited. *list becomes the reasons, for the history of
 * the process that calls tape_delays_find, where they follow the call's own
 * times; *list is valid until the next call. Returns the number of reasons:
 * 0 if the call did not wait, or if that process finds the reasons itself.
 */
unsigned tape_why_find(struct tape_why *w, const struct tape_sync *s,
		       const struct tape_spent **list);

/* Why a call waited: D + W, and since when. */
struct tape_wait_reasons {
	double all_ns;
	double most_factor;	  /* the wait is at most so many times all_ns */
	/* the late flow waited W after this call; NULL: its beginning */
	struct tape_sync *stop;
	struct tape_ready ready;  /* of D: for a processor (ready_waits.h) */
};

/* Finds why the call s waited. Returns 1, or 0: it did not wait. */
int tape_why_sum(struct tape_why *w, const struct tape_sync *s,
		 struct tape_wait_reasons *r);

#endif
