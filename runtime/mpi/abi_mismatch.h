/*
 * What can be done when this library was preloaded into a program of the other
 * family: where a script starts programs, taperun cannot know which.
 */
#ifndef TAPE_ABI_MISMATCH_H
#define TAPE_ABI_MISMATCH_H

/*
 * Is the process of the other family? Then it begins anew, before main, with
 * the library for that family in place of this one, or without any and with
 * one line that says so. Else returns.
 */
void tape_abi_mismatch(char **argv);

#endif
