/* Marks that Tape puts into a trace of its own accord. */
#ifndef TAPE_OWN_MARKS_H
#define TAPE_OWN_MARKS_H

#include "tape_reader.h"

/*
 * Returns 1 if the event is a mark of the processor or of a thread: no event of
 * the program.
 */
static inline int tape_event_is_own_mark(const struct tape_event *e)
{
	return e->class_ == TAPE_CLASS_PROCESSOR ||
	       e->class_ == TAPE_CLASS_PTHREAD;
}

#endif
