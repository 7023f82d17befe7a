/*
 * The view reroute-fortran: the names that Fortran sources call, for tapepp. Of
 * MPI the calls that have wrappers for Fortran; of PVM the table
 * pvm_fortran.tab, which says the calls of C that each makes.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mkcatalogue.h"

/* A name in small letters, and the numbers that its call may have. */
static struct row {
	char name[NAME];
	int first, last, function;
} rows[MAX_CALLS];
static int n_rows;

static struct row *add_row(const char *name)
{
	struct row *r = &rows[n_rows];

	if (n_rows++ == MAX_CALLS)
		fail_at_line("too many calls of Fortran");
	for (int i = 0; name[i] && i < NAME - 1; i++)
		r->name[i] = (char)tolower((unsigned char)name[i]);
	return r;
}

static int find_call_number(const char *name)
{
	for (int i = 0; i < n_calls; i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].id;
	fail_at_line("unknown call %s", name);
}

void add_pvm_fortran(char *s)
{
	char name[NAME], first[NAME], last[NAME];
	int n = sscanf(s, "%47s %47s %47s", name, first, last);
	struct row *r;

	if (n < 2)
		fail_at_line("expected: name call [last]");
	if (!strcmp(first, "-"))
		return;
	r = add_row(name);
	r->first = find_call_number(first);
	r->last = n == 3 ? find_call_number(last) : r->first;
	if (r->last < r->first)
		fail_at_line("%s comes before %s", last, first);
}

static int compare_rows(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name,
		      ((const struct row *)b)->name);
}

void view_reroute_fortran(void)
{
	for (int i = 0; i < n_calls; i++)
		if (!strncmp(calls[i].name, "MPI_", 4) &&
		    in_fortran(&calls[i])) {
			struct row *r = add_row(calls[i].name);

			r->first = r->last = calls[i].id;
			r->function = calls[i].result != NULL;
		}
	qsort(rows, (size_t)n_rows, sizeof *rows, compare_rows);
	for (int i = 0; i < n_rows; i++)
		printf("{ \"%s\", %d, %d, %d },\n", rows[i].name,
		       rows[i].first, rows[i].last, rows[i].function);
}
