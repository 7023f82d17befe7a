/*
 * What a correction is given (struct how, struct sample) and what it returns
 * (struct result). engine.h makes one.
 */
#ifndef CORRECT_CORRECTION_H
#define CORRECT_CORRECTION_H

#include "blame.h"
#include "causality.h"
#include "comm.h"
#include "max_transit.h"
#include "notices.h"
#include "ops.h"
#include "tape_peers.h"
#include "output.h"
#include "perturb.h"
#include "receive_order.h"
#include "reference.h"
#include "tape_reader.h"
#include "unmatched.h"

/* Largest eager message, by distance; from meta or a model. */
struct eager {
	uint64_t bytes[TAPE_DISTANCES];
	int known;
};

/* How timestamps of several clocks compare. */
enum clocks {
	CLOCKS_BOUNDED, /* within guaranteed intervals */
	CLOCKS_LOOSE,   /* those of one are estimates without guarantee */
	CLOCKS_APART    /* those of one have nothing to do with others */
};

/* A receive that ended, and that its call waited for alone. */
struct received {
	struct tape_parcel parcel;
	int64_t s_ns;         /* its send began */
	/* and, of a rendezvous, its receive was posted */
	int64_t go_ns;
	int64_t sr_ns, er_ns; /* the wait for it began, and ended */
	unsigned arrived;     /* before sr: 0 no, 1 yes, 2 not known */
	int sends;            /* the call sent something, too */
	double slack_ns;      /* er - go may be off by so much, by the clocks */
	double model_ns;      /* transit by the watcher's model, with what else
			       * was in progress; NAN: that does not matter */
};

/* An observer of the messages that a model is learned from. */
struct watcher {
	void *self;                          /* the first argument of both */
	void (*sees)(void *self, const struct received *m);
	/* may the model learn from such a message, sent then? */
	int (*may_learn)(const void *self, const struct tape_parcel *p,
			 int64_t s_ns);
	/* what messages meet on their way is asked of this one, or NULL */
	const struct tape_comm_model *model;
};

/* How to correct. */
struct how {
	enum tape_rule rule;
	/*
	 * No message takes longer from when it may go (its send has begun and,
	 * of a rendezvous, its receive, too) until it is there: ns + rate x
	 * bytes. INFINITY: nobody vouches for any.
	 */
	double longest_ns, longest_rate;
	const struct watcher *watcher; /* of a learner's pass; or NULL */
	int workers; /* threads besides the caller's */
	struct tape_peers *peers; /* processes that share the ranks; or NULL */
	struct volume *volume;    /* what they tell is counted; or NULL */
	/* and what the first pass saw: for the tree, not for the certificate */
	struct tape_max_transit_seen *seen;
	struct tape_max_transit longest;
	int64_t quickest_ns[TAPE_DISTANCES]; /* what a message took at least */
	int backwards; /* flows take turns from the last one to the first: in
			* the end that makes no difference */
	struct reference *reference; /* of a correction in phases; or NULL */
	int no_packing; /* as if messages were never packed and unpacked */
	int loose;      /* a rank whose clock has no guaranteed interval is
			 * this one's number plus 1; 0: there is none */
};

/*
 * Do dates come with a certificate (delay_bounds.h)? It is the decision tree's.
 * By other rules dates may contradict the trace, or rest on answers that were
 * given before a receive began. Of clocks that may be wrong by anything nothing
 * is certain.
 */
static inline int how_certifies(const struct how *how)
{
	return how->rule == TAPE_RULE_MINIMAL && !how->loose;
}

/*
 * What a model was learnt from: so many of the first events of each flow, and
 * most more, shared out by the lengths of the flows; or, where most is 0, all.
 * And the messages that were sent there, by the classes that models
 * distinguish.
 */
#define SAMPLE_KEYS 65536
struct sample {
	uint64_t most, each;
	uint64_t sent[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	/* keys, by their hash, whose messages several threads of a rank send
	 * or receive */
	uint64_t shared[SAMPLE_KEYS / 64];
};

/* The first events, enough for any median. */
#define SAMPLE_FIRST ((struct sample){ .most = 262144, .each = 1024 })

/* Messages of a kind from which on a model should know them. */
#define SAMPLE_MANY 1000

/* Widths of intervals: bins of a sixteenth of a power of two, 0 apart. */
#define WIDTH_BINS 1024
struct widths {
	uint64_t n, bin[WIDTH_BINS];
	double most;
};

struct rank_result {
	int seen;
	uint64_t events;
	int64_t first_ns, last_ns;     /* as measured */
	int64_t first_ta, last_ta;     /* as corrected */
	/* and between which bounds both certainly are */
	int64_t first_lo, first_hi, last_lo, last_hi;
	double alpha_ns;	       /* direct perturbation, summed, */
	double unknown_threads_ns;     /* and that of threads whose creation
					* is not known */
};

struct result {
	struct tape_perturb_count count;
	struct rank_result *ranks;
	uint64_t events, forced, guessed, unknown;
	uint64_t refuted; /* pairs of a receive and a later send: no pairs */
	uint64_t eager;   /* sends that did not wait, beyond the eager limit */
	/* actions that, by more than the clocks may err, ended before what they
	 * certainly waited for began */
	uint64_t contradictions;
	struct causality causality;    /* of what was written */
	double threads_ns;	       /* all alphas of threads whose creation
					* is not known */
	double counted_ns;	       /* calls that were only counted cost
					* so much at most, of all flows */
	struct order_counts order;     /* calls that depend on it */
	struct reference_counts reference;
	struct moves {                 /* dates that contradicted others: */
		uint64_t n;            /* later than by the rules alone */
		double sum_ns;
		int64_t worst_ns;
	} moves;
	struct tape_unmatched *unmatched;
	uint64_t rounds_open;
	/* with others: these rounds, by communicator and number */
	struct round_open {
		uint64_t comm, k;
	} * open;
	uint64_t left_out;             /* not matched, for others are counted */
	uint64_t by_table, by_shape;   /* exits of collectives: how found */
	struct tape_not_recorded *missing;
	struct tape_notices notes; /* the same, of one of several */
	int64_t first_ns, last_ns, first_ta, last_ta;
	int64_t total_lo, total_hi;    /* bounds of last_ta - first_ta, the
					* least less counted_ns */
	struct widths widths;          /* of the intervals of all ends */
	uint64_t too_long;             /* messages that took longer than -d */
	struct blames *blames;         /* where tracing hurt */
	int64_t blamed_ns;	       /* the end of the event that tells it, */
	size_t blamed;		       /* and its flow */
	uint64_t handed, handed_late;  /* requests, between threads */
	int threads;                   /* flows besides the first of a rank */
	int incomplete;                /* flows without an end record */
};

/* What engine_run returns if it stopped half-way; see engine.h. */
enum { ENGINE_LACKS = 1, ENGINE_ALONE };

/* The least width, ns, that at most the share 1 - q of the ends exceeds. */
double result_width(const struct result *r, double q);

/*
 * result_is_sound returns 1 if the corrected length of the run is within its
 * bounds, as it must be. result_is_bounded returns 1 if these bounds are closer
 * together than the run is long.
 */
int result_is_sound(const struct result *r);
int result_is_bounded(const struct result *r);

/*
 * Returns 1 if actions ended, by the clocks, before what they waited for began.
 * The clocks or the dependencies are then wrong, and no bound is guaranteed.
 */
int result_is_refuted(const struct result *r);

/* Computes the results of the whole run from those of its ranks. */
void result_compute_total(struct result *r, size_t ranks);

/* Returns 1 if calls might find other messages without tracing. */
int result_may_reorder(const struct result *r);

/*
 * Why the bounds of the length of the run are not certain, as the end of a
 * sentence. Returns 0, and text empty: they are.
 */
int result_uncertain_text(const struct result *r, char *text, size_t n);

void result_free(struct result *r);

#endif
