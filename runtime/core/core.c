/*
 * The state of the traced process; see core.h. The only file with process-wide
 * state that others see.
 */
#include <unistd.h>

#include "core.h"

struct tape_process tape_process = { .defines = { .fd = -1 } };
__thread struct tape_flow *tape_current;
__thread struct tape_flow *tape_own;
__thread struct tape_flow *tape_mapping;
__thread struct tape_announced tape_announced;
/* address space: pages come as sites are used */
uint16_t tape_site_calls[TAPE_SITES_MAX];

size_t tape_page_bytes(void)
{
	size_t n = __atomic_load_n(&tape_process.page_bytes, __ATOMIC_RELAXED);

	if (n)
		return n;
	n = (size_t)sysconf(_SC_PAGESIZE);
	__atomic_store_n(&tape_process.page_bytes, n, __ATOMIC_RELAXED);
	return n;
}

int tape_is_copy(void)
{
	return tape_process.state != TAPE_IDLE && tape_process.pid != getpid();
}
