/*
 * The functions that leave calls: each has an entry (longjmp_entries.c) that
 * calls tape_find_jump with its number and jumps to the function that
 * tape_find_jump returns, with the stack and the arguments of the caller.
 */
#ifndef TAPE_LONGJMP_ENTRIES_H
#define TAPE_LONGJMP_ENTRIES_H

enum tape_jump {
	TAPE_LONGJMP,
	TAPE_LONGJMP_BSD,
	TAPE_SIGLONGJMP,
	TAPE_LONGJMP_CHECKED,
	TAPE_RAISE,
	TAPE_RAISE_AGAIN,
	TAPE_FORCE,
	TAPE_JUMPS
};

/* Notes the jump and returns the real function. */
void *tape_find_jump(enum tape_jump which)
    __attribute__((visibility("hidden")));

#endif
