/*
 * Records of another version of Tape: the classes of a trace whose fields are
 * not those of the table that this reader was made from. The file meta says
 * which (trace-format).
 */
#ifndef TAPE_READER_LAYOUT_H
#define TAPE_READER_LAYOUT_H

#include "tape_reader.h"

enum { TAPE_LAYOUT_FIELDS = 32 };

/* One class. */
struct tape_record_layout {
	int other;     /* it is not as in the table */
	int operands;  /* the first of its n fields */
	int n;
	struct {
		enum { TAPE_AS_INT, TAPE_AS_U32, TAPE_AS_U64 } encoding;
		int kept;             /* 0: the table has no such field */
		struct tape_field to;
	} field[TAPE_LAYOUT_FIELDS];
	/* the table has "arrived", the trace has not: not asked */
	int lacks_arrived;
	struct tape_field arrived;
};

struct tape_layout {
	struct tape_record_layout of[TAPE_CLASS_COUNT];
};

/*
 * Takes in a line of meta, after the word "class". *l is made where it is
 * needed: a trace of this version has none. Returns 0 or an error:
 *
 * TAPE_EFORMAT   it is none
 * TAPE_EVERSION  it says what this version cannot read; *what: what that is
 * TAPE_ENOMEM
 */
int tape_layout_line(struct tape_layout **l, const char *line,
		     const char **what);

/*
 * The fields of one event from p on, into u, which has the operands of the
 * event before at the same site; same: these are not written again. What the
 * table has besides is 0, and arrived 2. Returns the end, or NULL: broken.
 */
const unsigned char *tape_layout_decode(const struct tape_record_layout *r,
					const unsigned char *p,
					const unsigned char *end,
					union tape_fields *u, int same);

/* Does the class of the table create a request? */
int tape_class_creates(unsigned class_);

#endif
