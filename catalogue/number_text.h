/*
 * Numbers from text. Each function reads the number at the start of a text, as
 * strtoll and strtod do: blanks before it are skipped.
 *
 * Parameters: least and most are the range of accepted values, both inclusive.
 * If rest is NULL, the number must be the whole text. Otherwise *rest becomes
 * the address of the first character after the number.
 *
 * Results: 0; TAPE_EFORMAT if there is no number, or text after it; or
 * TAPE_ERANGE. *value and *rest are set only if the result is 0. errno stays:
 * the runtime reads numbers inside of calls of the traced program.
 */
#ifndef TAPE_NUMBER_TEXT_H
#define TAPE_NUMBER_TEXT_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static inline int tape_number_end(const char *text, const char *end,
				  const char **rest)
{
	if (end == text || (*end && !rest))
		return TAPE_EFORMAT;
	if (rest)
		*rest = end;
	return 0;
}

/* A whole number in decimal. */
static inline int tape_parse_whole(const char *text, int64_t least,
				   int64_t most, int64_t *value,
				   const char **rest)
{
	char *end;
	int before = errno, is_out;
	int64_t n;

	errno = 0;
	n = strtoll(text, &end, 10);
	is_out = errno || n < least || n > most;
	errno = before;
	if (end != text && is_out)
		return TAPE_ERANGE;
	if (tape_number_end(text, end, rest))
		return TAPE_EFORMAT;
	*value = n;
	return 0;
}

/* A whole number from 0 to most, in base 10 or 16. */
static inline int tape_parse_unsigned(const char *text, int base, uint64_t most,
				      uint64_t *value, const char **rest)
{
	const char *first = text + strspn(text, " \t\n\v\f\r");
	char *end;
	int before = errno, is_out;
	uint64_t n;

	if (*first == '-')
		return TAPE_EFORMAT;
	errno = 0;
	n = strtoull(text, &end, base);
	is_out = errno || n > most;
	errno = before;
	if (end != text && is_out)
		return TAPE_ERANGE;
	if (tape_number_end(text, end, rest))
		return TAPE_EFORMAT;
	*value = n;
	return 0;
}

/*
 * A real number. Infinity is accepted if the range contains it; what is no
 * number (NaN) never is. A number too small for a double is rounded.
 */
static inline int tape_parse_real(const char *text, double least, double most,
				  double *value, const char **rest)
{
	char *end;
	int before = errno;
	double x = strtod(text, &end);

	errno = before;
	if (end != text && !(x >= least && x <= most))
		return TAPE_ERANGE;
	if (tape_number_end(text, end, rest))
		return TAPE_EFORMAT;
	*value = x;
	return 0;
}

/*
 * One item of a list such as "0-3,7": "7" (from and to are 7), or "0-3" with a
 * digit right after the dash. *list is moved after it if the result is 0.
 */
static inline int tape_parse_range(const char **list, uint64_t most,
				   uint64_t *from, uint64_t *to)
{
	const char *rest;
	int rc = tape_parse_unsigned(*list, 10, most, from, &rest);

	if (rc)
		return rc;
	*to = *from;
	if (*rest == '-' && (rest[1] < '0' || rest[1] > '9'))
		return TAPE_EFORMAT;
	if (*rest == '-')
		rc = tape_parse_unsigned(rest + 1, 10, most, to, &rest);
	if (rc || *to < *from)
		return rc ? rc : TAPE_ERANGE;
	*list = rest;
	return 0;
}

/*
 * The value of the digits at the start of a text that another part of Tape, or
 * a launcher, has written; 0 without digits or text.
 */
static inline uint64_t tape_leading_number(const char *text, int base)
{
	int before = errno;
	uint64_t n = text ? strtoull(text, NULL, base) : 0;

	errno = before;
	return n;
}

#endif
