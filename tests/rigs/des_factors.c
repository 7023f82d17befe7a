/* Factors of efficiency in tapestat's JSON; see des.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "des.h"
#include "tape_reader.h"

/* The object that begins with head, or whose part is a phase of that name. */
static char *find_object(char *text, const char *head)
{
	char part[60];
	char *at;

	if (!strncmp(head, "phase ", 6)) {
		snprintf(part, sizeof part, "\"part\":\"%s\"", head);
		at = strstr(text, part);
		while (at && at > text && *at != '{')
			at--;
		return at;
	}
	at = strstr(text, head);
	/* the region is in the second line of its table */
	return at && strchr(head, '[') ? strstr(at, "},{") : at;
}

/*
 * The number of that name in the object that begins with head. Where head ends
 * with [ it is the second one of a table; "phase 3": of that line. NAN: none.
 */
static double read_factor(const char *file, const char *head, const char *name)
{
	static char text[1 << 20];
	char key[40], *at, *end;
	FILE *f = fopen(file, "r");
	size_t n;

	if (!f)
		return NAN;
	n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	fclose(f);
	snprintf(key, sizeof key, "\"%s\":", name);
	at = find_object(text, head);
	end = at ? strchr(at + 2, '}') : NULL;
	at = at ? strstr(at, key) : NULL;
	if (!at || !end || at > end || !strncmp(at + strlen(key), "null", 4))
		return NAN;
	return strtod(at + strlen(key), NULL);
}

/* A factor, as tapestat calls it, and the object where it is. */
struct named_factor {
	const char *head, *name, *from, *to;
};

static void compare_factor(struct des_factors *c, const struct named_factor *x,
			   const char *truth, const char *corrected,
			   uint64_t seed)
{
	double is = read_factor(truth, x->head, x->name);
	double from = read_factor(corrected, x->head, x->from);
	double to = read_factor(corrected, x->head, x->to);
	int is_ideal = *x->name == 's' || *x->name == 't';

	if (isnan(is) || isnan(from) || isnan(to))
		return;
	c->all++;
	c->regions += strchr(x->head, '[') != NULL;
	c->phases += *x->head == 'p';
	c->ideals += (uint64_t)is_ideal;
	c->width += is_ideal ? to - from : 0;
	/* written with six digits */
	if (from - 1e-6 <= is && is <= to + 1e-6)
		return;
	if (!c->outside++)
		printf("# seed %" PRIu64 ": %s: %s %.6f is not in %.6f to "
		       "%.6f\n",
		       seed, x->head, x->name, is, from, to);
}

#define PART(head, name)                                                       \
	{                                                                      \
		head, name "_share", name "_from_share", name "_to_share"      \
	}

static void compare_phases(struct des_factors *c, const char *truth,
			   const char *corrected, uint64_t seed)
{
	static const char *const lines[] = {
	    "phase before", "phase 1", "phase 2", "phase 3", "phase 4",
	    "phase 5",	    "phase 6", "phase 7", "phase 8", "phase after"};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const struct named_factor factors[] = {
		    PART(lines[i], "balance"), PART(lines[i], "communication"),
		    PART(lines[i], "parallel"), PART(lines[i], "serialisation"),
		    PART(lines[i], "transfer")};

		for (size_t k = 0; k < sizeof factors / sizeof *factors; k++)
			compare_factor(c, &factors[k], truth, corrected, seed);
	}
}

void des_find_marker(const struct des_program *p, char *text, size_t size)
{
	int times[1024] = {0}, best = 0;

	snprintf(text, size, "part");
	if (p->seed % 2)
		return;
	for (int i = 0; i < p->rank[0].n; i++)
		times[p->rank[0].step[i].call]++;
	for (int i = 1; i < 1024; i++)
		if (times[i] > times[best])
			best = i;
	snprintf(text, size, "%s random.c:%d", tape_call_name((unsigned)best),
		 best);
}

void des_compare_factors(struct des_factors *c, const struct des_program *p,
			 const char *truth, const char *corrected)
{
#define RUN(name)                                                              \
	{                                                                      \
		"\"efficiency\":{", name, name "_from", name "_to"             \
	}
	static const char regions[] = "\"efficiencies\":[";
	const struct named_factor factors[] = {RUN("load_balance"),
					       RUN("communication"),
					       RUN("parallel"),
					       RUN("serialisation"),
					       RUN("transfer"),
					       PART(regions, "balance"),
					       PART(regions, "communication"),
					       PART(regions, "parallel"),
					       PART(regions, "serialisation"),
					       PART(regions, "transfer")};
#undef RUN

	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
		compare_factor(c, &factors[i], truth, corrected, p->seed);
	compare_phases(c, truth, corrected, p->seed);
}
