/*
 * What the settings and the program kept out of the trace: calls, regions and
 * files that the settings exclude (meta lists them), call sites that were only
 * counted (max_rate), events while tracing was switched off. Tools print this
 * once, since the excluded calls leave messages of other ranks unmatched.
 *
 *	m = tape_not_recorded_new(t);
 *	... tape_not_recorded_event(m, e) for every event ...
 *	if (tape_not_recorded_text(m, text, sizeof text))
 *		printf("not recorded       %s\n", text);
 *	tape_not_recorded_print(m);
 *	tape_not_recorded_free(m);
 */
#ifndef TAPE_MISSING_H
#define TAPE_MISSING_H

#include <stddef.h>

#include "tape_reader.h"

/* A call site, or a region, that was only counted, summed over all flows. */
struct tape_counted_place {
	const struct tape_site_info *site; /* NULL for a region */
	const char *region;                /* NULL for a call site */
	uint64_t calls, times; /* times that counting began */
	double ns;             /* that those calls took; 0: not known */
	uint64_t rate;                     /* the highest that was the reason */
};

struct tape_not_recorded;

/* Dies when out of memory. The trace must stay open until it is freed. */
struct tape_not_recorded *tape_not_recorded_new(const struct tape_trace *t);
void tape_not_recorded_free(struct tape_not_recorded *m);

/* Looks at an event, of any class. */
static inline int tape_not_recorded_matters(const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_COUNTED || e->class_ == TAPE_CLASS_OFF;
}
void tape_not_recorded_event(struct tape_not_recorded *m,
			     const struct tape_event *e);

/* The places, most calls first, owned by m; their number in *n. */
const struct tape_counted_place *
tape_not_recorded_places(struct tape_not_recorded *m, size_t *n);

/* One clause that names all reasons: 1, or 0 when all was to be recorded. */
int tape_not_recorded_text(struct tape_not_recorded *m, char *text,
			   size_t size);

/*
 * Returns 1 if the settings exclude calls, or tracing was switched off: how
 * many calls that concerned is not known.
 */
int tape_not_recorded_unknown(const struct tape_not_recorded *m);

/* A table of the places on stdout, after an empty line; nothing without any. */
void tape_not_recorded_print(struct tape_not_recorded *m);

/* ,"not_recorded":{...} as a member of a JSON object. */
void tape_not_recorded_json(struct tape_not_recorded *m);

#endif
