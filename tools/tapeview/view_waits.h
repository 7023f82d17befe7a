/*
 * Waits, their causes and the critical path of a trace, by lib/profile, for the
 * page.
 */
#ifndef TAPE_VIEW_WAITS_H
#define TAPE_VIEW_WAITS_H

#include <stdio.h>

#include "view.h"

/*
 * Reads a base after its pass: b->stats, and columns of the waits in the window
 * and of the critical path. Dies without memory or a temporary file.
 */
void view_find_waits(struct view *v, struct view_base *b,
		     const struct view_window *w);

/* Adds the waits of s to the totals of flows, call sites and pairs of ranks. */
void view_sum_waits(struct view *v, const struct stats *s);

/*
 * Writes the tables of the base that is shown first: "waits", "causes" and
 * "path", each after a comma. Nothing where clocks are not comparable.
 */
void view_put_waits(const struct view *v, FILE *f);

#endif
