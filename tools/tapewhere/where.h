/* The answer of tapewhere, as text and as JSON. */
#ifndef WHERE_H
#define WHERE_H

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

/* Print the answer on standard output. */
void where_print_text(const struct wait_graph *g);
void where_print_json(const struct wait_graph *g);

#endif
