/*
 * Reads the words of a line one after the other, and adds actions; see
 * action_lines.h. Functions return 0, TAPE_EFORMAT with an error message, or
 * TAPE_ENOMEM. what is a noun for the error message: "rank of these files".
 */
#ifndef TAPE_ACTION_WORDS_H
#define TAPE_ACTION_WORDS_H

#include "action_lines.h"

/* More than 2 to the power of this bytes are rejected. */
enum { TAPE_LINE_BYTES_BITS = 62 };

int tape_line_is_blank(char c);
void tape_line_skip_blanks(struct tape_line *l);
/* Whether there is another word, its length, and the number of words left. */
int tape_line_has_word(struct tape_line *l);
size_t tape_line_word_bytes(const struct tape_line *l);
size_t tape_line_count_words(const struct tape_line *l);
/* Fails because the next word is missing or wrong. */
int tape_line_fail_word(struct tape_line *l, const char *what);

/* Reads a finite number of at least 0. */
int tape_line_read_real(struct tape_line *l, double *v, const char *what);
/*
 * Read a whole number from 0 to most; the second also accepts -1. A fraction of
 * 0 is accepted.
 */
int tape_line_read_whole(struct tape_line *l, uint64_t *v, uint64_t most,
			 const char *what);
int tape_line_read_whole_or_none(struct tape_line *l, int32_t *v, uint64_t most,
				 const char *what);
uint64_t tape_line_last_rank(const struct tape_line *l);
int tape_line_read_rank(struct tape_line *l, int32_t *rank);
int tape_line_read_tag(struct tape_line *l, int32_t *tag);
/*
 * Reads a number of items, whose type follows later in the line.
 * tape_line_apply_type reads the type and converts items to bytes.
 */
int tape_line_read_size(struct tape_line *l, uint64_t *n);
int tape_line_apply_type(struct tape_line *l, uint64_t *n);
/*
 * Reads the operations of a collective. tape_line_add_compute adds a
 * computation of them.
 */
int tape_line_read_operations(struct tape_line *l, double *v);
int tape_line_add_compute(struct tape_line *l, double v);

/* Adds an action; NULL: out of memory. The slot of the newest action. */
struct tape_action *tape_line_add_action(struct tape_line *l,
					 enum tape_action_kind kind);
struct tape_action_slot *tape_line_newest_slot(const struct tape_line *l);

/* Reads the number of an existing communicator (kind 1) or window (kind 2). */
int tape_line_read_existing(struct tape_line *l, uint32_t *number,
			    uint64_t kind);

/* ---- parsers of lines, after the action's name ---- */

int tape_line_parse_on_world(struct tape_line *l, int op);
int tape_line_parse_reducescatter(struct tape_line *l, int op);
int tape_line_parse_on_comm(struct tape_line *l, int what);
int tape_line_parse_begin(struct tape_line *l, int what);
int tape_line_parse_end(struct tape_line *l, int what);
int tape_line_parse_comm(struct tape_line *l, int what);
int tape_line_parse_window(struct tape_line *l, int what);
/* "WIN" and the arguments of each kind; "COMM" for comm_free. */
int tape_line_parse_on_window(struct tape_line *l, int kind);
/* Adds a request to the newest action, which is a wait. */
int tape_line_add_wait(struct tape_line *l, uint64_t request);

#endif
