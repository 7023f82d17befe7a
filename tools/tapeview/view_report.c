/* The report of tapestat in a page; see view_report.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "run_efficiency.h"
#include "stat.h"
#include "svg.h"
#include "tool.h"
#include "view_report.h"

/* Lines of phases in the table of efficiency. */
enum { PHASES = 20 };

static struct stats *shown_stats(const struct view *v)
{
	return v->base[v->bases - 1].stats;
}

void view_write_report(const struct view *v, FILE *f)
{
	char *text = NULL, *line, *rest;
	size_t n = 0;
	FILE *lines = open_memstream(&text, &n);

	if (!lines)
		tape_die_no_memory();
	stat_print_findings(shown_stats(v), lines);
	if (fclose(lines))
		tape_die_no_memory();
	fputs("<ul id=\"report\">\n", f);
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		fputs("<li>", f);
		tape_svg_text(f, line);
		fputs("</li>\n", f);
	}
	fputs("</ul>\n", f);
	free(text);
}

static const char *unit_name(enum sheet_unit unit)
{
	return unit == SHEET_SECONDS ? "s" : unit == SHEET_PERCENT ? "%" : "";
}

static void put_cell(const struct sheet *h, size_t row, size_t column, FILE *f)
{
	double value = sheet_cell_value(h, row, column);
	enum sheet_unit unit = sheet_column_unit(h, column);
	char text[400];

	if (unit == SHEET_NAME)
		tape_json_put(f, sheet_cell_text(h, row, column, text,
						 sizeof text));
	else if (isfinite(value))
		fprintf(f, "%.9g",
			unit == SHEET_SECONDS ? value / 1e9 : value);
	else
		fputs("null", f);
}

void view_put_efficiency(const struct view *v, FILE *f)
{
	struct sheet *h;

	if (!stats_is_efficiency_known(shown_stats(v)))
		return;
	h = stat_efficiency_table(shown_stats(v), NULL, PHASES, 0);
	fprintf(f, ",\n\"efficiency\":[[");
	for (size_t c = 0; c < sheet_count_columns(h); c++) {
		if (!sheet_is_shown(h, c))
			continue;
		fputs(c ? ",[" : "[", f);
		tape_json_put(f, sheet_column_name(h, c));
		fprintf(f, ",\"%s\"]", unit_name(sheet_column_unit(h, c)));
	}
	fputs("],[", f);
	for (size_t r = 0; r < sheet_count_rows(h); r++) {
		fputs(r ? ",\n[" : "\n[", f);
		for (size_t c = 0; c < sheet_count_columns(h); c++) {
			if (!sheet_is_shown(h, c))
				continue;
			fputs(c ? "," : "", f);
			put_cell(h, r, c, f);
		}
		fputs("]", f);
	}
	fputs("]]", f);
	sheet_free(h);
}
