/*
 * Figures of several runs: how long they took, and the time of their call sites
 * and causes of waiting, of all ranks, as tapestat gives them.
 */
#ifndef TAPE_RUN_FIGURES_H
#define TAPE_RUN_FIGURES_H

#include <stddef.h>

#include "corrected_trace.h"
#include "student.h"

/* Of one call site or cause. A run without it counts as 0 s. */
struct named_figure {
	char *name; /* as in JSON, without the quotes */
	double run_s; /* in the run that is being read */
	struct tape_sample_sums s;
};

/* Figures by their names. */
struct figure_list {
	struct named_figure *figure;
	size_t n, room;
};

struct run_figures {
	struct tape_sample_sums run_s; /* after the start of MPI */
	struct figure_list calls, causes;
};

/*
 * Adds a run, by its most corrected trace. Returns 0; or -1 after a sentence,
 * if tapestat has no figures of the trace.
 */
int figures_add_run(struct run_figures *f, const struct stages *s);

/* Puts the figures with the largest means first. */
void figures_sort(struct figure_list *l);

#endif
