/* Clocks with a known error; see bend.h. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bend.h"
#include "error.h"

/* The settings' names and their numbers, separated by colons. */
static const struct {
	const char *name;
	size_t n, at[3];
} settings[] = {
#define AT(field) offsetof(struct tape_bend, field)
	{ "offset", 1, { AT(offset_ns) } },
	{ "drift", 1, { AT(drift) } },
	{ "sine", 3, { AT(sine_ns), AT(sine_period_ns), AT(sine_phase) } },
	{ "saw", 2, { AT(saw_ns), AT(saw_period_ns) } },
	{ "slew", 3, { AT(slew), AT(slew_from_ns), AT(slew_to_ns) } },
	{ "step", 2, { AT(step_ns), AT(step_at_ns) } },
	{ "quantum", 1, { AT(quantum_ns) } },
#undef AT
};

/* One "name=number:number"; *text is moved behind it. */
static int setting(const char **text, struct tape_bend *b)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		size_t length = strlen(settings[i].name);
		const char *s = *text + length;

		if (strncmp(*text, settings[i].name, length) || *s != '=')
			continue;
		for (size_t k = 0; k < settings[i].n; k++) {
			char *end;
			double v;

			if (k && *s != ':')
				return TAPE_ERANGE;
			v = strtod(s + 1, &end);
			if (end == s + 1 || !isfinite(v))
				return TAPE_ERANGE;
			memcpy((char *)b + settings[i].at[k], &v, sizeof v);
			s = end;
		}
		*text = s;
		return 0;
	}
	return TAPE_ERANGE;
}

int tape_bend_parse(const char *text, struct tape_bend *b)
{
	struct tape_bend found = { 0 };

	while (*(text += strspn(text, ", "))) {
		if (setting(&text, &found) || !strchr(", ", *text))
			return TAPE_ERANGE;
	}
	*b = found;
	return 0;
}

double tape_bend_error(const struct tape_bend *b, double t)
{
	double e = b->offset_ns + b->drift * t;

	if (b->sine_period_ns > 0)
		e += b->sine_ns *
		     sin(2 * M_PI * t / b->sine_period_ns + b->sine_phase);
	if (b->saw_period_ns > 0)
		e += b->saw_ns * (t / b->saw_period_ns -
				  floor(t / b->saw_period_ns));
	if (t > b->slew_from_ns)
		e += b->slew * (fmin(t, b->slew_to_ns) - b->slew_from_ns);
	if (b->step_ns != 0 && t >= b->step_at_ns)
		e += b->step_ns;
	return e;
}

uint64_t tape_bend_read(const struct tape_bend *b, uint64_t first_ns,
			uint64_t true_ns)
{
	double e = tape_bend_error(b, (double)(int64_t)(true_ns - first_ns));
	uint64_t read = true_ns + (uint64_t)llrint(e), q;

	if (b->quantum_ns >= 1) {
		q = (uint64_t)b->quantum_ns;
		read -= read % q;
	}
	return read;
}
