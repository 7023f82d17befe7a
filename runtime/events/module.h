/*
 * Which program or library an address of this process belongs to, and which
 * build of it: as the loader has mapped it, not as its file may be by now.
 */
#ifndef TAPE_MODULE_H
#define TAPE_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* Longest build-id that is kept, bytes; linkers make 8 to 20. */
#define TAPE_BUILD_ID_MAX 64

struct tape_module {
	uintptr_t base;  /* what the loader added to the file's addresses */
	uintptr_t from, to; /* the loaded segment that holds the address */
	char path[3072]; /* absolute wherever the system says so */
	char build_id[2 * TAPE_BUILD_ID_MAX + 1]; /* hexadecimal, "": none */
	uint64_t size;   /* of the file that is there now, 0: none is */
	int64_t mtime;   /* seconds since 1970 */
};

/*
 * Fills base, from, to, build_id and, as the loader knows it, path of *m for
 * the module that is mapped at address: 0, or -1 where none is (code made at
 * run time).
 * Takes the loader's lock: not to be called with one that a constructor may
 * wait for.
 */
int tape_module_at(uintptr_t address, struct tape_module *m);

/*
 * Returns 1 if the n bytes at address are in a read-only part of a program or
 * library. Takes the loader's lock, like tape_module_at.
 */
int tape_module_constant(uintptr_t address, size_t n);

/* Then fills the rest, and makes path absolute. Slow. Changes errno. */
void tape_module_file(uintptr_t address, struct tape_module *m);

#endif
