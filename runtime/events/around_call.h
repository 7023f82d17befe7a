/*
 * Around the real call, for events with more than two timestamps: counters,
 * measured alpha, delays (tape_flow.extras).
 */
#ifndef TAPE_AROUND_CALL_H
#define TAPE_AROUND_CALL_H

#include "core.h"

/* Not inlined, since most events need none of them; see around_call.c. */
TAPE_COLD void tape_wrap_start(struct tape_flow *f);
TAPE_COLD void tape_wrap_stop(struct tape_flow *f);
TAPE_COLD void tape_wrap_extras(struct tape_flow *f, uint64_t start,
				uint64_t entry);
/* Delays what follows a call of that class, too: the setting noise. */
TAPE_COLD void tape_wrap_end(struct tape_flow *f, uint64_t end, int class_);

#endif
