/* See called_programs.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "called_programs.h"
#include "tool.h"

static char folder[PATH_MAX], beside[PATH_MAX];

static void find_folders(void)
{
	ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
	char *slash;

	if (n <= 0)
		tape_die(TAPE_FAILED, "/proc/self/exe: %s", strerror(errno));
	folder[n] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	strcpy(beside, folder);
	slash = strrchr(beside, '/');
	if (slash)
		*slash = '\0';
}

const char *programs_folder(void)
{
	if (!*folder)
		find_folders();
	return folder;
}

const char *programs_beside(void)
{
	programs_folder();
	return beside;
}

const char *program_need(const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s", programs_folder(), name) < 0)
		path = NULL;
	if (access(tape_must(path), X_OK))
		tape_die(TAPE_FAILED,
			 "%s is not installed: %s has no such program", name,
			 programs_folder());
	return path;
}

int program_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int program_nowhere(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		tape_die(TAPE_FAILED, "/dev/null: %s", strerror(errno));
	return fd;
}

int program_run(char *const *argv, int out)
{
	int status = 0, nowhere = program_nowhere();
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	if (!pid) {
		dup2(nowhere, STDIN_FILENO);
		dup2(out < 0 ? nowhere : out, STDOUT_FILENO);
		program_become(argv);
	}
	close(nowhere);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return TAPE_FAILED;
	return program_status(status);
}

void program_become(char *const *argv)
{
	fflush(NULL);
	execvp(argv[0], argv);
	tape_die(errno == ENOENT ? 127 : 126, "%s: %s", argv[0],
		 strerror(errno));
}
