/*
 * The test of the communication model against a trace's own messages
 * (verdict.h; Maillet 1996, section 6.3): which messages are tested, what is
 * said of them, and a page of plots. Two passes of a learner with how->trial
 * set (engine.h); the first finds out which messages may be tested.
 *
 * A receive that waited tells the transit, one that found its message there
 * does not. So those waited for are slow ones, unless the receive began before
 * any message could have come. It did where its gap, from send to receive, is
 * less than the least gap of a message of the class that had arrived: with such
 * a gap all were waited for, quick and slow.
 */
#ifndef TICO_TRIAL_H
#define TICO_TRIAL_H

#include "verdict.h"

/* A receive that ended, the only thing that its call waited for. */
struct trial_message {
	struct tape_parcel parcel;
	int64_t s_ns;         /* its send began */
	/* and, of a rendezvous, its receive was posted */
	int64_t go_ns;
	int64_t sr_ns, er_ns; /* the wait for it began, and ended */
	unsigned arrived;     /* before sr: 0 no, 1 yes, 2 not known */
	int sends;            /* the call sent something, too */
	double slack_ns;      /* er - go may be off by so much, by the clocks */
	double model_ns;      /* transit by the model, with what else was under
			       * way; NAN: that does not matter */
};

/* For the plots: a message tested. */
struct trial_point {
	struct tape_parcel parcel;
	int64_t er_ns;
	double time_ns, model_ns; /* transit and DC; transit */
};
#define TRIAL_POINTS 4096

struct trial {
	const struct tape_comm_model *model;
	/* by distance and protocol: not fitted to this trace, all are tested */
	int given[TAPE_DISTANCES][2];
	int testing;       /* the second pass */
	struct tape_verdict verdict;
	/* the least time from send to receive of a message that had arrived */
	double gap_ns[TAPE_DISTANCES][2][TAPE_SIZE_CLASSES];
	uint64_t arrived, unknown; /* messages that had, where nobody asked */
	/* of those waited for: after such a gap, used to fit, tested */
	uint64_t late, fitted, tested;
	double slack_ns;   /* the largest of those tested */
	/* every stride-th of those tested */
	struct trial_point point[TRIAL_POINTS];
	size_t points;
	uint64_t stride;
};

/* So many true models are rejected. */
#define TRIAL_LEVEL 0.05

/*
 * A trial of the model, which may be fitted after the first pass; said: the
 * transits that are given instead, NULL: all. Dies when out of memory. The
 * caller frees it.
 */
struct trial *trial_new(const struct tape_comm_model *model,
			const struct tape_comm_model *said);
void trial_free(struct trial *t);

/* Is all of it given? */
int trial_all_given(const struct trial *t);

/*
 * May the model learn from such a message, sent then? In the first pass, and
 * from one half of the messages only if it is that model which is tested.
 */
int trial_may_learn(const struct trial *t, const struct tape_parcel *p,
		    int64_t s_ns);

/* Looks at a message. */
void trial_sees(struct trial *t, const struct trial_message *m);

/* "shm eager, 512 to 1023 bytes"; text holds TRIAL_NAME bytes. */
#define TRIAL_NAME 96
const char *trial_name(int distance, int rendezvous, int size, char *text);

/*
 * The verdict, once decided, on standard output, and before it the model that p
 * knows: as text or a JSON object.
 */
struct report;
void trial_text(const struct trial *t, const struct report *p);
void trial_json(const struct trial *t, const struct report *p);

/*
 * The plots as one HTML page: transit and model by size, residuals by time and
 * how often each. Dies when it cannot be written.
 */
void trial_page(const struct trial *t, const char *trace, const char *path);

#endif
