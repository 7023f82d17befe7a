/* tape_off and tape_on, also by the names of Fortran; see tape.h. */
#include "assembler.h"
#include "buffer.h"
#include "flows.h"
#include "tape.h"

/* This thread's flow, unless it is in a call, has ended or never began. */
static struct tape_flow *own_flow(void)
{
	struct tape_flow *f = tape_own;

	return tape_process.state == TAPE_RUNNING && f && f->chunk && !f->end &&
		       (!f->self || tape_current) &&
		       !tape_flow_is_forked_copy(f)
		   ? f
		   : NULL;
}

TAPE_EXPORT void tape_off(void)
{
	struct tape_flow *f = tape_flow_now();

	tape_flows_switch_off(1);
	f = own_flow();
	if (!f || f->switched_off)
		return;
	f->self = f;
	tape_buffer_mark(f, TAPE_CODE_OFF, 0);
	if (f->end)
		return;
	f->switched_off = 1;
	tape_flow_switch(f);
}
TAPE_FORTRAN_NAMES("tape_off", "tape_off");

TAPE_EXPORT void tape_on(void)
{
	struct tape_flow *f = own_flow();

	tape_flows_switch_off(0);
	if (!f || !f->switched_off || f->end ||
	    tape_process.state != TAPE_RUNNING)
		return;
	f->self = f;
	tape_buffer_mark(f, TAPE_CODE_ON, 0);
	if (f->end)
		return;
	f->switched_off = 0;
	tape_flow_switch(f);
}
TAPE_FORTRAN_NAMES("tape_on", "tape_on");
