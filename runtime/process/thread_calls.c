/*
 * pthread_create and pthread_join, seen on their way: marks before and after
 * them tell which thread was created, or joined, and when. A call inside of
 * another one, such as that of a library that starts a thread of its own, goes
 * straight on. So do calls where nothing is recorded, and those of OpenMP's
 * libraries, whose threads begin and end with regions.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "buffer.h"
#include "flows.h"

typedef void *thread_start(void *);

static int (*real_create)(pthread_t *, const pthread_attr_t *, thread_start *,
			  void *);
static int (*real_join)(pthread_t, void **);

__attribute__((constructor)) static void find_real(void)
{
	if (!real_create)
		*(void **)&real_create = dlsym(RTLD_NEXT, "pthread_create");
	if (!real_join)
		*(void **)&real_join = dlsym(RTLD_NEXT, "pthread_join");
}

/* Returns 1 if the address is in a library of OpenMP. */
static int is_in_openmp(const void *address)
{
	static const char *const names[] = { "libgomp.", "libomp.",
					     "libiomp5." };
	Dl_info of;
	const char *name;

	if (!dladdr(address, &of) || !of.dli_fname)
		return 0;
	name = strrchr(of.dli_fname, '/');
	name = name ? name + 1 : of.dli_fname;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return 1;
	return 0;
}

/* Puts a mark of that step; which: the thread, or 0. */
static void put_step(enum tape_thread_step step, uint64_t which)
{
	struct tape_flow *f = tape_current;
	int e = errno;

	if (f && !tape_flow_is_forked_copy(f))
		tape_buffer_pthread(f, step, which);
	errno = e;
}

/*
 * The thread that the program's variable names. The new thread may have freed
 * the variable meanwhile: the kernel reads it, or says that it is gone. Returns
 * 0 then.
 */
static uint64_t read_created(const pthread_t *thread)
{
	pthread_t id = 0;
	struct iovec to = { &id, sizeof id };
	struct iovec from = { (void *)(uintptr_t)thread, sizeof id };
	int e = errno;

	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof id)
		id = 0;
	errno = e;
	return (uint64_t)id;
}

TAPE_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			       thread_start *start, void *argument)
{
	int rc;

	find_real();
	if (!real_create)
		return ENOSYS;
	if (!tape_current || is_in_openmp(__builtin_return_address(0)))
		return real_create(thread, attr, start, argument);
	put_step(TAPE_THREAD_CREATES, 0);
	rc = real_create(thread, attr, start, argument);
	put_step(TAPE_THREAD_CREATED, rc ? 0 : read_created(thread));
	return rc;
}

TAPE_EXPORT int pthread_join(pthread_t thread, void **value)
{
	int rc;

	find_real();
	if (!real_join)
		return ENOSYS;
	if (!tape_current)
		return real_join(thread, value);
	put_step(TAPE_THREAD_JOINS, (uint64_t)thread);
	rc = real_join(thread, value);
	put_step(TAPE_THREAD_JOINED, rc ? 0 : (uint64_t)thread);
	return rc;
}
