/*
 * The state of the traced process. Each group of fields names the file that
 * owns the fields.
 */
#ifndef TAPE_PROCESS_STATE_H
#define TAPE_PROCESS_STATE_H

#include <stdint.h>

#include "config.h"
#include "counting.h"
#include "file.h"
#include "flow_state.h"

/* Longest name of a trace directory, with its end. */
#define TAPE_DIR_BYTES 4096

enum tape_state { TAPE_IDLE, TAPE_RUNNING, TAPE_STOPPED };

/* The one process-wide state. */
struct tape_process {
	/* set once, when the recording starts (process/process.c, and the
	 * start of MPI, of PVM or of simulated time) */
	struct tape_config config;
	char dir[TAPE_DIR_BYTES]; /* the trace directory */
	int rank, size;
	long pid;              /* of the process that opened the files */
	int shared; /* 1 + number of the file that the ranks of the
		     * host share, or 0; shared_file.h */
	int many_threads;      /* several threads may be in calls at once */
	int starting;	       /* calls the library by itself */
	int brief;             /* it may be over soon: its windows grow */
	int pvm_was_called;    /* by the program, even without success */
	uint64_t first_tick;   /* where the first flow begins */
	uint64_t clocks_bytes; /* of the file clocks (mpi/sample.c) */
	size_t page_bytes; /* of the system; 0: tape_page_bytes reads it */

	/* process/process.c */
	enum tape_state state; /* also stopped by whoever meets an error */
	/* It ends inside of a call, as MPICH ends all processes of a
	 * communicator: the library must not be called. */
	int ends_inside;
	int blocks;            /* of events are skipped; blocks.h */

	/* core/message.c */
	int said;              /* something, on standard error */
	int lock;
	int cancelling;        /* state of the thread that holds the lock */

	/* transport: gets the trace, too; sink.h */
	const struct tape_sink *sink;

	/* records/define.c: the file of definitions, rank.R */
	struct tape_file defines;
	uint64_t defines_bytes;
	struct tape_piece defines_piece;   /* if shared: the open one */
	uint64_t defines_at, defines_room; /* where it begins, its bytes */
	/* where definitions are copied to, or NULL; define.h */
	char *define_copy;
	uint64_t define_room;
	int define_error;      /* errno of the last one that failed */
	int defining;          /* a thread writes a line into rank.R */

	/* records/counters.c */
	struct tape_counters counters;

	/* events/flows.c */
	struct tape_flow *flows; /* never freed, newest first */
	int threads;           /* flows created */

	/* events/call_sites.c, events/region.c */
	uint32_t sites, regions;
	/* words of the settings' lists that matched something, as bits */
	uint64_t region_hits, mark_hits, file_hits;
	int rerouted;          /* there are call sites of tapepp's */
	uint32_t unloads;      /* of libraries: addresses may mean others
				* (process/dlclose.c) */

	/* limits/rate_limit.c */
	double rate_left;      /* events that may be recorded, */
	uint64_t rate_ns;      /* at that time; 0: not yet known */

	/* limits/window.c */
	uint64_t chunks;       /* begun, of all flows */

	/* limits/back_pressure.c */
	int unread;	       /* no analyser consumes the stream any more */
	int read_once;	     /* an analyser has consumed it before */
	uint64_t unread_ns;  /* since when the first one is missed, or 0 */

	/* limits/dropped_events.c */
	int gapped;	     /* events were dropped for it */

	/* events/cost.c: while it is calibrated once more, at the end: classes
	 * that there are events of (bits), and until when,
	 * CLOCK_MONOTONIC_RAW, ns; or 0 */
	uint64_t again, again_until;

	/* events/child.c: in a forked child: the flow of the thread that
	 * forked, and calls made since */
	struct tape_flow *inherited_flow;
	uint64_t inherited_calls;
};

#endif
