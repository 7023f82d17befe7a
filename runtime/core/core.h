/*
 * The state of the traced process, and of the flow of each of its threads: data
 * that all parts of the runtime use. The functions lie above, in layers:
 * message, define, output, rate_limit; counters, buffer; sites, flows; process.
 *
 * A thread's flow is reached through one thread-local pointer, tape_current:
 * it is NULL whenever calls are not to be recorded (before start, after stop,
 * while switched off, inside a traced call), so that a wrapper tests one thing
 * only. The flow's members in the first part are touched by every event.
 */
#ifndef TAPE_CORE_H
#define TAPE_CORE_H

#include <stdint.h>

#include "hash_bits.h"
#include "fortran_site.h"
#include "ticks.h"
#include "compiler.h"
#include "config.h"
#include "counting.h"
#include "file.h"
#include "record.h"
#include "site.h"
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
	TAPE_EXTRA_COUNTERS = 2  /* counters are read at both ends */
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

	/* rarely touched: owned by window.c */
	unsigned char *chunk;  /* header of the open chunk */
	unsigned char *filed, *filed_p; /* that in the file, and p there, while
					 * the calibration has another one */
	unsigned char *window; /* NULL: no file is mapped */
	uint64_t window_at;    /* its offset in the flow */
	struct tape_piece piece; /* in the file, where it is shared */
	struct tape_file file;
	uint64_t window_bytes; /* of the window that is mapped */
	uint64_t sent;	       /* of the open chunk: owned by sink.c */
	unsigned char *paced;  /* where p was when it last came by, and when */
	uint64_t paced_ns, handed_ns;
	int marking; /* a mark is in progress, which is no call */
	int rank, thread;
	uint32_t sequence;
	int moving;            /* a chunk is being changed */
	struct tape_gap
	    *gap; /* events are dropped; owned by dropped_events.c */
	struct tape_gaps *gaps; /* requests of gaps; owned by gap_requests.c */
	uint64_t dropped;	/* events of gaps that are over */
	enum tape_end end;
	unsigned char *broken; /* where p was when the file had no page */
	uint64_t broken_events; /* and how many there were */
	unsigned char *fresh;  /* a window that is being mapped */
	uint64_t fresh_bytes;
	uint64_t lost;         /* calls not recorded after the end */
	uint64_t events;
	unsigned char *end_record; /* where the lost count stands */
	uint32_t depth;        /* of regions */
	struct tape_open open[TAPE_REGION_DEPTH];
	struct tape_region region_cache[TAPE_REGION_CACHE];
	uint32_t switched_off; /* by tape_off or a Pcontrol level */
	uint32_t silent;       /* by the setting regions, where it is now */
	uint32_t *regions;     /* by id: as count in tape_site_state */
	uint64_t chunk_events; /* events when the open chunk began */
	/* of the events that the rate was last judged by */
	uint64_t rate_begin, rate_end, rate_events;
	uint64_t rate_seen;    /* events of the flow that were judged, */
	uint64_t rate_spent;   /* and that were taken from the bucket */
	unsigned char *rate_from, *rate_look; /* judged to here; again there */
	uint64_t due, due_rate; /* to be counted from the next event on */
	uint32_t counted;      /* call sites and regions only counted */
	struct tape_tally_state tally[TAPE_TALLIES_MAX];
	uint64_t sampled_ns;   /* owned by processor.c */
	void *scratch;         /* owned by the wait wrappers */
	uint64_t scratch_bytes;
	struct tape_counting counting;
	struct tape_blocks blocks;
	void *room;            /* owned by the Fortran wrappers */
	uint64_t room_bytes;
	void *queue;           /* owned by mpi/request.c */

	/* its thread; when that has ended another one goes on with the flow */
	struct tape_flow **current; /* its tape_current; NULL: no thread */
	char *stack;           /* owned by own_stack.c */
	uint32_t farewells;    /* times that the thread's end was put off */
	uint32_t jumped;       /* control left something inside of a call */
	uint32_t nested;       /* calls found inside of others */
	/* the first bytes, when the process was about to be copied */
	unsigned char kept[TAPE_FLOW_KEPT];
	struct tape_flow *next;
};

/* Longest name of a trace directory, with its end. */
#define TAPE_DIR_BYTES 4096

enum tape_state { TAPE_IDLE, TAPE_RUNNING, TAPE_STOPPED };

/* The one process-wide state. */
struct tape_process {
	enum tape_state state;
	struct tape_config config;
	struct tape_counters counters;
	char dir[TAPE_DIR_BYTES]; /* the trace directory */
	int rank, size;
	long pid;              /* of the process that opened the files */
	struct tape_file defines; /* rank.R */
	uint64_t defines_bytes;
	struct tape_piece defines_piece;   /* if shared: the open one */
	uint64_t defines_at, defines_room; /* where it begins, its bytes */
	int shared; /* 1 + number of the file that the ranks of the
		     * host share, or 0; shared_file.h */
	/* where definitions are copied to, or NULL; define.h */
	char *define_copy;
	uint64_t define_room;
	uint64_t clocks_bytes; /* of the file clocks */
	int define_error;      /* errno of the last one that failed */
	struct tape_flow *flows; /* never freed, newest first */
	int threads;           /* flows created */
	uint64_t chunks;       /* begun, of all flows */
	int many_threads;      /* several threads may be in calls at once */
	uint32_t sites, regions;
	/* words of the settings' lists that matched something, as bits */
	uint64_t region_hits, mark_hits, file_hits;
	int said;              /* something, on standard error */
	int pvm_was_called;    /* by the program, even without success */
	int rerouted;          /* there are call sites of tapepp's */
	uint32_t unloads;      /* of libraries: addresses may mean others */
	double rate_left;      /* events that may be recorded, */
	uint64_t rate_ns;      /* at that time; 0: not yet known */
	int lock;
	int cancelling;        /* state of the thread that holds the lock */
	int defining;          /* a thread writes a line into rank.R */
	uint64_t first_tick;   /* where the first flow begins */
	int blocks;            /* of events are skipped; blocks.h */
	const struct tape_sink *sink; /* gets the trace, too; sink.h */
	int starting;	       /* calls the library by itself */
	/* It ends inside of a call, as MPICH ends all processes of a
	 * communicator: the library must not be called. */
	int ends_inside;
	int brief;             /* it may be over soon: its windows grow */
	int unread;	       /* no analyser consumes the stream any more */
	int read_once;	     /* an analyser has consumed it before */
	uint64_t unread_ns;  /* since when the first one is missed, or 0 */
	int gapped;	     /* events were dropped for it; dropped_events.h */
	/* while it is calibrated once more, at the end: classes that there are
	 * events of (bits), and until when, CLOCK_MONOTONIC_RAW, ns; or 0 */
	uint64_t again, again_until;
	/* in a forked child: the flow of the thread that forked, and calls made
	 * since; child.h */
	struct tape_flow *inherited_flow;
	uint64_t inherited_calls;
	size_t page_bytes; /* of the system; 0: tape_page_bytes reads it */
};

extern struct tape_process tape_process
	__attribute__((visibility("hidden")));
extern __thread struct tape_flow *tape_current
	__attribute__((visibility("hidden"), tls_model("initial-exec")));
/* This thread's flow, whether recording or not. */
extern __thread struct tape_flow *tape_own
	__attribute__((visibility("hidden"), tls_model("initial-exec")));
/* The flow that is getting a window, if this thread gives it one. */
extern __thread struct tape_flow *tape_mapping
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/*
 * No record of an event may begin beyond: what belongs to one event fits into
 * the open chunk, its alpha and its counts too. Tallies stand at its end, and
 * the end of the flow takes a record for each.
 */
static inline unsigned char *tape_chunk_limit(const struct tape_flow *f)
{
	uint32_t records = 2;

	if (tape_process.config.n_counters)
		records += TAPE_COUNTS_RECORDS;
	return f->chunk + TAPE_CHUNK_BYTES - records * TAPE_RECORD_MAX -
	       2 * TAPE_TALLY_BYTES * f->tallies;
}

/* The call of each site that was defined. */
extern uint16_t tape_site_calls[TAPE_SITES_MAX]
	__attribute__((visibility("hidden")));
static inline unsigned tape_site_call(uint64_t site)
{
	return tape_site_calls[site];
}

/*
 * Bytes of a page of memory of this machine, a power of two. The system says
 * so once, when the recording starts or before.
 */
size_t tape_page_bytes(void);

/* Returns 1 in a copy of the traced process, which stores nothing. */
int tape_is_copy(void);

#endif
