/*
 * The state of a flow, the record of one thread. Each group of fields names the
 * file that owns the fields. Every event uses the fields of the first part.
 */
#ifndef TAPE_FLOW_STATE_H
#define TAPE_FLOW_STATE_H

#include <stdint.h>

#include "counting.h"
#include "file.h"
#include "hash_bits.h"
#include "record.h"
#include "tape_ids.h"

/* Call sites a process can have; one more stops the tracing. */
#define TAPE_SITES_MAX 262144u
#define TAPE_SITE_CACHE 256u

/* Threads that a process can have at once; one more is not traced. */
#define TAPE_THREADS_MAX 65536

/* Regions: those remembered by the address of their name, and nested. */
#define TAPE_REGION_CACHE_BITS 10
#define TAPE_REGION_CACHE (1u << TAPE_REGION_CACHE_BITS)
#define TAPE_REGION_DEPTH 256u
#define TAPE_REGIONS_MAX 65535u

/* A region as tape_enter remembers it. */
struct tape_region {
	const char *name; /* as passed; it may since hold another text */
	uint32_t id;
	unsigned char inside, marked; /* of the settings: enum tape_verdict */
	/* name, where its events can be skipped: nobody can write another
	 * text there */
	const char *skips;
	char copy[38];
};

/*
 * The slot of a flow's cache that the name at that address belongs into, or the
 * one next to it (Knuth 1973, multiplicative hashing).
 */
static inline uint32_t tape_region_slot(const char *name)
{
	return (uint32_t)(tape_spread_bits((uintptr_t)name) >>
			  (64 - TAPE_REGION_CACHE_BITS));
}

/* A region that the thread is in. */
struct tape_open {
	uint32_t id;
	unsigned char marked;     /* its enter was recorded */
	unsigned char was_silent; /* as f->silent before it */
};

/*
 * A call site or region that is no longer recorded has this bit, and the
 * number of its tally.
 */
#define TAPE_ONLY_COUNTED 0x80000000u

/* What the limit of the rate knows of a tally: owned by rate_limit.c. */
struct tape_tally_state {
	uint64_t next;	    /* tick from which on its rate is looked at again */
	uint64_t ns, calls; /* when that was last, its calls then */
};

/* That number, with the site's, while a block of events is skipped. */
#define TAPE_SKIPPED 0x40000000u

/* A region's name is a constant: its marks may be skipped. */
#define TAPE_NAME_CONSTANT 0x20000000u

/* Events of a block at most, and call sites that it may skip. */
#define TAPE_BLOCK_EVENTS 64u
#define TAPE_BLOCK_STEPS 256u /* 3 for each event, and a power of 2 */
#define TAPE_BLOCK_SITES 8u

/* Blocks of events, kept and skipped: owned by blocks.c. */
struct tape_blocks {
	enum {
		TAPE_BLOCKS_IDLE,    /* until the flow comes to due */
		TAPE_BLOCKS_LOOKING, /* at what is recorded up to due */
		TAPE_BLOCKS_WAITING, /* for an event to begin at */
		TAPE_BLOCKS_KEPT,
		TAPE_BLOCKS_SKIPPED
	} phase;
	unsigned char *due, *from; /* in the open chunk */
	const unsigned char *chunk;
	uint64_t began, events;    /* tick; events of the flow then */
	uint64_t looked_ns;        /* when looking began */
	uint64_t group, random;
	enum tape_block_kind kind;
	uint32_t left;             /* kinds that its group still lacks, bits */
	uint32_t n, bytes;         /* events looked at; of one, 16 times that */
	uint32_t size;             /* events that a block shall have */
	uint32_t last_kept;        /* events of the last kept block, or 0 */
	uint32_t unloads;          /* of libraries, when names were known */
	uint32_t tries, waits;     /* more, of a block; to find its begin */
	int32_t depth;             /* of regions, to begin at */
	int32_t step;              /* change of depth by the marker in
				    * progress */
	uint32_t sites[TAPE_BLOCK_SITES], n_sites;
	uint32_t skipped[TAPE_BLOCK_STEPS], skipping;
};

/*
 * Position of the current extent in the file that the ranks of a host share:
 * owned by shared_file.c.
 */
struct tape_piece {
	uint64_t place; /* offset in the file */
	uint32_t entry; /* of its index */
};

/* What a flow remembers of a call site. */
struct tape_site_state {
	union tape_fields last;
	int seen;
	uint32_t count; /* of a chunk while it is looked at; or as above */
};

/* A communicator that the flow has used: its number, rank here, sizes. */
struct tape_comm_cache {
	uintptr_t handle;
	uint32_t index;
	int32_t rank;  /* in the local group */
	int32_t size;  /* of the group that peers are numbered in */
	int32_t local; /* size of the local group */
	int32_t in, out; /* neighbours in its topology */
	uint32_t inter;
	uint32_t handlers; /* of errors: mpi/arrival_probe.h; 0: not known */
};
#define TAPE_COMM_CACHE 8u

/* What an event needs beyond its record: asked for together, not one by one. */
enum tape_extra {
	TAPE_EXTRA_MEASURED = 1, /* its alpha is measured */
	TAPE_EXTRA_COUNTERS = 2, /* counters are read at both ends */
	TAPE_EXTRA_NOISE = 4	 /* a delay may follow */
};

/*
 * The first TAPE_FLOW_KEPT bytes are all zeros in a copy of the process that
 * nobody announced (_Fork, clone), where the rest is as it was and the chunks
 * are not mapped. So p is at the limit there, and what is asked first of a
 * flow, alive or plain, says that something is to be done
 * (tape_flow_is_forked_copy). These bytes are the end of a page (flows.c).
 */
#define TAPE_FLOW_KEPT 4096
struct tape_flow {
	unsigned char *p;      /* where the next record goes */
	unsigned char *limit;  /* none may begin there or beyond; NULL while a
				* run of calls or a tally waits */
	uint64_t last;         /* end of the previous event */
	uint64_t mark_due;     /* tick from which on a call may need a mark of
				* the processor (events/processor_marks.h) */
	uint64_t requests;     /* created so far */
	uint64_t extra_before, extra_after; /* alpha of the event in progress */
	uint32_t records;      /* in this chunk */
	uint32_t extras;       /* of each event: bits of tape_extra */
	uint64_t measured_before; /* of this event, where it is measured */
	uint64_t noted_after;  /* of this event, when it is */
	double noted_sum;      /* of all events, for the calibration */
	uint32_t arrived;      /* ask before blocking receives */
	uint32_t timed;        /* 1 + the tally that has counted the call which
				* is about to be made; 0: none */
	uint32_t timing;       /* the same of the call in progress, */
	uint64_t timing_start; /* which began at this tick */
	uint64_t asked;        /* ticks that asking took, this event */
	uint64_t reading;      /* and reading counters before the call; or 0 */
	uint32_t tallies;      /* places for what is only counted */
	uint32_t alive;        /* 1 */
	uint32_t plain;        /* 1: no tallies, no call site is skipped */
	uint32_t skip_left;    /* events of a block that is being skipped */
	uint32_t skip_more;    /* each is skipped several times */
	struct tape_site_state *sites;
	struct tape_comm_cache comms[TAPE_COMM_CACHE];
	struct tape_flow *self; /* this, or NULL while not recording */
	const void *frame;	/* of the wrapper in progress, or of the last */

	/* pending run of failed tests, or where poll_way is the shape of calls
	 * that pack, of these; mirrored in the chunk's header */
	uint64_t poll_count, poll_start, poll_end, poll_inside, also_count;
	uint64_t poll_before, poll_after;
	union tape_fields poll_fields;
	uint32_t poll_site, poll_class, poll_way;
	union tape_fields also_fields; /* of its second call site */
	uint32_t also_site, also_class;

	/* of a site that is only counted: its call with that bit, its tally */
	struct {
		uintptr_t address;
		uint32_t call, site;
	} cache[TAPE_SITE_CACHE];

	uint32_t python_ticks; /* to find a caller in Python (call_sites.c) */

	/* limits/window.c: the chunk, the window of the file that it is in */
	unsigned char *chunk;  /* header of the open chunk */
	unsigned char *window; /* NULL: no file is mapped */
	uint64_t window_at;    /* its offset in the flow */
	uint64_t window_bytes; /* of the window that is mapped */
	unsigned char *fresh;  /* a window that is being mapped */
	uint64_t fresh_bytes;
	struct tape_piece piece; /* in the file, where it is shared */
	struct tape_file file;
	uint32_t sequence;
	uint64_t chunk_events; /* events when the open chunk began */
	unsigned char *broken; /* where p was when the file had no page */
	uint64_t broken_events; /* and how many there were (sigbus.c) */

	/* events/cost.c: chunk and p in the file, while the calibration has
	 * another chunk */
	unsigned char *filed, *filed_p;

	/* transport/sink.c */
	uint64_t sent;	       /* bytes of the open chunk */
	unsigned char *paced;  /* where p was when it last came by, and when */
	uint64_t paced_ns, handed_ns;

	/* events/flows.c: whose the flow is */
	int rank, thread;
	uint32_t switched_off; /* by tape_off or a Pcontrol level */
	struct tape_flow **current; /* its tape_current; NULL: no thread; when
				     * that has ended another one goes on */
	uint32_t farewells;    /* times that the thread's end was put off */
	struct tape_flow *next;
	/* the first bytes, when the process was about to be copied */
	unsigned char kept[TAPE_FLOW_KEPT];

	/* events/buffer.c */
	int marking; /* a mark is in progress, which is no call */
	int moving;            /* a chunk is being changed */
	enum tape_end end;
	uint64_t lost;         /* calls not recorded after the end */
	uint64_t events;
	unsigned char *end_record; /* where the lost count stands */

	/* events/region.c */
	uint32_t depth;
	struct tape_open open[TAPE_REGION_DEPTH];
	struct tape_region region_cache[TAPE_REGION_CACHE];
	uint32_t silent;       /* by the setting regions, where it is now */
	uint32_t *regions;     /* by id: as count in tape_site_state */

	/* limits/dropped_events.c, limits/dropped_requests.c */
	struct tape_gap *gap;  /* events are dropped */
	struct tape_gaps *gaps; /* requests of gaps */
	uint64_t dropped;      /* events of gaps that are over */

	/* limits/rate_limit.c: the events that the rate was last judged by */
	uint64_t rate_begin, rate_end, rate_events;
	uint64_t rate_seen;    /* events of the flow that were judged, */
	uint64_t rate_spent;   /* and that were taken from the bucket */
	unsigned char *rate_from, *rate_look; /* judged to here; again there */
	uint64_t due, due_rate; /* to be counted from the next event on */
	uint32_t counted;      /* call sites and regions only counted */
	struct tape_tally_state tally[TAPE_TALLIES_MAX];

	/* of one file each */
	uint64_t defined_ns;   /* records/processor.c */
	/* events/processor_marks.c: the last mark (0: none), or where looking
	 * for the rate of the clock began; ticks of a long time, 0: unknown */
	uint64_t marked_tick, marked_ns, long_ticks;
	struct tape_counting counting; /* records/counters.c */
	struct tape_blocks blocks; /* events/blocks.c */
	char *stack;           /* core/own_stack.c */
	uint32_t jumped;       /* process/longjmp_hooks.c: control left
				* something inside of a call */
	uint32_t nested;       /* core/nonlocal_exit.c: calls found inside of
				* others */
	void *scratch;         /* mpi/completion.c */
	uint64_t scratch_bytes;
	void *room;            /* mpi/fortran.c */
	uint64_t room_bytes;
	void *queue;           /* mpi/queue.c */
	uint64_t noise_calls;  /* events/noise.c: that may be delayed, so far */
};

#endif
