/*
 * Eager limits of Open MPI, from the parameters of its transports as they are
 * in this process. Those of MPICH are measured: eager.c.
 *
 * They are also control variables of MPI_T, but its start loads every component
 * that Open MPI has: some sixty libraries and a fifth of a second in the traced
 * program. The registry below it is there already (opal/mca/base/
 * mca_base_var.h, the same in Open MPI 4 and 5); a transport that this run does
 * not use is not in it.
 *
 * The matching layer (ob1) compares the message's length with the limit less
 * its own largest header, which differs by version; the header is subtracted
 * by the reader's side.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "own_stack.h"
#include "transport.h"

/* In MPI_Init, on a stack that is large enough. */
TAPE_ON_OWN_STACK

#ifdef OPEN_MPI

typedef int find_by_name(const char *name, int *index);
typedef int get_value(int index, const void *value, void *source,
		      const char **file);

size_t tape_transport_text(MPI_Comm comm, const int *domains, char *text,
			   size_t n)
{
	static const struct {
		const char *transport, *variable;
	} limits[] = {
		{ "self", "btl_self_eager_limit" },
		{ "shm", "btl_vader_eager_limit" },
		{ "net", "btl_tcp_eager_limit" },
	};
	find_by_name *find = (find_by_name *)dlsym(RTLD_DEFAULT,
						   "mca_base_var_find_by_name");
	get_value *get = (get_value *)dlsym(RTLD_DEFAULT,
					    "mca_base_var_get_value");
	size_t used = 0;

	(void)comm, (void)domains;
	*text = '\0';
	for (size_t i = 0; find && get && i < sizeof limits / sizeof *limits;
	     i++) {
		const size_t *value = NULL;
		int index, w;

		if (find(limits[i].variable, &index) ||
		    get(index, &value, NULL, NULL) || !value)
			continue;
		w = snprintf(text + used, n - used, "eager %s %zu\n",
			     limits[i].transport, *value);
		used += w > 0 && (size_t)w < n - used ? (size_t)w : 0;
	}
	return used;
}

#endif

/*
 * "Open MPI v4.1.4, package: ..." and "MPICH Version: 4.0.2" with a line for
 * each of many other things: the first line up to a comma, in single words.
 */
void tape_library(char *text, size_t n)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING] = "", *word, *next = NULL;
	size_t used = 0;
	int length;

	PMPI_Get_library_version(version, &length);
	version[strcspn(version, ",\n")] = '\0';
	*text = '\0';
	for (word = strtok_r(version, " \t", &next); word;
	     word = strtok_r(NULL, " \t", &next)) {
		if (!strcmp(word, "Version:"))
			continue;
		snprintf(text + used, n - used, "%s%s", used ? " " : "", word);
		used += strlen(text + used);
	}
}
TAPE_ON_OWN_STACK_END
