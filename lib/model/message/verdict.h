/*
 * Tests a communication model on the messages of a trace. Maillet 1996, section
 * 6.3.2: the mean of the residuals, measured time minus model, must be 0 in
 * every class of messages; Student's test decides. A model of a quantile is
 * tested in the same way by the share of messages below it. doc/model-test.md
 * derives the formulas.
 *
 *	tape_verdict_reset(&v);
 *	for each message waited for:
 *		tape_verdict_time(&v, &parcel, er - s, model);
 *	for each message that had arrived:
 *		tape_verdict_dc(&v, &parcel, er - sr);
 *	if (tape_verdict_decide(&v, 0.05) == TAPE_REJECTED)
 *		...
 *
 * A class is a distance, a protocol, and a power of two of the size. The caller
 * selects the messages. The selection must not depend on how long a message
 * took, else the mean is biased (doc/model-test.md). Nothing is allocated; the
 * struct is large (some 1 MB).
 */
#ifndef TAPE_MODEL_VERDICT_H
#define TAPE_MODEL_VERDICT_H

#include "comm.h"

enum tape_decision { TAPE_UNDECIDED, TAPE_ACCEPTED, TAPE_REJECTED };

/* A class of at most so many messages is not tested (Maillet 1996, 6.3.2). */
#define TAPE_VERDICT_FEW 30

/* Timestamps are whole ns: a mean within this of 0 is rounding. */
#define TAPE_VERDICT_ROUNDING_NS 1.0

/* Moments of a stream: number, mean, sums of squares and cubes around it. */
struct tape_moments {
	uint64_t n;
	double mean, m2, m3;
	double least, most; /* 0 without values */
};

/*
 * Adds a value, keeping every digit of a mean that is far from 0 (Welford,
 * Technometrics 4, 1962; the cubes: Terriberry 2007).
 */
void tape_moments_add(struct tape_moments *m, double v);

/* The unbiased variance; 0 for fewer than two values. */
double tape_moments_variance(const struct tape_moments *m);

/* The quantile that a model claims for a class. */
struct tape_verdict_claim {
	double quantile;  /* this share takes at most the model's time */
	double dc_ns;     /* DC of the model */
	uint64_t fitted;  /* number of other messages it is fitted to, or 0 */
};

struct tape_verdict_class {
	/* ns; time: from S to ER, transit and DC together */
	struct tape_moments time, model;
	struct tape_moments residual; /* time minus model */
	struct tape_moments dc;

	/*
	 * For a model of a quantile; claim.quantile 0: a model of the mean.
	 */
	struct tape_verdict_claim claim;
	uint64_t quicker, no_slower; /* messages below the model, +- rounding */
	double share;      /* from quicker to no_slower, nearest to the claim */
	double quantile_ns; /* that quantile of the residuals */

	/*
	 * Results of tape_verdict_decide. The mean DC is subtracted from the
	 * mean residual and adds its own error (Welch, Biometrika 34, 1947):
	 *	mean  = residual.mean - dc
	 *	error = sqrt(s_residual^2 / n + s_dc^2 / n_dc)
	 *	t     = mean / error
	 * with s unbiased. Without any DC that is T = mean / s sqrt(n).
	 */
	uint64_t dc_seen; /* number of values of which dc_ns is the mean */
	double dc_ns;     /* the DC used, also in small classes; 0: none */
	double mean_ns, error_ns;
	double t;
	/*
	 * t corrected for skewness, which else rejects true models (Hall, J.
	 * Royal Statistical Society B 54, 1992): this value decides. p is its
	 * two-sided probability.
	 */
	double t_even;
	double freedom;        /* degrees of it, by Welch and Satterthwaite */
	double k;              /* P(|t| > k) is the level */
	double p;
	enum tape_decision alone; /* of this class alone */
	/* p and decision among all classes, by Holm */
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
 * Adds a message p that was waited for: time_ns from its possible start to the
 * end of the receive; transit_ns by the model, without DC.
 */
void tape_verdict_time(struct tape_verdict *v, const struct tape_parcel *p,
		       double time_ns, double transit_ns);

/* The same for a model with a claim, one for all messages of a class. */
void tape_verdict_quantile(struct tape_verdict *v, const struct tape_parcel *p,
			   double time_ns, double transit_ns,
			   const struct tape_verdict_claim *claim);

/* Adds DC of a message p that had arrived when its receive began. */
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
 * For a claim q from f other messages, k of n messages being no slower:
 * T = (k / n - q) / sqrt(q (1 - q) (1 / n + 1 / f)), of a binomial distribution
 * (Mood 1950), with Student's distribution of n - 1 degrees. Messages within
 * rounding of the model count in its favour. It uses no moments of the times,
 * which a few disturbed messages dominate.
 *
 * An eager class takes the DC of the nearest class of its distance with more
 * than TAPE_VERDICT_FEW values. Without any, its residuals contain DC.
 */
enum tape_decision tape_verdict_decide(struct tape_verdict *v, double level);

#endif
