/*
 * If the program exits without calling MPI or PVM, Tape prints why there is no
 * trace. The program is the process that taperun executed or, under a launcher,
 * the process of rank 0.
 * A program that had children, such as a shell, prints nothing: a child may
 * have written a trace.
 *
 * TAPE_FIRST has ten digits: the number of that process, or zeros. The first
 * process that finds zeros writes its own number there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core.h"
#include "library_family.h"
#include "file.h"
#include "first_of_job.h"
#include "privileged.h"

enum { DIGITS = 10, HIGH = 200 /* no program expects a descriptor there */ };

static struct {
	pid_t pid; /* 0: not this process */
	int fd;	   /* standard error, which programs may close at their end */
	struct stat what;
	long faults; /* of children before the program was begun */
	int forked;
} first;

static void in_parent(void)
{
	first.forked = 1;
}

/* A reader of standard error must not have to wait for the child to exit. */
static void in_child(void)
{
	if (first.pid && first.fd != STDERR_FILENO)
		close(first.fd);
	first.pid = 0;
}

static long faults_of_children(void)
{
	struct rusage u;

	return getrusage(RUSAGE_CHILDREN, &u) ? -1 : u.ru_minflt;
}

/*
 * Returns 1 if the program, the first loaded object, is linked to MPI or PVM.
 */
static int is_linked(void)
{
	const struct link_map *map = _r_debug.r_map;
	const char *names = NULL;
	unsigned found = 0;

	for (const ElfW(Dyn) *d = map ? map->l_ld : NULL; d && d->d_tag; d++)
		if (d->d_tag == DT_STRTAB)
			names = (const char *)d->d_un.d_ptr;
	for (const ElfW(Dyn) *d = names ? map->l_ld : NULL; d && d->d_tag; d++)
		if (d->d_tag == DT_NEEDED)
			found |= tape_family_of_library(names + d->d_un.d_val);
	return found != 0;
}

__attribute__((constructor)) static void prepare_notice(void)
{
	char *text = secure_getenv("TAPE_FIRST"), own[24];
	long pid = text && strlen(text) == DIGITS ? atol(text) : -1;
	int e = errno;

	if (tape_is_privileged())
		return;
	snprintf(own, sizeof own, "%0*ld", DIGITS, (long)getpid());
	if (!pid)
		memcpy(text, own, DIGITS);
	if ((pid && pid != getpid()) || !tape_is_first_of_job() ||
	    fstat(STDERR_FILENO, &first.what))
		goto out;
	first.fd =
	    is_linked() ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, HIGH);
	if (first.fd < 0)
		first.fd = STDERR_FILENO;
	first.faults = faults_of_children();
	first.pid = getpid();
	pthread_atfork(NULL, in_parent, in_child);
out:
	errno = e;
}

static int had_children(void)
{
	siginfo_t info;

	return first.forked || faults_of_children() != first.faults ||
	       waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Returns 1 if this library, by the name of its file, traces PVM. */
static int records_pvm(void)
{
	Dl_info info;

	return dladdr(&first, &info) && info.dli_fname &&
	       tape_family_of_library(info.dli_fname) == TAPE_FAMILY_PVM;
}

/* Holds signals back: the message must not end a program with SIGPIPE. */
static void print_notice(const char *what)
{
	struct tape_hold hold;

	tape_hold(&hold);
	dprintf(first.fd, "tape: %s has called %s\n",
		program_invocation_short_name, what);
	tape_release(&hold);
}

/* Runs after the other messages at exit. */
__attribute__((destructor(101))) static void print_notice_at_exit(void)
{
	struct stat now;

	if (first.pid != getpid() || tape_process.state != TAPE_IDLE ||
	    tape_process.pvm_was_called || tape_process.said ||
	    had_children() || fstat(first.fd, &now) ||
	    now.st_dev != first.what.st_dev ||
	    now.st_ino != first.what.st_ino)
		return;
	print_notice(records_pvm() ? "no function of PVM: no trace was written"
				   : "no MPI_Init: no trace was written. To "
				     "trace a PVM program use --library "
				     "pvm");
}
