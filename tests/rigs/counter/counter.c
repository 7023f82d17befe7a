/*
 * What an entry of the counter does; see counter.h. It must not need its own
 * constructor to have run: constructors of other libraries call MPI before it.
 * Until then calls are counted in memory, and then the file is laid over it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counter.h"

#define PAGE 4096
#define CALLERS 8192 /* remembered; a power of 2 */

extern const char *const counter_names[]
	__attribute__((visibility("hidden")));
void *counter_next(unsigned entry, uintptr_t caller)
	__attribute__((visibility("hidden")));

static union {
	struct counter_file file;
	char pages[(sizeof(struct counter_file) + PAGE - 1) / PAGE * PAGE];
} counts __attribute__((aligned(PAGE)));
static void *next[COUNTER_MAX];
static void *sizes[COUNTER_MAX]; /* to be called in place of that, or NULL */
static enum role { NONE, BEGINS, ENDS } role[COUNTER_MAX];
static int when = COUNTER_OUTSIDE;
static int look_for_nested;
int counter_handling;

/* The lowest bit of an address remembered says that it is the library's own:
 * shifted to the left, for an address can be odd. */
static uintptr_t callers[CALLERS];

/* ---- who calls ---- */

struct search {
	uintptr_t address;
	int own;
};

/*
 * Libraries whose calls are none of the program's: the MPI library with its
 * parts, its Fortran bindings, PVM, and Tape. MPI's C++ bindings stand on top
 * of the library as a program does.
 */
static int is_own(const char *path)
{
	static const char *const own[] = { "libmpi.so", "libmpi_mpifh.so",
		"libmpi_use", "libmpich.so", "libmpichfort.so", "libopen-rte",
		"libopen-pal", "mca_", "libpvm3.so", "libgpvm3.so", "libtape-",
		NULL };
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	for (int i = 0; own[i]; i++)
		if (!strncmp(name, own[i], strlen(own[i])))
			return 1;
	return 0;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && s->address >= from &&
		    s->address < from + p->p_memsz) {
			s->own = is_own(info->dlpi_name);
			return 1;
		}
	}
	return 0;
}

/*
 * Is that return address inside the MPI library or Tape? The answer is kept for
 * good: the addresses of an unloaded component then hold for whatever is loaded
 * there later.
 */
static int from_inside(uintptr_t caller)
{
	uintptr_t *c = &callers[(caller ^ caller >> 13) % CALLERS];
	uintptr_t known = __atomic_load_n(c, __ATOMIC_RELAXED);
	struct search s = { .address = caller };

	if (known >> 1 == caller)
		return known & 1;
	dl_iterate_phdr(look_at, &s);
	__atomic_store_n(c, caller << 1 | (uintptr_t)s.own, __ATOMIC_RELAXED);
	return s.own;
}

/* Is the caller itself called by the library, however far away? */
static int is_nested(void)
{
	void *frames[200];
	/* the first three: this function, counter_next, the entry */
	int n = backtrace(frames, 200);

	for (int i = 3; i < n; i++)
		if (from_inside((uintptr_t)frames[i]))
			return 1;
	return 0;
}

/* ---- who is next ---- */

/* RTLD_NEXT finds nothing if a program opened the library for itself only. */
static void *in_library(const char *name)
{
	static const char *const libraries[] = { "libmpi.so.40",
		"libmpi_mpifh.so.40", "libmpi_usempif08.so.40",
		"libmpich.so.12", "libmpichfort.so.12", NULL };
	void *found = NULL;

	for (int i = 0; libraries[i] && !found; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		if (library)
			found = dlsym(library, name);
	}
	return found;
}

/* Is the entry that call, in C or in any spelling of Fortran? */
static int is_call(unsigned entry, const char *call)
{
	const char *name = counter_names[entry];
	size_t n = strlen(call);

	if (strncasecmp(name, call, n))
		return 0;
	name += n;
	return !*name || !strcmp(name, "_") || !strcmp(name, "__") ||
	       !strcmp(name, "_f08_") || !strcmp(name, "_f08ts_");
}

static int is_pvm(void)
{
	return counter_sizes != NULL;
}

static void *resolve(unsigned entry)
{
	void *found = dlsym(RTLD_NEXT, counter_names[entry]);

	if (!found)
		found = in_library(counter_names[entry]);
	if (!found) {
		fprintf(stderr, "counter: %s is nowhere\n",
			counter_names[entry]);
		_exit(127);
	}
	if (is_call(entry, "MPI_Init") || is_call(entry, "MPI_Init_thread"))
		role[entry] = BEGINS;
	if (is_call(entry, "MPI_Finalize"))
		role[entry] = ENDS;
	if (is_pvm())
		sizes[entry] = counter_sizes(counter_names[entry],
					     &counts.file.bytes[entry]);
	counts.file.sized[entry] = sizes[entry] != NULL;
	__atomic_store_n(&next[entry], found, __ATOMIC_RELEASE);
	return found;
}

/*
 * Is the process a task of PVM? The call that made it one is the last before
 * the first that finds it to be one; not all of them do, and none says so.
 */
static void look_at_task(unsigned entry)
{
	static unsigned last;

	if (counter_is_task() && when == COUNTER_OUTSIDE &&
	    counts.file.calls[when][last]) {
		counts.file.calls[when][last]--;
		counts.file.calls[COUNTER_WITHIN][last]++;
	}
	when = counter_is_task() ? COUNTER_WITHIN : COUNTER_OUTSIDE;
	last = entry;
}

void *counter_next(unsigned entry, uintptr_t caller)
{
	void *to = __atomic_load_n(&next[entry], __ATOMIC_ACQUIRE);
	int now;

	if (!to)
		to = resolve(entry);
	if (from_inside(caller))
		return to;
	if (role[entry] == BEGINS)
		when = COUNTER_WITHIN;
	if (is_pvm())
		look_at_task(entry);
	now = when;
	if (now == COUNTER_WITHIN && look_for_nested && !counter_handling &&
	    is_nested())
		now = COUNTER_NESTED;
	__atomic_fetch_add(&counts.file.calls[now][entry], 1, __ATOMIC_RELAXED);
	if (role[entry] == ENDS)
		when = COUNTER_OUTSIDE;
	return sizes[entry] ? sizes[entry] : to;
}

void counter_handed(uint64_t bytes)
{
	unsigned entry = 0;

	while (strcmp(counter_names[entry], "pvm_recv"))
		entry++;
	if (!__atomic_load_n(&next[entry], __ATOMIC_ACQUIRE))
		resolve(entry);
	counts.file.calls[when][entry]++;
	counts.file.bytes[entry] += bytes;
}

/* ---- the file ---- */

static int rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK",
					     "PMI_RANK", NULL };

	for (int i = 0; names[i]; i++)
		if (getenv(names[i]))
			return atoi(getenv(names[i]));
	return 0;
}

/* A child's calls do not count for its parent. */
static void in_child(void)
{
	void *own = mmap(&counts, sizeof counts, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (own == MAP_FAILED)
		_exit(127);
}

/* Writes what was counted so far, and the names, and maps it. */
static int open_file(const char *directory)
{
	char path[4096];
	uint32_t n = 0;
	int fd, bad;

	while (counter_names[n])
		n++;
	counts.file.magic = COUNTER_MAGIC;
	counts.file.names = n;
	counts.file.rank = is_pvm() ? 0 : rank();
	counts.file.pid = is_pvm() ? (int32_t)getpid() : 0;
	snprintf(path, sizeof path, "%s/%d.%d", directory, counts.file.rank,
		 (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	bad = write(fd, &counts, sizeof counts) != sizeof counts;
	for (uint32_t i = 0; i < n && !bad; i++) {
		ssize_t length = (ssize_t)strlen(counter_names[i]) + 1;

		bad = write(fd, counter_names[i], (size_t)length) != length;
	}
	bad = bad || mmap(&counts, sizeof counts, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED;
	close(fd);
	return bad ? -1 : 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *directory = getenv("COUNTER_DIRECTORY");

	/* PVM's group server does not belong to the program */
	if (!directory || !strcmp(program_invocation_short_name, "pvmgs"))
		return;
	look_for_nested = getenv("COUNTER_NESTED") != NULL;
	if (open_file(directory)) {
		fprintf(stderr, "counter: cannot write to %s\n", directory);
		_exit(127);
	}
	pthread_atfork(NULL, NULL, in_child);
}
