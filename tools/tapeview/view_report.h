/* The report of tapestat in a page, by lib/profile. */
#ifndef TAPE_VIEW_REPORT_H
#define TAPE_VIEW_REPORT_H

#include <stdio.h>

#include "view.h"

/* Writes the sentences of the report on the shown base, as a list in HTML. */
void view_write_report(const struct view *v, FILE *f);

/*
 * Writes ,"efficiency":[columns, rows] for the data of the page: the table of
 * tapestat -t efficiency. A column is its title and "s", "%" or "" for text; a
 * cell is a number, a text, or null. Nothing where no factor is known.
 */
void view_put_efficiency(const struct view *v, FILE *f);

#endif
