/*
 * What of events and waits phases are made of, and a log of it: of a trace that
 * cannot be read again the steps are kept, in a temporary file, until it is
 * known what begins a phase (phases_read.c).
 */
#ifndef STAT_PHASE_LOG_H
#define STAT_PHASE_LOG_H

#include "sums.h"

enum step_kind {
	STEP_INIT,    /* MPI_Init ends */
	STEP_ENTER,   /* a region, */
	STEP_CONTROL, /* one that stands for MPI_Pcontrol(2) or more */
	STEP_LEAVE,
	STEP_ON,
	STEP_CALL,
	STEP_OTHER,
	STEP_WAIT /* from start_ns on, for inside_ns */
};

struct phase_step {
	int64_t start_ns, end_ns;
	double inside_ns, tracing_ns; /* in a call; by the tracer */
	/* start and end by the ideal clock; NAN: not known */
	double ideal_begun_ns, ideal_ns;
	uint32_t flow, place;	      /* place: of a call or region */
	uint32_t kind, pad;
};

/* Returns 1 if the region (a place) represents MPI_Pcontrol(2) or more. */
int stats_is_control(const struct tape_places *places, uint32_t region);

/* What was found is a step: 1. places are of the analysis that detected it. */
int phase_step_from(struct tape_places *places, const struct tape_found *f,
		    struct phase_step *step);

struct phase_log;

/* Keeps so many bytes at most, 0: any; a longer log is thrown away. */
struct phase_log *phase_log_new(size_t most);
void phase_log_add_found(struct phase_log *l, const struct stats *s,
			 const struct tape_found *f);

/*
 * Parallel analysis: sends every step of this process to process 0 as
 * STATS_STEP records. A process that had to drop steps sends a notice instead;
 * process 0 then drops its log. Process 0 adds the steps of each flow in order.
 */
void phase_log_send(struct phase_log *l, struct tape_peers *p);
void phase_log_add_step(struct phase_log *l, const struct phase_step *step);

/* Places have other numbers from now on: now[old], of all n. */
void phase_log_renumber(struct phase_log *l, const uint32_t *now, size_t n);

/* Returns 1 if no step was dropped. */
int phase_log_is_complete(const struct phase_log *l);

/* From the first step on, as often as wanted; then one after the other: 1, or
 * 0 after the last. Dies where the file cannot be read. */
void phase_log_rewind(struct phase_log *l);
int phase_log_next_step(struct phase_log *l, struct phase_step *step);
void phase_log_free(struct phase_log *l);

#endif
