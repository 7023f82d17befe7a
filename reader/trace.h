/* What the files of the reader share about an open trace. */
#ifndef TAPE_TRACE_H
#define TAPE_TRACE_H

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hash_slots.h"
#include "layout.h"
#include "tape_files.h"
#include "tape_reader.h"

/* Ids and sizes in definitions are bounded, whatever a file says. */
#define TAPE_IDS_MAX (1u << 24)
/* Ranks that a run may have without any file of theirs. */
#define TAPE_RANKS_FREE (1u << 16)

struct tape_meta_line {
	char *key, *value;
};

/* The clock of one domain while the trace is opened. */
struct tape_domain {
	struct tape_domain_info info;
	struct tape_clock_piece *pieces;
	size_t room;
	int anchored;
	double hz;         /* the first estimate of its ranks, or 0 */
	double local_rate; /* ns per tick of its own clock */
	uint64_t latest;   /* tick that was dated, where it is followed */
};

/* Builds of programs and libraries; more stay unresolved. */
#define TAPE_MODULES_MAX 4096u

/* What was found to be wrong with a flow; text NULL: nothing. */
struct tape_damage {
	char *text;
	int nothing; /* not one event came before it */
};

/* Strings, each once. */
TAPE_SLOTS_TYPE(tape_strings, char *)

/* Index of a class whose calls may find an arrived message; -1: others. */
enum { TAPE_THERE = 4 };
static inline int tape_arrival_index(unsigned class_)
{
	return class_ == TAPE_CLASS_RECV       ? 0
	       : class_ == TAPE_CLASS_SENDRECV ? 1
	       : class_ == TAPE_CLASS_PROBE    ? 2
	       : class_ == TAPE_CLASS_MPROBE   ? 3
					       : -1;
}

struct tape_rank {
	struct tape_rank_info info;
	/* a task that had no record when the trace was opened to be followed:
	 * its clock may not be sampled yet, so it counts as one that comes */
	int to_come;
	/* so much of its file was read */
	size_t read_bytes;
	int read_lines;
	/* its highest communicator, and up to where all have members */
	uint32_t top_comm, comms_shared;
	/* its highest site, region and group: arrays may have room for many
	 * more, which nobody looks at */
	uint32_t top_site, top_region, top_group;
	/* the last build of each path, while its file is read */
	const struct tape_module_info **modules;
	size_t n_modules;
	struct tape_site_info *sites;
	struct tape_comm_info *comms;
	char **regions;
	struct tape_group_info *groups;
	struct tape_counter_info *counters;
	struct tape_alpha_info *alphas;
	struct tape_flow_processor *processors; /* by thread */
	size_t n_processors;
	double tick_hz;
	int has_slept;     /* slept_0 is what its file said first */
	int64_t slept_0;
	double done_after, poll_before, poll_after, ask; /* ticks */
	double done_less, done_more, poll_less, poll_more, reading;
	double ask_wait;
	/* an event of a block that is skipped: of a mark, of a local call */
	struct {
		double usual, less, more;
	} skip[2];
	/* of a mark as blocks tell: ticks, its error; if known */
	double skip_there, skip_error;
	int skip_known;
	/* by number; NULL: no cost is known where it stands */
	struct tape_cost_there *region_costs, *site_costs;
	/* extra cost of finding that a message is there (tape_arrival_index) */
	struct {
		double usual, less, more;
	} there[TAPE_THERE];
};

/* Which rank a task is. */
struct tape_task {
	int tid, rank;
};

struct tape_part;

struct tape_trace {
	char *path;
	int dir; /* the directory: its files are opened from there */
	char error[512];
	enum tape_base base;
	int alpha_measured; /* of each call, not only what varies */
	struct tape_meta_line *meta;
	size_t n_meta;
	struct tape_rank *ranks;
	size_t n_ranks;
	struct tape_domain *domains;
	size_t n_domains;
	struct tape_sample *samples;
	size_t n_samples;
	struct tape_flow_info *flows;
	size_t n_flows;
	struct tape_layout *layout; /* NULL: records are as here */
	struct tape_layout *first_layout; /* of flows of format 1, or NULL */
	/* where in the fields of a class these are, -1: it has none; a group
	 * and a new communicator only where that may be to come */
	struct tape_class_at {
		int16_t comm, probe, group, newcomm;
	} at[TAPE_CLASS_COUNT];
	struct tape_damage *damage; /* by flow */
	int **members; /* arrays shared by the communicators */
	size_t n_members;
	struct tape_strings strings; /* of the call sites */
	struct tape_module_info **modules;
	size_t n_modules;
	struct tape_task *tasks; /* by tid */
	size_t n_tasks;
	int resolved;  /* it has a file of call sites */
	int streamed;  /* it was meant to be read while it is written */
	int in_containers; /* ranks and flows are (in_container.h) */
	struct tape_container {
		char *name;
		int fd; /* of many, the first ones stay open; -1 */
	} * containers;
	size_t n_containers;
	struct tape_part *parts; /* by rank, thread and offset */
	size_t n_parts;
	struct tape_follow *follow; /* NULL: it is all there (follow.c) */
};

/* As tape_trace_open_at; follow: NULL, or to be followed so, and is its own. */
int tape_trace_open_by(int dir, const char *path, struct tape_follow *follow,
		       struct tape_trace **t);

/* Sets the trace's sentence and returns code. */
__attribute__((format(printf, 3, 4))) int
tape_trace_fail(struct tape_trace *t, int code, const char *format, ...);

/* Sets the trace's sentence for TAPE_ENOMEM and returns TAPE_ENOMEM. */
__attribute__((cold)) int tape_trace_no_memory(struct tape_trace *t);

/* One copy of s, owned by the trace; NULL: out of memory (strings.c). */
const char *tape_intern_string(struct tape_trace *t, const char *s);
void tape_strings_free(struct tape_strings *p);

/*
 * Opens a regular file of the directory dir for reading, never waiting (a
 * FIFO) and never following a symbolic link; its size goes to *size unless
 * that is NULL. The descriptor, or -1 with errno.
 */
int tape_open_file(int dir, const char *name, uint64_t *size);

/* The name of a file in its directory. */
static inline const char *tape_file_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* Why a file of a trace could not be opened or read. */
const char *tape_file_error_text(int error);

/* The files of a trace; NULL with errno. The caller closes it. */
DIR *tape_trace_list(const struct tape_trace *t);

/* A text file as lines of words; owns its bytes. */
struct tape_text {
	char *bytes;
	size_t n, at;
	int line;
	char path[4200];
	size_t before; /* bytes of the file ahead of those */
};

/*
 * Reads a whole text file of the trace; optional: a missing one is empty and
 * returns 1. Returns 0 or a negative code with the trace's sentence.
 */
int tape_text_open(struct tape_trace *t, const char *name, int optional,
		   struct tape_text *x);

/* The same of what follows the first from bytes, which are lines lines. */
int tape_text_open_from(struct tape_trace *t, const char *name, int optional,
			size_t from, int lines, struct tape_text *x);
void tape_text_close(struct tape_text *x);

/*
 * The next whole line, ended in place; a last line without a newline is
 * left out (its writer was stopped). 1, or 0 at the end.
 */
int tape_text_line(struct tape_text *x, char **line);

/* Cuts the next word off *s, in place; NULL when there is none. */
char *tape_text_word(char **s);

/* Whole-word numbers; non-zero when the word is not one in range. */
int tape_text_u64(const char *word, int base, uint64_t *value);
int tape_text_i64(const char *word, int64_t *value);
int tape_text_double(const char *word, double *value);

/* Refuses a line of a text file: "FILE: line N: WHAT", TAPE_EFORMAT. */
static inline int bad_line(struct tape_trace *t, const struct tape_text *x,
			   const char *what)
{
	return tape_trace_fail(t, TAPE_EFORMAT, "%s: line %d: %s", x->path,
			       x->line, what);
}

/*
 * Could a file of that size define that id? A line has more than four bytes;
 * some ids are assigned and defined later, or never.
 */
static inline int is_plausible_id(const struct tape_text *x, uint64_t id)
{
	return id && id <= TAPE_IDS_MAX && id <= 4096 + (x->before + x->n) / 4;
}

/* Traces that are still being written (follow.c). */

/*
 * What is to come of a flow: 1 when it is worth looking again, 0 when there
 * will be no more, or the trace is not followed.
 */
int tape_follow_wait(struct tape_trace *t, size_t flow);

/* The first bytes of the file of the flow have been read. */
void tape_follow_consumed(const struct tape_trace *t, size_t flow,
			  uint64_t bytes);

/*
 * Opens a flow of such a trace: waits until it has begun, and reads what its
 * rank has defined. 0: there it is; 1: it will not come; or an error.
 */
int tape_follow_open(struct tape_trace *t, size_t flow);

/* Its directory is not there: 1 when it is worth looking again. */
int tape_follow_wait_for_dir(struct tape_trace *t);

/* Returns 1 if the flow's file has a record, or an end. */
int tape_follow_has_record(const struct tape_trace *t, int rank, int thread);

/* Waits until the trace has begun: meta and the first record of each rank. */
int tape_follow_begin(struct tape_trace *t);

/* Ids of each rank have room, so that no array of them moves. */
int tape_follow_reserve(struct tape_trace *t);

/* Returns 1 for an array in reserved memory, which must not be freed. */
int tape_follow_owns_array(const struct tape_trace *t, const void *array);

/* The members of communicators that were read since. Returns 0 or an error. */
int tape_follow_share_members(struct tape_trace *t);

/* In place of the files that are there: one for each rank, at least. */
int tape_follow_add_flows(struct tape_trace *t);

void tape_follow_free(struct tape_trace *t);

/* Files of ranks in containers (in_container.c). */

/* Reads the indices of the containers. Returns 0 or an error. */
int tape_parts_read(struct tape_trace *t);
void tape_parts_free(struct tape_trace *t);

/*
 * The flows in containers, by rank and thread: that after *i, which is 0 before
 * the first. 1, or 0 at the end.
 */
int tape_parts_flow(const struct tape_trace *t, size_t *i, uint32_t *rank,
		    uint32_t *thread);

/* Definitions (definitions.c, clocks.c, sites.c). */
int tape_trace_read_meta(struct tape_trace *t);
int tape_trace_read_rank(struct tape_trace *t, int rank);
int tape_trace_read_site(struct tape_trace *t, struct tape_rank *r,
			 const struct tape_text *x, char *rest, int address);
int tape_trace_read_module(struct tape_trace *t, struct tape_rank *r,
			   const struct tape_text *x, char *rest);
int tape_trace_read_sites(struct tape_trace *t);
/* Lines alpha, or at_end alpha_end, and pace. */
int tape_trace_read_alpha(struct tape_trace *t, struct tape_rank *r,
			  const struct tape_text *x, char *rest, int at_end);
int tape_trace_read_pace(struct tape_trace *t, struct tape_rank *r,
			 const struct tape_text *x, char *rest);
/* Lines processor and processors. */
int tape_trace_read_processor(struct tape_trace *t, struct tape_rank *r,
			      const struct tape_text *x, char *rest);
int tape_trace_read_processors(struct tape_trace *t, struct tape_rank *r,
			       const struct tape_text *x, char *rest);
int tape_trace_read_clocks(struct tape_trace *t);
int tape_trace_share_members(struct tape_trace *t);
int tape_trace_read_inter(struct tape_trace *t, struct tape_rank *r,
			  const struct tape_text *x, char *rest);
int tape_trace_read_sources(struct tape_trace *t, struct tape_rank *r,
			    const struct tape_text *x, char *rest);
int tape_trace_read_group(struct tape_trace *t, struct tape_rank *r,
			  const struct tape_text *x, char *rest);
int tape_trace_read_spawned(struct tape_trace *t, struct tape_rank *r,
			    const struct tape_text *x, char *rest);
int tape_trace_read_vm_host(struct tape_trace *t, struct tape_rank *r,
			    const struct tape_text *x, char *rest);
void tape_trace_free_vm_hosts(struct tape_rank *r);
int tape_trace_anchor(struct tape_trace *t);
/* Those of the first flow of a rank. */
void tape_trace_read_anchors(const struct tape_trace *t, struct tape_domain *d,
			     int rank);
/* The map of one domain, whose first and last anchors are known. */
int tape_trace_anchor_domain(struct tape_trace *t, struct tape_domain *d);

/*
 * The values of lines "ranks" and "domain", from meta or derived; x is where an
 * error is.
 */
int tape_trace_set_ranks(struct tape_trace *t, const struct tape_text *x,
			 const char *value);
int tape_trace_add_domain(struct tape_trace *t, const struct tape_text *x,
			  const char *value);
/* Room for so many; tape_trace_meta knows no "ranks". */
int tape_trace_make_ranks(struct tape_trace *t, size_t n);
/* The clock domain of that name; NULL: there is none. */
const struct tape_domain *tape_trace_find_domain(const struct tape_trace *t,
						 const char *name);

/* Tasks that came one by one (tasks.c): both from their files. */
int tape_trace_find_tasks(struct tape_trace *t, const struct tape_text *x);
/* Reads the file of one that came later, its clock too. Returns 0 or an error.
 */
int tape_trace_new_task(struct tape_trace *t, int rank);
int tape_trace_read_domain(struct tape_trace *t, struct tape_rank *r,
			   const struct tape_text *x, char *rest);
int tape_trace_read_tid(struct tape_trace *t, const struct tape_text *x,
			char *rest, int *tid);
/* Once all rank files are read: for tape_trace_task. */
int tape_trace_sort_tasks(struct tape_trace *t);

/* Room for an id: the array, zeroed beyond, *n > id; or NULL. */
void *tape_reserve_id(const struct tape_trace *t, void *array, size_t *n,
		      uint64_t id, size_t size);

/* Returns 1 for a number that the catalogue has. */
int tape_call_known(uint64_t call);

/*
 * The time of a tick by that piece; saturates 4e18 ns from its start, and 2^62
 * from 0 (146 years), so that the difference of two times is one, too.
 */
static inline int64_t tape_piece_timestamp(const struct tape_clock_piece *p,
					   uint64_t tick)
{
	/* only the difference becomes a double */
	double ns = (double)(int64_t)(tick - p->tick0) * p->rate;
	const int64_t most = ((int64_t)1 << 62) - 1;
	int64_t date;

	if (!(fabs(ns) < 4e18))
		ns = ns < 0 ? -4e18 : 4e18;
	if (__builtin_add_overflow(p->ns0, (int64_t)llrint(ns), &date))
		date = ns < 0 ? -most : most;
	return date > most ? most : date < -most ? -most : date;
}

/*
 * Returns 1 if the call itself found that the message of a blocking receive or
 * probe had arrived. An arrival test before the call (field probe) costs time
 * of its own and returns 0.
 */
static inline int tape_event_saw_message(const struct tape_event *e)
{
	switch (e->class_) {
	case TAPE_CLASS_RECV:
		return e->u.recv.arrived == 1 && !e->u.recv.probe;
	case TAPE_CLASS_SENDRECV:
		return e->u.sendrecv.arrived == 1;
	case TAPE_CLASS_PROBE:
		return e->u.probe.arrived == 1 && !e->u.probe.probe;
	case TAPE_CLASS_MPROBE:
		return e->u.mprobe.arrived == 1 && !e->u.mprobe.probe;
	default:
		return 0;
	}
}

#endif
