/*
 * Rewrites the calls of a source so that each hands its place over; in C:
 *
 *	MPI_Send(x, ...)   ->   tape_MPI_Send(&tape_sites[0], x, ...)
 *
 *	struct tape_rerouted r;
 *
 *	if (!tape_reroute("f.c", text, n, &r)) {
 *		fwrite(r.text, 1, r.n, stdout);
 *		tape_rerouted_free(&r);
 *	}
 *
 * Text in, text out: no files, nothing printed. The result begins with the
 * table tape_sites and a #line directive; every other byte keeps its line.
 * A text without calls comes out as it went in.
 *
 * Names are found without expanding macros. What cannot be rerouted, or might
 * not be a call, is left as it is and reported: such calls are still traced,
 * by their return address.
 */
#ifndef TAPE_REROUTE_H
#define TAPE_REROUTE_H

#include <stddef.h>

#include "rerouted.h"

/*
 * Reroutes the calls of text (n bytes of any value), known to the compiler as
 * file. r is overwritten and to be freed with tape_rerouted_free; after an
 * error there is nothing to free. Returns 0, TAPE_ENOMEM or TAPE_ERANGE (more
 * than 1 GiB). May be called by several threads at once.
 */
int tape_reroute(const char *file, const char *text, size_t n,
		 struct tape_rerouted *r);

/*
 * The same, but the first left_count calls that would be rerouted have a byte
 * each in left: one that is not 0 is the reason (enum tape_left) to leave that
 * call alone.
 */
int tape_reroute_but(const char *file, const char *text, size_t n,
		     const unsigned char *left, size_t left_count,
		     struct tape_rerouted *r);

/*
 * The same for a source in Fortran, where the program says ahead of each call
 * where it stands:
 *
 *	      call tape_mpi_at(120,120,12,
 *	     &'f.f',3,
 *	     &'step',4)
 *	# 12 "f.f"
 *	      call mpi_send(x, ...)
 *
 * and one after if (...) becomes a block. columns is the last column of a
 * statement in fixed form, 72 or more; 0: the text is in free form. A result
 * with sites begins with a line directive.
 */
int tape_reroute_fortran(const char *file, const char *text, size_t n,
			 int columns, struct tape_rerouted *r);

/* The rest of the sentence "NAME: ", static storage. */
const char *tape_left_text(enum tape_left why);

#endif
