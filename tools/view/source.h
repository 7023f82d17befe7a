/*
 * The source lines of call sites, for the page. They are looked for below a
 * directory that the user names, and nowhere else: the file names of a trace
 * can be anything.
 */
#ifndef TAPE_VIEW_SOURCE_H
#define TAPE_VIEW_SOURCE_H

#include <stdio.h>

#include "view_names.h"

/*
 * ,"source":{"NUMBER":"line",...} as a member of a JSON object, by number of
 * the place. dir/x/a.c, then dir/a.c, is taken for x/a.c. Warns where not one
 * line is found; dies where there is no such directory.
 */
void view_put_source(const struct view_names *n, const char *dir, FILE *f);

#endif
