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

enum { QUEUE = 1024, ADDRESSES = 32 };

static void make_token(struct port *d)
{
	unsigned char b[TAPE_GATHER_TOKEN / 2];

	if (getrandom(b, sizeof b, 0) != sizeof b)
		tape_die(TAPE_FAILED, "no random bytes: %s", strerror(errno));
	for (size_t i = 0; i < sizeof b; i++)
		snprintf(d->token + 2 * i, 3, "%02x", b[i]);
}

/* Both families by one socket, where the kernel has the second. */
static int listen_on(int family, const struct sockaddr *any, socklen_t n)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int off = 0;

	if (fd < 0)
		return -1;
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	if (bind(fd, any, n) || listen(fd, QUEUE)) {
		close(fd);
		return -1;
	}
	return fd;
}

void port_open(struct port *d)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	struct sockaddr_in four = {.sin_family = AF_INET};
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} at;
	socklen_t n = sizeof at;

	make_token(d);
	d->fd = listen_on(AF_INET6, (struct sockaddr *)&six, sizeof six);
	if (d->fd < 0)
		d->fd =
		    listen_on(AF_INET, (struct sockaddr *)&four, sizeof four);
	if (d->fd < 0 || getsockname(d->fd, &at.any, &n))
		tape_die(TAPE_FAILED, "no port to listen on: %s",
			 strerror(errno));
	/* in both at the same place */
	d->port = ntohs(at.four.sin_port);
}

/* In numbers; an address of one link only is of no use elsewhere. */
static const char *text_of(const struct ifaddrs *a, char *text, socklen_t n)
{
	const struct sockaddr_in6 *six;
	const struct sockaddr_in *four;

	if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) ||
	    (a->ifa_flags & IFF_LOOPBACK))
		return NULL;
	if (a->ifa_addr->sa_family == AF_INET) {
		four = (const void *)a->ifa_addr;
		return inet_ntop(AF_INET, &four->sin_addr, text, n);
	}
	six = (const void *)a->ifa_addr;
	if (a->ifa_addr->sa_family != AF_INET6 ||
	    IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr))
		return NULL;
	return inet_ntop(AF_INET6, &six->sin6_addr, text, n);
}

void port_print(const struct port *d)
{
	struct ifaddrs *list = NULL;
	char text[INET6_ADDRSTRLEN];
	int n = 0;

	printf("%d:%s:", d->port, d->token);
	if (getifaddrs(&list))
		list = NULL;
	for (struct ifaddrs *a = list; a && n < ADDRESSES; a = a->ifa_next)
		if (text_of(a, text, sizeof text))
			printf("%s%s", n++ ? "," : "", text);
	/* without a network others may be in containers of this host */
	printf("%s\n", n ? "" : "127.0.0.1");
	freeifaddrs(list);
	fflush(stdout);
	if (!freopen("/dev/null", "w", stdout))
		close(STDOUT_FILENO);
}

int port_accept(struct port *d)
{
	int fd;

	do
		fd = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	return fd;
}
