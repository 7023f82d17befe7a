/* Records of a ring (plug_ring.h) to entries of a blackboard. */
#ifndef BOARD_UNPACK_H
#define BOARD_UNPACK_H

#include "board.h"
#include "plug_ring.h"

/* One level, as far as it has been read. Zeroed at first. */
struct unpack {
	uint32_t level;
	unsigned taken; /* slots */
	int begun, over;
	struct tape_level about;
	char **text; /* of places by number; NULL: not defined */
	size_t texts;
	char *whole; /* of a record longer than a slot */
	size_t n_whole;
};

/*
 * The records of bytes. A beginning is in u->about, with begun set by the
 * caller; entries go to b, up to the end of the level (which is given to *end:
 * 1). Returns the bytes that were read: less than all behind such a record.
 */
size_t unpack_some(struct unpack *u, struct tape_board *b, const char *data,
		   size_t bytes, int *begins, int *ends,
		   struct tape_ks_end *end);

void unpack_free(struct unpack *u);

#endif
