/*
 * Waits, their causes and the critical path of a trace, by tools/analyse, for
 * the page. That takes several times as long as the rest, and a temporary
 * file; so it is left out of long traces.
 */
#ifndef TAPE_VIEW_WAITS_H
#define TAPE_VIEW_WAITS_H

#include "view.h"

/* Is base short enough, and can its times be compared? */
int view_can_find_waits(const struct view_base *b);

/*
 * Finds the waits and the path of a base, after its pass: what overlaps the
 * window as columns, all of it as totals; and, of the first one to be seen,
 * the tables. Dies when there is no memory or no temporary file.
 */
void view_find_waits(struct view *v, struct view_base *b,
		     const struct view_window *w);

#endif
