/*
 * The blackboard of plug-ins (tape_plugin.h): entries, knowledge sources, jobs,
 * and the threads that run them.
 *
 * One lock protects it. A thread takes the lock for a pack of entries and for
 * several jobs of one knowledge source, not for each. So contention is low, and
 * no array of queues is needed (the paper's figure 13).
 *
 *	b = tape_board_new(workers, levels);
 *	p = tape_pack_new(b, entries, bytes);
 *	wait = tape_pack_add(p, level, TAPE_BOARD_WAIT, sizeof *wait);
 *	... fill *wait
 *	tape_board_submit(b, p);
 *	tape_board_wait_idle(b, level);
 *	tape_board_free(b);
 */
#ifndef BOARD_BOARD_H
#define BOARD_BOARD_H

#include "tape_plugin.h"

/* The predefined types of each level. */
enum tape_board_type {
	TAPE_BOARD_EVENT = 1,
	TAPE_BOARD_MESSAGE,
	TAPE_BOARD_ROUND,
	TAPE_BOARD_WAIT,
	TAPE_BOARD_REGION,
	TAPE_BOARD_PHASE,
	TAPE_BOARD_TICK,
	TAPE_BOARD_END,
	TAPE_BOARD_TYPES
};

/*
 * Creates a board with the given number of worker threads, and levels 0 to
 * levels. Dies when out of memory or threads.
 */
struct tape_board *tape_board_new(unsigned workers, uint32_t levels);

/* Ends the workers after the last job, and frees b. */
void tape_board_free(struct tape_board *b);

/*
 * Sets a function that is called under the lock when the subscribed types of a
 * level have changed. types: bits by enum tape_board_type, set for types that
 * have a knowledge source.
 */
void tape_board_watch(struct tape_board *b,
		      void (*wants)(void *self, uint32_t level, uint32_t types),
		      void *self);

/* A pointer that the caller stores with the board. */
void tape_board_set_context(struct tape_board *b, void *own);
void *tape_board_context(const struct tape_board *b);
uint32_t tape_board_levels(const struct tape_board *b);

/*
 * Ends the plug-in with an error message (tape_ks_fail) if there is no such
 * level. function: the function that the plug-in called.
 */
void tape_board_check_level(struct tape_board *b, uint32_t level,
			    const char *function);

/*
 * Creates a pack with room for the given number of entries and bytes, the size
 * of each entry rounded up to 8.
 */
struct tape_pack *tape_pack_new(struct tape_board *b, size_t entries,
				size_t bytes);

/* Adds an entry of a predefined type. Returns the memory of its payload. */
void *tape_pack_add(struct tape_pack *p, uint32_t level, unsigned type,
		    size_t bytes);

/*
 * Submits p, which then belongs to the board. Blocks while too many jobs are
 * queued.
 */
void tape_board_submit(struct tape_board *b, struct tape_pack *p);

/* Waits until no job of the level is queued or running. */
void tape_board_wait_idle(struct tape_board *b, uint32_t level);

/* Numbers so far: submitted entries, freed entries, finished jobs. */
struct tape_board_counts {
	uint64_t entries, freed, jobs;
};
struct tape_board_counts tape_board_counts(struct tape_board *b);

#endif
