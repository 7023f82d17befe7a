/*
 * What the preprocessor made of a rewritten source. Macros, wherever they are
 * defined, may turn a call into a string (as assert does) or make another name
 * of its own: such calls must stay as the user wrote them.
 */
#ifndef TAPE_EXPANDED_H
#define TAPE_EXPANDED_H

#include "reroute.h"

/*
 * As tape_reroute, when the preprocessor has read an earlier result: expanded
 * (en bytes) is what came out. Calls that macros made something else of are
 * left alone, and those whose header was not read. en 0: that failed.
 */
int tape_reroute_expanded(const char *file, const char *text, size_t n,
			  const char *expanded, size_t en,
			  struct tape_rerouted *r);

#endif
