/*
 * Lays out the nodes of a graph by Graphviz, which reads numbers from its
 * standard input and writes positions: "node 3 1.5 0.25 ...". See traffic.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "growing_array.h"
#include "tool.h"
#include "traffic.h"

extern char **environ;

/* EXACT: most nodes for neato; sfdp lays out larger graphs. Limits of the time
 * and of the output of Graphviz. */
enum { EXACT = 64, SECONDS = 60, MOST_BYTES = 64 << 20 };

static FILE *write_graph_input(const struct traffic_edge *e, size_t edges,
			       int n)
{
	FILE *f = tmpfile();

	if (!f)
		return NULL;
	fputs("graph g {\nnode [shape=point width=0.1];\n", f);
	for (int i = 0; i < n; i++)
		fprintf(f, "%d;\n", i);
	for (size_t i = 0; i < edges; i++)
		fprintf(f, "%d -- %d;\n", e[i].a, e[i].b);
	fputs("}\n", f);
	if (fflush(f) || ferror(f)) {
		fclose(f);
		return NULL;
	}
	rewind(f);
	return f;
}

/* Starts Graphviz. Returns its process id, or -1. *from: its output. */
static pid_t start_graphviz(FILE *in, int n, int *from)
{
	char *const words[] = {n <= EXACT ? "neato" : "sfdp", "-Gstart=1",
			       "-Tplain", NULL};
	posix_spawn_file_actions_t act;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid = -1;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&act);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_adddup2(&act, fileno(in), 0);
	posix_spawn_file_actions_adddup2(&act, ends[1], 1);
	posix_spawn_file_actions_addopen(&act, 2, "/dev/null", O_WRONLY, 0);
	rc = posix_spawnp(&pid, words[0], &act, &attr, words, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&act);
	close(ends[1]);
	*from = ends[0];
	if (!rc)
		return pid;
	close(ends[0]);
	return -1;
}

static double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Reads all output. Returns NULL if it is too long, or takes too long. */
static char *read_graphviz_output(int from)
{
	double until = now_seconds() + SECONDS;
	size_t n = 0, room = 1 << 16;
	char *text = tape_must(malloc(room));

	for (;;) {
		struct pollfd p = {.fd = from, .events = POLLIN};
		double left = until - now_seconds();
		ssize_t k;

		if (left <= 0 || n >= MOST_BYTES)
			break;
		if (poll(&p, 1, (int)(1000 * left) + 1) <= 0)
			continue;
		text = tape_must(tape_grow_array(text, &room, n + 2, 1));
		k = read(from, text + n, room - 1 - n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			text[n] = '\0';
			return text;
		}
		n += (size_t)k;
	}
	free(text);
	return NULL;
}

/* Parses lines "node NUMBER X Y ...". Returns 1 if all n nodes are found. */
static int read_node_places(char *text, int n, double *x, double *y)
{
	int seen = 0;
	char *rest, *line;

	for (int i = 0; i < n; i++)
		x[i] = NAN;
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		int node;
		double a, b;

		if (sscanf(line, "node %d %lf %lf", &node, &a, &b) != 3 ||
		    node < 0 || node >= n || !isfinite(a) || !isfinite(b))
			continue;
		seen += isnan(x[node]);
		x[node] = a;
		y[node] = b;
	}
	return seen == n;
}

static void scale_to_unit(double *v, int n)
{
	double lo = INFINITY, hi = -INFINITY;

	for (int i = 0; i < n; i++) {
		lo = fmin(lo, v[i]);
		hi = fmax(hi, v[i]);
	}
	for (int i = 0; i < n; i++)
		v[i] = hi > lo ? (v[i] - lo) / (hi - lo) : 0.5;
}

const char *traffic_layout_nodes(const struct traffic_edge *e, size_t edges,
				 int n, double *x, double *y)
{
	FILE *in = write_graph_input(e, edges, n);
	int from, status = 0, good;
	char *text;
	pid_t pid;

	if (!in)
		return "Ranks are placed in order: temporary files could not "
		       "be written.";
	pid = start_graphviz(in, n, &from);
	fclose(in);
	if (pid < 0)
		return "Ranks are placed in order: Graphviz, which finds a "
		       "better layout, is not installed.";
	text = read_graphviz_output(from);
	close(from);
	if (!text)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	good = text && WIFEXITED(status) && !WEXITSTATUS(status) &&
	       read_node_places(text, n, x, y);
	free(text);
	if (!good)
		return "Ranks are placed in order: Graphviz found no layout.";
	scale_to_unit(x, n);
	scale_to_unit(y, n);
	return NULL;
}
