/* See quantity.h. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "error.h"
#include "quantity.h"

/*
 * Multiplies *v by the prefix of unit (k, M, Ki, ...), if there is one. Returns
 * the rest of unit.
 */
static const char *apply_prefix(const char *unit, double *v)
{
	static const char letters[] = "kMGTPEZY";
	const char *found = *unit ? strchr(letters, *unit == 'K' ? 'k' : *unit)
				  : NULL;
	double each = 1000;

	if (!found)
		return unit;
	if (unit[1] == 'i') {
		each = 1024;
		unit++;
	}
	*v *= pow(each, (double)(found - letters + 1));
	return unit + 1;
}

static const char *parse_quantity(const char *text, double *v)
{
	const char *end;

	return tape_parse_real(text, 0, DBL_MAX, v, &end) ? NULL : end;
}

int sim_parse_bandwidth(const char *text, double *v)
{
	double n;
	const char *unit = parse_quantity(text, &n);

	if (!unit)
		return TAPE_EFORMAT;
	unit = apply_prefix(unit, &n);
	if (!strcmp(unit, "bps"))
		n /= 8;
	else if (*unit && strcmp(unit, "Bps") != 0)
		return TAPE_EFORMAT;
	*v = n;
	return 0;
}

int sim_parse_seconds(const char *text, double *v)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 },
		      { "ns", 1e-9 }, { "ps", 1e-12 }, { "m", 60 },
		      { "h", 3600 }, { "d", 86400 }, { "w", 604800 } };
	double n;
	const char *unit = parse_quantity(text, &n);

	for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++) {
		if (strcmp(unit, units[i].name) != 0)
			continue;
		*v = n * units[i].seconds;
		return 0;
	}
	return TAPE_EFORMAT;
}

int sim_parse_speed(const char *text, double *v)
{
	double n;
	const char *unit = parse_quantity(text, &n);

	if (!unit)
		return TAPE_EFORMAT;
	unit = apply_prefix(unit, &n);
	if (*unit == 'f')
		unit++;
	if (*unit && *unit != ',')
		return TAPE_EFORMAT;
	*v = n;
	return 0;
}
