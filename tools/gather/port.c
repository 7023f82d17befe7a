/* Where others connect; see port.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port.h"
#include "tool.h"

enum { QUEUE = 1024, TRIES = 20 };

static void make_token(struct port *d)
{
	unsigned char b[TAPE_GATHER_TOKEN / 2];

	if (getrandom(b, sizeof b, 0) != sizeof b)
		tape_die(TAPE_FAILED, "no random bytes: %s", strerror(errno));
	for (size_t i = 0; i < sizeof b; i++)
		snprintf(d->token + 2 * i, 3, "%02x", b[i]);
}

/* A socket at that address, which does not listen yet; -1 with errno. */
static int bind_at(const struct sockaddr *address, socklen_t n)
{
	int fd = socket(address->sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1;

	if (fd < 0)
		return -1;
	if (address->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	if (bind(fd, address, n)) {
		int e = errno;

		close(fd);
		errno = e;
		return -1;
	}
	return fd;
}

/* This host's own address, at a port that the kernel chooses. */
static void open_here(struct port *d)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t n = sizeof at;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	d->fds[0] = bind_at((struct sockaddr *)&at, sizeof at);
	if (d->fds[0] < 0 || listen(d->fds[0], QUEUE) ||
	    getsockname(d->fds[0], (struct sockaddr *)&at, &n))
		tape_die(TAPE_FAILED, "no port to listen on: %s",
			 strerror(errno));
	d->number = ntohs(at.sin_port);
	d->n = d->n_open = 1;
	*d->addresses = '\0';
}

/* An address of one link only is of no use elsewhere. */
static int is_for_others(const struct ifaddrs *a)
{
	const struct sockaddr_in6 *six = (const void *)a->ifa_addr;

	if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) ||
	    (a->ifa_flags & IFF_LOOPBACK))
		return 0;
	return a->ifa_addr->sa_family == AF_INET ||
	       (a->ifa_addr->sa_family == AF_INET6 &&
		!IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr));
}

/*
 * The port at an address of this host: nobody else gets it while it does not
 * listen, so that no other user's program can be taken for this one. Non-zero:
 * somebody has it.
 */
static int reserve(struct port *d, struct sockaddr *address)
{
	char text[INET6_ADDRSTRLEN + 1];
	struct sockaddr_in *four = (void *)address;
	struct sockaddr_in6 *six = (void *)address;
	int is_six = address->sa_family == AF_INET6, fd;
	size_t used = strlen(d->addresses);

	text[0] = ',';
	if (is_six)
		six->sin6_port = htons((uint16_t)d->number);
	else
		four->sin_port = htons((uint16_t)d->number);
	if (!inet_ntop(address->sa_family,
		       is_six ? (void *)&six->sin6_addr
			      : (void *)&four->sin_addr,
		       text + 1, sizeof text - 1) ||
	    used + strlen(text) >= sizeof d->addresses)
		return 0;
	fd = bind_at(address, is_six ? sizeof *six : sizeof *four);
	if (fd < 0)
		return errno == EADDRINUSE;
	strcpy(d->addresses + used, text + !used);
	d->fds[d->n++] = fd;
	return 0;
}

/* The same port at all addresses. Non-zero: somebody has it at one of them. */
static int reserve_all(struct port *d, const struct ifaddrs *list)
{
	for (const struct ifaddrs *a = list; a; a = a->ifa_next)
		if (d->n < 1 + PORT_ADDRESSES && is_for_others(a) &&
		    reserve(d, a->ifa_addr))
			return -1;
	return 0;
}

void port_open(struct port *d)
{
	struct ifaddrs *list = NULL;

	make_token(d);
	if (getifaddrs(&list))
		list = NULL;
	for (int i = 0;; i++) {
		open_here(d);
		/* in the end without the addresses at which it is taken */
		if (!reserve_all(d, list) || i == TRIES)
			break;
		while (d->n)
			close(d->fds[--d->n]);
	}
	if (list)
		freeifaddrs(list);
}

int port_open_to_hosts(struct port *d)
{
	for (; d->n_open < d->n; d->n_open++)
		if (listen(d->fds[d->n_open], QUEUE))
			return -1;
	return 0;
}

void port_text(const struct port *d, char *text, size_t n)
{
	/* without a network others may be in containers of this host */
	snprintf(text, n, "%d:%s:%s", d->number, d->token,
		 d->n > 1 && d->n_open == d->n ? d->addresses
					       : TAPE_GATHER_HERE);
}

void port_print(const struct port *d)
{
	char text[TAPE_GATHER_NAME];

	port_text(d, text, sizeof text);
	puts(text);
	fflush(stdout);
	if (!freopen("/dev/null", "w", stdout))
		close(STDOUT_FILENO);
}

int port_accept(struct port *d, int i)
{
	int fd;

	do
		fd = accept4(d->fds[i], NULL, NULL,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	return fd;
}
