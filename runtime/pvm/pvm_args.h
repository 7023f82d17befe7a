/* The arguments of a call of PVM, by role (catalogue/kinds.tab). */
#ifndef TAPE_PVM_ARGS_H
#define TAPE_PVM_ARGS_H

#include <stddef.h>
#include <stdint.h>

struct tape_pvm_args {
	unsigned call, shape;
	unsigned traits; /* bits of enum tape_trait */
	int rc;
	uint64_t start, end; /* ticks around the real call */
	int peer, tag, root, n;
	int count, type;     /* items, and PVM_INT and so on */
	size_t item;         /* or the bytes of each */
	const char *text;    /* packed as a string */
	const char *name;    /* of a group */
	const int *tids;
};

#endif
