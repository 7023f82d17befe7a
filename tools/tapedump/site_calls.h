/*
 * Which call each call site of a text trace is of: an event at a site of
 * another call would be read as that one's, with other fields.
 *
 *	site_calls_define(&s, rank, "site 1 120 14 ring.c main");
 *	call = site_calls_find(&s, rank, 1);
 *	site_calls_free(&s);
 */
#ifndef DUMP_SITE_CALLS_H
#define DUMP_SITE_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct site_calls {
	struct site_call *list;
	size_t n, room;
	int sorted;
};

/*
 * Reads a line of the definitions of a rank; ignores lines that define no site.
 * Dies when out of memory.
 */
void site_calls_define(struct site_calls *s, int rank, const char *line);

/* The number of the call; 0: no line defines that site. */
unsigned site_calls_find(struct site_calls *s, int rank, uint32_t site);

void site_calls_free(struct site_calls *s);

#endif
