/* What `tape repeat` knows of its runs, and how it prints that. */
#ifndef TAPE_REPEAT_REPORT_H
#define TAPE_REPEAT_REPORT_H

#include <stdint.h>

#include "run_figures.h"

/* Runs that are alike. */
struct run_class {
	uint64_t hash;
	int status;    /* of the command; of an order 0 */
	int first;     /* number of the first such run, from 1 */
	int runs;      /* how many there are */
	uint64_t line; /* where its output first differs from run 1, or 0 */
};

struct run_classes {
	struct run_class *of;
	size_t n, room;
};

struct repeat {
	int runs, done;
	char *const *command;
	const char *noise; /* MEAN:SHARE of --noise, "": defaults; or NULL */
	struct run_figures figures;
	struct run_classes outputs, orders;
};

/*
 * Adds run number `run` to the class of runs with this hash and status, or to a
 * new class; line as in struct run_class.
 */
void repeat_count_run(struct run_classes *c, int run, uint64_t hash, int status,
		      uint64_t line);

void repeat_print_text(const struct repeat *r);
void repeat_print_json(const struct repeat *r);

#endif
