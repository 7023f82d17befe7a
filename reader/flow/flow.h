/* A flow in progress: shared by chunk.c (bytes) and flow.c (records). */
#ifndef TAPE_FLOW_H
#define TAPE_FLOW_H

#include <stddef.h>

#include "trace.h"

/* Requests that one event may complete; more is damage, not a program. */
#define TAPE_DONE_MAX (1u << 24)

struct tape_site_state {
	union tape_fields last;
	uint8_t class_, seen;
	uint16_t call;
};

/* What several events completed, one after the other. */
struct done_list {
	struct tape_done *done;
	size_t n, room;
};

struct tape_batch {
	char *e; /* of stride bytes each */
	size_t n, room, stride;
	struct done_list list;
};

#define TAIL_BYTES (TAPE_TALLIES_MAX * TAPE_TALLY_BYTES)

struct tape_flow {
	struct tape_trace *t;
	const struct tape_rank *rank;
	const struct tape_clock_piece *pieces;
	size_t n_pieces, piece;
	double tick_ns;
	struct tape_site_state *sites;
	size_t n_sites;

	/* source: the file name, or bytes in memory */
	const unsigned char *memory;
	size_t memory_n;
	const char *name;
	uint32_t index, thread;

	/* the chunk in progress: a window of room bytes into it, most at most,
	 * which is all of it unless there are many flows; near: from there on
	 * another record may not be whole in the window */
	unsigned char *chunk;
	size_t room, most;
	const unsigned char *p, *near, *end;
	struct tape_chunk head;
	const struct tape_layout *layout; /* of its events; NULL: as here */
	uint64_t at; /* its offset in the file */
	size_t base; /* the window's in the chunk */
	size_t have; /* bytes of the chunk that count */
	uint32_t sequence, records;
	int is_open, cut, finished;
	/* its tallies, if it is the last chunk and has any; n_tail are still
	 * to be returned, the first one last in tail */
	unsigned char *tail;
	uint32_t n_tail, next_tail;
	uint64_t tally_ended; /* what the last record of an end counted; or 0 */

	/* of a trace that is followed: the chunk as it was just before it was
	 * read; NULL: it is not */
	unsigned char *seen;
	size_t n_seen; /* bytes of it */
	uint32_t top_group; /* up to that one all are known */

	/* the end of the slot of its open chunk: the call in progress */
	unsigned char call[TAPE_CALL_BYTES];
	int has_call;

	uint64_t last, requests;
	int64_t last_ns, end_ns_before; /* ends of this event, the one before */
	int64_t earlier_ns, later_ns; /* of this event and the next ones */
	/* where the event in progress and what it completed are stored: in a
	 * batch, or in the flow, once it is asked for one event */
	struct tape_event *e, *own;
	struct done_list *list, own_done;
	enum tape_end why;
	uint64_t lost;
	int error;
	char *text; /* its sentence */
};

/* In a batch an event of the flow has as many counts as its rank, no more. */
static inline size_t tape_flow_event_bytes(const struct tape_flow *f)
{
	uint32_t n = f->t->follow ? TAPE_COUNTERS_MAX
				  : f->rank->info.n_counters;

	return offsetof(struct tape_event, counts) +
	       n * sizeof(struct tape_count);
}

/* The constant alphas of a class, ns. */
static inline double tape_flow_before(const struct tape_flow *f, unsigned c)
{
	return f->rank->info.alpha_before[c] * f->tick_ns;
}

static inline double tape_flow_after(const struct tape_flow *f, unsigned c)
{
	return f->rank->info.alpha_after[c] * f->tick_ns;
}

/* Up to n bytes of the flow at offset at into to; -1 with errno. */
ssize_t tape_flow_fetch(struct tape_flow *f, uint64_t at, unsigned char *to,
			size_t n);

/* So many bytes of the chunk are in the window. */
void tape_flow_set_window(struct tape_flow *f, size_t n);

/*
 * Of the chunk whose header is f->head: are the records there, and whole? got
 * bytes of its slot were read. Sets what counts of it. Returns 0 or an error.
 */
int tape_flow_check(struct tape_flow *f, const unsigned char *slot, size_t got);

/* The window on from f->p. Returns 0 or an error. */
int tape_flow_window(struct tape_flow *f);

/* ---- alpha_split.c ---- */

/*
 * Ticks that asking for messages costs. More than that is the library's work on
 * messages, or the wait for a busy processor, which the call itself would have
 * had: the event begins with it.
 */
uint64_t tape_flow_probe_ticks(struct tape_flow *f, uint64_t probe);

/*
 * How much of a run's alphas is inside it: those of all calls but one. What was
 * measured once, at its first call (the first use of something, a change of
 * chunk), is before the run, or after that call. For packing, and where each
 * call is measured, it is spread over all of them.
 */
void tape_flow_set_alpha_within(struct tape_flow *f);

/* Durations and alphas are kept below what an int64_t holds in ns. */
#define TAPE_NS_MAX 9e18

/* Alpha of the current event beyond the constant part, ticks; saturates. */
void tape_flow_add_alpha(struct tape_flow *f, uint64_t before, uint64_t after);

/* Sets the flow's sentence, with file and offset, and returns code. */
__attribute__((cold, format(printf, 3, 4))) int
tape_flow_fail(struct tape_flow *f, int code, const char *format, ...);

/* Sets the flow's sentence for TAPE_ENOMEM and returns TAPE_ENOMEM. */
__attribute__((cold)) int tape_flow_no_memory(struct tape_flow *f);

/*
 * Ends the current chunk: has it as many records as its header says? Returns 0
 * or the flow's error.
 */
int tape_flow_end_chunk(struct tape_flow *f);

/*
 * Makes the current event, whose times are set, one of class counted; what: as
 * in TAPE_CODE_COUNTED. Returns 1 or the flow's error.
 */
int tape_flow_counted(struct tape_flow *f, uint64_t what, uint64_t rate,
		      uint64_t calls, uint64_t ticks);

/* The same of a tally (record.h) that a chunk without an end has, at p. */
int tape_flow_tally(struct tape_flow *f, const unsigned char *p);

/*
 * Returns 1 if the tally of what is not used, or has its record already: a
 * process that is killed right after that record has not cleared the tally.
 */
int tape_flow_has_no_tally(const struct tape_flow *f, uint64_t what);

/*
 * Makes the current event, whose time is set, one of class block; operands as
 * of TAPE_CODE_BLOCK. Returns 1 or the flow's error.
 */
int tape_flow_block(struct tape_flow *f, uint64_t block, uint64_t ticks,
		    uint64_t events, uint64_t what, uint64_t calls);

/* The alphas of the current event, one call, are known where it stands. */
static inline void tape_flow_set_place_cost(struct tape_flow *f,
					    const struct tape_cost_there *c)
{
	f->e->alpha_before_ns = c->before * f->tick_ns;
	f->e->alpha_after_ns = c->after * f->tick_ns;
}

/*
 * Reads the next event into f->e, which the caller has set, and what it
 * completed to the end of f->list: 1, 0 at the end of the flow, or an error.
 */
int tape_flow_read(struct tape_flow *f);

/* Loads the next chunk: 1, 0 at the end of the flow, or an error. */
int tape_flow_load(struct tape_flow *f);

/* ---- follow.c ---- */

/*
 * The slot of the chunk at f->at, n bytes of which were just read, is read once
 * more. A record counts once its first byte is not 0, but one that appears
 * while it is copied may be copied in part: it is whole in the second copy if
 * it was in the first, f->seen. So is a length in the header, and all that it
 * is about. Returns how many bytes there are now. Nothing if not followed.
 */
ssize_t tape_follow_settle(struct tape_flow *f, unsigned char *slot, ssize_t n);

/* Returns 1 if the record at f->p is complete. */
static inline int tape_flow_is_settled(const struct tape_flow *f)
{
	size_t at = (size_t)(f->p - f->chunk);

	return !f->seen || !f->is_open || (at < f->n_seen && f->seen[at]);
}

/*
 * The flow stands at the end of its open chunk: 1 with more of it, or with the
 * whole chunk if that is sealed now; 0: there will be no more; or an error.
 */
int tape_follow_more(struct tape_flow *f);

/*
 * The flow comes to something that is not known yet: reads what was defined
 * since. tape_follow_site: is it defined now? Of a communicator, it waits for
 * its members to have defined it, too.
 */
int tape_follow_site(struct tape_flow *f, uint64_t site);
void tape_follow_region(struct tape_flow *f, uint64_t region);
void tape_follow_new_comm(struct tape_flow *f, uint32_t comm);
void tape_follow_group(struct tape_flow *f, unsigned class_,
		       const union tape_fields *u);

/*
 * A call that makes a communicator: if only the new one's members take part, it
 * is a collective of the new one, which is then as one that an event uses.
 */
void tape_follow_created_comm(struct tape_flow *f, unsigned call,
			      const union tape_fields *u);

static inline int tape_flow_is_region(const struct tape_flow *f,
				      uint64_t region)
{
	return region < f->rank->info.n_regions && f->rank->regions[region];
}

/* Returns 1 if the region is defined; reads new definitions if it is not. */
static inline int tape_flow_region(struct tape_flow *f, uint64_t region)
{
	if (__builtin_expect(tape_flow_is_region(f, region), 1))
		return 1;
	tape_follow_region(f, region);
	return tape_flow_is_region(f, region);
}

/* A tick of the flow is about to be dated: by which map, in such a trace? */
static inline void tape_follow_tick(struct tape_flow *f, uint64_t tick)
{
	struct tape_domain *d = &f->t->domains[f->rank->info.domain];

	if (tick > d->latest)
		d->latest = tick;
	f->pieces = d->pieces;
	f->n_pieces = d->info.n_pieces;
}

static inline void tape_follow_comm(struct tape_flow *f, uint32_t comm)
{
	if (__builtin_expect(f->t->follow != NULL, 0))
		tape_follow_new_comm(f, comm);
}

static inline void tape_follow_ids(struct tape_flow *f, unsigned call,
				   unsigned class_, const union tape_fields *u)
{
	if (f->t->at[class_].group >= 0)
		tape_follow_group(f, class_, u);
	if (f->t->at[class_].newcomm >= 0)
		tape_follow_created_comm(f, call, u);
}

#endif
