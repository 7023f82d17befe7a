/*
 * What OTF2 wants to be defined: strings, regions, the system with its hosts,
 * ranks and threads, groups and communicators, counters.
 */
#ifndef T2OTF2_DEFINITIONS_H
#define T2OTF2_DEFINITIONS_H

#include <otf2/otf2.h>

#include "export.h"

struct definitions;

/*
 * Of x, which stays open; the caller frees. Communicators are numbered here,
 * so that events can name them; dies when out of memory.
 */
struct definitions *definitions_new(const struct tape_export *x);
void definitions_free(struct definitions *d);

/* The number of a call's region, and of a region of a rank. */
OTF2_RegionRef definitions_call_region(unsigned call);
OTF2_RegionRef definitions_region(const struct definitions *d, int rank,
				  uint32_t region);

/* The string that says where a call site of a rank is. */
OTF2_StringRef definitions_site_string(const struct definitions *d, int rank,
				       uint32_t site);

/*
 * The communicator of an event of a rank, and in *peer what is that rank's
 * number in it, as the call had it (PVM: a tid); of two groups, in the other
 * one. 0: OTF2 has no way to say it: a communicator, or peer, that is not
 * known. Of PVM it is the one of all ranks; so it is of two groups before
 * OTF2 3.0.
 */
int definitions_find_comm(const struct definitions *d, int rank, uint32_t comm,
			  int32_t *peer, OTF2_CommRef *ref);

/*
 * The same of a collective: the communicator, and its root as OTF2 has it. 0:
 * it is not known who meets.
 */
int definitions_find_collective(const struct definitions *d, int rank,
				uint32_t comm, int32_t root, OTF2_CommRef *ref,
				uint32_t *to);

/*
 * The window of an event of a rank, which is defined from now on; peer is a
 * rank in it, negative: none. 0: it is not known, or has no such rank.
 */
int definitions_find_window(struct definitions *d, int rank, uint32_t comm,
			    int32_t peer, OTF2_RmaWinRef *ref);

/*
 * That window was made, by a call on that communicator; it ends, which gives
 * the call that made it, 0: not seen.
 */
void definitions_window_create(struct definitions *d, int rank, uint32_t window,
			       uint32_t comm, unsigned call);
unsigned definitions_window_end(struct definitions *d, int rank,
				uint32_t window);

/* A group that an event of a rank names; 0: it is not known. */
int definitions_find_group(struct definitions *d, int rank, uint32_t group,
			   OTF2_GroupRef *ref);

/* The class of a rank's counters. */
OTF2_MetricRef definitions_metric_class(int rank);

/*
 * How many locations there are: one for each flow, by its number, and behind
 * these an empty one for each rank that is in no file of the trace.
 */
size_t definitions_locations(const struct definitions *d);

/* Writes them; events: how many each flow has; end: of the last one. */
void definitions_write(struct definitions *d, OTF2_Archive *archive,
		       const uint64_t *events, uint64_t end);

#endif
