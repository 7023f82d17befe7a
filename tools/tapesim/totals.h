/* The predicted times of the ranks and of the run, and their report. */
#ifndef SIM_TOTALS_H
#define SIM_TOTALS_H

#include "simulated_trace.h"
#include "own.h"

/* Names and properties that a report contains. */
struct sim_named {
	const char *input, *engine, *machine, *measure;
	int hosts;
	int links;	   /* messages share links */
	const char *waits; /* text: ranks waited for processors; or empty */
};

struct sim_totals {
	size_t ranks;
	int64_t *end_ns;	 /* end of each rank's last action */
	struct sim_trace *trace; /* also receives the times; or NULL */
	uint64_t actions;
};

void sim_totals_open(struct sim_totals *t, size_t ranks);
void sim_totals_close(struct sim_totals *t);

/* The put function of struct sim_times. self is a struct sim_totals. */
int sim_totals_put(void *self, int rank, const struct tape_action *a,
		   int64_t begin_ns, int64_t end_ns);

int64_t sim_totals_run_ns(const struct sim_totals *t);

/*
 * Print the report. measured_ns: -1 if not measured. own: results of Tape's own
 * engine, or NULL.
 */
void sim_totals_print_text(const struct sim_totals *t,
			   const struct sim_named *n, int64_t measured_ns,
			   const struct sim_outcome *own);
void sim_totals_print_json(const struct sim_totals *t,
			   const struct sim_named *n, int64_t measured_ns,
			   const struct sim_outcome *own);

#endif
