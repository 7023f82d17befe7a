/*
 * User-defined analyses as plug-ins of tapestat and tapelive: shared libraries
 * that read from a blackboard (Besnard, Perache, Jalby: Event Streaming for
 * Online Performance Measurements Reduction, 2013, sections II.B and III.B).
 *
 * The events of a program are submitted to the blackboard as data entries. Each
 * entry has a type. A knowledge source (KS) is a set of types, its
 * sensitivities, and an operation. When an entry of each type is available, the
 * entries become a job, and a worker thread runs the operation with them. An
 * operation may submit entries of types that the plug-in defines, and may add
 * and remove knowledge sources. Each program has its own level, so identical
 * types and knowledge sources of two programs do not interfere.
 *
 *	#include <tape_plugin.h>
 *
 *	static double late;
 *
 *	static void waited(struct tape_ks *ks,
 *			   const struct tape_entry *const *e, void *own)
 *	{
 *		late += (double)e[0]->wait->ns;
 *	}
 *
 *	static int level(struct tape_board *b, const struct tape_level *l)
 *	{
 *		return !tape_ks_add(b, l->number, 0, waited, NULL, "wait",
 *				    NULL);
 *	}
 *
 *	static void over(struct tape_board *b)
 *	{
 *		tape_ks_say(b, 0, "%.3f s were waited", late / 1e9);
 *	}
 *
 *	const struct tape_plugin tape_plugin = {
 *		TAPE_PLUGIN_VERSION, NULL, level, over
 *	};
 *
 *	cc -shared -fPIC -o late.so late.c $(pkg-config --cflags tape-plugin)
 *	tapestat --plugin late.so app.tape
 *
 * A plug-in runs in its own process, so a crash of the plug-in does not affect
 * the analysis. Its standard output is redirected to standard error. Its
 *results are written to the report (tape_ks_say).
 *
 * Order. Entries of a level are delivered in replay order: by time, and in
 * program order within a thread. Entries derived from an event follow that
 * event. If several processes analyse one program, each process keeps this
 *order for its own entries; entries of different processes are not ordered. A
 * knowledge source receives one entry at a time unless it has the flag
 * TAPE_KS_PARALLEL. Two knowledge sources are not ordered with respect to each
 * other and may run concurrently. The exception is "end": it is submitted when
 * all jobs of the level are complete and no entry of the level is pending.
 *
 * Entries are read-only and counted by reference. An entry is freed when all
 * operations that use it have returned and each tape_entry_keep has been
 * matched by a tape_entry_drop. Texts that entries point to stay valid until
 *the plug-in ends.
 *
 * Times are in ns, in the time base of the trace. Ranks are those in
 * MPI_COMM_WORLD, or PVM tasks in order; -1: no rank, or unknown.
 */
#ifndef TAPE_PLUGIN_H
#define TAPE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Version of this interface. A plug-in built for another version is rejected.
 */
#define TAPE_PLUGIN_VERSION 1

struct tape_board; /* the blackboard */
struct tape_ks;	   /* a knowledge source */

/* ---- what entries hold ---- */

/*
 * "event": a call has ended. Failed tests in a row, or packing calls (PVM), are
 * merged into one event with calls > 1. A PVM call during which message
 * handlers ran may be two events. Numbers of sites and regions are those of the
 * level: a call site or region has the same number on all ranks, small enough
 * to index an array.
 */
struct tape_ks_event {
	int32_t rank, thread;
	uint32_t site, region;	 /* region: the innermost; 0: no region */
	const char *call;	 /* "MPI_Recv" */
	const char *site_text;	 /* "MPI_Recv late.c:8" */
	const char *region_text; /* "": no region */
	int64_t start_ns, end_ns, inside_ns; /* inside_ns: sum over its calls */
	uint64_t calls;
	/* recorded for this call: sent, and received by completed receives */
	uint64_t bytes;
	uint64_t comm; /* the communicator; 0: none */
	int32_t peer;  /* the rank at the other side, or the root */
	int32_t tag;
};

enum tape_ks_message_state {
	TAPE_KS_MATCHED,
	TAPE_KS_UNRECEIVED, /* the receive is not in the trace */
	TAPE_KS_UNSENT	    /* the send is not in the trace */
};

/*
 * "message": submitted when both sides are known or the trace has ended. The
 * sites and regions of a missing side are 0.
 */
struct tape_ks_message {
	int32_t from, to;
	int32_t tag;
	int32_t state; /* enum tape_ks_message_state */
	uint64_t comm;
	uint64_t bytes, received; /* as sent, as received */
	/* start of the send and of the receive, end of the receive, start of
	 * the wait in the call that completed the receive */
	int64_t sent_ns, posted_ns, ended_ns, awaited_ns;
	/* the calls that sent the message and completed the receive, and the
	 * regions of these calls */
	uint32_t send_site, recv_site, send_region, recv_region;
	const char *send_text, *recv_text;
	const char *send_region_text, *recv_region_text;
};

/* A member of a collective; ended_ns 0: the member did not leave. */
struct tape_ks_member {
	int32_t rank, thread;
	int64_t begun_ns, awaited_ns, ended_ns;
	uint64_t sent, received; /* bytes */
};

/* "round": all members have left a collective, or the trace has ended. */
struct tape_ks_round {
	const char *call;
	uint64_t comm, k; /* the k-th of that communicator */
	int32_t root;	  /* index among the members; -1: no root */
	int32_t size;	  /* members */
	int32_t entered, left;
	const struct tape_ks_member
	    *member; /* size elements, by rank in comm */
};

/* "wait": a call waited for another rank; kinds as in tapestat(1). */
struct tape_ks_wait {
	const char *kind; /* "late sender" */
	int32_t rank, thread;
	int32_t late_rank, late_thread;
	uint32_t site, late_site; /* the waiting call; the late call */
	const char *site_text, *late_text;
	int64_t from_ns, ns;
	/* the part of ns during which a message sent earlier was received
	 * later */
	int64_t wrong_order_ns;
};

/*
 * "region": a region was left. "phase": an outermost region was left. depth:
 * number of enclosing regions.
 */
struct tape_ks_region {
	int32_t rank, thread;
	uint32_t region, depth;
	const char *text;
	int64_t start_ns, end_ns;
};

/* "tick": once a second of the program's time. k counts them. */
struct tape_ks_tick {
	int64_t ns;
	uint64_t k, events; /* events of the program so far */
};

/* "end": of the program, or, on level 0, of all programs. */
struct tape_ks_end {
	uint64_t events;
	int64_t from_ns, to_ns; /* range of the events; level 0: 0 */
};

/* A data entry: type, size and payload, which is read only. */
struct tape_entry {
	uint32_t type; /* tape_ks_type */
	uint32_t level;
	size_t size;
	union {
		const void *data;
		const struct tape_ks_event *event;
		const struct tape_ks_message *message;
		const struct tape_ks_round *round;
		const struct tape_ks_wait *wait;
		const struct tape_ks_region *region;
		const struct tape_ks_tick *tick;
		const struct tape_ks_end *end;
	};
};

/* ---- the plug-in ---- */

/* A program. Levels start at 1; level 0 is common to all programs. */
struct tape_level {
	uint32_t number;
	uint32_t ranks;
	const char *name; /* path of its trace */
};

/*
 * The library defines an object of this type with the name tape_plugin. Each
 * function may be NULL. open is called once; level when a program begins,
 * before its first entry; over when all programs have ended and all jobs are
 * complete. open and level return 0, or the plug-in has failed (tape_ks_fail
 * prints the reason). One thread calls these three functions.
 */
struct tape_plugin {
	int version; /* TAPE_PLUGIN_VERSION */
	int (*open)(struct tape_board *b);
	int (*level)(struct tape_board *b, const struct tape_level *l);
	void (*over)(struct tape_board *b);
};
extern const struct tape_plugin tape_plugin;

/* ---- the blackboard; any thread may call these ---- */

/*
 * Returns the arguments given after the colon in --plugin FILE:ARGUMENTS, or ""
 * if there are no arguments.
 */
const char *tape_ks_arguments(const struct tape_board *b);

/* Flags of a knowledge source. Combine them with |; 0 is the default. */
enum {
	TAPE_KS_ANY = 1,     /* each entry of any of its types is a job */
	TAPE_KS_PARALLEL = 2 /* several jobs may run concurrently, unordered */
};

/*
 * The operation. entry[i] has the type of the i-th sensitivity; with
 * TAPE_KS_ANY there is one entry. The entries are valid until the operation
 * returns, or until tape_entry_drop after a tape_entry_keep.
 */
typedef void tape_ks_operation(struct tape_ks *ks,
			       const struct tape_entry *const *entry,
			       void *own);

/*
 * After an invalid argument (a level that does not exist, a type of another
 * level) the functions below do not return: they end the plug-in with an error
 * message, like tape_ks_fail.
 */

/*
 * Returns the identifier, from 1 on, of the type of this name on a level. An
 * unknown name defines a new type. A plug-in may use any name that is not the
 * name of a predefined type.
 */
uint32_t tape_ks_type(struct tape_board *b, uint32_t level, const char *name);

/*
 * Adds a knowledge source. It receives entries that are submitted from now on.
 * The list of type names ends with NULL: 1 to 16 different names. On level 0,
 * which is common to all programs, only types of the plug-in are allowed.
 * Returns the knowledge source, never NULL. It is freed by tape_ks_remove or
 * when the plug-in ends; the caller must not free it.
 */
struct tape_ks *tape_ks_add(struct tape_board *b, uint32_t level, unsigned how,
			    tape_ks_operation *run, void *own, ...)
    __attribute__((sentinel));

/*
 * Removes a knowledge source. It may be called from the operation of that
 * knowledge source. Queued jobs are dropped; a job already running in another
 * thread completes.
 */
void tape_ks_remove(struct tape_ks *ks);

struct tape_board *tape_ks_board(const struct tape_ks *ks);

/*
 * Submits an entry of a type that the plug-in defines; copies data. Returns 0.
 */
int tape_ks_submit(struct tape_board *b, uint32_t type, const void *data,
		   size_t size);

/*
 * Keeps an entry after its operation has returned. Each tape_entry_keep needs
 * one tape_entry_drop.
 */
void tape_entry_keep(const struct tape_entry *e);
void tape_entry_drop(const struct tape_entry *e);

/* ---- the report: plain text; markup is not interpreted ---- */

/* Adds a line to the report of a level; level 0: of all programs. */
void tape_ks_say(struct tape_board *b, uint32_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a named number to the report: a line of text, a member in JSON. */
void tape_ks_figure(struct tape_board *b, uint32_t level, const char *name,
		    double value);

/* Sets the status line of tapelive. It replaces the previous status line. */
void tape_ks_status(struct tape_board *b, uint32_t level, const char *format,
		    ...) __attribute__((format(printf, 3, 4)));

/* Ends the plug-in with an error message. Never returns. */
void tape_ks_fail(struct tape_board *b, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
