/*
 * Names that come out of traces, arguments and files, as they may be shown:
 * they can hold anything, escape sequences of terminals and line breaks
 * included. Good UTF-8 that can be seen stays as it is. For each kind of
 * output there is one function: these for text (terminals, tables), CSV and
 * words of definition files, tape_json_string for JSON, tape_svg_text for
 * XML and HTML.
 */
#ifndef TAPE_ESCAPE_H
#define TAPE_ESCAPE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The character of UTF-8 that s begins with: its bytes, 1 to 4, and the code;
 * 0 where there is none (also at the end of s).
 */
size_t tape_utf8(const char *s, uint32_t *code);

/*
 * Can it be shown? Not control characters, what turns the direction of text
 * round or cannot be seen, line separators, and what is no character.
 */
int tape_is_shown(uint32_t code);

/*
 * s as text of one line: bytes that cannot be shown as \xNN. Writes at most n
 * bytes to text, cut between characters; returns text.
 */
char *tape_clean(const char *s, char *text, size_t n);

/* The same to a stream. */
void tape_put_clean(FILE *f, const char *s);

/*
 * The same to a stream, as a field of CSV: in quotes where needed, and with an
 * apostrophe in front where the text begins with = + - @, which spreadsheets
 * take for a formula, or with an apostrophe. Who takes one leading apostrophe
 * away has the text.
 */
void tape_put_csv(FILE *f, const char *s);

/*
 * s as (part of) a line of a definition file: bytes that cannot be shown as
 * %NN, which readers undo in words; word: blanks and % too.
 */
void tape_put_line(FILE *f, const char *s, int word);

/*
 * Undoes the escapes of a value of meta (trace-format(5)): text gets at most n
 * bytes. A NUL, which separates arguments, becomes a blank. NULL is an empty
 * value. Returns text.
 */
char *tape_unescape_value(const char *value, char *text, size_t n);

#endif
