/*
 * Eager limits, read from Open MPI's control variables (MPI_T).
 *
 * The matching layer (ob1) compares the message's length with the transport's
 * limit less its own largest header, which differs by version; the header is
 * subtracted by the reader's side, which knows the library from meta.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "transport.h"

static int read_limit(const char *name, unsigned long long *value)
{
	MPI_T_cvar_handle handle;
	MPI_Datatype type;
	MPI_T_enum enumtype;
	int index, verbosity, bind, scope, count, length = 0, size = 0;
	int ok = 0;
	union {
		unsigned u;
		unsigned long ul;
		unsigned long long ull;
		unsigned char room[64];
	} v;

	if (PMPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
	    PMPI_T_cvar_get_info(index, NULL, &length, &verbosity, &type,
				 &enumtype, NULL, &size, &bind,
				 &scope) != MPI_SUCCESS ||
	    PMPI_T_cvar_handle_alloc(index, NULL, &handle, &count) !=
		    MPI_SUCCESS)
		return 0;
	memset(&v, 0, sizeof v);
	if (count == 1 && PMPI_T_cvar_read(handle, &v) == MPI_SUCCESS) {
		PMPI_Type_size(type, &size);
		*value = size == (int)sizeof v.u ? v.u : v.ull;
		ok = size == 4 || size == 8;
	}
	PMPI_T_cvar_handle_free(&handle);
	return ok;
}

size_t tape_transport(char *text, size_t n)
{
	static const struct {
		const char *transport, *variable;
	} limits[] = {
		{ "self", "btl_self_eager_limit" },
		{ "shm", "btl_vader_eager_limit" },
		{ "net", "btl_tcp_eager_limit" },
	};
	unsigned long long value;
	size_t used = 0;
	int provided;

	*text = '\0';
	if (PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
		return 0;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (read_limit(limits[i].variable, &value) && used < n) {
			int w = snprintf(text + used, n - used,
					 "eager %s %llu\n", limits[i].transport,
					 value);

			used += w > 0 && (size_t)w < n - used ? (size_t)w : 0;
		}
	PMPI_T_finalize();
	return used;
}

void tape_library(char *text, size_t n)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int length;

	PMPI_Get_library_version(version, &length);
	version[strcspn(version, ",\n")] = '\0';
	snprintf(text, n, "%s", version);
}
