/* What program and library of statics.cpp share; both are built with the same
 * BEGIN and END. */
#ifndef STATICS_H
#define STATICS_H

/* MPI_Init and MPI_Finalize. */
void statics_begin();
void statics_end();

/* Sends something around, if that is allowed now, and prints what came. */
void statics_exchange(const char *where);

void statics_state(const char *where, int flag);

#endif
