/*
 * Communicators, numbered for Paraver: all members use the same number, from 1.
 * MPI_COMM_WORLD is the first.
 */
#ifndef PARAVER_COMMS_H
#define PARAVER_COMMS_H

#include <stdio.h>

#include "tape_reader.h"

struct paraver_comms;

/* Dies when out of memory. t outlives it; the caller frees. */
struct paraver_comms *paraver_comms_new(const struct tape_trace *t);
void paraver_comms_free(struct paraver_comms *c);

/* Returns the number of a rank's communicator comm; 0: not defined. */
unsigned paraver_comm(const struct paraver_comms *c, int rank, uint32_t comm);

/* Writes the end of a .prv header: the number of communicators, and a line for
 * each with its tasks. An intercommunicator has the tasks of both groups. */
void paraver_comms_put(const struct paraver_comms *c, FILE *f);

#endif
