/* How long it takes, by rank and altogether, and the report of that. */
#ifndef SIM_TOTALS_H
#define SIM_TOTALS_H

#include "simulated_trace.h"
#include "own.h"

/* What of the engine's and of the options a report names. */
struct sim_named {
	const char *input, *engine, *machine, *measure;
	int hosts;
	int links;              /* shared */
	const char *waits;      /* ranks waited for processors: a sentence; or
				 * empty */
};

struct sim_totals {
	size_t ranks;
	int64_t *end_ns;        /* of each rank's last action */
	struct sim_trace *dated; /* gets the dates, too; or NULL */
	uint64_t actions;
};

void sim_totals_open(struct sim_totals *t, size_t ranks);
void sim_totals_close(struct sim_totals *t);

/* As struct sim_dates wants it; self is a struct sim_totals. */
int sim_totals_put(void *self, int rank, const struct tape_action *a,
		   int64_t begin_ns, int64_t end_ns);

int64_t sim_totals_run_ns(const struct sim_totals *t);

/*
 * measured: -1 if nothing was. own: what our own engine tells besides; or NULL.
 */
void sim_totals_print_text(const struct sim_totals *t,
			   const struct sim_named *n, int64_t measured_ns,
			   const struct sim_outcome *own);
void sim_totals_print_json(const struct sim_totals *t,
			   const struct sim_named *n, int64_t measured_ns,
			   const struct sim_outcome *own);

#endif
