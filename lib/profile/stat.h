/* Parts of tapestat: what is printed of the sums of sums.h. */
#ifndef STAT_STAT_H
#define STAT_STAT_H

#include "table_writer.h"
#include "sums.h"

/* Tables, in the order in which they are printed. */
enum stat_table {
	STAT_CALLS, /* by call site */
	STAT_NAMES, /* by call */
	STAT_REGIONS,
	STAT_RANKS,
	STAT_WAITS,
	STAT_CAUSES,
	STAT_PATH,
	STAT_PHASES,
	STAT_EFFICIENCY,
	STAT_MESSAGES,
	STAT_HOSTS,
	STAT_LEVELS,
	STAT_POSITIONS,
	STAT_SIZES,
	STAT_COLLECTIVES,
	STAT_COUNTERS,
	STAT_OUTSIDE,
	STAT_TABLES
};

/* What a table is called as an option: "calls". */
extern const char *const stat_table_name[STAT_TABLES];

/* Those of wait_tables.c. */
struct sheet *stat_waits(struct stats *s);
struct sheet *stat_causes(struct stats *s);
struct sheet *stat_path(struct stats *s);
struct sheet *stat_sizes(struct stats *s);
struct sheet *stat_collectives(struct stats *s);

/*
 * Two columns next to one of waiting: at least and at most so much of it was
 * waiting for a processor (processor_waits.h); and their cells of one row.
 */
void stat_add_processor_columns(struct sheet *h);
void stat_put_processor(struct sheet *h, const struct stats *s,
			const struct tape_ready *r);

/* Those of levels.c. */
struct sheet *stat_messages(struct stats *s);
struct sheet *stat_hosts(struct stats *s);
struct sheet *stat_levels(struct stats *s);
struct sheet *stat_positions(struct stats *s);

/* The level of that name; dies with a sentence where there is none. */
int stat_find_level(const struct stats *s, const char *name);

/* " (certain: 0.60 to 0.63 s)", of bounds in ns. Cut to size. */
void stat_certain_text(double from_ns, double to_ns, char *text, size_t size);

/*
 * Ranks waited for processors: 1, or 2 where one of them waited a tenth of its
 * time or more, so that waiting says little of the program; and a sentence
 * without its end. The kernel's counts are in the trace as measured. 0: no.
 */
int stat_contention_text(const struct stats *s, char *text, size_t size);

/* How far two ranks are apart: "within a host". */
const char *stat_distance_text(const struct stats *s, int a, int b, char *text,
			       size_t size);

/*
 * How far messages go and who is waited for, where there is waiting of worth ns
 * or more, as a sentence; "": there is nothing to tell.
 */
void stat_levels_text(const struct stats *s, double worth, char *text,
		      size_t size);

/* That of counter_sums.c. */
struct sheet *stat_counters(struct stats *s);

/* A table, but those of phases (phases.h), efficiency (run_efficiency.h) and
 * the time outside of calls (outside_time.h); the caller frees it. */
struct sheet *stat_table(struct stats *s, enum stat_table which);

/* The answer in a few lines, and what limits it. */
void stat_report(struct stats *s);
void stat_print_report(struct stats *s, FILE *f);

/* The lines after the first, which names the trace, and what is missing. */
void stat_print_findings(struct stats *s, FILE *f);

/* Writes those lines that can be said of a run that goes on. */
void stat_print_so_far(struct stats *s, FILE *f);

/* The same as members of a JSON object, the first without a comma. */
void stat_report_json(struct stats *s);
void stat_print_report_json(struct stats *s, FILE *f);

/*
 * Two runs compared, a with b: the table. *worse: how many places took longer
 * in b than certainty allows for, by more than the share least.
 */
struct sheet *stat_compare(struct stats *a, struct stats *b, double least,
			   size_t *worse);

/* And what is above it. */
void stat_compare_report(struct stats *a, struct stats *b, size_t worse);
void stat_print_compare(struct stats *a, struct stats *b, size_t worse,
			FILE *f);

/* Computing, inside calls and waiting of a rank's flows together, ns. */
struct stat_rank {
	int rank;
	double length_ns, computing_ns, mpi_ns, waiting_ns, tracing_ns;
	double path_ns;
	struct tape_ready ready; /* of the waiting, for a processor */
	/* computing, as measured with tracing; what it certainly is at least
	 * and at most; NAN: not known */
	double measured_ns, least_ns, most_ns;
	double waited_ns; /* waiting, as measured */
	uint64_t events;
	int ranks; /* of a group: how many */
};

/* Of the *n ranks that are in the trace, in order; the caller frees it. */
struct stat_rank *stat_ranks(const struct stats *s, size_t *n);

/*
 * The groups of s->level, with the sums of their ranks, by their first ranks.
 * Frees r; the caller frees what is returned. And what the group of a rank is
 * called.
 */
struct stat_rank *stat_groups_sum(const struct stats *s, struct stat_rank *r,
				  size_t *n);
const char *stat_group_name(const struct stats *s, int rank);

/* Where a rank ran; "?": it is not in the trace. */
const char *stat_host(const struct stats *s, int rank);

/* The first rank of each rank's host; the caller frees it. */
int *stat_first_of_host(const struct stats *s);

/* "rank 3", "ranks 1-3 and 7"; of many "12 ranks (1, 2, 3 ...)". */
void stat_rank_list(const int *ranks, size_t n, char *text, size_t size);

#endif
