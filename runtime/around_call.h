/*
 * Around the real call, of events that ask for more than two dates: counters,
 * measured alpha (tape_flow.extras).
 */
#ifndef TAPE_AROUND_CALL_H
#define TAPE_AROUND_CALL_H

#include "core.h"

/* Out of the way of events without; see around_call.c. */
TAPE_COLD void tape_wrap_start(struct tape_flow *f);
TAPE_COLD void tape_wrap_stop(struct tape_flow *f);
TAPE_COLD void tape_wrap_extras(struct tape_flow *f, uint64_t start,
				uint64_t entry);
TAPE_COLD void tape_wrap_end(struct tape_flow *f, uint64_t end);

#endif
