/*
 * Comes before the real pvm3.h in the search path of a source that tapepp
 * rewrote, and adds the prototypes of the wrappers.
 */
#ifndef TAPE_PVM3_H
#define TAPE_PVM3_H
/* without this, gcc -pedantic complains about the next line */
#pragma GCC system_header
#include_next <pvm3.h>
#include <tape/site.h>
/* the argument and the result of pvm_recvf */
typedef int (*tape_pvm_match)(int, int, int);
typedef int (*tape_pvm_matched)(tape_pvm_match);
#include <tape/tape_prototypes_pvm.h>
#endif
