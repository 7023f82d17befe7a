/* Code objects of CPython; see python_code.h. */
#include <string.h>

#include "compiler.h"
#include "hash_bits.h"
#include "python_code.h"

/* Fields at the same place in all of these versions. */
enum {
	OBJECT_TYPE = 8,
	OBJECT_SIZE = 16, /* of PyVarObject, and the length of a string */
	BYTES_VALUE = 32,
	TEXT_STATE = 32,
	CODE_FILE = 112,
	CODE_FUNCTION = 128, /* co_qualname */
	CODE_LINES = 136     /* co_linetable */
};

/* A frame of the interpreter's own, between those of Python. */
#define OWNED_BY_C_STACK 3

/* Bytes that the hash has of a text, from its end, and of a table. */
#define TEXT_BYTES 32
#define TABLE_BYTES 128

static const struct tape_python_layout layouts[] = {
	{ 0x030b, 1, 56, 8, 32, 48, 56, 69, 72, 184, 48, 72 },
	{ 0x030c, 1, 56, 0, 0, 8, 56, 70, 68, 192, 40, 56 },
	{ 0x030d, 0, 72, 0, 0, 8, 56, 70, 68, 200, 40, 56 },
};

const struct tape_python_layout *tape_python_layout(unsigned long version)
{
	const size_t n = sizeof layouts / sizeof *layouts;

	if ((version >> 4 & 15) != 15)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (layouts[i].version == version >> 16)
			return &layouts[i];
	return NULL;
}

static inline const unsigned char *read_pointer(const unsigned char *p,
						uint32_t at)
{
	const unsigned char *value;

	memcpy(&value, p + at, sizeof value);
	return value;
}

static inline int64_t read_size(const unsigned char *p)
{
	int64_t value;

	memcpy(&value, p + OBJECT_SIZE, sizeof value);
	return value;
}

static inline int read_first_line(const struct tape_python *p,
				  const unsigned char *code)
{
	int32_t value;

	memcpy(&value, code + p->layout->code_first_line, sizeof value);
	return value;
}

static inline int is_of_type(const unsigned char *object, const void *type)
{
	return object && read_pointer(object, OBJECT_TYPE) == type;
}

/* The characters of a string, each of *width bytes; NULL: not readable. */
static inline const unsigned char *find_text(const struct tape_python *p,
					     const unsigned char *s,
					     size_t *n, unsigned *width)
{
	uint32_t state; /* interned 2, kind 3, compact 1, ascii 1 bits; in
			 * 3.12 and later the same without "ready" */

	if (!is_of_type(s, p->types.text))
		return NULL;
	memcpy(&state, s + TEXT_STATE, sizeof state);
	*width = state >> 2 & 7;
	*n = (size_t)read_size(s);
	if (!(state >> 5 & 1) || (*width != 1 && *width != 2 && *width != 4))
		return NULL;
	return s + (state >> 6 & 1 ? p->layout->ascii_bytes
				   : p->layout->compact_bytes);
}

/*
 * Is the code one of the import system's? Its frames are between an import
 * statement and the extension that it loads; Python's own tracebacks leave them
 * out, too.
 */
static inline int imports_modules(const struct tape_python *p,
				  const unsigned char *code)
{
	static const char file[] = "<frozen importlib._bootstrap";
	unsigned width;
	size_t n;
	const unsigned char *text =
		find_text(p, read_pointer(code, CODE_FILE), &n, &width);

	return text && width == 1 && n >= sizeof file && *text == '<' &&
	       !memcmp(text, file, sizeof file - 1);
}

struct tape_python_place
tape_python_innermost(const struct tape_python *p, const void *state)
{
	const struct tape_python_layout *l = p->layout;
	const unsigned char *frame = read_pointer(state, l->state_frame), *code;
	struct tape_python_place at = { NULL, 0 };

	if (l->has_cframe && frame)
		frame = read_pointer(frame, l->cframe_frame);
	for (; frame; frame = read_pointer(frame, l->frame_previous)) {
		if (frame[l->frame_owner] >= OWNED_BY_C_STACK)
			continue;
		code = read_pointer(frame, l->frame_code);
		if (!is_of_type(code, p->types.code))
			return at;
		if (TAPE_LIKELY(!imports_modules(p, code))) {
			at.code = code;
			at.offset = (long)(read_pointer(
						   frame,
						   l->frame_instruction) -
					   (code + l->code_bytes));
			return at;
		}
	}
	return at;
}

static inline uint64_t read_word(const unsigned char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

/* Both halves of a product (Wang Yi 2019, wyhash: mum). */
static inline uint64_t fold_product(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 product;
	product x = (product)a * b;

	return (uint64_t)x ^ (uint64_t)(x >> 64);
}

/*
 * Sixteen bytes at a time, since this is done at each event of Python; the last
 * ones may be read twice.
 */
static inline uint64_t hash_part(uint64_t hash, const unsigned char *p,
				 size_t n)
{
	uint64_t a = 0, b = 0;

	hash ^= n;
	for (; n > 16; n -= 16, p += 16)
		hash = fold_product(read_word(p) ^ TAPE_GOLDEN,
				    read_word(p + 8) ^ hash);
	if (n >= 8) {
		a = read_word(p);
		b = read_word(p + n - 8);
	} else {
		for (size_t i = 0; i < n; i++)
			a = a << 8 | p[i];
	}
	return fold_product(a ^ TAPE_GOLDEN, b ^ hash ^ TAPE_HASH_START);
}

static inline uint64_t hash_text(uint64_t hash, const struct tape_python *p,
				 const unsigned char *s)
{
	unsigned width;
	size_t n;
	const unsigned char *text = find_text(p, s, &n, &width);

	if (!text)
		return hash;
	n *= width;
	return n > TEXT_BYTES
		       ? hash_part(hash, text + n - TEXT_BYTES, TEXT_BYTES)
		       : hash_part(hash, text, n);
}

uint64_t tape_python_hash(const struct tape_python *p,
			  struct tape_python_place at)
{
	const unsigned char *table = read_pointer(at.code, CODE_LINES);
	uint64_t hash = (uint64_t)at.offset << 32 ^
			(uint64_t)(uint32_t)read_first_line(p, at.code);
	size_t n;

	hash = tape_spread_bits(hash ^ (uint64_t)read_size(at.code));
	hash = hash_text(hash, p, read_pointer(at.code, CODE_FILE));
	hash = hash_text(hash, p, read_pointer(at.code, CODE_FUNCTION));
	if (!is_of_type(table, p->types.bytes))
		return hash;
	n = (size_t)read_size(table);
	return hash_part(tape_spread_bits(hash ^ n), table + BYTES_VALUE,
			 n < TABLE_BYTES ? n : TABLE_BYTES);
}

/*
 * A character as UTF-8 at q, which has room for four bytes; returns its end.
 * U+DC80 to U+DCFF stand for bytes that were no UTF-8 (PEP 383).
 */
static char *put_character(char *q, uint32_t c)
{
	if (c < 0x80) {
		*q++ = (char)c;
	} else if (c >= 0xdc80 && c <= 0xdcff) {
		*q++ = (char)(c - 0xdc00);
	} else if (c >= 0xd800 && c <= 0xdfff) {
		*q++ = '?'; /* half of a pair: no character */
	} else if (c < 0x800) {
		*q++ = (char)(0xc0 | c >> 6);
		*q++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*q++ = (char)(0xe0 | c >> 12);
		*q++ = (char)(0x80 | (c >> 6 & 63));
		*q++ = (char)(0x80 | (c & 63));
	} else {
		*q++ = (char)(0xf0 | (c >> 18 & 7));
		*q++ = (char)(0x80 | (c >> 12 & 63));
		*q++ = (char)(0x80 | (c >> 6 & 63));
		*q++ = (char)(0x80 | (c & 63));
	}
	return q;
}

static int copy_text(const struct tape_python *p, const unsigned char *s,
		     char *to, size_t room)
{
	unsigned width;
	size_t n;
	const unsigned char *text = find_text(p, s, &n, &width);
	char *q = to;

	if (!text)
		return -1;
	for (size_t i = 0; i < n && q + 4 < to + room; i++) {
		uint32_t c = text[i * width];

		if (width == 2) {
			uint16_t half;

			memcpy(&half, text + 2 * i, sizeof half);
			c = half;
		} else if (width == 4) {
			memcpy(&c, text + 4 * i, sizeof c);
		}
		q = put_character(q, c);
	}
	*q = '\0';
	return 0;
}

int tape_python_name(const struct tape_python *p, struct tape_python_place at,
		     char *file, char *function, size_t n)
{
	const unsigned char *table = read_pointer(at.code, CODE_LINES);

	if (copy_text(p, read_pointer(at.code, CODE_FILE), file, n) ||
	    copy_text(p, read_pointer(at.code, CODE_FUNCTION), function, n) ||
	    !is_of_type(table, p->types.bytes))
		return -1;
	return tape_python_line(table + BYTES_VALUE, (size_t)read_size(table),
				read_first_line(p, at.code),
				at.offset < 0 ? -1 : at.offset / 2);
}

/* A number of six bits a byte, the sign in the lowest bit; *i moves on. */
static long read_signed(const unsigned char *table, size_t n, size_t *i)
{
	unsigned long value = 0;
	unsigned byte, shift = 0;

	do {
		if (*i >= n)
			return 0;
		byte = table[(*i)++];
		value |= (unsigned long)(byte & 63) << shift;
		shift += 6;
	} while (byte & 64 && shift < 36);
	return value & 1 ? -(long)(value >> 1) : (long)(value >> 1);
}

int tape_python_line(const unsigned char *table, size_t n, int first_line,
		     long unit)
{
	long line = first_line, begin = 0;
	size_t i = 0;

	if (unit < 0)
		return first_line > 0 ? first_line : 0;
	while (i < n) {
		unsigned code = table[i] >> 3 & 15;
		long end = begin + (table[i] & 7) + 1;

		i++;
		if (code == 13 || code == 14)
			line += read_signed(table, n, &i);
		else if (code >= 10 && code <= 12)
			line += (long)code - 10;
		if (unit < end)
			return code != 15 && line > 0 && line <= INT32_MAX
				       ? (int)line
				       : 0;
		begin = end;
		while (i < n && !(table[i] & 128))
			i++;
	}
	return 0;
}
