/* Texts, tables and bars for all parts of the report. */
#ifndef REPORT_HTML_PARTS_H
#define REPORT_HTML_PARTS_H

#include <stdio.h>

#include "table_writer.h"

/* Format a value in text and return text: "1.53 s"; "1.5 MiB"; "1 234 567".
 * An unknown value (NAN) becomes "-". */
const char *html_time(double ns, char *text, size_t size);
const char *html_bytes(double bytes, char *text, size_t size);
const char *html_count(double n, char *text, size_t size);
const char *html_value(double v, enum sheet_unit unit, char *text, size_t size);

/*
 * Writes the table s with the named columns, in that order. The list ends with
 * NULL; columns NULL: all columns that are shown. At most lines rows are
 * written, then the number of rows left.
 */
void html_put_table(FILE *f, const struct sheet *s, const char *const *columns,
		    size_t lines);

/* Returns the column of that name. Dies if there is none, a programming
 * error. */
size_t html_column(const struct sheet *s, const char *name);

/* Write a bar of the shares of computing, communicating, waiting and tracing,
 * and the legend of such bars. */
enum { HTML_PARTS = 4 };
extern const char *const html_part[HTML_PARTS];
void html_put_bar(FILE *f, const double part[HTML_PARTS], double whole);
void html_put_legend(FILE *f);

/* Writes n bytes of JSON for use inside a page: escapes "<". */
void html_put_json(FILE *f, const char *json, size_t n);

#endif
