/*
 * The definitions of an OTF2 archive: strings, regions, the system with its
 * hosts, ranks and threads, groups and communicators, counters.
 */
#ifndef T2OTF2_DEFINITIONS_H
#define T2OTF2_DEFINITIONS_H

#include <otf2/otf2.h>

#include "export.h"

struct definitions;

/*
 * Prepares the definitions of x, which stays open, and numbers communicators
 * for use in events. The caller frees. Dies when out of memory.
 */
struct definitions *definitions_new(const struct tape_export *x);
void definitions_free(struct definitions *d);

/* Return the number of a call's region, and of a region of a rank. */
OTF2_RegionRef definitions_call_region(unsigned call);
OTF2_RegionRef definitions_region(const struct definitions *d, int rank,
				  uint32_t region);

/* Returns the string with the location of a rank's call site. */
OTF2_StringRef definitions_site_string(const struct definitions *d, int rank,
				       uint32_t site);

/*
 * Sets *ref to the communicator of an event, and *peer to the peer's rank in
 * it. On entry *peer is as in the call (PVM: a tid). In an intercommunicator it
 * is a rank in the remote group. PVM, and intercommunicators before OTF2 3.0,
 * use the communicator of all ranks. Returns 0 if the communicator or the peer
 * is unknown, so that OTF2 cannot represent the event.
 */
int definitions_find_comm(const struct definitions *d, int rank, uint32_t comm,
			  int32_t *peer, OTF2_CommRef *ref);

/*
 * Sets *ref to the communicator of a collective, and *to to its root as OTF2
 * encodes it. Returns 0 if the communicator is unknown.
 */
int definitions_find_collective(const struct definitions *d, int rank,
				uint32_t comm, int32_t root, OTF2_CommRef *ref,
				uint32_t *to);

/*
 * Sets *ref to the window of an event, and defines the window. peer: a rank in
 * it; negative: none. Returns 0 if the window is unknown or has no such rank.
 */
int definitions_find_window(struct definitions *d, int rank, uint32_t comm,
			    int32_t peer, OTF2_RmaWinRef *ref);

/*
 * Record that a window was created, by a call on a communicator, and that it
 * ends. definitions_window_end returns the call that created it; 0: not seen.
 */
void definitions_window_create(struct definitions *d, int rank, uint32_t window,
			       uint32_t comm, unsigned call);
unsigned definitions_window_end(struct definitions *d, int rank,
				uint32_t window);

/* Sets *ref to a group that an event names. Returns 0 if it is unknown. */
int definitions_find_group(struct definitions *d, int rank, uint32_t group,
			   OTF2_GroupRef *ref);

/* Returns the metric class of a rank's counters. */
OTF2_MetricRef definitions_metric_class(int rank);

/*
 * Returns the number of locations: one for each flow, by its number, followed
 * by an empty location for each rank that the trace lacks.
 */
size_t definitions_locations(const struct definitions *d);

/* Writes the definitions. events: number of events by flow; end: time of the
 * last event, ns. */
void definitions_write(struct definitions *d, OTF2_Archive *archive,
		       const uint64_t *events, uint64_t end);

#endif
