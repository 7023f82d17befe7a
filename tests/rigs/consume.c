/*
 * Consumes a trace while it is written, as an analyser does (live_file.h), and
 * keeps a copy of what it takes away:
 *
 *	consume [-lnH] [-p MS] DIR COPY      until DIR/../over is there
 *
 * -l: chunk by chunk in step, the same number of each flow: it waits for flows
 * that have none, and says that it is starved meanwhile; -n: and does not say
 *so. -H: holds DIR and consumes nothing. -p: that long a pause after each
 *chunk. DIR may not be there yet. At the end all that is left is copied, and
 *printed is
 *
 *	chunks N bytes MOST     MOST: allocated for one flow at a time
 *
 * COPY is a trace directory then. Status 0, or 1 and a sentence.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "live_file.h"
#include "record.h"

enum { FLOWS = 256, NAME = 64 };

struct flow {
	char name[NAME];
	int in, out;
	uint64_t chunks, done;
};

static struct flow flows[FLOWS];
static size_t n;
static const char *dir, *copy;
static long pause_ms;
static uint64_t most, taken;

__attribute__((noreturn)) static void fail(const char *what)
{
	fprintf(stderr, "consume: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void rest(long us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

static int file_of(const char *folder, const char *name, int flags)
{
	char path[5000];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return open(path, flags, 0666);
}

static int is_over(void)
{
	char path[5000];

	snprintf(path, sizeof path, "%s/../" TAPE_LIVE_OVER, dir);
	return !access(path, F_OK);
}

/* Flows that have come since. */
static void look(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t i;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, "flow.", 5) || strlen(e->d_name) >= NAME)
			continue;
		for (i = 0; i < n && strcmp(flows[i].name, e->d_name); i++)
			;
		if (i < n || n == FLOWS)
			continue;
		strcpy(flows[n].name, e->d_name);
		flows[n].in = file_of(dir, e->d_name, O_RDWR);
		flows[n].out =
		    file_of(copy, e->d_name, O_WRONLY | O_CREAT | O_TRUNC);
		if (flows[n].in < 0 || flows[n].out < 0)
			fail(e->d_name);
		n++;
	}
	if (d)
		closedir(d);
}

static void measure(const struct flow *f)
{
	struct stat s;

	if (!fstat(f->in, &s) && (uint64_t)s.st_blocks * 512 > most)
		most = (uint64_t)s.st_blocks * 512;
}

/* Takes the next chunk where it is sealed, or whatever it is at the end. */
static int take(struct flow *f, int last)
{
	static unsigned char chunk[TAPE_CHUNK_BYTES];
	uint64_t at = f->chunks * TAPE_CHUNK_BYTES;
	ssize_t got = pread(f->in, chunk, sizeof chunk, (off_t)at);

	measure(f);
	if (got < (ssize_t)TAPE_CHUNK_HEADER || !tape_get32(chunk) ||
	    (!last && !tape_get32(chunk + 20)))
		return 0;
	/* once more: records may have come ahead of the seal */
	got = pread(f->in, chunk, sizeof chunk, (off_t)at);
	if (pwrite(f->out, chunk, (size_t)got, (off_t)at) != got)
		fail(f->name);
	f->chunks++;
	taken++;
	if (!last &&
	    tape_live_consume(f->in, &f->done, f->chunks * TAPE_CHUNK_BYTES))
		fail("fallocate");
	if (pause_ms)
		rest(pause_ms * 1000);
	return 1;
}

/* The files of text, as they are. */
static void copy_rest(void)
{
	char text[65536];
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		int in, out;
		ssize_t got;

		if (*e->d_name == '.' || !strncmp(e->d_name, "flow.", 5) ||
		    !strcmp(e->d_name, TAPE_LIVE_FILE))
			continue;
		in = file_of(dir, e->d_name, O_RDONLY);
		out = file_of(copy, e->d_name, O_WRONLY | O_CREAT | O_TRUNC);
		while (in >= 0 && (got = read(in, text, sizeof text)) > 0)
			if (write(out, text, (size_t)got) != got)
				fail(e->d_name);
		close(in);
		close(out);
	}
	if (d)
		closedir(d);
}

/* One round; returns the chunks that it took. */
static uint64_t take_free(void)
{
	uint64_t before = taken;

	for (size_t i = 0; i < n; i++)
		while (take(&flows[i], 0))
			;
	return taken - before;
}

/* In step: of the flow with the fewest chunks, or nothing. */
static uint64_t take_in_step(void)
{
	struct flow *f = flows;

	for (size_t i = 1; i < n; i++)
		if (flows[i].chunks < f->chunks)
			f = &flows[i];
	for (size_t i = 0; i < n; i++)
		measure(&flows[i]);
	return n ? (uint64_t)take(f, 0) : 0;
}

int main(int argc, char **argv)
{
	int c, in_step = 0, says = 1, holds = 0, over = 0;
	struct tape_live live;

	while ((c = getopt(argc, argv, "lnHp:")) != -1)
		switch (c) {
		case 'n':
			says = 0;
			/* fall through */
		case 'l':
			in_step = 1;
			break;
		case 'H':
			holds = 1;
			break;
		case 'p':
			pause_ms = atol(optarg);
			break;
		default:
			return 2;
		}
	if (argc - optind != 2)
		return 2;
	dir = argv[optind];
	copy = argv[optind + 1];
	while (access(dir, F_OK))
		rest(2000);
	if (tape_live_hold(&live, dir))
		fail(dir);
	if (mkdir(copy, 0777) && errno != EEXIST)
		fail(copy);
	while (!over) {
		uint64_t got;

		over = is_over();
		look();
		got = holds ? 0 : in_step ? take_in_step() : take_free();
		if (in_step && says)
			tape_live_set_starved(&live, !got);
		if (!got && !over)
			rest(500);
	}
	for (size_t i = 0; i < n; i++)
		while (take(&flows[i], 1))
			;
	copy_rest();
	printf("chunks %llu bytes %llu\n", (unsigned long long)taken,
	       (unsigned long long)most);
	return 0;
}
