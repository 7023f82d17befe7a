/* Files and processes of taperun --simulate; see simulate_tools.h. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "simulate_tools.h"

char tape_simulate_own[PATH_MAX];

/* Removes what is in folder, and itself: files, and folders of files. */
static void remove_all(const char *folder)
{
	DIR *d = opendir(folder);
	const struct dirent *e;
	char path[PATH_MAX];

	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    (size_t)snprintf(path, sizeof path, "%s/%s", folder,
				     e->d_name) >= sizeof path)
			continue;
		if (unlink(path) && errno == EISDIR)
			remove_all(path);
	}
	if (d)
		closedir(d);
	rmdir(folder);
}

static void remove_own(void)
{
	remove_all(tape_simulate_own);
}

void tape_simulate_fail(int status, const char *format, ...)
{
	va_list list;

	fputs("taperun: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(status);
}

void tape_simulate_no_memory(void)
{
	tape_simulate_fail(1, "%s", tape_error_text(TAPE_ENOMEM));
}

int tape_simulate_finds(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	while (path && *path) {
		size_t n = strcspn(path, ":");

		snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
		if (!access(file, X_OK))
			return 1;
		path += n + (path[n] == ':');
	}
	return 0;
}

void tape_simulate_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(tape_simulate_own, sizeof tape_simulate_own,
		 "%s/taperun.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(tape_simulate_own)) {
		tape_simulate_own[0] = '\0';
		tape_simulate_fail(1, "a temporary folder: %s",
				   strerror(errno));
	}
	atexit(remove_own);
}

FILE *tape_simulate_file(const char *name)
{
	char path[PATH_MAX + 16];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", tape_simulate_own, name);
	f = fopen(path, "w+e");
	if (!f)
		tape_simulate_fail(1, "%s: %s", path, strerror(errno));
	return f;
}

int tape_simulate_call(char **argv, int output, int errors)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		if (output >= 0)
			dup2(output, 1);
		if (errors >= 0)
			dup2(errors, 2);
		execv(argv[0], argv);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
