/*
 * Places in a container that many processes take at once, some of which are
 * killed: nobody's place is another's, and what was written is read.
 */
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

#include "folder.h"
#include "shared_file.h"
#include "tap.h"
#include "tape_reader.h"

enum { PROCESSES = 4, RANKS = 4096, KILLED = 3, MOST = 4000 };

/* A rank's definitions in two pieces, the second of another size each. */
static int write_rank(int rank)
{
	struct tape_piece piece[2];
	char text[256], rest[512];
	int n, m, fd, rc;

	tape_process.rank = rank;
	if (tape_shared_open(&tape_process.defines))
		return -1;
	fd = tape_process.defines.fd;
	n = snprintf(text, sizeof text,
		     "tape-rank 1\nrank %d\nhost h%d\npid %d\ndomain 0\n", rank,
		     rank, rank + 1);
	m = snprintf(rest, sizeof rest, "region 1 %0*d\n", 1 + rank % 300,
		     rank);
	rc = tape_shared_take(fd, TAPE_CONTAINER_TEXT, 0, (uint64_t)n, 0,
			      &piece[0]) ||
	     tape_shared_take(fd, TAPE_CONTAINER_TEXT, (uint64_t)n,
			      20000 * (uint64_t)(rank % 3 + 1), 0, &piece[1]) ||
	     pwrite(fd, text, (size_t)n, (off_t)piece[0].place) != n ||
	     tape_shared_set(fd, &piece[0], (uint64_t)n) ||
	     pwrite(fd, rest, (size_t)m, (off_t)piece[1].place) != m ||
	     tape_shared_set(fd, &piece[1], (uint64_t)m);
	tape_file_close(&tape_process.defines);
	return rc;
}

/* The ranks from p on, each PROCESSES-th. */
static void write_some(int p)
{
	int rc = 0;

	for (int r = p; r < RANKS && !rc; r += PROCESSES)
		rc = write_rank(r);
	_exit(rc != 0);
}

static int write_all(void)
{
	int status, bad = 0;

	for (int p = 0; p < PROCESSES; p++)
		if (!fork())
			write_some(p);
	while (wait(&status) > 0)
		bad |= status;
	return bad;
}

/* It takes places until it is killed, wherever that strikes. */
static void write_killed(int turn)
{
	struct tape_piece piece;
	pid_t child = fork();

	if (!child) {
		tape_process.rank = 0;
		if (tape_shared_open(&tape_process.defines))
			_exit(1);
		for (int i = 0; i < MOST; i++)
			if (tape_shared_take(tape_process.defines.fd,
					     (uint32_t)turn + 1, 0, 65536, 0,
					     &piece))
				_exit(1);
		for (;;)
			pause();
	}
	usleep(2000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static unsigned char *contents(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	unsigned char *b = calloc(1, TAPE_CONTAINER_PLACES);

	*n = f && b ? fread(b, 1, TAPE_CONTAINER_PLACES, f) : 0;
	if (f)
		fclose(f);
	return b;
}

/* Entries are in the order in which places were taken. */
static void check_places(const char *path)
{
	uint64_t end = TAPE_CONTAINER_PLACES, entries;
	int beside = 1, aligned = 1;
	size_t n;
	unsigned char *b = contents(path, &n);

	entries = tape_get64(b + 16);
	ok(entries >= 2 * RANKS, "%llu places were taken, two for each rank",
	   (unsigned long long)entries);
	for (uint64_t i = 0; i < entries && i < TAPE_CONTAINER_ENTRIES; i++) {
		const unsigned char *e =
		    b + TAPE_CONTAINER_HEAD + i * TAPE_CONTAINER_ENTRY;
		uint64_t place = tape_get64(e + 16);

		beside &= place >= end;
		aligned &= !(place % TAPE_CONTAINER_ALIGNED);
		end = place + tape_get64(e + 24);
	}
	ok(beside, "none reaches into the next one");
	ok(aligned, "they are aligned");
	ok(end <= tape_get64(b + 8), "the end is behind all of them");
	free(b);
}

static void check_read(void)
{
	struct tape_trace *t;
	int whole = 0, rc = tape_trace_open(tape_process.dir, &t);
	char host[32];

	ok(!rc, "the trace is read");
	for (int r = 0; !rc && r < RANKS; r++) {
		const struct tape_rank_info *k = tape_trace_rank(t, r);

		snprintf(host, sizeof host, "h%d", r);
		whole += k->host && !strcmp(k->host, host) && k->pid == r + 1 &&
			 k->n_regions > 1 && k->regions[1] &&
			 atoi(k->regions[1]) == r;
	}
	if (rc)
		printf("# %s\n", tape_trace_error(t));
	ok(whole == RANKS, "%d of %d ranks have what they wrote", whole, RANKS);
	tape_trace_close(t);
}

int main(void)
{
	static const char meta[] = "tape-trace 1\nranks 4096\nbase local\n"
				   "domain 0 d h\nlayout node\n";
	char path[sizeof tape_process.dir + 64];
	uint64_t place;
	struct tape_piece piece;

	folder_make();
	snprintf(tape_process.dir, sizeof tape_process.dir, "%s", folder);
	tape_process.shared = 1;
	folder_write(folder_path("meta", NULL), meta, sizeof meta - 1);
	ok(!write_all(), "%d processes write %d ranks", PROCESSES, RANKS);
	for (int i = 0; i < KILLED; i++)
		write_killed(i);
	ok(!tape_shared_open(&tape_process.defines), "it is opened again");
	ok(!tape_shared_take(tape_process.defines.fd, 0, 0, 1, 0, &piece),
	   "nobody's death leaves it locked");
	place = piece.place;
	check_places(tape_shared_path(path, sizeof path));
	ok(!tape_shared_take(tape_process.defines.fd, 0, 0, 1, 0, &piece) &&
	       piece.place > place,
	   "the next place is behind");
	tape_file_close(&tape_process.defines);
	check_read();
	folder_remove();
	return done();
}
