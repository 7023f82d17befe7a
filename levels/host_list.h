/*
 * Lists of hosts as cluster tools write them: names with commas between them,
 * each with any number of brackets, whose values all meet.
 *
 *	node[00-15,20],login	node00 ... node15, node20, login
 *	r[1-2]n[0-1]		r1n0, r1n1, r2n0, r2n1
 *
 * Numbers get as many digits as the first of their range has. Pure.
 */
#ifndef TAPE_HOST_LIST_H
#define TAPE_HOST_LIST_H

#include <stddef.h>

enum {
	TAPE_HOST_NAME_MAX = 256, /* of one, with its NUL */
	TAPE_HOSTS_MAX = 262144	  /* of one list, and of a file */
};

/*
 * Calls each(of, name) for each name of the list, in its order, until that
 * returns other than 0. Returns that, 0 at the end, or TAPE_EFORMAT: then *what
 * says what is wrong with the list, and each was called for the items before.
 */
int tape_host_list(const char *list, int (*each)(void *of, const char *name),
		   void *of, const char **what);

#endif
