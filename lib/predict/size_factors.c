/* See size_factors.h. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "number_text.h"
#include "error.h"
#include "size_factors.h"
#include "sort.h"

/*
 * Parses a number into *v. Returns the text after it, or NULL if there is no
 * number.
 */
static const char *parse_factor(const char *text, double *v)
{
	const char *end;

	return tape_parse_real(text, -DBL_MAX, DBL_MAX, v, &end) ? NULL : end;
}

static int compare_sections(const void *a, const void *b)
{
	double x = ((const struct sim_section *)a)->from_bytes;
	double y = ((const struct sim_section *)b)->from_bytes;

	return x < y ? -1 : x > y;
}

int sim_factors_read(const char *text, struct sim_factors *f)
{
	struct sim_factors read = { 0 };
	double more;

	while (*text) {
		struct sim_section *s = &read.section[read.n];

		if (read.n == SIM_SECTIONS ||
		    !(text = parse_factor(text, &s->from_bytes)) ||
		    s->from_bytes < 0 || *text != ':' ||
		    !(text = parse_factor(text + 1, &s->base)))
			return TAPE_EFORMAT;
		if (*text == ':' &&
		    !(text = parse_factor(text + 1, &s->per_byte)))
			return TAPE_EFORMAT;
		while (*text == ':')
			if (!(text = parse_factor(text + 1, &more)))
				return TAPE_EFORMAT;
		read.n++;
		if (*text && *text++ != ';')
			return TAPE_EFORMAT;
	}
	tape_sort(read.section, (size_t)read.n, sizeof *read.section,
		  compare_sections);
	*f = read;
	return 0;
}

double sim_factors_at(const struct sim_factors *f, double bytes)
{
	double factor = 1;

	for (int i = 0; i < f->n && bytes > f->section[i].from_bytes; i++)
		factor = f->section[i].base;
	return factor;
}

double sim_factors_overhead(const struct sim_factors *f, double bytes)
{
	const struct sim_section *s = f->section;

	if (!f->n)
		return 0;
	for (int i = 1; i < f->n && bytes > f->section[i].from_bytes; i++)
		s = &f->section[i];
	return fmax(s->base + s->per_byte * bytes, 0);
}
