/* Programs of the other family; see abi_mismatch.h. */
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi.h"
#include "core.h"
#include "library_family.h"
#include "own_stack.h"
#include "message.h"
#include "abi_mismatch.h"

/* Before main, on the stack that main is to have. */
TAPE_ON_OWN_STACK

#ifdef OPEN_MPI
#define OURS TAPE_FAMILY_OPENMPI
#define OTHER TAPE_FAMILY_MPICH
#else
#define OURS TAPE_FAMILY_MPICH
#define OTHER TAPE_FAMILY_OPENMPI
#endif

/* Set to the process that has begun anew: it shall not do so again. */
#define BEGUN "TAPE_BEGUN"

static int note_family(struct dl_phdr_info *info, size_t n, void *found)
{
	(void)n;
	*(unsigned *)found |= tape_family_of_library(info->dlpi_name);
	return 0;
}

/*
 * By what is loaded: our family always is, since we need it. A program that
 * loads its MPI later (Python) is known to the process that started it.
 */
static int is_other(void)
{
	unsigned found = 0;

	dl_iterate_phdr(note_family, &found);
	return (found & OTHER) || tape_family_of_environment() == OTHER;
}

/*
 * The value of LD_PRELOAD with our name replaced by the other's, or left out
 * where that is not there. Returns 0, or -1 if we are not in it.
 */
static int replace_tracer(const char *value, char *to, size_t n)
{
	const char *name = tape_family_tracer(OURS), *at = NULL, *begin, *end;
	char other[PATH_MAX];

	for (const char *s = value; (s = strstr(s, name)); s++)
		if (!s[strlen(name)] || strchr(": ", s[strlen(name)]))
			at = s;
	if (!at)
		return -1;
	for (begin = at; begin > value && !strchr(": ", begin[-1]);)
		begin--;
	end = at + strlen(name);
	snprintf(other, sizeof other, "%.*s%s", (int)(at - begin), begin,
		 tape_family_tracer(OTHER));
	if (access(other, R_OK)) {
		tape_say("the program uses %s, but the tracing library %s is "
			 "not installed; this run is not traced",
			 tape_family_name(OTHER), other);
		*other = '\0';
	}
	return (size_t)snprintf(to, n, "%.*s%s%s", (int)(begin - value), value,
				other, end) < n
		   ? 0
		   : -1;
}

void tape_abi_mismatch(char **argv)
{
	const char *value = secure_getenv("LD_PRELOAD");
	const char *begun = secure_getenv(BEGUN);
	char path[PATH_MAX], pid[24], now[8192];
	ssize_t n;

	snprintf(pid, sizeof pid, "%ld", (long)getpid());
	if (!value || (begun && !strcmp(begun, pid)) || !is_other() ||
	    replace_tracer(value, now, sizeof now))
		return;
	n = readlink("/proc/self/exe", path, sizeof path - 1);
	if (n <= 0)
		return;
	path[n] = '\0';
	setenv("LD_PRELOAD", now, 1);
	setenv(BEGUN, pid, 1);
	execv(path, argv);
}

__attribute__((constructor)) static void at_load(int argc, char **argv)
{
	if (argc > 0)
		tape_abi_mismatch(argv);
}
TAPE_ON_OWN_STACK_END
