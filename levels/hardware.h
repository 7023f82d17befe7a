/*
 * The hardware inside a host: the path to each of its processors, from hwloc.
 * Without hwloc (TAPE_HAVE_HWLOC) it is empty.
 *
 *	Package:1/NUMANode:1/L3:1/L2:5/L1d:5/Core:5
 *
 * A path lists the objects below the machine, with hwloc's names and logical
 * numbers. A NUMA node is a step after the object that it belongs to. A
 * processing unit (PU) is a step only if its core has several of them. hwloc's
 * own variables (HWLOC_SYNTHETIC, HWLOC_XMLFILE) act as in hwloc.
 */
#ifndef TAPE_HARDWARE_H
#define TAPE_HARDWARE_H

#include <stddef.h>

#include "position.h"

struct tape_hardware {
	int n;	     /* processors, by the system's numbers; 0: unknown */
	char **to;   /* path to each processor, "" if it does not exist */
	int is_node; /* the machine is one NUMA node with several packages, so
		      * that no path has a step for it */
};

/*
 * Reads the hardware of this host from hwloc: takes about 10 ms, on large hosts
 * more. The caller passes *h to tape_hardware_free. Returns 0, also without
 * hwloc, or TAPE_ENOMEM.
 */
int tape_hardware_load(struct tape_hardware *h);
void tape_hardware_free(struct tape_hardware *h);

/* Returns 1 if Tape was built with hwloc. */
int tape_hardware_known(void);

/*
 * Convert the hardware to a text of one line per processor, and back, so that
 * one process of a host can read it for all. The caller frees the text; NULL:
 * memory is short. tape_hardware_parse returns 0, TAPE_ENOMEM, or TAPE_EFORMAT.
 */
char *tape_hardware_text(const struct tape_hardware *h);
int tape_hardware_parse(struct tape_hardware *h, const char *text);

/*
 * Appends to position the lowest object that contains all processors of the
 * binding: the calling thread's current binding in the kernel, or the list in
 * the variable TAPE_BINDING ("0-3,8" or "all"), which imitates another machine.
 * Appends nothing if the processors have only the machine in common: the
 * process is not bound (goglin-2018, section 3.2.4). Returns 0, or TAPE_ERANGE
 * if TAPE_BINDING is not a list.
 */
int tape_hardware_position(const struct tape_hardware *h,
			   char position[TAPE_POSITION_MAX]);

#endif
