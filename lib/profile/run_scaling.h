/*
 * Runs of one program compared with one of them, the reference: how well it
 * scales, and why not better (lib/model/statistics/efficiency.h).
 *
 *	struct run_figures r[2];
 *
 *	run_figures_get(&r[0], a);
 *	run_figures_get(&r[1], b);
 *	sheet = run_scaling_table(r, 2, 0, 1);
 */
#ifndef STAT_RUN_SCALING_H
#define STAT_RUN_SCALING_H

#include <stdio.h>

#include "efficiency.h"
#include "sums.h"
#include "table_writer.h"

/* What of a run is compared. It does not need the sums any more. */
struct run_figures {
	const char *name; /* the caller's */
	size_t ranks;
	struct tape_efficiency_times times;
	/* the factors; NAN: not known, all of them where ranks waited for
	 * processors */
	struct tape_efficiency factors;
};

void run_figures_get(struct run_figures *r, const struct stats *s,
		     const char *name);

/*
 * The table of n runs, of which the first is the reference. Runs are numbered
 * from 1; has_names: they have their names, too. The caller frees it.
 */
struct sheet *run_scaling_table(const struct run_figures *r, size_t n,
				int is_weak, int has_names);

/*
 * Is the global efficiency of the run below that share of the reference's?
 * Returns 1 and sets text to a sentence that names the factor that fell most,
 * 0: it is not, or -1: an efficiency is not known, and text says of which run.
 * Cut to size.
 */
int run_scaling_falls_short(const struct run_figures *reference,
			    const struct run_figures *run, int is_weak,
			    double share, char *text, size_t size);

#endif
