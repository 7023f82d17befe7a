/*
 * How efficient a run was, each of its regions, and each of its phases: the
 * factors of lib/model/statistics/efficiency.h.
 *
 * Of the run, T is the run time. Of a region or a phase, T and T_ideal are the
 * times of the flow that is longest in it.
 */
#ifndef STAT_RUN_EFFICIENCY_H
#define STAT_RUN_EFFICIENCY_H

#include <stdio.h>

#include "efficiency.h"
#include "sums.h"
#include "table_writer.h"

/* Returns 1 if times of all flows can be compared. */
int stats_is_efficiency_known(const struct stats *s);

/*
 * Returns 1 if T_ideal is known: one process read all of a trace that is
 * complete, has all calls and both sides of its messages, and no one-sided
 * communication in which a rank waits for another, except by fences.
 */
int stats_is_ideal_known(const struct stats *s);

/*
 * The times of the run that these factors are made of; T_ideal may be NAN.
 * Where ranks waited for processors useful times are the middles of their
 * bounds (useful_time.h).
 */
struct tape_efficiency_times stats_run_times(const struct stats *s);

/*
 * The factors of the run, NAN where they are not known. Those of useful time
 * are not if their bounds are more than 0.1 apart.
 */
struct tape_efficiency stats_run_efficiency(const struct stats *s);

/*
 * What these are at least and at most: without tracing, and where ranks waited
 * for processors by the bounds of useful time. Returns 1 with *from and *to
 * set, or 0: s has neither intervals (stats_is_certain) nor such waiting.
 */
int stats_run_efficiency_bounds(const struct stats *s,
				struct tape_efficiency *from,
				struct tape_efficiency *to);

/* Factors of useful time are unknown if their bounds are over 0.1 apart. */
void stats_drop_wide_factors(struct tape_efficiency *e,
			     const struct tape_efficiency *from,
			     const struct tape_efficiency *to);

/* The factors in the order in which they are written; number i of them. */
enum { STATS_FACTORS = 7 };
double stats_get_factor(const struct tape_efficiency *e, size_t i);

/*
 * By how much ranks begin earlier or later, compared with each other, than on
 * the ideal clock of the trace as measured, ns. NAN: s has no intervals.
 */
double stats_ideal_spread(const struct stats *s);

/*
 * "Parallel efficiency 61%: load balance 64%, communication 96%
 * (serialisation 98%, transfer 98%)", "load balance 64% (threads 80%)" where
 * ranks have several; "": of one flow, or not known. Where
 * ranks waited for processors the factors of useful time have their bounds:
 * "processors 33% (32.1 to 34.0%)", or only these where it is not known. Cut
 * to size.
 */
void stats_efficiency_text(const struct stats *s, char *text, size_t size);

/* The same of factors whose bounds are in certain, " (certain: ...)" or "". */
void stats_factors_text(const struct tape_efficiency *e, const char *certain,
			char *text, size_t size);

/* Writes {...}: the factors by their names, null where they are not known. */
void stats_print_factors_json(const struct tape_efficiency *e, FILE *f);

/*
 * Writes "efficiency":{...}: the factors by their names, null where they are
 * not known, and where there are bounds NAME_from and NAME_to.
 */
void stats_print_efficiency_json(const struct stats *s, FILE *f);

/*
 * The table: a line for the run, one for each region, the longest first, and
 * one for each line of the phases, where there are any. phase and lines as for
 * stats_read_phases; lines SIZE_MAX: no phases. has_bounds: rare columns say
 * what each factor is at least and at most. The caller frees it.
 */
struct sheet *stat_efficiency_table(struct stats *s, const char *phase,
				    size_t lines, int has_bounds);

#endif
