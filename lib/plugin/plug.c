/* Starts, watches and ends the processes of plug-ins. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escape.h"
#include "growing_array.h"
#include "plug.h"
#include "tool.h"

/* More than a plug-in's largest output (tools/tapeplugin/plugin_output.c). */
enum { HEARD_MOST = 2 << 20 };

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void plug_fail(struct plug *g, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(g->why, sizeof g->why, format, ap);
	va_end(ap);
	g->failed = g->gone = 1;
	tape_warn("plug-in %s: %s", g->file, g->why);
}

/* ---- supervision ---- */

/*
 * Stops a plug-in. Any process that feeds it or waits for it can do so; the
 * owner kills it.
 */
static void stop_plugin(struct plug *g, const char *why)
{
	g->gone = 1;
	if (atomic_exchange(&g->s->stopped, 1))
		return; /* another process has reported it */
	snprintf(g->s->why, sizeof g->s->why, "%s", why);
	tape_warn("plug-in %s: stopped: %s", g->file, why);
	if (getpid() == g->owner)
		kill(g->pid, SIGKILL);
}

/* Resident memory of the process, MiB; 0: not known. */
static double memory_mib(const struct plug *g)
{
	char path[64], text[200] = "";
	unsigned long all, resident = 0;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/statm", (int)g->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof text - 1) <= 0 ||
	    sscanf(text, "%lu %lu", &all, &resident) != 2)
		resident = 0;
	close(fd);
	return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* Returns 1 if the process has exited: its end of the pipe is closed. */
static int has_exited(const struct plug *g)
{
	struct pollfd p = {.fd = g->pipe, .events = 0};

	return poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR);
}

/*
 * Called when a wait for the plug-in has timed out. Stops it if it hangs or
 * uses too much memory. Returns -1 if it has exited or was stopped.
 */
static int check_progress(struct plug *g)
{
	unsigned progress = atomic_load(&g->s->progress);
	double now = now_s();
	char why[100];

	if (atomic_load(&g->s->stopped) || has_exited(g)) {
		g->gone = 1;
		return -1;
	}
	if (progress != g->progress || g->since_s == 0) {
		g->progress = progress;
		g->since_s = now;
	}
	if (now - g->since_s > g->wait_s) {
		snprintf(why, sizeof why, "no entry consumed for %.0f s",
			 g->wait_s);
		stop_plugin(g, why);
	} else if (memory_mib(g) > g->memory_mib) {
		snprintf(why, sizeof why, "uses more than %.0f MiB of memory",
			 g->memory_mib);
		stop_plugin(g, why);
	}
	return g->gone ? -1 : 0;
}

int plug_wait(struct plug *g, sem_t *s)
{
	if (!sem_trywait(s))
		return 0;
	g->since_s = 0;
	for (;;) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += 100000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (!sem_clockwait(s, CLOCK_MONOTONIC, &until))
			return 0;
		if (errno != EINTR && check_progress(g))
			return -1;
	}
}

/* ---- start ---- */

/*
 * Sets path to the process, in ../libexec of this program. Returns 0 if it can
 * be executed.
 */
static int find_process(char *path, size_t size)
{
	char self[4000];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	if (slash && (slash = strrchr(self, '/')))
		*slash = '\0';
	snprintf(path, size, "%s/libexec/tape-plugin", self);
	return access(path, X_OK);
}

static _Noreturn void exec_plugin(const struct plug *g, const char *path,
				  int memory, int pipe, pid_t parent)
{
	char parent_text[32];
	int in = open("/dev/null", O_RDONLY), m, p;

	snprintf(parent_text, sizeof parent_text, "%d", (int)parent);
	m = fcntl(memory, F_DUPFD, 10);
	p = fcntl(pipe, F_DUPFD, 10);
	if (in < 0 || m < 0 || p < 0 || dup2(in, 0) < 0 || dup2(2, 1) < 0 ||
	    dup2(m, 3) < 0 || dup2(p, 4) < 0)
		_exit(127);
	close_range(5, ~0u, 0);
	execl(path, path, "3", "4", parent_text, g->file, g->args,
	      (char *)NULL);
	_exit(127);
}

/* Creates the shared memory. Returns its descriptor, or -1. */
static int create_memory(struct plug *g, unsigned workers)
{
	int fd = memfd_create("tape-plugin", MFD_CLOEXEC);
	struct plug_shared *s = MAP_FAILED;

	uint32_t rings = g->levels * g->feeders;

	g->bytes = sizeof *s + rings * sizeof *s->ring;
	if (fd >= 0 && !ftruncate(fd, (off_t)g->bytes))
		s = mmap(NULL, g->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 0);
	if (s == MAP_FAILED)
		return -1;
	g->s = s;
	s->levels = g->levels;
	s->feeders = g->feeders;
	s->workers = workers;
	sem_init(&s->work, 1, 0);
	sem_init(&s->ready, 1, 0);
	for (uint32_t i = 0; i < rings; i++) {
		sem_init(&s->ring[i].space, 1, PLUG_SLOTS);
		sem_init(&s->ring[i].begun, 1, 0);
		g->out[i].plug = g;
		g->out[i].ring = &s->ring[i];
	}
	return fd;
}

/* Copies the reason that the plug-in gives for its failure, as one line. */
static void read_reason(struct plug *g, char *text, size_t n)
{
	char why[sizeof g->s->why];

	memcpy(why, g->s->why, sizeof why);
	why[sizeof why - 1] = '\0';
	tape_clean(why, text, n);
}

int plug_start(struct plug *g, unsigned workers)
{
	char path[4200];
	int fds[2] = {-1, -1}, memory;

	g->pipe = -1;
	g->owner = getpid();
	if (find_process(path, sizeof path)) {
		plug_fail(g, "%s: %s", path, strerror(errno));
		return -1;
	}
	memory = create_memory(g, workers);
	if (memory < 0 || pipe2(fds, O_CLOEXEC) || (g->pid = fork()) < 0) {
		plug_fail(g, "cannot be started: %s", strerror(errno));
		close(memory);
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	if (!g->pid)
		exec_plugin(g, path, memory, fds[1], g->owner);
	close(memory);
	close(fds[1]);
	g->pipe = fds[0];
	plug_wait(g, &g->s->ready);
	if (!g->gone && atomic_load(&g->s->state) == PLUG_READY)
		return 0;
	plug_finish(g);
	return -1;
}

/* ---- end ---- */

static void read_output(struct plug *g)
{
	size_t room = 0;

	for (;;) {
		struct pollfd p = {.fd = g->pipe, .events = POLLIN};
		ssize_t n;

		if (poll(&p, 1, 100) <= 0) {
			if (check_progress(g) && !has_exited(g))
				return;
			continue;
		}
		g->text = tape_must(
		    tape_grow_array(g->text, &room, g->text_bytes + 4096, 1));
		n = read(g->pipe, g->text + g->text_bytes,
			 room - g->text_bytes - 1);
		if (n <= 0)
			return;
		g->text_bytes += (size_t)n;
		if (g->text_bytes > HEARD_MOST) {
			stop_plugin(g, "output larger than the limit");
			return;
		}
	}
}

/*
 * Waits for the exit of the process; kills it if it does not end. Returns its
 * status.
 */
static int wait_for_exit(struct plug *g)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	double begun = now_s();
	int status = 0;

	for (;;) {
		pid_t k = waitpid(g->pid, &status, WNOHANG);

		if (k == g->pid || (k < 0 && errno != EINTR))
			return status;
		if (!atomic_load(&g->s->stopped) && now_s() - begun > g->wait_s)
			stop_plugin(g, "does not exit");
		if (atomic_load(&g->s->stopped))
			kill(g->pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
}

static void set_result(struct plug *g, int status)
{
	char text[sizeof g->why];

	if (atomic_load(&g->s->stopped)) {
		g->failed = 1; /* it was reported before */
		read_reason(g, g->why, sizeof g->why);
	} else if (atomic_load(&g->s->state) == PLUG_FAILED) {
		read_reason(g, text, sizeof text);
		plug_fail(g, "%s", text);
	} else if (WIFSIGNALED(status)) {
		plug_fail(g, "crashed (%s)", strsignal(WTERMSIG(status)));
	} else if (WEXITSTATUS(status)) {
		plug_fail(g, "exited with status %d", WEXITSTATUS(status));
	} else if (!plug_parse_output(g)) {
		plug_fail(g, "exited before the end");
	}
}

static void end_process(struct plug *g, int status)
{
	set_result(g, status);
	close(g->pipe);
	g->pid = 0;
	g->pipe = -1;
}

void plug_check(struct plug *g)
{
	int status;

	if (g->pid <= 0)
		return;
	if (atomic_load(&g->s->stopped))
		kill(g->pid, SIGKILL);
	if (waitpid(g->pid, &status, WNOHANG) == g->pid)
		end_process(g, status);
}

void plug_finish(struct plug *g)
{
	if (g->pid <= 0)
		return;
	atomic_store(&g->s->over, 1);
	sem_post(&g->s->work);
	g->since_s = 0;
	if (!atomic_load(&g->s->stopped))
		read_output(g);
	end_process(g, wait_for_exit(g));
}
