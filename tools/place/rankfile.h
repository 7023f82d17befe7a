/* An order of ranks as a file for those who start them. */
#ifndef PLACE_RANKFILE_H
#define PLACE_RANKFILE_H

#include "slots.h"

enum place_format {
	PLACE_RANKFILE, /* Open MPI: rank 0=host slot=3 */
	PLACE_HOSTS	/* a host a line, that of rank 0 first: MPICH, Slurm,
			 * smpirun, tapesim, Open MPI's mapper seq */
};

/*
 * Writes it to path, "-" for standard output. Dies with a sentence where a
 * slot has no host, or the disk says no.
 *
 * A slot of a rankfile is the core of the position, or the package, by their
 * logical numbers; where it has neither, the number of the slot on its host.
 */
void place_rankfile_write(const char *path, enum place_format format,
			  const struct place_slots *s, size_t ranks,
			  const uint32_t *slot_of);

#endif
