/* The page around the chapters; see report_html.h. */

#include <stdlib.h>

#include "chapter.h"
#include "html.h"
#include "html_page.h"
#include "report_parts.h"
#include "svg.h"
#include "tool.h"

static const struct html_page report_page = {
    .style = HTML_PART(report_part_style),
    .script = HTML_PART(report_part_script),
};

/* Writes "Report: cg, lu and 3 more" as title and heading. */
static void put_page_head(FILE *f, struct report_chapter *const *c, size_t n)
{
	char *title = NULL;
	size_t bytes = 0;
	FILE *to = tape_must(open_memstream(&title, &bytes));

	fputs("Report: ", to);
	for (size_t i = 0; i < n && i < 4; i++)
		fprintf(to, "%s%s", i ? ", " : "", c[i]->sum.name);
	if (n > 4)
		fprintf(to, " and %zu more", n - 4);
	if (fclose(to))
		tape_die_no_memory();
	html_page_begin(f, &report_page, title);
	fputs("<header><h1>", f);
	tape_svg_text(f, title);
	fputs("</h1></header>\n", f);
	free(title);
}

static void put_chapter_links(FILE *f, struct report_chapter *const *c,
			      size_t n)
{
	if (n < 2)
		return;
	fputs("<nav><ol><li><a href=\"#c0\">Comparison</a></li>\n", f);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "<li><a href=\"#c%zu\">", i + 1);
		tape_svg_text(f, c[i]->sum.name);
		fputs("</a></li>\n", f);
	}
	fputs("</ol></nav>\n", f);
}

/* What chapters are together, as members of the object. */
static void put_runs_json(FILE *f, struct report_chapter *const *c, size_t n,
			  const struct report_runs *runs)
{
	struct sheet *h = runs_scaling(c, n);

	if (runs)
		runs_put_json(f, runs);
	if (h)
		sheet_json(h, 0, f);
	sheet_free(h);
}

void report_write_json(FILE *f, struct report_chapter *const *c, size_t n,
		       const struct report_runs *runs)
{
	fputs("{\"chapters\":[", f);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputs(",\n", f);
		fwrite(c[i]->json, 1, c[i]->n_json, f);
	}
	fputs("]", f);
	put_runs_json(f, c, n, runs);
	fputs("}\n", f);
}

/* Writes the data inside the page. */
static void put_page_data(FILE *f, struct report_chapter *const *c, size_t n,
			  const struct report_runs *runs)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *to;

	fputs("<script type=\"application/json\" id=\"data\">\n"
	      "{\"chapters\":[",
	      f);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputs(",\n", f);
		html_put_json(f, c[i]->json, c[i]->n_json);
	}
	fputs("]", f);
	to = open_memstream(&text, &bytes);
	if (to) {
		put_runs_json(to, c, n, runs);
		fclose(to);
		html_put_json(f, text, bytes);
	}
	free(text);
	fputs("}\n</script>\n", f);
}

void report_write(FILE *f, struct report_chapter *const *c, size_t n,
		  const struct report_runs *runs)
{
	put_page_head(f, c, n);
	put_chapter_links(f, c, n);
	if (n > 1) {
		fputs("<section id=\"c0\">\n<h2>Comparison</h2>\n", f);
		if (runs)
			runs_put_html(f, runs, c[0]->sum.name, c[1]->sum.name);
		comparison_put_html(f, c, n);
		fputs("</section>\n", f);
	}
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "<section class=\"chapter\" id=\"c%zu\">\n<h2>",
			i + 1);
		tape_svg_text(f, c[i]->sum.name);
		fputs("</h2>\n", f);
		fwrite(c[i]->html, 1, c[i]->n_html, f);
		fputs("</section>\n", f);
	}
	html_put_part(f, (struct html_part)HTML_PART(report_part_words));
	fputs("<div id=\"tip\" hidden></div>\n", f);
	put_page_data(f, c, n, runs);
	html_page_end(f, &report_page);
}
