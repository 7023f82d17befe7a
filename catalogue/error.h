/*
 * Error codes of every Tape library. Functions return 0 or a negative code;
 * libraries print nothing. The sentence for a user is made where the file,
 * the offset or the option is known.
 */
#ifndef TAPE_ERROR_H
#define TAPE_ERROR_H

#define TAPE_ERRORS(X) \
	X(TAPE_ENOMEM, "out of memory") \
	X(TAPE_EIO, "input or output error") \
	X(TAPE_EFORMAT, "not a Tape trace, or a damaged one") \
	X(TAPE_ETRUNCATED, "the file ends too early") \
	X(TAPE_ECHECKSUM, "checksum mismatch") \
	X(TAPE_EVERSION, "written by a newer version") \
	X(TAPE_EBASE, "wrong time base") \
	X(TAPE_ERANGE, "value out of range") \
	X(TAPE_EFEW, "too few samples") \
	X(TAPE_ESPREAD, "all samples at one instant") \
	X(TAPE_ECYCLE, "events that wait for each other") \
	X(TAPE_EEXIST, "the output exists")

enum tape_error {
	TAPE_OK = 0,
	TAPE_ERROR_FIRST_ = -1000,
#define X(code, text) code,
	TAPE_ERRORS(X)
#undef X
	TAPE_ERROR_END_
};

/* The text of a code; never NULL. Static storage. */
const char *tape_error_text(int code);

#endif
