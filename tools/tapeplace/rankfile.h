/* Writes an order of ranks as a file for MPI launchers. */
#ifndef PLACE_RANKFILE_H
#define PLACE_RANKFILE_H

#include "slots.h"

enum place_format {
	PLACE_RANKFILE, /* Open MPI: rank 0=host slot=3 */
	/*
	 * one host a line, in rank order: MPICH, Slurm, smpirun, tapesim, Open
	 * MPI's mapper seq
	 */
	PLACE_HOSTS
};

/*
 * Writes the file to path, "-" for standard output. Dies if a slot has no host,
 * or the file cannot be written.
 *
 * The slot in a rankfile is the core of the position, or its package, by their
 * logical numbers. If the position has neither, it is the number of the slot on
 * its host.
 */
void place_rankfile_write(const char *path, enum place_format format,
			  const struct place_slots *s, size_t ranks,
			  const uint32_t *slot_of);

#endif
