/* The directory of a trace and what its file meta says first; see meta.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "define.h"
#include "error.h"
#include "remote_trace.h"
#include "meta.h"
#include "settings_of_job.h"
#include "sink.h"
#include "tape_layout.h"

/* Written in MPI_Init, on a stack that is large enough. */
TAPE_ON_OWN_STACK

/* The program's name as the default directory is called after it. */
static void program_path(char *path, size_t n)
{
#ifdef TAPE_META_PROGRAM /* runtime/simulated/simulated.h */
	TAPE_META_PROGRAM(path, n);
#else
	ssize_t got = readlink("/proc/self/exe", path, n - 1);

	path[got > 0 ? got : 0] = '\0';
#endif
}

/* What the timestamps are; and, where that is known at once, of which clock. */
#ifndef TAPE_META_BASE
#define TAPE_META_BASE "local"
#endif

int tape_meta_directory(const struct tape_config *c, char *dir, size_t n,
			char *error, size_t en)
{
	char name[6400], cwd[1024] = "", *end;
	size_t given = strlen(c->trace);
	int inside = given > 1 && !strcmp(c->trace + given - 2, "/.");
	int rc = 0;

	if (given && !inside) {
		snprintf(name, sizeof name, "%s", c->trace);
	} else {
		char path[3072];

		program_path(path, sizeof path);
		end = strrchr(path, '/');
		snprintf(name, sizeof name, "%.*s%s.tape",
			 inside ? (int)given - 1 : 0, c->trace,
			 end ? end + 1 : path);
	}
	for (end = name + strlen(name); end > name + 1 && end[-1] == '/';)
		*--end = '\0';
	if ((end = strrchr(name, '.')) && !strcmp(end, ".tape"))
		*end = '\0';
	if (inside && tape_remote_is_needed(c->trace))
		return tape_remote_begin(strrchr(name, '/') + 1, dir, n, error,
					 en)
			   ? TAPE_EIO
			   : 0;
	/* an absolute name, so that a later chdir does not matter */
	if (*name != '/' && getcwd(cwd, sizeof cwd - 1))
		strcat(cwd, "/");
	for (int i = 1; i < 100000; i++) {
		if (i == 1)
			rc = snprintf(dir, n, "%s%s.tape", cwd, name);
		else
			rc = snprintf(dir, n, "%s%s.%d.tape", cwd, name, i);
		if (rc < 0 || (size_t)rc >= n) {
			snprintf(error, en,
				 "the trace directory's name is too long");
			return TAPE_ERANGE;
		}
		if (!mkdir(dir, 0777))
			return 0;
		if (errno != EEXIST)
			break;
	}
	snprintf(error, en, "cannot create %.800s: %s", dir, strerror(errno));
	return TAPE_EIO;
}

static void write_command(FILE *out)
{
	char text[65536], word[4096];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return;
	text[n] = '\0';
	fputs("command", out);
	for (char *s = text; s < text + n; s += strlen(s) + 1)
		fprintf(out, " %s", tape_escape(word, sizeof word, s));
	fputc('\n', out);
}

/* Which run of tape this trace is of: hexadecimal digits. */
static void write_run(FILE *out)
{
	const char *id = tape_settings_value("TAPE_RUN_ID");
	size_t n = id ? strspn(id, "0123456789abcdef") : 0;

	if (n && n <= 32 && !id[n])
		fprintf(out, "run_id %s\n", id);
}

FILE *tape_meta_open(const char *library, struct tape_hold *hold)
{
	char text[4096], word[8192];
	int fd = tape_sink_open("meta", O_RDWR | O_CREAT | O_EXCL);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		return NULL;
	tape_hold(hold);
	program_path(text, sizeof text);
	fprintf(out, "tape-trace 1\nprogram %s\n",
		tape_escape(word, sizeof word, text));
	write_command(out);
	write_run(out);
	fprintf(out, "date %lld\nlibrary %s\nversion %s\nbase " TAPE_META_BASE
		"\n", (long long)time(NULL),
		tape_escape(word, sizeof word, library), TAPE_VERSION);
	/* readers then count on nothing that is known at the end only */
	if (tape_process.config.stream)
		fprintf(out, "stream %s\n",
			tape_process.config.stream == TAPE_STREAM_NODE ? "node"
								       : "mpi");
	for (size_t i = 0; i < sizeof tape_layout / sizeof *tape_layout; i++)
		fprintf(out, "class %s\n", tape_layout[i]);
	return out;
}

static void write_filters(FILE *out)
{
	const struct tape_config *c = &tape_process.config;
	const struct {
		const char *name, *list;
	} lists[] = { { "groups", c->group_list }, { "calls", c->call_list },
		      { "regions", c->regions },   { "marks", c->marks },
		      { "files", c->files } };
	char word[3 * TAPE_LIST_BYTES + 2];

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (*lists[i].list && strcmp(lists[i].list, "all"))
			fprintf(out, "filter %s %s\n", lists[i].name,
				tape_escape(word, sizeof word, lists[i].list));
	if (c->max_rate)
		fprintf(out, "filter max_rate %u\n", c->max_rate);
}

static void write_noise(FILE *out)
{
	const struct tape_noise *n = &tape_process.config.noise;

	if (n->percent)
		fprintf(out, "noise %llu:%u:%u\n", (unsigned long long)n->seed,
			n->mean_us, n->percent);
}

int tape_meta_close(FILE *out, struct tape_hold *hold)
{
	int bad;

	write_filters(out);
	write_noise(out);
	bad = fflush(out) || ferror(out);
	if (!bad)
		tape_sink_file(TAPE_FRAME_META, fileno(out), 0, 0);
	bad |= fclose(out) != 0;
	tape_release(hold);
	return bad ? -1 : 0;
}
TAPE_ON_OWN_STACK_END
