/*
 * What campaigns of simulated programs share: commands in a folder, the bounds
 * that tico certifies, and medians. Where something cannot be done the program
 * ends with a sentence and status 2.
 */
#ifndef CAMPAIGN_H
#define CAMPAIGN_H

#include <stdint.h>
#include <stdio.h>

/* Where programs are looked for first, and where traces are made. */
struct campaign_place {
	const char *bin, *dir;
};

/* Says the name of the rig, what failed, and why (errno). */
__attribute__((noreturn)) void campaign_exit(const char *what);

/* Runs a command of the shell in the folder. Returns its status. */
int campaign_try(const struct campaign_place *c, const char *command);

/* The same where the command must succeed. */
void campaign_run(const struct campaign_place *c, const char *command);

/* Begins and ends a file of the folder, which is written as a whole. */
FILE *campaign_begin_file(const struct campaign_place *c, const char *name);
void campaign_end_file(FILE *f, const char *name);

/* The total time of a corrected trace, ns; from and to: its certain bounds. */
struct campaign_total {
	int64_t total, from, to;
	int is_certain;
};

/* Reads the total of the trace in the folder; is_certain 0: no bounds. */
struct campaign_total campaign_read_total(const struct campaign_place *c,
					  const char *trace);

/* Sorts n values. Returns the middle one, the upper of two, or 0 of none. */
double campaign_median(double *v, int n);

#endif
