/* A cut in progress, for the files of cut.h. */
#ifndef CUT_CUT_STATE_H
#define CUT_CUT_STATE_H

#include "cut.h"
#include "writer.h"

/* An event before the window that the window may have to begin with. */
struct cut_stored {
	struct tape_event e;
	uint64_t number; /* in its flow, from 1 */
	int sends;	 /* a message of it is in flight, */
	int enters;	 /* or a collective that it entered is in progress */
};

/* A request that an event in progress ends. */
struct cut_ending {
	int rank;
	uint64_t request;
};

/* A message in flight that one of several requests sent. */
struct cut_started {
	const struct cut_stored *k;
	struct tape_match_key key;
};

struct cut_request {
	uint64_t was, is;
};

struct cut_flow {
	uint64_t events; /* ended so far */
	uint64_t last_tick;
	int64_t last_ns;
	struct cut_stored *kept;
	size_t n, room;
	int silent; /* the event in progress sent what has been received */
	struct tape_flow_writer *w;
	int begun, over;
	uint32_t *regions; /* open at the beginning */
	size_t n_regions;
	uint64_t created; /* requests */
	/* those made before; and what is taken off later ones' numbers */
	struct cut_request *requests;
	size_t n_requests;
	uint64_t first_later, off;
};

struct tape_cut {
	const struct tape_trace *t;
	struct tape_output *out;
	int64_t from_ns, to_ns; /* first from the first event, then dates */
	char window[100];	/* the former as text */
	int dated, within;
	struct cut_flow *flow;
	size_t flows;
	uint64_t events, kept, prune_at;
	struct cut_started *started;
	size_t n_started, started_room;
	struct cut_ending *ending;
	size_t endings, ending_room;
	struct tape_done *done;
	size_t done_room;
	struct cut_parallel *together; /* NULL: it is cut by one process */
};

/* Kept before it is looked through, at least. */
enum { CUT_MANY = 4096 };

/* cut_window.c: one that has no output yet; what it counts from; it begins,
 * with i, or after it (NULL). */
struct tape_cut *cut_alloc(const struct tape_trace *t, int64_t from_ns,
			   int64_t to_ns);
int cut_is_init(const struct tape_event *e);
void cut_set_origin(struct tape_cut *c, int64_t ns);
void cut_begin_window(struct tape_cut *c, const struct tape_replay *r,
		      const struct tape_item *i);

/*
 * stored_events.c: cut_store_event stores an event that the window may need;
 * cut_prune frees the stored events that it no longer needs.
 */
void cut_store_event(struct tape_cut *c, struct cut_flow *f,
		     const struct tape_event *e);
void cut_prune(struct tape_cut *c, const struct tape_replay *r);
void cut_free_stored(struct tape_cut *c, struct cut_flow *f);
struct cut_stored *cut_find_stored(struct cut_flow *f, uint64_t number);
void cut_mark_in_progress(void *own, const struct tape_where *begun,
			  const struct tape_match_key *key);

/*
 * parallel_cut.c. cut_mark_from_peers marks what peers reported as in progress.
 * cut_note_collective is called for each complete collective. cut_stop_replay
 * stops at the first event after the window's start. cut_all_events returns the
 * sum over all processes. cut_is_process_0 is also 1 in a serial cut.
 * cut_is_own_flow returns 1 for the flows of this process's ranks.
 */
void cut_mark_from_peers(struct tape_cut *c);
void cut_note_collective(struct tape_cut *c,
			 const struct tape_collective_round *q);
void cut_stop_replay(struct tape_cut *c);
uint64_t cut_all_events(struct tape_cut *c);
int cut_is_process_0(const struct tape_cut *c);
int cut_is_own_flow(const struct tape_cut *c, size_t flow);
void cut_parallel_free(struct tape_cut *c);

/* write_flow.c: an event of a flow; and its end, by an event after the window,
 * or (next NULL) with the trace. */
void cut_write(struct tape_cut *c, const struct tape_event *e);
void cut_close(struct tape_cut *c, size_t flow, const struct tape_event *next,
	       enum tape_end end, uint64_t lost);

#endif
