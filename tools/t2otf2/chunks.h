/*
 * The memory in which OTF2's library keeps what it has not written. By itself
 * it takes 128 MiB of events of each location before it writes any of them;
 * where its caller has no more memory for it, it writes at once.
 */
#ifndef T2OTF2_CHUNKS_H
#define T2OTF2_CHUNKS_H

#include <otf2/otf2.h>

struct chunks;

/*
 * One chunk of events for each location whose file can be open from the first
 * chunk on, which mostly all can; others, and definitions, get as many as they
 * ask for. Dies when out of memory. It outlives the archive; the caller frees.
 */
struct chunks *chunks_new(OTF2_Archive *archive);
void chunks_free(struct chunks *c);

#endif
