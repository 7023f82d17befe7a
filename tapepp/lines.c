/*
 * Statements out of lines, of fixed and of free form; see lines.h. Tabs in the
 * first six columns of fixed form work as DEC's, like in gfortran.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "lines.h"

/* Longer ones, which no compiler takes, are cut. */
#define STATEMENT_MAX 1000000u
/* So far back a column is looked for. */
#define LINE_MAX_BYTES 1000

enum kind { COMMENT, DIRECTIVE, INITIAL, CONTINUATION };

/* A line of the text: [begin, end) with its newline; its part of a statement
 * begins at from, in that column. */
struct line {
	enum kind kind;
	size_t begin, from, column, stop, end; /* stop: without newline */
	int label;
};

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static size_t skip_blanks(const struct tape_lines *l, size_t i, size_t stop)
{
	while (i < stop && is_blank(l->text[i]))
		i++;
	return i;
}

/* ---- what a line is ---- */

static void fixed_line(const struct tape_lines *l, struct line *line)
{
	size_t i = line->begin, column = 1;
	char c = l->text[i];

	line->kind = COMMENT;
	if (strchr("cCdD*!", c))
		return;
	for (; column < 6 && i < line->stop; i++, column++) {
		c = l->text[i];
		if (c == '\t') {
			i++;
			line->kind = i < line->stop && l->text[i] >= '1' &&
					     l->text[i] <= '9'
					 ? CONTINUATION
					 : INITIAL;
			line->from = i + (line->kind == CONTINUATION);
			line->column = 7;
			goto blank;
		}
		if (c == '!')
			return;
		line->label |= !is_blank(c);
	}
	if (i >= line->stop)
		return;
	c = l->text[i];
	line->kind =
	    is_blank(c) || c == '0' || line->label ? INITIAL : CONTINUATION;
	line->from = i + 1;
	line->column = 7;
blank:
	i = skip_blanks(l, line->from, line->stop);
	if (line->kind == INITIAL && (i == line->stop || l->text[i] == '!'))
		line->kind = COMMENT;
}

static void free_line(const struct tape_lines *l, struct line *line)
{
	line->from = skip_blanks(l, line->begin, line->stop);
	line->column = 1 + line->from - line->begin;
	line->kind = INITIAL;
	if (line->from == line->stop || l->text[line->from] == '!')
		line->kind = COMMENT;
}

static struct line line_at(const struct tape_lines *l, size_t at)
{
	const char *nl = memchr(l->text + at, '\n', l->size - at);
	struct line line = {.begin = at, .from = at, .column = 1};

	line.stop = nl ? (size_t)(nl - l->text) : l->size;
	line.end = nl ? line.stop + 1 : line.stop;
	if (line.stop == at)
		line.kind = COMMENT;
	else if (l->text[at] == '#')
		line.kind = DIRECTIVE;
	else if (l->columns)
		fixed_line(l, &line);
	else
		free_line(l, &line);
	return line;
}

size_t tape_lines_column(const struct tape_lines *l, size_t at)
{
	size_t begin = at, first = 0;
	struct line line;

	if (at > LINE_MAX_BYTES)
		first = at - LINE_MAX_BYTES;
	while (begin > first && l->text[begin - 1] != '\n')
		begin--;
	if (begin && l->text[begin - 1] != '\n')
		return 7;
	line = line_at(l, begin);
	return at < line.from ? 1 + at - begin : line.column + at - line.from;
}

/* ---- a statement that grows ---- */

/* Room for two bytes more, a NUL after. */
static int reserve_line_bytes(struct tape_lines *l)
{
	size_t size = 2 * l->room + 256;
	char *s;
	size_t *at;
	int *line;

	if (l->n + 3 <= l->room)
		return 0;
	if ((s = realloc(l->s, size)))
		l->s = s;
	if ((at = realloc(l->at, size * sizeof *at)))
		l->at = at;
	if ((line = realloc(l->line, size * sizeof *line)))
		l->line = line;
	if (!s || !at || !line)
		return TAPE_ENOMEM;
	l->room = size;
	return 0;
}

static int clamp_line_number(const struct tape_lines *l, long long number)
{
	number += l->shift;
	return number < 0 ? 0 : number > INT_MAX ? INT_MAX : (int)number;
}

static int add_character(struct tape_lines *l, char c, size_t at)
{
	if (is_blank(c))
		c = ' ';
	if ((c == ' ' && (!l->n || l->s[l->n - 1] == ' ')) ||
	    l->n >= STATEMENT_MAX)
		return 0;
	if (reserve_line_bytes(l))
		return TAPE_ENOMEM;
	l->at[l->n] = at;
	l->line[l->n] = clamp_line_number(l, l->number);
	l->s[l->n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a')
		       : c		    ? c
					    : '?';
	return 0;
}

/* ---- the text of a line ---- */

/* Is there nothing after byte i of free form but, outside a string, a "!"? */
static int is_last(const struct tape_lines *l, size_t i, size_t stop)
{
	i = skip_blanks(l, i + 1, stop);
	return i == stop || (!l->quote && l->text[i] == '!');
}

/* Goes past byte i; 1 at what ends the line, or negative. */
static int append_byte(struct tape_lines *l, size_t i, size_t stop)
{
	char c = l->text[i];

	if (!l->columns && c == '&' && is_last(l, i, stop)) {
		l->more = 1;
		return 1;
	}
	if (l->quote) {
		if (c != l->quote)
			return 0;
		l->quote = 0;
		return add_character(l, '\'', i);
	}
	if (c == '!')
		return 1;
	if (c == '\'' || c == '"') {
		l->quote = c;
		c = '\'';
	}
	return add_character(l, c, i);
}

static int append_line(struct tape_lines *l, const struct line *line)
{
	size_t i = line->from, stop = line->stop;
	int rc = 0, padded = 0;

	l->more = 0;
	if (l->columns) {
		size_t most = (size_t)l->columns + 1 - line->column;

		padded = stop - i < most;
		stop = padded ? stop : i + most;
	} else if (line->kind == CONTINUATION && l->text[i] == '&' &&
		   !is_last(l, i, stop)) {
		i++;
	} else if (line->kind == CONTINUATION && !l->quote) {
		rc = add_character(l, ' ', i);
	}
	while (i < stop && !rc)
		rc = append_byte(l, i++, stop);
	if (rc >= 0 && padded && !l->quote)
		rc = add_character(l, ' ', i);
	return rc < 0 ? rc : 0;
}

static void advance_line(struct tape_lines *l, const struct line *line)
{
	l->next = line->end;
	l->number++;
}

/* ---- the preprocessor ---- */

/* The name in a line marker, without quotes and escapes; to be freed. */
static char *marked_name(const char *p, const char *end)
{
	char *name, *q;

	while (p < end && is_blank(*p))
		p++;
	if (p == end || *p != '"' || !(name = malloc((size_t)(end - p))))
		return NULL;
	p++;
	q = name;
	while (p < end && *p != '"') {
		p += *p == '\\' && p + 1 < end;
		*q++ = *p++;
	}
	*q = '\0';
	return name;
}

/* # 12 "file" or #line 12 "file", from the number on. */
static void mark_line(struct tape_lines *l, const char *p, const char *end)
{
	long long number = 0;
	const char *digits = p;
	char *name;

	for (; p < end && *p >= '0' && *p <= '9' && number <= INT_MAX; p++)
		number = 10 * number + (*p - '0');
	if (p == digits)
		return;
	l->shift = number - l->number;
	if ((name = marked_name(p, end))) {
		free(l->file);
		l->file = name;
	}
}

static int is_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && !memcmp(p, word, n) &&
	       ((size_t)(end - p) == n || is_blank(p[n]) || p[n] == '(' ||
		p[n] == '!' || p[n] == '/');
}

static int begins_else(const char *p, const char *end)
{
	return is_word(p, end, "else") || is_word(p, end, "elif");
}

/* The word after #. */
static const char *behind_hash(const struct tape_lines *l,
			       const struct line *line)
{
	return l->text + skip_blanks(l, line->begin + 1, line->stop);
}

static void skip_conditional(struct tape_lines *l, const char *p,
			     const char *end, size_t at)
{
	if (is_word(p, end, "endif")) {
		if (l->dead == l->depth)
			l->dead = 0;
		l->depth -= l->depth > 0;
		return;
	}
	if (begins_else(p, end)) {
		if (l->dead == l->depth)
			l->dead = 0;
		l->branch = at;
		return;
	}
	if (!is_word(p, end, "ifdef") && !is_word(p, end, "ifndef") &&
	    !is_word(p, end, "if"))
		return;
	l->depth++;
	l->branch = at;
	for (p += 2; p < end && is_blank(*p); p++)
		;
	if (!l->dead && is_word(p, end, "0"))
		l->dead = l->depth;
}

/* Goes past a directive, and the lines that continue it. */
static void skip_directive(struct tape_lines *l, struct line line)
{
	const char *p = behind_hash(l, &line), *end = l->text + line.stop;

	skip_conditional(l, p, end, line.begin);
	advance_line(l, &line);
	if (!l->dead && is_word(p, end, "line"))
		mark_line(l,
			  l->text + skip_blanks(l, (size_t)(p - l->text) + 4,
						line.stop),
			  end);
	else if (!l->dead)
		mark_line(l, p, end);
	while (line.stop > line.begin && l->text[line.stop - 1] == '\\' &&
	       l->next < l->size) {
		line = line_at(l, l->next);
		advance_line(l, &line);
	}
}

/* ---- the whole ---- */

/* Does the next line of fixed form that is no comment continue? */
static int is_continued(const struct tape_lines *l)
{
	size_t at = l->next;

	while (at < l->size) {
		struct line line = line_at(l, at);

		if (line.kind == INITIAL || line.kind == CONTINUATION)
			return line.kind == CONTINUATION;
		at = line.end;
	}
	return 0;
}

/* Consumes the line. */
static int append_statement_line(struct tape_lines *l, const struct line *line)
{
	int rc = append_line(l, line);

	advance_line(l, line);
	l->end = l->next;
	l->end_line = clamp_line_number(l, l->number);
	if (l->columns)
		l->more = is_continued(l);
	return rc;
}

/* The line that continues a statement, if there is one: 1, 0 or negative. */
static int append_next_line(struct tape_lines *l)
{
	while (l->next < l->size) {
		struct line line = line_at(l, l->next);

		if (line.kind == DIRECTIVE) {
			/* the other branch has a statement of its own */
			if (begins_else(behind_hash(l, &line),
					l->text + line.stop) &&
			    l->begin > l->branch && l->depth)
				return 0;
			l->cut = 1;
			skip_directive(l, line);
		} else if (line.kind == COMMENT || l->dead) {
			advance_line(l, &line);
		} else if (l->columns && line.kind == INITIAL) {
			return 0;
		} else {
			int rc;

			line.kind = CONTINUATION;
			rc = append_statement_line(l, &line);
			return rc ? rc : 1;
		}
	}
	return 0;
}

static int read_statement(struct tape_lines *l, const struct line *line)
{
	int rc;

	l->begin = line->begin;
	l->label = line->label;
	rc = append_statement_line(l, line);
	while (!rc && l->more) {
		rc = append_next_line(l);
		if (rc != 1)
			break;
		rc = 0;
	}
	if (!rc && !(rc = reserve_line_bytes(l)))
		l->s[l->n] = '\0';
	return rc;
}

int tape_lines_next(struct tape_lines *l)
{
	int rc;

	l->n = 0;
	l->more = l->cut = l->quote = 0;
	while (l->next < l->size) {
		struct line line = line_at(l, l->next);

		if (line.kind == DIRECTIVE) {
			l->begin = line.begin;
			skip_directive(l, line);
			l->end = l->next;
			return TAPE_CPP;
		}
		if (line.kind != COMMENT && !l->dead) {
			rc = read_statement(l, &line);
			return rc ? rc : TAPE_STATEMENTS;
		}
		advance_line(l, &line);
	}
	return 0;
}

int tape_lines_start(struct tape_lines *l, const char *text, size_t n,
		     size_t begin, int columns, const char *file)
{
	memset(l, 0, sizeof *l);
	l->text = text;
	l->size = n;
	l->next = begin;
	l->number = 1;
	l->columns = columns;
	l->file = strdup(file);
	return l->file ? 0 : TAPE_ENOMEM;
}

void tape_lines_free(struct tape_lines *l)
{
	free(l->s);
	free(l->at);
	free(l->line);
	free(l->file);
}
