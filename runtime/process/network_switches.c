/* The file of switches; see network_switches.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "own_stack.h"
#include "message.h"
#include "network_switches.h"

TAPE_ON_OWN_STACK
struct tape_network *tape_switches_read(const char *path)
{
	struct tape_network_fault fault;
	struct tape_network *n;
	int e = tape_network_read(&n, path, &fault);
	char line[24] = "";

	if (!e)
		return n;
	if (e == TAPE_EIO)
		fault.what = strerror(errno);
	else if (e == TAPE_EFORMAT && fault.line)
		snprintf(line, sizeof line, ":%u", fault.line);
	tape_say("%.800s%s: %s; positions are recorded without switches", path,
		 line, fault.what);
	return NULL;
}
TAPE_ON_OWN_STACK_END
