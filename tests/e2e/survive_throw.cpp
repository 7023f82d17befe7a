/*
 * An error handler that throws: who catches it goes on, with calls from deeper
 * frames than the one that failed.
 *
 *	survive_throw CALLS
 */
#include <mpi.h>
#include <alloca.h>
#include <cstdio>
#include <cstdlib>

static void raise_it(MPI_Comm *, int *code, ...)
{
	throw *code;
}

/* Catches what it throws itself: the call that it is in goes on. */
static void keep_it(MPI_Comm *, int *code, ...)
{
	int bytes;

	try {
		throw *code;
	} catch (int) {
		MPI_Type_size(MPI_INT, &bytes);
	}
}

static void handle_by(MPI_Comm_errhandler_function *f)
{
	MPI_Errhandler h;

	MPI_Comm_create_errhandler(f, &h);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
}

static __attribute__((noinline)) void fail(size_t room)
{
	volatile char *hole = static_cast<char *>(alloca(room));

	hole[0] = 1;
	MPI_Send(nullptr, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
}

static __attribute__((noinline)) void deeper(size_t room, long calls)
{
	volatile char *hole = static_cast<char *>(alloca(room));

	hole[0] = 1;
	for (long i = 0; i < calls; i++)
		MPI_Barrier(MPI_COMM_SELF);
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 0;

	MPI_Init(&argc, &argv);
	handle_by(raise_it);
	for (int i = 0; i < 4; i++)
		try {
			fail(i % 2 ? 16 : 5000);
		} catch (int) {
			deeper(i / 2 ? 64 : 20000, calls / 4);
		}
	handle_by(keep_it);
	for (int i = 0; i < 10; i++)
		fail(16);
	MPI_Finalize();
	return 0;
}
