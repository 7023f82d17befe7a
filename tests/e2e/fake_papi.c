/*
 * Stands in for libpapi where the machine has no counters that PAPI knows: the
 * functions that Tape uses, on the kernel's software events, with descriptors
 * as careless as PAPI's (low numbers, open in children). Events:
 *
 *	fake::FAULTS     page faults, component 0
 *	fake::ALONE      the same, but only by itself
 *	fake::SWITCHES   context switches, component 1
 *
 * FAKE_VERSION in the environment is the version to pretend (hexadecimal).
 */
#include <linux/perf_event.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SETS = 64, EVENTS = 8 };

static struct set {
	int used, running, n, code[EVENTS], fd[EVENTS];
} sets[SETS];
static int lock;

static const char *const names[] = { "fake::FAULTS", "fake::ALONE",
				     "fake::SWITCHES", NULL };

int PAPI_get_opt(int option, PAPI_option_t *p)
{
	const char *v = getenv("FAKE_VERSION");

	(void)option, (void)p;
	return v ? (int)strtoul(v, NULL, 16) : (int)PAPI_VERSION;
}

int PAPI_library_init(int version)
{
	return version;
}

int PAPI_thread_init(unsigned long (*id)(void))
{
	return id() ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_register_thread(void)
{
	return PAPI_OK;
}

int PAPI_unregister_thread(void)
{
	return PAPI_OK;
}

int PAPI_event_name_to_code(const char *name, int *code)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], name)) {
			*code = i;
			return PAPI_OK;
		}
	return PAPI_ENOEVNT;
}

int PAPI_get_event_component(int code)
{
	return code == 2;
}

int PAPI_get_event_info(int code, PAPI_event_info_t *info)
{
	strcpy(info->units, code == 2 ? "" : "faults");
	return PAPI_OK;
}

int PAPI_create_eventset(int *set)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
	for (*set = 0; *set < SETS && sets[*set].used; ++*set)
		;
	if (*set < SETS)
		sets[*set].used = 1;
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	return *set < SETS ? PAPI_OK : PAPI_ENOMEM;
}

int PAPI_add_event(int set, int code)
{
	struct set *s = &sets[set];

	for (int i = 0; i < s->n; i++)
		if (code == 1 || s->code[i] == 1)
			return PAPI_ECNFLCT;
	s->code[s->n++] = code;
	return PAPI_OK;
}

int PAPI_cleanup_eventset(int set)
{
	sets[set].n = 0;
	return PAPI_OK;
}

int PAPI_destroy_eventset(int *set)
{
	memset(&sets[*set], 0, sizeof sets[*set]);
	return PAPI_OK;
}

int PAPI_start(int set)
{
	struct set *s = &sets[set];

	for (int i = 0; i < s->n; i++) {
		struct perf_event_attr a = {
			.type = PERF_TYPE_SOFTWARE,
			.size = sizeof a,
			.config = s->code[i] == 2
					  ? PERF_COUNT_SW_CONTEXT_SWITCHES
					  : PERF_COUNT_SW_PAGE_FAULTS,
			.exclude_kernel = s->code[i] != 2,
		};

		s->fd[i] = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
		if (s->fd[i] < 0)
			return PAPI_ESYS;
	}
	s->running = 1;
	return PAPI_OK;
}

int PAPI_read(int set, long long *v)
{
	struct set *s = &sets[set];

	if (!s->running)
		return PAPI_ENOTRUN;
	for (int i = 0; i < s->n; i++)
		if (read(s->fd[i], &v[i], sizeof v[i]) != sizeof v[i])
			return PAPI_ESYS;
	return PAPI_OK;
}

int PAPI_stop(int set, long long *v)
{
	struct set *s = &sets[set];
	int rc = PAPI_read(set, v);

	for (int i = 0; i < s->n; i++)
		close(s->fd[i]);
	s->running = 0;
	return rc;
}

char *PAPI_strerror(int code)
{
	return (char *)(code == PAPI_ECNFLCT   ? "they cannot be combined"
			: code == PAPI_ENOEVNT ? "no such event"
			: code == PAPI_ESYS    ? "the kernel refuses"
					       : "an error");
}
