/*
 * Code objects of CPython, read from memory without its interpreter lock: the
 * caller's frame refers to the code object, whose parts never change. Nothing
 * is called, counted or written. Layouts: the headers of CPython 3.11 to 3.13.
 */
#ifndef TAPE_PYTHON_CODE_H
#define TAPE_PYTHON_CODE_H

#include <stddef.h>
#include <stdint.h>

/* Offsets in bytes of the fields that differ between versions. */
struct tape_python_layout {
	uint32_t version; /* 0x030b: 3.11 */
	int has_cframe;   /* the thread's state refers to a _PyCFrame, which
			   * refers to the frame; else to the frame */
	uint32_t state_frame, cframe_frame; /* PyThreadState, _PyCFrame */
	uint32_t frame_code, frame_previous; /* _PyInterpreterFrame */
	uint32_t frame_instruction, frame_owner;
	uint32_t code_first_line, code_bytes; /* PyCodeObject */
	uint32_t ascii_bytes, compact_bytes;  /* headers of strings */
};

/* What is read is of these types, or it is not read further. */
struct tape_python_types {
	const void *code, *text, *bytes;
};

/* An interpreter: valid until its library is closed. */
struct tape_python {
	const struct tape_python_layout *layout;
	struct tape_python_types types;
};

/* An instruction: a code object, and the offset of its bytes there. */
struct tape_python_place {
	const unsigned char *code; /* NULL: none */
	long offset; /* bytes; negative before the first instruction */
};

/*
 * The layout for a value of Py_Version, or NULL: unknown, or no final release.
 */
const struct tape_python_layout *tape_python_layout(unsigned long version);

/*
 * The innermost instruction of Python of the thread whose PyThreadState is
 * state, which is the calling thread; not one of the import system, but the
 * import statement. Its code is NULL if there is none.
 */
struct tape_python_place
tape_python_innermost(const struct tape_python *p, const void *state);

/*
 * A hash of what the place is called: by content, since the address of a code
 * object may be that of another one later. Of long texts and tables only a part
 * is read.
 */
uint64_t tape_python_hash(const struct tape_python *p,
			  struct tape_python_place at);

/*
 * Writes the source file and the qualified name of the function, at most n
 * bytes each including the NUL, as UTF-8 (bytes that were no UTF-8: as they
 * were). Returns the line, from 1 (0: unknown), or -1 if a text cannot be read.
 */
int tape_python_name(const struct tape_python *p, struct tape_python_place at,
		     char *file, char *function, size_t n);

/*
 * The line of an instruction by the table of its code object: n bytes, format:
 * Objects/locations.md of CPython 3.11. unit is the instruction's number in
 * units of two bytes, negative: before the first one. Returns the line, or 0 if
 * the table has none.
 */
int tape_python_line(const unsigned char *table, size_t n, int first_line,
		     long unit);

#endif
