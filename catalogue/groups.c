/* Groups of calls: their lines in mpi.tab, the views and pages with them. */
#include <stdio.h>
#include <string.h>

#include "mkcatalogue.h"

const struct group *begin_group(const char *s)
{
	struct group *g = &groups[n_groups];
	char name[NAME];
	int used = 0;

	if (sscanf(s, "group %47s %n", name, &used) != 1 || !s[used] ||
	    strlen(s + used) >= sizeof g->what)
		fail_at_line("expected: group name what");
	for (const struct group *o = groups; o < g; o++)
		if (!strcmp(o->name, name)) {
			if (strcmp(o->what, s + used))
				fail_at_line("%s: described otherwise before",
					     name);
			return o;
		}
	if (n_groups == MAX_GROUPS)
		fail_at_line("too many groups");
	strcpy(g->name, name);
	strcpy(g->what, s + used);
	n_groups++;
	return g;
}

/* Tables for the runtime: what the filters go by. */
void view_calls(void)
{
	printf("static const char *const tape_group_names[TAPE_GROUP_COUNT] = "
	       "{\n");
	for (int i = 0; i < n_groups; i++)
		printf("\t\"%s\",\n", groups[i].name);
	printf("};\n\nstatic const struct {\n\tconst char *name;\n"
	       "\tunsigned char group, class_;\n\tuint32_t traits;\n"
	       "} tape_calls[TAPE_CALL_COUNT] = {\n");
	for (int i = 0; i < n_calls; i++) {
		printf("\t[%d] = { \"%s\", TAPE_GROUP_%s, TAPE_CLASS_%s, ",
		       calls[i].id, calls[i].name,
		       to_upper_case(calls[i].group->name),
		       to_upper_case(calls[i].class->name));
		print_trait_bits(&calls[i]);
		printf(" },\n");
	}
	printf("};\n");
}

/* The rows of the table of groups in tape.conf(5). */
void view_groups(void)
{
	for (int i = 0; i < n_groups; i++)
		if (strcmp(groups[i].name, "always"))
			printf("%s\t%s\n", groups[i].name, groups[i].what);
}

void view_man(void)
{
	printf(".TH TAPE-CALLS 7 \"\" Tape Tape\n.SH NAME\n"
	       "tape-calls \\- the calls that Tape records, and their fields\n"
	       ".SH CALLS\n.TS\nl2 l2 l2 l2 l.\n"
	       "id\tcall\tgroup\tclass\tshape\n_\n");
	for (int i = 0; i < n_calls; i++)
		printf("%d\t%s\t%s\t%s\t%s\n", calls[i].id, calls[i].name,
		       calls[i].group->name, calls[i].class->name,
		       calls[i].shape);
	printf(".TE\n.SH TRAITS\nWhat a call is beyond its class.\n");
	man_traits();
	printf(".SH CLASSES\nFields of the record of each class; those in "
	       "italics are written every time, the others when they changed "
	       "since the previous event at the same call site.\n");
	for (int i = 0; i < n_classes; i++) {
		printf(".TP\n.B %s\n%s", classes[i].name,
		       classes[i].n ? "" : "no fields");
		for (int j = 0; j < classes[i].n; j++)
			printf("%s%s%s", j ? ", " : "",
			       classes[i].f[j].operand ? "" : "\\fI",
			       classes[i].f[j].name),
				printf("%s", classes[i].f[j].operand ? ""
								     : "\\fR");
		printf("%s\n", classes[i].request ? "; creates a request" : "");
	}
	printf(".SH SEE ALSO\n.BR tape-trace (5)\n");
}
