/*
 * How deep calls go below the frame that makes them, on small stacks:
 *
 *	survive_stack FILE
 *
 * Each case runs in a thread of its own, whose stack was painted before; what
 * the thread has touched is printed to FILE, a line "CASE BYTES" each. At last
 * a signal handler makes calls on a stack of 8 KiB between two fences.
 */
#include <mpi.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALL = 16384, LARGE = 128 * 1024, FENCE = 4096, PAINT = 0xa5 };

static FILE *out;
static void (*enter)(const char *), (*leave)(void);

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(9);
}

/* Memory with a fence on either side. */
static unsigned char *fenced(size_t bytes)
{
	unsigned char *p = mmap(NULL, bytes + 2 * FENCE, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + FENCE, bytes,
					PROT_READ | PROT_WRITE))
		fail("mmap");
	return p + FENCE;
}

/* ---- what is done for the first time ---- */

static void nothing(void)
{
}

static void call(void)
{
	int bytes;

	MPI_Type_size(MPI_INT, &bytes);
}

static void many_calls(void)
{
	int bytes;

	for (int i = 0; i < 400000; i++)
		MPI_Type_size(MPI_INT, &bytes);
}

static void failed_tests(void)
{
	int flag;

	for (int i = 0; i < 100; i++)
		MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
	MPI_Iprobe(0, 2, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void region(void)
{
	if (enter) {
		enter("a region with a name that is longer than fifty bytes");
		leave();
	}
}

static MPI_Comm comm;

static void new_communicator(void)
{
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	MPI_Barrier(comm);
	MPI_Comm_set_name(comm, "a name");
	MPI_Comm_free(&comm);
}

static void requests(void)
{
	MPI_Request q[64];
	int from = 1, to[32];

	for (int i = 0; i < 32; i++)
		MPI_Irecv(&to[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &q[i]);
	for (int i = 0; i < 32; i++)
		MPI_Isend(&from, 1, MPI_INT, 0, i, MPI_COMM_SELF, &q[32 + i]);
	MPI_Waitall(64, q, MPI_STATUSES_IGNORE);
}

/* ---- the measure ---- */

struct thread {
	unsigned char *stack;
	void (*run)(void);
	long bytes;
};

static void *measure(void *arg)
{
	struct thread *t = arg;
	unsigned char *p = t->stack, *here = __builtin_frame_address(0);

	memset(t->stack, PAINT, (size_t)(here - t->stack) - 512);
	t->run();
	while (*p == PAINT)
		p++;
	t->bytes = here - p;
	return NULL;
}

static void run(const char *name, void (*f)(void), size_t bytes)
{
	struct thread t = { fenced(bytes), f, 0 };
	pthread_attr_t a;
	pthread_t id;

	pthread_attr_init(&a);
	if (pthread_attr_setstack(&a, t.stack, bytes) ||
	    pthread_create(&id, &a, measure, &t) || pthread_join(id, NULL))
		fail("thread");
	fprintf(out, "%s %ld\n", name, t.bytes);
}

static void handler(int signal_)
{
	int flag;

	(void)signal_;
	call();
	MPI_Iprobe(0, 3, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
	region();
}

static void on_signal_stack(void)
{
	stack_t s = { .ss_sp = fenced(8192), .ss_size = 8192 };
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&s, NULL) || sigaction(SIGUSR1, &a, NULL))
		fail("sigaltstack");
	raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	if (argc != 2 || !(out = fopen(argv[1], "w")))
		return 2;
	MPI_Init(&argc, &argv);
	*(void **)&enter = dlsym(RTLD_DEFAULT, "tape_enter");
	*(void **)&leave = dlsym(RTLD_DEFAULT, "tape_leave");
	run("nothing", nothing, SMALL);
	run("call", call, SMALL);
	run("tests", failed_tests, SMALL);
	run("many", many_calls, SMALL);
	run("region", region, SMALL);
	run("communicator", new_communicator, LARGE);
	run("requests", requests, LARGE);
	on_signal_stack();
	fclose(out);
	MPI_Finalize();
	return 0;
}
