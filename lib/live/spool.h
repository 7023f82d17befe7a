/*
 * The spool: a directory with the trace of each program. The files of a trace
 * are as the program would write them, without the parts that the analyser has
 * consumed (live_file.h).
 */
#ifndef TAPE_SPOOL_H
#define TAPE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

struct spool_program;

/* Ranks are smaller than this. */
enum { SPOOL_RANKS = 1 << 22 };

/* Limit of the unconsumed bytes of a flow; its writer waits beyond it. */
enum { SPOOL_LIMIT = 3 << 20 };

/* Opens the trace in an existing directory. Returns NULL if out of memory. */
struct spool_program *spool_open(const char *dir);

enum spool_result {
	SPOOL_WRITTEN,
	SPOOL_REFUSED, /* the data is not valid, or the disk is full */
	SPOOL_FAILED   /* the files cannot be written */
};

/*
 * Writes the data of a message of that rank. A file is written by one rank
 * only, from its beginning and without holes. Files that existed before are not
 * changed. Text files have at most 256 MiB. Some space of the file system is
 * left to other programs. If the data is not written, error (n bytes) gets a
 * message.
 */
enum spool_result spool_write_message(struct spool_program *p, int rank,
				      const void *message, size_t bytes,
				      char *error, size_t n);

/* Returns 1 if a process of this host writes the file rank.R. */
int spool_has_local_rank(const struct spool_program *p, int rank);

/* Makes the file rank.R. Returns 0, or -1 with errno; EEXIST: it exists. */
int spool_begin_rank(struct spool_program *p, int rank);

/* Removes the file rank.R of a rank that sent no data. */
void spool_remove_rank(struct spool_program *p, int rank);

/*
 * Returns 1 if a running analyser must consume before more data of this program
 * is written. expected: an analyser was started.
 */
int spool_is_full(struct spool_program *p, int expected);

/*
 * Returns 1 if the analyser of the program has ended. Only an analyser that
 * this function, or spool_is_full(), has seen running counts.
 */
int spool_lost_analyser(struct spool_program *p);

/* Closes the files, which are opened again when needed. */
void spool_close_files(struct spool_program *p);

void spool_close(struct spool_program *p);

#endif
