/*
 * A container: one file of a trace for the definitions and flows of the ranks
 * of a host (the setting layout; trace-format.md). An index of entries, then
 * places, each a piece of what would be a file rank.R or flow.R.T. Numbers are
 * little-endian.
 *
 *   0 u32 magic   4 u32 version   8 u64 end of the places   16 u64 entries
 *
 * Entry i is at TAPE_CONTAINER_HEAD + i * TAPE_CONTAINER_ENTRY:
 *
 *   0 u32 rank    4 u32 thread, or TAPE_CONTAINER_TEXT: definitions
 *   8 u64 at, where in that file      16 u64 place, where here
 *  24 u64 bytes; 0: nothing was written there
 *
 * The pieces of a file follow each other without a gap. Who writes takes an
 * entry and a place under an exclusive lock of the file (OFD), and from then on
 * changes only these: nobody's death leaves anything but what he wrote.
 */
#ifndef TAPE_CONTAINER_H
#define TAPE_CONTAINER_H

#include <stdint.h>

#define TAPE_CONTAINER_PREFIX "node."
#define TAPE_CONTAINER_MAGIC 0x45444f4eu /* "NODE" */
#define TAPE_CONTAINER_VERSION 1u
#define TAPE_CONTAINER_TEXT 0xffffffffu
/* Places begin there, at multiples of TAPE_CONTAINER_ALIGNED. */
#define TAPE_CONTAINER_PLACES ((uint64_t)1 << 20)
#define TAPE_CONTAINER_ALIGNED ((uint64_t)1 << 14)

enum { TAPE_CONTAINER_HEAD = 64, TAPE_CONTAINER_ENTRY = 32 };

/* As many fit before the places. */
#define TAPE_CONTAINER_ENTRIES                                                 \
	((TAPE_CONTAINER_PLACES - TAPE_CONTAINER_HEAD) / TAPE_CONTAINER_ENTRY)

#endif
