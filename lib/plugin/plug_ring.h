/*
 * The shared memory between the analysis and the process of a plug-in: rings of
 * slots for each level, one ring for each process that feeds the level. A slot
 * is passed on when it is full. It holds consecutive records: entries as in
 * tape_plugin.h. Pointers to names of calls and of wait kinds are replaced by
 * numbers. Texts of places are added by the plug-in's process, by numbers that
 * TEXT records define before. Each feeder numbers places itself; the plug-in's
 * process numbers those of a level by their keys.
 *
 * The plug-in can write anything here. The analysis has its own counts, and
 * reads only what cannot harm it: whether a slot is free, the subscribed types,
 * lines of text.
 */
#ifndef PLUGIN_PLUG_RING_H
#define PLUGIN_PLUG_RING_H

#include <semaphore.h>
#include <stdatomic.h>

#include "tape_plugin.h"

enum {
	PLUG_SLOTS = 16,
	PLUG_SLOT_BYTES = 64 * 1024,
	PLUG_LEVELS_MAX = 64,
	PLUG_STATUS_BYTES = 200,
	PLUG_WORKERS_MAX = 256
};

enum plug_kind {
	/* entries: numbers of enum tape_board_type (board.h), 1 to 8 */
	PLUG_BEGIN = 16, /* struct plug_begin, and the name */
	PLUG_TEXT	 /* struct plug_text, and the text */
};

struct plug_record {
	uint32_t bytes; /* including this struct; a multiple of 8 */
	uint32_t kind;
};

struct plug_begin {
	uint32_t ranks;
	uint32_t feeders; /* number of processes that feed this level */
	uint32_t own;	  /* number of ranks whose events this process feeds */
};

/* The text of a place follows it, with a NUL. */
struct plug_text {
	uint64_t key; /* the same for one place in all feeders; not 0 */
	uint32_t number, pad;
};

/*
 * A record that is longer than a slot continues in the next slots. All but the
 * last of them have more set.
 */
struct plug_slot {
	uint32_t bytes, more;
	char data[PLUG_SLOT_BYTES];
};

struct plug_ring {
	sem_t space;	    /* free slots */
	sem_t begun;	    /* the plug-in has processed PLUG_BEGIN */
	atomic_uint wants;  /* subscribed types, as bits */
	atomic_uint filled; /* slots passed on so far */
	/* text; a reader can see it partly written */
	char status[PLUG_STATUS_BYTES];
	struct plug_slot slot[PLUG_SLOTS];
};

enum plug_state { PLUG_STARTS, PLUG_READY, PLUG_FAILED };

struct plug_shared {
	sem_t work;	      /* slots passed on, of all levels */
	sem_t ready;	      /* state has changed from PLUG_STARTS */
	atomic_uint state;    /* enum plug_state */
	atomic_uint progress; /* counts slots read, and levels ended */
	atomic_uint over;     /* no more input of any level */
	/* stopped by the analysis: it gets no more input */
	atomic_uint stopped;
	char why[400]; /* PLUG_FAILED: error message */
	uint32_t levels, workers;
	uint32_t feeders;	 /* maximum number for a level */
	struct plug_ring ring[]; /* by plug_ring_index */
};

/* Index of the ring of a level (from 1) and a feeder (from 0). */
static inline uint32_t plug_ring_index(uint32_t feeders, uint32_t level,
				       uint32_t feeder)
{
	return (level - 1) * feeders + feeder;
}

#endif
