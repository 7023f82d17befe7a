/*
 * Analyses of one's own, as plug-ins of tapestat and tapelive: shared libraries
 * that watch a blackboard (Besnard, Perache, Jalby: Event Streaming for Online
 * Performance Measurements Reduction, 2013, sections II.B and III.B).
 *
 * What happens in a program is put on the blackboard as data entries, each with
 * a type. A knowledge source (KS) is a set of types, its sensitivities, and an
 * operation: as soon as there is an entry of each type, a job is made of them,
 * and a worker thread runs the operation with these entries. An operation may
 * submit entries of types of the plug-in's own, and add and remove knowledge
 * sources. Each program has a level of its own, so that identical types and
 * knowledge sources stand beside each other.
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
 * A plug-in runs in a process of its own: what becomes of it does not become of
 * the analysis. Its standard output goes to standard error; what it has to say
 * goes to the report (tape_ks_say).
 *
 * Order. Entries of a level come in the order of replay (by time, those of a
 * thread in its own order, what an event brings about behind it; where several
 * processes analyse a program each does that, and between them there is none),
 * and to each knowledge source one after the other, unless it is
 * TAPE_KS_PARALLEL. Of two knowledge sources nothing is said, and two may run
 * at once, but for "end": it is submitted when all jobs of the level are done
 * and nothing of the level is under way.
 *
 * Entries are read-only, counted by reference, and freed when all operations
 * that wanted them have returned and each tape_entry_keep has its drop. Texts
 * that entries point to stay until the end of the plug-in.
 *
 * Times are in ns, in the time base of the trace. Ranks are those in
 * MPI_COMM_WORLD, of PVM tasks in order; -1: none, or not known.
 */
#ifndef TAPE_PLUGIN_H
#define TAPE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Of this interface; another one is refused. */
#define TAPE_PLUGIN_VERSION 1

struct tape_board; /* the blackboard */
struct tape_ks;	   /* a knowledge source */

/* ---- what entries hold ---- */

/*
 * "event": a call has ended; or a run of failed tests, or of packing (PVM),
 * which is one event with calls > 1. A call of PVM during which message
 * handlers ran may be two events. Numbers of sites and regions are those of
 * the level: one place has one number at all ranks, small enough for an array.
 */
struct tape_ks_event {
	int32_t rank, thread;
	uint32_t site, region;	 /* region: the innermost; 0: in none */
	const char *call;	 /* "MPI_Recv" */
	const char *site_text;	 /* "MPI_Recv late.c:8" */
	const char *region_text; /* "" in none */
	int64_t start_ns, end_ns, inside_ns; /* inside: of all its calls */
	uint64_t calls;
	uint64_t bytes; /* that it moves, as far as it says itself */
	uint64_t comm;	/* the communicator; 0: none */
	int32_t peer;	/* the other side, or the root */
	int32_t tag;
};

enum tape_ks_message_state {
	TAPE_KS_MATCHED,
	TAPE_KS_UNRECEIVED, /* its receive is not in the trace, */
	TAPE_KS_UNSENT	    /* or its send */
};

/* "message": all is known of it. Places of a side that is not there are 0. */
struct tape_ks_message {
	int32_t from, to;
	int32_t tag;
	int32_t state; /* enum tape_ks_message_state */
	uint64_t comm;
	uint64_t bytes, received; /* as sent, as received */
	/* beginnings of the send and of the receive, the end of the latter, and
	 * since when it was waited for in the call that ended it */
	int64_t sent_ns, posted_ns, ended_ns, awaited_ns;
	/* the calls that sent it and that ended the receive; and in which
	 * regions they were */
	uint32_t send_site, recv_site, send_region, recv_region;
	const char *send_text, *recv_text;
	const char *send_region_text, *recv_region_text;
};

/* A member of a collective; ended_ns 0: it did not leave. */
struct tape_ks_member {
	int32_t rank, thread;
	int64_t begun_ns, awaited_ns, ended_ns;
	uint64_t sent, received; /* bytes */
};

/* "round": all have left a collective, or the trace ends. */
struct tape_ks_round {
	const char *call;
	uint64_t comm, k; /* the k-th of that communicator */
	int32_t root;	  /* number among members; -1: none */
	int32_t size;	  /* members */
	int32_t entered, left;
	const struct tape_ks_member *member; /* size of them, by rank in comm */
};

/* "wait": a call waited for another rank; kinds as in tapestat(1). */
struct tape_ks_wait {
	const char *kind; /* "late sender" */
	int32_t rank, thread;
	int32_t late_rank, late_thread;
	uint32_t site, late_site; /* the calls: that waited, and for which */
	const char *site_text, *late_text;
	int64_t from_ns, ns;
	int64_t wrong_order_ns; /* of that, by receiving in another order */
};

/*
 * "region": it was left; "phase": the same of regions that were in no other.
 * depth: in so many others.
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
	int64_t from_ns, to_ns; /* of the events that there were; level 0: 0 */
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

/* A program. Levels go from 1; level 0 is common to all of them. */
struct tape_level {
	uint32_t number;
	uint32_t ranks;
	const char *name; /* path of its trace */
};

/*
 * What the library defines, by the name tape_plugin. Each function may be NULL.
 * open: once; level: a program begins, before its first entry; over: all
 * programs have ended, all jobs are done. open and level return 0, or the
 * plug-in has failed (tape_ks_fail says why). One thread calls these three.
 */
struct tape_plugin {
	int version; /* TAPE_PLUGIN_VERSION */
	int (*open)(struct tape_board *b);
	int (*level)(struct tape_board *b, const struct tape_level *l);
	void (*over)(struct tape_board *b);
};
extern const struct tape_plugin tape_plugin;

/* ---- the blackboard; any thread may call these ---- */

/* What stands behind the plug-in's file in the option; "": nothing. */
const char *tape_ks_arguments(const struct tape_board *b);

/* How a knowledge source works; together, or 0. */
enum {
	TAPE_KS_ANY = 1,     /* an entry of any of its types is a job */
	TAPE_KS_PARALLEL = 2 /* several jobs at once, in no order */
};

/*
 * The operation: entry[i] is of the i-th sensitivity; of TAPE_KS_ANY there is
 * one. Valid until it returns (tape_entry_keep: longer).
 */
typedef void tape_ks_operation(struct tape_ks *ks,
			       const struct tape_entry *const *entry,
			       void *own);

/*
 * A call that cannot be meant (a level that does not exist, a type of another
 * level) ends the plug-in with a sentence that says so, as tape_ks_fail does:
 * the functions below do not return then.
 */

/*
 * The identifier of a type of a level, by name: made on first sight, from 1. A
 * type of a plug-in's own has any name that is not one of those above.
 */
uint32_t tape_ks_type(struct tape_board *b, uint32_t level, const char *name);

/*
 * Adds a knowledge source, which gets what is submitted from now on. The names
 * of its sensitivities, on that level, end with NULL: 1 to 16 of them, none
 * twice, of level 0 (which is common to all programs) only types of the
 * plug-in's own. Never NULL. Nobody frees it but tape_ks_remove and the end.
 */
struct tape_ks *tape_ks_add(struct tape_board *b, uint32_t level, unsigned how,
			    tape_ks_operation *run, void *own, ...)
    __attribute__((sentinel));

/*
 * Removes it, also out of its own operation: jobs that no worker has taken up
 * are dropped. One that runs in another thread goes on.
 */
void tape_ks_remove(struct tape_ks *ks);

struct tape_board *tape_ks_board(const struct tape_ks *ks);

/*
 * Submits an entry of a type of the plug-in's own; data is copied. Returns 0.
 */
int tape_ks_submit(struct tape_board *b, uint32_t type, const void *data,
		   size_t size);

/* Keeps an entry that an operation got; each keep wants a drop. */
void tape_entry_keep(const struct tape_entry *e);
void tape_entry_drop(const struct tape_entry *e);

/* ---- the report: plain text, which is shown as such everywhere ---- */

/* A line of the report, in the chapter of the level; 0: of all. */
void tape_ks_say(struct tape_board *b, uint32_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A number by its name: a line of text, a member in JSON. */
void tape_ks_figure(struct tape_board *b, uint32_t level, const char *name,
		    double value);

/* A line that tapelive shows until the next one replaces it. */
void tape_ks_status(struct tape_board *b, uint32_t level, const char *format,
		    ...) __attribute__((format(printf, 3, 4)));

/* The plug-in cannot go on: ends it. Never returns. */
void tape_ks_fail(struct tape_board *b, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
