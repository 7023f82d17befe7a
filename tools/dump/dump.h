/* The views of a trace that tapedump prints; each reads t to its end. */
#ifndef DUMP_H
#define DUMP_H

#include <stdio.h>

#include "tape_reader.h"

/* The whole trace as text: definitions, then flow by flow; see tapedump(1). */
void dump_text(struct tape_trace *t);

/* One event a line, in order of time. */
void dump_json(struct tape_trace *t);
void dump_csv(struct tape_trace *t);

/* What the trace is, its flows, and how often each call was made. */
void dump_summary(struct tape_trace *t);

/* Reads text as dump_text prints it and writes the trace directory output. */
void dump_assemble(FILE *in, const char *name, const char *output);

/* The words for how a flow ended: "finalize", "exit", ...; "none": killed. */
const char *dump_end_name(enum tape_end end);
/* The end of that name, or -1. */
int dump_end_find(const char *name);

/* One line on stderr for a flow that was not ended by MPI_Finalize. */
void dump_end_warn(const struct tape_flow_info *f, enum tape_end end,
		   uint64_t lost);

/* Are the fields of its class among those of the event? Not of most marks. */
static inline int dump_has_fields(const struct tape_event *e)
{
	return e->call || e->class_ == TAPE_CLASS_COUNTED;
}

#endif
