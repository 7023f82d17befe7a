/* A run on standard output; see output_options.h. */
#include <stdio.h>
#include <string.h>

#include "output_options.h"
#include "damage.h"
#include "outside_time.h"
#include "phases.h"
#include "run_efficiency.h"
#include "tool.h"

void stat_output_add_table(struct stat_answer *a, const char *name)
{
	for (int i = 0; i < STAT_TABLES; i++)
		if (!strcmp(name, stat_table_name[i])) {
			a->any += !a->wanted[i];
			a->wanted[i] = 1;
			return;
		}
	tape_die(TAPE_USAGE,
		 "%s: no such table. Tables are calls, names, regions, ranks, "
		 "waits, causes, path, phases, efficiency, messages, hosts, "
		 "levels, positions, sizes, collectives, counters, outside",
		 name);
}

void stat_output_check(const struct stat_answer *a)
{
	if (a->format == SHEET_AS_CSV && a->any != 1)
		tape_die(TAPE_USAGE, "-c prints one table: name it with -t");
}

/* Phases of a trace that cannot be read again may not be known. */
static int has_no_phases(const struct stats *s, const struct stat_answer *a)
{
	return a->once && !stats_has_phases(s);
}

static struct sheet *make_table(struct stats *s, enum stat_table which,
				const struct stat_answer *a)
{
	size_t lines = a->format == SHEET_AS_TEXT ? a->lines : 0;

	if (which == STAT_PHASES)
		return stat_phases_table(s, a->phase, lines);
	if (which == STAT_EFFICIENCY)
		return stat_efficiency_table(
		    s, a->phase, has_no_phases(s, a) ? SIZE_MAX : lines, 1);
	if (which == STAT_OUTSIDE)
		return stat_outside_table(
		    s, a->phase,
		    a->once || !a->wanted[which] ? SIZE_MAX : lines);
	return stat_table(s, which);
}

static void print_table(struct stats *s, enum stat_table which,
			const struct stat_answer *a)
{
	int text = a->format == SHEET_AS_TEXT;
	struct sheet *h = make_table(s, which, a);

	/* of phases there are two lines more, and never too many */
	if (!text || sheet_count_rows(h) || a->any)
		sheet_print(h, a->format, which == STAT_PHASES ? 0 : a->lines);
	sheet_free(h);
}

static int is_table_wanted(const struct stats *s, const struct stat_answer *a,
			   int i)
{
	if (i == STAT_PHASES && has_no_phases(s, a))
		return 0;
	return a->wanted[i] || a->all ||
	       (!a->any && (a->format == SHEET_AS_JSON || i == STAT_CALLS));
}

void stat_output_print(struct stats *s, const struct stat_answer *a)
{
	int json = a->format == SHEET_AS_JSON;

	if (json) {
		printf("{");
		stat_report_json(s);
		tape_damage_json(s->t);
	} else if (a->format == SHEET_AS_TEXT && !a->any) {
		stat_report(s);
	}
	for (int i = 0; i < STAT_TABLES; i++)
		if (is_table_wanted(s, a, i))
			print_table(s, (enum stat_table)i, a);
	if (a->more)
		a->more(a->self, a->format);
	if (json)
		printf("}\n");
}
