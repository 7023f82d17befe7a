/*
 * Where the ranks of a program are, as text and as JSON: what tapewhere prints,
 * and what tapelive shows of it.
 */
#ifndef WHERE_H
#define WHERE_H

#include <stdio.h>

#include "wait_graph.h"

enum { WHERE_TEXT_BYTES = 900 };

/* "MPI_Recv x.c:9" of a call site of the rank; one line. Returns text. */
const char *where_place_text(const struct where_states *s, int rank,
			     uint32_t site, unsigned call, char *text,
			     size_t size);

/* "rank 3", "ranks 0-2 and 5"; with a capital letter if is_first. */
const char *where_ranks_text(const int *rank, size_t n, int is_first,
			     char *text, size_t size);

/* What the call of the flow waits for: "a message of rank 1 (tag 5)"; "":
 * nothing is known. Returns text. */
const char *where_target_text(const struct wait_graph *g,
			      const struct where_flow *f, char *text,
			      size_t size);

/*
 * What the flow does and for whom it waits: "is in MPI_Recv x.c:9 for 3.41 s,
 * for a message of rank 1 (tag 5)". Returns text.
 */
const char *where_flow_text(const struct wait_graph *g,
			    const struct where_flow *f, char *text,
			    size_t size);

/*
 * Write the answer as text. where_print_verdicts: the lines on what can never
 * end. where_print_ranks: the ranks that others wait for, and a line for each
 * group of ranks that do the same.
 */
void where_print_text(const struct wait_graph *g, FILE *to);
void where_print_verdicts(const struct wait_graph *g, FILE *to);
void where_print_ranks(const struct wait_graph *g, FILE *to);

/* Prints the answer as one JSON object on standard output. */
void where_print_json(const struct wait_graph *g);

#endif
