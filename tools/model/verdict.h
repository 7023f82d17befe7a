/*
 * Is a communication model right about the messages of a trace? Maillet 1996,
 * section 6.3.2: the mean of what was measured less what the model says must
 * be 0, in every class of messages; Student's test says whether it can be. A
 * model that says what a share of the messages do not exceed is tested in the
 * same way by that share.
 *
 *	tape_verdict_reset(&v);
 *	for each message waited for:
 *		tape_verdict_time(&v, &parcel, er - s, model);
 *	for each message that had arrived:
 *		tape_verdict_dc(&v, &parcel, er - sr);
 *	if (tape_verdict_decide(&v, 0.05) == TAPE_REJECTED)
 *		...
 *
 * A class is a distance, a protocol, and a power of two of the size. Which
 * messages may be given is the caller's affair: none may be left out for
 * having been quick or slow, else the mean is another one (doc/model-test.md).
 * Nothing is allocated; the struct is large (some 1 MB).
 */
#ifndef TAPE_MODEL_VERDICT_H
#define TAPE_MODEL_VERDICT_H

#include "comm.h"

enum tape_decision { TAPE_UNDECIDED, TAPE_ACCEPTED, TAPE_REJECTED };

/* A class of so many messages or less says nothing (Maillet 1996, 6.3.2). */
#define TAPE_VERDICT_FEW 30

/* Dates are whole ns: a mean no farther from 0 is their rounding. */
#define TAPE_VERDICT_ROUNDING_NS 1.0

/* A stream of values: number, mean, sums of squares and cubes around it. */
struct tape_moments {
	uint64_t n;
	double mean, m2, m3;
	double least, most; /* of no value: 0 */
};

/*
 * Adds a value, keeping every digit of a mean that is far from 0 (Welford,
 * Technometrics 4, 1962; the cubes: Terriberry 2007).
 */
void tape_moments_add(struct tape_moments *m, double v);

/* The unbiased variance; 0 of less than two. */
double tape_moments_variance(const struct tape_moments *m);

/* What the model says of a class by a quantile. */
struct tape_verdict_claim {
	double quantile;  /* this share takes no longer than it says */
	double dc_ns;     /* and that for DC */
	uint64_t fitted;  /* it says so by so many others, or 0 */
};

struct tape_verdict_class {
	/* ns; time: from S to ER, transit and DC together */
	struct tape_moments time, model;
	struct tape_moments residual; /* time less model */
	struct tape_moments dc;

	/*
	 * Of a model that says what a share of the messages do not exceed;
	 * claim.quantile 0: it says what they take on average.
	 */
	struct tape_verdict_claim claim;
	uint64_t quicker, no_slower; /* messages than it says, by rounding */
	double share;      /* of those quicker and no_slower, nearest to it */
	double quantile_ns; /* that quantile of the residuals */

	/*
	 * What tape_verdict_decide found out. The mean DC is taken off the
	 * mean residual, and adds its own error (Welch, Biometrika 34, 1947):
	 *	mean  = residual.mean - dc
	 *	error = sqrt(s_residual^2 / n + s_dc^2 / n_dc)
	 *	t     = mean / error
	 * with s unbiased. Without any DC that is T = mean / s sqrt(n).
	 */
	uint64_t dc_seen; /* number that dc_ns, the DC taken, is the mean of */
	double dc_ns;     /* of small classes, too; 0 where none was seen */
	double mean_ns, error_ns;
	double t;
	/*
	 * The same without what a skewed distribution does to t, which else
	 * rejects true models (Hall, J. Royal Statistical Society B 54, 1992):
	 * this one decides. p is its two-sided probability.
	 */
	double t_even;
	double freedom;        /* degrees of it, by Welch and Satterthwaite */
	double k;              /* P(|t| > k) is the level */
	double p;
	enum tape_decision alone; /* were there no other class */
	/* p and decision as one of all classes, by Holm */
	double p_all;
	enum tape_decision decision;
	struct tape_sampler sample; /* of residuals, for quantile_ns; last */
};

struct tape_verdict {
	/* by distance, rendezvous or not, tape_size_class */
	struct tape_verdict_class c[TAPE_DISTANCES][2][TAPE_SIZE_CLASSES];
	int classes, rejected; /* decided, and how */
	enum tape_decision decision; /* of the whole model */
};

void tape_verdict_reset(struct tape_verdict *v);

/*
 * A message p that was waited for: time_ns from when it may go until it was
 * received, of which the model says transit_ns without DC.
 */
void tape_verdict_time(struct tape_verdict *v, const struct tape_parcel *p,
		       double time_ns, double transit_ns);

/* The same by a model of that claim, one for all messages of a class. */
void tape_verdict_quantile(struct tape_verdict *v, const struct tape_parcel *p,
			   double time_ns, double transit_ns,
			   const struct tape_verdict_claim *claim);

/* A message p that was there when its receive began took dc_ns to hand over. */
void tape_verdict_dc(struct tape_verdict *v, const struct tape_parcel *p,
		     double dc_ns);

/*
 * Decides for each class of more than TAPE_VERDICT_FEW messages, and for the
 * model: rejected if any class is, accepted if none is, undecided if there is
 * no class. level (0.05) is the chance that a true model is rejected: in one
 * class by `alone', in all of them together by `decision'. The latter by the
 * method of Holm (Scandinavian J. of Statistics 6, 1979), which holds however
 * the classes depend on each other; they may share a DC.
 *
 * Of a claim q that f others found, k of n being no slower, the share k / n is
 * that of two samples: T = (k / n - q) / sqrt(q (1 - q) (1 / n + 1 / f)), of a
 * binomial distribution (Mood 1950), is Student's of n - 1. Messages within
 * rounding of the model count as whatever is in its favour. No moments of the
 * times are in it: those few that a processor was taken away from say nothing.
 *
 * An eager class takes the DC of the nearest class of its distance with more
 * than TAPE_VERDICT_FEW of them. Without any its residuals contain DC.
 */
enum tape_decision tape_verdict_decide(struct tape_verdict *v, double level);

#endif
