/* Tables in three formats; see table_writer.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "escape.h"
#include "growing_array.h"
#include "json.h"
#include "table_writer.h"
#include "tool.h"

/* Characters of a line where there is no terminal; of a shortened name. */
enum { COLUMNS = 24, WIDTH = 100, SHORTEST = 24 };

struct cell {
	char *text;
	double number;
	int there;
};

struct sheet {
	const char *name;
	char *title;
	const char *column[COLUMNS];
	enum sheet_unit unit[COLUMNS];
	int rare[COLUMNS];
	const char *const *spare;
	size_t columns;
	struct cell *cells;
	size_t n, room;
};

struct sheet *sheet_new(const char *name, const char *title)
{
	struct sheet *s = tape_must(calloc(1, sizeof *s));

	s->name = name;
	s->title = tape_must(strdup(title));
	return s;
}

void sheet_free(struct sheet *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->cells[i].text);
	free(s->cells);
	free(s->title);
	free(s);
}

void sheet_add_column(struct sheet *s, const char *name, enum sheet_unit unit)
{
	s->column[s->columns] = name;
	s->unit[s->columns++] = unit;
}

void sheet_add_rare_column(struct sheet *s, const char *name,
			   enum sheet_unit unit)
{
	s->rare[s->columns] = 1;
	sheet_add_column(s, name, unit);
}

void sheet_set_spare(struct sheet *s, const char *const *names)
{
	s->spare = names;
}

static void add_cell(struct sheet *s, struct cell c)
{
	s->cells = tape_must(
	    tape_grow_array(s->cells, &s->room, s->n + 1, sizeof *s->cells));
	s->cells[s->n++] = c;
}

void sheet_put_text(struct sheet *s, const char *text)
{
	struct cell c = {strdup(text), 0, 1};

	if (!c.text)
		tape_die_no_memory();
	add_cell(s, c);
}

void sheet_put_number(struct sheet *s, double value)
{
	add_cell(s, (struct cell){NULL, value, isfinite(value)});
}

void sheet_put_none(struct sheet *s)
{
	add_cell(s, (struct cell){NULL, 0, 0});
}

size_t sheet_count_rows(const struct sheet *s)
{
	return s->columns ? s->n / s->columns : 0;
}

/* ---- text ---- */

/* Digits after the point of a column of times, s, of which most is shown. */
static int time_digits(double most)
{
	return most >= 10000 ? 0 : most >= 100 ? 3 : most >= 0.001 ? 6 : 9;
}

static int column_digits(const struct sheet *s, size_t column)
{
	double most = 0;

	for (size_t i = column; i < s->n; i += s->columns)
		most = fmax(most, fabs(s->cells[i].number) / 1e9);
	return time_digits(most);
}

static void cell_text(const struct sheet *s, size_t column,
		      const struct cell *c, int fine, char *to, size_t n)
{
	static const char *const prefix[] = {"", " K", " M", " G", " T"};
	double v = c->number;
	size_t k = 0;

	if (!c->there) {
		snprintf(to, n, "-");
		return;
	}
	switch (s->unit[column]) {
	case SHEET_NAME:
		tape_clean(c->text, to, n);
		break;
	case SHEET_COUNT:
		snprintf(to, n, "%.0f", v);
		break;
	case SHEET_SECONDS:
		snprintf(to, n, "%.*f", fine, v / 1e9);
		break;
	case SHEET_MICROS:
		snprintf(to, n, "%.3f", v / 1e3);
		break;
	case SHEET_PERCENT:
		snprintf(to, n, "%.1f%%", 100 * v);
		break;
	case SHEET_RATIO:
		snprintf(to, n, "%.2f", v);
		break;
	case SHEET_BYTES:
		while (v >= 10000 && k < 4) {
			v /= 1024;
			k++;
		}
		snprintf(to, n, k ? "%.1f%s" : "%.0f%s", v, prefix[k]);
		break;
	}
}

static const struct cell *get_cell(const struct sheet *s, size_t row, size_t i)
{
	return &s->cells[row * s->columns + i];
}

/* Characters, not bytes. */
static size_t text_length(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void print_padded(const char *text, size_t width, int left, int last)
{
	size_t n = text_length(text);

	if (!left)
		printf("%*s", (int)(width > n ? width - n : 0), "");
	printf("%s", text);
	if (left && !last)
		printf("%*s", (int)(width > n ? width - n : 0), "");
	if (!last)
		printf("  ");
}

/* Does a reader of the text need the column? */
static int is_column_shown(const struct sheet *s, size_t column)
{
	if (!s->rare[column])
		return 1;
	for (size_t i = column; i < s->n; i += s->columns)
		if (s->cells[i].text
			? *s->cells[i].text != '\0'
			: s->cells[i].there && s->cells[i].number != 0)
			return 1;
	return 0;
}

/* How a column is printed: 0 wide, it is not. */
struct look {
	size_t width;
	int fine;
};

static void measure_columns(const struct sheet *s, size_t shown,
			    struct look *look)
{
	char text[1200];
	size_t n;

	for (size_t i = 0; i < s->columns; i++) {
		look[i].fine = column_digits(s, i);
		look[i].width =
		    is_column_shown(s, i) ? text_length(s->column[i]) : 0;
		for (size_t r = 0; look[i].width && r < shown; r++) {
			cell_text(s, i, get_cell(s, r, i), look[i].fine, text,
				  sizeof text);
			n = text_length(text);
			if (n > look[i].width)
				look[i].width = n;
		}
	}
}

static size_t output_width(void)
{
	struct winsize w;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col ? w.ws_col
								: WIDTH;
}

static size_t table_width(const struct sheet *s, const struct look *look)
{
	size_t width = 0;

	for (size_t i = 0; i < s->columns; i++)
		if (look[i].width)
			width += look[i].width + (width ? 2 : 0);
	return width;
}

static size_t last_column(const struct sheet *s, const struct look *look)
{
	size_t last = 0;

	for (size_t i = 0; i < s->columns; i++)
		last = look[i].width ? i : last;
	return last;
}

/*
 * Leaves spare columns out, then shortens the last column, until the table fits
 * width. Writes the names of what is left out, in the order of the table.
 */
static void fit_columns(const struct sheet *s, struct look *look, size_t width,
			char *left_out, size_t size)
{
	size_t last = last_column(s, look), at = 0, over;
	int is_left_out[COLUMNS] = {0};

	for (const char *const *name = s->spare; name && *name; name++)
		for (size_t i = 0; i < s->columns; i++)
			if (!strcmp(s->column[i], *name) && look[i].width &&
			    table_width(s, look) > width) {
				look[i].width = 0;
				is_left_out[i] = 1;
			}
	*left_out = '\0';
	for (size_t i = 0; i < s->columns && at < size; i++)
		if (is_left_out[i])
			at += (size_t)snprintf(left_out + at, size - at,
					       "%s%s", at ? ", " : "",
					       s->column[i]);
	over = table_width(s, look);
	over = over > width ? over - width : 0;
	if (s->unit[last] == SHEET_NAME && look[last].width > SHORTEST)
		look[last].width = look[last].width < SHORTEST + over
				       ? SHORTEST
				       : look[last].width - over;
}

/* Replaces the middle of a text by "...", so that it has so many characters. */
static void shorten_middle(char *text, size_t width)
{
	size_t n = text_length(text), head = (width - 3) / 2, number = 0;
	char *from = NULL, *to = NULL;

	if (n <= width)
		return;
	for (char *c = text; *c; c++) {
		if (((unsigned char)*c & 0xc0) == 0x80)
			continue;
		from = number == head ? c : from;
		to = number == n - (width - 3 - head) ? c : to;
		number++;
	}
	/* at least four characters are replaced, so the dots have room */
	memcpy(from, "...", 3);
	memmove(from + 3, to, strlen(to) + 1);
}

/* Prints "Not shown: ..." in lines that fit; nothing without left_out. */
static void print_left_out(const char *left_out)
{
	static const char hint[] = "(-c has all columns)";
	const char *from = left_out, *word = "Not shown:";
	size_t width = output_width(), used = 0;
	int n = (int)strlen(word);

	while (*left_out && n) {
		if (used && used + 1 + (size_t)n > width) {
			putchar('\n');
			used = 0;
		}
		used += (size_t)printf("%s%.*s", used ? " " : "", n, word);
		if (word == hint)
			break;
		word = *from ? from : hint;
		n = *from ? (int)strcspn(from, ",") : (int)strlen(hint);
		from += *from ? (size_t)n : 0;
		if (*from == ',') {
			n++;
			from += 2;
		}
	}
	if (*left_out)
		putchar('\n');
}

static void print_text(const struct sheet *s, size_t lines)
{
	size_t rows = sheet_count_rows(s),
	       shown = lines && rows > lines ? lines : rows;
	struct look look[COLUMNS];
	char text[1200], left_out[400];
	size_t last;

	printf("\n%s\n\n", s->title);
	measure_columns(s, shown, look);
	fit_columns(s, look, output_width(), left_out, sizeof left_out);
	last = last_column(s, look);
	for (size_t i = 0; i < s->columns; i++)
		if (look[i].width)
			print_padded(s->column[i], look[i].width,
				     s->unit[i] == SHEET_NAME, i == last);
	putchar('\n');
	for (size_t r = 0; r < shown; r++) {
		for (size_t i = 0; i < s->columns; i++) {
			if (!look[i].width)
				continue;
			cell_text(s, i, get_cell(s, r, i), look[i].fine, text,
				  sizeof text);
			shorten_middle(text, look[i].width);
			print_padded(text, look[i].width,
				     s->unit[i] == SHEET_NAME, i == last);
		}
		putchar('\n');
	}
	if (shown < rows)
		printf("and %zu more (-n 0 shows all)\n", rows - shown);
	print_left_out(left_out);
}

/* ---- for programs ---- */

/* The name of a column with its unit: "waiting_s" */
static void column_key(const struct sheet *s, size_t i, char *to, size_t n)
{
	static const char *const unit[] = {
	    [SHEET_NAME] = "",		[SHEET_COUNT] = "",
	    [SHEET_SECONDS] = "_s",	[SHEET_MICROS] = "_us",
	    [SHEET_PERCENT] = "_share", [SHEET_RATIO] = "",
	    [SHEET_BYTES] = "",
	};

	snprintf(to, n, "%s%s", s->column[i],
		 strcmp(s->column[i], "share") ? unit[s->unit[i]] : "");
	for (; *to; to++)
		if (*to == ' ' || *to == '/')
			*to = '_';
}

static double cell_value(const struct sheet *s, size_t i, const struct cell *c)
{
	switch (s->unit[i]) {
	case SHEET_SECONDS:
		return c->number / 1e9;
	case SHEET_MICROS:
		return c->number / 1e3;
	case SHEET_NAME:
	case SHEET_COUNT:
	case SHEET_PERCENT:
	case SHEET_RATIO:
	case SHEET_BYTES:
		break;
	}
	return c->number;
}

/* 15 digits are exact for what was a whole number of ns. */
static void print_number(FILE *f, double v)
{
	fprintf(f, "%.15g", v);
}

static void print_sheet_csv(const struct sheet *s)
{
	char key[128];

	for (size_t i = 0; i < s->columns; i++) {
		column_key(s, i, key, sizeof key);
		printf("%s%s", i ? "," : "", key);
	}
	putchar('\n');
	for (size_t r = 0; r < sheet_count_rows(s); r++) {
		for (size_t i = 0; i < s->columns; i++) {
			const struct cell *c = get_cell(s, r, i);

			if (i)
				putchar(',');
			if (c->text)
				tape_put_csv(stdout, c->text);
			else if (c->there)
				print_number(stdout, cell_value(s, i, c));
		}
		putchar('\n');
	}
}

void sheet_json(const struct sheet *s, size_t most, FILE *f)
{
	size_t rows = sheet_count_rows(s),
	       n = most && rows > most ? most : rows;
	char key[128];

	if (n < rows)
		fprintf(f, ",\"%s_left_out\":%zu", s->name, rows - n);
	fprintf(f, ",\"%s\":[", s->name);
	for (size_t r = 0; r < n; r++) {
		fprintf(f, "%s{", r ? "," : "");
		for (size_t i = 0; i < s->columns; i++) {
			const struct cell *c = get_cell(s, r, i);

			column_key(s, i, key, sizeof key);
			fprintf(f, "%s\"%s\":", i ? "," : "", key);
			if (c->text)
				tape_json_put(f, c->text);
			else if (c->there)
				print_number(f, cell_value(s, i, c));
			else
				fprintf(f, "null");
		}
		putc('}', f);
	}
	putc(']', f);
}

void sheet_print(const struct sheet *s, enum sheet_format format, size_t lines)
{
	switch (format) {
	case SHEET_AS_TEXT:
		print_text(s, lines);
		break;
	case SHEET_AS_CSV:
		print_sheet_csv(s);
		break;
	case SHEET_AS_JSON:
		sheet_json(s, 0, stdout);
		break;
	}
}

/* ---- for others ---- */

size_t sheet_count_columns(const struct sheet *s)
{
	return s->columns;
}

const char *sheet_title(const struct sheet *s)
{
	return s->title;
}

const char *sheet_column_name(const struct sheet *s, size_t column)
{
	return s->column[column];
}

enum sheet_unit sheet_column_unit(const struct sheet *s, size_t column)
{
	return s->unit[column];
}

int sheet_is_shown(const struct sheet *s, size_t column)
{
	return is_column_shown(s, column);
}

double sheet_cell_value(const struct sheet *s, size_t row, size_t column)
{
	const struct cell *c = get_cell(s, row, column);

	return c->there && !c->text ? c->number : NAN;
}

char *sheet_cell_text(const struct sheet *s, size_t row, size_t column,
		      char *text, size_t size)
{
	cell_text(s, column, get_cell(s, row, column), column_digits(s, column),
		  text, size);
	return text;
}
