/*
 * The spool: a directory with the trace of each program, as it would have been
 * written, and what its analyser has not consumed yet of it (live_file.h).
 */
#ifndef TAPE_SPOOL_H
#define TAPE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

struct spool_program;

/* Numbers that a rank can have. */
enum { SPOOL_RANKS = 1 << 22 };

/* Room that an analyser may leave unused in a flow before its writer waits. */
enum { SPOOL_LIMIT = 3 << 20 };

/* A program in that directory, which exists. NULL: out of memory. */
struct spool_program *spool_open(const char *dir);

enum spool_result {
	SPOOL_TAKEN,
	SPOOL_REFUSED, /* the sender's fault, or there is no room for more */
	SPOOL_FAILED   /* the files cannot be written */
};

/*
 * Writes what a message of that rank has. Each file is written by one rank
 * only, from its beginning, without holes; none that was there before is
 * touched. Text files have 256 MiB at most, and some room of the file system is
 * left to others. Where it is not taken one sentence is in error (n bytes).
 */
enum spool_result spool_take(struct spool_program *p, int rank,
			     const void *message, size_t bytes, char *error,
			     size_t n);

/* Is there a file of that rank which did not come by spool_take? */
int spool_is_written(const struct spool_program *p, int rank);

/* Makes the file rank.R; -1 with errno, EEXIST where the rank is somebody's. */
int spool_begin_rank(struct spool_program *p, int rank);

/* That rank sent nothing: as if it had not been begun. */
void spool_forget_rank(struct spool_program *p, int rank);

/*
 * Is somebody to consume first, and does so? Then nothing more of this program
 * is to be taken now. expected: an analyser was started.
 */
int spool_is_full(struct spool_program *p, int expected);

/*
 * Had it an analyser, which is gone? Known where this, or spool_is_full, was
 * asked while it was there.
 */
int spool_is_left(struct spool_program *p);

/* Gives descriptors back until files are written again. */
void spool_close_files(struct spool_program *p);

void spool_close(struct spool_program *p);

#endif
