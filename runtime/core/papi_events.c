/* PAPI in the traced program; see papi_events.h. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"
#include "papi_events.h"

#if __has_include(<papi.h>)
#include <papi.h>

/* Threads begin, and PAPI is loaded, on a stack that is large enough. */
TAPE_ON_OWN_STACK

/* The functions used, by name: each is looked up in the library. */
#define FUNCTIONS(f)                                                           \
	f(get_opt) f(library_init) f(thread_init) f(register_thread)           \
	f(unregister_thread) f(event_name_to_code) f(get_event_component)      \
	f(get_event_info) f(create_eventset) f(add_event) f(cleanup_eventset)  \
	f(destroy_eventset) f(start) f(stop) f(read) f(strerror)

struct event {
	int code, component;
	char unit[PAPI_MIN_STR_LEN];
};

struct tape_papi {
#define MEMBER(name) __typeof__(PAPI_##name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
	uint32_t n;
	struct event events[TAPE_COUNTERS_MAX];
};

/* ---- loading ---- */

static int find_functions(struct tape_papi *p, void *library)
{
#define FIND(name)                                                             \
	*(void **)(void *)&p->name = dlsym(library, "PAPI_" #name);            \
	if (!p->name)                                                          \
		return -1;
	FUNCTIONS(FIND)
#undef FIND
	return 0;
}

/* Not const: PAPI wants a number of its own type from it. */
static unsigned long thread_number(void)
{
	return (unsigned long)pthread_self();
}

static int start_library(struct tape_papi *p, char *why, size_t n)
{
	const uint32_t wanted = PAPI_VER_CURRENT;
	uint32_t version = (uint32_t)p->get_opt(PAPI_LIB_VERSION, NULL);
	int rc;

	/* structures and constants are those of the header */
	if ((version & 0xffff0000) != wanted) {
		snprintf(
		    why, n, "the installed PAPI is version %u.%u, not %u.%u",
		    PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
		    PAPI_VERSION_MAJOR(wanted), PAPI_VERSION_MINOR(wanted));
		return -1;
	}
	rc = p->library_init((int)wanted);
	if (rc == (int)wanted)
		rc = p->thread_init(thread_number);
	if (rc == PAPI_OK)
		return 0;
	snprintf(why, n, "PAPI cannot be started: %.100s",
		 rc < 0 ? p->strerror(rc) : "another version");
	return -1;
}

struct tape_papi *tape_papi_load(char *why, size_t n)
{
	struct tape_papi *p = calloc(1, sizeof *p);
	char name[64];
	void *library;

	snprintf(name, sizeof name, "libpapi.so.%d.%d",
		 PAPI_VERSION_MAJOR(PAPI_VERSION),
		 PAPI_VERSION_MINOR(PAPI_VERSION));
	library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!p || !library || find_functions(p, library))
		snprintf(why, n, "PAPI cannot be loaded: %s is missing", name);
	else if (!start_library(p, why, n))
		return p;
	free(p);
	return NULL;
}

/* ---- descriptors ---- */

/* As those of our own files: above what programs and select() use. */
enum { HIGH = 960 };

/* Takes all numbers below HIGH that are free; taken receives which. */
static void take_low_numbers(char *taken)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	memset(taken, 0, HIGH);
	while (fd >= 0 && fd < HIGH) {
		taken[fd] = 1;
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	}
	if (fd >= 0)
		close(fd);
}

static void close_descriptors(const char *taken)
{
	for (int fd = 0; fd < HIGH; fd++)
		if (taken[fd])
			close(fd);
}

/* Is it a descriptor without a file, as those of performance counters are? */
static int is_counter(int fd)
{
	char path[64], text[64];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	n = readlink(path, text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	return !strcmp(text, "anon_inode:[perf_event]");
}

/* The highest descriptor in use, and one more. */
static int end_of_numbers(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	int end = 0;

	while (d && (e = readdir(d)))
		if (atoi(e->d_name) >= end)
			end = atoi(e->d_name) + 1;
	if (d)
		closedir(d);
	return end;
}

/* Notes those counters that are open now and were not in was. */
static void note_descriptors(struct tape_papi_thread *t, const char *was,
			     int n_was)
{
	int end = end_of_numbers();

	for (int fd = 0; fd < end; fd++) {
		if ((fd < n_was && was[fd]) || !is_counter(fd))
			continue;
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		if (t->n_fds < TAPE_COUNTERS_MAX)
			t->fds[t->n_fds++] = fd;
	}
}

/*
 * May PAPI use its descriptors? Where the program has closed them, the number
 * may stand for a file of its own. All counters have one inode.
 */
static int are_counters_open(const struct tape_papi_thread *t)
{
	struct stat s;

	for (uint32_t i = 0; i < t->n_fds; i++)
		if (fstat(t->fds[i], &s) || s.st_mode & S_IFMT)
			return 0;
	return 1;
}

/* ---- event sets ---- */

static void drop_sets(const struct tape_papi *p, struct tape_papi_thread *t)
{
	for (uint32_t i = 0; i < t->n_sets; i++) {
		p->cleanup_eventset(t->sets[i].set);
		p->destroy_eventset(&t->sets[i].set);
	}
	t->n_sets = 0;
}

/* Adds event number k to the thread's set of its component. 0, or PAPI's. */
static int add_to_set(const struct tape_papi *p, struct tape_papi_thread *t,
		      uint32_t k)
{
	const struct event *e = &p->events[k];
	struct tape_papi_set *s = t->sets;
	int rc = PAPI_OK;

	while (s < t->sets + t->n_sets && s->component != e->component)
		s++;
	if (s == t->sets + t->n_sets) {
		*s = (struct tape_papi_set){ .set = PAPI_NULL,
					     .component = e->component };
		rc = p->create_eventset(&s->set);
		t->n_sets += rc == PAPI_OK;
	}
	if (rc == PAPI_OK)
		rc = p->add_event(s->set, e->code);
	if (rc == PAPI_OK)
		s->to[s->n++] = k;
	return rc;
}

static int stop_sets(const struct tape_papi *p, struct tape_papi_thread *t,
		     uint32_t started)
{
	long long v[TAPE_COUNTERS_MAX];
	int rc = PAPI_OK;

	for (uint32_t i = 0; i < started; i++)
		rc = p->stop(t->sets[i].set, v);
	drop_sets(p, t);
	t->n_fds = 0;
	return rc;
}

/* Makes the sets of the first n events and starts them. */
static int start_sets(const struct tape_papi *p, struct tape_papi_thread *t,
		      uint32_t n)
{
	uint32_t started = 0;
	int rc = PAPI_OK;

	t->n_sets = t->n_fds = 0;
	for (uint32_t k = 0; rc == PAPI_OK && k < n; k++)
		rc = add_to_set(p, t, k);
	while (rc == PAPI_OK && started < t->n_sets)
		if ((rc = p->start(t->sets[started].set)) == PAPI_OK)
			started++;
	if (rc != PAPI_OK)
		stop_sets(p, t, started);
	return rc;
}

/* The same, with descriptors that the program does not notice. */
static int start_hidden(const struct tape_papi *p, struct tape_papi_thread *t,
			uint32_t n)
{
	int end = end_of_numbers(), rc;
	char taken[HIGH], *was = calloc((size_t)end + 1, 1);

	for (int fd = 0; was && fd < end; fd++)
		was[fd] = (char)is_counter(fd);
	take_low_numbers(taken);
	rc = start_sets(p, t, n);
	close_descriptors(taken);
	if (rc != PAPI_OK) /* a low limit of open files, perhaps */
		rc = start_sets(p, t, n);
	if (rc == PAPI_OK && was)
		note_descriptors(t, was, end);
	free(was);
	return rc;
}

/* ---- events ---- */

int tape_papi_add(struct tape_papi *p, const char *name, char *why, size_t n)
{
	struct event *e = &p->events[p->n];
	struct tape_papi_thread t = { 0 };
	PAPI_event_info_t info;
	int rc = p->event_name_to_code((char *)name, &e->code), e_no = errno;

	if (rc == PAPI_OK) {
		e->component = p->get_event_component(e->code);
		memset(&info, 0, sizeof info);
		snprintf(e->unit, sizeof e->unit, "%.*s",
			 (int)sizeof e->unit - 1,
			 p->get_event_info(e->code, &info) == PAPI_OK
				 ? info.units
				 : "");
		/* counting is what tells whether it can be counted */
		rc = start_sets(p, &t, p->n + 1);
		if (rc == PAPI_OK)
			stop_sets(p, &t, t.n_sets);
	}
	errno = e_no;
	if (rc == PAPI_OK) {
		p->n++;
		return 0;
	}
	snprintf(why, n, "PAPI: %.100s%s", p->strerror(rc),
		 rc == PAPI_ECNFLCT
		     ? ", in combination with the events before it"
		     : "");
	return -1;
}

uint32_t tape_papi_events(const struct tape_papi *p)
{
	return p->n;
}

const char *tape_papi_unit(const struct tape_papi *p, uint32_t event)
{
	return *p->events[event].unit ? p->events[event].unit : "count";
}

/* ---- threads ---- */

int tape_papi_start(const struct tape_papi *p, struct tape_papi_thread *t)
{
	int e = errno, rc;

	p->register_thread();
	rc = start_hidden(p, t, p->n);
	errno = e;
	return rc == PAPI_OK ? 0 : -1;
}

void tape_papi_stop(const struct tape_papi *p, struct tape_papi_thread *t)
{
	int e = errno;

	if (are_counters_open(t)) {
		stop_sets(p, t, t->n_sets);
		p->unregister_thread();
	}
	t->n_sets = t->n_fds = 0;
	errno = e;
}

int tape_papi_read(const struct tape_papi *p, struct tape_papi_thread *t,
		   int64_t *values)
{
	long long v[TAPE_COUNTERS_MAX];
	int e = errno;

	if (!t->n_sets)
		return -1;
	if (!are_counters_open(t))
		goto lost;
	for (uint32_t i = 0; i < t->n_sets; i++) {
		if (p->read(t->sets[i].set, v) != PAPI_OK)
			goto lost;
		for (uint32_t k = 0; k < t->sets[i].n; k++)
			values[t->sets[i].to[k]] = v[k];
	}
	errno = e;
	return 0;
lost:
	t->n_sets = t->n_fds = 0;
	errno = e;
	return -1;
}

#else

struct tape_papi *tape_papi_load(char *why, size_t n)
{
	snprintf(why, n, "this Tape was built without PAPI");
	return NULL;
}

int tape_papi_add(struct tape_papi *p, const char *name, char *why, size_t n)
{
	(void)p, (void)name, (void)why, (void)n;
	return -1;
}

uint32_t tape_papi_events(const struct tape_papi *p)
{
	(void)p;
	return 0;
}

const char *tape_papi_unit(const struct tape_papi *p, uint32_t event)
{
	(void)p, (void)event;
	return "count";
}

int tape_papi_start(const struct tape_papi *p, struct tape_papi_thread *t)
{
	(void)p, (void)t;
	return -1;
}

void tape_papi_stop(const struct tape_papi *p, struct tape_papi_thread *t)
{
	(void)p, (void)t;
}

int tape_papi_read(const struct tape_papi *p, struct tape_papi_thread *t,
		   int64_t *values)
{
	(void)p, (void)t, (void)values;
	return -1;
}

#endif

void tape_papi_child(struct tape_papi_thread *t)
{
	struct stat s;

	for (uint32_t i = 0; i < t->n_fds; i++)
		if (!fstat(t->fds[i], &s) && !(s.st_mode & S_IFMT))
			close(t->fds[i]);
	t->n_sets = t->n_fds = 0;
}
TAPE_ON_OWN_STACK_END
