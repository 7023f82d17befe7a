/*
 * What the wrappers in C call: SimGrid's functions under their public names,
 * which give errors to the program's handlers; PMPI_NAME returns them, however
 * they were to be handled. In place of runtime/mpi/next.c.
 */
#include <dlfcn.h>

/* compiled with TAPE_NEXT_TABLE: the table is here (tape_next.h) */
enum { CALLS = sizeof next_calls / sizeof *next_calls };
_Static_assert(sizeof tape_next == CALLS * sizeof(void *),
	       "the table is an array of addresses");

/* Each rank's copy of the program comes before SimGrid's library. */
__attribute__((constructor)) static void find_next_calls(void)
{
	void **next = (void **)&tape_next;

	for (int i = 0; i < CALLS; i++) {
		void *found = dlsym(RTLD_NEXT, next_calls[i].name);

		if (found)
			next[i] = found;
	}
}
