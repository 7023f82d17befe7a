/* Bytes as text (RFC 4648). */
#ifndef TAPE_BASE64_H
#define TAPE_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* In lines of 4096 characters; each ends with a newline. */
void tape_base64(FILE *f, const unsigned char *p, size_t n);

#endif
