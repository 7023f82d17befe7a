/* The matching function of a replay; see order_match.h. */
#include "order_match.h"

int tape_pvm_is_ordered;
static tape_pvm_match own, replaced; /* own: NULL outside of a call */

/* Returns the function that was set; its type is not what the header says. */
static tape_pvm_match set_match(tape_pvm_match new)
{
	return (tape_pvm_match)(void (*)(void))TAPE_REAL(pvm_recvf)(new);
}

void tape_pvm_begin_match(tape_pvm_match ours)
{
	own = ours;
	replaced = set_match(ours);
}

void tape_pvm_end_match(void)
{
	if (own)
		set_match(replaced);
	own = NULL;
}

int tape_pvm_match_as_program(int mid, int tid, int tag)
{
	return replaced(mid, tid, tag);
}

void tape_pvm_pause_match(int is_paused)
{
	if (own)
		set_match(is_paused ? replaced : own);
}
