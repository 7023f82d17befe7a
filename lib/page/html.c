/* See html.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "duration_text.h"
#include "html.h"
#include "svg.h"
#include "tool.h"

const char *const html_part[HTML_PARTS] = {"computing", "communicating",
					   "waiting", "tracing"};

/* ---- figures ---- */

const char *html_time(double ns, char *text, size_t size)
{
	size_t n;

	tape_duration_text(ns, text, size);
	n = strlen(text);
	if (n > 2 && !strcmp(text + n - 2, "us"))
		snprintf(text + n - 2, size - (n - 2), "\xc2\xb5s");
	return text;
}

const char *html_bytes(double bytes, char *text, size_t size)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	size_t k = 0;

	if (!isfinite(bytes)) {
		snprintf(text, size, "-");
		return text;
	}
	while (bytes >= 10000 && k < 4) {
		bytes /= 1024;
		k++;
	}
	snprintf(text, size, "%.*f %s",
		 k && bytes < 100	? 1
		 : bytes == rint(bytes) ? 0
					: 1,
		 bytes, unit[k]);
	return text;
}

/* From ten thousand on, narrow blanks separate groups of three digits. */
const char *html_count(double n, char *text, size_t size)
{
	char digits[64];
	size_t len, at = 0;

	if (!isfinite(n)) {
		snprintf(text, size, "-");
		return text;
	}
	len = (size_t)snprintf(digits, sizeof digits, "%.0f", n);
	if (fabs(n) < 10000 || len >= sizeof digits) {
		snprintf(text, size, "%.*f", n == rint(n) ? 0 : 1, n);
		return text;
	}
	for (size_t i = 0; i < len && at + 4 < size; i++) {
		if (i && (len - i) % 3 == 0 && digits[i - 1] != '-') {
			memcpy(text + at, "\xe2\x80\xaf", 3);
			at += 3;
		}
		text[at++] = digits[i];
	}
	text[at] = '\0';
	return text;
}

const char *html_value(double v, enum sheet_unit unit, char *text, size_t size)
{
	switch (unit) {
	case SHEET_SECONDS:
	case SHEET_MICROS:
		return html_time(v, text, size);
	case SHEET_BYTES:
		return html_bytes(v, text, size);
	case SHEET_PERCENT:
		snprintf(text, size, "%.1f%%", 100 * v);
		return text;
	case SHEET_RATIO:
		snprintf(text, size, "%.2f", v);
		return text;
	case SHEET_NAME:
	case SHEET_COUNT:
		break;
	}
	return html_count(v, text, size);
}

/* ---- tables ---- */

size_t html_column(const struct sheet *s, const char *name)
{
	for (size_t i = 0; i < sheet_count_columns(s); i++)
		if (!strcmp(sheet_column_name(s, i), name))
			return i;
	tape_die(TAPE_FAILED, "no column %s", name);
}

static const char *unit_text(enum sheet_unit unit)
{
	static const char *const text[] = {
	    [SHEET_NAME] = "",	   [SHEET_COUNT] = "",
	    [SHEET_SECONDS] = "s", [SHEET_MICROS] = "\xc2\xb5s",
	    [SHEET_PERCENT] = "",  [SHEET_RATIO] = "",
	    [SHEET_BYTES] = "B",
	};

	return text[unit];
}

static void put_column_head(FILE *f, const struct sheet *s, size_t column)
{
	enum sheet_unit unit = sheet_column_unit(s, column);

	fputs(unit == SHEET_NAME ? "<th class=\"n\">" : "<th>", f);
	tape_svg_text(f, sheet_column_name(s, column));
	if (*unit_text(unit))
		fprintf(f, ", %s", unit_text(unit));
	fputs("</th>", f);
}

static void put_table_cell(FILE *f, const struct sheet *s, size_t row,
			   size_t column)
{
	enum sheet_unit unit = sheet_column_unit(s, column);
	double v = sheet_cell_value(s, row, column);
	char text[1200];

	sheet_cell_text(s, row, column, text, sizeof text);
	if (unit == SHEET_NAME)
		fputs("<td class=\"n\">", f);
	else if (unit == SHEET_PERCENT && isfinite(v))
		fprintf(f, "<td class=\"p\" style=\"--p:%.1f%%\">",
			100 * fmin(fmax(v, 0), 1));
	else
		fputs("<td>", f);
	tape_svg_text(f, text);
	fputs("</td>", f);
}

void html_put_table(FILE *f, const struct sheet *s, const char *const *columns,
		    size_t lines)
{
	size_t rows = sheet_count_rows(s), shown = rows > lines ? lines : rows;
	size_t order[32], n = 0;

	if (columns)
		while (columns[n] && n < 32) {
			order[n] = html_column(s, columns[n]);
			n++;
		}
	else
		for (size_t i = 0; i < sheet_count_columns(s); i++)
			if (sheet_is_shown(s, i))
				order[n++] = i;
	fputs("<div class=\"wide\"><table><thead><tr>", f);
	for (size_t i = 0; i < n; i++)
		put_column_head(f, s, order[i]);
	fputs("</tr></thead>\n<tbody>\n", f);
	for (size_t r = 0; r < shown; r++) {
		fputs("<tr>", f);
		for (size_t i = 0; i < n; i++)
			put_table_cell(f, s, r, order[i]);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
	if (shown < rows)
		fprintf(f,
			"<p class=\"faint\">and %zu more, which are in the "
			"data of this page (tapereport -j)</p>\n",
			rows - shown);
}

/* ---- bars ---- */

void html_put_bar(FILE *f, const double part[HTML_PARTS], double whole)
{
	char text[40];

	fputs("<div class=\"bar\" role=\"img\">", f);
	for (size_t i = 0; whole > 0 && i < HTML_PARTS; i++) {
		double share = 100 * part[i] / whole;

		if (!(share > 0.05))
			continue;
		fprintf(f,
			"<i class=\"k%zu\" style=\"width:%.2f%%\" "
			"title=\"%s: %s, %.1f%%\"></i>",
			i, share, html_part[i],
			html_time(part[i], text, sizeof text), share);
	}
	fputs("</div>", f);
}

void html_put_legend(FILE *f)
{
	fputs("<p class=\"legend\">", f);
	for (size_t i = 0; i < HTML_PARTS; i++)
		fprintf(f, "<span><i class=\"k%zu\"></i>%s</span> ", i,
			html_part[i]);
	fputs("</p>\n", f);
}

void html_put_json(FILE *f, const char *json, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (json[i] == '<')
			fputs("\\u003c", f); /* "<" is only in strings */
		else
			putc(json[i], f);
}
