/*
 * Where a process is in the hierarchy of the hardware: its position, as text.
 *
 *	Cluster/Switch2:0/Switch1:3/Machine:node7/Package:1/L3:1/Core:5
 *
 * From the widest level to the narrowest that holds the whole binding of the
 * process. Each step is TYPE or TYPE:NAME and stands for one piece of hardware
 * below the step before it; two processes share a piece if their positions are
 * equal up to and with its step. So
 *
 *	what processes share      the longest common beginning, in steps
 *	the type of that          the last step's, the lowest of several levels
 *	                          that hold the same (redundant ones)
 *	what they are split by    the step after that
 *
 * (goglin-2018, sections 3.2 and 4.1: "the deepest object that encompasses all
 * processes".) The first step is always Cluster, and a step Machine names the
 * host. Pure: no MPI, no state, no allocation.
 */
#ifndef TAPE_POSITION_H
#define TAPE_POSITION_H

#include <stddef.h>

enum {
	TAPE_POSITION_MAX = 1024, /* bytes of a position, with its NUL */
	TAPE_STEP_MAX = 264,	  /* of one step: a type and a host's name */
	TAPE_LEVEL_MAX = 64,	  /* of a type */
	TAPE_STEPS_MAX = 32
};

#define TAPE_LEVEL_CLUSTER "Cluster"
#define TAPE_LEVEL_MACHINE "Machine"

/*
 * Is text a position: 1 to TAPE_STEPS_MAX steps with a type each, not longer
 * than the constants above allow, and no blank or control character in it? For
 * what comes from a file.
 */
int tape_position_valid(const char *text);

/* Returns the bytes of the common beginning of a and b, in whole steps. */
size_t tape_position_common(const char *a, const char *b);

/* Cuts a to its common beginning with b. */
void tape_position_cut(char *a, const char *b);

/* Number of steps in the first bytes of position. */
int tape_position_depth(const char *position, size_t bytes);

/*
 * The type of the last step in the first bytes of position (all of it: its
 * length), into type. "" if bytes is 0.
 */
void tape_position_type(const char *position, size_t bytes,
			char type[TAPE_LEVEL_MAX]);

/* The step after the first bytes of position into step; "": none. */
void tape_position_next(const char *position, size_t bytes,
			char step[TAPE_STEP_MAX]);

/*
 * Bytes of position up to and with its last step of that type, case ignored;
 * 0: it has none.
 */
size_t tape_position_find(const char *position, const char *type);

/*
 * Appends a step, TYPE:NAME, or TYPE if name is NULL. Characters that a step
 * cannot have, and colons in a type, become _. Returns 0, or TAPE_ERANGE if it
 * would be too long: then nothing is appended.
 */
int tape_position_add(char position[TAPE_POSITION_MAX], const char *type,
		      const char *name);

#endif
