/*
 * The test of the communication model against a trace's own messages
 * (verdict.h; Maillet 1996, section 6.3): which messages are tested, what is
 * said of them, and a page of plots. Two passes of a learner
 * that it watches (engine.h); the first finds out which messages may be tested.
 *
 * A receive that waited tells the transit, one that found its message there
 * does not. So those waited for are slow ones, unless the receive began before
 * any message could have come. It did where its gap, from send to receive, is
 * less than the least gap of a message of the class that had arrived: with such
 * a gap all were waited for, quick and slow.
 */
#ifndef TAPEFIT_TRIAL_H
#define TAPEFIT_TRIAL_H

#include "inputs.h"
#include "verdict.h"

/* For the plots: a message tested. */
struct trial_point {
	struct tape_parcel parcel;
	int64_t er_ns;
	double time_ns, model_ns; /* transit and DC; transit */
};
#define TRIAL_POINTS 4096

struct trial {
	struct watcher watcher;
	const struct tape_comm_model *model;
	/* by distance and protocol: not fitted to this trace, all are tested */
	int given[TAPE_DISTANCES][2];
	double quantile[TAPE_DISTANCES][2]; /* it is of; 0: the mean */
	int testing;       /* the second pass */
	struct tape_verdict verdict;
	/* the least time from send to receive of a message that had arrived */
	double gap_ns[TAPE_DISTANCES][2][TAPE_SIZE_CLASSES];
	/* the least from send to end of one that was waited for, not of a
	 * rendezvous */
	double least_ns[TAPE_DISTANCES];
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

/* Ends the first pass: the model is there, and is tested in the second. */
void trial_begin_test(struct trial *t);

/* "shm eager, 512 to 1023 bytes"; text holds TRIAL_NAME bytes. */
#define TRIAL_NAME 96
const char *trial_name(int distance, int rendezvous, int size, char *text);

/*
 * The verdict, once decided, on standard output, and before it the model: as
 * text or a JSON object.
 */
void trial_text(const struct trial *t, const struct inputs *b);
void trial_json(const struct trial *t, const struct inputs *b);

/*
 * The plots as one HTML page: transit and model by size, residuals by time and
 * how often each. Dies when it cannot be written.
 */
void trial_page(const struct trial *t, const char *trace, const char *path);

#endif
