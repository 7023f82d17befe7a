/* Runs of programs that race, as text for tapedump --assemble. */
#ifndef RACE_TEXT_H
#define RACE_TEXT_H

#include <stdio.h>

#include "race_program.h"

/* The clock of a LIGHT run has another zero, ns. */
enum { RACE_LIGHT_ZERO = 54321 };

/*
 * Writes a run that has been simulated: TRACED, or one of LIGHT and REPLAYED,
 * in which all ranks begin with MPI_Init at 0.
 */
void race_put_program(FILE *f, const struct program *p, enum run run);

/* From the first start to the last end of a run, ns. */
int64_t race_program_total(const struct program *p, enum run run);

#endif
