/*
 * What the run left out of its trace because it was told to: calls, regions
 * and files by the settings (meta has them), call sites that were only counted
 * (max_rate), tracing switched off. Tools say it once, beside what it makes
 * them count as unmatched.
 *
 *	m = tape_missing_new(t);
 *	... tape_missing_event(m, e) for every event ...
 *	if (tape_missing_text(m, text, sizeof text))
 *		printf("not recorded       %s\n", text);
 *	tape_missing_print(m);
 *	tape_missing_free(m);
 */
#ifndef TAPE_MISSING_H
#define TAPE_MISSING_H

#include <stddef.h>

#include "tape_reader.h"

/* A call site, or a region, that was only counted, summed over all flows. */
struct tape_counted_place {
	const struct tape_site_info *site; /* NULL for a region */
	const char *region;                /* NULL for a call site */
	uint64_t calls, flows;
	uint64_t rate;                     /* the highest that was the reason */
};

struct tape_missing;

/* Dies when out of memory. The trace must stay open until it is freed. */
struct tape_missing *tape_missing_new(const struct tape_trace *t);
void tape_missing_free(struct tape_missing *m);

/* Looks at an event, of any class. */
static inline int tape_missing_matters(const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_COUNTED || e->class_ == TAPE_CLASS_OFF;
}
void tape_missing_event(struct tape_missing *m, const struct tape_event *e);

/* The places, most calls first, owned by m; their number in *n. */
const struct tape_counted_place *tape_missing_places(struct tape_missing *m,
						     size_t *n);

/* One clause that names all reasons: 1, or 0 when all was to be recorded. */
int tape_missing_text(struct tape_missing *m, char *text, size_t size);

/* A table of the places on stdout, after an empty line; nothing without any. */
void tape_missing_print(struct tape_missing *m);

/* ,"not_recorded":{...} as a member of a JSON object. */
void tape_missing_json(struct tape_missing *m);

#endif
