/*
 * Ranks that compute, and one, the last, that does something else between its
 * calls: outside MODE [CPU ...], MODE sleep, pipe, pages, write or compute.
 * With MODE even all ranks compute equally long.
 * With CPUs rank R stays on processor CPU[R % number]. With -DREGIONS all steps
 * are in the region "outer", and what is between calls in "inner" within that.
 *
 * Each rank prints what the kernel counted while it was outside of calls: rank,
 * time, time on a processor, time that it was ready without one (-1: unknown),
 * us; minor page faults; blocks written.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef REGIONS
#include <tape.h>
/* of the library that is preloaded */
#pragma weak tape_enter
#pragma weak tape_leave
#else
#define tape_enter(name)
#define tape_leave()
#endif

enum { STEPS = 6, PAGES = 20000, SLEEP_US = 200000 };

struct counts {
	double ns, cpu_ns, waited_ns;
	long faults, written;
};

static double read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static struct counts read_counts(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "r");
	long long ran = 0, ready = 0;
	struct counts c;
	struct rusage u;

	if (!f || fscanf(f, "%lld %lld", &ran, &ready) != 2)
		ready = -1;
	if (f)
		fclose(f);
	getrusage(RUSAGE_THREAD, &u);
	c.waited_ns = ran ? (double)ready : -1;
	c.faults = u.ru_minflt;
	c.written = u.ru_oublock;
	c.cpu_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
	c.ns = read_clock(CLOCK_MONOTONIC_RAW);
	return c;
}

static void add_since(struct counts *sum, const struct counts *begin)
{
	struct counts end = read_counts();

	sum->ns += end.ns - begin->ns;
	sum->cpu_ns += end.cpu_ns - begin->cpu_ns;
	sum->waited_ns = end.waited_ns < 0 ? -1
					   : sum->waited_ns + end.waited_ns -
						 begin->waited_ns;
	sum->faults += end.faults - begin->faults;
	sum->written += end.written - begin->written;
}

static void compute_for(double ns)
{
	double begun = read_clock(CLOCK_THREAD_CPUTIME_ID);

	while (read_clock(CLOCK_THREAD_CPUTIME_ID) - begun < ns)
		;
}

/* Reads what a helper writes after a while. */
static void read_pipe(void)
{
	char byte[4] = "";
	FILE *p = popen("sleep 0.2; echo 1", "r");

	if (!p || !fgets(byte, sizeof byte, p))
		exit(1);
	pclose(p);
}

static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = page * PAGES;
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	madvise(p, n, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i += page)
		p[i] = 1;
	munmap(p, n);
}

static void write_file(void)
{
	static char data[65536];
	int fd = open("written", O_WRONLY | O_CREAT | O_TRUNC, 0666);

	for (int i = 0; i < 16; i++)
		if (write(fd, data, sizeof data) < 0 || fsync(fd))
			exit(1);
	close(fd);
}

static void work(const char *mode, int is_last)
{
	if (!strcmp(mode, "even"))
		compute_for(20e6);
	else if (!is_last || !strcmp(mode, "compute"))
		compute_for(is_last ? 50e6 : 20e6);
	else if (!strcmp(mode, "sleep"))
		usleep(SLEEP_US);
	else if (!strcmp(mode, "pipe"))
		read_pipe();
	else if (!strcmp(mode, "pages"))
		touch_pages();
	else
		write_file();
}

static void bind_to(int cpu)
{
	cpu_set_t on;

	CPU_ZERO(&on);
	CPU_SET((size_t)cpu, &on);
	if (sched_setaffinity(0, sizeof on, &on))
		exit(1);
}

int main(int argc, char **argv)
{
	struct counts sum = {0}, begin;
	int me, size, other;
	double x = 1, y;
	MPI_Request q;

	MPI_Init(&argc, &argv);
	begin = read_counts();
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 2)
		bind_to(atoi(argv[2 + me % (argc - 2)]));
	other = (me + 1) % size;
	tape_enter("outer");
	for (int i = 0; i < STEPS; i++) {
		add_since(&sum, &begin);
		MPI_Isend(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &q);
		begin = read_counts();
		tape_enter("inner");
		work(argv[1], me == size - 1);
		tape_leave();
		add_since(&sum, &begin);
		MPI_Recv(&y, 1, MPI_DOUBLE, (me + size - 1) % size, 1,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		begin = read_counts();
	}
	tape_leave();
	add_since(&sum, &begin);
	printf("%d %.0f %.0f %.0f %ld %ld\n", me, sum.ns / 1e3,
	       sum.cpu_ns / 1e3, sum.waited_ns < 0 ? -1 : sum.waited_ns / 1e3,
	       sum.faults, sum.written);
	MPI_Finalize();
	return 0;
}
