/* Parallel analysis of one trace; see live_workers.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "growing_array.h"
#include "live_workers.h"
#include "tape_follow.h"
#include "tool.h"

/* Wait for peers before the idle function is called, ms; after PATIENCE such
 * waits the longer one. */
enum { IDLE_MS = 2, LONG_IDLE_MS = 20, PATIENCE = 100 };
/* Open files of a process beside the sockets of workers, at most. */
enum { OTHER_FILES = 300 };

/* The state of a worker in shared memory. */
struct worker_state {
	atomic_int is_idle;
	atomic_ullong unread;
	/* the exchange after which it was last copied; its copy is at work */
	atomic_ullong copied_at;
	atomic_int has_copy;
};

/* What worker 0 requests of all. */
struct copy_request {
	atomic_ullong at;      /* the exchange after which each is copied */
	atomic_int has_failed; /* one of the copies, which all end then */
};

/* The progress of a transfer: the length n, then n bytes. */
struct parcel {
	uint64_t n;
	size_t done; /* bytes transferred, with those of the length */
};

struct live_workers {
	struct tape_peers peers; /* first, for swap_parcels() */
	int *fd;		 /* sockets by worker and peer */
	int *fork_fd;		 /* the same for forked copies of the workers */
	int *copy_fd; /* sockets for copies of sums: ends of 0, of others */
	struct worker_state *state;
	struct copy_request *request;
	int can_fork; /* all of these are open */
	int (*fork)(void *);
	void *forker;
	int is_copy; /* this process is a forked copy of a worker */
	struct parcel *in, *out;
	struct pollfd *polled;
	void (*idle)(void *);
	void *self;
	int is_exchanging;
	/* by worker: bytes received, and the last complete copy */
	struct tape_bytes *incoming, *last;
	struct tape_bytes outgoing; /* the copy being sent, after its length */
	size_t n_sent;		    /* bytes of it that are sent */
};

static int *peer_fd(const struct live_workers *c, int i, int k)
{
	return &c->fd[i * c->peers.n + k];
}

static int *forked_fd(const struct live_workers *c, int i, int k)
{
	return &c->fork_fd[i * c->peers.n + k];
}

static void close_socket(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void open_socket_pair(int *a, int *b)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
		       fds))
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	*a = fds[0];
	*b = fds[1];
}

static int swap_parcels(struct tape_peers *p);

/* Returns memory that all workers share, zero at first. */
static void *map_shared(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	return at;
}

static void open_sockets(struct live_workers *c)
{
	int n = c->peers.n;

	for (int i = 0; i < n; i++) {
		*peer_fd(c, i, i) = *forked_fd(c, i, i) = -1;
		c->copy_fd[0] = c->copy_fd[n] = -1;
		for (int m = 0; m < i; m++)
			open_socket_pair(peer_fd(c, i, m), peer_fd(c, m, i));
		if (i)
			open_socket_pair(&c->copy_fd[i], &c->copy_fd[n + i]);
	}
}

/* Opens the sockets of the forked copies, if a process may open so many: else
 * there are no copies. */
static void open_forked_sockets(struct live_workers *c)
{
	int n = c->peers.n;
	struct rlimit most;

	c->can_fork = !getrlimit(RLIMIT_NOFILE, &most) &&
		      most.rlim_cur > 2 * (rlim_t)n * (rlim_t)n + OTHER_FILES;
	for (int i = 0; i < n; i++)
		for (int m = 0; m < i; m++) {
			*forked_fd(c, i, m) = *forked_fd(c, m, i) = -1;
			if (c->can_fork)
				open_socket_pair(forked_fd(c, i, m),
						 forked_fd(c, m, i));
		}
}

struct live_workers *live_workers_new(int n)
{
	struct live_workers *c;
	size_t k = (size_t)n;

	if (n < 2)
		return NULL;
	c = tape_must(calloc(1, sizeof *c));
	c->peers.n = n;
	c->peers.swap = swap_parcels;
	c->peers.in = tape_must(calloc(k, sizeof *c->peers.in));
	c->peers.out = tape_must(calloc(k, sizeof *c->peers.out));
	c->fd = tape_must(calloc(k * k, sizeof *c->fd));
	c->fork_fd = tape_must(calloc(k * k, sizeof *c->fork_fd));
	c->copy_fd = tape_must(calloc(2 * k, sizeof *c->copy_fd));
	c->in = tape_must(calloc(k, sizeof *c->in));
	c->out = tape_must(calloc(k, sizeof *c->out));
	c->polled = tape_must(calloc(k, sizeof *c->polled));
	c->incoming = tape_must(calloc(k, sizeof *c->incoming));
	c->last = tape_must(calloc(k, sizeof *c->last));
	c->state = map_shared(k * sizeof *c->state);
	c->request = map_shared(sizeof *c->request);
	open_sockets(c);
	open_forked_sockets(c);
	return c;
}

/* Closes the sockets of all peers; me -1: all sockets. */
static void close_peer_sockets(struct live_workers *c, int me)
{
	int n = c->peers.n;

	for (int i = 0; i < n; i++)
		for (int k = 0; i != me && k < n; k++) {
			close_socket(peer_fd(c, i, k));
			close_socket(forked_fd(c, i, k));
		}
	for (int i = 0; i < n; i++) {
		if (me)
			close_socket(&c->copy_fd[i]);
		if (i != me)
			close_socket(&c->copy_fd[n + i]);
	}
}

void live_workers_join(struct live_workers *c, int me)
{
	c->peers.me = me;
	close_peer_sockets(c, me);
}

void live_workers_leave(struct live_workers *c)
{
	if (!c)
		return;
	close_peer_sockets(c, -1);
	munmap(c->state, (size_t)c->peers.n * sizeof *c->state);
	munmap(c->request, sizeof *c->request);
	free(c->fd);
	free(c->fork_fd);
	free(c->copy_fd);
	free(c->peers.in);
	free(c->peers.out);
	free(c->in);
	free(c->out);
	free(c->polled);
	free(c->incoming);
	free(c->last);
	free(c);
}

int live_workers_index(const struct live_workers *c)
{
	return c ? c->peers.me : 0;
}

struct tape_peers *live_workers_peers(struct live_workers *c)
{
	return c ? &c->peers : NULL;
}

void live_workers_on_idle(struct live_workers *c, void (*idle)(void *),
			  void *self)
{
	c->idle = idle;
	c->self = self;
}

/* Ends the process because a worker has exited. Only worker 0 prints it: its
 * copy ends as its workers do. */
__attribute__((noreturn)) static void
die_of_dead_worker(const struct live_workers *c, int who)
{
	if (c->peers.me || c->is_copy)
		exit(TAPE_FAILED);
	tape_die(TAPE_FAILED, "analysis process %d of %d exited unexpectedly",
		 who, c->peers.n);
}

/* ---- exchanging ---- */

/* Sends or receives as much of a parcel as is possible without blocking. */
static void move_parcel(struct live_workers *c, int who, int out)
{
	struct parcel *q = out ? &c->out[who] : &c->in[who];
	struct tape_bytes *b = out ? &c->peers.out[who] : &c->peers.in[who];
	int fd = *peer_fd(c, c->peers.me, who);

	while (q->done < sizeof q->n + q->n) {
		size_t at =
		    q->done < sizeof q->n ? q->done : q->done - sizeof q->n;
		char *from =
		    q->done < sizeof q->n ? (char *)&q->n + at : b->at + at;
		size_t left = q->done < sizeof q->n ? sizeof q->n - at
						    : (size_t)q->n - at;
		ssize_t n = out ? send(fd, from, left, MSG_NOSIGNAL)
				: recv(fd, from, left, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0)
			die_of_dead_worker(c, who);
		q->done += (size_t)n;
		if (!out && q->done == sizeof q->n && q->n > b->room) {
			b->room = (size_t)q->n;
			free(b->at);
			b->at = tape_must(malloc(b->room));
		}
	}
}

/* The length of an incoming parcel is unknown until it is received. */
static int parcel_is_complete(const struct parcel *q)
{
	return q->done >= sizeof q->n && q->done == sizeof q->n + q->n;
}

/* Moves all parcels. Returns 1 if a parcel is not complete. */
static int move_all_parcels(struct live_workers *c)
{
	int more = 0;

	for (int i = 0; i < c->peers.n; i++) {
		short want = 0;

		if (i == c->peers.me)
			continue;
		move_parcel(c, i, 1);
		move_parcel(c, i, 0);
		want |= parcel_is_complete(&c->out[i]) ? 0 : POLLOUT;
		want |= parcel_is_complete(&c->in[i]) ? 0 : POLLIN;
		c->polled[i] = (struct pollfd){
		    want ? *peer_fd(c, c->peers.me, i) : -1, want, 0};
		more |= want != 0;
	}
	return more;
}

/* Moves the records that a worker sends to itself. */
static void swap_own_parcel(struct tape_peers *p)
{
	struct tape_bytes own = p->in[p->me];

	p->in[p->me] = p->out[p->me];
	own.n = 0;
	p->out[p->me] = own;
}

/* ---- copies of all workers at one moment ---- */

void live_workers_on_copy(struct live_workers *c, int (*fork)(void *),
			  void *self)
{
	c->fork = c->can_fork ? fork : NULL;
	c->forker = self;
}

int live_workers_can_copy(const struct live_workers *c)
{
	uint64_t at = atomic_load(&c->request->at);

	for (int i = 0; i < c->peers.n; i++)
		if (atomic_load(&c->state[i].copied_at) != at ||
		    atomic_load(&c->state[i].has_copy))
			return 0;
	return c->fork != NULL;
}

/*
 * No worker ends an exchange before all have begun it: each learns of the
 * request by the end of the next one, and all are in the same state after the
 * one behind that.
 */
void live_workers_request_copy(struct live_workers *c)
{
	atomic_store(&c->request->has_failed, 0);
	atomic_store(&c->request->at, c->peers.swaps + 2);
}

int live_workers_awaits_copy(const struct live_workers *c)
{
	return !c->is_exchanging && !c->peers.me && c->fork &&
	       c->peers.swaps < atomic_load(&c->request->at);
}

void live_workers_end_copy(struct live_workers *c, int has_failed)
{
	if (has_failed)
		atomic_store(&c->request->has_failed, 1);
	atomic_store(&c->state[c->peers.me].has_copy, 0);
}

int live_workers_copy_has_failed(const struct live_workers *c)
{
	return atomic_load(&c->request->has_failed);
}

/* Reads what earlier copies, which have ended, did not receive. */
static void drain_forked_sockets(const struct live_workers *c)
{
	char rest[65536];

	for (int i = 0; i < c->peers.n; i++)
		if (i != c->peers.me)
			while (recv(*forked_fd(c, c->peers.me, i), rest,
				    sizeof rest, 0) > 0)
				;
}

/* In the copy: its peers are the copies, and the workers see nothing of it. */
static void become_copy(struct live_workers *c)
{
	struct worker_state *own =
	    tape_must(calloc((size_t)c->peers.n, sizeof *own));

	c->is_copy = 1;
	c->fd = c->fork_fd;
	c->state = own;
	c->fork = NULL;
	c->idle = NULL;
}

static void copy_after_exchange(struct live_workers *c)
{
	struct worker_state *own = &c->state[c->peers.me];
	uint64_t at = atomic_load(&c->request->at);
	int made;

	if (!c->fork || c->peers.swaps > at)
		return;
	if (c->peers.swaps + 1 == at)
		drain_forked_sockets(c);
	if (c->peers.swaps != at)
		return;
	atomic_store(&own->has_copy, 1);
	atomic_store(&own->copied_at, at);
	made = c->fork(c->forker);
	if (made > 0)
		become_copy(c);
	else if (made < 0)
		live_workers_end_copy(c, 1);
}

static int swap_parcels(struct tape_peers *p)
{
	struct live_workers *c = (struct live_workers *)p;
	int before = atomic_load(&c->state[p->me].is_idle);

	for (int i = 0; i < p->n; i++) {
		c->out[i] = (struct parcel){p->out[i].n, 0};
		c->in[i] = (struct parcel){0, 0};
		p->bytes += i == p->me ? 0 : p->out[i].n;
	}
	c->polled[p->me].fd = -1;
	c->is_exchanging = 1;
	for (int tries = 0; move_all_parcels(c); tries++) {
		atomic_store(&c->state[p->me].is_idle, 1);
		if (!poll(c->polled, (nfds_t)p->n,
			  tries < PATIENCE ? IDLE_MS : LONG_IDLE_MS) &&
		    c->idle)
			c->idle(c->self);
	}
	c->is_exchanging = 0;
	live_workers_mark_idle(c, before);
	for (int i = 0; i < p->n; i++) {
		if (i == p->me)
			continue;
		p->in[i].n = (size_t)c->in[i].n;
		p->out[i].n = 0;
	}
	swap_own_parcel(p);
	p->swaps++;
	copy_after_exchange(c);
	return 0;
}

int live_workers_has_request(struct live_workers *c)
{
	if (c->is_exchanging)
		return 0;
	for (int i = 0; i < c->peers.n; i++)
		c->polled[i] = (struct pollfd){
		    i == c->peers.me ? -1 : *peer_fd(c, c->peers.me, i), POLLIN,
		    0};
	return poll(c->polled, (nfds_t)c->peers.n, 0) > 0;
}

void live_workers_check_alive(struct live_workers *c)
{
	char one;

	for (int i = 0; i < c->peers.n; i++)
		if (i != c->peers.me &&
		    !recv(*peer_fd(c, c->peers.me, i), &one, 1, MSG_PEEK))
			die_of_dead_worker(c, i);
}

/* ---- at the start ---- */

struct seen {
	uint64_t ranks, flows, domains;
	int32_t tasks, consumes;
};

int live_workers_agree(struct live_workers *c, struct tape_trace *t,
		       int *consumes)
{
	struct tape_peers *p = &c->peers;
	struct seen me = {tape_trace_ranks(t), tape_trace_flows(t),
			  tape_trace_domains(t),
			  tape_trace_rank(t, 0)->tid != 0, *consumes};
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	int together = !me.tasks;

	for (int i = 0; i < p->n; i++)
		if (tape_peers_put(p, i, 0, &me, sizeof me))
			tape_die_no_memory();
	swap_parcels(p);
	while ((data = tape_peers_next(p, &at, &kind, &bytes))) {
		struct seen s;

		memcpy(&s, data, sizeof s);
		together &= s.ranks == me.ranks && s.flows == me.flows &&
			    s.domains == me.domains && s.tasks == me.tasks;
		if (!at.from)
			*consumes = s.consumes;
	}
	if (together && tape_peers_partition(p, t))
		tape_die_no_memory();
	return together;
}

/* ---- shared state ---- */

void live_workers_mark_idle(struct live_workers *c, int waits)
{
	atomic_store(&c->state[c->peers.me].is_idle, waits);
}

int live_workers_all_idle(const struct live_workers *c)
{
	int all = 1;

	for (int i = 0; i < c->peers.n; i++)
		all &= atomic_load(&c->state[i].is_idle);
	return all;
}

void live_workers_set_unread(struct live_workers *c, uint64_t bytes)
{
	atomic_store(&c->state[c->peers.me].unread, bytes);
}

uint64_t live_workers_peer_unread(const struct live_workers *c)
{
	uint64_t sum = 0;

	for (int i = 0; i < c->peers.n; i++)
		sum += i == c->peers.me ? 0 : atomic_load(&c->state[i].unread);
	return sum;
}

/* ---- copies ---- */

static void send_pending_copy(struct live_workers *c)
{
	struct tape_bytes *b = &c->outgoing;

	while (c->n_sent < b->n) {
		ssize_t n =
		    send(c->copy_fd[c->peers.n + c->peers.me],
			 b->at + c->n_sent, b->n - c->n_sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		c->n_sent += (size_t)n;
	}
	b->n = c->n_sent = 0;
}

void live_workers_send_copy(struct live_workers *c, struct tape_bytes *copy)
{
	struct tape_bytes *b = &c->outgoing;
	uint64_t n;

	send_pending_copy(c);
	if (!copy)
		return;
	n = copy->n;
	copy->n = 0;
	if (b->n)
		return;
	if (b->room < sizeof n + n) {
		b->room = sizeof n + (size_t)n;
		free(b->at);
		b->at = tape_must(malloc(b->room));
	}
	memcpy(b->at, &n, sizeof n);
	memcpy(b->at + sizeof n, copy->at, (size_t)n);
	b->n = sizeof n + (size_t)n;
	send_pending_copy(c);
}

/* Moves the last complete copy out of the received bytes. */
static void extract_last_copy(struct tape_bytes *incoming,
			      struct tape_bytes *last)
{
	uint64_t n;

	while (incoming->n >= sizeof n) {
		memcpy(&n, incoming->at, sizeof n);
		if (incoming->n - sizeof n < n)
			return;
		if (last->room < n) {
			last->room = (size_t)n;
			free(last->at);
			last->at = tape_must(malloc(last->room));
		}
		memcpy(last->at, incoming->at + sizeof n, (size_t)n);
		last->n = (size_t)n;
		incoming->n -= sizeof n + (size_t)n;
		memmove(incoming->at, incoming->at + sizeof n + n, incoming->n);
	}
}

static void receive_copies(struct live_workers *c, int who)
{
	struct tape_bytes *b = &c->incoming[who];
	ssize_t n;

	do {
		b->at = tape_must(
		    tape_grow_array(b->at, &b->room, b->n + 65536, 1));
		n = recv(c->copy_fd[who], b->at + b->n, b->room - b->n, 0);
		if (n > 0)
			b->n += (size_t)n;
	} while (n > 0);
	extract_last_copy(b, &c->last[who]);
}

const struct tape_bytes *live_workers_read_copies(struct live_workers *c)
{
	for (int i = 1; i < c->peers.n; i++)
		receive_copies(c, i);
	return c->last;
}
