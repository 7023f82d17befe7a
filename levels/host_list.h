/*
 * Lists of hosts as cluster tools write them: names separated by commas. A name
 * may contain several brackets; it stands for all combinations of their values.
 *
 *	node[00-15,20],login	node00 ... node15, node20, login
 *	r[1-2]n[0-1]		r1n0, r1n1, r2n0, r2n1
 *
 * Numbers get as many digits as the first number of their range. Pure.
 */
#ifndef TAPE_HOST_LIST_H
#define TAPE_HOST_LIST_H

#include <stddef.h>

enum {
	TAPE_HOST_NAME_MAX = 256, /* bytes of a name, with its NUL */
	TAPE_HOSTS_MAX = 262144	  /* names of a list, and of a file */
};

/*
 * Calls each(of, name) for each name of the list, in its order, until each
 * returns another value than 0. Returns that value, 0 at the end, or
 * TAPE_EFORMAT: then *what describes the error, and each was called for the
 * items before it.
 */
int tape_host_list(const char *list, int (*each)(void *of, const char *name),
		   void *of, const char **what);

#endif
