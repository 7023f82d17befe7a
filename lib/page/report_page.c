/* The page around the chapters; see report_html.h. */

#include <stdlib.h>

#include "chapter.h"
#include "html.h"
#include "report_parts.h"
#include "svg.h"

static void write_report_part(const unsigned char *p, size_t n, FILE *f)
{
	fwrite(p, 1, n, f);
}

/* "cg, lu and 3 more" */
static void put_page_title(FILE *f, struct report_chapter *const *c, size_t n)
{
	fputs("Report: ", f);
	for (size_t i = 0; i < n && i < 4; i++) {
		if (i)
			fputs(", ", f);
		tape_svg_text(f, c[i]->sum.name);
	}
	if (n > 4)
		fprintf(f, " and %zu more", n - 4);
}

static void put_page_head(FILE *f, struct report_chapter *const *c, size_t n)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      /* nothing is loaded, whatever names the trace has */
	      "<meta http-equiv=\"Content-Security-Policy\" content=\""
	      "default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'; img-src data:\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, "
	      "initial-scale=1\">\n<title>",
	      f);
	put_page_title(f, c, n);
	fputs("</title>\n<style>\n", f);
	write_report_part(report_part_style, sizeof report_part_style, f);
	fputs("</style>\n</head>\n<body>\n<header><h1>", f);
	put_page_title(f, c, n);
	fputs("</h1></header>\n", f);
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
	if (runs)
		runs_put_json(f, runs);
	fputs("}\n", f);
}

/* Writes the data inside the page. */
static void put_page_data(FILE *f, struct report_chapter *const *c, size_t n,
			  const struct report_runs *runs)
{
	fputs("<script type=\"application/json\" id=\"data\">\n"
	      "{\"chapters\":[",
	      f);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputs(",\n", f);
		html_put_json(f, c[i]->json, c[i]->n_json);
	}
	fputs("]", f);
	if (runs) {
		char *text = NULL;
		size_t bytes = 0;
		FILE *to = open_memstream(&text, &bytes);

		if (to) {
			runs_put_json(to, runs);
			fclose(to);
			html_put_json(f, text, bytes);
		}
		free(text);
	}
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
	write_report_part(report_part_words, sizeof report_part_words, f);
	fputs("<div id=\"tip\" hidden></div>\n", f);
	put_page_data(f, c, n, runs);
	fputs("<script>\n", f);
	write_report_part(report_part_script, sizeof report_part_script, f);
	fputs("</script>\n</body>\n</html>\n", f);
}
