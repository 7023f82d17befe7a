/* A duration as a person reads it: three digits and a unit. */
#ifndef TAPE_DURATION_TEXT_H
#define TAPE_DURATION_TEXT_H

#include <stddef.h>

enum { TAPE_DURATION_TEXT_BYTES = 32 };

/*
 * Writes the duration ns (nanoseconds, of either sign) into text: "1.53 s",
 * "12.3 ms", "7.1 us", from 100 s on whole seconds, "0 s" for none, "-" for
 * what is not finite. The unit is chosen after rounding, so that 999.7 ms is
 * "1.00 s". size is the room in text; TAPE_DURATION_TEXT_BYTES are enough for
 * up to 10^18 s. Returns text.
 */
const char *tape_duration_text(double ns, char *text, size_t size);

#endif
