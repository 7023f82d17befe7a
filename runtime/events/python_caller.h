/*
 * Calls from extension modules of Python, such as mpi4py: the instruction of
 * Python that made the call. Extensions release the interpreter lock around
 * calls that may block, so nothing of Python is called that needs the lock; the
 * frames of a thread stay as they are while the thread is in an extension.
 */
#ifndef TAPE_PYTHON_CALLER_H
#define TAPE_PYTHON_CALLER_H

#include "core.h"
#include "module.h"
#include "python_code.h"

/* Extension modules that call the library directly; more keep addresses. */
#define TAPE_PYTHON_EXTENSIONS 16

struct tape_python_extensions {
	uint32_t n; /* 0 where there is no Python that is known */
	struct {
		uintptr_t from, to;
	} range[TAPE_PYTHON_EXTENSIONS];
	uint32_t unloads; /* of libraries, when the first was added */
	struct tape_python python;
	void *(*thread_state)(void);
	int (*is_finalizing)(void);
};
extern struct tape_python_extensions tape_python_extensions
	__attribute__((visibility("hidden")));

/*
 * Adds a module, as tape_module_at fills it, if it is an extension for a
 * version of Python whose layout is known. Not with the lock held: looks up
 * symbols.
 */
void tape_python_add_module(const struct tape_module *m);

/* The bit that no address of a program has. */
#define TAPE_PYTHON_KEY ((uintptr_t)1 << (8 * sizeof(uintptr_t) - 1))

/*
 * Finds the instruction of Python that called the extension in which this
 * thread is. Its code is NULL if the return address is in no known extension,
 * or the thread has no frame of Python, as in a thread of C and at the end of
 * the interpreter. Returns what stands for the call site: of an extension a
 * hash of the caller's content and the address, with the bit TAPE_PYTHON_KEY;
 * else the address.
 */
uintptr_t tape_python_find_caller(uintptr_t address,
				  struct tape_python_place *at);

/* The same, quickly where there is no extension. */
static inline uintptr_t tape_python_caller(uintptr_t address,
					   struct tape_python_place *at)
{
	return TAPE_LIKELY(!__atomic_load_n(&tape_python_extensions.n,
					    __ATOMIC_ACQUIRE))
		       ? address
		       : tape_python_find_caller(address, at);
}

/* As tape_python_name. */
int tape_python_name_of(struct tape_python_place at, char *file, char *function,
			size_t n);

#endif
