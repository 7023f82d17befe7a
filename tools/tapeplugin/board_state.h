/*
 * The internals of a blackboard, for the files of this folder. All fields are
 * protected by its lock.
 */
#ifndef BOARD_BOARD_STATE_H
#define BOARD_BOARD_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "board.h"
#include "table.h"

enum { BOARD_SENSITIVITIES = 16, BOARD_RUN = 256 };

/* An entry. Its pack is freed with the last reference to one of its entries. */
struct item {
	struct tape_entry e; /* first: passed to operations */
	struct tape_pack *pack;
};

struct tape_pack {
	atomic_long refs;
	struct tape_board *b;
	size_t n, room, used, bytes;
	char *data;
	struct item item[];
};

/* A ring of entries that wait for their operation. */
struct fifo {
	struct item **at;
	size_t head, n, room;
};

struct tape_ks {
	struct tape_board *b;
	uint32_t level;
	unsigned how;
	/* number of sensitivities; number of queues: 1 with ANY */
	unsigned n, fifos;
	tape_ks_operation *run;
	void *own;
	atomic_int removed;
	int listed;	      /* in the list of sources that can start */
	unsigned running;     /* workers that run it */
	struct tape_ks *next; /* in that list */
	struct tape_ks *before, *after; /* in the list of all sources */
	uint32_t type[BOARD_SENSITIVITIES];
	struct fifo fifo[BOARD_SENSITIVITIES];
};

struct board_want {
	struct tape_ks *ks;
	unsigned which; /* index of its sensitivity */
};

struct board_type {
	uint32_t level;
	char *name;
	struct board_want *want;
	size_t wants, want_room;
};

struct worker {
	struct tape_board *b;
	pthread_t thread;
	/* packs submitted by this worker that are not on the board yet */
	struct tape_pack **out;
	size_t n_out, out_room;
	uint32_t last_type, last_level; /* of its last submission */
	const struct tape_entry *entry[BOARD_RUN * BOARD_SENSITIVITIES];
};

struct tape_board {
	pthread_mutex_t lock;
	pthread_cond_t jobs;	      /* there are jobs, or the board ends */
	pthread_cond_t room;	      /* the number of jobs has decreased */
	pthread_cond_t quiet;	      /* a level is idle */
	struct tape_ks *first, *last; /* sources that can start */
	struct tape_ks *all;
	size_t queued; /* jobs that can start */
	int over;
	uint32_t levels;
	/* by level: sources that can start, and runs in progress */
	size_t *busy;
	struct board_type *type; /* by number */
	uint32_t types;
	size_t types_room;
	struct tape_table by_name;
	void (*wants)(void *self, uint32_t level, uint32_t types);
	void *wants_self, *own;
	struct worker *worker;
	unsigned workers;
	uint64_t entries, jobs_done;
	_Atomic uint64_t freed;
};

/* types.c. The number of a predefined type. */
static inline uint32_t board_known_type(uint32_t level, unsigned type)
{
	return level * (TAPE_BOARD_TYPES - 1) + type;
}

/* Finds or creates a type. Returns 0 if there is no such level. */
uint32_t board_find_type(struct tape_board *b, uint32_t level,
			 const char *name);
void board_types_init(struct tape_board *b);
void board_types_free(struct tape_board *b);

/* Subscribes ks to the entries of its types, or ends that. */
void board_subscribe(struct tape_ks *ks);
void board_unsubscribe(struct tape_ks *ks);

/* packs.c. Drops n references. Frees the pack with the last one. */
void pack_release(struct tape_pack *p, long n);

/* Creates a pack with one entry of any type; copies data. */
struct tape_pack *pack_new_entry(struct tape_board *b, uint32_t level,
				 uint32_t type, const void *data, size_t size);

#endif
