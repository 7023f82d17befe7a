/*
 * The blackboard of plug-ins (tape_plugin.h): entries, knowledge sources, jobs
 * and the threads that run them.
 *
 * One lock protects it. It is taken for a pack of entries and for a run of jobs
 * of one knowledge source, not for each: so there is nothing to contend for,
 * and no array of queues (the paper's figure 13).
 *
 *	b = tape_board_new(workers, levels);
 *	p = tape_pack_new(b, entries, bytes);
 *	*(struct tape_ks_wait *)tape_pack_add(p, type, sizeof(...)) = ...;
 *	tape_board_submit(b, p);
 *	tape_board_wait_idle(b, level);
 *	tape_board_free(b);
 */
#ifndef BOARD_BOARD_H
#define BOARD_BOARD_H

#include "tape_plugin.h"

/* The types that everybody knows, by number; of each level. */
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

/* So many workers, and levels 0 to levels. Dies when out of memory or threads.
 */
struct tape_board *tape_board_new(unsigned workers, uint32_t levels);

/* Ends the workers when there is nothing left to do; b has no user then. */
void tape_board_free(struct tape_board *b);

/*
 * wants is called under the lock, with the types of the level (bits, by enum
 * tape_board_type) that have a knowledge source, when these have changed.
 */
void tape_board_watch(struct tape_board *b,
		      void (*wants)(void *self, uint32_t level, uint32_t types),
		      void *self);

/* What goes with it: of the plug-in's report. */
void tape_board_set_context(struct tape_board *b, void *own);
void *tape_board_context(const struct tape_board *b);
uint32_t tape_board_levels(const struct tape_board *b);

/*
 * Ends the plug-in with a sentence (tape_ks_fail) where there is no such level;
 * function: the name of the function that the plug-in gave it to.
 */
void tape_board_check_level(struct tape_board *b, uint32_t level,
			    const char *function);

/* Room for so many entries and bytes of them, each rounded up to 8. */
struct tape_pack *tape_pack_new(struct tape_board *b, size_t entries,
				size_t bytes);

/* An entry of that type of tape_board_type: where its payload belongs. */
void *tape_pack_add(struct tape_pack *p, uint32_t level, unsigned type,
		    size_t bytes);

/* p goes to the board. Waits while there is too much to do. */
void tape_board_submit(struct tape_board *b, struct tape_pack *p);

/* Waits until no job of the level is left, and none runs. */
void tape_board_wait_idle(struct tape_board *b, uint32_t level);

/* So far: entries that came, of these freed, and jobs that were done. */
struct tape_board_counts {
	uint64_t entries, freed, jobs;
};
struct tape_board_counts tape_board_counts(struct tape_board *b);

#endif
