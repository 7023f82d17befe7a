/* See repeat_report.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "duration_text.h"
#include "escape.h"
#include "growing_array.h"
#include "json.h"
#include "repeat_report.h"
#include "tool.h"

enum { LINES = 10, NAME_COLUMNS = 50 };

static const double probability = 0.95;

void repeat_count_run(struct run_classes *c, int run, uint64_t hash, int status,
		      uint64_t line)
{
	size_t i = 0;

	while (i < c->n &&
	       (c->of[i].hash != hash || c->of[i].status != status))
		i++;
	if (i == c->n) {
		c->of = tape_must(tape_grow_array(c->of, &c->room, c->n + 1,
						  sizeof *c->of));
		c->of[c->n++] = (struct run_class){
		    .hash = hash, .status = status, .first = run, .line = line};
	}
	c->of[i].runs++;
}

/* The least that the mean may be: no time is negative. */
static double lower_bound(const struct tape_sample_sums *s, double half)
{
	return half > s->mean ? 0 : s->mean - half;
}

/* ---- as text ---- */

static void print_duration(double seconds)
{
	char text[TAPE_DURATION_TEXT_BYTES];

	printf("%9s", tape_duration_text(seconds * 1e9, text, sizeof text));
}

static void print_figure(const struct tape_sample_sums *s, const char *name)
{
	double half = tape_sample_half_width(s, probability);

	print_duration(s->mean);
	print_duration(lower_bound(s, half));
	print_duration(s->mean + half);
	print_duration(s->least);
	print_duration(s->most);
	fputs("  ", stdout);
	if (strlen(name) <= NAME_COLUMNS) {
		tape_put_clean(stdout, name);
	} else {
		char text[NAME_COLUMNS + 1];

		snprintf(text, sizeof text, "%.*s...", NAME_COLUMNS - 3, name);
		tape_put_clean(stdout, text);
	}
	putchar('\n');
}

static void print_calls(const struct figure_list *l)
{
	for (size_t i = 0; i < l->n && i < LINES; i++)
		print_figure(&l->figure[i].s, l->figure[i].name);
}

/* A cause is a call, or what follows it: "after MPI_Recv farm.c:15". */
static void print_causes(const struct figure_list *l)
{
	for (size_t i = 0; i < l->n && i < LINES; i++) {
		const char *name = l->figure[i].name;
		char text[4096];

		snprintf(text, sizeof text, "waiting caused %s%s",
			 strncmp(name, "after ", 6) ? "in " : "", name);
		print_figure(&l->figure[i].s, text);
	}
}

static void print_outputs(const struct repeat *r)
{
	const struct run_classes *c = &r->outputs;

	printf("%zu different output%s\n", c->n, c->n == 1 ? "" : "s");
	for (size_t i = 0; i < c->n && i < LINES; i++) {
		const struct run_class *of = &c->of[i];

		printf("  %d run%s, first run %d: exit status %d", of->runs,
		       of->runs == 1 ? "" : "s", of->first, of->status);
		if (of->line)
			printf(", differs from run 1 in line %" PRIu64,
			       of->line);
		putchar('\n');
	}
}

static void print_orders(const struct repeat *r)
{
	const struct run_classes *c = &r->orders;

	printf("%zu different order%s of receiving\n", c->n,
	       c->n == 1 ? "" : "s");
	for (size_t i = 0; c->n > 1 && i < c->n && i < LINES; i++)
		printf("  %d run%s, first run %d\n", c->of[i].runs,
		       c->of[i].runs == 1 ? "" : "s", c->of[i].first);
}

void repeat_print_text(const struct repeat *r)
{
	printf("%d run%s of", r->done, r->done == 1 ? "" : "s");
	for (size_t i = 0; r->command[i]; i++) {
		putchar(' ');
		tape_put_clean(stdout, r->command[i]);
	}
	printf("%s\n\n     mean 95%% from       to    least     most\n",
	       r->noise ? ", calls delayed by noise: the seed is the number "
			  "of the run"
			: "");
	print_figure(&r->figures.run_s, "the run, after the start of MPI");
	print_calls(&r->figures.calls);
	print_causes(&r->figures.causes);
	putchar('\n');
	print_outputs(r);
	print_orders(r);
}

/* ---- as JSON ---- */

static void print_sums_json(const struct tape_sample_sums *s)
{
	double half = tape_sample_half_width(s, probability);
	const struct {
		const char *name;
		double v;
	} members[] = {{"mean", s->mean},
		       {"from", lower_bound(s, half)},
		       {"to", s->mean + half},
		       {"least", s->least},
		       {"most", s->most}};

	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		printf("%c\"%s\":", i ? ',' : '{', members[i].name);
		tape_json_number(members[i].v);
	}
	putchar('}');
}

static void print_list_json(const struct figure_list *l, const char *name,
			    const char *member)
{
	printf(",\"%s\":[", name);
	for (size_t i = 0; i < l->n; i++) {
		printf("%s{\"%s\":\"%s\",\"seconds\":", i ? "," : "", member,
		       l->figure[i].name);
		print_sums_json(&l->figure[i].s);
		putchar('}');
	}
	putchar(']');
}

static void print_classes_json(const struct run_classes *c, const char *name,
			       int outputs)
{
	printf(",\"%s\":[", name);
	for (size_t i = 0; i < c->n; i++) {
		const struct run_class *of = &c->of[i];

		printf("%s{\"hash\":\"%016" PRIx64 "\",\"runs\":%d,"
		       "\"first_run\":%d",
		       i ? "," : "", of->hash, of->runs, of->first);
		if (outputs)
			printf(",\"status\":%d", of->status);
		if (outputs && of->line)
			printf(",\"differs_in_line\":%" PRIu64, of->line);
		putchar('}');
	}
	putchar(']');
}

void repeat_print_json(const struct repeat *r)
{
	printf("{\"runs\":%d,\"command\":[", r->done);
	for (size_t i = 0; r->command[i]; i++) {
		if (i)
			putchar(',');
		tape_json_string(r->command[i]);
	}
	printf("],\"noise\":%s,\"run_s\":", r->noise ? "true" : "false");
	print_sums_json(&r->figures.run_s);
	print_list_json(&r->figures.calls, "calls", "call_site");
	print_list_json(&r->figures.causes, "causes", "activity");
	print_classes_json(&r->outputs, "outputs", 1);
	print_classes_json(&r->orders, "orders", 0);
	puts("}");
}
