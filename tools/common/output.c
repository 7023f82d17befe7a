/* A new trace's directory; see output.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "output.h"

struct tape_output {
	char path[4096], temporary[4120], file[4400];
};

/* What is to be removed if the tool dies half-way. */
static struct tape_output *pending;

static void remove_tree(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char file[4800];

	while (d && (e = readdir(d))) {
		snprintf(file, sizeof file, "%s/%s", path, e->d_name);
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			unlink(file);
	}
	if (d)
		closedir(d);
	rmdir(path);
}

static void at_exit(void)
{
	if (pending)
		remove_tree(pending->temporary);
}

void tape_output_name(const char *input, const char *what, char *name, size_t n)
{
	static const char *const stages[] = { ".tape", ".sba", ".tico", NULL };
	char stem[4096];
	size_t len;

	snprintf(stem, sizeof stem, "%s", input);
	for (len = strlen(stem); len > 1 && stem[len - 1] == '/';)
		stem[--len] = '\0';
	for (int i = 0; stages[i]; i++) {
		size_t s = strlen(stages[i]);

		len = strlen(stem);
		if (len > s && !strcmp(stem + len - s, stages[i]))
			stem[len - s] = '\0';
	}
	if ((size_t)snprintf(name, n, "%s.%s", stem, what) >= n)
		tape_die(TAPE_USAGE, "%s: the name is too long", input);
}

struct tape_output *tape_output_begin(const char *path)
{
	struct tape_output *o = calloc(1, sizeof *o);
	struct stat st;
	static int hook;
	size_t n;

	if (!o)
		tape_die(TAPE_FAILED, "out of memory");
	if ((size_t)snprintf(o->path, sizeof o->path, "%s", path) >=
	    sizeof o->path)
		tape_die(TAPE_USAGE, "%s: the name is too long", path);
	for (n = strlen(o->path); n > 1 && o->path[n - 1] == '/';)
		o->path[--n] = '\0';
	if (!lstat(o->path, &st))
		tape_die(TAPE_FAILED, "%s exists; name another with -o",
			 o->path);
	snprintf(o->temporary, sizeof o->temporary, "%s.part%ld", o->path,
		 (long)getpid());
	if (mkdir(o->temporary, 0777))
		tape_die(TAPE_FAILED, "%s: %s", o->temporary, strerror(errno));
	pending = o;
	if (!hook++)
		atexit(at_exit);
	return o;
}

const char *tape_output_file(const struct tape_output *o, const char *name)
{
	struct tape_output *w = (struct tape_output *)o;

	snprintf(w->file, sizeof w->file, "%s/%.200s", o->temporary, name);
	return w->file;
}

static void check(FILE *f, const char *path)
{
	int bad = ferror(f);

	if (fclose(f) || bad)
		tape_die(TAPE_FAILED, "%s: %s", path, strerror(errno));
}

void tape_output_meta(struct tape_output *o, const struct tape_trace *t,
		      const char *base, const char *clocks, const char *history,
		      int one_clock)
{
	static const char *const kept[] = { "program", "command", "date",
					    "ranks", "library", "version",
					    "alpha", "eager", "filter", NULL };
	const char *path = tape_output_file(o, "meta"), *v;
	FILE *f = fopen(path, "wxe");

	if (!f)
		tape_die(TAPE_FAILED, "%s: %s", path, strerror(errno));
	fputs("tape-trace 1\n", f);
	for (int k = 0; kept[k]; k++)
		for (size_t n = 0; (v = tape_trace_meta(t, kept[k], n)); n++)
			fprintf(f, "%s %s\n", kept[k], v);
	fprintf(f, "base %s\n", base);
	if (one_clock)
		fputs("domain 0 global %\n", f);
	for (size_t n = 0; !one_clock && (v = tape_trace_meta(t, "domain", n));
	     n++)
		fprintf(f, "domain %s\n", v);
	fputs(clocks, f);
	for (size_t n = 0; (v = tape_trace_meta(t, "history", n)); n++)
		fprintf(f, "history %s\n", v);
	fprintf(f, "history %s\n", history);
	check(f, path);
}

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	static char buffer[1 << 16];
	ssize_t n = -1;

	while (in >= 0 && out >= 0 && (n = read(in, buffer, sizeof buffer)) > 0)
		if (write(out, buffer, (size_t)n) != n) {
			n = -1;
			break;
		}
	if (n < 0 || close(out))
		tape_die(TAPE_FAILED, "%s: %s", to, strerror(errno));
	close(in);
}

void tape_output_link(struct tape_output *o, const char *from, const char *name)
{
	const char *to = tape_output_file(o, name);

	if (link(from, to))
		copy(from, to);
}

void tape_output_commit(struct tape_output *o)
{
	if (rename(o->temporary, o->path))
		tape_die(TAPE_FAILED, "%s: %s", o->path, strerror(errno));
	pending = NULL;
	free(o);
}

void tape_output_abandon(struct tape_output *o)
{
	if (!o)
		return;
	remove_tree(o->temporary);
	pending = NULL;
	free(o);
}
