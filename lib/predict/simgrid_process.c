/* See simgrid_process.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "number_text.h"
#include "simgrid_process.h"
#include "tool.h"

const char *sim_replayer_path(void)
{
	static char path[4200];
	char self[4096], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	snprintf(path, sizeof path, "%s/../libexec/tape-replay", self);
	return access(path, X_OK) ? NULL : path;
}

/* Reads a pipe line by line; a long line is split. */
struct stream {
	int fd;
	size_t used;
	char text[4096];
};

struct talk {
	struct stream out, err;
	void (*line)(void *self, char *text);
	void *self;
	char *why;
	size_t n;
	/*
	 * kind of why: 0 the first line, 1 SimGrid's reason, 2 the replayer's
	 * message
	 */
	int certain;
};

static _Noreturn void exec_replayer(char *const *argv, const int *out,
				    const int *err, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	if (dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
		_exit(127);
	execv(argv[0], argv);
	dprintf(2, "!%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/*
 * Stores an error message. "+N" is progress and "!..." a message of the
 * replayer. SimGrid's own messages are "LEVEL|..." as simgrid.c requests. Other
 * lines are from the system.
 */
static void note_message(struct talk *t, const char *text)
{
	int certain = *text == '!' ? 2 : !strncmp(text, "CRITICAL|", 9);
	const char *bar = strchr(text, '|');

	if (*text == '+') {
		tape_progress(tape_leading_number(text + 1, 10), 0);
		return;
	}
	if (!*text || (*t->why && certain <= t->certain))
		return;
	t->certain = certain;
	if (*text == '!')
		text++;
	else if (bar && bar - text < 10)
		text = bar + 1;
	snprintf(t->why, t->n, "%s", text);
}

static void take_line(struct talk *t, struct stream *s, char *text)
{
	if (s == &t->err)
		note_message(t, text);
	else if (t->line)
		t->line(t->self, text);
}

/* Reads from a pipe. Returns 0 at its end. */
static int read_lines(struct talk *t, struct stream *s)
{
	ssize_t n = read(s->fd, s->text + s->used,
			 sizeof s->text - 1 - s->used);
	char *from = s->text, *end;

	if (n < 0 && errno == EINTR)
		return 1;
	s->used += n > 0 ? (size_t)n : 0;
	s->text[s->used] = '\0';
	while ((end = strchr(from, '\n'))) {
		*end = '\0';
		take_line(t, s, from);
		from = end + 1;
	}
	if (*from && (n <= 0 || (from == s->text &&
				 s->used == sizeof s->text - 1))) {
		take_line(t, s, from);
		from = s->text + s->used;
	}
	s->used -= (size_t)(from - s->text);
	memmove(s->text, from, s->used);
	return n > 0;
}

static void read_output(struct talk *t)
{
	struct pollfd p[2] = { { .fd = t->out.fd, .events = POLLIN },
			       { .fd = t->err.fd, .events = POLLIN } };

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		if (poll(p, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (p[0].revents && !read_lines(t, &t->out))
			p[0].fd = -1;
		if (p[1].revents && !read_lines(t, &t->err))
			p[1].fd = -1;
	}
	tape_progress(0, 1);
}

static int wait_for_end(pid_t pid, struct talk *t)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (!*t->why && WIFSIGNALED(status))
		snprintf(t->why, t->n, "SimGrid ended by signal %d",
			 WTERMSIG(status));
	else if (!*t->why)
		snprintf(t->why, t->n, "SimGrid failed");
	return -1;
}

int sim_replayer_run(char *const *argv, void (*line)(void *self, char *text),
		     void *self, char *why, size_t n)
{
	struct talk t = { .line = line, .self = self, .why = why, .n = n };
	int out[2], err[2], rc = -1;
	pid_t parent = getpid(), pid;

	*why = '\0';
	if (pipe2(out, O_CLOEXEC)) {
		snprintf(why, n, "%s", strerror(errno));
		return -1;
	}
	if (pipe2(err, O_CLOEXEC)) {
		snprintf(why, n, "%s", strerror(errno));
		close(out[0]);
		close(out[1]);
		return -1;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		exec_replayer(argv, out, err, parent);
	close(out[1]);
	close(err[1]);
	t.out.fd = out[0];
	t.err.fd = err[0];
	if (pid < 0) {
		snprintf(why, n, "%s", strerror(errno));
	} else {
		read_output(&t);
		rc = wait_for_end(pid, &t);
	}
	close(out[0]);
	close(err[0]);
	return rc;
}
