/* Calls by colour; see groups.h. */
#include "groups.h"
#include "tape_reader.h"

const char *view_group_name(enum view_group g)
{
	switch (g) {
	case VIEW_COMPUTING:
		return "computing";
	case VIEW_SEND:
		return "send";
	case VIEW_RECEIVE:
		return "receive";
	case VIEW_WAIT:
		return "wait, test, probe";
	case VIEW_COLLECTIVE:
		return "collective";
	case VIEW_ONE_SIDED:
		return "one-sided";
	case VIEW_FILES:
		return "files";
	case VIEW_LIFE:
		return "start and end";
	case VIEW_OTHER:
		return "other calls";
	case VIEW_GROUPS:
		break;
	}
	return "?";
}

/* No default, so that the compiler warns of a new class. */
static enum view_group group_of_class(enum tape_class c)
{
	switch (c) {
	case TAPE_CLASS_SEND:
	case TAPE_CLASS_ISEND:
	case TAPE_CLASS_PSEND:
	case TAPE_CLASS_PREADY:
	case TAPE_CLASS_MCAST:
		return VIEW_SEND;
	case TAPE_CLASS_RECV:
	case TAPE_CLASS_IRECV:
	case TAPE_CLASS_SENDRECV:
	case TAPE_CLASS_ISENDRECV:
	case TAPE_CLASS_MRECV:
	case TAPE_CLASS_IMRECV:
	case TAPE_CLASS_NRECV:
		return VIEW_RECEIVE;
	case TAPE_CLASS_PROBE:
	case TAPE_CLASS_IPROBE:
	case TAPE_CLASS_MPROBE:
	case TAPE_CLASS_IMPROBE:
	case TAPE_CLASS_START:
	case TAPE_CLASS_WAIT:
	case TAPE_CLASS_TEST:
	case TAPE_CLASS_QUERY:
	case TAPE_CLASS_GREQUEST:
	case TAPE_CLASS_REQ:
		return VIEW_WAIT;
	case TAPE_CLASS_COLL:
	case TAPE_CLASS_ICOLL:
		return VIEW_COLLECTIVE;
	case TAPE_CLASS_WIN_NEW:
	case TAPE_CLASS_RMA:
	case TAPE_CLASS_IRMA:
	case TAPE_CLASS_EPOCH:
	case TAPE_CLASS_PSCW:
	case TAPE_CLASS_WINTEST:
		return VIEW_ONE_SIDED;
	case TAPE_CLASS_FILE_NEW:
	case TAPE_CLASS_IO:
	case TAPE_CLASS_IO_AT:
	case TAPE_CLASS_IIO:
	case TAPE_CLASS_IIO_AT:
		return VIEW_FILES;
	case TAPE_CLASS_LOCAL:
	case TAPE_CLASS_ABORT:
	case TAPE_CLASS_SPAWN:
	case TAPE_CLASS_THREAD:
	case TAPE_CLASS_PACK:
	case TAPE_CLASS_COMM_NEW:
	case TAPE_CLASS_COMM_INEW:
	case TAPE_CLASS_COMM_FREE:
	case TAPE_CLASS_ENTER:
	case TAPE_CLASS_LEAVE:
	case TAPE_CLASS_OFF:
	case TAPE_CLASS_ON:
	case TAPE_CLASS_COUNTED:
	case TAPE_CLASS_BLOCK:
	case TAPE_CLASS_COUNT:
		break;
	}
	return VIEW_OTHER;
}

enum view_group view_group_of(unsigned call)
{
	if (tape_call_traits(call) & TAPE_TRAIT_LIFE)
		return VIEW_LIFE;
	return group_of_class((enum tape_class)tape_call_class(call));
}
