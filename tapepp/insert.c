/*
 * Text inserted into Fortran sources; see insert.h. Inserted lines end before
 * column 72, and continue in either form.
 */
#include <string.h>

#include "insert.h"

/* Bytes of a string on one line, which so ends before column 72. */
#define STRING_MAX 50

void tape_insert_copy(struct tape_insert *t, size_t end)
{
	if (end <= t->copied)
		return;
	tape_text_put(&t->text, t->source + t->copied, end - t->copied);
	t->copied = end;
}

void tape_insert_text(struct tape_insert *t, const char *s)
{
	tape_text_put(&t->text, s, strlen(s));
}

void tape_insert_blanks(struct tape_insert *t, size_t n)
{
	while (n--)
		tape_text_put(&t->text, " ", 1);
}

void tape_insert_line(struct tape_insert *t, int line, const char *file)
{
	tape_text_format(&t->text, "# %d \"", line);
	for (; *file; file++) {
		if (*file == '"' || *file == '\\')
			tape_insert_text(t, "\\");
		tape_text_put(&t->text, *file == '\n' ? "?" : file, 1);
	}
	tape_insert_text(t, "\"\n");
}

/* Ends a line whose statement goes on. */
static void put_break(struct tape_insert *t)
{
	tape_insert_text(t, t->columns ? "\n     &" : "&\n&");
}

/* A text and its length. A quote in it is written twice. */
static void put_fortran_string(struct tape_insert *t, const char *s)
{
	size_t all = strlen(s), n = 0;

	put_break(t);
	tape_insert_text(t, "'");
	for (; *s; s++) {
		if (n >= STRING_MAX) {
			tape_insert_text(t, "'//");
			put_break(t);
			tape_insert_text(t, "'");
			n = 0;
		}
		n += *s == '\'' ? 2 : 1;
		if (*s == '\'')
			tape_insert_text(t, "'");
		tape_text_put(&t->text, *s == '\n' ? "?" : s, 1);
	}
	tape_text_format(&t->text, "',%zu", all);
}

void tape_insert_announcement(struct tape_insert *t, int of_mpi, unsigned first,
			      unsigned last, const struct tape_place *place)
{
	tape_text_format(&t->text, "      call tape_%s_at(%u,%u,%d,",
			 of_mpi ? "mpi" : "pvm", first, last, place->line);
	put_fortran_string(t, place->file);
	tape_insert_text(t, ",");
	put_fortran_string(t, place->function);
	tape_insert_text(t, ")\n");
}
