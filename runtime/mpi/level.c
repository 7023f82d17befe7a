/* Levels of MPI_Pcontrol; see level.h. */
#include <errno.h>
#include <stdio.h>

#include "level.h"
#include "tape.h"

void tape_level(int level)
{
	char name[32];
	int error = errno;

	if (!level) {
		tape_off();
		return;
	}
	tape_on();
	if (level < 2)
		return;
	snprintf(name, sizeof name, "MPI_Pcontrol %d", level);
	tape_enter(name);
	tape_leave();
	errno = error;
}
