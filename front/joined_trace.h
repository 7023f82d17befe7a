/* One trace of the traces of jobs that spawned one another (tapejoin). */
#ifndef TAPE_JOINED_TRACE_H
#define TAPE_JOINED_TRACE_H

#include "argument_list.h"

/*
 * Joins traces of one run. In the list, the traces of jobs that spawned one
 * another are replaced by one joined trace, which is made next to the first
 * job's. The list of ranks that tapejoin prints goes to standard error. Traces
 * that tapejoin cannot join stay in the list; tapejoin says why.
 */
void traces_join(struct argument_list *traces);

#endif
