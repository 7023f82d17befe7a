/* See command.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "called_programs.h"
#include "command.h"
#include "pass_signals.h"
#include "tool.h"

/* The child: waits until what has come before it has been passed to it. */
__attribute__((noreturn)) static void become_command(char *const *argv, int go,
						     int empty_input)
{
	char c;

	/* tape was killed */
	if (read(go, &c, 1) != 1)
		_exit(TAPE_FAILED);
	if (empty_input)
		dup2(program_nowhere(), STDIN_FILENO);
	signals_as_before();
	program_become(argv);
}

/*
 * What came before the child was there came to tape only. What has come since
 * then to both is pending in the child: it cannot come twice.
 */
static void pass_pending(pid_t command)
{
	sigset_t pending;

	sigpending(&pending);
	for (int s = 1; s < NSIG; s++)
		if (sigismember(&pending, s) == 1 &&
		    sigismember(signals_held(), s) == 1 && signals_take(s))
			kill(command, s);
}

pid_t command_start(char *const *argv, int empty_input)
{
	int go[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	if (!pid) {
		close(go[1]);
		become_command(argv, go[0], empty_input);
	}
	close(go[0]);
	pass_pending(pid);
	(void)!write(go[1], "", 1);
	close(go[1]);
	return pid;
}

void command_pass(pid_t command, int signal, struct guard *g)
{
	if (!guard_saw(g, signal))
		kill(command, signal);
}
