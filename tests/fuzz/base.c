/* Definitions for the fuzz targets; see base.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "tape_reader.h"

__attribute__((noreturn)) static void no(const char *what)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- files ---- */

void fuzz_folder(char *path, size_t size)
{
	const char *top = getenv("TMPDIR");

	snprintf(path, size, "/dev/shm/tape-fuzz.XXXXXX");
	if (mkdtemp(path))
		return;
	snprintf(path, size, "%.40s/tape-fuzz.XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(path))
		no(path);
}

void fuzz_folder_remove(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(path);
}

void fuzz_file(const char *folder, const char *name, const void *bytes,
	       size_t n)
{
	char path[160];
	int fd;

	snprintf(path, sizeof path, "%.100s/%.40s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		no(path);
	close(fd);
}

/* ---- definitions ---- */

static const char meta[] =
	"tape-trace 1\nprogram ./a.out\nranks 2\nbase local\n"
	"domain 0 tsc:boot:ns node0\ndomain 1 tsc:boot:ns node1\n";

static const char meta_global[] =
	"tape-trace 1\nprogram ./a.out\nranks 2\nbase global\n"
	"domain 0 global %\ndomain 1 global %\n"
	"clock 0 1000 1000000 0.5 -10 10\nclock 0 2000 1000500 0.25 -10 10\n"
	"clock 0 3000 1000750 0.5 -10 10\nclock 1 0 0 1 0 0\n"
	"history sba%201\n";

static const char clocks[] =
	"sample before 1 100 90 95 130\nsample after 1 900 890 895 930\n";

/* One site of each class, numbered by the classes that have a call. */
static char *rank_text(int rank)
{
	char *text = NULL;
	size_t size = 0;
	unsigned site = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		no("memory");
	fprintf(f, "tape-rank 1\nrank %d\nhost node%d\npid %d\ndomain %d\n"
		"tick_hz 2000000000\nalpha send 20.5 10\nalpha done 0 5\n"
		"alpha poll 7 3\n", rank, rank, 100 + rank, rank);
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++) {
		unsigned call = 1;

		while (call < TAPE_CALL_COUNT &&
		       (!strcmp(tape_call_name(call), "?") ||
			tape_call_class(call) != c))
			call++;
		if (call < TAPE_CALL_COUNT)
			fprintf(f, "site %u %u %u a.c main\n", site + 1, call,
				10 * site);
		site += call < TAPE_CALL_COUNT;
	}
	fprintf(f, "address %u %u 12ab a.out %%\n", site + 1,
		tape_call_find("MPI_Send"));
	fprintf(f, "comm 1 1 2 %d MPI_COMM_WORLD\n"
		"comm 2 %x 1 0 MPI_COMM_SELF\ncomm 3 abcd0123 2 %d halves\n"
		"region 1 solve\nregion 2 two%%20words\n"
		"counter 0 cpu ns events 300\n"
		"counter 1 A::B%%20c %% regions 0\n"
		"counter 2 max_rss KiB events -9223372036854775808\n", rank,
		2 + rank, 1 - rank);
	if (rank)
		fputs("note it was told to stop\n", f);
	if (fclose(f))
		no("memory");
	return text;
}

const char *fuzz_base(char kind)
{
	static char *ranks[2];

	if (kind == 'm')
		return meta;
	if (kind == 'g')
		return meta_global;
	if (kind == 'c')
		return clocks;
	if (!ranks[kind == '1'])
		ranks[kind == '1'] = rank_text(kind == '1');
	return ranks[kind == '1'];
}
