/*
 * Collects edits of a text and writes the rewritten text; the part of reroute.c
 * that does not depend on C.
 */
#ifndef TAPE_RESULT_H
#define TAPE_RESULT_H

#include "rerouted.h"

/* Where something goes into the text, in the text's order. */
struct tape_edit {
	size_t at;
	size_t site; /* the site to pass; ignored for a name */
	enum { TAPE_EDIT_NAME, TAPE_EDIT_ONLY, TAPE_EDIT_FIRST } what;
};

struct tape_result {
	struct tape_rerouted out;
	size_t site_size, report_size;
	struct tape_edit *edits;
	size_t edit_count, edit_size;
};

/* All return 0 or TAPE_ENOMEM. Strings are copied. */
int tape_result_site(struct tape_result *r, unsigned call, const char *name,
		     const char *file, int line, const char *function);
int tape_result_report(struct tape_result *r, enum tape_left why,
		       const char *name, const char *file, int line);
int tape_result_edit(struct tape_result *r, struct tape_edit edit);

/*
 * Makes r->out.text: text with the edits, after its first start bytes the
 * table of sites. Without sites a copy.
 */
int tape_result_write(struct tape_result *r, const char *file,
		      const char *text, size_t n, size_t start);

/* Forgets everything. */
void tape_result_clear(struct tape_result *r);

#endif
