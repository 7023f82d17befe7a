/* The port that traced processes connect to; see port.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port.h"
#include "tool.h"

enum { QUEUE = 1024, TRIES = 20 };

/* Keep-alive times: they detect the loss of a remote host. */
enum { IDLE_S = 10, PROBE_S = 5, PROBES = 3 };

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

/* Opens a port that the kernel chooses, at the loopback address. */
static void open_loopback_port(struct port *d)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t n = sizeof at;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	d->fds[0] = bind_at((struct sockaddr *)&at, sizeof at);
	if (d->fds[0] < 0 || listen(d->fds[0], QUEUE) ||
	    getsockname(d->fds[0], (struct sockaddr *)&at, &n))
		tape_die(TAPE_FAILED, "cannot listen on a port: %s",
			 strerror(errno));
	d->number = ntohs(at.sin_port);
	d->n = d->n_open = 1;
	*d->addresses = '\0';
	d->n_left_out = 0;
}

/* Returns 1 if other hosts may reach this one at that address. */
static int is_remote_address(const struct ifaddrs *a)
{
	const struct sockaddr_in6 *six = (const void *)a->ifa_addr;

	if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) ||
	    (a->ifa_flags & IFF_LOOPBACK))
		return 0;
	return a->ifa_addr->sa_family == AF_INET ||
	       (a->ifa_addr->sa_family == AF_INET6 &&
		!IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr));
}

/* Returns 1 if the address is in the list, which is separated by commas. */
static int address_is_listed(const char *list, const char *address)
{
	size_t n = strlen(address);

	for (const char *at = list; *at; at += *at == ',') {
		if (!strncmp(at, address, n) && (!at[n] || at[n] == ','))
			return 1;
		at += strcspn(at, ",");
	}
	return 0;
}

/*
 * Reserves the port at an address of this host before it listens, so that no
 * other user's program can get the port there. Interfaces may share an address.
 * Returns 1 if another process has the port there, else 0.
 */
static int reserve_address(struct port *d, struct sockaddr *address)
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
	    address_is_listed(d->addresses, text + 1))
		return 0;
	if (d->n == 1 + PORT_ADDRESSES ||
	    used + strlen(text) >= sizeof d->addresses) {
		d->n_left_out++;
		return 0;
	}
	fd = bind_at(address, is_six ? sizeof *six : sizeof *four);
	if (fd < 0)
		return errno == EADDRINUSE;
	strcpy(d->addresses + used, text + !used);
	d->fds[d->n++] = fd;
	return 0;
}

/*
 * Reserves the port at all addresses. If another process has the port at an
 * address, returns -1; or, if is_last, continues without that address.
 */
static int reserve_all(struct port *d, const struct ifaddrs *list, int is_last)
{
	for (const struct ifaddrs *a = list; a; a = a->ifa_next)
		if (is_remote_address(a) && reserve_address(d, a->ifa_addr)) {
			if (!is_last)
				return -1;
			d->n_left_out++;
		}
	return 0;
}

void port_open(struct port *d)
{
	struct ifaddrs *list = NULL;

	make_token(d);
	if (getifaddrs(&list))
		list = NULL;
	for (int i = 0;; i++) {
		open_loopback_port(d);
		if (!reserve_all(d, list, i == TRIES))
			break;
		while (d->n)
			close(d->fds[--d->n]);
	}
	if (list)
		freeifaddrs(list);
}

int port_open_to_hosts(struct port *d)
{
	if (d->n_left_out && d->n_open < d->n)
		tape_warn("%d addresses of this host are announced to the "
			  "other hosts; %d more are not",
			  d->n - 1, d->n_left_out);
	for (; d->n_open < d->n; d->n_open++)
		if (listen(d->fds[d->n_open], QUEUE))
			return -1;
	return 0;
}

void port_text(const struct port *d, char *text, size_t n)
{
	/* without a network, other hosts may be containers on this host */
	snprintf(text, n, "%d:%s:%s", d->number, d->token,
		 d->n > 1 && d->n_open == d->n ? d->addresses
					       : TAPE_GATHER_HERE);
}

void port_print(const struct port *d)
{
	char text[TAPE_GATHER_NAME];

	port_text(d, text, sizeof text);
	puts(text);
	if (fflush(stdout) || ferror(stdout))
		tape_die(TAPE_FAILED, "standard output: %s", strerror(errno));
	if (!freopen("/dev/null", "w", stdout))
		close(STDOUT_FILENO);
}

static void set_keepalive(int fd)
{
	const int on = 1, idle = IDLE_S, interval = PROBE_S, n = PROBES;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &n, sizeof n);
}

int port_accept(struct port *d, int i)
{
	int fd;

	do
		fd = accept4(d->fds[i], NULL, NULL,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd >= 0)
		set_keepalive(fd);
	return fd;
}
