/*
 * Fuzz target: an input is a whole trace directory (input_trace.h) that grows
 * while it is read (tape_follow.h): each file has a part of its bytes at first,
 * and each time that the reader waits another part.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "input_trace.h"
#include "replay.h"
#include "tape_follow.h"
#include "walk.h"

enum { FILES = 64, PARTS = 4 };

struct growing {
	char path[4200];
	unsigned char *bytes;
	size_t n;
};

static struct {
	struct growing file[FILES];
	size_t n;
	int part;
} grown;

/* Up to part of PARTS of each file; they keep their beginnings. */
static void grow(int part)
{
	for (size_t i = 0; i < grown.n; i++) {
		struct growing *g = &grown.file[i];
		int fd = open(g->path, O_WRONLY);
		size_t n = g->n * (size_t)part / PARTS;

		if (fd >= 0 && (ftruncate(fd, (off_t)n) ||
				pwrite(fd, g->bytes, n, 0) != (ssize_t)n))
			perror(g->path);
		if (fd >= 0)
			close(fd);
	}
}

static void take(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	grown.n = 0;
	while (dir && (e = readdir(dir)) && grown.n < FILES) {
		struct growing *g = &grown.file[grown.n];
		struct stat s;
		FILE *f;

		snprintf(g->path, sizeof g->path, "%s/%s", path, e->d_name);
		if (lstat(g->path, &s) || !S_ISREG(s.st_mode) ||
		    s.st_size > 1 << 20 || !(f = fopen(g->path, "rb")))
			continue;
		g->bytes = malloc((size_t)s.st_size + 1);
		g->n = g->bytes ? fread(g->bytes, 1, (size_t)s.st_size, f) : 0;
		grown.n++;
		fclose(f);
	}
	if (dir)
		closedir(dir);
}

static int waits(void *self, size_t flow)
{
	(void)self, (void)flow;
	if (grown.part >= PARTS)
		return 1;
	grow(++grown.part);
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	fuzz_trace_folder();
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	static const struct tape_following how = {waits, NULL, NULL, NULL};
	const char *path = fuzz_trace_write(data, n);
	const struct tape_item *i;
	struct tape_replay *r;
	struct tape_trace *t;
	int rc;

	if (!path)
		return 0;
	take(path);
	grow(grown.part = n ? data[n - 1] % PARTS : 0);
	rc = tape_trace_follow(path, &how, &t);
	if (rc) {
		fuzz_check_sentence(rc, tape_trace_error(t), path);
	} else if (!tape_replay_open(t,
				     TAPE_REPLAY_EVENTS | TAPE_REPLAY_MESSAGES |
					 TAPE_REPLAY_ROUNDS,
				     &r)) {
		while (tape_replay_next(r, &i) == 1)
			;
		tape_replay_close(r);
	}
	tape_trace_close(t);
	for (size_t k = 0; k < grown.n; k++)
		free(grown.file[k].bytes);
	return 0;
}
