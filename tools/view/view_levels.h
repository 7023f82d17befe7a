/* Where ranks are, for the header of a page (page_data.c). */
#ifndef TAPE_VIEW_LEVELS_H
#define TAPE_VIEW_LEVELS_H

#include <stdio.h>

#include "tape_reader.h"

/*
 * The levels of the hardware by which rows can be grouped, the nearest first:
 * as a member "levels" of an object, behind a comma. Each has its name, its
 * groups (name, position) and the group of each rank.
 */
void view_put_levels(const struct tape_trace *t, FILE *f);

/* Likewise "at", where a rank is inside its host; nothing: that is not known.
 */
void view_put_position(const struct tape_rank_info *r, FILE *f);

#endif
