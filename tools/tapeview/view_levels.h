/* The position of ranks in the hardware, for a page's header (page_data.c). */
#ifndef TAPE_VIEW_LEVELS_H
#define TAPE_VIEW_LEVELS_H

#include <stdio.h>

#include "tape_reader.h"

/*
 * Writes ,"levels":[...] as a member of a JSON object: the levels of the
 * hardware by which rows can be grouped, the nearest level first. Each level
 * has its name, its groups (name, position) and the group of each rank.
 */
void view_put_levels(const struct tape_trace *t, FILE *f);

/* Writes ,"at":"...", the rank's position inside its host, if it is known. */
void view_put_position(const struct tape_rank_info *r, FILE *f);

#endif
