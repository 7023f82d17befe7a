/*
 * Regions: marked by the program, and filters of what is recorded.
 */
#ifndef TAPE_REGION_H
#define TAPE_REGION_H

#include "core.h"

/*
 * Called at the start of the run. The setting regions decides whether events
 * outside of any region are recorded.
 */
void tape_region_start(struct tape_flow *f);

/*
 * Called at the end of the run. If only a region switched this thread off, it
 * records again. Returns its flow then, otherwise NULL.
 */
struct tape_flow *tape_region_stop(void);

/* Returns 1 if markers are recorded or regions filter the recording. */
static inline int tape_regions_matter(void)
{
	return (tape_process.config.groups >> TAPE_GROUP_REGION & 1) ||
	       *tape_process.config.regions;
}

#endif
