/* A new trace's directory; see output.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output_cleanup.h"
#include "tape_files.h"
#include "tool.h"
#include "output.h"

struct tape_output {
	char path[4096], temporary[4120], file[4400];
	const char *name; /* the last component of path */
	int parent, dir;  /* the directory that it is in, and it itself */
	struct tape_cleanup *made;
	int flows;     /* begun by tape_output_flow */
	int most_open; /* of them at once */
};

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

static __attribute__((noreturn)) void fail_output(const char *path)
{
	tape_die(TAPE_FAILED, "%s: %s", path, strerror(errno));
}

static struct tape_output *new_output(void)
{
	struct tape_output *o = tape_must(calloc(1, sizeof *o));
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit))
		o->most_open = limit.rlim_cur / 2 < INT_MAX
				   ? (int)(limit.rlim_cur / 2)
				   : INT_MAX;
	return o;
}

const char *tape_output_place(const struct tape_output *o)
{
	return o->temporary;
}

struct tape_output *tape_output_enter(const char *place)
{
	struct tape_output *o = new_output();

	snprintf(o->temporary, sizeof o->temporary, "%s", place);
	o->parent = tape_parent(o->temporary, &o->name);
	if (o->parent < 0)
		fail_output(o->temporary);
	o->dir = tape_cleanup_enter_directory(o->parent, o->name, &o->made);
	if (o->dir < 0)
		fail_output(o->temporary);
	return o;
}

struct tape_output *tape_output_begin(const char *path)
{
	struct tape_output *o = new_output();
	const char *temporary;
	struct stat st;
	size_t n;

	if ((size_t)snprintf(o->path, sizeof o->path, "%s", path) >=
	    sizeof o->path)
		tape_die(TAPE_USAGE, "%s: the name is too long", path);
	for (n = strlen(o->path); n > 1 && o->path[n - 1] == '/';)
		o->path[--n] = '\0';
	o->parent = tape_parent(o->path, &o->name);
	if (o->parent < 0)
		fail_output(o->path);
	if (!*o->name || !fstatat(o->parent, o->name, &st, AT_SYMLINK_NOFOLLOW))
		tape_die(TAPE_FAILED, "%s exists; name another with -o",
			 o->path);
	snprintf(o->temporary, sizeof o->temporary, "%s.part%ld", o->path,
		 (long)getpid());
	temporary = o->temporary + (o->name - o->path);
	o->dir = tape_cleanup_directory(o->parent, temporary, NULL, &o->made);
	if (o->dir < 0)
		fail_output(o->temporary);
	return o;
}

const char *tape_output_path(const struct tape_output *o, const char *name)
{
	struct tape_output *w = (struct tape_output *)o;

	snprintf(w->file, sizeof w->file, "%s/%.200s", o->temporary, name);
	return w->file;
}

int tape_output_file(struct tape_output *o, const char *name)
{
	int fd = tape_cleanup_file(o->dir, name, o->made, NULL);

	if (fd < 0)
		fail_output(tape_output_path(o, name));
	return fd;
}

int tape_output_flow(struct tape_output *o, const char *name, int *number)
{
	int fd = tape_output_file(o, name);

	*number = ++o->flows;
	if (o->flows <= o->most_open)
		return fd;
	if (close(fd))
		fail_output(tape_output_path(o, name));
	return -1;
}

int tape_output_again(const struct tape_output *o, const char *name)
{
	return openat(o->dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
}

FILE *tape_output_stream(struct tape_output *o, const char *name)
{
	FILE *f = fdopen(tape_output_file(o, name), "w");

	if (!f)
		fail_output(tape_output_path(o, name));
	return f;
}

void tape_output_end(const struct tape_output *o, FILE *f, const char *name)
{
	int bad = ferror(f);

	if (fclose(f) || bad)
		fail_output(tape_output_path(o, name));
}

int tape_output_read(const struct tape_output *o, struct tape_trace **t)
{
	return tape_trace_open_at(o->dir, o->temporary, t);
}

void tape_output_classes(FILE *meta)
{
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		fprintf(meta, "class %s\n", tape_class_layout(c));
}

/* The classes as in the flows of t, which the result has unchanged. */
static void put_classes_of(FILE *meta, const struct tape_trace *t)
{
	const char *v = tape_trace_meta(t, "class", 0);

	for (unsigned c = 0; !v && c < TAPE_CLASS_COUNT; c++)
		fprintf(meta, "class %s\n", tape_class_first_layout(c));
	for (size_t n = 0; (v = tape_trace_meta(t, "class", n)); n++)
		fprintf(meta, "class %s\n", v);
}

void tape_output_meta(struct tape_output *o, const struct tape_trace *t,
		      const char *base, const char *clocks, const char *history,
		      int one_clock)
{
	static const char *const kept[] = { "program", "command", "date",
					    "ranks", "library", "version",
					    "alpha", "eager", "filter",
					    "noise", NULL };
	FILE *f = tape_output_stream(o, "meta");
	const char *v;

	fputs("tape-trace 1\n", f);
	for (int k = 0; kept[k]; k++)
		for (size_t n = 0; (v = tape_trace_meta(t, kept[k], n)); n++)
			fprintf(f, "%s %s\n", kept[k], v);
	if (one_clock)
		tape_output_classes(f);
	else
		put_classes_of(f, t);
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
	tape_output_end(o, f, "meta");
}

/* All n bytes: 0, or -1 with errno. */
static int write_whole(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		bytes += done;
		n -= (size_t)done;
	}
	return 0;
}

static void copy_trace_file(const struct tape_trace *t, const char *name,
			    int out, uint64_t bytes, const char *path)
{
	static char buffer[1 << 20];
	uint64_t at = 0;
	ssize_t n = 0;

	while (bytes) {
		size_t most = bytes < sizeof buffer ? (size_t)bytes
						    : sizeof buffer;

		n = tape_trace_bytes(t, name, at, buffer, most);
		if (n <= 0 || write_whole(out, buffer, (size_t)n))
			break;
		at += (uint64_t)n;
		bytes -= (uint64_t)n;
	}
	if (n < 0 || (bytes && n) || close(out))
		fail_output(path);
}

void tape_output_take(struct tape_output *o, const struct tape_trace *t,
		      const char *name, uint64_t bytes)
{
	int in = tape_trace_file(t, name);
	struct stat st;

	/* what is in a container has no file of its own */
	if ((in < 0 && !tape_trace_in_containers(t)) ||
	    (in >= 0 && fstat(in, &st)))
		tape_die(TAPE_FAILED, "%s/%s: %s", tape_trace_path(t), name,
			 strerror(errno));
	if (in < 0 || (uint64_t)st.st_size > bytes ||
	    tape_cleanup_link(in, o->dir, name, o->made))
		copy_trace_file(t, name, tape_output_file(o, name), bytes,
				tape_output_path(o, name));
	if (in >= 0)
		close(in);
}

static void close_output(struct tape_output *o)
{
	close(o->dir);
	close(o->parent);
	free(o);
}

void tape_output_commit(struct tape_output *o)
{
	if (tape_cleanup_commit_as(o->made, o->name, 1))
		fail_output(o->path);
	close_output(o);
}

void tape_output_leave(struct tape_output *o)
{
	tape_cleanup_commit(o->made);
	close_output(o);
}

void tape_output_abandon(struct tape_output *o)
{
	if (!o)
		return;
	tape_cleanup_remove(o->made);
	close_output(o);
}
