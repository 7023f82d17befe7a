/* Records of a ring (plug_ring.h) to entries of a blackboard. */
#ifndef BOARD_UNPACK_H
#define BOARD_UNPACK_H

#include "board.h"
#include "plug_ring.h"
#include "table.h"

/* Places of a level that several feed, by their keys. Zeroed at first. */
struct unpack_places {
	struct tape_table number; /* of places, by key */
	char **text;
	uint32_t n;
};

/* One ring, as far as it has been read. Zeroed at first. */
struct unpack {
	uint32_t level;
	unsigned taken; /* slots */
	int begun, over;
	struct tape_level about;
	uint32_t feeders, own; /* of plug_begin */
	struct unpack_places *places;
	/* what they are called here, by the ring's numbers; NULL: not defined.
	 * Of one feeder alone the numbers stay. */
	struct unpack_place {
		uint32_t number;
		char *text;
	} * place;
	size_t n_places;
	char *whole; /* of a record longer than a slot */
	size_t n_whole;
};

/*
 * The records of bytes: entries go to b, up to a record that is about the
 * level, whose kind is given, with what it holds: PLUG_BEGIN, which is in
 * u->about then, with begun set by the caller, TAPE_BOARD_TICK, TAPE_BOARD_END;
 * 0: there was none. Returns the bytes that were read: less than all behind
 * such a record.
 */
size_t unpack_records(struct unpack *u, struct tape_board *b, const char *data,
		      size_t bytes, unsigned *kind, const void **what);

void unpack_free(struct unpack *u);
void unpack_places_free(struct unpack_places *p);

#endif
