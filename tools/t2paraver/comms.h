/*
 * Communicators as Paraver numbers them: one number for all members, from 1;
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

/* Of what a rank calls comm; 0: it is not defined. */
unsigned paraver_comm(const struct paraver_comms *c, int rank, uint32_t comm);

/* The end of the head of a .prv: how many, and a line of each with its tasks;
 * those of both groups, where it has two. */
void paraver_comms_put(const struct paraver_comms *c, FILE *f);

#endif
