/*
 * Clocks with a known error for programs that know nothing of it: preloaded, it
 * bends what clock_gettime(CLOCK_MONOTONIC_RAW) says, by rank, and gives each
 * bent rank a machine of its own (another boot). It shares nothing with Tape.
 *
 *	WARP="1:offset=2e9,drift=3e-5 2:step=3e5@4,step=-3e5@6"  RANK:BEND...
 *	WARP_DIR=directory     gets readings.R of each rank: pairs of numbers of
 *	                       64 bits, what a reading showed and the true date
 *	WARP_ONE_MACHINE=1     bent ranks are time namespaces of one machine
 *
 * A bend is a sum; T is seconds since the program called warp_begin, before
 * which only offset and drift count: what a clock did before the first round
 * of its sampling nobody can know.
 *
 *	offset=NS drift=RATE step=NS@T slew=RATE@FROM+LENGTH
 *	sine=NS/PERIOD saw=NS/PERIOD (gained in a period, then lost)
 *
 * The files are as long as the readings they hold when the rank ends, or is
 * killed: then zeroes follow. The environment of Open MPI or PMI tells the
 * rank.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { TERMS = 16, READINGS = 1 << 23 };

struct term {
	char kind[8];
	double size, at, length;
};

struct reading {
	uint64_t shown, real;
};

static struct term term[TERMS];
static int n_terms, bent, rank = -1, file = -1;
static struct reading *kept;
static uint64_t n_kept, first, begun;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fail(const char *what)
{
	fprintf(stderr, "warp: %s\n", what);
	_exit(3);
}

static uint64_t real_ns(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void parse(const char *s, const char *end)
{
	while (s < end) {
		struct term *t = &term[n_terms];
		int n = 0;

		if (n_terms == TERMS ||
		    sscanf(s, "%7[a-z]=%lf%n", t->kind, &t->size, &n) != 2)
			fail("WARP cannot be understood");
		s += n;
		n = 0;
		if (s < end && (*s == '@' || *s == '/') &&
		    sscanf(s + 1, "%lf%n", &t->at, &n) == 1)
			s += n + 1;
		n = 0;
		if (s < end && *s == '+' &&
		    sscanf(s + 1, "%lf%n", &t->length, &n) == 1)
			s += n + 1;
		if (s < end && *s++ != ',')
			fail("WARP cannot be understood");
		n_terms++;
	}
}

static void find(const char *text)
{
	for (const char *p = text; *(p += strspn(p, " \t\n"));) {
		size_t n = strcspn(p, " \t\n");
		char *colon;

		if (strtol(p, &colon, 10) == rank && *colon == ':') {
			parse(colon + 1, p + n);
			bent = 1;
		}
		p += n;
	}
}

static void keep(const char *dir)
{
	char path[4200];
	void *room;

	snprintf(path, sizeof path, "%.4000s/readings.%d", dir, rank);
	file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	/* of launchers, of what else reads clocks in a rank: the first one */
	if (file < 0)
		return;
	if (ftruncate(file, READINGS * sizeof *kept))
		fail("no room for the truth");
	room = mmap(NULL, READINGS * sizeof *kept, PROT_READ | PROT_WRITE,
		    MAP_SHARED, file, 0);
	if (room == MAP_FAILED)
		fail("no room for the truth");
	kept = room;
}

static void start(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK",
					     "PMI_RANK" };
	const char *text = getenv("WARP"), *dir = getenv("WARP_DIR");

	for (int i = 0; i < 2 && rank < 0; i++)
		if (getenv(names[i]))
			rank = atoi(getenv(names[i]));
	if (rank < 0 || !text || !dir)
		return;
	find(text);
	keep(dir);
	first = real_ns();
}

__attribute__((destructor)) static void stop(void)
{
	if (kept && n_kept < READINGS &&
	    ftruncate(file, (off_t)(n_kept * sizeof *kept)))
		fail("the truth cannot be cut");
}

EXPORT void warp_begin(void);

void warp_begin(void)
{
	__atomic_store_n(&begun, real_ns(), __ATOMIC_RELAXED);
}

static double off_by(uint64_t real)
{
	uint64_t since = __atomic_load_n(&begun, __ATOMIC_RELAXED);
	double t = since && real > since ? (double)(real - since) / 1e9 : 0;
	double sum = 0;

	for (int i = 0; i < n_terms; i++) {
		const struct term *x = &term[i];

		if (!strcmp(x->kind, "offset"))
			sum += x->size;
		else if (!strcmp(x->kind, "drift"))
			sum += x->size * (double)(real - first);
		else if (!strcmp(x->kind, "sine"))
			sum += x->size * sin(2 * M_PI * t / x->at);
		else if (!strcmp(x->kind, "saw"))
			sum += x->size * (t / x->at - floor(t / x->at));
		else if (!strcmp(x->kind, "step"))
			sum += t > x->at ? x->size : 0;
		else if (!strcmp(x->kind, "slew"))
			sum += x->size * 1e9 *
			       fmin(fmax(t - x->at, 0), x->length);
		else
			fail("WARP cannot be understood");
	}
	return sum;
}

EXPORT int clock_gettime(clockid_t id, struct timespec *t)
{
	uint64_t real, shown, i;

	if (id != CLOCK_MONOTONIC_RAW)
		return (int)syscall(SYS_clock_gettime, id, t);
	pthread_once(&once, start);
	shown = real = real_ns();
	if (bent)
		shown += (uint64_t)llrint(off_by(real));
	if (kept) {
		i = __atomic_fetch_add(&n_kept, 1, __ATOMIC_RELAXED);
		if (i < READINGS)
			kept[i] = (struct reading){ shown, real };
	}
	t->tv_sec = (time_t)(shown / 1000000000u);
	t->tv_nsec = (long)(shown % 1000000000u);
	return 0;
}

/* ---- another machine, or another time namespace of this one ---- */

static int one_machine(void)
{
	const char *one = getenv("WARP_ONE_MACHINE");

	return one && *one == '1';
}

EXPORT ssize_t readlink(const char *path, char *text, size_t n)
{
	ssize_t (*next)(const char *, char *, size_t);

	if (!strcmp(path, "/proc/self/ns/time")) {
		char space[32];
		int length;

		pthread_once(&once, start);
		length = snprintf(space, sizeof space, "time:[%d]", rank);
		if (bent && one_machine() && (size_t)length <= n) {
			memcpy(text, space, (size_t)length);
			return length;
		}
	}
	*(void **)&next = dlsym(RTLD_NEXT, "readlink");
	return next(path, text, n);
}

static int boot_id(void)
{
	char text[64];
	int n = snprintf(text, sizeof text, "warped-rank-%d\n", rank);
	int fd = memfd_create("boot_id", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, (size_t)n) != n ||
	    lseek(fd, 0, SEEK_SET))
		fail("no boot of its own");
	return fd;
}

static int opens(const char *name, const char *path, int flags, mode_t mode)
{
	int (*next)(const char *, int, ...);

	if (!strcmp(path, "/proc/sys/kernel/random/boot_id")) {
		pthread_once(&once, start);
		if (bent && !one_machine())
			return boot_id();
	}
	*(void **)&next = dlsym(RTLD_NEXT, name);
	return next(path, flags, mode);
}

EXPORT int open(const char *path, int flags, ...)
{
	__builtin_va_list ap;
	mode_t mode = 0;

	if (flags & (O_CREAT | __O_TMPFILE)) {
		__builtin_va_start(ap, flags);
		mode = __builtin_va_arg(ap, mode_t);
		__builtin_va_end(ap);
	}
	return opens("open", path, flags, mode);
}
