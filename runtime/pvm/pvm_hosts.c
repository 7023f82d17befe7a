/* The list of hosts, for the program and the tracer; see pvm_hosts.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pvm_hosts.h"

/* The list that the program holds, in one block of memory; NULL: none. */
static struct pvmhostinfo *program_list;

/*
 * Returns a copy of the list, with its texts after it in one block that free()
 * frees; NULL without memory.
 */
static struct pvmhostinfo *copy_list(const struct pvmhostinfo *from, int n)
{
	size_t bytes = (size_t)n * sizeof *from;
	struct pvmhostinfo *list;
	char *text;

	for (int i = 0; i < n; i++)
		bytes += strlen(from[i].hi_name) + strlen(from[i].hi_arch) + 2;
	list = malloc(bytes);
	if (!list)
		return NULL;
	text = (char *)(list + n);
	for (int i = 0; i < n; i++) {
		list[i] = from[i];
		list[i].hi_name = text;
		text = stpcpy(text, from[i].hi_name) + 1;
		list[i].hi_arch = text;
		text = stpcpy(text, from[i].hi_arch) + 1;
	}
	return list;
}

int tape_pvm_copy_hosts(int *nhost, int *narch, struct pvmhostinfo **hostp)
{
	int n = 0, rc = TAPE_REAL(pvm_config)(nhost ? nhost : &n, narch, hostp);
	int e = errno;

	if (rc < 0 || !hostp || !*hostp)
		return rc;
	free(program_list);
	program_list = copy_list(*hostp, nhost ? *nhost : n);
	if (program_list)
		*hostp = program_list;
	errno = e;
	return rc;
}

int tape_pvm_get_hosts(struct pvmhostinfo **hosts)
{
	int n = 0, e = pvm_errno, said = TAPE_REAL(pvm_setopt)(PvmAutoErr, 0);

	if (TAPE_REAL(pvm_config)(&n, NULL, hosts) < 0)
		n = 0;
	TAPE_REAL(pvm_setopt)(PvmAutoErr, said);
	pvm_errno = e;
	return n;
}
