/*
 * sigaction and signal: what a program sets for SIGBUS, and what it is told,
 * while Tape has a handler of its own in front (sigbus.h). All other signals go
 * straight on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include "sigbus.h"
#include "core.h"

typedef void handler(int);
typedef int action(int, const struct sigaction *, struct sigaction *);
typedef handler *setter(int, handler *);

int tape_real_sigaction(int n, const struct sigaction *new,
			struct sigaction *old)
{
	static action *real;
	action *to = __atomic_load_n(&real, __ATOMIC_RELAXED);

	if (!to) {
		*(void **)&to = dlsym(RTLD_NEXT, "sigaction");
		__atomic_store_n(&real, to, __ATOMIC_RELAXED);
	}
	return to(n, new, old);
}

TAPE_EXPORT int sigaction(int n, const struct sigaction *new,
			  struct sigaction *old)
{
	return n == SIGBUS && tape_sigbus_is_watched()
		   ? tape_sigbus_action(new, old)
		   : tape_real_sigaction(n, new, old);
}

static handler *set_sigbus_handler(handler *new, int flags, int blocks_itself)
{
	struct sigaction s = { .sa_handler = new, .sa_flags = flags }, old;

	if (new == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&s.sa_mask);
	if (blocks_itself)
		sigaddset(&s.sa_mask, SIGBUS);
	return tape_sigbus_action(&s, &old) ? SIG_ERR : old.sa_handler;
}

/* The flavours of BSD and of System V. */
#define BSD SA_RESTART, 1
#define SYSTEM_V (int)SA_RESETHAND | SA_NODEFER, 0
#define SETTER(name, flavour)                                                  \
	handler *name(int n, handler *new);                                    \
	TAPE_EXPORT handler *name(int n, handler *new)                         \
	{                                                                      \
		static setter *real;                                           \
		setter *to = __atomic_load_n(&real, __ATOMIC_RELAXED);         \
                                                                               \
		if (n == SIGBUS && tape_sigbus_is_watched())                   \
			return set_sigbus_handler(new, flavour);               \
		if (!to) {                                                     \
			*(void **)&to = dlsym(RTLD_NEXT, #name);               \
			__atomic_store_n(&real, to, __ATOMIC_RELAXED);         \
		}                                                              \
		return to(n, new);                                             \
	}
SETTER(signal, BSD)
SETTER(bsd_signal, BSD)
SETTER(ssignal, BSD)
SETTER(sysv_signal, SYSTEM_V)
SETTER(__sysv_signal, SYSTEM_V)
