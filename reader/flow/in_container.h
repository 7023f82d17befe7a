/*
 * The bytes of a file of the trace, either one of the directory or, of ranks
 * and flows in a trace with the line "layout node" in meta, pieces of a
 * container (container.h).
 */
#ifndef TAPE_IN_CONTAINER_H
#define TAPE_IN_CONTAINER_H

#include <sys/types.h>

#include "trace.h"

/* A piece of a file in a container. */
struct tape_part {
	uint32_t rank, thread;	   /* TAPE_CONTAINER_TEXT: rank.R */
	uint64_t at, place, bytes; /* of the file; in the container */
	uint32_t container;	   /* its number in the trace */
};

/* A file while it is read. */
struct tape_part_file {
	int fd, kept; /* it stays open */
	uint64_t size;
	const struct tape_part *parts; /* n of them; NULL: a plain file */
	size_t n;
};

/*
 * Opens the file of that name, as tape_open_file does: 0, or -1 with errno.
 * What is in a container is found only there.
 */
int tape_part_open(const struct tape_trace *t, const char *name,
		   struct tape_part_file *f);

/* n bytes at that offset, fewer at the end: how many, or -1 with errno. */
ssize_t tape_part_read(const struct tape_part_file *f, void *to, size_t n,
		       uint64_t at);

void tape_part_close(struct tape_part_file *f);

#endif
