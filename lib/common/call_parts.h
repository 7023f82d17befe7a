/*
 * A call of PVM during which message handlers of the program ran is two events:
 * its beginning and its end, with the handlers' events between them (field part
 * of catalogue/classes.tab). Every other event is a whole call.
 */
#ifndef TAPE_CALL_PARTS_H
#define TAPE_CALL_PARTS_H

#include "record.h"
#include "tape_reader.h"

/* Returns the part of its call that event e is. */
static inline enum tape_call_part tape_part_of_call(const struct tape_event *e)
{
	if (e->class_ == TAPE_CLASS_COLL)
		return (enum tape_call_part)e->u.coll.part;
	if (e->class_ == TAPE_CLASS_SPAWN)
		return (enum tape_call_part)e->u.spawn.part;
	return TAPE_PART_WHOLE;
}

/* Returns the number of calls that end with event e: 0 for a beginning. */
static inline uint64_t tape_calls_ended(const struct tape_event *e)
{
	return tape_part_of_call(e) == TAPE_PART_BEGINNING ? 0 : e->polls;
}

#endif
