/* Groups of calls; see export.h. */
#include <string.h>

#include "export.h"

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

enum tape_doing tape_doing_of(unsigned call, unsigned class_)
{
	switch ((enum tape_class)class_) {
	case TAPE_CLASS_SEND:
	case TAPE_CLASS_MCAST:
		return TAPE_DOES_SEND;
	case TAPE_CLASS_RECV:
	case TAPE_CLASS_NRECV:
	case TAPE_CLASS_MRECV:
		return TAPE_DOES_RECEIVE;
	case TAPE_CLASS_SENDRECV:
		return TAPE_DOES_SENDRECV;
	case TAPE_CLASS_ISEND:
	case TAPE_CLASS_ISENDRECV:
	case TAPE_CLASS_PSEND:
	case TAPE_CLASS_PREADY:
	case TAPE_CLASS_START:
		return TAPE_DOES_ISEND;
	case TAPE_CLASS_IRECV:
	case TAPE_CLASS_IMRECV:
		return TAPE_DOES_IRECV;
	case TAPE_CLASS_WAIT:
		return TAPE_DOES_WAIT;
	case TAPE_CLASS_TEST:
	case TAPE_CLASS_IPROBE:
	case TAPE_CLASS_IMPROBE:
	case TAPE_CLASS_QUERY:
		return TAPE_DOES_TEST;
	case TAPE_CLASS_PROBE:
	case TAPE_CLASS_MPROBE:
		return TAPE_DOES_PROBE;
	case TAPE_CLASS_COLL:
		return doing_of_collective(call);
	case TAPE_CLASS_ICOLL:
		return TAPE_DOES_ICOLLECTIVE;
	case TAPE_CLASS_COMM_NEW:
	case TAPE_CLASS_COMM_INEW:
	case TAPE_CLASS_COMM_FREE:
	case TAPE_CLASS_SPAWN:
		return TAPE_DOES_GROUPS;
	case TAPE_CLASS_WIN_NEW:
	case TAPE_CLASS_EPOCH:
	case TAPE_CLASS_PSCW:
	case TAPE_CLASS_WINTEST:
		return TAPE_DOES_RMA_SYNC;
	case TAPE_CLASS_RMA:
	case TAPE_CLASS_IRMA:
		return TAPE_DOES_RMA;
	case TAPE_CLASS_FILE_NEW:
	case TAPE_CLASS_IO:
	case TAPE_CLASS_IO_AT:
	case TAPE_CLASS_IIO:
	case TAPE_CLASS_IIO_AT:
		return TAPE_DOES_IO;
	case TAPE_CLASS_BLOCK:
		return TAPE_DOES_SKIPPED;
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_ABORT:
		return tape_call_traits(call) & TAPE_TRAIT_LIFE
			   ? TAPE_DOES_LIFE
			   : TAPE_DOES_OTHER;
	case TAPE_CLASS_GREQUEST:
	case TAPE_CLASS_REQ:
	case TAPE_CLASS_PACK:
	case TAPE_CLASS_ENTER:
	case TAPE_CLASS_LEAVE:
	case TAPE_CLASS_OFF:
	case TAPE_CLASS_ON:
	case TAPE_CLASS_THREAD:
	case TAPE_CLASS_COUNTED:
	case TAPE_CLASS_COUNT:
		break;
	}
	return TAPE_DOES_OTHER;
}
