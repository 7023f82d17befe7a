/*
 * Memory of OTF2's library for data that it has not written. By default the
 * library allocates up to 128 MiB of events for each location before it writes.
 * If a request for memory fails, it writes at once.
 */
#ifndef T2OTF2_CHUNKS_H
#define T2OTF2_CHUNKS_H

#include <otf2/otf2.h>

struct chunks;

/*
 * Gives each location one chunk of events if its file can be open from the
 * first chunk on; that is so unless the limit of open files is reached. Other
 * locations, and definitions, get as many chunks as they request. Dies when out
 * of memory. The result outlives the archive; the caller frees it.
 */
struct chunks *chunks_new(OTF2_Archive *archive);
void chunks_free(struct chunks *c);

#endif
