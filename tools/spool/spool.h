/*
 * The spool: a directory with the trace of each program, as it would have been
 * written, and what its analyser has not consumed yet of it (live_file.h).
 */
#ifndef TAPE_SPOOL_H
#define TAPE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

struct spool_program;

/* Room that an analyser may leave unused in a flow before its writer waits. */
enum { SPOOL_LIMIT = 3 << 20 };

/* Of a clock that nobody sets. */
int64_t spool_now_ms(void);

/* A program in that directory, which exists. NULL: out of memory. */
struct spool_program *spool_open(const char *dir);

/*
 * Writes what a message of that rank has. Non-zero: it makes no sense, or the
 * files cannot be written; one sentence is in error (n bytes).
 */
int spool_take(struct spool_program *p, int rank, const void *message,
	       size_t bytes, char *error, size_t n);

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

void spool_close(struct spool_program *p);

/* Removes a trace directory of ours, or the spool itself. */
void spool_remove(const char *dir);

#endif
