/*
 * The test of the communication model on the messages of a trace (verdict.h;
 * Maillet 1996, section 6.3): the selection of messages, the report, and a page
 * of plots. It watches two passes of a learner (engine.h); the first finds the
 * messages that may be tested.
 *
 * A receive that waited shows the transit; a receive whose message had arrived
 * does not. So messages that were waited for are slow ones, unless the receive
 * began before any message could have arrived. That holds if its gap, from send
 * to receive, is less than the least gap of a message of the class that had
 * arrived: with such a gap all messages were waited for, fast and slow.
 */
#ifndef TAPEFIT_TRIAL_H
#define TAPEFIT_TRIAL_H

#include "inputs.h"
#include "verdict.h"

/* A tested message, for the plots. */
struct trial_point {
	struct tape_parcel parcel;
	int64_t er_ns;
	double time_ns, model_ns; /* transit and DC; transit */
};
#define TRIAL_POINTS 4096

struct trial {
	struct watcher watcher;
	const struct tape_comm_model *model;
	/* by distance and protocol: given by the user, so all are tested */
	int given[TAPE_DISTANCES][2];
	double quantile[TAPE_DISTANCES][2]; /* of the model; 0: the mean */
	int testing;       /* the second pass */
	struct tape_verdict verdict;
	/* the least time from send to receive of a message that had arrived */
	double gap_ns[TAPE_DISTANCES][2][TAPE_SIZE_CLASSES];
	/* the least time from send to end of an eager message that was waited
	 * for */
	double least_ns[TAPE_DISTANCES];
	uint64_t arrived, unknown; /* messages; unknown: arrival not tested */
	/* messages waited for: with a larger gap, used to fit, tested */
	uint64_t late, fitted, tested;
	double slack_ns;   /* the largest clock error of tested messages */
	/* every stride-th tested message */
	struct trial_point point[TRIAL_POINTS];
	size_t points;
	uint64_t stride;
};

/* The probability that a true model is rejected. */
#define TRIAL_LEVEL 0.05

/*
 * Makes a trial of the model, which may be fitted after the first pass. said: a
 * model with the transits that are given; NULL: all are. Dies when out of
 * memory. trial_free frees it.
 */
struct trial *trial_new(const struct tape_comm_model *model,
			const struct tape_comm_model *said);
void trial_free(struct trial *t);

/* Returns 1 if all transits are given. */
int trial_all_given(const struct trial *t);

/* Ends the first pass: the model is complete, and the second pass tests it. */
void trial_begin_test(struct trial *t);

/* "shm eager, 512 to 1023 bytes"; text holds TRIAL_NAME bytes. */
#define TRIAL_NAME 96
const char *trial_name(int distance, int rendezvous, int size, char *text);

/*
 * Print the model and the decided verdict, as text or a JSON object.
 */
void trial_text(const struct trial *t, const struct inputs *b);
void trial_json(const struct trial *t, const struct inputs *b);

/*
 * Writes the plots as one HTML page: transit and model by size, residuals by
 * time, and histograms. Dies when the page cannot be written.
 */
void trial_page(const struct trial *t, const char *trace, const char *path);

#endif
