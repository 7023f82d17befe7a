/* A process of another host; see link.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link.h"
#include "tool.h"

/* How long it may take to say who it is. */
enum { HELLO_MS = 20000 };

/* Reads at a time of one link, so that others have their turn. */
enum { TURNS = 8 };

struct link {
	int fd;
	int64_t since_ms;
	struct program *p;	     /* NULL: it has not said */
	int rank, task, begun;	     /* its wish */
	int replied, closed, ignore; /* what it sends is not taken */
	int came;		     /* bytes of a trace have */
	size_t have;
	unsigned char *bytes; /* a hello, or a message with its length */
};

struct link *link_new(int fd, int64_t now_ms)
{
	struct link *l = tape_must(calloc(1, sizeof *l));

	l->fd = fd;
	l->since_ms = now_ms;
	l->bytes = tape_must(malloc(sizeof(struct tape_gather_hello)));
	return l;
}

int link_fd(const struct link *l)
{
	return l->fd;
}

int link_is_strange(const struct link *l)
{
	return !l->p;
}

int link_is_held(struct link *l)
{
	return l->p && (!l->replied || program_is_full(l->p));
}

int link_is_over(const struct link *l, int64_t now_ms)
{
	return l->closed || (!l->p && now_ms - l->since_ms > HELLO_MS) ||
	       (l->p && program_is_over(l->p));
}

void link_free(struct link *l)
{
	if (l->p && l->replied && !l->ignore) {
		if (!l->came && (l->task || l->begun))
			program_forget(l->p, l->rank);
		else
			program_gone(l->p, l->rank, 1);
	}
	close(l->fd);
	free(l->bytes);
	free(l);
}

/* It fits into what the kernel has for a connection that is new. */
static void reply(struct link *l, int rank, const char *text)
{
	struct tape_gather_reply r = {.rank = rank};

	snprintf(r.text, sizeof r.text, "%s", text);
	if (send(l->fd, &r, sizeof r, MSG_NOSIGNAL) != sizeof r || rank < 0)
		l->closed = 1;
}

/* All of the token is looked at, whatever it is. */
static int is_known(const struct tape_gather_hello *h, const struct port *d)
{
	int wrong = memcmp(h->magic, TAPE_GATHER_MAGIC, sizeof h->magic);

	for (int i = 0; i < TAPE_GATHER_TOKEN; i++)
		wrong |= h->token[i] ^ d->token[i];
	return !wrong;
}

/* The rank that a process asks for, of a trace in l->p; -1 with a sentence. */
static int find_rank(struct link *l, const struct tape_gather_hello *h,
		     char *error, size_t n)
{
	switch ((enum tape_gather_wish)h->wish) {
	case TAPE_GATHER_TRACE:
		l->begun = 1;
		return program_own(l->p, 0, h->identity, error, n);
	case TAPE_GATHER_RANK:
		return program_own(l->p, h->rank, h->identity, error, n);
	case TAPE_GATHER_TASK:
		l->task = 1;
		return program_number(l->p, h->identity, error, n);
	case TAPE_GATHER_HOSTS:
		break;
	}
	return -1;
}

/* Processes on other hosts are about to be started. */
static void open_to_hosts(struct link *l, struct port *d)
{
	char text[TAPE_GATHER_NAME];

	if (port_open_to_hosts(d))
		snprintf(text, sizeof text, "no port for other hosts: %s",
			 strerror(errno));
	else
		port_text(d, text, sizeof text);
	reply(l, d->n_open == d->n ? 0 : -1, text);
	l->closed = 1;
}

static void greet(struct link *l, struct tape_gather_hello *h,
		  struct port *d, struct programs *all)
{
	char error[1200] = "not a wish of this version";

	h->version[sizeof h->version - 1] = '\0';
	h->name[sizeof h->name - 1] = '\0';
	if (!is_known(h, d)) {
		reply(l, -1, "it follows another run");
		return;
	}
	if (strcmp(h->version, TAPE_VERSION)) {
		snprintf(error, sizeof error,
			 "Tape %s on this host, and %s where it is followed",
			 h->version, TAPE_VERSION);
		reply(l, -1, error);
		return;
	}
	if (h->wish == TAPE_GATHER_HOSTS) {
		open_to_hosts(l, d);
		return;
	}
	if (h->wish == TAPE_GATHER_TRACE)
		l->p = programs_begin(all, h->name, error, sizeof error);
	else if (h->wish == TAPE_GATHER_RANK || h->wish == TAPE_GATHER_TASK)
		l->p = programs_find(all, h->name, error, sizeof error);
	if (l->p)
		l->rank = find_rank(l, h, error, sizeof error);
	if (l->rank < 0)
		l->p = NULL;
	if (!l->p)
		reply(l, -1, error);
	else
		l->bytes =
		    tape_must(realloc(l->bytes, sizeof(uint32_t) +
						    TAPE_GATHER_MESSAGE));
}

void link_settle(struct link **links, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct link *l = links[i];
		int busy = 0;

		if (!l->p || l->replied)
			continue;
		for (size_t k = 0; k < n && !busy; k++)
			busy = links[k]->replied && !links[k]->closed &&
			       links[k]->p == l->p && links[k]->rank == l->rank;
		if (busy)
			continue;
		l->replied = 1;
		for (size_t k = 0; k < n; k++)
			if (links[k] != l && links[k]->p == l->p &&
			    links[k]->replied && links[k]->rank == l->rank)
				links[k]->ignore = 1;
		program_gone(l->p, l->rank, 0);
		reply(l, l->rank, program_dir(l->p));
	}
}

/* How many bytes are to be there next; 0: what is there makes no sense. */
static size_t wanted(const struct link *l)
{
	uint32_t length;

	if (!l->p)
		return sizeof(struct tape_gather_hello);
	if (l->have < sizeof length)
		return sizeof length;
	memcpy(&length, l->bytes, sizeof length);
	return length && length <= TAPE_GATHER_MESSAGE ? sizeof length + length
						       : 0;
}

/* What was wanted is there. Non-zero: no more now. */
static int take(struct link *l, struct port *d, struct programs *all)
{
	const size_t head = sizeof(uint32_t);

	if (!l->p) {
		l->have = 0;
		greet(l, (void *)l->bytes, d, all);
		return 1;
	}
	if (l->have == head)
		return 0;
	l->came = 1;
	l->closed |= program_take(l->p, l->rank, l->bytes + head,
				  l->have - head) != 0;
	l->have = 0;
	return l->closed || program_is_full(l->p);
}

int link_read(struct link *l, struct port *d, struct programs *all)
{
	int some = 0;

	for (int turn = 0; turn < TURNS && !l->closed; turn++) {
		size_t want = wanted(l);
		ssize_t n;

		if (!want) {
			tape_warn("rank %d sent what is no part of a trace",
				  l->rank);
			l->closed = 1;
			break;
		}
		n = recv(l->fd, l->bytes + l->have, want - l->have, 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0) {
			l->closed = 1;
			break;
		}
		some = 1;
		l->have += (size_t)n;
		if (l->have == want && take(l, d, all))
			break;
	}
	return some;
}
