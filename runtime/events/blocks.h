/*
 * What an event costs where it stands (alpha = in-situ): now and then a block
 * of marks and local calls is not recorded but for their number, and one near
 * it is; both are timed by fenced readings of the clock. A tool that corrects
 * has the cost from groups of such blocks: what a recorded one takes longer, by
 * the event. In a third block of marks each is skipped several times, which
 * tells what skipping takes. Only where such events follow each other closely,
 * and nothing else comes between; what ends a block early is recorded.
 *
 * A block's boundary costs an event nothing: it is an appointment, an earlier
 * limit of the open chunk (tape_flow.limit).
 */
#ifndef TAPE_BLOCKS_H
#define TAPE_BLOCKS_H

#include "core.h"

/*
 * In make_room, where the chunk has room again: keeps or makes appointments,
 * and sets f->limit. whole: an event will follow, so that records of their own
 * may stand here.
 */
void tape_blocks_turn(struct tape_flow *f, int whole);

/*
 * Ends a skipped block early, before an event that must be recorded. The events
 * skipped so far are counted but not timed.
 */
TAPE_COLD void tape_blocks_cut(struct tape_flow *f);

/* The last event of a block was skipped: the block is timed and counted. */
TAPE_COLD void tape_blocks_over(struct tape_flow *f);

/* For the calibration: begins (on) or ends the skipping of events. */
void tape_blocks_rehearse(struct tape_flow *f, uint32_t site, int on);

/* An enter was skipped, and some marks more of that name are to be, too. */
void tape_blocks_repeat(struct tape_flow *f, const char *name);

/* One more event of the block is skipped: twice its site, or what it marks. */
static inline TAPE_ALWAYS void tape_blocks_skip(struct tape_flow *f,
						uint32_t what)
{
	uint32_t left = f->skip_left - 1;

	f->skip_left = left;
	f->blocks.skipped[left % TAPE_BLOCK_STEPS] = what;
	if (TAPE_UNLIKELY(!left))
		tape_blocks_over(f);
}

#endif
