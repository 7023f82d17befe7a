/* Durations as text: against texts written out by hand. */
#include <math.h>
#include <string.h>

#include "duration_text.h"
#include "tap.h"

static void texts(void)
{
	static const struct {
		double ns;
		const char *text;
	} truth[] = {
		{ 0, "0 s" },
		{ 1, "0.001 us" },
		{ 7100, "7.1 us" },
		{ 999.4e3, "999 us" },
		{ 999.6e3, "1 ms" },
		{ 12.34e6, "12.3 ms" },
		{ 999.4e6, "999 ms" },
		{ 999.7e6, "1.00 s" },
		{ 999.999e6, "1.00 s" },
		{ 1e9, "1.00 s" },
		{ -999.7e6, "-1.00 s" },
		{ -12.34e6, "-12.3 ms" },
		{ 99.99e9, "99.99 s" },
		{ 123.4e9, "123 s" },
		{ NAN, "-" },
		{ INFINITY, "-" },
	};
	char text[TAPE_DURATION_TEXT_BYTES];

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		tape_duration_text(truth[i].ns, text, sizeof text);
		ok(!strcmp(text, truth[i].text), "%g ns is %s: %s",
		   truth[i].ns, truth[i].text, text);
	}
}

/* Half a per mille around every power of ten: never an exponent. */
static void no_exponents(void)
{
	char text[TAPE_DURATION_TEXT_BYTES];
	unsigned wrong = 0, n = 0;

	for (int power = 0; power < 15; power++)
		for (int k = -1000; k <= 1000; k++, n++) {
			double ns = pow(10, power) * (1 + k * 1e-6);

			tape_duration_text(ns, text, sizeof text);
			wrong += strchr(text, 'e') != NULL;
		}
	ok(!wrong, "%u of %u durations have an exponent", wrong, n);
}

int main(void)
{
	texts();
	no_exponents();
	return done();
}
