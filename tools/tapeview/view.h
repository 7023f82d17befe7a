/*
 * The data of a page or a picture: one run in one to three time bases. The page
 * has single events of the selected ranks and window, shares of time for all
 * other events (bins.h), and totals of the whole run.
 *
 * Times are ns from the first event of the base. In a local base of several
 * unsynchronised clocks, the first event of each clock is at 0.
 *
 * Memory: the data of the page, the bins, and the state of the replay.
 */
#ifndef TAPE_VIEW_H
#define TAPE_VIEW_H

#include "bins.h"
#include "curves.h"
#include "view_names.h"
#include "not_recorded.h"
#include "column.h"
#include "tape_reader.h"

enum { VIEW_BASES = 3, VIEW_CELLS = 256 };

/* The single events that the user wants. */
struct view_window {
	int64_t from_ns, to_ns;	    /* single events overlap this window */
	const unsigned char *ranks; /* by rank: 1 if wanted; NULL: all */
	const char *source;	    /* directory of source files, or NULL */
	size_t max_bytes;	    /* limit of their bytes, undeflated */
};

/* The times of a flow in one base, ns. */
struct view_times {
	struct view_column gap, length; /* gap: since the previous event */
	struct view_column region_gap, region_length; /* by end of region */
	int64_t end_ns, region_end_ns;	/* of the last single event, region */
	int64_t first_ns, last_ns;      /* of all events */
	int any;			/* the flow has an event */
};

/* The part of a flow that does not depend on the base. */
struct view_flow {
	const struct tape_flow_info *info;
	/* the columns, in the order of the page (page_data.c) */
	struct view_column place, comm, bytes, rbytes, peer, tag, calls;
	struct view_column region, depth;
	uint64_t first, last;        /* single events: numbers in the flow */
	/* number of calls before, among and after the single events */
	uint64_t before, kept, after;
	uint32_t *index; /* by number - first: single event, or
			  * UINT32_MAX for a marker event */
	size_t index_room;
	uint64_t *spans; /* numbers of the single regions, from 0 */
	size_t n_spans, spans_room;
	int64_t group_ns[VIEW_GROUPS];
	double tracing_ns; /* without start and end of tracing */
	int64_t late_ns;   /* time of waiting for other ranks */
	enum tape_end end;
	uint64_t lost;
};

struct view_base {
	struct tape_trace *t;
	struct stats *stats; /* NULL: not the shown base, and by_domain */
	int64_t *origin_ns; /* by domain if by_domain, else one */
	int by_domain;
	struct view_times *flow;
	struct view_bins bins;
	int64_t length_ns;
	uint64_t messages, backward; /* matched; received before sent */
	int64_t worst_ns;	     /* longest time of a backward message */
	/* Waits in the window: flow, start (relative to the previous wait of
	 * the flow), length, enum tape_wait_kind, late flow. Segments of the
	 * critical path, the last segment first: flow, end (relative to the
	 * previous segment), length. */
	uint64_t waits, pieces;
	struct view_column wait_flow, wait_at, wait_ns, wait_kind, wait_late;
	struct view_column piece_flow, piece_to, piece_ns;
};

/* Messages from a rank, or a block of ranks, to another. */
struct view_cell {
	uint64_t messages, bytes;
	int64_t late_ns;
};

struct view {
	struct view_base base[VIEW_BASES];
	int bases; /* the page shows the last one first */
	size_t flows;
	struct view_flow *flow;
	struct view_names *names;
	struct tape_not_recorded *missing;
	struct view_curves curves;
	uint64_t events;
	/* messages between two single events */
	struct view_column to_flow, to_event, from_flow, from_event;
	struct view_column message_bytes, message_tag;
	uint64_t messages, bytes; /* all matched messages */
	uint64_t unreceived, unsent;
	uint64_t single;	     /* messages between single events */
	int64_t *late_ns;	     /* waiting for other ranks, by call site */
	const char *source;	     /* as in the window */
	struct view_cell *cells;     /* by sender, then receiver */
	size_t n_cells, ranks_of_cell;
	size_t detail_bytes;	     /* bytes of single events */
	int is_full;		     /* the limit of bytes was reached */
	int64_t full_ns;	     /* when it was reached */
};

/*
 * Reads the n traces t of one run, in different time bases. The last trace
 * supplies everything but the times of the other traces. Dies with a message if
 * the traces are not of one run.
 */
void view_read_traces(struct view *v, struct tape_trace **t, int n,
		      const struct view_window *w);
void view_free(struct view *v);

/* Appends the data of the page to s, not deflated (page_data.c). */
void view_write_data(struct view *v, struct view_column *s);

/*
 * The first texts of a page, in n bytes: what the trace lacks ("" if it lacks
 * nothing), and what the page shows.
 */
void view_incomplete_text(const struct view *v, char *text, size_t n);
void view_about_text(const struct view *v, char *text, size_t n);

/* "raw", "global", "corrected" or "predicted". */
const char *view_base_name(const struct view_base *b);

#endif
