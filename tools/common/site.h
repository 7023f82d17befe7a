/* Call sites as one reads them. */
#ifndef TAPE_SITE_TEXT_H
#define TAPE_SITE_TEXT_H

#include <stddef.h>

#include "tape_reader.h"

/*
 * "file:line function", or "module+0xaddress" where that is all that is
 * known, to text of n bytes. s may be NULL: "unknown".
 */
void tape_site_text(const struct tape_site_info *s, char *text, size_t n);

/* A call site of a rank of t; NULL: none, or not defined. */
const struct tape_site_info *tape_site_of(const struct tape_trace *t, int rank,
					  uint32_t site);

#endif
