/* Waiting for a processor, as the kernel counts it; see processor.h. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "counters.h"
#include "define.h"
#include "own_stack.h"
#include "processor.h"

enum { APART_NS = 10000000 };

/* Nothing of this is in an event: on a stack that is large enough. */
TAPE_ON_OWN_STACK

/* "0-3,8" */
static void define_allowed(void)
{
	char text[1024];
	size_t n = 0;
	cpu_set_t may;

	if (sched_getaffinity(0, sizeof may, &may))
		return;
	for (size_t i = 0, last; i < CPU_SETSIZE && n < sizeof text - 32;
	     i = last) {
		last = i + 1;
		if (!CPU_ISSET(i, &may))
			continue;
		while (last < CPU_SETSIZE && CPU_ISSET(last, &may))
			last++;
		n += (size_t)snprintf(text + n, sizeof text - n,
				      last > i + 1 ? "%s%zu-%zu" : "%s%zu",
				      n ? "," : "", i, last - 1);
	}
	if (n)
		tape_define("processors %s\n", text);
}

/*
 * Time that this thread was ready to run and did not, ns: the second number of
 * its schedstat; -1 where the kernel does not tell.
 */
static long long read_ready_ns(void)
{
	long long ran = 0, ready = 0;
	char text[96];
	ssize_t n = -1;
	int fd, cancelling;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof text - 1);
		close(fd);
	}
	pthread_setcancelstate(cancelling, NULL);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	return sscanf(text, "%lld %lld", &ran, &ready) == 2 && ran > 0 ? ready
								       : -1;
}

int tape_processor_read(struct tape_processor *p)
{
	uint64_t begun = tape_raw_ns();
	long long ready = read_ready_ns();
	struct timespec cpu;
	struct rusage u;

	if (getrusage(RUSAGE_THREAD, &u) ||
	    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu))
		return -1;
	*p = (struct tape_processor){
	    .ns = tape_raw_ns(),
	    .cpu = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec,
	    .waited = (uint64_t)(ready + 1),
	    .voluntary = (uint64_t)u.ru_nvcsw,
	    .involuntary = (uint64_t)u.ru_nivcsw,
	    .minor = (uint64_t)u.ru_minflt,
	    .major = (uint64_t)u.ru_majflt,
	    .input = (uint64_t)u.ru_inblock,
	    .output = (uint64_t)u.ru_oublock};
	p->reading = p->ns - begun;
	return 0;
}

static void define_sample(void *flow)
{
	struct tape_flow *f = flow;
	struct tape_processor p;

	tape_counters_pause(f);
	if (!tape_processor_read(&p)) {
		f->defined_ns = p.ns;
		tape_define("processor %d %d %llu %llu %lld %llu %llu %llu "
			    "%llu %llu %llu\n",
			    f->thread, (int)gettid(), (unsigned long long)p.ns,
			    (unsigned long long)p.cpu, (long long)p.waited - 1,
			    (unsigned long long)p.voluntary,
			    (unsigned long long)p.involuntary,
			    (unsigned long long)p.minor,
			    (unsigned long long)p.major,
			    (unsigned long long)p.input,
			    (unsigned long long)p.output);
	}
	tape_counters_resume(f);
}

void tape_processor_chunk(struct tape_flow *f)
{
	int e = errno;

	if (tape_raw_ns() - f->defined_ns > APART_NS)
		define_sample(f);
	errno = e;
}

static void define_border_sample(void *flow)
{
	define_allowed();
	define_sample(flow);
}
TAPE_ON_OWN_STACK_END

void tape_processor_sample(struct tape_flow *f)
{
	int e = errno;

	if (tape_process.state == TAPE_RUNNING && !f->end)
		tape_run_on_own_stack(define_sample, f);
	errno = e;
}

void tape_processor_border(struct tape_flow *f)
{
	int e = errno;

	if (tape_process.state == TAPE_RUNNING && !f->end)
		tape_run_on_own_stack(define_border_sample, f);
	errno = e;
}
