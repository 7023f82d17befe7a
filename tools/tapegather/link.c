/* The connection of a remote process; see link.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link.h"
#include "tool.h"

/* Time for the hello of a new connection. */
enum { HELLO_MS = 20000 };

/* Most successive reads of one link, before other links are read. */
enum { TURNS = 8 };

struct link {
	int fd;
	int64_t since_ms;
	struct program *p; /* NULL: no hello has arrived */
	int rank;
	int is_task;	  /* it asked for the next free rank */
	int has_begun;	  /* it asked for a new trace */
	int is_replied;	  /* it has got the reply to its hello */
	int is_closed;	  /* it has ended */
	int is_replaced;  /* its process has connected again */
	int has_data;	  /* some part of a trace has arrived */
	size_t n_bytes;
	unsigned char *bytes; /* of a hello, or of a message with its length */
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

int link_is_anonymous(const struct link *l)
{
	return !l->p;
}

int link_is_full(struct link *l)
{
	return l->p && l->is_replied && program_is_full(l->p);
}

int link_is_waiting(const struct link *l)
{
	return l->p && !l->is_replied;
}

int link_has_ended(const struct link *l, int64_t now_ms)
{
	return l->is_closed || (!l->p && now_ms - l->since_ms > HELLO_MS) ||
	       (l->p && program_is_closed(l->p));
}

void link_free(struct link *l)
{
	if (l->p && l->is_replied && !l->is_replaced) {
		if (!l->has_data && (l->is_task || l->has_begun))
			program_remove_rank(l->p, l->rank);
		else
			program_mark_ended(l->p, l->rank, 1);
	}
	close(l->fd);
	free(l->bytes);
	free(l);
}

/* Sends the reply, which fits into the kernel's buffer of a new connection. */
static void send_reply(struct link *l, int rank, const char *text)
{
	struct tape_gather_reply r = {.rank = rank};

	snprintf(r.text, sizeof r.text, "%s", text);
	if (send(l->fd, &r, sizeof r, MSG_NOSIGNAL) != sizeof r || rank < 0)
		l->is_closed = 1;
}

/* Compares the whole token, so that the time does not depend on how much of it
 * is right. */
static int token_matches(const struct tape_gather_hello *h,
			 const struct port *d)
{
	int wrong = memcmp(h->magic, TAPE_GATHER_MAGIC, sizeof h->magic);

	for (int i = 0; i < TAPE_GATHER_TOKEN; i++)
		wrong |= h->token[i] ^ d->token[i];
	return !wrong;
}

/* Returns the rank of l->p that the process requests; -1 with a message. */
static int find_rank(struct link *l, const struct tape_gather_hello *h,
		     char *error, size_t n)
{
	switch ((enum tape_gather_request)h->request) {
	case TAPE_GATHER_TRACE:
		l->has_begun = 1;
		return program_claim_rank(l->p, 0, h->identity, error, n);
	case TAPE_GATHER_RANK:
		return program_claim_rank(l->p, h->rank, h->identity, error, n);
	case TAPE_GATHER_TASK:
		l->is_task = 1;
		return program_claim_next_rank(l->p, h->identity, error, n);
	case TAPE_GATHER_HOSTS:
		break;
	}
	return -1;
}

/* Opens the port to other hosts, on which processes are about to start. */
static void open_to_hosts(struct link *l, struct port *d)
{
	char text[TAPE_GATHER_NAME];

	if (port_open_to_hosts(d))
		snprintf(text, sizeof text,
			 "cannot open a port for other hosts: %s",
			 strerror(errno));
	else
		port_text(d, text, sizeof text);
	send_reply(l, d->n_open == d->n ? 0 : -1, text);
	l->is_closed = 1;
}

static void handle_hello(struct link *l, struct tape_gather_hello *h,
			 struct port *d, struct programs *all)
{
	char error[1200] = "unknown request type (different version of Tape?)";

	h->version[sizeof h->version - 1] = '\0';
	h->name[sizeof h->name - 1] = '\0';
	if (!token_matches(h, d)) {
		send_reply(
		    l, -1,
		    "the tape-gather at this address belongs to another run");
		return;
	}
	if (strcmp(h->version, TAPE_VERSION)) {
		snprintf(
		    error, sizeof error,
		    "Tape %s on this host, but Tape %s on the analysing host",
		    h->version, TAPE_VERSION);
		send_reply(l, -1, error);
		return;
	}
	if (h->request == TAPE_GATHER_HOSTS) {
		open_to_hosts(l, d);
		return;
	}
	if (h->request == TAPE_GATHER_TRACE)
		l->p = programs_create_trace(all, h->name, error, sizeof error);
	else if (h->request == TAPE_GATHER_RANK ||
		 h->request == TAPE_GATHER_TASK)
		l->p = programs_find_trace(all, h->name, error, sizeof error);
	if (l->p)
		l->rank = find_rank(l, h, error, sizeof error);
	if (l->rank < 0)
		l->p = NULL;
	if (!l->p)
		send_reply(l, -1, error);
	else
		l->bytes =
		    tape_must(realloc(l->bytes, sizeof(uint32_t) +
						    TAPE_GATHER_MESSAGE));
}

void link_reply_pending(struct link **links, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct link *l = links[i];
		int busy = 0;

		if (!l->p || l->is_replied)
			continue;
		for (size_t k = 0; k < n && !busy; k++)
			busy = links[k]->is_replied && !links[k]->is_closed &&
			       links[k]->p == l->p && links[k]->rank == l->rank;
		if (busy)
			continue;
		l->is_replied = 1;
		for (size_t k = 0; k < n; k++)
			if (links[k] != l && links[k]->p == l->p &&
			    links[k]->is_replied && links[k]->rank == l->rank)
				links[k]->is_replaced = 1;
		program_mark_ended(l->p, l->rank, 0);
		send_reply(l, l->rank, program_dir(l->p));
	}
}

/* Returns the number of bytes that must be received before they are processed;
 * 0: the received data is not valid. */
static size_t count_wanted(const struct link *l)
{
	uint32_t length;

	if (!l->p)
		return sizeof(struct tape_gather_hello);
	if (l->n_bytes < sizeof length)
		return sizeof length;
	memcpy(&length, l->bytes, sizeof length);
	return length && length <= TAPE_GATHER_MESSAGE ? sizeof length + length
						       : 0;
}

/* Processes the received bytes. Returns 1 if no more are read now. */
static int process_bytes(struct link *l, struct port *d, struct programs *all)
{
	const size_t head = sizeof(uint32_t);

	if (!l->p) {
		l->n_bytes = 0;
		handle_hello(l, (void *)l->bytes, d, all);
		return 1;
	}
	if (l->n_bytes == head)
		return 0;
	l->has_data = 1;
	l->is_closed |= program_write_message(l->p, l->rank, l->bytes + head,
					      l->n_bytes - head) != 0;
	l->n_bytes = 0;
	return l->is_closed || program_is_full(l->p);
}

int link_read(struct link *l, struct port *d, struct programs *all)
{
	int some = 0;

	for (int turn = 0; turn < TURNS && !l->is_closed; turn++) {
		size_t want = count_wanted(l);
		ssize_t n;

		if (!want) {
			tape_warn(
			    "rank %d: invalid data received; connection closed",
			    l->rank);
			l->is_closed = 1;
			break;
		}
		n = recv(l->fd, l->bytes + l->n_bytes, want - l->n_bytes, 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0) {
			l->is_closed = 1;
			break;
		}
		some = 1;
		l->n_bytes += (size_t)n;
		if (l->n_bytes == want && process_bytes(l, d, all))
			break;
	}
	return some;
}
