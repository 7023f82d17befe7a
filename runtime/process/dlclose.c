/*
 * dlclose, seen on its way: after it, the address of a call site may be one of
 * another library. The addresses that flows remember are forgotten, and those
 * known to the process are looked at again (define.c).
 */
#include <dlfcn.h>
#include <string.h>

#include "core.h"
#include "message.h"

static int (*real_dlclose)(void *);

__attribute__((constructor)) static void find_real(void)
{
	if (!real_dlclose)
		*(void **)&real_dlclose = dlsym(RTLD_NEXT, "dlclose");
}

/*
 * A thread may be putting an entry into its cache meanwhile. Its call is in a
 * library that stays, or it could not be making it: the entry is good, or has
 * no address, whichever store is last.
 */
static void clear_site_cache(struct tape_flow *f)
{
	for (unsigned i = 0; i < TAPE_SITE_CACHE; i++)
		((volatile struct tape_flow *)f)->cache[i].address = 0;
}

TAPE_EXPORT int dlclose(void *handle)
{
	int rc;

	find_real();
	if (!real_dlclose)
		return 0;
	rc = real_dlclose(handle);
	if (tape_process.state != TAPE_RUNNING || tape_lock_or_give_up())
		return rc;
	tape_process.unloads++;
	for (struct tape_flow *f = tape_process.flows; f; f = f->next)
		clear_site_cache(f);
	tape_unlock();
	return rc;
}
