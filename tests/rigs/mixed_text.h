/* Runs of programs without races, as text for tapedump --assemble. */
#ifndef MIXED_TEXT_H
#define MIXED_TEXT_H

#include <stdio.h>

#include "mixed_program.h"

/* Writes the traced run. */
void mixed_put_program(FILE *f, const struct mixed_program *p);

#endif
