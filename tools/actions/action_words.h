/*
 * Words of a line, one after the other, and the actions that lines make; see
 * action_lines.h. Functions return 0, TAPE_EFORMAT with the sentence, or
 * TAPE_ENOMEM; what is a noun for the sentence: "rank of these files".
 */
#ifndef TAPE_ACTION_WORDS_H
#define TAPE_ACTION_WORDS_H

#include "action_lines.h"

/* More bytes than 2 to the power of this are refused. */
enum { TAPE_LINE_BYTES_BITS = 62 };

int tape_line_is_blank(char c);
void tape_line_skip_blanks(struct tape_line *l);
/* Is there another word? And its bytes; and how many there are. */
int tape_line_has_word(struct tape_line *l);
size_t tape_line_word_bytes(const struct tape_line *l);
size_t tape_line_count_words(const struct tape_line *l);
/* The next word is not there, or wrong. */
int tape_line_fail_word(struct tape_line *l, const char *what);

/* A number that is not negative, and is finite. */
int tape_line_read_real(struct tape_line *l, double *v, const char *what);
/* 0 ... most; -1 too. A fraction may be written, if it is 0. */
int tape_line_read_whole(struct tape_line *l, uint64_t *v, uint64_t most,
			 const char *what);
int tape_line_read_whole_or_none(struct tape_line *l, int32_t *v, uint64_t most,
				 const char *what);
uint64_t tape_line_last_rank(const struct tape_line *l);
int tape_line_read_rank(struct tape_line *l, int32_t *rank);
int tape_line_read_tag(struct tape_line *l, int32_t *tag);
/* So many items, whose type comes later; then their bytes. */
int tape_line_read_size(struct tape_line *l, uint64_t *n);
int tape_line_apply_type(struct tape_line *l, uint64_t *n);
/* Operations that a collective takes; and computing them. */
int tape_line_read_operations(struct tape_line *l, double *v);
int tape_line_add_compute(struct tape_line *l, double v);

/* A new action; NULL: out of memory. The newest. */
struct tape_action *tape_line_add_action(struct tape_line *l,
					 enum tape_action_kind kind);
struct tape_action_slot *tape_line_newest_slot(const struct tape_line *l);

/* One that there is at the rank: a communicator, kind 1, or a window, 2. */
int tape_line_read_existing(struct tape_line *l, uint32_t *number,
			    uint64_t kind);

/* ---- lines of several kinds, behind their names ---- */

int tape_line_parse_on_world(struct tape_line *l, int op);
int tape_line_parse_reducescatter(struct tape_line *l, int op);
int tape_line_parse_on_comm(struct tape_line *l, int what);
int tape_line_parse_begin(struct tape_line *l, int what);
int tape_line_parse_end(struct tape_line *l, int what);
int tape_line_parse_comm(struct tape_line *l, int what);
int tape_line_parse_window(struct tape_line *l, int what);
/* "WIN", with what belongs to each kind; COMM of comm_free. */
int tape_line_parse_on_window(struct tape_line *l, int kind);
/* Waits for a request that the newest action, a wait, is for too. */
int tape_line_add_wait(struct tape_line *l, uint64_t request);

#endif
