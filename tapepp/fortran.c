/*
 * Finds the calls of a Fortran source and announces the site of each ahead of
 * it; see reroute.h. lines.h gives the statements, units.h the procedure around
 * them. Line directives after inserted text keep every line at its number:
 * gfortran respects them with and without its preprocessor.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "insert.h"
#include "lines.h"
#include "reroute.h"
#include "result.h"
#include "units.h"

static const struct {
	const char *name;
	unsigned first, last; /* numbers that the call may have */
	int function;
} calls[] = {
#include "tape_reroute_fortran.h"
};

enum { CALLS = sizeof calls / sizeof *calls };

struct work {
	struct tape_lines l;
	struct tape_units units;
	struct tape_result result;
	struct tape_insert out;
	unsigned char owner[CALLS]; /* what the file itself makes of a name */
	int external;		    /* implicit none (external) was there */
	int executing;		    /* past the declarations of a unit */
};

enum { OURS, DECLARED_HERE, MACRO_HERE };

/* A statement of those that l holds. */
struct statement {
	const char *s, *end;
	int label;
};

/* ---- small questions ---- */

/* The row of the call that the word of n bytes names, or -1. */
static int find_call(const char *word, size_t n)
{
	int low = 0, high = CALLS - 1;

	while (low <= high) {
		int mid = (low + high) / 2;
		int d = strncmp(word, calls[mid].name, n);

		if (!d && calls[mid].name[n])
			d = -1;
		if (!d)
			return n ? mid : -1;
		if (d < 0)
			high = mid - 1;
		else
			low = mid + 1;
	}
	return -1;
}

static size_t get_offset(const struct work *w, const char *p)
{
	return w->l.at[p - w->l.s];
}

static int get_statement_line(const struct work *w, const char *p)
{
	return w->l.line[p - w->l.s];
}

static int report_statement(struct work *w, const char *p, int row,
			    enum tape_left why)
{
	return tape_result_report(&w->result, why, calls[row].name, w->l.file,
				  get_statement_line(w, p));
}

/* Inserts the announcement of the call at p. */
static int put_announcement(struct work *w, const char *p, int row)
{
	const char *name = tape_units_name(&w->units);
	struct tape_place place = {w->l.file, name, get_statement_line(w, p)};

	tape_insert_announcement(&w->out, calls[row].name[0] == 'm',
				 calls[row].first, calls[row].last, &place);
	return tape_result_site(&w->result, calls[row].first, calls[row].name,
				place.file, place.line, name);
}

static void insert_line_directive(struct work *w, int line)
{
	tape_insert_line(&w->out, line, w->l.file);
}

/* ---- calls ---- */

/* Are there only blanks between the statement at p and a ";"? */
static int is_behind_semicolon(const struct work *w, const char *p)
{
	size_t i = get_offset(w, p);

	while (i && (w->l.text[i - 1] == ' ' || w->l.text[i - 1] == '\t'))
		i--;
	return i && w->l.text[i - 1] == ';';
}

/* Ahead of the statement at p, where the call's own word stands at call. */
static int announce_call(struct work *w, const char *p, const char *call,
			 int row)
{
	size_t column;
	int rc;

	if (p == tape_past_blanks(w->l.s, p)) {
		tape_insert_copy(&w->out, w->l.begin);
		rc = put_announcement(w, call, row);
		insert_line_directive(w, w->l.line[0]);
		return rc;
	}
	if (!is_behind_semicolon(w, p))
		return report_statement(w, call, row, TAPE_LEFT_CROWDED);
	column = tape_lines_column(&w->l, get_offset(w, p));
	tape_insert_copy(&w->out, get_offset(w, p));
	tape_insert_text(&w->out, "\n");
	rc = put_announcement(w, call, row);
	insert_line_directive(w, get_statement_line(w, p));
	tape_insert_blanks(&w->out, column - 1);
	return rc;
}

/* Is the statement the last on its lines? */
static int is_last(const struct work *w, const struct statement *t)
{
	const char *p = t->end, *end = w->l.s + w->l.n;

	while (p < end && (*p == ';' || *p == ' '))
		p++;
	return p == end;
}

/* if (...) call x: the word call is at p. */
static int announce_in_if(struct work *w, const struct statement *t,
			  const char *p, int row)
{
	size_t column = tape_lines_column(&w->l, get_offset(w, p));
	int rc;

	if (w->l.cut || w->l.more)
		return report_statement(w, p, row, TAPE_LEFT_CUT);
	if (!is_last(w, t) || get_offset(w, p + 3) != get_offset(w, p) + 3)
		return report_statement(w, p, row, TAPE_LEFT_CROWDED);
	tape_insert_copy(&w->out, get_offset(w, p));
	tape_insert_text(&w->out, "then\n");
	rc = put_announcement(w, p, row);
	insert_line_directive(w, get_statement_line(w, p));
	tape_insert_blanks(&w->out, column - 1);
	tape_insert_copy(&w->out, w->l.end);
	if (w->l.text[w->l.end - 1] != '\n')
		tape_insert_text(&w->out, "\n");
	tape_insert_text(&w->out, "      end if\n");
	insert_line_directive(w, w->l.end_line);
	return rc;
}

/* The row of the name at p, after the word call; -1: none of ours. */
static int find_callee(const char *p, const char *end)
{
	size_t n;
	int row;

	p = tape_past_blanks(p, end);
	n = tape_word(p, end);
	row = find_call(p, n);
	if (row < 0)
		return -1;
	p = tape_past_blanks(p + n, end);
	if (calls[row].function || (p < end && *p != '('))
		return -1;
	if (p < end)
		p = tape_past_parens(p, end);
	/* #else may cut the statement off before they close */
	return !p || tape_past_blanks(p, end) == end ? row : -1;
}

/*
 * The row of the call that a statement at p makes, or -1. In fixed form the
 * blank after the word call may be missing.
 */
static int find_called_row(const struct work *w, const char *p, const char *end)
{
	size_t n = tape_word(p, end);

	return n == 4 || (n > 4 && w->l.columns)
		   ? memcmp(p, "call", 4) ? -1 : find_callee(p + 4, end)
		   : -1;
}

static int find_left_reason(const struct work *w, int row, int label,
			    enum tape_left *why)
{
	if (w->owner[row])
		*why = w->owner[row] == MACRO_HERE ? TAPE_LEFT_MACRO
						   : TAPE_LEFT_DECLARED;
	else if (w->external)
		*why = TAPE_LEFT_EXTERNAL;
	else if (label)
		*why = TAPE_LEFT_LABEL;
	else
		return 0;
	return 1;
}

/* ---- functions: MPI_Wtime ---- */

/* Statements that may do something before, after or instead of the function. */
static int is_control(const char *p, size_t n)
{
	static const char *const words[] = {
	    "if",	 "else",       "elseif",  "do",
	    "while",	 "select",     "case",	  "where",
	    "forall",	 "return",     "stop",	  "associate",
	    "elsewhere", "selectcase", "dowhile", NULL};

	for (int i = 0; words[i]; i++)
		if (tape_word_is(p, n, words[i]))
			return 1;
	return 0;
}

/* Does a statement that begins with the word of n bytes surely do something? */
static int is_executable(const char *p, size_t n, const char *end)
{
	static const char *const words[] = {
	    "call", "if", "do", "print", "write", "read", "allocate", NULL};
	const char *q = tape_past_blanks(p + n, end);

	for (int i = 0; words[i]; i++)
		if (tape_word_is(p, n, words[i]))
			return 1;
	return n && q < end && *q == '=';
}

/* Is the word at p a reference: no component, followed by arguments? */
static int is_reference(const struct work *w, const char *p, size_t n,
			const char *end)
{
	const char *q = tape_past_blanks(p + n, end);

	if (q == end || *q != '(')
		return 0;
	for (q = p; q > w->l.s && q[-1] == ' '; q--)
		;
	return q == w->l.s || q[-1] != '%';
}

/*
 * Announces the only function of a statement, unless that is a control
 * statement.
 */
static int announce_function(struct work *w, const struct statement *t)
{
	const char *found = NULL, *p = tape_past_blanks(t->s, t->end);
	enum tape_left why = TAPE_LEFT_FUNCTION;
	size_t n = tape_word(p, t->end);
	int several, row = -1, k;

	/* f(x) = mpi_wtime() - x may be the declaration of a function */
	w->executing |= is_executable(p, n, t->end);
	several = is_control(p, n) || !w->executing;

	for (; p < t->end; p += n ? n : 1) {
		n = tape_word(p, t->end);
		k = n ? find_call(p, n) : -1;
		if (k < 0 || !calls[k].function ||
		    !is_reference(w, p, n, t->end))
			continue;
		several += found != NULL;
		if (!found) {
			found = p;
			row = k;
		}
	}
	if (!found)
		return 0;
	if (find_left_reason(w, row, t->label, &why) || several)
		return report_statement(w, found, row, why);
	return announce_call(w, tape_past_blanks(t->s, t->end), found, row);
}

/* ---- statements ---- */

/* implicit none (type, external) */
static int forbids_external(const char *p, const char *end)
{
	size_t n = tape_word(p, end);

	if (!tape_word_is(p, n, "implicit"))
		return 0;
	p = tape_past_blanks(p + n, end);
	p += tape_word(p, end);
	p = tape_past_blanks(p, end);
	return p < end && *p == '(' &&
	       memmem(p, (size_t)(end - p), "external", 8);
}

/* The file defines a procedure, perhaps by the name of a call. */
static void note_own(struct work *w)
{
	const char *name = tape_units_name(&w->units);
	int row = find_call(name, strlen(name));

	if (row >= 0)
		w->owner[row] = DECLARED_HERE;
}

/* Past a label of free form. */
static const char *past_label(struct statement *t)
{
	const char *p = tape_past_blanks(t->s, t->end);

	while (p < t->end && *p >= '0' && *p <= '9') {
		t->label = 1;
		p++;
	}
	return tape_past_blanks(p, t->end);
}

static int call_statement(struct work *w, const struct statement *t,
			  const char *p, int row, int in_if)
{
	enum tape_left why;

	w->executing = 1;
	if (find_left_reason(w, row, t->label, &why))
		return report_statement(w, p, row, why);
	return in_if ? announce_in_if(w, t, p, row)
		     : announce_call(w, p, p, row);
}

static int process_statement(struct work *w, struct statement *t)
{
	const char *p = past_label(t), *q;
	size_t n = tape_word(p, t->end);
	int row;

	if (tape_units_statement(&w->units, p, t->end)) {
		note_own(w);
		w->executing = 0;
		return 0;
	}
	if (w->units.in_interface)
		return 0;
	w->external |= forbids_external(p, t->end);
	if ((row = find_called_row(w, p, t->end)) >= 0)
		return call_statement(w, t, p, row, 0);
	q = tape_past_blanks(p + n, t->end);
	if (tape_word_is(p, n, "if") && q < t->end && *q == '(' &&
	    (q = tape_past_parens(q, t->end))) {
		q = tape_past_blanks(q, t->end);
		if ((row = find_called_row(w, q, t->end)) >= 0)
			return call_statement(w, t, q, row, 1);
	}
	return announce_function(w, t);
}

/* All that stand on the lines, with ";" between them. */
static int process_statements(struct work *w)
{
	const char *end = w->l.s + w->l.n;
	struct statement t = {.s = w->l.s, .label = w->l.label};
	int rc = 0;

	while (!rc && t.s < end) {
		t.end = memchr(t.s, ';', (size_t)(end - t.s));
		if (!t.end)
			t.end = end;
		rc = process_statement(w, &t);
		t.s = t.end + 1;
		t.label = 0;
	}
	return rc;
}

/* ---- the preprocessor ---- */

/* #define NAME: anything called NAME, in any case, is the file's own. */
static void note_fortran_macro(struct work *w, const char *p, const char *end)
{
	char name[TAPE_UNIT_NAME];
	size_t n = 0;
	int row;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	for (; p < end && n < sizeof name; p++) {
		char c = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
		    c != '_')
			break;
		name[n++] = c;
	}
	row = find_call(name, n);
	if (row >= 0)
		w->owner[row] = MACRO_HERE;
}

static void cpp_line(struct work *w)
{
	const char *p = w->l.text + w->l.begin + 1, *end = w->l.text + w->l.end;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	tape_units_cpp(&w->units, p, end, w->l.depth);
	if (!w->l.dead && end - p > 6 && !memcmp(p, "define", 6))
		note_fortran_macro(w, p + 6, end);
}

/* ---- the whole ---- */

static int process_lines(struct work *w)
{
	int rc;

	while ((rc = tape_lines_next(&w->l)) > 0) {
		if (rc == TAPE_CPP) {
			cpp_line(w);
			continue;
		}
		if ((rc = process_statements(w)))
			return rc;
	}
	return rc;
}

int tape_reroute_fortran(const char *file, const char *text, size_t n,
			 int columns, struct tape_rerouted *r)
{
	size_t begin = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
	struct work w = {.out = {.source = text, .columns = columns}};
	int rc;

	memset(r, 0, sizeof *r);
	if (n > (size_t)1 << 30)
		return TAPE_ERANGE;
	tape_insert_copy(&w.out, begin);
	tape_insert_line(&w.out, 1, file);
	rc = tape_lines_start(&w.l, text, n, begin, columns, file);
	if (!rc)
		rc = process_lines(&w);
	/* without sites it is as it was */
	if (!w.result.out.site_count)
		w.out.text.n = w.out.copied = 0;
	tape_insert_copy(&w.out, n);
	if (!rc && w.out.text.failed)
		rc = TAPE_ENOMEM;
	if (!rc) {
		*r = w.result.out;
		memset(&w.result.out, 0, sizeof w.result.out);
		r->text = w.out.text.p;
		r->n = w.out.text.n;
	} else {
		free(w.out.text.p);
	}
	tape_result_clear(&w.result);
	tape_lines_free(&w.l);
	return rc;
}
