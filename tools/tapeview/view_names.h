/*
 * Call sites, communicators and regions, numbered over all ranks: each rank of
 * a trace has its own numbers. Numbers start at 1; 0: none, or unknown.
 */
#ifndef TAPE_VIEW_NAMES_H
#define TAPE_VIEW_NAMES_H

#include "tape_reader.h"

/* One line of source with one call (tape_place_order). */
struct view_place {
	const struct tape_site_info *site;
	int rank; /* the rank that site belongs to */
	uint64_t events, calls, bytes;
	int64_t ns, most_ns; /* time in calls; in the longest event */
};

struct view_region {
	const char *name;
	uint64_t entries;
	/* inclusive: from entry to leave, outermost regions of that name only;
	 * exclusive: without the regions inside; most: the longest */
	int64_t inclusive_ns, exclusive_ns, most_ns;
};

struct view_comm {
	uint64_t id;
	const char *name;
	int size;
};

struct view_names {
	size_t n_places, n_regions, n_comms; /* the first of each is unused */
	struct view_place *places;
	struct view_region *regions;
	struct view_comm *comms;
	/* by rank, then by the number that the rank uses */
	uint32_t **place_of, **region_of, **comm_of;
};

/* Call sites must have been resolved (resolve.h). Dies when out of memory. */
struct view_names *view_names_new(const struct tape_trace *t);
void view_names_free(struct view_names *n, const struct tape_trace *t);

/* The number over all ranks of a rank's call site, region, communicator. */
uint32_t view_place_of(const struct view_names *n, const struct tape_trace *t,
		       int rank, uint32_t site);
uint32_t view_region_of(const struct view_names *n, const struct tape_trace *t,
			int rank, uint32_t region);
uint32_t view_comm_of(const struct view_names *n, const struct tape_trace *t,
		      int rank, uint32_t comm);

#endif
