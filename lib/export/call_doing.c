/* Groups of calls; see export.h. */
#include <string.h>

#include "export.h"
#include "tape_class_uses.h"

const char *tape_doing_name(enum tape_doing a)
{
	static const char *const name[TAPE_DOES_COUNT] = {
	    "other",	"life",	      "send",	     "receive", "sendrecv",
	    "isend",	"irecv",      "wait",	     "test",	"probe",
	    "barrier",	"collective", "icollective", "groups",	"rma",
	    "rma_sync", "io",	      "skipped"};

	return name[a];
}

static enum tape_doing doing_of_collective(unsigned call)
{
	if (!strncmp(tape_call_name(call), "MPI_File_", 9))
		return TAPE_DOES_IO;
	if (!strncmp(tape_call_name(call), "MPI_Win_", 8))
		return TAPE_DOES_RMA_SYNC;
	return tape_call_traits(call) & TAPE_TRAIT_SYNCHRONISING
		   ? TAPE_DOES_BARRIER
		   : TAPE_DOES_COLLECTIVE;
}

/* States of classes (catalogue/classes.tab). */
enum { TAPE_DOES_BY_CALL = TAPE_DOES_COUNT };
static const unsigned char class_doing[TAPE_CLASS_COUNT] = {
#define DOING(class_, waits, channel, group, doing)                            \
	[TAPE_CLASS_##class_] = TAPE_DOES_##doing,
    TAPE_CLASS_USES(DOING)
#undef DOING
};

enum tape_doing tape_doing_of(unsigned call, unsigned class_)
{
	if (class_ >= TAPE_CLASS_COUNT)
		return TAPE_DOES_OTHER;
	if (class_doing[class_] != TAPE_DOES_BY_CALL)
		return (enum tape_doing)class_doing[class_];
	if (class_ == TAPE_CLASS_COLL)
		return doing_of_collective(call);
	return tape_call_traits(call) & TAPE_TRAIT_LIFE ? TAPE_DOES_LIFE
							: TAPE_DOES_OTHER;
}
