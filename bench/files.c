/*
 * The files of a trace of many ranks in several layouts: what it takes to make
 * and to read them.
 *
 *	files LAYOUT DIR RANKS PROCESSES EACH
 *
 *	flat       rank.R and flow.R.0 in DIR
 *	folders    the same in DIR/K, K = R / EACH
 *	single     one file for both in DIR/K
 *	container  one file DIR/K for EACH ranks with an index in its first
 *page; a rank takes the next place and allocates it at-once    the same; the
 *first rank allocates it for all
 *
 * PROCESSES make the files at once, neighbours of a folder or container in
 * different ones. As the runtime does, a rank writes 2 KiB of definitions in
 * four pieces, allocates and maps a window of 64 KiB, fills 8 KiB of it and
 * gives the rest back. One process then reads all, as the reader does:
 * definitions, then the header of each flow, then its events. It prints seconds
 * and system calls of each, and how many files and KiB there are:
 *
 *	MAKE CALLS OPEN CALLS EVENTS CALLS FILES KIB
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WINDOW = 65536, USED = 8192, TEXT = 2048, PIECES = 4, PAGE = 4096 };

enum layout { FLAT, FOLDERS, SINGLE, CONTAINER, AT_ONCE, LAYOUTS };
static const char *const layouts[] = {"flat", "folders", "single", "container",
				      "at-once"};

/* Entries of a container's first page. */
struct index {
	_Atomic uint32_t n;
	struct {
		_Atomic uint32_t rank; /* plus 1: the entry is whole */
		uint32_t place;
	} of[500];
};
_Static_assert(sizeof(struct index) <= PAGE, "one page");

static struct {
	enum layout layout;
	const char *dir;
	uint32_t ranks, processes, each;
} x;

static _Atomic uint64_t *calls; /* shared by the processes */

static void die(const char *what)
{
	fprintf(stderr, "files: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* A system call that must succeed; counted. */
static long must(long rc, const char *what)
{
	atomic_fetch_add(calls, 1);
	if (rc < 0)
		die(what);
	return rc;
}

static void *mapped(size_t n, int fd, off_t at)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);

	must(p == MAP_FAILED ? -1 : 0, "mmap");
	return p;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- making ---- */

static const char text[TEXT / PIECES] = "definitions\n";

static int in_folder(uint32_t rank, int dir)
{
	char name[16];
	int fd;

	snprintf(name, sizeof name, "%u", rank / x.each);
	fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT) {
		must(mkdirat(dir, name, 0777) && errno != EEXIST ? -1 : 0,
		     "mkdir");
		atomic_fetch_add(calls, 1);
		fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
	}
	must(fd, "a folder");
	must(close(dir), "close");
	return fd;
}

/* As tape_file_create: by the folder's descriptor, at a high number. */
static int make_file(uint32_t rank, const char *name)
{
	int dir =
	    (int)must(open(x.dir, O_PATH | O_DIRECTORY | O_NOFOLLOW), x.dir);
	struct stat st;
	int fd, high;

	if (x.layout != FLAT)
		dir = in_folder(rank, dir);
	fd =
	    (int)must(openat(dir, name, O_RDWR | O_CREAT | O_EXCL, 0666), name);
	must(close(dir), "close");
	high = (int)must(fcntl(fd, F_DUPFD_CLOEXEC, 960), "fcntl");
	must(close(fd), "close");
	must(fstat(high, &st), "fstat");
	return high;
}

static void write_text(int fd, off_t at)
{
	for (int i = 0; i < PIECES; i++, at += (off_t)sizeof text)
		must(pwrite(fd, text, sizeof text, at), "write");
}

/* A window is filled in part. */
static void write_events(int fd, off_t at)
{
	char *p = mapped(WINDOW, fd, at);

	must(madvise(p, WINDOW, MADV_POPULATE_WRITE), "madvise");
	memset(p, 1, USED);
	must(munmap(p, WINDOW), "munmap");
}

static void write_flow(int fd, off_t at)
{
	must(posix_fallocate(fd, at, WINDOW) ? -1 : 0, "fallocate");
	write_events(fd, at);
	must(ftruncate(fd, at + USED), "ftruncate");
	must(close(fd), "close");
}

static off_t place_of(uint32_t place)
{
	return PAGE + (off_t)place * (PAGE + WINDOW);
}

/* The rank's container, of which at least the index is allocated. */
static int open_container(uint32_t rank)
{
	off_t size = x.layout == AT_ONCE ? place_of(x.each) : PAGE;
	struct stat st = {0};
	char path[4200];
	int fd;

	snprintf(path, sizeof path, "%s/%u", x.dir, rank / x.each);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
	if (fd >= 0)
		must(posix_fallocate(fd, 0, size) ? -1 : 0, "fallocate");
	else
		fd = (int)must(open(path, O_RDWR), path);
	atomic_fetch_add(calls, 1);
	do
		must(fstat(fd, &st), "fstat");
	while (st.st_size < size);
	return fd;
}

static void make_in_container(uint32_t rank)
{
	int fd = open_container(rank);
	struct index *in = mapped(PAGE, fd, 0);
	uint32_t place = atomic_fetch_add(&in->n, 1);
	off_t at = place_of(place);

	in->of[place].place = place;
	atomic_store(&in->of[place].rank, rank + 1);
	must(munmap(in, PAGE), "munmap");
	if (x.layout == CONTAINER)
		must(posix_fallocate(fd, at, PAGE + WINDOW) ? -1 : 0,
		     "fallocate");
	write_text(fd, at);
	write_events(fd, at + PAGE);
	must(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		       at + PAGE + USED, WINDOW - USED),
	     "fallocate");
	must(close(fd), "close");
}

static void make_rank(uint32_t rank)
{
	char name[32];
	int fd;

	if (x.layout >= CONTAINER) {
		make_in_container(rank);
		return;
	}
	snprintf(name, sizeof name, "rank.%u", rank);
	fd = make_file(rank, name);
	write_text(fd, 0);
	if (x.layout == SINGLE) {
		write_flow(fd, PAGE);
		return;
	}
	must(close(fd), "close");
	snprintf(name, sizeof name, "flow.%u.0", rank);
	write_flow(make_file(rank, name), 0);
}

static void make_all(void)
{
	int go[2], status, bad = 0;
	char c;

	if (pipe(go))
		die("pipe");
	for (uint32_t p = 0; p < x.processes; p++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid)
			continue;
		close(go[1]);
		(void)!read(go[0], &c, 1); /* until the parent lets go */
		for (uint32_t r = p; r < x.ranks; r += x.processes)
			make_rank(r);
		_exit(0);
	}
	close(go[0]);
	close(go[1]);
	while (wait(&status) > 0)
		bad |= status;
	if (bad)
		exit(1);
}

/* ---- reading ---- */

static char buffer[WINDOW];

static int open_named(int dir, const char *name)
{
	struct stat st;
	int fd = (int)must(openat(dir, name, O_RDONLY | O_NOFOLLOW), name);

	must(fstat(fd, &st), "fstat");
	return fd;
}

static void read_part(int fd, size_t n, off_t at)
{
	must(pread(fd, buffer, n, at), "pread");
}

static void read_file(int dir, const char *name, size_t n, off_t at)
{
	int fd = open_named(dir, name);

	read_part(fd, n, at);
	must(close(fd), "close");
}

/* In name order there is no need for one: what is listed is read. */
static void list(int dir)
{
	int fd = (int)must(openat(dir, ".", O_RDONLY | O_DIRECTORY), ".");
	DIR *d = fdopendir(fd);

	while (d && readdir(d))
		;
	closedir(d);
	atomic_fetch_add(calls, 2);
}

static const char *path_of(uint32_t rank, const char *what, const char *end,
			   char name[64])
{
	if (x.layout == FLAT)
		snprintf(name, 64, "%s.%u%s", what, rank, end);
	else
		snprintf(name, 64, "%u/%s.%u%s", rank / x.each, what, rank,
			 end);
	return name;
}

static void read_container(int dir, uint32_t first, int events)
{
	struct index in;
	char name[16];
	int fd;

	snprintf(name, sizeof name, "%u", first / x.each);
	fd = open_named(dir, name);
	must(pread(fd, &in, sizeof in, 0), "pread");
	for (uint32_t i = 0; i < in.n; i++) {
		off_t at = place_of(in.of[i].place);

		if (!events)
			read_part(fd, TEXT, at);
		read_part(fd, events ? USED : 128, at + PAGE);
	}
	must(close(fd), "close");
}

static void read_rank(int dir, uint32_t rank, int events)
{
	int one = x.layout == SINGLE;
	char name[64];

	if (!events)
		read_file(dir, path_of(rank, "rank", "", name), TEXT, 0);
	path_of(rank, one ? "rank" : "flow", one ? "" : ".0", name);
	read_file(dir, name, events ? USED : 128, one ? PAGE : 0);
}

static void read_all(int events)
{
	int dir = (int)must(open(x.dir, O_RDONLY | O_DIRECTORY), x.dir);

	if (!events)
		list(dir);
	if (x.layout >= CONTAINER)
		for (uint32_t r = 0; r < x.ranks; r += x.each)
			read_container(dir, r, events);
	else
		for (uint32_t r = 0; r < x.ranks; r++)
			read_rank(dir, r, events);
	must(close(dir), "close");
}

/* Files and blocks below. */
static uint64_t files, blocks;

static void count(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (!d)
		die(name);
	while ((e = readdir(d))) {
		if (*e->d_name == '.')
			continue;
		if (e->d_type == DT_DIR) {
			count(fd, e->d_name);
		} else if (!fstatat(fd, e->d_name, &st, 0)) {
			blocks += (uint64_t)st.st_blocks;
			files++;
		}
	}
	closedir(d);
}

/* ---- */

static void timed(void (*f)(int), int how)
{
	uint64_t before = *calls;
	double start = now();

	f(how);
	printf("%.4f %llu ", now() - start,
	       (unsigned long long)(*calls - before));
}

static void make(int how)
{
	(void)how;
	make_all();
}

static uint32_t number(const char *word)
{
	unsigned long n = strtoul(word, NULL, 10);

	if (!n || n > 1000000) {
		fprintf(stderr, "files: %s is no such number\n", word);
		exit(2);
	}
	return (uint32_t)n;
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr, "usage: files layout dir ranks processes "
				"each\n");
		return 2;
	}
	while (x.layout < LAYOUTS && strcmp(layouts[x.layout], argv[1]))
		x.layout++;
	x.dir = argv[2];
	x.ranks = number(argv[3]);
	x.processes = number(argv[4]);
	x.each = number(argv[5]);
	if (x.layout == LAYOUTS || x.each > 500) {
		fprintf(stderr, "files: no such layout\n");
		return 2;
	}
	calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (calls == MAP_FAILED || mkdir(x.dir, 0777))
		die(x.dir);
	timed(make, 0);
	timed(read_all, 0);
	timed(read_all, 1);
	count(AT_FDCWD, x.dir);
	printf("%llu %llu\n", (unsigned long long)files,
	       (unsigned long long)blocks / 2);
	return 0;
}
