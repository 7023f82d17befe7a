/*
 * Programs that open the MPI or PVM library themselves and ask dlsym for its
 * functions - in C, or from Python, Julia and the like - get the library's own,
 * past whatever is preloaded. The dlsym here gives them Tape's instead, where
 * what they would get is a function of the library that Tape calls; anything
 * else is as the C library says.
 *
 * RTLD_NEXT and RTLD_DEFAULT mean something else for each caller, which the C
 * library knows by the return address: such calls are handed on as they came,
 * by the entry in assembler (arch/).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "arch.h"
#include "core.h"

typedef void *tape_dlsym_type(void *handle, const char *name);

tape_dlsym_type *tape_real_dlsym(void)
	__attribute__((visibility("hidden")));
void *tape_dlsym(void *handle, const char *name)
	__attribute__((visibility("hidden")));

/* glibc moved it from a library of its own into itself. */
tape_dlsym_type *tape_real_dlsym(void)
{
	static tape_dlsym_type *real;
	tape_dlsym_type *found = __atomic_load_n(&real, __ATOMIC_RELAXED);

	if (found)
		return found;
	found = (tape_dlsym_type *)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
	if (!found)
		found = (tape_dlsym_type *)dlvsym(RTLD_NEXT, "dlsym",
						  TAPE_GLIBC_BASE);
	__atomic_store_n(&real, found, __ATOMIC_RELAXED);
	return found;
}

/* This library, to look its own functions up. It stays loaded. */
static void *own_library(void)
{
	static void *own;
	void *found = __atomic_load_n(&own, __ATOMIC_RELAXED);
	Dl_info info;

	if (!found && dladdr((void *)tape_dlsym, &info) && info.dli_fname) {
		found = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		__atomic_store_n(&own, found, __ATOMIC_RELAXED);
	}
	return found;
}

/*
 * Is that what the wrapper would call? Seen from here, the next one of that
 * name; or the library's, with a profiling layer between.
 */
static int is_real(tape_dlsym_type *real, const char *name, const void *found)
{
	char profiling[96];

	if (real(RTLD_NEXT, name) == found)
		return 1;
	snprintf(profiling, sizeof profiling, "%c%s",
		 *name == 'M' ? 'P' : 'p', name);
	return real(RTLD_NEXT, profiling) == found;
}

void *tape_dlsym(void *handle, const char *name)
{
	tape_dlsym_type *real = tape_real_dlsym();
	void *found = real(handle, name), *library, *wrapper = NULL;

	if (!found ||
	    (strncasecmp(name, "MPI_", 4) && strncmp(name, "pvm_", 4)))
		return found;
	if (is_real(real, name, found) && (library = own_library()))
		wrapper = real(library, name);
	/* the program's own look-up did not fail */
	dlerror();
	return wrapper ? wrapper : found;
}
