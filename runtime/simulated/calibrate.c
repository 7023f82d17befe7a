/* In place of runtime/mpi/calibrate.c: an event takes no simulated time. */
#include "calibrate.h"
#include "define.h"

void tape_calibrate(struct tape_flow *f)
{
	static const char *const classes[] = {
		"local", "send", "isend", "recv", "irecv", "sendrecv", "wait",
		"start", "req", "coll", "done", "ask"
	};

	(void)f;
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		tape_define("alpha %s 0 0\n", classes[i]);
}
