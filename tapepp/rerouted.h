/*
 * A rewritten source: its text, its call sites, and the names that were left
 * alone.
 */
#ifndef TAPE_REROUTED_H
#define TAPE_REROUTED_H

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
	TAPE_LEFT_LABEL,       /* after a label */
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

/* Frees the contents of r, not r itself. May be called twice. */
void tape_rerouted_free(struct tape_rerouted *r);

#endif
