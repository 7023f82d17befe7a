/*
 * Regions: marked by the program, and filters of what is recorded.
 */
#ifndef TAPE_REGION_H
#define TAPE_REGION_H

#include "core.h"

/*
 * The run has begun: the setting regions says whether what is outside of any
 * region is recorded.
 */
void tape_region_start(struct tape_flow *f);

/*
 * The run ends: if only a region keeps this thread silent, it records again.
 * Its flow then, else NULL.
 */
struct tape_flow *tape_region_stop(void);

/* Must regions be followed: are marks recorded, or do regions filter? */
static inline int tape_regions_matter(void)
{
	return (tape_process.config.groups >> TAPE_GROUP_REGION & 1) ||
	       *tape_process.config.regions;
}

#endif
