/*
 * From an address in a program or library to function, file and line, by its
 * debug information (elfutils' libdw): in the file itself, or where
 * distributions put it (.gnu_debuglink, /usr/lib/debug, by build-id).
 *
 *	struct tape_lines *l;
 *	struct tape_line p;
 *
 *	if (tape_lines_open(module, &l) <= TAPE_LINES_NONE)
 *		tape_lines_find(l, address - 1, &p);
 *	tape_lines_close(l);
 *
 * Nothing is executed, and only regular files are opened. The library parses
 * whatever the file holds: a caller that does not trust it does this in a
 * process that may die (resolve.c).
 */
#ifndef TAPE_ELF_LINES_H
#define TAPE_ELF_LINES_H

#include "tape_reader.h"

enum tape_lines_status {
	TAPE_LINES_OK,
	TAPE_LINES_NONE,    /* without debug information: functions at most */
	TAPE_LINES_ABSENT,  /* no regular file of that name */
	TAPE_LINES_OTHER,   /* there is another build by now */
	TAPE_LINES_UNKNOWN, /* which build it was is not recorded */
	TAPE_LINES_LARGE,   /* its compressed sections would take too much */
	TAPE_LINES_SLOW,    /* given up after some time (resolve.c) */
	TAPE_LINES_BROKEN   /* it is not what it should be */
};

/* 1 if built with libdw. Without it every file is TAPE_LINES_BROKEN. */
int tape_lines_built_in(void);

struct tape_lines;

/* Memory for a file of that size, beyond what the process has: bytes. */
static inline uint64_t tape_lines_room(uint64_t file_bytes)
{
	return ((uint64_t)1 << 30) + 16 * file_bytes;
}

/*
 * Opens the file of m if it is the build that m is: by the build-id, else by
 * size and date. *l is to be closed for the first two results; NULL and m
 * NULL are accepted.
 */
enum tape_lines_status tape_lines_open(const struct tape_module_info *m,
				       struct tape_lines **l);
void tape_lines_close(struct tape_lines *l);

struct tape_line {
	const char *file;     /* "" when unknown; until the next call */
	int line;
	const char *function; /* as the linker knows it (mangled), or "" */
};

/*
 * Where address is, as linked: the innermost function there, also when it was
 * inlined. For a call, give an address within its instruction: the return
 * address less one.
 */
void tape_lines_find(struct tape_lines *l, uint64_t address,
		     struct tape_line *p);

#endif
