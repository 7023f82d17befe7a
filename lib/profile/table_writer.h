/*
 * A table of figures, for people, for spreadsheets (CSV) or for programs
 * (JSON). Cells are filled row by row, in the order of the columns.
 *
 *	struct sheet *s = sheet_new("ranks", "Time per rank");
 *
 *	sheet_add_column(s, "rank", SHEET_COUNT);
 *	sheet_add_column(s, "waiting", SHEET_SECONDS);
 *	sheet_put_number(s, 0);
 *	sheet_put_number(s, 1.5e9);
 *	sheet_print(s, SHEET_AS_TEXT, 20);
 *	sheet_free(s);
 *
 * Dies when out of memory.
 */
#ifndef STAT_TABLE_WRITER_H
#define STAT_TABLE_WRITER_H

#include <stddef.h>
#include <stdio.h>

/* What a column holds; numbers are given in ns, bytes or as they are. */
enum sheet_unit {
	SHEET_NAME,    /* text, at the left */
	SHEET_COUNT,   /* a whole number */
	SHEET_SECONDS, /* of ns */
	SHEET_MICROS,  /* likewise, shown as microseconds */
	SHEET_PERCENT, /* a share, 0 to 1 */
	SHEET_RATIO,
	SHEET_BYTES
};

enum sheet_format { SHEET_AS_TEXT, SHEET_AS_CSV, SHEET_AS_JSON };

struct sheet;

/* name: in JSON, stays the caller's; title: above the text, is copied. */
struct sheet *sheet_new(const char *name, const char *title);
void sheet_free(struct sheet *s);

void sheet_add_column(struct sheet *s, const char *name, enum sheet_unit unit);

/* The same; as text it is left out where all of it is none or 0. */
void sheet_add_rare_column(struct sheet *s, const char *name,
			   enum sheet_unit unit);
void sheet_put_text(struct sheet *s, const char *text); /* is copied */
void sheet_put_number(struct sheet *s, double value);
void sheet_put_none(struct sheet *s); /* not known, or none */

size_t sheet_count_rows(const struct sheet *s);

/*
 * The columns that text leaves out, the first one first, until the table is no
 * wider than the terminal, or than 100 characters where there is none. names
 * ends with NULL and stays the caller's; a name that is no column is skipped.
 */
void sheet_set_spare(struct sheet *s, const char *const *names);

/*
 * To standard output. lines: as text no more rows than that, and a line that
 * says how many were left out; 0: all. Where a table is too wide even without
 * its spare columns, names in its last column lose their middle. In JSON it is
 * a member of an object, after a comma.
 */
void sheet_print(const struct sheet *s, enum sheet_format format, size_t lines);

/*
 * As JSON to a stream: the first rows, most of them (0: all), and before them a
 * member NAME_left_out if there are more.
 */
void sheet_json(const struct sheet *s, size_t most, FILE *f);

/* ---- for those who show it themselves ---- */

size_t sheet_count_columns(const struct sheet *s);
const char *sheet_title(const struct sheet *s);
const char *sheet_column_name(const struct sheet *s, size_t column);
enum sheet_unit sheet_column_unit(const struct sheet *s, size_t column);

/* Does a reader need the column (sheet_add_rare_column)? */
int sheet_is_shown(const struct sheet *s, size_t column);

/*
 * A cell: its number as it was given, NAN where there is none; and as text,
 * "-" likewise.
 */
double sheet_cell_value(const struct sheet *s, size_t row, size_t column);
char *sheet_cell_text(const struct sheet *s, size_t row, size_t column,
		      char *text, size_t size);

#endif
