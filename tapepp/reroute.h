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

/* Why a name was left alone. */
enum tape_left {
	TAPE_LEFT_NO_CALL,     /* its address is used, or it stands alone */
	TAPE_LEFT_DECLARATION, /* it looks like a declaration */
	TAPE_LEFT_DECLARED,    /* this file has its own declaration of it */
	TAPE_LEFT_MACRO,       /* this file makes it a macro */
	TAPE_LEFT_PASTED,      /* its name is put together by ## */
	TAPE_LEFT_INLINE,      /* in an inline function that is not static */
	TAPE_LEFT_OUTSIDE,     /* outside of any function */
	TAPE_LEFT_VARIABLE,    /* a variable here has its name */
	TAPE_LEFT_STRING,      /* a macro makes a string of it */
	TAPE_LEFT_UNDECLARED,  /* no header of MPI's or PVM's was read */

	/* and of Fortran */
	TAPE_LEFT_LABEL,       /* behind a label */
	TAPE_LEFT_FUNCTION,    /* a function outside a plain assignment */
	TAPE_LEFT_CROWDED,     /* other statements in its way on the line */
	TAPE_LEFT_CUT,         /* by lines of the preprocessor */
	TAPE_LEFT_EXTERNAL     /* "implicit none (external)" forbids ours */
};

struct tape_reroute_site {
	const char *name;  /* of the call, static storage */
	unsigned call;     /* its number in the catalogue */
	int line;          /* in file, from 1 */
	char *file;        /* as given, or as #line says */
	char *function;    /* the function around it; "" if unknown */
};

struct tape_reroute_report {
	enum tape_left why;
	int line;
	char *file, *name;
};

struct tape_rerouted {
	char *text;  /* n bytes, not ended by NUL */
	size_t n;
	struct tape_reroute_site *sites; /* as in the table tape_sites */
	size_t site_count;
	struct tape_reroute_report *reports; /* in the order of the text */
	size_t report_count;
};

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
 * and one behind if (...) becomes a block. columns is the last column of a
 * statement in fixed form, 72 or more; 0: the text is in free form. A result
 * with sites begins with a line directive.
 */
int tape_reroute_fortran(const char *file, const char *text, size_t n,
			 int columns, struct tape_rerouted *r);

/* Frees the contents of r, not r itself. May be called twice. */
void tape_rerouted_free(struct tape_rerouted *r);

/* The rest of the sentence "NAME: ", static storage. */
const char *tape_left_text(enum tape_left why);

#endif
