/* What is not in a trace; see damage.h. */
#include <stdio.h>
#include <stdlib.h>

#include "damage.h"
#include "json.h"
#include "tool.h"

/* Lines on damaged flows, and ranks by number in one line. */
enum { LINES = 10, NUMBERS = 20 };

size_t tape_ranks_there(const struct tape_trace *t)
{
	size_t n = tape_trace_ranks(t);

	while (n && !tape_trace_meta(t, "ranks", 0) &&
	       !tape_trace_rank(t, (int)n - 1)->host)
		n--;
	return n;
}

/* By rank: did it leave nothing to be read? n receives how many. */
static unsigned char *find_missing_ranks(const struct tape_trace *t, size_t *n)
{
	size_t ranks = tape_ranks_there(t);
	unsigned char *is = tape_must(malloc(ranks + 1));

	for (size_t r = 0; r < ranks; r++)
		is[r] = 1;
	for (size_t i = 0; i < tape_trace_flows(t); i++)
		if ((size_t)tape_trace_flow(t, i)->rank < ranks)
			is[tape_trace_flow(t, i)->rank] = 0;
	*n = 0;
	for (size_t r = 0; r < ranks; r++)
		*n += is[r] |= !tape_trace_rank(t, (int)r)->host;
	return is;
}

/* The next stretch of missing ranks from *r on: 1, or 0 at the end. */
static int next_missing_range(const unsigned char *is, size_t ranks, size_t *r,
			      size_t *first, size_t *last)
{
	while (*r < ranks && !is[*r])
		++*r;
	if (*r == ranks)
		return 0;
	*first = *r;
	while (*r < ranks && is[*r])
		*last = (*r)++;
	return 1;
}

static void warn_missing(const struct tape_trace *t)
{
	size_t ranks = tape_ranks_there(t), n, r = 0, used = 0;
	size_t first = 0, last = 0;
	unsigned char *is = find_missing_ranks(t, &n);
	char text[NUMBERS * 48 + 8] = "";

	for (int i = 0;
	     i <= NUMBERS && next_missing_range(is, ranks, &r, &first, &last);
	     i++) {
		const char *comma = i ? ", " : "";
		int k;

		if (i == NUMBERS)
			k = snprintf(text + used, sizeof text - used, " ...");
		else if (first == last)
			k = snprintf(text + used, sizeof text - used, "%s%zu",
				     comma, first);
		else
			k = snprintf(text + used, sizeof text - used,
				     "%s%zu-%zu", comma, first, last);
		used += (size_t)k;
	}
	if (n)
		tape_warn("%s: %zu of %zu ranks %s missing from the trace: %s",
			  tape_trace_path(t), n, ranks, n == 1 ? "is" : "are",
			  text);
	free(is);
}

static void warn_tasks(const struct tape_trace *t)
{
	char text[1200];
	size_t n = tape_tasks_missing(t, text, sizeof text);

	if (n)
		tape_warn("%s: %zu task%s that pvm_spawn started %s missing "
			  "from the trace: %s",
			  tape_trace_path(t), n, n == 1 ? "" : "s",
			  n == 1 ? "is" : "are", text);
}

void tape_damage_warn(const struct tape_trace *t)
{
	size_t damaged = 0, unread = 0, n = tape_trace_flows(t);
	const char *why, *first = NULL;
	int nothing;

	for (size_t i = 0; i < n; i++)
		if ((why = tape_trace_damage(t, i, &nothing))) {
			first = first ? first : why;
			unread += (size_t)nothing;
		}
	if (first && unread == n)
		tape_die(TAPE_FAILED, "%s", first);
	warn_missing(t);
	warn_tasks(t);
	for (size_t i = 0; i < n; i++)
		if ((why = tape_trace_damage(t, i, NULL)) &&
		    damaged++ < LINES)
			tape_warn("%s: the rest of this flow is not read", why);
	if (damaged > LINES)
		tape_warn("%s: %zu more flows are damaged and read only up to "
			  "the damage",
			  tape_trace_path(t), damaged - LINES);
}

void tape_damage_json(const struct tape_trace *t)
{
	size_t ranks = tape_ranks_there(t), n, damaged = 0;
	unsigned char *is = find_missing_ranks(t, &n);
	const char *why, *comma = "";

	if (n)
		printf(",\"missing_ranks\":[");
	for (size_t r = 0; r < ranks; r++)
		if (is[r]) {
			printf("%s%zu", comma, r);
			comma = ",";
		}
	if (n)
		printf("]");
	n = tape_tasks_missing(t, NULL, 0);
	if (n)
		printf(",\"missing_tasks\":%zu", n);
	for (size_t i = 0; i < tape_trace_flows(t); i++)
		if ((why = tape_trace_damage(t, i, NULL))) {
			printf("%s", damaged++ ? "," : ",\"damaged\":[");
			tape_json_string(why);
		}
	if (damaged)
		printf("]");
	free(is);
}
