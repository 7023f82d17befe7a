/*
 * What each flow did, as a sequence of the calls that can wait for others or be
 * waited for, with the time that it spent otherwise in between: all that is
 * needed to go back from a wait to its causes. The first 48 MiB of it are kept
 * in memory, the rest in a temporary file in $TMPDIR, or /tmp, which nobody
 * sees and which goes with the process. Of it some 4 MiB, and 8 KiB for each
 * flow, are mapped at a time, with pages around them.
 *
 *	struct tape_history *h = tape_history_new(flows);
 *	tape_history_add_time(h, flow, activity, 500);
 *	struct tape_sync *s = tape_history_add_call(h, flow, event);
 *	s->begun_ns = ...
 *	tape_history_free(h);
 */
#ifndef TAPE_HISTORY_H
#define TAPE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "processor_use.h"

/* Time spent on one activity (activities.h), ns. */
struct tape_spent {
	uint32_t activity;
	/* of a reason (delay.h): the least and the most of ns that were waiting
	 * for a processor, in TAPE_READY_UNITS */
	uint16_t ready_from, ready_to;
	int64_t ns;
};
enum { TAPE_READY_UNITS = UINT16_MAX };

/* kind of a mark of the processor, which neither waits nor is waited for. */
enum { TAPE_SYNC_MARK = 31 };

/*
 * One call. What its flow spent since the one before it stands in spent, each
 * activity once, in no order.
 */
struct tape_sync {
	struct tape_sync *before; /* in its flow; NULL: it is the first */
	struct tape_sync *late;	  /* what it waited for; NULL: it did not */
	union {
		struct {		    /* while waits are found */
			int64_t from_ns;    /* it waited since */
			uint32_t due;	    /* so much is not known yet */
			uint32_t late_call; /* activity of late */
		};
		struct { /* delay.c's own, after that */
			double cover, uncover;
		};
	};
	/* what follows is the same wherever the call is known */
	int64_t begun_ns, ended_ns;
	int64_t wait_ns;	 /* of it waiting; 0: none */
	uint64_t round;		 /* what all its members left together, equal
				  * for these; 0: nothing */
	uint64_t event : 48;	 /* in its flow, from 1 */
	uint64_t kind : 5;	 /* of the wait: enum tape_wait_kind */
	uint64_t is_awaited : 1; /* some call waited for this one */
	uint64_t n_why : 10;	 /* after spent: delay.c's, of another
				  * process that defined the place */
	union {
		struct {
			int64_t cause_ns; /* when its wait ended: what was late
					   * began */
			uint64_t late_event; /* what late is, also where that
					      * is not here */
		};
		struct tape_ready_window window; /* of a mark: up to the next */
	};
	uint32_t late_flow;
	uint32_t call;		 /* activity */
	uint32_t flow;
	uint32_t n_spent;
	struct tape_spent spent[];
};

struct tape_history;

/* NULL: out of memory, or no temporary file: errno says why. */
struct tape_history *tape_history_new(size_t flows);
void tape_history_free(struct tape_history *h);

/*
 * Called in a forked process: from now on what it writes to the history stays
 * in its own memory, and the parent's file does not change. Returns 0, or -1
 * with errno.
 */
int tape_history_detach(struct tape_history *h);

/* Returns the number of bytes that the history has in its file. */
size_t tape_history_file_bytes(const struct tape_history *h);

/* Frees the memory and the file; only tape_history_has_dropped stays valid. */
void tape_history_clear(struct tape_history *h);

/*
 * Adds a copy of the call s with n_spent + n_why entries at spent. Times that
 * were added since the previous call stay. NULL: no space; errno says why.
 */
struct tape_sync *tape_history_copy_call(struct tape_history *h,
					 const struct tape_sync *s,
					 const struct tape_spent *spent);

/* Adds time to an activity since the last call. Returns 0, or -1 with errno. */
int tape_history_add_time(struct tape_history *h, size_t flow,
			  uint32_t activity, int64_t ns);

/*
 * Adds the next call of the flow: its event number, from 1, and when it began.
 * The call is zeroed except before, flow, event, begun_ns and spent, and does
 * not move, unless calls are merged. NULL: no space; errno says why.
 */
struct tape_sync *tape_history_add_call(struct tape_history *h, size_t flow,
					uint64_t event, int64_t begun_ns);

/* The same of a mark of the processor, at ns. Its window is not known yet. */
struct tape_sync *tape_history_add_mark(struct tape_history *h, size_t flow,
					uint64_t event, int64_t ns);

/* Returns 1 if a flow has such a mark. */
int tape_history_has_marks(const struct tape_history *h);

/*
 * From now on a call is merged, once it is certain that it neither waited, nor
 * was waited for (is_awaited), nor left a collective of all to all: its time
 * becomes time spent before the next call that stays. Calls move when others
 * are merged; before and late of a call are not valid until
 * tape_history_merge_rest. Calls have to be added in the order in which they
 * begin, over all flows; a wait is for something that begins after the call
 * that waits.
 */
void tape_history_merge_calls(struct tape_history *h);

/* Returns 1 between tape_history_merge_calls and tape_history_merge_rest. */
int tape_history_is_merging(const struct tape_history *h);

/*
 * The flow ends with the call of that event: that call and later ones stay, and
 * no other call of the flow is settled after that one.
 */
void tape_history_end_flow(struct tape_history *h, size_t flow, uint64_t event);

/*
 * Called after the last call, when all waits are known: merges what is left,
 * and sets late of each call that waited, by late_flow and late_event. Returns
 * 0; or -1 with errno where there is no space: then the history is empty.
 */
int tape_history_merge_rest(struct tape_history *h);

/*
 * For a run without end: above a number of bytes (0: no limit) the history is
 * full. tape_history_drop_oldest then drops the older half of each flow, except
 * calls that were pinned since the last time and calls with a wait that is not
 * known yet. Causes and the critical path are then not available. Returns 0, or
 * -1: out of memory.
 */
void tape_history_limit(struct tape_history *h, size_t bytes);
int tape_history_is_full(const struct tape_history *h);
void tape_history_pin_call(struct tape_history *h, const struct tape_sync *s);
int tape_history_drop_oldest(struct tape_history *h);
int tape_history_has_dropped(const struct tape_history *h);

/* The temporary file cannot grow: limits the history to its present size. */
void tape_history_limit_here(struct tape_history *h);

/* Renumbers activities: now[old] is the new number. */
void tape_history_renumber(struct tape_history *h, const uint32_t *now);

/* Iterates over the calls of a flow in order; at is zeroed at first. */
struct tape_history_at {
	size_t block, call;
};
struct tape_sync *tape_history_next_call(const struct tape_history *h,
					 size_t flow,
					 struct tape_history_at *at);

size_t tape_history_flows(const struct tape_history *h);

/*
 * A caller that follows before or late reports each call that it reads, so that
 * mapped pages are released. It also reports a jump to another flow.
 */
void tape_history_count_read(struct tape_history *h, const struct tape_sync *s);
void tape_history_count_jump(struct tape_history *h);

/* Returns the latest call of the flow; NULL: none. */
struct tape_sync *tape_history_last_call(const struct tape_history *h,
					 size_t flow);

/* Sets *list to the times since the latest call; returns their number. */
size_t tape_history_open_times(const struct tape_history *h, size_t flow,
			       const struct tape_spent **list);

/* Returns the latest call of the flow up to an event; NULL: none. */
struct tape_sync *tape_history_find_call(const struct tape_history *h,
					 size_t flow, uint64_t event);

#endif
