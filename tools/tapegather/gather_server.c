/*
 * tape-gather SPOOL: receives the data of processes on other hosts
 * (catalogue/gather_protocol.h) and writes it into the traces of the directory
 * SPOOL, while tapelive follows them. tape live starts tape-gather. tape-gather
 * prints the value of the variable TAPE_GATHER. After SIGUSR1 it ends when it
 * has received all data.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock_ms.h"
#include "link.h"
#include "port.h"
#include "programs.h"
#include "tool.h"

static const char usage[] = "SPOOL\n";

enum {
	LOOK_MS = 200,	 /* between checks of analysers and silent links */
	FULL_MS = 2,	 /* between checks while a trace is full */
	QUIET_MS = 300, /* after SIGUSR1 it ends after this time without data */
	STRANGERS = 256, /* most connections that have not sent a hello */
	TURNS = 64	 /* most new connections at a time */
};

static volatile sig_atomic_t end_requested; /* SIGUSR1 has arrived */

static void request_end(int signal_)
{
	(void)signal_;
	end_requested = 1;
}

struct gather_server {
	struct port port;
	struct programs *programs;
	struct link **links;
	size_t n, room;
	struct pollfd *polled; /* the port's descriptors, then links: */
	struct link **source;  /* NULL for the port's */
	size_t n_polled;
	int64_t looked_ms;     /* when analysers were last checked */
	int64_t last_ms;       /* when data last came, or was held back */
	int64_t deaf_until_ms; /* no connection is accepted before */
};

static void reserve_links(struct gather_server *g)
{
	size_t room;

	if (g->n < g->room)
		return;
	g->room = 2 * g->room + 64;
	g->links = tape_must(realloc(g->links, g->room * sizeof *g->links));
	room = g->room + 1 + PORT_ADDRESSES;
	g->polled = tape_must(realloc(g->polled, room * sizeof *g->polled));
	g->source = tape_must(realloc(g->source, room * sizeof *g->source));
}

/*
 * Closes the oldest connections that have not sent a hello, until their number
 * is at most most, so that they do not block processes. A traced process sends
 * its hello at once.
 */
static void drop_anonymous_links(struct gather_server *g, size_t most)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < g->n; i++)
		n += link_is_anonymous(g->links[i]) != 0;
	for (size_t i = 0; i < g->n; i++) {
		struct link *l = g->links[i];

		if (n > most && link_is_anonymous(l)) {
			link_read(l, &g->port, g->programs);
			n--;
			if (link_is_anonymous(l)) {
				link_free(l);
				continue;
			}
		}
		g->links[kept++] = l;
	}
	g->n = kept;
}

/*
 * Accepts new connections. If descriptors are short, closes files and anonymous
 * links; if that does not help, accepts no connection for LOOK_MS.
 */
static void accept_connections(struct gather_server *g, int port)
{
	int fd;

	for (int i = 0; i < TURNS; i++) {
		fd = port_accept(&g->port, port);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
			programs_close_files(g->programs);
			drop_anonymous_links(g, 0);
			fd = port_accept(&g->port, port);
			if (fd < 0)
				g->deaf_until_ms = tape_now_ms() + LOOK_MS;
		}
		if (fd < 0)
			break;
		reserve_links(g);
		g->links[g->n++] = link_new(fd, tape_now_ms());
	}
	drop_anonymous_links(g, STRANGERS);
}

/* Frees the links that have ended. */
static void free_ended_links(struct gather_server *g)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->n; i++)
		if (link_has_ended(g->links[i], tape_now_ms()))
			link_free(g->links[i]);
		else
			g->links[kept++] = g->links[i];
	g->n = kept;
}

static void add_polled(struct gather_server *g, int fd, struct link *source)
{
	g->polled[g->n_polled] = (struct pollfd){fd, POLLIN, 0};
	g->source[g->n_polled++] = source;
}

/*
 * Chooses the descriptors to poll: open ones only, because poll() accepts no
 * more entries than the limit of descriptors. Returns the number of links that
 * wait for space in a trace.
 */
static int choose_polled(struct gather_server *g)
{
	int n_full = 0, is_deaf = tape_now_ms() < g->deaf_until_ms;

	g->n_polled = 0;
	for (int i = 0; i < g->port.n_open && !is_deaf; i++)
		add_polled(g, g->port.fds[i], NULL);
	for (size_t i = 0; i < g->n; i++) {
		if (link_is_full(g->links[i]))
			n_full++;
		else if (!link_is_waiting(g->links[i]))
			add_polled(g, link_fd(g->links[i]), g->links[i]);
	}
	return n_full;
}

static void serve_once(struct gather_server *g)
{
	int n_full = choose_polled(g);
	size_t i = 0, n_ports;

	if (n_full)
		g->last_ms = tape_now_ms();
	if (poll(g->polled, g->n_polled, n_full ? FULL_MS : LOOK_MS) < 0)
		return;
	while (i < g->n_polled && !g->source[i])
		i++;
	n_ports = i;
	for (; i < g->n_polled; i++)
		if (g->polled[i].revents &&
		    link_read(g->source[i], &g->port, g->programs))
			g->last_ms = tape_now_ms();
	/* accepting may free links, and move polled entries */
	for (i = 0; i < n_ports; i++)
		if (g->polled[i].revents)
			accept_connections(g, (int)i);
	link_reply_pending(g->links, g->n);
	free_ended_links(g);
	if (tape_now_ms() - g->looked_ms >= LOOK_MS) {
		g->looked_ms = tape_now_ms();
		programs_check_analysers(g->programs);
	}
}

/* Returns 1 after SIGUSR1, once all links have ended or no data has arrived for
 * QUIET_MS. */
static int is_finished(struct gather_server *g, int *told)
{
	if (!end_requested)
		return 0;
	if (!*told)
		g->last_ms = tape_now_ms();
	*told = 1;
	return !g->n || tape_now_ms() - g->last_ms > QUIET_MS;
}

/*
 * Makes SIGUSR1 end this process, even if it was started with the signal
 * blocked. The end of the parent sends the signal, too. If the parent ends
 * before that, printing the variable fails.
 */
static void set_signals(void)
{
	struct sigaction act = {.sa_handler = request_end};
	sigset_t set;

	sigaction(SIGUSR1, &act, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	/* the traced program may ignore signals to the group, and continue */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct gather_server g = {0};
	struct rlimit l;
	int c, told = 0;

	tape_tool("tape-gather");
	while ((c = getopt(argc, argv, "hV")) != -1)
		tape_usage(c, usage);
	if (optind + 1 != argc)
		tape_usage('?', usage);
	set_signals();
	if (!getrlimit(RLIMIT_NOFILE, &l)) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
	reserve_links(&g);
	g.programs = programs_open(argv[optind]);
	port_open(&g.port);
	port_print(&g.port);
	while (!is_finished(&g, &told))
		serve_once(&g);
	for (size_t i = 0; i < g.n; i++)
		link_free(g.links[i]);
	programs_close(g.programs);
	return programs_refused_data() ? TAPE_FAILED : TAPE_DONE;
}
