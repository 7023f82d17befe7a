/* See corrected_trace.h. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "called_programs.h"
#include "corrected_trace.h"
#include "remove_tree.h"
#include "tool.h"
#include "trace_name.h"

static char *join_texts(const char *a, const char *b)
{
	char *text = NULL;

	if (asprintf(&text, "%s%s", a, b) < 0)
		text = NULL;
	return tape_must(text);
}

static int is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static int is_trace(const char *path)
{
	char *meta = join_texts(path, "/meta");
	int is = is_file(meta);

	free(meta);
	return is;
}

void trace_must_be(const char *path)
{
	char *bare = trace_path_copy(path), *guess = join_texts(bare, ".tape");

	if (is_trace(bare)) {
		free(bare);
		free(guess);
		return;
	}
	if (is_trace(guess))
		tape_die(TAPE_FAILED, "%s is not a trace; did you mean %s?",
			 path, guess);
	if (!access(path, F_OK))
		tape_die(TAPE_FAILED,
			 "%s is not a trace: a trace is a directory with a "
			 "file meta",
			 path);
	tape_die(TAPE_FAILED, "%s: no such trace", path);
}

/* ---- what a file meta says ---- */

/* Traces are untrusted: whatever the file meta is, nothing waits for it. */
int trace_read_line(const char *trace, const char *beginning, char *rest,
		    size_t n)
{
	char *path = join_texts(trace, "/meta"), line[4096];
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	size_t length = strlen(beginning);
	int found = 0, is_new = 1;

	free(path);
	while (f && !found && fgets(line, sizeof line, f)) {
		size_t end = strcspn(line, "\n");

		found = is_new && !strncmp(line, beginning, length);
		is_new = line[end] == '\n';
		line[end] = '\0';
		if (found)
			snprintf(rest, n, "%s", line + length);
	}
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return found;
}

int trace_has_line(const char *trace, const char *beginning)
{
	char rest[8];

	return trace_read_line(trace, beginning, rest, sizeof rest);
}

enum base { LOCAL, GLOBAL, COMPENSATED, UNKNOWN };

static enum base find_time_base(const char *trace)
{
	char word[16] = "";

	trace_read_line(trace, "base ", word, sizeof word);
	return !strcmp(word, "local")	      ? LOCAL
	       : !strcmp(word, "global")      ? GLOBAL
	       : !strcmp(word, "compensated") ? COMPENSATED
					      : UNKNOWN;
}

/* ---- results ---- */

static int is_later_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec ||
	       (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Returns 1 if a file of the trace is newer than the time. */
static int is_changed_since(const char *trace, const struct timespec *time)
{
	char *roots[] = {(char *)trace, NULL};
	FTS *walk = fts_open(
	    roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	FTSENT *e;
	int is = 0;

	while (!is && walk && (e = fts_read(walk)))
		is = e->fts_info != FTS_NS && e->fts_info != FTS_DP &&
		     is_later_time(&e->fts_statp->st_mtim, time);
	if (walk)
		fts_close(walk);
	return is;
}

/* Returns 1 if the result exists, and no file of the traces is newer. */
static int is_fresh(const char *result, char *const *traces)
{
	char *meta = join_texts(result, "/meta");
	struct stat made;
	int is = !stat(meta, &made) && S_ISREG(made.st_mode);

	free(meta);
	for (; is && *traces; traces++)
		is = !is_changed_since(*traces, &made.st_mtim);
	return is;
}

/* Returns 1 if results can be written in the trace's folder; says so if not. */
static int is_writable(const char *trace, const char *result)
{
	const char *slash = strrchr(result, '/');
	char folder[4096] = ".";

	if (slash)
		snprintf(folder, sizeof folder, "%.*s",
			 slash == result ? 1 : (int)(slash - result), result);
	if (!access(folder, W_OK))
		return 1;
	tape_warn("reporting on the uncorrected trace %s: results are stored "
		  "next to it, but %s cannot be written. Copy the trace to a "
		  "writable directory",
		  trace, folder);
	return 0;
}

/*
 * Removes an old result of that tool. Returns 1 if nothing has that name now.
 * Anything else that has the name stays, and is named in a sentence.
 */
static int clear_result(const char *tool, const char *result)
{
	struct stat st;
	char line[32];

	if (lstat(result, &st))
		return 1;
	snprintf(line, sizeof line, "history %s", tool);
	if (!trace_has_line(result, line)) {
		tape_warn("%s exists and was not written by %s; move it away",
			  result, tool);
		return 0;
	}
	if (!tape_remove_tree(AT_FDCWD, result, NULL))
		return 1;
	tape_warn("%s: %s", result, strerror(errno));
	return 0;
}

int trace_make(const char *tool, char *const *traces, char *result, int out)
{
	return trace_make_by(tool, NULL, traces, result, out);
}

int trace_make_by(const char *tool, const char *reference, char *const *traces,
		  char *result, int out)
{
	struct argument_list a = {0};
	int rc;

	if (is_fresh(result, traces))
		return 1;
	if (!is_writable(traces[0], result) || !clear_result(tool, result))
		return 0;
	arguments_add(&a, program_need(tool));
	arguments_add(&a, "-o");
	arguments_add(&a, result);
	if (reference) {
		arguments_add(&a, "--reference");
		arguments_add(&a, reference);
	}
	arguments_add_all(&a, traces);
	rc = program_run(a.word, out);
	free(a.word);
	return !rc;
}

/* ---- stages ---- */

/* Returns dir/prog for dir/prog.tape, dir/prog.sba.tape ... */
static char *copy_stem(const char *trace)
{
	static const char *const endings[] = {".tape", ".sba", ".tico"};
	char *stem = tape_must(strdup(trace));

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t n = strlen(stem), k = strlen(endings[i]);

		if (n > k && !strcmp(stem + n - k, endings[i]))
			stem[n - k] = '\0';
	}
	return stem;
}

static int add_made(struct stages *s, const char *tool, const char *stem,
		    const char *reference)
{
	char *trace[] = {s->trace[s->n - 1], NULL}, *result = NULL;

	if (asprintf(&result, "%s.%s.tape", stem, tool) < 0)
		result = NULL;
	if (!trace_make_by(tool, reference, trace, tape_must(result), -1))
		return 0;
	s->trace[s->n++] = result;
	return 1;
}

/* Adds the traces that a corrected trace was made of, if they exist. */
static void add_earlier(struct stages *s, const char *stem)
{
	char *recorded = join_texts(stem, ".tape"), *global;

	global = join_texts(stem, ".sba.tape");
	if (is_trace(recorded))
		s->trace[s->n++] = recorded;
	if (is_trace(global))
		s->trace[s->n++] = global;
}

void stages_make(struct stages *s, const char *trace)
{
	stages_make_by(s, trace, NULL);
}

void stages_make_by(struct stages *s, const char *trace, const char *reference)
{
	char *bare = trace_path_copy(trace), *stem = copy_stem(bare);
	enum base base = find_time_base(bare);

	s->n = 0;
	if (base == COMPENSATED)
		add_earlier(s, stem);
	s->trace[s->n++] = bare;
	if ((base != LOCAL || add_made(s, "sba", stem, NULL)) &&
	    (base == LOCAL || base == GLOBAL) &&
	    !(reference && add_made(s, "tico", stem, reference)))
		add_made(s, "tico", stem, NULL);
	free(stem);
}

const char *stages_best(const struct stages *s)
{
	return s->trace[s->n - 1];
}

int stages_are_whole(const struct stages *s)
{
	return find_time_base(stages_best(s)) == COMPENSATED;
}

void stages_figures(const struct stages *s, char *const *options,
		    struct argument_list *a)
{
	arguments_add(a, program_need("tapestat"));
	if (s->n > 1 && stages_are_whole(s)) {
		arguments_add(a, "--measured");
		arguments_add(a, s->trace[s->n - 2]);
	}
	arguments_add_all(a, options);
	arguments_add(a, stages_best(s));
}
