/* See option_number.h. */
#include <math.h>

#include "number_text.h"
#include "option_number.h"
#include "tool.h"

double tape_option_real(const char *text, double least, double most)
{
	double value;

	if (tape_parse_real(text, least, most, &value, NULL))
		tape_die(TAPE_USAGE, "%s is not a number from %g to %.0f", text,
			 least, most);
	return value;
}

double tape_option_seconds(const char *text, const char *option)
{
	double s;

	if (tape_parse_real(text, -9e9, 9e9, &s, NULL) || fabs(s) == 9e9)
		tape_die(TAPE_USAGE, "%s %s: expected seconds", option, text);
	return s;
}
