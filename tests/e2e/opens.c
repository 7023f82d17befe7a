/*
 * A program that is not linked with the MPI library: it opens it and looks its
 * functions up.
 *
 *	opens local|global|deep|default N
 *
 * "default" asks for functions anywhere, the others ask for the library's. It
 * says what it received, and ends badly if dlsym says an error for none or none
 * for one.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library, *asked;

static void *find(const char *name)
{
	void *found;
	const char *error;

	dlerror();
	found = dlsym(asked, name);
	error = dlerror();
	if (!found || error) {
		fprintf(stderr, "%s: %s\n", name, error ? error : "nothing");
		exit(1);
	}
	return found;
}

/* What is not there is still said to be missing. */
static void missing(void)
{
	dlerror();
	if (dlsym(asked, "MPI_No_such_function") || !dlerror()) {
		fprintf(stderr, "found what is not there\n");
		exit(1);
	}
}

typedef int init(int *, char ***);
typedef int finalize(void);
typedef int ask(void *, int *);
typedef int sendrecv(const void *, int, void *, int, int, void *, int, void *,
		     int, int, void *, void *);

int main(int argc, char **argv)
{
	int flags = RTLD_NOW, n = argc > 2 ? atoi(argv[2]) : 0;
	int rank, size, got = -1, sum = 0;
	void *world, *integer;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "global") || !strcmp(argv[1], "default"))
		flags |= RTLD_GLOBAL;
	if (!strcmp(argv[1], "deep"))
		flags |= RTLD_DEEPBIND;
	library = dlopen("libmpi.so.40", flags);
	if (!library)
		return 77;
	asked = strcmp(argv[1], "default") ? library : RTLD_DEFAULT;
	missing();
	world = find("ompi_mpi_comm_world");
	integer = find("ompi_mpi_int");
	((init *)find("MPI_Init"))(&argc, &argv);
	((ask *)find("MPI_Comm_rank"))(world, &rank);
	((ask *)find("MPI_Comm_size"))(world, &size);
	for (int i = 0; i < n; i++) {
		((sendrecv *)find("MPI_Sendrecv"))(
			&rank, 1, integer, (rank + 1) % size, 1, &got, 1,
			integer, (rank + size - 1) % size, 1, world, NULL);
		sum += got;
	}
	missing();
	printf("rank %d of %d: %d\n", rank, size, sum);
	((finalize *)find("MPI_Finalize"))();
	return 0;
}
