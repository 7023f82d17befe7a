/*
 * Calls that control has left without a return; see nonlocal_exit.h.
 * longjmp_hooks.c intercepts the functions that leave calls.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <unwind.h>

#include "nonlocal_exit.h"
#include "own_stack.h"

/*
 * __builtin_longjmp and setcontext are not intercepted. The stack is therefore
 * also tested at every 1024th nested call. A test at each nested call would be
 * too slow: PVM's library often makes nested calls.
 */
enum { ONCE_IN = 1024 };

/* Distance of a wrapper's frame from the stack pointer of its caller. */
enum { FRAME_BYTES = 2 * sizeof(void *) };

/* ---- frames, as the unwinder has them ---- */

static _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void *);
static _Unwind_Word (*stack_pointer)(struct _Unwind_Context *);

struct walk {
	uintptr_t wanted;
	int found;
};

static _Unwind_Reason_Code check_frame(struct _Unwind_Context *c, void *arg)
{
	struct walk *w = arg;

	w->found = stack_pointer(c) == w->wanted;
	return w->found ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

/*
 * The unwinder's library is loaded as the C library does it, for programs that
 * came without one, twice if two threads are here at once.
 */
static void walk_callers(void *walk)
{
	void *library;

	if (!backtrace &&
	    (library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL))) {
		*(void **)&stack_pointer = dlsym(library, "_Unwind_GetCFA");
		*(void **)&backtrace = dlsym(library, "_Unwind_Backtrace");
	}
	if (backtrace && stack_pointer)
		backtrace(check_frame, walk);
}

/*
 * Returns 1 if one of the callers has that frame. Returns 0 also if there is no
 * unwinder.
 */
static TAPE_COLD int is_frame_on_stack(const void *frame)
{
	struct walk w = {.wanted = (uintptr_t)frame + FRAME_BYTES};
	int e = errno;

	tape_run_on_own_stack(walk_callers, &w);
	errno = e;
	return w.found;
}

/* ---- stacks ---- */

/* Returns 1 in a signal handler on its own stack, outside of which frame is. */
static TAPE_COLD int is_handler_above(const void *frame)
{
	stack_t s;

	return !sigaltstack(NULL, &s) && (s.ss_flags & SS_ONSTACK) &&
	       (uintptr_t)frame - (uintptr_t)s.ss_sp >= s.ss_size;
}

int tape_call_is_nested(struct tape_flow *f, const void *frame)
{
	if ((uintptr_t)frame < (uintptr_t)f->frame && !f->jumped &&
	    ++f->nested % ONCE_IN)
		return 1;
	/* stacks grow down: a nested call is higher on another stack only */
	if ((uintptr_t)frame >= (uintptr_t)f->frame) {
		if (is_handler_above(f->frame))
			return 1;
	} else if (is_frame_on_stack(f->frame)) {
		f->jumped = 0;
		return 1;
	}
	f->jumped = 0;
	return 0;
}
