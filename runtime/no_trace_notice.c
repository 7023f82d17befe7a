/*
 * The program that taperun became, or rank 0 of what its launcher started: if
 * it ends without a call of MPI or PVM there is no trace, and it is said why.
 * Only where nothing else can have made one: a program that had children, a
 * shell for one, says nothing.
 *
 * TAPE_FIRST has ten digits: the process that is meant, or zeros, which the
 * first process that finds them takes for its own.
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

/* Who waits for the end of standard error must not wait for a child. */
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

/* Is the program linked with MPI or PVM? The first object loaded is it. */
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

static int is_rank_0(void)
{
	const char *openmpi = secure_getenv("OMPI_COMM_WORLD_RANK");
	const char *mpich = secure_getenv("PMI_RANK");

	return (!openmpi || !strcmp(openmpi, "0")) &&
	       (!mpich || !strcmp(mpich, "0"));
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
	if ((pid && pid != getpid()) || !is_rank_0() ||
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

/* Which library's calls this one records: by the name of its file. */
static int records_pvm(void)
{
	Dl_info info;

	return dladdr(&first, &info) && info.dli_fname &&
	       tape_family_of_library(info.dli_fname) == TAPE_FAMILY_PVM;
}

/* A program whose standard error nobody reads does not die of the sentence. */
static void print_notice(const char *what)
{
	struct tape_hold hold;

	tape_hold(&hold);
	dprintf(first.fd, "tape: %s has called %s\n",
		program_invocation_short_name, what);
	tape_release(&hold);
}

/* After what others have to say at the end. */
__attribute__((destructor(101))) static void print_notice_at_exit(void)
{
	struct stat now;

	if (first.pid != getpid() || tape_process.state != TAPE_IDLE ||
	    tape_process.called || tape_process.said || had_children() ||
	    fstat(first.fd, &now) || now.st_dev != first.what.st_dev ||
	    now.st_ino != first.what.st_ino)
		return;
	print_notice(records_pvm()
			 ? "no function of PVM: there is no trace"
			 : "no MPI_Init: there is no trace; a program of PVM "
			   "is traced with -m pvm");
}
