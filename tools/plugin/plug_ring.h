/*
 * What lies between the analysis and the process of a plug-in: memory that both
 * have, with rings of slots for each level, one for each process that feeds it.
 * A slot is handed over when it is full; it holds records one behind the other:
 * entries as tape_plugin.h has them. Texts of places are added by the plug-in's
 * process, by their numbers, which TEXT records define before; where names of
 * calls and of kinds of waits belong stand their numbers. Each process that
 * feeds numbers places by itself: the plug-in's gives those of a level, by what
 * they are.
 *
 * The plug-in can write whatever it likes here. The analysis keeps its own
 * counts, and takes from here only what cannot harm it: whether a slot is free,
 * which types are wanted, lines of text.
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
	uint32_t bytes; /* with this, a multiple of 8 */
	uint32_t kind;
};

struct plug_begin {
	uint32_t ranks;
	uint32_t feeders; /* so many processes feed this level */
	uint32_t own;	  /* ranks whose events this one feeds */
};

/* What a place is called, behind it; ends with 0. */
struct plug_text {
	uint64_t key; /* the same for one place in all that feed; not 0 */
	uint32_t number, pad;
};

/*
 * A record that is longer than a slot goes on in the next ones: all but the
 * last of them have more set.
 */
struct plug_slot {
	uint32_t bytes, more;
	char data[PLUG_SLOT_BYTES];
};

struct plug_ring {
	sem_t space;			/* slots that are free */
	sem_t begun;			/* the plug-in has seen the beginning */
	atomic_uint wants;		/* types, as bits */
	atomic_uint filled;		/* slots handed over so far */
	char status[PLUG_STATUS_BYTES]; /* text, not always whole */
	struct plug_slot slot[PLUG_SLOTS];
};

enum plug_state { PLUG_STARTS, PLUG_READY, PLUG_FAILED };

struct plug_shared {
	sem_t work;	      /* slots handed over, of all levels */
	sem_t ready;	      /* state has changed from PLUG_STARTS */
	atomic_uint state;    /* enum plug_state */
	atomic_uint progress; /* slots taken, and ends of levels */
	atomic_uint over;     /* nothing more comes, of any level */
	atomic_uint stopped;  /* by the analysis: nobody feeds it any more */
	char why[400];	      /* PLUG_FAILED: a sentence */
	uint32_t levels, workers;
	uint32_t feeders; /* of each level, at most */
	struct plug_ring
	    ring[]; /* of level 1, one for each of them, and so on */
};

/* The ring of a level, from 1, that one of its feeders fills, from 0. */
static inline uint32_t plug_ring_index(uint32_t feeders, uint32_t level,
				       uint32_t feeder)
{
	return (level - 1) * feeders + feeder;
}

#endif
