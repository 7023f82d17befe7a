/* The first chapter: programs side by side, or two runs of one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chapter.h"
#include "html.h"
#include "sort.h"
#include "svg.h"
#include "tool.h"

/* Lines of the tables: of calls, and of differences. */
enum { CALLS = 12, LINES = 20 };

static void put_program_name(FILE *f, const struct report_sum *r)
{
	tape_svg_text(f, r->name);
}

static double percent_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* ---- sentences ---- */

static size_t find_extreme_program(struct report_chapter *const *c, size_t n,
				   int waiting)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++) {
		const struct report_sum *a = &c[i]->sum, *b = &c[best]->sum;

		if (waiting ? percent_of(a->waiting_ns, a->all_ns) >
				  percent_of(b->waiting_ns, b->all_ns)
			    : a->run_ns > b->run_ns)
			best = i;
	}
	return best;
}

static void put_comparison_text(FILE *f, struct report_chapter *const *c,
				size_t n)
{
	const struct report_sum *a = &c[find_extreme_program(c, n, 0)]->sum;
	const struct report_sum *b = &c[find_extreme_program(c, n, 1)]->sum;
	char text[40];

	fputs("<p class=\"said\">", f);
	put_program_name(f, a);
	fprintf(f, " ran longest, %s; ",
		html_time(a->run_ns, text, sizeof text));
	put_program_name(f, b);
	fprintf(f,
		" waited most: %.1f%% of its ranks' time, after %.1f%% "
		"computing and %.1f%% communicating.</p>\n",
		percent_of(b->waiting_ns, b->all_ns),
		percent_of(b->computing_ns, b->all_ns),
		percent_of(b->calls_ns, b->all_ns));
	for (size_t i = 0; i < n; i++) {
		if (!*c[i]->sum.said)
			continue;
		fputs("<p class=\"said\"><b>", f);
		put_program_name(f, &c[i]->sum);
		fputs("</b>: ", f);
		tape_svg_text(f, c[i]->sum.said);
		fputs("</p>\n", f);
	}
}

/* ---- tables ---- */

static void put_program_table(FILE *f, struct report_chapter *const *c,
			      size_t n)
{
	char t[60];

	html_put_legend(f);
	fputs("<div class=\"wide\"><table class=\"bars programs\"><thead><tr>"
	      "<th class=\"n\">program</th><th class=\"n\">shares of its "
	      "time</th><th>ranks</th><th>hosts</th><th>run</th>"
	      "<th>computing</th><th>communicating</th><th>waiting</th>"
	      "<th>tracing</th><th>messages</th><th>bytes</th>"
	      "<th class=\"n\">times</th></tr></thead>\n<tbody>\n",
	      f);
	for (size_t i = 0; i < n; i++) {
		const struct report_sum *r = &c[i]->sum;
		const double part[HTML_PARTS] = {r->computing_ns, r->calls_ns,
						 r->waiting_ns, r->tracing_ns};

		fprintf(f, "<tr><th class=\"n\"><a href=\"#c%zu\">", i + 1);
		put_program_name(f, r);
		fputs("</a></th><td>", f);
		html_put_bar(f, part, r->all_ns);
		fprintf(f, "</td><td>%.0f</td><td>%.0f</td>", r->ranks,
			r->hosts);
		fprintf(f, "<td>%s</td>", html_time(r->run_ns, t, sizeof t));
		for (int k = 0; k < HTML_PARTS; k++)
			fprintf(f, "<td>%.1f%%</td>",
				percent_of(part[k], r->all_ns));
		fprintf(f, "<td>%s</td>", html_count(r->messages, t, sizeof t));
		fprintf(f, "<td>%s</td><td class=\"n\">%s%s</td></tr>\n",
			html_bytes(r->bytes, t, sizeof t), r->base,
			r->incomplete > 0 ? ", INCOMPLETE" : "");
	}
	fputs("</tbody></table></div>\n", f);
}

static const struct report_call *find_call_sum(const struct report_sum *r,
					       const char *call)
{
	for (size_t i = 0; i < r->calls; i++)
		if (!strcmp(r->call[i].name, call))
			return &r->call[i];
	return NULL;
}

struct column {
	const char *call;
	double share;
};

static int order_by_share(const void *a, const void *b)
{
	const struct column *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return strcmp(x->call, y->call);
}

/* Returns all calls, sorted by the largest share that they have in a program.
 */
static struct column *calls_by_share(struct report_chapter *const *c, size_t n,
				     size_t *used)
{
	size_t room = 1;
	struct column *list;

	for (size_t i = 0; i < n; i++)
		room += c[i]->sum.calls;
	list = tape_must(calloc(room, sizeof *list));
	*used = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < c[i]->sum.calls; k++) {
			const struct report_call *q = &c[i]->sum.call[k];
			double v = percent_of(q->total_ns, c[i]->sum.all_ns);
			size_t at = 0;

			while (at < *used && strcmp(list[at].call, q->name))
				at++;
			if (at == *used)
				list[(*used)++].call = q->name;
			list[at].share = fmax(list[at].share, v);
		}
	tape_sort(list, *used, sizeof *list, order_by_share);
	return list;
}

static void put_call_table(FILE *f, struct report_chapter *const *c, size_t n)
{
	size_t used;
	struct column *list = calls_by_share(c, n, &used);
	char t[60];

	fputs("<h4>Calls, as shares of each program's time</h4>\n"
	      "<div class=\"wide\"><table><thead><tr><th class=\"n\">call</th>",
	      f);
	for (size_t i = 0; i < n; i++) {
		fputs("<th>", f);
		put_program_name(f, &c[i]->sum);
		fputs("</th><th>calls</th>", f);
	}
	fputs("</tr></thead>\n<tbody>\n", f);
	for (size_t k = 0; k < used && k < CALLS; k++) {
		fputs("<tr><td class=\"n\">", f);
		tape_svg_text(f, list[k].call);
		fputs("</td>", f);
		for (size_t i = 0; i < n; i++) {
			const struct report_call *q =
			    find_call_sum(&c[i]->sum, list[k].call);
			double v =
			    q ? percent_of(q->total_ns, c[i]->sum.all_ns) : 0;

			if (!q) {
				fputs("<td>-</td><td>-</td>", f);
				continue;
			}
			fprintf(f,
				"<td class=\"p\" style=\"--p:%.1f%%\">%.1f%%"
				"</td><td>%s</td>",
				fmin(v, 100), v,
				html_count(q->calls, t, sizeof t));
		}
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
	free(list);
}

void comparison_put_html(FILE *f, struct report_chapter *const *c, size_t n)
{
	struct sheet *h = runs_scaling(c, n);

	put_comparison_text(f, c, n);
	if (h) {
		fprintf(f, "<h4>%s</h4>\n", sheet_title(h));
		html_put_table(f, h, NULL, n);
	}
	sheet_free(h);
	fputs("<h3>Programs side by side</h3>\n", f);
	put_program_table(f, c, n);
	put_call_table(f, c, n);
}

/* ---- runs of one program ---- */

struct sheet *runs_scaling(struct report_chapter *const *c, size_t n)
{
	struct run_figures *r;
	struct sheet *h;

	for (size_t i = 0; i < n; i++)
		if (!c[i]->sum.program ||
		    strcmp(c[i]->sum.program, c[0]->sum.program) != 0)
			return NULL;
	if (n < 2)
		return NULL;
	r = tape_must(calloc(n, sizeof *r));
	for (size_t i = 0; i < n; i++)
		r[i] = c[i]->sum.figures;
	h = run_scaling_table(r, n, 0, 1);
	free(r);
	return h;
}

/* ---- two runs ---- */

void runs_put_html(FILE *f, const struct report_runs *r, const char *before,
		   const char *after)
{
	size_t worse, n;
	struct sheet *h = stat_compare(r->before, r->after, r->least, &worse);
	char *text = NULL, *line, *rest;
	FILE *to = tape_must(open_memstream(&text, &n));

	fputs("<h3>Before and after</h3>\n<p class=\"about\">Before: ", f);
	tape_svg_text(f, before);
	fputs(", after: ", f);
	tape_svg_text(f, after);
	fputs(". Call sites and regions, by the change of their time over all "
	      "ranks.</p>\n",
	      f);
	stat_print_compare(r->before, r->after, worse, to);
	if (fclose(to))
		tape_die_no_memory();
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		fputs("<p class=\"said\">", f);
		tape_svg_text(f, line);
		fputs("</p>\n", f);
	}
	html_put_table(f, h, NULL, LINES);
	sheet_free(h);
	free(text);
}

void runs_put_json(FILE *f, const struct report_runs *r)
{
	size_t worse;
	struct sheet *h = stat_compare(r->before, r->after, r->least, &worse);

	fprintf(f, ",\"worse\":%zu", worse);
	sheet_json(h, 0, f);
	sheet_free(h);
}
