/* SIGBUS at chunks whose file has no space; see sigbus.h. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sigbus.h"
#include "core.h"

/* Where nothing stands between the program and the C library (archives). */
__attribute__((weak)) int
tape_real_sigaction(int n, const struct sigaction *new, struct sigaction *old)
{
	return sigaction(n, new, old);
}

#ifndef SA_RESTORER
#define SA_RESTORER 0x04000000
#endif

static struct sigaction theirs; /* what the program has set */
static int watched;		/* ours is in place */
static int changing;		/* a lock */

/* ---- the handler ---- */

static int is_in_range(const unsigned char *from, uint64_t bytes,
		       uintptr_t address)
{
	return from && address - (uintptr_t)from < bytes;
}

/*
 * The page becomes memory that nobody looks at: what its thread is storing goes
 * there, and the next record finds that the flow has ended.
 */
static int take_fault(uintptr_t address)
{
	size_t bytes = tape_page_bytes();
	void *page = (void *)(address & ~(uintptr_t)(bytes - 1));
	struct tape_flow *f = tape_mapping;

	if (tape_process.pid != getpid())
		return 0;
	if (!f || !is_in_range(f->fresh, f->fresh_bytes, address)) {
		f = tape_process.flows;
		while (f && !is_in_range(f->window, f->window_bytes, address))
			f = f->next;
	}
	if (!f || mmap(page, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
		return 0;
	if (!f->broken) {
		f->broken_events = f->events;
		f->broken = f->p ? f->p : page;
	}
	f->limit = NULL;
	return 1;
}

/* Sets the default action. A SIGBUS that was sent is sent again. */
static void raise_default_action(int n, siginfo_t *info)
{
	struct sigaction s = {.sa_handler = SIG_DFL};

	tape_real_sigaction(n, &s, NULL);
	if (info->si_code <= 0)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), n, info);
}

static void handle_sigbus(int n, siginfo_t *info, void *context)
{
	struct sigaction s = theirs;
	int e = errno;

	if (info->si_code > 0 && take_fault((uintptr_t)info->si_addr)) {
		errno = e;
	} else if (s.sa_flags & SA_SIGINFO) {
		if (s.sa_flags & (int)SA_RESETHAND)
			theirs = (struct sigaction){.sa_handler = SIG_DFL};
		s.sa_sigaction(n, info, context);
	} else if (s.sa_handler == SIG_DFL ||
		   (s.sa_handler == SIG_IGN && info->si_code > 0)) {
		raise_default_action(n, info);
	} else if (s.sa_handler != SIG_IGN) {
		if (s.sa_flags & (int)SA_RESETHAND)
			theirs = (struct sigaction){.sa_handler = SIG_DFL};
		s.sa_handler(n);
	}
}

/* ---- setting it ---- */

/*
 * Ours, with what the program's asks for: the stack, the mask. Where it ignores
 * the signal so does the kernel: that is handed on to what it executes.
 */
static int install_handler(void)
{
	struct sigaction s = theirs;

	if (!(s.sa_flags & SA_SIGINFO) && s.sa_handler == SIG_IGN)
		return tape_real_sigaction(SIGBUS, &s, NULL);
	if (!(s.sa_flags & SA_SIGINFO) && s.sa_handler == SIG_DFL)
		s.sa_flags = SA_ONSTACK | SA_RESTART;
	s.sa_sigaction = handle_sigbus;
	s.sa_flags = (s.sa_flags | SA_SIGINFO) & ~(int)SA_RESETHAND;
	return tape_real_sigaction(SIGBUS, &s, NULL);
}

/* Blocks signals: a handler may run at any time and call sigaction. */
static void lock_action(sigset_t *was)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, was);
	while (__atomic_exchange_n(&changing, 1, __ATOMIC_ACQUIRE))
		;
}

static void unlock_action(const sigset_t *was)
{
	__atomic_store_n(&changing, 0, __ATOMIC_RELEASE);
	pthread_sigmask(SIG_SETMASK, was, NULL);
}

int tape_sigbus_is_watched(void)
{
	return __atomic_load_n(&watched, __ATOMIC_RELAXED);
}

int tape_sigbus_action(const struct sigaction *new, struct sigaction *old)
{
	struct sigaction wanted, now;
	sigset_t was;
	int rc = 0;

	if (new)
		wanted = *new;
	lock_action(&was);
	if (old)
		*old = theirs;
	if (new) {
		theirs = wanted;
		rc = install_handler();
		/* what the C library adds */
		if (!rc && !tape_real_sigaction(SIGBUS, NULL, &now)) {
			theirs.sa_flags |= now.sa_flags & SA_RESTORER;
			theirs.sa_restorer = now.sa_restorer;
		}
	}
	unlock_action(&was);
	return rc;
}

void tape_sigbus_start(void)
{
	sigset_t was;
	int e = errno;

	lock_action(&was);
	if (!watched && !tape_real_sigaction(SIGBUS, NULL, &theirs) &&
	    !install_handler())
		watched = 1;
	unlock_action(&was);
	errno = e;
}

void tape_sigbus_stop(void)
{
	struct sigaction now;
	sigset_t was;
	int e = errno;

	lock_action(&was);
	/* unless another handler replaced ours */
	if (watched && !tape_real_sigaction(SIGBUS, NULL, &now) &&
	    (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle_sigbus)
		tape_real_sigaction(SIGBUS, &theirs, NULL);
	watched = 0;
	unlock_action(&was);
	errno = e;
}
