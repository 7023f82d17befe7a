/*
 * A machine whose pages have 64 KiB, as far as the tracer sees: preloaded, it
 * answers the tracer's calls of the system that depend on the size of pages.
 * Addresses and offsets that are at no multiple of 64 KiB are refused, as such
 * a system refuses them, and written into the file LARGE_PAGES names:
 *
 *	asked			the tracer asked how large a page is
 *	refused CALL NUMBER	and its call was wrong
 *
 * Calls from elsewhere are those of the C library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 65536 };

static void say(const char *format, ...)
{
	const char *name = getenv("LARGE_PAGES");
	char line[128];
	va_list list;
	int fd, n;

	if (!name)
		return;
	va_start(list, format);
	n = vsnprintf(line, sizeof line, format, list);
	va_end(list);
	fd = open(name, O_WRONLY | O_APPEND | O_CREAT, 0666);
	if (fd < 0)
		return;
	(void)!write(fd, line, (size_t)n);
	close(fd);
}

/* Returns 1 if the address is code of the tracer. */
static int is_tracer(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "/libtape-");
}
#define FROM_TRACER() is_tracer(__builtin_return_address(0))

static int refuse(const char *call, uintmax_t number)
{
	say("refused %s %#jx\n", call, number);
	errno = EINVAL;
	return -1;
}

static size_t round_up(size_t n)
{
	return (n + PAGE - 1) / PAGE * PAGE;
}

long sysconf(int name)
{
	static long (*real)(int);

	if (!real)
		real = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
	if (name != _SC_PAGESIZE || !FROM_TRACER())
		return real(name);
	say("asked\n");
	return PAGE;
}

static void *map(void *at, size_t n, int access, int flags, int fd, off_t from)
{
	return (void *)syscall(SYS_mmap, at, n, access, flags, fd, from);
}

void *mmap(void *at, size_t n, int access, int flags, int fd, off_t from)
{
	size_t all = round_up(n) + PAGE;
	char *p, *q;

	if (!FROM_TRACER())
		return map(at, n, access, flags, fd, from);
	if (from % PAGE || (flags & MAP_FIXED && (uintptr_t)at % PAGE)) {
		refuse("mmap", from % PAGE ? (uintmax_t)from : (uintptr_t)at);
		return MAP_FAILED;
	}
	if (flags & MAP_FIXED)
		return map(at, n, access, flags, fd, from);
	p = map(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return MAP_FAILED;
	q = (char *)round_up((uintptr_t)p);
	if (q > p)
		syscall(SYS_munmap, p, q - p);
	syscall(SYS_munmap, q + round_up(n), p + PAGE - q);
	return map(q, flags & MAP_ANONYMOUS ? round_up(n) : n, access,
		   flags | MAP_FIXED, fd, from);
}

int munmap(void *at, size_t n)
{
	if (!FROM_TRACER())
		return (int)syscall(SYS_munmap, at, n);
	if ((uintptr_t)at % PAGE)
		return refuse("munmap", (uintptr_t)at);
	return (int)syscall(SYS_munmap, at, round_up(n));
}

int mprotect(void *at, size_t n, int access)
{
	if (!FROM_TRACER())
		return (int)syscall(SYS_mprotect, at, n, access);
	if ((uintptr_t)at % PAGE)
		return refuse("mprotect", (uintptr_t)at);
	return (int)syscall(SYS_mprotect, at, round_up(n), access);
}

int madvise(void *at, size_t n, int advice)
{
	if (!FROM_TRACER())
		return (int)syscall(SYS_madvise, at, n, advice);
	if ((uintptr_t)at % PAGE)
		return refuse("madvise", (uintptr_t)at);
	return (int)syscall(SYS_madvise, at, round_up(n), advice);
}

/* Whole pages are given back only: a hole that begins inside of one is wrong,
 * one that ends there is the end of a flow. */
int fallocate(int fd, int mode, off_t from, off_t n)
{
	if (FROM_TRACER() && mode & FALLOC_FL_PUNCH_HOLE && from % PAGE)
		return refuse("fallocate", (uintmax_t)from);
	return (int)syscall(SYS_fallocate, fd, mode, from, n);
}
