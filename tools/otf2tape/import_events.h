/* Imports the events of a rank from an archive to a trace. */
#ifndef OTF2TAPE_IMPORT_EVENTS_H
#define OTF2TAPE_IMPORT_EVENTS_H

#include "thread_events.h"

/* Writes the flows of a rank, after rank_begin(). Adds to losses. */
void import_rank_events(const struct archive *a, const struct world *w,
			struct rank *rank, struct losses *losses);

#endif
