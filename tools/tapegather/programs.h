/* The traces in the spool that receive data from other hosts. */
#ifndef TAPE_PROGRAMS_H
#define TAPE_PROGRAMS_H

#include <stddef.h>

struct programs; /* all traces in the spool */
struct program;	 /* one trace */

/* Opens the spool; dies with a message if dir is not a directory. */
struct programs *programs_open(const char *dir);

/*
 * Makes the directory of a new trace of a program with that name. Returns NULL
 * with a message in error (n bytes) if it cannot.
 */
struct program *programs_create_trace(struct programs *all, const char *name,
				      char *error, size_t n);

/* Finds the trace in that directory of the spool; NULL as above. */
struct program *programs_find_trace(struct programs *all, const char *dir,
				    char *error, size_t n);

const char *program_dir(const struct program *p);

/*
 * Makes the process with that identity (TAPE_GATHER_IDENTITY bytes) the owner
 * of the rank. Returns the rank; or -1 with a message in error if a process on
 * this host writes the rank, or another process owns it.
 */
int program_claim_rank(struct program *p, int rank,
		       const unsigned char *identity, char *error, size_t n);

/* Makes the process the owner of the next free rank; returns as above. */
int program_claim_next_rank(struct program *p, const unsigned char *identity,
			    char *error, size_t n);

/* Removes a rank that sent no data and will send none. */
void program_remove_rank(struct program *p, int rank);

/* Records that the data of the rank has ended (1), or begins anew (0). */
void program_mark_ended(struct program *p, int rank, int gone);

/*
 * Writes a message of the rank. Returns non-zero if this message and all later
 * messages are rejected; the reason has been printed.
 */
int program_write_message(struct program *p, int rank, const void *message,
			  size_t bytes);

/* Returns 1 if the analyser must consume before more data is written. */
int program_is_full(struct program *p);

/* Returns 1 if no more data is written: writing failed, or the analyser has
 * ended. */
int program_is_closed(const struct program *p);

/* Checks whether the analysers still run. */
void programs_check_analysers(struct programs *all);

/* Returns 1 if some data was rejected. */
int programs_refused_data(void);

/* Closes files, which are opened again when needed. */
void programs_close_files(struct programs *all);

void programs_close(struct programs *all);

#endif
