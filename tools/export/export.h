/*
 * What every export needs of a trace, one thing after the other: regions that
 * open and close, calls, messages, all nested and with times from the start of
 * the trace. The options, the warnings and the progress of such a tool are here
 * too, so that a tool only writes its format.
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
 * Order. Steps of one flow come in the order of time and are nested: a call
 * begins when the one before it has ended, a region opens and closes between
 * calls. A message comes after the calls that sent and received it. Steps of
 * several flows come about in the order of time (ordered.h sorts).
 *
 * Time. ns since the start of the first event, in the trace's base. In a local
 * trace of several clocks each clock has a start of its own, for nothing
 * relates them; a sentence on stderr says so.
 *
 * Everything dies with a sentence on trouble.
 */
#ifndef TAPE_EXPORT_H
#define TAPE_EXPORT_H

#include <stdint.h>
#include <stdio.h>

#include "replay.h"
#include "tape_reader.h"

struct tape_export_kind {
	const char *tool, *usage;
	const char *ending;  /* of the result's name, ".json" */
	int window;          /* it takes --from and --to */
};

enum tape_step_kind {
	TAPE_STEP_OPEN,   /* a region begins */
	TAPE_STEP_CLOSE,  /* the innermost region ends */
	TAPE_STEP_CALL,   /* a call, or several in a row: begins and ends */
	TAPE_STEP_COUNTS, /* an event's counters: before from_ns, and until
			   * to_ns; of all events, whatever the window */
	TAPE_STEP_MESSAGE
};

/* What a call is about, roughly: colours, states. */
enum tape_doing {
	TAPE_DOES_OTHER,
	TAPE_DOES_LIFE,      /* MPI_Init, MPI_Finalize */
	TAPE_DOES_SEND,      /* until the message is on its way */
	TAPE_DOES_RECEIVE,   /* until it is there */
	TAPE_DOES_SENDRECV,
	TAPE_DOES_ISEND,     /* without waiting */
	TAPE_DOES_IRECV,
	TAPE_DOES_WAIT,      /* for requests */
	TAPE_DOES_TEST,      /* asks, and goes on */
	TAPE_DOES_PROBE,     /* waits for a message, which stays */
	TAPE_DOES_BARRIER,
	TAPE_DOES_COLLECTIVE,
	TAPE_DOES_ICOLLECTIVE,
	TAPE_DOES_GROUPS,    /* makes or frees communicators */
	TAPE_DOES_RMA,
	TAPE_DOES_RMA_SYNC,
	TAPE_DOES_IO,
	TAPE_DOES_SKIPPED,   /* calls that are only counted */
	TAPE_DOES_COUNT
};

/* "send", "wait": lower case, one word each. */
const char *tape_doing_name(enum tape_doing a);
enum tape_doing tape_doing_of(unsigned call, unsigned class_);

struct tape_step {
	enum tape_step_kind kind;
	size_t flow;
	int rank, thread;
	int64_t from_ns, to_ns;  /* OPEN, CLOSE: both the same */
	/* what it came with; NULL for a region that the end of its flow closes.
	 * Of MESSAGE: NULL. */
	const struct tape_event *event;
	/* CALL */
	uint16_t call;           /* of skipped calls theirs */
	enum tape_doing doing;
	uint64_t calls;          /* more than 1: of a run, or skipped */
	/* OPEN, CLOSE: as the rank numbers it, 0: tracing is off */
	uint32_t region;
	/* MESSAGE: matched, with the times on both sides; it goes from flow to
	 * to_flow */
	const struct tape_message *message;
	size_t to_flow;
	int backward;            /* to_ns is before from_ns */
};

struct tape_export;

/*
 * Looks at the options (-h, -V, -o, --from, --to), opens the trace and looks up
 * its call sites. The caller closes it, which prints what the trace lacks.
 */
struct tape_export *tape_export_open(int argc, char **argv,
				     const struct tape_export_kind *kind);
void tape_export_close(struct tape_export *x);

/* The next step: 1, valid until the next call; 0 at the end. */
int tape_export_next(struct tape_export *x, struct tape_step *s);

/*
 * Once that was 0: from now on it gives all steps of one rank again, but no
 * messages, and then 0. For formats that have a file for each, which are
 * written one after the other so; a rank may have no steps.
 */
void tape_export_restart_rank(struct tape_export *x, int rank);

struct tape_trace *tape_export_trace(const struct tape_export *x);

/*
 * The name of the result, as -o has it, or made from the trace's: app.sba.tape
 * -> app.sba.json. Valid as long as x.
 */
const char *tape_export_name(const struct tape_export *x);

/* Begins the result, of that name (file_output.h), with a large buffer. */
FILE *tape_export_begin_file(const struct tape_export *x);

/* The time base, in words for readers of the result. */
const char *tape_export_base_text(const struct tape_export *x);

/* A time of that rank in the result. */
int64_t tape_export_ns(struct tape_export *x, int rank, int64_t ns);

/* The flow of an event's place; -1: none. */
int64_t tape_export_flow(const struct tape_export *x,
			 const struct tape_where *p);

/* The end of the last step so far; of one flow. */
int64_t tape_export_end_ns(const struct tape_export *x);
int64_t tape_export_flow_end_ns(const struct tape_export *x, size_t flow);

/* Of OPEN and CLOSE: "tracing off", or the region's name. */
const char *tape_export_region_name(const struct tape_export *x,
				    const struct tape_step *s);

/* Is any of the step in the window? */
int tape_export_in_window(const struct tape_export *x,
			  const struct tape_step *s);

/* Messages so far that arrive before they were sent. */
uint64_t tape_export_count_backward(const struct tape_export *x);

/*
 * The communicator that a step's call works on, as its rank knows it; NULL:
 * none, or not known.
 */
const struct tape_comm_info *tape_export_comm(const struct tape_export *x,
					      const struct tape_event *e);

#endif
