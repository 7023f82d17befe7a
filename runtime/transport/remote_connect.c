/* Connection to the host of the analyser; see remote_connect.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "remote_connect.h"
#include "own_stack.h"

TAPE_ON_OWN_STACK

enum {
	ADDRESSES = 32,
	CONNECT_MS = 5000,
	REPLY_MS = 20000 /* the other side may be busy */
};

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t bytes;
};

static int read_address(struct address *a, const char *text, uint16_t port)
{
	memset(a, 0, sizeof *a);
	if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1) {
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = htons(port);
		a->bytes = sizeof a->v4;
	} else if (inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = htons(port);
		a->bytes = sizeof a->v6;
	} else {
		return -1;
	}
	return 0;
}

/* Waits at most ms milliseconds for events of fd. Returns 0 or an errno. */
static int await_socket(int fd, short events, int ms)
{
	struct pollfd p = {fd, events, 0};
	int rc = (int)TEMP_FAILURE_RETRY(poll(&p, 1, ms));

	return rc < 0 ? errno : rc ? 0 : ETIMEDOUT;
}

/* Begins to connect: a descriptor that does not block, or -1 with errno. */
static int begin_connect(const struct address *a)
{
	int fd = socket(a->any.sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && connect(fd, &a->any, a->bytes) && errno != EINPROGRESS &&
	    errno != EINTR) {
		int e = errno;

		close(fd);
		fd = -1;
		errno = e;
	}
	return fd;
}

/* Is it connected? -1 with errno where it will not be. */
static int is_connected(int fd)
{
	socklen_t n = sizeof(int);
	int why = 0, one = 1;

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &n))
		why = errno;
	if (why) {
		errno = why;
		return -1;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
	return 1;
}

/*
 * The first of the addresses that answers: its descriptor, or -1 with errno. A
 * host has some that others cannot reach, which say nothing for a long time.
 */
static int connect_any(const struct address *a, int n)
{
	struct pollfd p[ADDRESSES];
	uint64_t end = tape_raw_ns() + CONNECT_MS * UINT64_C(1000000), now;
	int left = 0, found = -1, why = EADDRNOTAVAIL;

	for (int i = 0; i < n; i++) {
		p[i] = (struct pollfd){begin_connect(&a[i]), POLLOUT, 0};
		left += p[i].fd >= 0;
		why = p[i].fd < 0 ? errno : why;
	}
	while (left && found < 0 && (now = tape_raw_ns()) < end) {
		why = ETIMEDOUT;
		if (poll(p, (nfds_t)n, (int)((end - now) / 1000000) + 1) <= 0)
			continue;
		for (int i = 0; i < n && found < 0; i++) {
			if (p[i].fd < 0 || !p[i].revents)
				continue;
			if (is_connected(p[i].fd) > 0) {
				found = p[i].fd;
			} else {
				why = errno;
				close(p[i].fd);
				left--;
			}
			p[i].fd = -1;
		}
	}
	for (int i = 0; i < n; i++)
		if (p[i].fd >= 0)
			close(p[i].fd);
	errno = why;
	return found;
}

/* All n bytes, or -1 with errno. Only for what begins a connection. */
static int send_all(int fd, const void *from, size_t n)
{
	const char *at = from;

	while (n) {
		ssize_t done = send(fd, at, n, MSG_NOSIGNAL);

		if (done < 0 && errno == EAGAIN)
			done = -!!(errno = await_socket(fd, POLLOUT, REPLY_MS));
		else if (done < 0 && errno == EINTR)
			done = 0;
		if (done < 0)
			return -1;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

static int receive_all(int fd, void *to, size_t n)
{
	char *at = to;

	while (n) {
		ssize_t done = recv(fd, at, n, 0);

		if (!done)
			errno = ECONNRESET;
		if (!done || (done < 0 && errno != EAGAIN && errno != EINTR))
			return -1;
		if (done < 0 && (errno = await_socket(fd, POLLIN, REPLY_MS)))
			return -1;
		if (done < 0)
			continue;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

/* One of the addresses that TAPE_GATHER has answers: its descriptor. */
static int find_host(char *its_token, char *error, size_t en)
{
	const char *value = secure_getenv(TAPE_GATHER_VARIABLE);
	char text[2048], *token, *list, *at, *next;
	struct address a[ADDRESSES];
	int fd, port, n = 0;

	snprintf(text, sizeof text, "%s", value ? value : "");
	token = strchr(text, ':');
	list = token ? strchr(token + 1, ':') : NULL;
	port = atoi(text);
	if (!list || port <= 0 || port > 65535 ||
	    list - token - 1 != TAPE_GATHER_TOKEN) {
		snprintf(error, en,
			 TAPE_GATHER_VARIABLE " does not belong to this user");
		return -1;
	}
	memcpy(its_token, token + 1, TAPE_GATHER_TOKEN);
	for (at = list + 1; at && n < ADDRESSES; at = next) {
		next = strchr(at, ',');
		if (next)
			*next++ = '\0';
		n += !read_address(&a[n], at, (uint16_t)port);
	}
	fd = connect_any(a, n);
	if (fd < 0)
		snprintf(error, en,
			 "the analysing host does not respond (%.800s): %s",
			 strchr(strchr(value, ':') + 1, ':') + 1,
			 strerror(errno));
	return fd;
}

/*
 * Sends hello and receives the reply. Returns 0, -1 with a message, or 1 if the
 * connection ended before the reply. Then another attempt may succeed: the port
 * may have had too many connections.
 */
static int exchange_hello(int fd, const struct tape_gather_hello *hello,
			  struct tape_gather_reply *reply, char *error,
			  size_t en)
{
	if (send_all(fd, hello, sizeof *hello) ||
	    receive_all(fd, reply, sizeof *reply)) {
		int e = errno;

		snprintf(error, en, "the analysing host does not respond: %s",
			 strerror(e));
		return e == ECONNRESET || e == EPIPE ? 1 : -1;
	}
	reply->text[sizeof reply->text - 1] = '\0';
	if (reply->rank < 0) {
		snprintf(error, en, "%.1000s", reply->text);
		return -1;
	}
	return 0;
}

int tape_remote_connect(struct tape_gather_hello *hello,
			struct tape_gather_reply *reply, char *error, size_t en)
{
	uint64_t end = tape_raw_ns() + REPLY_MS * UINT64_C(1000000);
	static const struct timespec pause = {0, 50000000};

	for (;;) {
		int fd = find_host(hello->token, error, en), rc;

		if (fd < 0)
			return -1;
		rc = exchange_hello(fd, hello, reply, error, en);
		if (!rc)
			return fd;
		close(fd);
		if (rc < 0 || tape_raw_ns() > end)
			return -1;
		nanosleep(&pause, NULL);
	}
}

int tape_remote_is_local(void)
{
	const char *value = secure_getenv(TAPE_GATHER_VARIABLE);
	const char *last = value ? strrchr(value, ':') : NULL;

	return last && !strcmp(last + 1, TAPE_GATHER_HERE);
}

int tape_remote_admit_hosts(char *error, size_t en)
{
	struct tape_gather_hello hello = {.request = TAPE_GATHER_HOSTS};
	struct tape_gather_reply reply;
	int fd;

	memcpy(hello.magic, TAPE_GATHER_MAGIC, sizeof hello.magic);
	snprintf(hello.version, sizeof hello.version, "%s", TAPE_VERSION);
	fd = tape_remote_connect(&hello, &reply, error, en);
	if (fd < 0)
		return -1;
	close(fd);
	if (!setenv(TAPE_GATHER_VARIABLE, reply.text, 1))
		return 0;
	snprintf(error, en, "%s", strerror(errno));
	return -1;
}
TAPE_ON_OWN_STACK_END
