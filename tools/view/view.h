/*
 * What a page or a picture shows, gathered from one run in one to three time
 * bases: single events of the ranks and the window asked for, the rest as
 * shares of time (bins.h), and totals of everything.
 *
 * Times are ns from the first event of the base. In the local times of several
 * clocks, which have nothing in common, each clock's first event is at 0.
 *
 * Memory: what the page holds, bins, and what the replay has in flight.
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

/* What is asked for. */
struct view_window {
	int64_t from_ns, to_ns;      /* single events that overlap this */
	const unsigned char *ranks;  /* by rank: wanted; NULL: all */
	const char *source;          /* a directory of source, or NULL */
	size_t most;                 /* bytes that they may take, undeflated */
};

/* A flow in one base: single events and regions, and how far it goes. */
struct view_times {
	struct view_column gap, length; /* from the end of the last; ns */
	struct view_column region_gap, region_length; /* by their ends */
	int64_t end_ns, region_end_ns;  /* of the last one */
	int64_t first_ns, last_ns;      /* of all events */
	int any;
};

/* A flow, whatever the base. */
struct view_flow {
	const struct tape_flow_info *info;
	/* a column each, in the order of the page (page_data.c) */
	struct view_column place, comm, bytes, rbytes, peer, tag, calls;
	struct view_column region, depth;
	uint64_t first, last;        /* single events: numbers in the flow */
	uint64_t before, kept, after;
	uint32_t *index;             /* by number - first: which of the kept */
	size_t index_room;
	uint64_t *spans;             /* kept regions: which of all, from 0 */
	size_t n_spans, spans_room;
	int64_t group_ns[VIEW_GROUPS];
	double tracing_ns;           /* but of starting and ending */
	int64_t late_ns;             /* waited for others */
	enum tape_end end;
	uint64_t lost;
};

struct view_base {
	struct tape_trace *t;
	int64_t *origin_ns;          /* by domain, or one */
	int by_domain;
	struct view_times *flow;
	struct view_bins bins;
	int64_t length_ns;
	uint64_t messages, backward; /* matched; received before sent */
	int64_t worst_ns;
	/* waits of the window: flow, start (from the last of the flow), length,
	 * enum tape_wait_kind, flow waited for; and the critical path, the
	 * last piece first: flow, end (from the last), length */
	int analysed;
	uint64_t waits, pieces;
	struct view_column wait_flow, wait_at, wait_ns, wait_kind, wait_late;
	struct view_column piece_flow, piece_to, piece_ns;
};

/* Messages from one rank, or so many ranks together, to another. */
struct view_cell {
	uint64_t messages, bytes;
	int64_t late_ns;
};

struct view {
	struct view_base base[VIEW_BASES];
	int bases;                   /* the last one is the first to be seen */
	size_t flows;
	struct view_flow *flow;
	struct view_names *names;
	struct tape_not_recorded *missing;
	struct view_curves curves;
	uint64_t events;
	/* messages of which both events are single ones */
	struct view_column to_flow, to_event, from_flow, from_event;
	struct view_column message_bytes, message_tag;
	uint64_t messages, bytes;    /* of all: matched */
	uint64_t unreceived, unsent, single;
	int64_t *late_ns;            /* waited for others, by place */
	const char *source;          /* of the window */
	char *why; /* waits, causes, path: tables (view_waits.c) */
	struct view_cell *cells;     /* by sender, then receiver */
	size_t n_cells, ranks_of_cell;
	size_t spent;                /* bytes of single events */
	int full;                    /* there were more than may be */
	int64_t full_ns;             /* since when none were taken */
};

/*
 * Reads t, n of them, of one run: the last one gives all but the times of the
 * others. Dies with a sentence where they are no such traces.
 */
void view_read_traces(struct view *v, struct tape_trace **t, int n,
		      const struct view_window *w);
void view_free(struct view *v);

/* The data of the page (page_data.c), to be deflated. */
void view_write_data(struct view *v, struct view_column *s);

/* The first sentences: what is incomplete, and what is shown. */
void view_incomplete_text(const struct view *v, char *text, size_t n);
void view_about_text(const struct view *v, char *text, size_t n);

/* What a base is called. */
const char *view_base_name(const struct view_base *b);

#endif
