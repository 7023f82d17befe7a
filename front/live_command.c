/*
 * `tape live`: runs a command with tracing into a spool, and an analyser that
 * reads the traces there. tape is the parent of four processes:
 *
 *	command		taperun, which becomes the user's command
 *	analyser	tapelive, once a trace has begun
 *	gatherer	tape-gather, which writes what other hosts send
 *	guard		guard.h
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "called_programs.h"
#include "clock_ms.h"
#include "command.h"
#include "commands.h"
#include "gather_protocol.h"
#include "guard.h"
#include "live_in_job.h"
#include "live_options.h"
#include "live_spool.h"
#include "pass_signals.h"
#include "tool.h"

enum {
	LOOK_MS = 50,	     /* between looks for the first trace */
	CHECK_MS = 1000,     /* between checks for the end of a process */
	GATHERER_MS = 10000, /* most time for the gatherer's line */
	LATEST_MS = GUARD_SAME_MS
};

/* A child of tape. pid is 0 before it starts, and when it has ended. */
struct child {
	pid_t pid;
	int status;
};

struct live {
	struct live_options o;
	struct live_spool spool;
	struct guard guard;
	struct child command, analyser, gatherer;
	struct argument_list traces; /* paths of what the analyser follows */
	int64_t signalled_ms;	     /* when the last signal came */
};

/* ---- children ---- */

static void check_child(struct child *c)
{
	int status;

	if (c->pid && waitpid(c->pid, &status, WNOHANG) == c->pid) {
		c->pid = 0;
		c->status = program_status(status);
	}
}

/* In the child: becomes a tool that ignores signals to the whole group. */
__attribute__((noreturn)) static void become_tool(char *const *argv, int out)
{
	dup2(program_nowhere(), STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	fcntl(STDERR_FILENO, F_SETFD, 0); /* tape may have opened it itself */
	signals_ignore();
	program_become(argv);
}

static pid_t fork_or_die(void)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	return pid;
}

static void start_analyser(struct live *l)
{
	struct argument_list a = {0};

	arguments_add(&a, program_need("tapelive"));
	arguments_add(&a, "--spooled");
	if (l->o.analyser.n)
		arguments_add_all(&a, l->o.analyser.word);
	arguments_add_all(&a, l->traces.word);
	l->analyser.pid = fork_or_die();
	if (!l->analyser.pid) {
		fcntl(l->spool.lock, F_SETFD, 0);
		become_tool(a.word, l->o.output_fd);
	}
	free(a.word);
}

/* Starts the analyser of the traces that have begun, if there are any. */
static void look_for_traces(struct live *l)
{
	if (!l->traces.n && live_spool_traces(&l->spool, &l->traces))
		start_analyser(l);
}

/* ---- the gatherer ---- */

/* Reads the gatherer's line, without its end. Returns 0 if none comes. */
static int read_gatherer_line(int fd, char *line, size_t n)
{
	int64_t until = tape_now_ms() + GATHERER_MS;
	struct pollfd p = {fd, POLLIN, 0};
	size_t length = 0;
	ssize_t got = 1;
	char *end;

	while (length + 1 < n && got > 0) {
		if (poll(&p, 1, LOOK_MS) < 1 && tape_now_ms() < until)
			continue;
		if (tape_now_ms() >= until)
			return 0;
		got = read(fd, line + length, n - 1 - length);
		length += got > 0 ? (size_t)got : 0;
		line[length] = '\0';
		if ((end = strchr(line, '\n'))) {
			*end = '\0';
			return 1;
		}
	}
	return 0;
}

/*
 * Starts the gatherer, which writes into the spool what processes of other
 * hosts send, and sets TAPE_GATHER for them. An inherited one is of another
 * run.
 */
static void start_gatherer(struct live *l)
{
	char *argv[3] = {NULL, l->spool.path, NULL};
	char line[8192];
	int fds[2];

	unsetenv(TAPE_GATHER_VARIABLE);
	if (asprintf(&argv[0], "%s/libexec/tape-gather", programs_beside()) < 0)
		argv[0] = NULL;
	if (access(tape_must(argv[0]), X_OK) || pipe2(fds, O_CLOEXEC)) {
		tape_warn("%s: %s; processes on other hosts are not analysed",
			  argv[0], strerror(errno));
		free(argv[0]);
		return;
	}
	l->gatherer.pid = fork_or_die();
	if (!l->gatherer.pid) {
		/* SIGUSR1 to the command's group is not for the gatherer */
		setpgid(0, 0);
		become_tool(argv, fds[1]);
	}
	close(fds[1]);
	if (read_gatherer_line(fds[0], line, sizeof line)) {
		setenv(TAPE_GATHER_VARIABLE, line, 1);
	} else {
		tape_warn("tape-gather did not report its address; processes "
			  "on other hosts are not analysed");
		kill(l->gatherer.pid, SIGKILL);
	}
	close(fds[0]);
	free(argv[0]);
}

/* ---- the end ---- */

/* Ends all processes, removes the spool, exits with the command's status. */
__attribute__((noreturn)) static void exit_live(struct live *l)
{
	if (l->analyser.pid)
		kill(l->analyser.pid, SIGKILL);
	if (l->gatherer.pid)
		kill(l->gatherer.pid, SIGKILL);
	live_spool_remove(&l->spool);
	guard_stop(&l->guard);
	exit(l->command.status);
}

/*
 * Waits for the child, once the command has ended. A signal that comes later
 * than those to the command is from a user who does not want to wait.
 */
static void wait_for_child(struct live *l, struct child *c)
{
	int signal;

	check_child(c);
	while (c->pid) {
		signal = signals_wait(CHECK_MS);
		if (signals_ends(signal) &&
		    tape_now_ms() - l->signalled_ms > LATEST_MS)
			exit_live(l);
		check_child(c);
	}
}

/* Waits until the gatherer has received everything. */
static void end_gatherer(struct live *l)
{
	if (!l->gatherer.pid)
		return;
	kill(l->gatherer.pid, SIGUSR1);
	wait_for_child(l, &l->gatherer);
}

/* Names the traces that began after the analyser, which does not read them. */
static void name_other_traces(const struct live *l)
{
	struct argument_list now = {0};

	live_spool_traces(&l->spool, &now);
	for (size_t i = 0; i < now.n; i++) {
		size_t k = 0;

		while (k < l->traces.n &&
		       strcmp(now.word[i], l->traces.word[k]))
			k++;
		if (k == l->traces.n)
			tape_warn("%s began after the first trace: it is not "
				  "in the report",
				  strrchr(now.word[i], '/') + 1);
	}
}

static void write_report(struct live *l)
{
	end_gatherer(l);
	look_for_traces(l);
	live_spool_is_over(&l->spool);
	if (!l->traces.n) {
		tape_warn("no trace was written: nothing to report");
		return;
	}
	wait_for_child(l, &l->analyser);
	if (l->analyser.status)
		tape_warn(
		    "tapelive ended with status %d: the report is incomplete",
		    l->analyser.status);
	name_other_traces(l);
}

/* ---- the run ---- */

static void start_command(struct live *l)
{
	struct argument_list a = {0};

	arguments_add(&a, program_need("taperun"));
	arguments_add(&a, "-s");
	arguments_add(&a, "stream=node");
	/* if the analyser ends, the rest of the trace is of no use */
	if (!l->o.stream_lost && !getenv("TAPE_STREAM_LOST")) {
		arguments_add(&a, "-s");
		arguments_add(&a, "stream_lost=stop");
	}
	if (l->o.settings.n)
		arguments_add_all(&a, l->o.settings.word);
	arguments_add(&a, "-o");
	arguments_print(&a, "%s/.", l->spool.path);
	arguments_add_all(&a, l->o.command);
	/* with --top the keys control the view */
	l->command.pid =
	    command_start(a.word, l->o.top && isatty(STDIN_FILENO));
	free(a.word);
}

static void supervise_command(struct live *l)
{
	int signal;

	while (l->command.pid) {
		signal = signals_wait(l->traces.n ? CHECK_MS : LOOK_MS);
		if (signal && signal != SIGCHLD) {
			command_pass(l->command.pid, signal, &l->guard);
			l->signalled_ms = tape_now_ms();
		}
		check_child(&l->command);
		check_child(&l->analyser);
		check_child(&l->gatherer);
		if (l->command.pid)
			look_for_traces(l);
	}
}

int live_command(int argc, char **argv)
{
	struct live l = {.signalled_ms = INT64_MIN / 2};

	live_options_read(&l.o, argc, argv);
	if (l.o.receivers)
		live_in_job(&l.o);
	signals_hold();
	live_spool_make(&l.spool);
	guard_start(&l.guard, &l.spool);
	start_gatherer(&l);
	start_command(&l);
	supervise_command(&l);
	write_report(&l);
	exit_live(&l);
}
