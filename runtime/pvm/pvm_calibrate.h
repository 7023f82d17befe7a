/*
 * The constant part of alpha, by class: measured when a task starts, with the
 * wrappers' own parts around calls of the library that are short.
 */
#ifndef TAPE_PVM_CALIBRATE_H
#define TAPE_PVM_CALIBRATE_H

#include "core.h"

/*
 * Defines one line "alpha" for each class of PVM's calls; the thread records
 * nothing before and after. The library's buffers and its error stay as they
 * are, and no message is sent. Takes a quarter of a millisecond.
 *
 * Where PVM itself traces the task the library's calls are events to it: then
 * none is made, and f measures each alpha where it arises.
 */
void tape_pvm_calibrate(struct tape_flow *f);

#endif
