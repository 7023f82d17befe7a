/*
 * Removes the direct perturbation from dates: the conservative approximation
 * (Maillet 1996, chapter 4).
 *
 * A flow is described by one number, its perturbation p = t - ta: how much
 * later than in the approximated run it is. Between synchronisations p grows
 * by each event's alpha (4.1). At the end of an event that depends on another
 * flow it is given by the functions here. Dates are ns, differences double.
 */
#ifndef TAPE_PERTURB_H
#define TAPE_PERTURB_H

#include <stdint.h>

/* How often each leaf of the tree was taken; Maillet 1996, 4.5.4. */
struct tape_perturb_count {
	uint64_t nbcom;      /* asynchronous communications */
	uint64_t nbcomf;     /* arrived before their receive, as recorded */
	uint64_t nbcomfa;    /* and after the correction */
	uint64_t nbsim;      /* uses of the communication model */
	uint64_t decided;    /* of these, its value gave the date */
	uint64_t nbsim_sm;   /* uses that Sarukkai and Malony's rule makes */
	uint64_t rendezvous;
	uint64_t clamped;    /* negative intervals set to 0 */
	uint64_t leaf[8];    /* enum tape_leaf */
};

/* The leaves of the decision tree, 4.5, figure 4.6. */
enum tape_leaf {
	TAPE_LEAF_ARRIVED_EARLY,   /* arrived, pR <= pS: proposition 1 */
	TAPE_LEAF_ARRIVED_BOUND,   /* arrived, the certain bound decides */
	TAPE_LEAF_ARRIVED_MODEL,   /* arrived, the model says so too */
	TAPE_LEAF_LATE_MODEL,      /* arrived, the model says it would not have */
	TAPE_LEAF_WAITED,          /* not arrived, pR >= pS: proposition 2 */
	TAPE_LEAF_WAITED_STILL,    /* not arrived, pR < pS, still waits */
	TAPE_LEAF_WAITS_NO_MORE    /* not arrived, pR < pS, arrived by then */
};

/* When the communication model is asked. */
enum tape_rule {
	/* only where the trace does not tell: the tree of 4.5 */
	TAPE_RULE_MINIMAL,
	/* for each message: shows what the model alone is worth */
	TAPE_RULE_FULL,
	/* and for DC, too, also where that was measured: what another library
	 * or machine would have taken (Maillet 1996, 6.4.2) */
	TAPE_RULE_TARGET,
	/* whenever t(SR) > t(S), for comparison: Sarukkai and Malony cannot
	 * ask whether a message has arrived (Maillet 1996, 4.5.4) */
	TAPE_RULE_SM94,
	/* the tree as in 4.5, for comparison: an answer holds for SR, and
	 * the only bounds are certain ones */
	TAPE_RULE_THESIS
};

/* One message as both ends saw it. */
struct tape_transfer {
	int64_t s_ns;        /* start of the send, S */
	int64_t sr_ns, er_ns; /* start and end of the receive, SR and ER */
	double ps, pr;       /* perturbations at S and at SR */
	int arrived;         /* t(B) <= t(SR) */
	/* arrived 0: that was the answer so long before SR; t(B) may lie
	 * between both */
	double asked_ns;
	double transit_ns;   /* of the model, for this size */
	double dmax_ns;      /* certain upper bound on the transit, or INFINITY */
	double dc_ns;        /* estimate of the time to hand the data over */
	/* by how much more than ER - SR, by an erring clock, it may have been */
	double own_ns;
};

/*
 * Had a message that was not there when it was asked for come by SR? So it is
 * if the model has it there, and the receive took no longer than twice what it
 * takes to hand it over. Who errs then, does so by asked_ns, or by dc_ns, at
 * most; transit_ns and dc_ns are the model's.
 */
int tape_perturb_came_since(const struct tape_transfer *x);

/*
 * The perturbation at the end of the receive of an asynchronous message, by
 * the tree of 4.5; counts in c (NULL: does not).
 */
double tape_perturb_receive(const struct tape_transfer *x,
			    struct tape_perturb_count *c);

/*
 * The same by another rule. Where the model is asked,
 *
 *	ta(ER) = max(ta(SR), ta(S) + transit) + DC
 *
 * DC as measured where it is known to be, else dc_ns. By SM94's rule nobody
 * knows: dc_ns always, and a receive that began before its send is by the
 * tree. Other than that of the tree, the result may contradict the trace.
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
