/* Converts the records of a ring (plug_ring.h) to entries of a blackboard. */
#ifndef BOARD_UNPACK_H
#define BOARD_UNPACK_H

#include "board.h"
#include "plug_ring.h"
#include "table.h"

/* The places of a level with several feeders, by key. Initially zeroed. */
struct unpack_places {
	struct tape_table number; /* number of a place, by key */
	char **text;
	uint32_t n;
};

/* The state of reading one ring. Initially zeroed, but for level and places. */
struct unpack {
	uint32_t level;
	unsigned taken; /* slots read so far */
	int begun, over;
	struct tape_level about;
	uint32_t feeders, own; /* from plug_begin */
	struct unpack_places *places;
	/*
	 * Places by the ring's numbers; text NULL: not defined. With one
	 * feeder, numbers stay the same.
	 */
	struct unpack_place {
		uint32_t number;
		char *text;
	} * place;
	size_t n_places;
	char *whole; /* parts of a record that is longer than a slot */
	size_t n_whole;
};

/*
 * Reads records. Submits entries to b, up to a record about the level, and sets
 * *kind to its kind and *what to its payload: PLUG_BEGIN, TAPE_BOARD_TICK or
 * TAPE_BOARD_END; 0 if there was none. After PLUG_BEGIN u->about is set; the
 * caller sets u->begun. Returns the number of bytes read, which is less than
 * bytes after such a record.
 */
size_t unpack_records(struct unpack *u, struct tape_board *b, const char *data,
		      size_t bytes, unsigned *kind, const void **what);

void unpack_free(struct unpack *u);
void unpack_places_free(struct unpack_places *p);

#endif
