/* Calls by colour; see groups.h. */
#include "groups.h"
#include "tape_class_uses.h"
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

/* Groups of classes (catalogue/classes.tab). */
static const unsigned char class_group[TAPE_CLASS_COUNT] = {
#define GROUP(class_, waits, channel, group, doing)                            \
	[TAPE_CLASS_##class_] = VIEW_##group,
    TAPE_CLASS_USES(GROUP)
#undef GROUP
};

enum view_group view_group_of(unsigned call)
{
	if (tape_call_traits(call) & TAPE_TRAIT_LIFE)
		return VIEW_LIFE;
	return (enum view_group)class_group[tape_call_class(call)];
}
