/*
 * A call site that tapepp found: one row of the table at the start of each
 * file that it rewrote,
 *
 *	static struct tape_site tape_sites[2] = {
 *		{ 101, 0, 0, 12, "f.c", "main" },
 *		{ 120, 0, 0, 19, "f.c", "work" },
 *	};
 *
 * and the first argument of the wrappers: tape_MPI_Send(&tape_sites[1], ...).
 * Compiled programs hold such tables: members are neither moved nor added.
 * Includes nothing, for it comes before the first line of the user.
 */
#ifndef TAPE_SITE_H
#define TAPE_SITE_H

struct tape_site {
	unsigned short call;  /* number in the catalogue */
	unsigned short flags; /* the runtime's; 0 at first */
	unsigned id;          /* number in the trace, from the first event on;
				 the runtime's; 0 at first */
	int line;             /* in file, from 1 */
	const char *file;     /* as the compiler knows it, never NULL */
	const char *function; /* the function around the call; "" if unknown */
};

#endif
