/*
 * A trace as a sequence of steps, for exports: regions that open and close,
 * calls and messages, nested, with times from the start of the trace. The
 * library also handles the options, warnings and progress of an export, so that
 * a tool only writes its format.
 *
 *	static const struct tape_export_kind kind = {
 *		"t2chrome", "t2chrome [-hV] ...", ".json", 1 };
 *	struct tape_export *x = tape_export_open(argc, argv, &kind);
 *	struct tape_step s;
 *
 *	while (tape_export_next(x, &s))
 *		switch (s.kind) ...
 *	tape_export_close(x);
 *
 * Order. Steps of one flow are ordered by time and nested: a call begins after
 * the previous call has ended, a region opens and closes between calls. A
 * message follows the calls that sent and received it. Steps of different flows
 * are only roughly ordered by time (ordered.h sorts).
 *
 * Time. ns since the start of the first event, in the trace's base. In a local
 * trace of several clocks each clock has an origin of its own, because the
 * clocks are unrelated; a warning says so.
 *
 * All functions die with a message on errors.
 */
#ifndef TAPE_EXPORT_H
#define TAPE_EXPORT_H

#include <stdint.h>
#include <stdio.h>

#include "replay.h"
#include "tape_reader.h"

struct tape_export_kind {
	const char *tool;
	const char *ending; /* of the result\'s name, ".json" */
};

enum tape_step_kind {
	TAPE_STEP_OPEN,	  /* a region begins */
	TAPE_STEP_CLOSE,  /* the innermost region ends */
	TAPE_STEP_CALL,	  /* a call, or several merged calls */
	TAPE_STEP_COUNTS, /* an event's counts: before from_ns, and from there
			   * to to_ns; also outside the window */
	TAPE_STEP_MESSAGE
};

/* Groups of calls, for colours and states. */
enum tape_doing {
	TAPE_DOES_OTHER,
	TAPE_DOES_LIFE,	   /* MPI_Init, MPI_Finalize */
	TAPE_DOES_SEND,	   /* blocking send */
	TAPE_DOES_RECEIVE, /* blocking receive */
	TAPE_DOES_SENDRECV,
	TAPE_DOES_ISEND, /* nonblocking send */
	TAPE_DOES_IRECV,
	TAPE_DOES_WAIT,	 /* waits for requests */
	TAPE_DOES_TEST,	 /* tests without blocking */
	TAPE_DOES_PROBE, /* waits for a message, does not receive it */
	TAPE_DOES_BARRIER,
	TAPE_DOES_COLLECTIVE,
	TAPE_DOES_ICOLLECTIVE,
	TAPE_DOES_GROUPS, /* makes or frees communicators */
	TAPE_DOES_RMA,
	TAPE_DOES_RMA_SYNC,
	TAPE_DOES_IO,
	TAPE_DOES_SKIPPED, /* calls that were only counted */
	TAPE_DOES_COUNT
};

/* Returns the name of a group, one word in lower case: "send", "wait". */
const char *tape_doing_name(enum tape_doing a);

/* Returns the group of a call. */
enum tape_doing tape_doing_of(unsigned call, unsigned class_);

struct tape_step {
	enum tape_step_kind kind;
	size_t flow;
	int rank, thread;
	int64_t from_ns, to_ns;  /* OPEN, CLOSE: both the same */
	/* the event of the step; NULL for a message, and for a region that is
	 * closed by the end of its flow */
	const struct tape_event *event;
	/* CALL */
	uint16_t call; /* also of skipped calls */
	enum tape_doing doing;
	uint64_t calls; /* number of merged or skipped calls */
	/* OPEN, CLOSE: number of the region in the rank; 0: tracing is off */
	uint32_t region;
	/* MESSAGE: a matched message from flow to to_flow; from_ns: sent,
	 * to_ns: received */
	const struct tape_message *message;
	size_t to_flow;
	int backward;            /* to_ns is before from_ns */
};

struct tape_export;

/*
 * Parses the options (-h, -V, -o, --from, --to), opens the trace and resolves
 * its call sites. The caller closes the export.
 */
struct tape_export *tape_export_open(int argc, char **argv,
				     const struct tape_export_kind *kind);
void tape_export_close(struct tape_export *x);

/* Sets *s to the next step. Returns 1; 0 at the end. What s points to is valid
 * until the next call. At the end it prints what the trace lacks. */
int tape_export_next(struct tape_export *x, struct tape_step *s);

/*
 * Called when tape_export_next() has returned 0: the next calls return all
 * steps of one rank again, without messages. For formats that have a file for
 * each rank. A rank may have no steps.
 */
void tape_export_restart_rank(struct tape_export *x, int rank);

struct tape_trace *tape_export_trace(const struct tape_export *x);

/*
 * Returns the name of the result: from -o, or made from the trace's name,
 * app.sba.tape -> app.sba.json. Valid as long as x.
 */
const char *tape_export_name(const struct tape_export *x);

/* Begins the file of the result (file_output.h), with a large buffer. */
FILE *tape_export_begin_file(const struct tape_export *x);

/* Returns the time base as a text for the result. */
const char *tape_export_base_text(const struct tape_export *x);

/* Converts a timestamp of the rank to ns in the result. */
int64_t tape_export_ns(struct tape_export *x, int rank, int64_t ns);

/* Returns the flow of p; -1: none. */
int64_t tape_export_flow(const struct tape_export *x,
			 const struct tape_where *p);

/* Return the end of the last step so far: of all flows, of one flow. */
int64_t tape_export_end_ns(const struct tape_export *x);
int64_t tape_export_flow_end_ns(const struct tape_export *x, size_t flow);

/* Returns the region's name of an OPEN or CLOSE step, or "tracing off". */
const char *tape_export_region_name(const struct tape_export *x,
				    const struct tape_step *s);

/* Returns 1 if the step overlaps the window. */
int tape_export_in_window(const struct tape_export *x,
			  const struct tape_step *s);

/* Returns the number of messages so far that were received before sent. */
uint64_t tape_export_count_backward(const struct tape_export *x);

/* Returns the communicator of a call, as its rank knows it; NULL: none, or
 * unknown. */
const struct tape_comm_info *tape_export_comm(const struct tape_export *x,
					      const struct tape_event *e);

#endif
