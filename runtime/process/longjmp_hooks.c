/*
 * Intercepts longjmp and the functions that throw exceptions. If the thread is
 * inside of a traced call, that call may have ended (nonlocal_exit.c). Each
 * entry (arch/) then jumps to the real function, on the same stack.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "longjmp_entries.h"
#include "core.h"

void *tape_find_jump(enum tape_jump which)
{
	static const char *const names[TAPE_JUMPS] = {
		"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
		"_Unwind_RaiseException", "_Unwind_Resume_or_Rethrow",
		"_Unwind_ForcedUnwind",
	};
	static void *real[TAPE_JUMPS];
	struct tape_flow *f = tape_own;
	void *to = __atomic_load_n(&real[which], __ATOMIC_RELAXED);

	if (f && f->self && !tape_current)
		f->jumped = 1;
	if (!to) {
		to = dlsym(RTLD_NEXT, names[which]);
		/* the unwinder came with a library that was opened later */
		if (!to)
			to = dlsym(dlopen("libgcc_s.so.1", RTLD_LAZY),
				   names[which]);
		__atomic_store_n(&real[which], to, __ATOMIC_RELAXED);
	}
	return to;
}
