/* What a blackboard consists of, for its own files; all under its lock. */
#ifndef BOARD_BOARD_STATE_H
#define BOARD_BOARD_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "board.h"
#include "table.h"

enum { BOARD_SENSITIVITIES = 16, BOARD_RUN = 256 };

/* An entry; its pack is freed with the last reference to any of it. */
struct item {
	struct tape_entry e; /* first: operations get that */
	struct tape_pack *pack;
};

struct tape_pack {
	atomic_long refs;
	struct tape_board *b;
	size_t n, room, used, bytes;
	char *data;
	struct item item[];
};

/* What waits for its operation: a ring. */
struct fifo {
	struct item **at;
	size_t head, n, room;
};

struct tape_ks {
	struct tape_board *b;
	uint32_t level;
	unsigned how;
	unsigned n, fifos; /* sensitivities; queues: 1 with ANY */
	tape_ks_operation *run;
	void *own;
	atomic_int removed;
	int listed;			/* among those that can start */
	unsigned running;		/* workers in it */
	struct tape_ks *next;		/* of these */
	struct tape_ks *before, *after; /* of all */
	uint32_t type[BOARD_SENSITIVITIES];
	struct fifo fifo[BOARD_SENSITIVITIES];
};

struct board_want {
	struct tape_ks *ks;
	unsigned which; /* of its sensitivities */
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
	struct tape_pack **out; /* submitted, and not yet on the board */
	size_t n_out, out_room;
	uint32_t last_type, last_level; /* of what it submitted last */
	const struct tape_entry *entry[BOARD_RUN * BOARD_SENSITIVITIES];
};

struct tape_board {
	pthread_mutex_t lock;
	pthread_cond_t jobs;	      /* there are some, or it is over */
	pthread_cond_t room;	      /* there are fewer */
	pthread_cond_t quiet;	      /* a level has come to rest */
	struct tape_ks *first, *last; /* that can start */
	struct tape_ks *all;
	size_t queued; /* jobs that can start */
	int over;
	uint32_t levels;
	size_t *busy;		 /* by level: KSs listed, and runs of them */
	struct board_type *type; /* by number */
	uint32_t types, types_room;
	struct tape_table by_name;
	void (*wants)(void *self, uint32_t level, uint32_t types);
	void *wants_self, *own;
	struct worker *worker;
	unsigned workers;
	uint64_t entries, jobs_done;
	_Atomic uint64_t freed;
};

/* types.c. The number of a type that everybody knows. */
static inline uint32_t board_known_type(uint32_t level, unsigned type)
{
	return level * (TAPE_BOARD_TYPES - 1) + type;
}

/* Made on first sight; 0: no such level. */
uint32_t board_find_type(struct tape_board *b, uint32_t level,
			 const char *name);
void board_types_init(struct tape_board *b);
void board_types_free(struct tape_board *b);

/* ks, whose types are set, gets their entries, or no longer. */
void board_subscribe(struct tape_ks *ks);
void board_unsubscribe(struct tape_ks *ks);

/* packs.c. n references are given back. */
void pack_release(struct tape_pack *p, long n);

/* An entry of any type, copied. */
struct tape_pack *pack_new_entry(struct tape_board *b, uint32_t level,
				 uint32_t type, const void *data, size_t size);

#endif
