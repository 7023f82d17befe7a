/* Numbers from text: against texts written out by hand, against sscanf, and
 * against numbers printed by printf. Seed 11. */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "tap.h"

enum { NUMBERS = 20000 };

static uint64_t random_bits(void)
{
	uint64_t x = 0;

	for (int i = 0; i < 5; i++)
		x = x << 15 ^ (uint64_t)(rand() & 0x7fff);
	return x >> rand() % 64;
}

/* Every number that printf writes is read again, alone and before a text. */
static void whole_numbers(void)
{
	unsigned wrong = 0;

	for (int i = 0; i < NUMBERS; i++) {
		uint64_t u = random_bits(), u2 = 0, u3 = 0;
		int64_t n = (int64_t)(i % 2 ? u : -u), n2 = 0;
		const char *rest = NULL;
		char text[40];

		snprintf(text, sizeof text, "%" PRId64 ":x", n);
		wrong += tape_parse_whole(text, INT64_MIN, INT64_MAX, &n2,
					  &rest) != 0 ||
			 n2 != n || strcmp(rest, ":x") != 0;
		wrong += tape_parse_whole(text, INT64_MIN, INT64_MAX, &n2,
					  NULL) != TAPE_EFORMAT;
		snprintf(text, sizeof text, "%" PRIu64, u);
		wrong += tape_parse_unsigned(text, 10, UINT64_MAX, &u2, NULL) ||
			 u2 != u || tape_leading_number(text, 10) != u;
		snprintf(text, sizeof text, "%" PRIx64 " rest", u);
		wrong +=
		    tape_parse_unsigned(text, 16, UINT64_MAX, &u3, &rest) ||
		    u3 != u || tape_leading_number(text, 16) != u;
	}
	ok(!wrong, "%d whole numbers: %u wrong", NUMBERS, wrong);
}

/* Texts without a limit that matters: sscanf says what is a number. */
static void random_texts(void)
{
	static const char letters[] = "0123456789-+. e";
	unsigned wrong = 0, numbers = 0;

	for (int i = 0; i < NUMBERS; i++) {
		char text[7] = "";
		int n = -1, number, rc;
		long long truth = 0;
		int64_t mine = 0;
		double real_truth = 0, real_mine = 0;

		for (int k = 0; k < 1 + i % 6; k++)
			text[k] = letters[rand() % (int)(sizeof letters - 1)];
		number = sscanf(text, "%lld%n", &truth, &n) == 1 && !text[n];
		rc = tape_parse_whole(text, INT64_MIN, INT64_MAX, &mine, NULL);
		wrong += number != !rc || (number && truth != mine);
		numbers += (unsigned)number;
		n = -1;
		number = sscanf(text, "%lf%n", &real_truth, &n) == 1 &&
			 !text[n] && isfinite(real_truth);
		rc = tape_parse_real(text, -DBL_MAX, DBL_MAX, &real_mine, NULL);
		/* for glibc's sscanf, "1e" is a number */
		if (strchr(text, 'e'))
			continue;
		wrong += number != !rc || (number && real_truth != real_mine);
	}
	ok(!wrong && numbers > 1000, "%d texts, %u numbers: %u wrong", NUMBERS,
	   numbers, wrong);
}

static void real_numbers(void)
{
	unsigned wrong = 0;

	for (int i = 0; i < NUMBERS; i++) {
		double x = ldexp((double)random_bits(), rand() % 1800 - 1000);
		double y = -1;
		char text[60];

		x = i % 2 ? x : -x;
		snprintf(text, sizeof text, i % 3 ? "%.17g" : "%a", x);
		wrong +=
		    tape_parse_real(text, -DBL_MAX, DBL_MAX, &y, NULL) != 0 ||
		    y != x;
	}
	ok(!wrong, "%d real numbers: %u wrong", NUMBERS, wrong);
}

static void ranges(void)
{
	int64_t n = 77;
	uint64_t u = 77;
	double x = 77;

	ok(tape_parse_whole("5", 1, 5, &n, NULL) == 0 && n == 5, "5 of 1 to 5");
	ok(tape_parse_whole("6", 1, 5, &n, NULL) == TAPE_ERANGE &&
	       tape_parse_whole("0", 1, 5, &n, NULL) == TAPE_ERANGE && n == 5,
	   "6 and 0 are out of range, and change nothing");
	ok(tape_parse_whole("9223372036854775807", 0, INT64_MAX, &n, NULL) ==
		   0 &&
	       tape_parse_whole("9223372036854775808", 0, INT64_MAX, &n,
				NULL) == TAPE_ERANGE,
	   "2^63 - 1 fits, 2^63 does not");
	ok(tape_parse_unsigned("-1", 10, UINT64_MAX, &u, NULL) ==
		   TAPE_EFORMAT &&
	       tape_parse_unsigned(" -1", 16, UINT64_MAX, &u, NULL) ==
		   TAPE_EFORMAT &&
	       u == 77,
	   "-1 is not unsigned");
	ok(tape_parse_unsigned("18446744073709551616", 10, UINT64_MAX, &u,
			       NULL) == TAPE_ERANGE,
	   "2^64 does not fit");
	ok(tape_parse_whole("", 0, 1, &n, NULL) == TAPE_EFORMAT &&
	       tape_parse_unsigned("x", 10, 1, &u, NULL) == TAPE_EFORMAT &&
	       tape_parse_real("", 0, 1, &x, NULL) == TAPE_EFORMAT,
	   "no number");
	ok(tape_parse_real("nan", -INFINITY, INFINITY, &x, NULL) != 0 &&
	       tape_parse_real("inf", -DBL_MAX, DBL_MAX, &x, NULL) != 0 &&
	       tape_parse_real("1e999", -DBL_MAX, DBL_MAX, &x, NULL) != 0 &&
	       x == 77,
	   "not finite");
	ok(tape_parse_real("inf", 0, INFINITY, &x, NULL) == 0 && isinf(x),
	   "infinity, where the range has it");
	ok(tape_parse_real("1e-999", 0, 1, &x, NULL) == 0 && x == 0,
	   "too small is 0");
	ok(tape_parse_real("0", DBL_TRUE_MIN, 1, &x, NULL) == TAPE_ERANGE,
	   "0 is not above 0");
	ok(tape_leading_number(NULL, 10) == 0 &&
	       tape_leading_number("x", 10) == 0 &&
	       tape_leading_number("12 of 13", 10) == 12,
	   "leading numbers");
}

/* The caller's errno, whatever the text. */
static void kept_errno(void)
{
	static const char *const texts[] = {"1", "", "99999999999999999999999",
					    "1e-999", "1e999", "-1"};
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		int64_t n;
		uint64_t u;
		double x;

		errno = EDOM;
		tape_parse_whole(texts[i], 0, 1, &n, NULL);
		wrong += errno != EDOM;
		tape_parse_unsigned(texts[i], 10, 1, &u, NULL);
		wrong += errno != EDOM;
		tape_parse_real(texts[i], 0, 1, &x, NULL);
		wrong += errno != EDOM;
		tape_leading_number(texts[i], 10);
		wrong += errno != EDOM;
	}
	ok(!wrong, "errno stays: %u times not", wrong);
}

static void lists(void)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t from, to;
		const char *rest;
	} truth[] = {
	    {"7", 0, 7, 7, ""},
	    {"0-3,8", 0, 0, 3, ",8"},
	    {"3-3x", 0, 3, 3, "x"},
	    {"9", 0, 9, 9, ""},
	    {"10", TAPE_ERANGE, 0, 0, NULL},
	    {"2-10", TAPE_ERANGE, 0, 0, NULL},
	    {"3-2", TAPE_ERANGE, 0, 0, NULL},
	    {"3-", TAPE_EFORMAT, 0, 0, NULL},
	    {"-3", TAPE_EFORMAT, 0, 0, NULL},
	    {"3--4", TAPE_EFORMAT, 0, 0, NULL},
	    {"3- 4", TAPE_EFORMAT, 0, 0, NULL},
	    {"3-+4", TAPE_EFORMAT, 0, 0, NULL},
	    {" 3", 0, 3, 3, ""},
	    {"", TAPE_EFORMAT, 0, 0, NULL},
	};

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		const char *at = truth[i].text;
		uint64_t from, to;
		int rc = tape_parse_range(&at, 9, &from, &to);
		int good = rc == truth[i].rc;

		if (good && !rc)
			good = from == truth[i].from && to == truth[i].to &&
			       !strcmp(at, truth[i].rest);
		else
			good = good && at == truth[i].text;
		ok(good, "\"%s\" up to 9", truth[i].text);
	}
}

int main(void)
{
	srand(11);
	whole_numbers();
	real_numbers();
	random_texts();
	ranges();
	kept_errno();
	lists();
	return done();
}
