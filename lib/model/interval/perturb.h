/*
 * Removes the direct perturbation from timestamps: the conservative
 * approximation (Maillet 1996, chapter 4; doc/perturbation.md).
 *
 * The state of a flow is one number, its perturbation p = t - ta: the delay
 * relative to the approximated run. Between synchronisations p grows by each
 * event's alpha (4.1). The functions here compute p at the end of an event that
 * depends on another flow. Timestamps are ns, differences double.
 */
#ifndef TAPE_PERTURB_H
#define TAPE_PERTURB_H

#include <stdint.h>

#include "transfer.h"

/* Counts of the leaves of the tree; Maillet 1996, 4.5.4. */
struct tape_perturb_count {
	uint64_t nbcom;      /* asynchronous communications */
	uint64_t nbcomf;     /* arrived before their receive, as recorded */
	uint64_t nbcomfa;    /* and after the correction */
	uint64_t nbsim;      /* uses of the communication model */
	uint64_t decided;    /* of these, its value became the timestamp */
	uint64_t nbsim_sm;   /* uses by the rule of Sarukkai and Malony */
	uint64_t rendezvous;
	uint64_t clamped;    /* negative intervals set to 0 */
	uint64_t leaf[8];    /* enum tape_leaf */
};

/* The leaves of the decision tree, 4.5, figure 4.6. */
enum tape_leaf {
	TAPE_LEAF_ARRIVED_EARLY,   /* arrived, pR <= pS: proposition 1 */
	TAPE_LEAF_ARRIVED_BOUND,   /* arrived, the certain bound decides */
	TAPE_LEAF_ARRIVED_MODEL,   /* arrived, the model says so too */
	TAPE_LEAF_LATE_MODEL,      /* arrived, but not by the model */
	TAPE_LEAF_WAITED,          /* not arrived, pR >= pS: proposition 2 */
	TAPE_LEAF_WAITED_STILL,    /* not arrived, pR < pS, still waits */
	TAPE_LEAF_WAITS_NO_MORE    /* not arrived, pR < pS, arrived by then */
};

/* When the communication model is used. */
enum tape_rule {
	/* only if the trace does not determine the end: the tree of 4.5 */
	TAPE_RULE_MINIMAL,
	/* for each message: shows the accuracy of the model alone */
	TAPE_RULE_FULL,
	/* also in place of a measured DC: the times of another library or
	 * machine (Maillet 1996, 6.4.2) */
	TAPE_RULE_TARGET,
	/* whenever t(SR) > t(S), for comparison: Sarukkai and Malony cannot
	 * test whether a message has arrived (Maillet 1996, 4.5.4) */
	TAPE_RULE_SM94,
	/* the tree as in 4.5, for comparison: the arrival test holds at SR,
	 * and all bounds are guaranteed */
	TAPE_RULE_THESIS
};

/*
 * Returns 1 if a message that had not arrived at the test had probably arrived
 * by SR: by the model it had, and the receive took at most twice DC. The error
 * of this guess is at most asked_ns or dc_ns. transit_ns and dc_ns are those of
 * the model. Tape's own: doc/perturbation.md, "The arrival test".
 */
int tape_perturb_came_since(const struct tape_transfer *x);

/*
 * The perturbation at the end of the receive of an asynchronous message, by the
 * tree of 4.5; counts in c unless it is NULL.
 */
double tape_perturb_receive(const struct tape_transfer *x,
			    struct tape_perturb_count *c);

/*
 * The same by another rule. Where the model is used,
 *
 *	ta(ER) = max(ta(SR), ta(S) + transit) + DC
 *
 * with DC as measured if the message had arrived, else dc_ns. The rule SM94
 * does not know arrivals: it always uses dc_ns, and the tree for a receive that
 * began before its send. Unlike that of the tree, the result may contradict the
 * trace.
 */
double tape_perturb_receive_by(enum tape_rule rule,
			       const struct tape_transfer *x,
			       struct tape_perturb_count *c);

/*
 * The perturbation at the end of an action that could not end before each of
 * two starts, its own and another's (rendezvous, 4.4; collectives, 4.6.3):
 * the approximated end follows the later approximated start by the lag that
 * was measured after the later start. A negative lag counts as clamped.
 */
double tape_perturb_join(int64_t end_ns, int64_t own_ns, double own_p,
			 int64_t other_ns, double other_p,
			 struct tape_perturb_count *c);

#endif
