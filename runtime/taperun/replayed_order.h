/*
 * The order that a run replays (replay = TRACE). A trace of events gets its
 * order files before the program starts.
 */
#ifndef TAPE_REPLAYED_ORDER_H
#define TAPE_REPLAYED_ORDER_H

/*
 * Makes the order files that a trace lacks, by the program tape-order: that of
 * this process if a launcher has said which rank the process is, else of all
 * ranks. Sentences on standard error say what is missing; the program then runs
 * in its own order.
 */
void tape_make_order(const char *trace);

#endif
