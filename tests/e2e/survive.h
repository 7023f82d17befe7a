/*
 * What programs that have accidents share: each counts the calls that it has
 * made in FILE.RANK, through a shared map, so that the count is there whatever
 * happens to the process. Included once by each.
 */
#include <mpi.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define W MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE
/* A call is counted when it has returned: the trace may be one ahead. */
#define C(name, ...) ((void)MPI_##name(__VA_ARGS__), ++*count)

static long *count, dummy;
static int me, size;
static const char *file; /* of the counts; names of others begin with it */
static char **args;

/* A slip here must not pass for a result. */
static void check(int good, const char *what)
{
	if (good)
		return;
	printf("rank %d: %s: %s\n", me, what, strerror(errno));
	fflush(stdout);
	_exit(99);
}

static void begin(void)
{
	char path[4096];
	int fd;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &size);
	snprintf(path, sizeof path, "%s.%d", file, me);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	check(fd >= 0 && !ftruncate(fd, sizeof *count), path);
	count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	check(count != MAP_FAILED, "mmap");
	close(fd);
	*count = 3; /* MPI_Init, MPI_Comm_rank, MPI_Comm_size */
}

static void finish(void)
{
	C(Finalize);
}

/*
 * Calls without a partner: nobody waits for a rank that dies. Their tags make
 * long records: some 30000 of them fill a window of a MiB.
 */
static void alone(long n)
{
	long from, to = 0;

	for (long i = 0; i < n; i++) {
		int tag = (1 << 27) + (int)(i & 0xfffff);

		from = i;
		C(Sendrecv, &from, 1, MPI_LONG, 0, tag, &to, 1, MPI_LONG, 0,
		  tag, MPI_COMM_SELF, IGNORE);
	}
}

static long number(int i)
{
	return args[i] ? atol(args[i]) : 0;
}
