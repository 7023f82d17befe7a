/*
 * What is inside a host: the way to each of its processors, by hwloc; without
 * hwloc (TAPE_HAVE_HWLOC) nothing.
 *
 *	Package:1/NUMANode:1/L3:1/L2:5/L1d:5/Core:5
 *
 * That is the object, beginning below the machine, with hwloc's names and
 * logical numbers. A NUMA node is a step after the object that it belongs to. A
 * processing unit (PU) is a step where its core has several of them. hwloc's
 * own variables (HWLOC_SYNTHETIC, HWLOC_XMLFILE) act as they do for hwloc.
 */
#ifndef TAPE_HARDWARE_H
#define TAPE_HARDWARE_H

#include <stddef.h>

#include "position.h"

struct tape_hardware {
	int n;	   /* of processors, by the system's numbers; 0: not known */
	char **to; /* the way to each, "" to one that is not there */
	int is_node; /* the machine is one NUMA node, and has a step for it
		      * nowhere below: several packages are in that node */
};

/*
 * Asks hwloc about this host: may take some 10 ms, on large hosts more. *h is
 * to be given to tape_hardware_free. Returns 0, also without hwloc, or
 * TAPE_ENOMEM.
 */
int tape_hardware_load(struct tape_hardware *h);
void tape_hardware_free(struct tape_hardware *h);

/* Was Tape built with hwloc? */
int tape_hardware_known(void);

/*
 * All of it as one text, and back: one line for each processor, so that one
 * process of a host can ask for all. The text is to be freed by the caller;
 * NULL if memory is short. tape_hardware_parse returns 0, TAPE_ENOMEM, or
 * TAPE_EFORMAT.
 */
char *tape_hardware_text(const struct tape_hardware *h);
int tape_hardware_parse(struct tape_hardware *h, const char *text);

/*
 * Appends to position what holds all processors that this process may run on:
 * the calling thread's binding, as the kernel has it now, or, for runs that are
 * to look like another machine's, the one in the variable TAPE_BINDING: a list
 * like "0-3,8", or "all". Nothing is appended if they have nothing in common
 * but the machine: the process is not bound (goglin-2018, section 3.2.4).
 * Returns 0, or TAPE_ERANGE: TAPE_BINDING is no such list.
 */
int tape_hardware_position(const struct tape_hardware *h,
			   char position[TAPE_POSITION_MAX]);

#endif
