/*
 * The setting max_rate: a bucket of events that the rank may record, into which
 * max_rate of them flow in a second. While it is empty the most frequent call
 * site, or region, of the last events is only counted. It is recorded again
 * when it has become rare, and now and then for as long as there is room. That
 * is looked at after so many bytes of records, and in calls that are only
 * counted: an event pays nothing for it.
 *
 * A site that is counted leaves the recording path where its number is looked
 * up (tape_site_here, tape_site_source), and takes the way of a call that is
 * filtered out. Its tally stands at the end of the open chunk's slot, which
 * survives the process, and moves on with the chunks.
 */
#ifndef TAPE_RATE_LIMIT_H
#define TAPE_RATE_LIMIT_H

#include "core.h"

/*
 * f->rate_look is reached, or the chunk is full. Where the rate is too high,
 * sets f->due to what is to be counted and f->due_rate to the rank's rate, in
 * events per second.
 */
void tape_rate_check(struct tape_flow *f);

/* Called when a chunk begins: the interval of the rate begins, too. */
void tape_rate_chunk(struct tape_flow *f);

/*
 * Returns 1 if the events that tally k counts may be recorded again. tick: now,
 * not before f->tally[k].next.
 */
int tape_rate_may_return(struct tape_flow *f, uint32_t k, uint64_t tick);

/* Called when they are recorded again and the record of calls has been put. */
void tape_rate_end_counting(struct tape_flow *f, uint32_t k);

/*
 * The call site or region f->due is only counted from now on, by the next
 * tally. The caller has tested for space and puts the record.
 */
void tape_rate_begin_counting(struct tape_flow *f);

/* Moves the tallies from a chunk to the next chunk. Both must be mapped. */
void tape_tallies_move(const struct tape_flow *f, const unsigned char *from,
			unsigned char *to);

/*
 * Returns the call site or region of tally k, coded as in TAPE_CODE_COUNTED;
 * *calls receives the count.
 */
uint64_t tape_tally(const struct tape_flow *f, uint32_t k, uint64_t *calls);

/* The ticks that these calls took. */
uint64_t tape_tally_ticks(const struct tape_flow *f, uint32_t k);

#endif
