/*
 * Finds the calls of a C source; see reroute.h. scan.h gives the tokens,
 * context.h the function around them, result.h takes what is found. This file
 * has preprocessor directives, and decides what is a call.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "lower_bound.h"
#include "context.h"
#include "declaration.h"
#include "error.h"
#include "reroute.h"
#include "result.h"
#include "scan.h"

#define NAME_MAX_BYTES 256

static const struct {
	const char *name;
	unsigned call;
} calls[] = {
#include "tape_reroute.h"
};

enum { CALLS = sizeof calls / sizeof *calls };

/* One open #if. */
struct branch {
	struct tape_context before; /* where it began */
	struct tape_context after;  /* where its first live branch ended */
	int have_after;
	int outer_dead; /* the #if itself stands in skipped text */
	int rest_dead;	/* an #if 1 came first */
};

struct work {
	struct tape_source source;
	struct tape_context now;
	struct branch *branches;
	size_t branch_count, branch_size;
	int dead;		    /* in text that the compiler surely skips */
	size_t start;		    /* the first token of the statement */
	unsigned long long members; /* by depth, a bit: a struct is open */
	unsigned char owner[CALLS]; /* what the file itself makes of a name */
	unsigned char defined[CALLS]; /* it defines a function of that name */
	size_t local[CALLS]; /* the depth where a variable has it, or 0 */
	size_t locals;	     /* how many have */
	const unsigned char *left;    /* by call: not to be rerouted; or NULL */
	size_t left_count, candidates; /* calls seen so far */
	char *file;		    /* by #line, owned; NULL: as given */
	const char *given;
	long long shift; /* presumed line less physical line */
	struct tape_result result;
};

enum { OURS, DECLARED_HERE, MACRO_HERE, LOCAL_HERE };

/* ---- small questions ---- */

static int find_call(const char *name)
{
	size_t i;

	TAPE_LOWER_BOUND(i, CALLS, strcmp(calls[i].name, name) < 0);
	return i < CALLS && !strcmp(calls[i].name, name) ? (int)i : -1;
}

/* The row of the call that token i names, or -1. */
static int call_at(const struct work *w, size_t i)
{
	char name[NAME_MAX_BYTES];

	if (i >= w->source.count || w->source.tokens[i].kind != TAPE_IDENTIFIER)
		return -1;
	return find_call(tape_source_name(&w->source, i, name, sizeof name));
}

static int kind_at(const struct work *w, size_t i)
{
	return i < w->source.count ? w->source.tokens[i].kind : TAPE_END;
}

/* The line of token i as compiler messages count it. */
static int get_token_line(const struct work *w, size_t i)
{
	long long line = w->source.tokens[i].line + w->shift;

	return line < 0 ? 0 : line > INT_MAX ? INT_MAX : (int)line;
}

static const char *file_of(const struct work *w)
{
	return w->file ? w->file : w->given;
}

static int report_token(struct work *w, size_t i, enum tape_left why)
{
	char name[NAME_MAX_BYTES];

	tape_source_name(&w->source, i, name, sizeof name);
	return tape_result_report(&w->result, why, name, file_of(w),
				  get_token_line(w, i));
}

/* ---- calls ---- */

static int reroute_call(struct work *w, size_t i, int row)
{
	const struct tape_token *t = w->source.tokens;
	int empty = tape_source_code(&w->source, i + 2) == ')', why;
	char function[NAME_MAX_BYTES];
	struct tape_edit name = {t[i].at, 0, TAPE_EDIT_NAME};
	struct tape_edit site = {t[i + 1].at + t[i + 1].n,
				 w->result.out.site_count,
				 empty ? TAPE_EDIT_ONLY : TAPE_EDIT_FIRST};
	int rc;

	why = w->candidates < w->left_count ? w->left[w->candidates] : 0;
	w->candidates++;
	if (why)
		return report_token(w, i, (enum tape_left)why);
	rc = tape_result_site(&w->result, calls[row].call, calls[row].name,
			      file_of(w), get_token_line(w, i),
			      tape_source_name(&w->source, w->now.function,
					       function, sizeof function));

	if (!rc)
		rc = tape_result_edit(&w->result, name);
	if (!rc)
		rc = tape_result_edit(&w->result, site);
	return rc;
}

/* ---- declarations ---- */

/* A variable has that name, down to the end of the block at depth. */
static void note_local(struct work *w, int row, size_t depth)
{
	if (w->owner[row] != OURS)
		return;
	w->owner[row] = LOCAL_HERE;
	w->local[row] = depth;
	w->locals++;
}

/* Token i ends blocks, or a declaration at file level with its parameters. */
static void end_locals(struct work *w, size_t i)
{
	int code = tape_source_code(&w->source, i);

	if (!w->locals || (code != '}' && (code != ';' || w->now.depth)))
		return;
	for (int row = 0; row < CALLS; row++)
		if (w->owner[row] == LOCAL_HERE &&
		    w->local[row] > w->now.depth) {
			w->owner[row] = OURS;
			w->locals--;
		}
}

/* The name at token i is a variable's, a parameter's or a member's. */
static void note_variable(struct work *w, size_t i, int row)
{
	/* those that stand around the name alone */
	size_t own = tape_source_code(&w->source, i + 1) == ')' &&
		     tape_source_code(&w->source, i + 2) == '(';

	if (w->now.depth)
		note_local(w, row, w->now.depth);
	else if (w->now.parens > own)
		note_local(w, row, 1);
	else
		w->owner[row] = DECLARED_HERE;
}

/*
 * The name at token i is declared as a function: at file level it is the
 * file's own, in a block the library's, unless it gets a body.
 */
static void note_function(struct work *w, size_t i, int row)
{
	int body = tape_is_defined(&w->source, i);

	if (w->now.depth && body) {
		note_local(w, row, w->now.depth);
	} else if (!w->now.depth) {
		w->owner[row] = DECLARED_HERE;
		w->defined[row] |= (unsigned char)(body || w->now.is_static);
	}
}

/* In a struct or union there are no calls. */
static int is_in_members(const struct work *w)
{
	return w->now.depth && w->now.depth <= 64 &&
	       w->members >> (w->now.depth - 1) & 1;
}

/* Goes past token i. */
static void advance_context(struct work *w, size_t i)
{
	int code = tape_source_code(&w->source, i);
	int members = code == '{' &&
		      tape_opens_members(&w->source, w->now.before);
	unsigned long long bit;

	tape_context_next(&w->now, &w->source, i);
	if (code == '{' && w->now.depth && w->now.depth <= 64) {
		bit = 1ull << (w->now.depth - 1);
		w->members = members ? w->members | bit : w->members & ~bit;
	}
	end_locals(w, i);
	if (code && strchr(";{}", code))
		w->start = i + 1;
}

/* The name of a call and an opening parenthesis: a call or a declaration? */
static int process_name_with_paren(struct work *w, size_t i, int row,
				   const size_t *before, int in_macro)
{
	static const enum tape_left left[] = {
	    [DECLARED_HERE] = TAPE_LEFT_DECLARED,
	    [MACRO_HERE] = TAPE_LEFT_MACRO,
	    [LOCAL_HERE] = TAPE_LEFT_VARIABLE};
	int last = tape_source_code(&w->source, before[0]);

	if (!in_macro && !w->now.depth && !w->now.parens && !w->now.assigned) {
		note_function(w, i, row);
		return 0;
	}
	if (!tape_before_expression(&w->source, before[0])) {
		if (!tape_is_type(&w->source, before[0]))
			return report_token(w, i, TAPE_LEFT_DECLARATION);
		if (!in_macro)
			note_function(w, i, row);
		return 0;
	}
	if (!in_macro && w->now.depth && (last == ',' || last == '*') &&
	    tape_is_declarator(&w->source, w->start, i)) {
		note_function(w, i, row);
		return 0;
	}
	if (w->owner[row])
		return report_token(w, i, left[w->owner[row]]);
	if (w->defined[row])
		return report_token(w, i, TAPE_LEFT_DECLARED);
	if (!in_macro && !w->now.depth)
		return report_token(w, i, TAPE_LEFT_OUTSIDE);
	if (!in_macro && w->now.plain_inline)
		return report_token(w, i, TAPE_LEFT_INLINE);
	return reroute_call(w, i, row);
}

/* The name of a call at token i; before are the tokens before it. */
static int process_name(struct work *w, size_t i, int row, const size_t *before,
			int in_macro)
{
	int last = tape_source_code(&w->source, before[0]);

	if (last == '.' || last == TAPE_ARROW)
		return 0;
	if (kind_at(w, before[0]) == TAPE_PASTE ||
	    kind_at(w, i + 1) == TAPE_PASTE)
		return report_token(w, i, TAPE_LEFT_PASTED);
	if (!in_macro && is_in_members(w))
		return 0;
	if (tape_source_code(&w->source, i + 1) == '(')
		return process_name_with_paren(w, i, row, before, in_macro);
	if (tape_is_variable(&w->source, i, before)) {
		if (!in_macro)
			note_variable(w, i, row);
		return 0;
	}
	if (!in_macro && !w->now.depth && !w->now.parens && !w->now.assigned) {
		/* extern __typeof__(PMPI_Send) MPI_Send; */
		w->owner[row] = DECLARED_HERE;
		return 0;
	}
	return report_token(w, i, TAPE_LEFT_NO_CALL);
}

/* True when MPI_##x( may become the name of a call: token i is its start. */
static int is_pasted_name(const struct work *w, size_t i)
{
	char name[NAME_MAX_BYTES];
	size_t n;

	if (kind_at(w, i) != TAPE_IDENTIFIER ||
	    kind_at(w, i + 1) != TAPE_PASTE ||
	    tape_source_code(&w->source, i + 3) != '(')
		return 0;
	n = strlen(tape_source_name(&w->source, i, name, sizeof name));
	for (int k = 0; n > 3 && k < CALLS; k++)
		if (!strncmp(name, calls[k].name, n))
			return 1;
	return 0;
}

/* ---- directives ---- */

/* #if: 0 or 1 when its condition is just that, else -1. */
static int get_literal_condition(const struct work *w, size_t i, size_t end)
{
	const struct tape_token *t = &w->source.tokens[i];

	if (end != i + 1 || t->kind != TAPE_NUMBER || t->n != 1)
		return -1;
	return w->source.text[t->at] == '0'   ? 0
	       : w->source.text[t->at] == '1' ? 1
					      : -1;
}

static int open_branch(struct work *w, int truth)
{
	struct branch *b = tape_grow_array(w->branches, &w->branch_size,
					   w->branch_count + 1, sizeof *b);

	if (!b)
		return TAPE_ENOMEM;
	w->branches = b;
	b = &w->branches[w->branch_count++];
	memset(b, 0, sizeof *b);
	b->before = w->now;
	b->outer_dead = w->dead;
	b->rest_dead = truth == 1;
	w->dead |= !truth;
	return 0;
}

/*
 * #else, #elif and #endif. Each branch begins in the state at the #if; after
 * #endif the state is that at the end of the first branch, since all should
 * agree.
 */
static void next_branch(struct work *w)
{
	struct branch *b;

	if (!w->branch_count)
		return;
	b = &w->branches[w->branch_count - 1];
	if (!w->dead && !b->have_after) {
		b->after = w->now;
		b->have_after = 1;
	}
	w->now = b->before;
	w->dead = b->outer_dead || b->rest_dead;
}

static void close_branch(struct work *w)
{
	struct branch *b;

	if (!w->branch_count)
		return;
	b = &w->branches[--w->branch_count];
	if (b->have_after)
		w->now = b->after;
	else if (w->dead)
		w->now = b->before;
	w->dead = b->outer_dead;
}

/* #define: token i is the macro's name. */
static int process_macro(struct work *w, size_t i, size_t end)
{
	size_t before[3] = {TAPE_NONE, TAPE_NONE, TAPE_NONE};
	const struct tape_token *t = w->source.tokens;
	int row = call_at(w, i), rc = 0;

	if (row >= 0)
		w->owner[row] = MACRO_HERE;
	if (++i < end && tape_source_code(&w->source, i) == '(' &&
	    t[i].at == t[i - 1].at + t[i - 1].n)
		while (i < end && tape_source_code(&w->source, i++) != ')')
			;
	for (; i < end && !rc; i++) {
		row = call_at(w, i);
		if (row >= 0)
			rc = process_name(w, i, row, before, 1);
		else if (is_pasted_name(w, i))
			rc = report_token(w, i, TAPE_LEFT_PASTED);
		before[2] = before[1];
		before[1] = before[0];
		before[0] = i;
	}
	return rc;
}

static int parse_hex_digit(int c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* One character of a string literal, its escapes undone; moves *p on. */
static char decode_character(const char **p, const char *end)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	const char *q = *p;
	unsigned v = 0;

	if (*q != '\\' || q + 1 == end) {
		*p = q + 1;
		return *q;
	}
	q++;
	if (*q >= '0' && *q <= '7') {
		for (int k = 0; k < 3 && q < end && *q >= '0' && *q <= '7'; k++)
			v = 8 * v + (unsigned)(*q++ - '0');
	} else if (*q == 'x') {
		for (q++; q < end && parse_hex_digit(*q) >= 0; q++)
			v = (16 * v + (unsigned)parse_hex_digit(*q)) & 0xff;
	} else {
		const char *f = *q ? strchr(from, *q) : NULL;

		v = (unsigned char)(f ? to[f - from] : *q);
		q++;
	}
	*p = q;
	return (char)v;
}

/* The text between the quotes, its escapes undone; to be freed. */
static char *string_at(const struct work *w, size_t i)
{
	const struct tape_token *t = &w->source.tokens[i];
	const char *p = w->source.text + t->at + 1;
	const char *end = p + t->n - 1;
	char *name = malloc(t->n), *q = name;

	if (!name)
		return NULL;
	if (end > p && end[-1] == '"')
		end--;
	while (p < end && (*q = decode_character(&p, end)))
		q++;
	*q = '\0';
	return name;
}

/* #line or # 12 "file": token i is the number. */
static int line_directive(struct work *w, size_t i, size_t end)
{
	const struct tape_token *t = &w->source.tokens[i];
	long long line = 0;
	char *name;

	if (i >= end || t->kind != TAPE_NUMBER)
		return 0;
	for (size_t k = 0; k < t->n; k++) {
		char c = w->source.text[t->at + k];

		if (c < '0' || c > '9' || line > INT_MAX)
			return 0;
		line = 10 * line + (c - '0');
	}
	/* the line after the directive's last has that number */
	w->shift = line - w->source.tokens[end].line - 1;
	if (i + 1 < end && t[1].kind == TAPE_STRING &&
	    w->source.text[t[1].at] == '"') {
		if (!(name = string_at(w, i + 1)))
			return TAPE_ENOMEM;
		free(w->file);
		w->file = name;
	}
	return 0;
}

static int process_conditional(struct work *w, size_t i, size_t end)
{
	static const char *const ifs[] = {"if", "ifdef", "ifndef", NULL};
	static const char *const elses[] = {"else", "elif", "elifdef",
					    "elifndef", NULL};

	if (tape_source_among(&w->source, i, ifs))
		return open_branch(w, tape_source_is(&w->source, i, "if")
					  ? get_literal_condition(w, i + 1, end)
					  : -1);
	if (tape_source_among(&w->source, i, elses))
		next_branch(w);
	else if (tape_source_is(&w->source, i, "endif"))
		close_branch(w);
	return 0;
}

/* Token i is the directive's #; *next becomes the token after its end. */
static int process_directive(struct work *w, size_t i, size_t *next)
{
	size_t end = ++i;
	int row, rc;

	while (end < w->source.count && w->source.tokens[end].kind != TAPE_END)
		end++;
	*next = end < w->source.count ? end + 1 : end;
	rc = process_conditional(w, i, end);
	if (rc || w->dead || i >= end)
		return rc;
	if (tape_source_is(&w->source, i, "define") && i + 1 < end)
		return process_macro(w, i + 1, end);
	row = call_at(w, i + 1);
	if (tape_source_is(&w->source, i, "undef") && row >= 0 && i + 1 < end &&
	    w->owner[row] == MACRO_HERE)
		w->owner[row] = OURS;
	/* without its newline there is no line after it */
	if (end == w->source.count)
		return 0;
	if (tape_source_is(&w->source, i, "line"))
		return line_directive(w, i + 1, end);
	return line_directive(w, i, end);
}

/* ---- the whole ---- */

static int process_tokens(struct work *w)
{
	size_t i = 0, next;
	int row, rc = 0;

	tape_context_start(&w->now);
	while (i < w->source.count && !rc) {
		next = i + 1;
		if (w->source.tokens[i].kind == TAPE_DIRECTIVE) {
			rc = process_directive(w, i, &next);
		} else if (!w->dead) {
			row = call_at(w, i);
			if (row >= 0)
				rc = process_name(w, i, row, w->now.before, 0);
			advance_context(w, i);
		}
		i = next;
	}
	return rc;
}

static void reset_work(struct work *w)
{
	tape_result_clear(&w->result);
	free(w->branches);
	free(w->file);
	w->branches = NULL;
	w->file = NULL;
	w->branch_count = w->branch_size = 0;
	w->dead = 0;
	w->shift = 0;
	memset(w->owner, 0, sizeof w->owner);
	w->locals = w->start = w->candidates = 0;
	w->members = 0;
}

/* Calls of functions that the file defines further down are its own, too. */
static int process_tokens_again(struct work *w)
{
	int rc = process_tokens(w);

	if (!rc && memchr(w->defined, 1, sizeof w->defined)) {
		reset_work(w);
		rc = process_tokens(w);
	}
	return rc;
}

int tape_reroute_but(const char *file, const char *text, size_t n,
		     const unsigned char *left, size_t left_count,
		     struct tape_rerouted *r)
{
	/* a byte order mark has to stay first */
	size_t start = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
	struct tape_token *tokens;
	struct work w;
	int rc;

	memset(&w, 0, sizeof w);
	memset(r, 0, sizeof *r);
	w.given = file;
	w.source.text = text;
	w.left = left;
	w.left_count = left_count;
	rc = tape_scan(text, n, start, &tokens, &w.source.count);
	w.source.tokens = tokens;
	if (!rc)
		rc = process_tokens_again(&w);
	if (!rc && (w.now.broken || w.now.depth)) {
		/* conditionals whose branches do not nest: trust the layout */
		reset_work(&w);
		memset(w.defined, 0, sizeof w.defined);
		w.source.by_column = 1;
		rc = process_tokens_again(&w);
	}
	if (!rc)
		rc = tape_result_write(&w.result, file, text, n, start);
	if (!rc) {
		*r = w.result.out;
		memset(&w.result.out, 0, sizeof w.result.out);
	}
	reset_work(&w);
	free(tokens);
	return rc;
}

int tape_reroute(const char *file, const char *text, size_t n,
		 struct tape_rerouted *r)
{
	return tape_reroute_but(file, text, n, NULL, 0, r);
}

const char *tape_left_text(enum tape_left why)
{
	switch (why) {
	case TAPE_LEFT_NO_CALL:
		return "used without a call";
	case TAPE_LEFT_DECLARATION:
		return "looks like a declaration";
	case TAPE_LEFT_DECLARED:
		return "declared by this file";
	case TAPE_LEFT_MACRO:
		return "a macro of this file";
	case TAPE_LEFT_PASTED:
		return "assembled by the preprocessor";
	case TAPE_LEFT_INLINE:
		return "called in an inline function that is not static";
	case TAPE_LEFT_OUTSIDE:
		return "called outside of a function";
	case TAPE_LEFT_VARIABLE:
		return "the name of a variable at this point";
	case TAPE_LEFT_STRING:
		return "made a string by a macro";
	case TAPE_LEFT_UNDECLARED:
		return "called without its library's header";
	case TAPE_LEFT_LABEL:
		return "called after a label";
	case TAPE_LEFT_FUNCTION:
		return "a function that is not the only one in an assignment";
	case TAPE_LEFT_CROWDED:
		return "among other statements on its line";
	case TAPE_LEFT_CUT:
		return "in a statement that the preprocessor cuts";
	case TAPE_LEFT_EXTERNAL:
		return "called where implicit none (external) holds";
	}
	return "left alone";
}
