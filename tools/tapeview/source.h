/*
 * The source lines of call sites, for the page. Only files below a directory
 * that the user names are read: the file names in a trace are untrusted.
 */
#ifndef TAPE_VIEW_SOURCE_H
#define TAPE_VIEW_SOURCE_H

#include <stdio.h>

#include "view_names.h"

/*
 * Writes ,"source":{"NUMBER":"line",...} as a member of a JSON object, by
 * number of the call site. The file x/a.c is dir/x/a.c, else dir/a.c. Warns if
 * no line is found. Dies if dir cannot be opened.
 */
void view_put_source(const struct view_names *n, const char *dir, FILE *f);

#endif
