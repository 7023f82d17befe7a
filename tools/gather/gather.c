/*
 * tape-gather SPOOL: writes into the traces of that directory what processes
 * of other hosts send (catalogue/gathering.h), while tapelive follows them.
 * tape live starts it. It prints what the variable TAPE_GATHER has to be, and
 * ends at SIGUSR1, when all has come.
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

#include "port.h"
#include "link.h"
#include "programs.h"
#include "spool.h"
#include "tool.h"

static const char usage[] = "SPOOL\n";

enum {
	LOOK_MS = 200,	/* at analysers, and at who does not say who he is */
	HELD_MS = 2,	/* where one is not read because a trace is full */
	QUIET_MS = 300, /* after the end nothing has come for so long */
	STRANGERS = 256, /* connections that have not said who they are */
	TURNS = 64	/* new connections at a time */
};

/* Of the links among the descriptors that are polled. */
enum { FIRST = 1 + PORT_ADDRESSES };

static volatile sig_atomic_t told_to_end;

static void end(int signal_)
{
	(void)signal_;
	told_to_end = 1;
}

struct gather {
	struct port port;
	struct programs *programs;
	struct link **links;
	size_t n, room;
	struct pollfd *polled; /* the port's descriptors, then the links */
	int64_t looked, last;
};

static void make_room(struct gather *g)
{
	if (g->n < g->room)
		return;
	g->room = 2 * g->room + 64;
	g->links = tape_must(realloc(g->links, g->room * sizeof *g->links));
	g->polled = tape_must(realloc(g->polled, (g->room + FIRST) *
						     sizeof *g->polled));
}

/*
 * Whoever connects and says nothing keeps nobody out: where there are too many,
 * the oldest of them goes. Whoever has something to say has said it at once.
 */
static void drop_strangers(struct gather *g, size_t most)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < g->n; i++)
		n += link_is_strange(g->links[i]) != 0;
	for (size_t i = 0; i < g->n; i++) {
		struct link *l = g->links[i];

		if (n > most && link_is_strange(l)) {
			link_read(l, &g->port, g->programs);
			n--;
			if (link_is_strange(l)) {
				link_free(l);
				continue;
			}
		}
		g->links[kept++] = l;
	}
	g->n = kept;
}

static void admit(struct gather *g, int port)
{
	int fd;

	for (int i = 0; i < TURNS; i++) {
		fd = port_accept(&g->port, port);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
			programs_close_files(g->programs);
			drop_strangers(g, 0);
			fd = port_accept(&g->port, port);
		}
		if (fd < 0)
			break;
		make_room(g);
		g->links[g->n++] = link_new(fd, spool_now_ms());
	}
	drop_strangers(g, STRANGERS);
}

/* Who has ended, or is not to be heard any more. */
static void sweep(struct gather *g)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->n; i++)
		if (link_is_over(g->links[i], spool_now_ms()))
			link_free(g->links[i]);
		else
			g->links[kept++] = g->links[i];
	g->n = kept;
}

/* Which links are read now; returns how many are held back. */
static int choose(struct gather *g)
{
	int held = 0;

	for (int i = 0; i < FIRST; i++)
		g->polled[i] = (struct pollfd){
		    i < g->port.n_open ? g->port.fds[i] : -1, POLLIN, 0};
	for (size_t i = 0; i < g->n; i++) {
		int full = link_is_held(g->links[i]);
		int fd = full ? -1 : link_fd(g->links[i]);

		held += full;
		g->polled[FIRST + i] = (struct pollfd){fd, POLLIN, 0};
	}
	return held;
}

static void serve(struct gather *g)
{
	size_t n = g->n;
	int held = choose(g);

	if (held)
		g->last = spool_now_ms();
	if (poll(g->polled, n + FIRST, held ? HELD_MS : LOOK_MS) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (g->polled[FIRST + i].revents &&
		    link_read(g->links[i], &g->port, g->programs))
			g->last = spool_now_ms();
	for (int i = 0; i < FIRST; i++)
		if (g->polled[i].revents)
			admit(g, i);
	link_settle(g->links, g->n);
	sweep(g);
	if (spool_now_ms() - g->looked >= LOOK_MS) {
		g->looked = spool_now_ms();
		programs_look(g->programs);
	}
}

/* All have said all, or those that are left say nothing. */
static int is_over(struct gather *g, int *told)
{
	if (!told_to_end)
		return 0;
	if (!*told)
		g->last = spool_now_ms();
	*told = 1;
	return !g->n || spool_now_ms() - g->last > QUIET_MS;
}

int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = end};
	struct gather g = {.room = 64};
	struct rlimit l;
	int c, told = 0;

	tape_tool("tape-gather");
	while ((c = getopt(argc, argv, "hV")) != -1)
		tape_usage(c, usage);
	if (optind + 1 != argc)
		tape_usage('?', usage);
	sigaction(SIGUSR1, &act, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	/* what is sent to all is the program's to obey, which may go on */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (!getrlimit(RLIMIT_NOFILE, &l)) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
	g.links = tape_must(malloc(g.room * sizeof *g.links));
	g.polled = tape_must(malloc((g.room + FIRST) * sizeof *g.polled));
	g.programs = programs_open(argv[optind]);
	port_open(&g.port);
	port_print(&g.port);
	while (!is_over(&g, &told))
		serve(&g);
	for (size_t i = 0; i < g.n; i++)
		link_free(g.links[i]);
	programs_close(g.programs);
	return programs_broken() ? TAPE_FAILED : TAPE_DONE;
}
