/*
 * Waits, their causes and the critical path of a trace, by lib/waits, for
 * the page. The analysis takes several times as long as all other work, and a
 * temporary file. It is left out for long traces.
 */
#ifndef TAPE_VIEW_WAITS_H
#define TAPE_VIEW_WAITS_H

#include "view.h"

/* Returns 1 if the base is short enough and its clocks are comparable. */
int view_can_find_waits(const struct view_base *b);

/*
 * Finds the waits and the critical path of a base, after its pass. Adds columns
 * of the waits in the window, totals of all waits and, for the base that is
 * shown first, tables. Dies without memory or a temporary file.
 */
void view_find_waits(struct view *v, struct view_base *b,
		     const struct view_window *w);

#endif
