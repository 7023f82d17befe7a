/* A stack for what the tracer does at length; see own_stack.h. */
#include <sys/mman.h>

#include "arch.h"
#include "core.h"
#include "own_stack.h"

/* Of addresses; pages come as they are used. The lowest page is a fence. */
enum { BYTES = 1024 * 1024 };

#if TAPE_HAS_CALL_ON && !defined(TAPE_ADDRESSES_CHECKED)
static char *make_stack(void)
{
	char *s = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
		       -1, 0);

	if (s == MAP_FAILED)
		return NULL;
	mprotect(s, tape_page_bytes(), PROT_NONE);
	return s;
}

/* The one that the thread is on; or was, when a signal handler jumped away. */
static __thread char *in_use;

void tape_run_on_own_stack(void (*function)(void *), void *argument)
{
	char *outer = in_use, *here = __builtin_frame_address(0), *s = NULL;
	struct tape_flow *f = tape_own;

	if (outer && (uintptr_t)here - (uintptr_t)outer < BYTES) {
		function(argument);
		return;
	}
	/* a handler elsewhere, that has interrupted who is on ours */
	if (!outer && f)
		s = f->stack;
	if (!s && !(s = make_stack())) {
		function(argument);
		return;
	}
	in_use = s;
	tape_call_on(s + BYTES, function, argument);
	in_use = outer;
	/* the thread may have come by a flow, which keeps the stack */
	f = tape_own;
	if (f && f->chunk && !f->stack)
		f->stack = s;
	if (!f || f->stack != s)
		munmap(s, BYTES);
}
#else
void tape_run_on_own_stack(void (*function)(void *), void *argument)
{
	function(argument);
}
#endif

void tape_own_stack_free(struct tape_flow *f)
{
	if (f->stack)
		munmap(f->stack, BYTES);
	f->stack = NULL;
}
