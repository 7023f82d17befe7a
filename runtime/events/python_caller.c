/* Calls from extension modules of Python; see python_caller.h. */
#include <dlfcn.h>
#include <string.h>

#include "hash_bits.h"
#include "message.h"
#include "python_caller.h"

struct tape_python_extensions tape_python_extensions;

/*
 * The names that CPython's import looks for: NAME.cpython-311-SYSTEM.so (more
 * letters behind the number: a build for debugging or without the lock, whose
 * layout differs), NAME.abi3.so.
 */
static int is_extension_name(const char *path)
{
	const char *name = strrchr(path, '/');
	const char *tag;

	name = name ? name + 1 : path;
	tag = strstr(name, ".cpython-3");
	if (tag) {
		tag += strlen(".cpython-");
		return tag[strspn(tag, "0123456789")] == '-';
	}
	tag = strstr(name, ".abi3.so");
	return tag && !tag[strlen(".abi3.so")];
}

/* Finds the interpreter of this process: 0, or -1 where it is not known. */
static int find_python(struct tape_python_extensions *e)
{
	const unsigned long *version = dlsym(RTLD_DEFAULT, "Py_Version");
	struct tape_python *p = &e->python;

	p->layout = version ? tape_python_layout(*version) : NULL;
	p->types.code = dlsym(RTLD_DEFAULT, "PyCode_Type");
	p->types.text = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
	p->types.bytes = dlsym(RTLD_DEFAULT, "PyBytes_Type");
	*(void **)&e->thread_state =
		dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
	*(void **)&e->is_finalizing = dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
	if (!e->is_finalizing) /* its name from 3.13 on */
		*(void **)&e->is_finalizing =
			dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
	return p->layout && p->types.code && p->types.text && p->types.bytes &&
			       e->thread_state && e->is_finalizing
		       ? 0
		       : -1;
}

void tape_python_add_module(const struct tape_module *m)
{
	struct tape_python_extensions *e = &tape_python_extensions;
	struct tape_python_extensions found;
	uint32_t i;

	if (!is_extension_name(m->path) || find_python(&found))
		return;
	tape_lock();
	/* after a dlclose an address may be of another library */
	if (e->n && e->unloads != tape_process.unloads)
		__atomic_store_n(&e->n, 0, __ATOMIC_RELEASE);
	if (!e->n) {
		e->unloads = tape_process.unloads;
		e->python = found.python;
		e->thread_state = found.thread_state;
		e->is_finalizing = found.is_finalizing;
	}
	for (i = 0; i < e->n && e->range[i].from != m->from; i++)
		;
	if (i == e->n && i < TAPE_PYTHON_EXTENSIONS) {
		e->range[i].from = m->from;
		e->range[i].to = m->to;
		__atomic_store_n(&e->n, i + 1, __ATOMIC_RELEASE);
	}
	tape_unlock();
}

uintptr_t tape_python_find_caller(uintptr_t address,
				  struct tape_python_place *at)
{
	const struct tape_python_extensions *e = &tape_python_extensions;
	uint32_t n = __atomic_load_n(&e->n, __ATOMIC_ACQUIRE), i = 0;
	const void *state;

	at->code = NULL;
	while (i < n && address - e->range[i].from >=
				e->range[i].to - e->range[i].from)
		i++;
	if (i == n || e->unloads != tape_process.unloads)
		return address;
	state = e->is_finalizing() ? NULL : e->thread_state();
	if (state)
		*at = tape_python_innermost(&e->python, state);
	if (!at->code)
		return address | TAPE_PYTHON_KEY;
	return (uintptr_t)tape_scramble_bits(
		       tape_python_hash(&e->python, *at) ^ address) |
	       TAPE_PYTHON_KEY;
}

int tape_python_name_of(struct tape_python_place at, char *file, char *function,
			size_t n)
{
	return tape_python_name(&tape_python_extensions.python, at, file,
				function, n);
}
