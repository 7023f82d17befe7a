/*
 * Code objects of Python as they are in memory. Truth: the tables of lines are
 * those that CPython 3.11 compiled, the lines what its co_lines() says of them;
 * objects are made here, field by field, as its headers place them.
 */
#include <stdlib.h>
#include <string.h>

#include "python_code.h"
#include "tap.h"

/* def f(a): x = [i \n for i in a] \n \n return g(x, \n \n 1) if x else None */
static const unsigned char table_f[] = {
	128, 0, 240, 2, 1, 9, 21, 240, 0, 1, 9, 21, 216, 18, 19, 240, 3, 1, 9,
	21, 241, 0, 1, 9, 21, 244, 0, 1, 9, 21, 128, 65, 240, 10, 0, 20, 21,
	240, 5, 2, 12, 31, 141, 49, 136, 81, 224, 13, 14, 241, 5, 2, 12, 16,
	244, 0, 2, 12, 16, 240, 0, 2, 12, 16, 224, 26, 30, 240, 5, 2, 5, 31
};
/* its instructions up to the number, and their line */
static const struct range {
	long end;
	int line;
} lines_f[] = {
	{ 1, 1 }, { 3, 2 }, { 4, 3 }, { 13, 2 }, { 14, 7 }, { 22, 5 },
	{ 23, 7 }, { 31, 5 }, { 32, 7 }, { 33, 5 }
};
/* def g(*a): while a: try: a = a[1:] finally: pass, far below in its file */
static const unsigned char table_g[] = {
	128, 0, 216, 10, 11, 240, 0, 4, 5, 17, 240, 2, 3, 9, 17, 216, 16, 17,
	144, 33, 144, 34, 144, 34, 148, 5, 136, 65, 224, 12, 16, 248, 136, 68,
	136, 68, 136, 68, 136, 68, 240, 9, 0, 11, 12, 240, 0, 4, 5, 17, 240, 0,
	4, 5, 17, 240, 0, 4, 5, 17, 240, 0, 4, 5, 17, 240, 0, 4, 5, 17
};
static const struct range lines_g[] = {
	{ 1, 155 }, { 3, 156 }, { 4, 157 }, { 14, 158 }, { 15, 160 },
	{ 16, 0 }, { 20, 160 }, { 26, 156 }
};
/* the module around both: 155 is a step of more than six bits */
static const unsigned char table_module[] = {
	240, 3, 1, 1, 1, 240, 2, 6, 1, 31, 240, 0, 6, 1, 31, 240, 0, 6, 1, 31,
	240, 116, 4, 5, 1, 17, 240, 0, 5, 1, 17, 240, 0, 5, 1, 17, 240, 0, 5,
	1, 17, 240, 0, 5, 1, 17
};
static const struct range lines_module[] = { { 1, 0 }, { 4, 1 }, { 9, 155 } };

static void check_table(const char *name, const unsigned char *table,
			size_t bytes, int first_line, const struct range *r,
			size_t n)
{
	long unit = 0, wrong = 0;

	for (size_t i = 0; i < n; i++)
		for (; unit < r[i].end; unit++)
			wrong += tape_python_line(table, bytes, first_line,
						  unit) != r[i].line;
	ok(!wrong, "%s: lines of %ld instructions", name, unit);
	ok(tape_python_line(table, bytes, first_line, unit) == 0,
	   "%s: none behind the last one", name);
	ok(tape_python_line(table, bytes, first_line, -1) == first_line,
	   "%s: the first one before it begins", name);
}

/* Any bytes in a block of their own size: a read beyond is seen by SAN=1. */
static void test_random_tables(void)
{
	unsigned long long state = 20261128;
	int wrong = 0;

	for (int k = 0; k < 20000; k++) {
		size_t n = (size_t)k % 40;
		unsigned char *table = malloc(n ? n : 1);

		if (!table)
			break;
		for (size_t i = 0; i < n; i++) {
			state = state * 6364136223846793005ull + 1;
			table[i] = (unsigned char)(state >> 40);
		}
		wrong += tape_python_line(table, n, 1, k % 50) < 0;
		free(table);
	}
	ok(!wrong, "20000 tables of any bytes (seed 20261128)");
}

/* ---- objects ---- */

static const char code_type, text_type, bytes_type;

struct objects {
	unsigned char state[256], cframe[64];
	unsigned char imports[128], inner[128], outer[128];
	unsigned char code[512], file[256], function[256], lines[512];
	unsigned char import_code[512], import_file[256];
};

static void put_pointer(unsigned char *to, uint32_t at, const void *p)
{
	memcpy(to + at, &p, sizeof p);
}

static void put_size(unsigned char *object, const void *type, int64_t n)
{
	put_pointer(object, 8, type);
	memcpy(object + 16, &n, sizeof n);
}

/* A string of n characters of so many bytes each. */
static void put_text(unsigned char *s, const struct tape_python_layout *l,
		     const void *characters, int64_t n, unsigned width,
		     int ascii)
{
	uint32_t state = width << 2 | 1u << 5 | (uint32_t)ascii << 6;

	put_size(s, &text_type, n);
	memcpy(s + 32, &state, sizeof state);
	memcpy(s + (ascii ? l->ascii_bytes : l->compact_bytes), characters,
	       (size_t)n * width);
}

/*
 * A thread in instruction 13 of f, with a frame of the interpreter's own inside
 * of it, and within that one of the import system.
 */
static void make_objects(struct objects *o, const struct tape_python_layout *l)
{
	static const uint16_t file[] = { 's', 0xe9, '.', 0x4e2d, 0xdcff };
	static const char import[] = "<frozen importlib._bootstrap>";
	int32_t first_line = 1;

	memset(o, 0, sizeof *o);
	put_size(o->code, &code_type, 33);
	memcpy(o->code + l->code_first_line, &first_line, sizeof first_line);
	put_text(o->file, l, file, 5, 2, 0);
	put_text(o->function, l, "C.f", 3, 1, 1);
	put_size(o->lines, &bytes_type, sizeof table_f);
	memcpy(o->lines + 32, table_f, sizeof table_f);
	put_pointer(o->code, 112, o->file);
	put_pointer(o->code, 128, o->function);
	put_pointer(o->code, 136, o->lines);
	put_size(o->import_code, &code_type, 1);
	put_text(o->import_file, l, import, sizeof import - 1, 1, 1);
	put_pointer(o->import_code, 112, o->import_file);
	put_pointer(o->imports, l->frame_code, o->import_code);
	put_pointer(o->imports, l->frame_previous, o->inner);
	put_pointer(o->inner, l->frame_previous, o->outer);
	o->inner[l->frame_owner] = 3;
	put_pointer(o->outer, l->frame_code, o->code);
	put_pointer(o->outer, l->frame_instruction,
		    o->code + l->code_bytes + 2 * 13);
	put_pointer(o->cframe, l->cframe_frame, o->imports);
	put_pointer(o->state, l->state_frame,
		    l->has_cframe ? o->cframe : o->imports);
}

static void check_version(unsigned long version)
{
	const struct tape_python p = {
		tape_python_layout(version),
		{ &code_type, &text_type, &bytes_type }
	};
	struct objects *o = malloc(2 * sizeof *o);
	struct tape_python_place at, moved;
	char file[64], function[64];
	uint64_t hash;
	int line;

	if (!ok(p.layout && o, "Python %lx is known", version)) {
		free(o);
		return;
	}
	make_objects(&o[0], p.layout);
	make_objects(&o[1], p.layout);
	at = tape_python_innermost(&p, o->state);
	moved = tape_python_innermost(&p, o[1].state);
	ok(at.code == o->code && at.offset == 26, "the frame of Python");
	line = tape_python_name(&p, at, file, function, sizeof file);
	ok(line == 7 && !strcmp(function, "C.f") &&
		   !strcmp(file, "s\xc3\xa9.\xe4\xb8\xad\xff"),
	   "its name: %s %s, line %d", file, function, line);
	line = tape_python_name(&p, at, file, function, 8);
	ok(line == 7 && strlen(file) < 8, "a file name that is cut: %s", file);
	hash = tape_python_hash(&p, at);
	ok(hash == tape_python_hash(&p, moved), "the same at another address");
	moved.offset += 2;
	ok(hash != tape_python_hash(&p, moved), "another instruction");
	o->lines[32 + 30] ^= 1;
	ok(hash != tape_python_hash(&p, at), "at this address, other lines");
	o->lines[32 + 30] ^= 1;
	o->function[p.layout->ascii_bytes + 2]++;
	ok(hash != tape_python_hash(&p, at), "at this address, another name");
	put_pointer(o->code, 112, o->lines);
	ok(tape_python_name(&p, at, file, function, sizeof file) == -1,
	   "a file name that is no string");
	put_pointer(o->code, 8, &text_type);
	at = tape_python_innermost(&p, o->state);
	ok(!at.code, "a frame without code");
	put_pointer(o->inner, p.layout->frame_previous, NULL);
	at = tape_python_innermost(&p, o->state);
	ok(!at.code, "a thread without a frame");
	free(o);
}

int main(void)
{
#define CHECK(name, first_line)                                                \
	check_table(#name, table_##name, sizeof table_##name, first_line,      \
		    lines_##name, sizeof lines_##name / sizeof *lines_##name)
	CHECK(f, 1);
	CHECK(g, 155);
	CHECK(module, 1);
	test_random_tables();
	check_version(0x030b02f0);
	check_version(0x030c01f0);
	check_version(0x030d00f0);
	ok(!tape_python_layout(0x030a08f0) && !tape_python_layout(0x030e00f0),
	   "other versions are not known");
	ok(!tape_python_layout(0x030b00c2), "nor is a candidate of one");
	return done();
}
