/* What all parts of the report write: text, tables, bars. */
#ifndef REPORT_HTML_PARTS_H
#define REPORT_HTML_PARTS_H

#include <stdio.h>

#include "sheet.h"

/* "1.53 s", "12.3 ms"; "1.5 MB"; "1 234 567"; of a value that is not known
 * "-". */
const char *html_time(double ns, char *text, size_t size);
const char *html_bytes(double bytes, char *text, size_t size);
const char *html_count(double n, char *text, size_t size);
const char *html_value(double v, enum sheet_unit unit, char *text, size_t size);

/*
 * The columns of that names, in that order (up to NULL), or all that a reader
 * needs (columns NULL). Of more rows than lines it says how many there are.
 */
void html_put_table(FILE *f, const struct sheet *s, const char *const *columns,
		    size_t lines);

/* The column of that name; dies where there is none: a mistake of ours. */
size_t html_column(const struct sheet *s, const char *name);

/* A bar of the shares of computing, communicating, waiting and tracing. */
enum { HTML_PARTS = 4 };
extern const char *const html_part[HTML_PARTS];
void html_put_bar(FILE *f, const double part[HTML_PARTS], double whole);
void html_put_legend(FILE *f);

/* The text of JSON as it may stand in a page: no "<". */
void html_put_json(FILE *f, const char *json, size_t n);

#endif
