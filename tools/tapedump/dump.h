/* The views of a trace that tapedump prints; each reads t to its end. */
#ifndef DUMP_H
#define DUMP_H

#include <stdio.h>
#include <string.h>

#include "tape_reader.h"

/*
 * The whole trace as text: definitions, then flow by flow; see tapedump(1).
 * intervals: with the guaranteed intervals of the dates.
 */
void dump_text(struct tape_trace *t, int intervals);

/* One event a line, in order of time. */
void dump_json(struct tape_trace *t, int intervals);
void dump_csv(struct tape_trace *t, int intervals);

/* One message a line, sender and receiver; those without a partner last. */
void dump_messages_json(struct tape_trace *t, int unused);
void dump_messages_csv(struct tape_trace *t, int unused);

/*
 * What the trace is, its flows, and how often each call was made. Of more than
 * TAPE_SHOWN_ALL flows the first has quantiles, the second all.
 */
void dump_summary(struct tape_trace *t, int unused);
void dump_summary_all(struct tape_trace *t, int unused);

/* How often and how long a call site of one rank, or of all, was used. */
struct dump_site {
	const struct tape_site_info *site;
	uint64_t events, calls;
	int64_t inside_ns;
};

/*
 * The part of the summary by call site: made empty, given every event, then
 * printed. t must outlive it.
 */
struct dump_sites;
struct dump_sites *dump_sites_new(const struct tape_trace *t);
void dump_sites_count(struct dump_sites *s, const struct tape_event *e);
void dump_sites_print(const struct dump_sites *s);
void dump_sites_free(struct dump_sites *s);
/*
 * Sums of what the counters counted, over all flows: by call and by region.
 * Events are given flow by flow, each begun with its rank.
 */
struct dump_counters;
struct dump_counters *dump_counters_new(struct tape_trace *t);
void dump_counters_flow(struct dump_counters *d, int rank);
void dump_counters_add(struct dump_counters *d, const struct tape_event *e);
/* One table for each counter; nothing where there is none. */
void dump_counters_print(const struct dump_counters *d);
void dump_counters_free(struct dump_counters *d);

/* Reads text as dump_text prints it and writes the trace directory output. */
void dump_assemble(FILE *in, const char *name, const char *output);

/* The words for how a flow ended: "finalize", "exit", ...; "none": killed. */
const char *dump_end_name(enum tape_end end);
/* The end of that name, or -1. */
int dump_end_find(const char *name);

/* One line on stderr for a flow that was not ended in order. */
void dump_end_warn(const struct tape_flow_info *f, enum tape_end end,
		   uint64_t lost);

/* Returns 0 for the field part of an event that is a whole call, else 1. */
static inline int dump_shows_field(const struct tape_event *e,
				   const struct tape_field *field)
{
	return strcmp(field->name, "part") ||
	       tape_field_get(&e->u, field) != TAPE_PART_WHOLE;
}

/* Are the fields of its class among those of the event? Not of most marks. */
static inline int dump_has_fields(const struct tape_event *e)
{
	return e->call || e->class_ == TAPE_CLASS_COUNTED ||
	       e->class_ == TAPE_CLASS_BLOCK ||
	       e->class_ == TAPE_CLASS_PROCESSOR ||
	       e->class_ == TAPE_CLASS_PTHREAD ||
	       e->class_ == TAPE_CLASS_THREAD;
}

/* The same of flow number flow; of a damaged one something else is said. */
void dump_flow_warn(const struct tape_trace *t, size_t flow, enum tape_end end,
		    uint64_t lost);

/* A comma and s as a field of CSV; NULL: an empty one. */
void dump_csv_word(const char *s);

#endif
