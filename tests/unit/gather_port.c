/*
 * Addresses at which tape-gather reserves its port. getifaddrs and bind are of
 * this test: the host has addresses as it says, and at some of them another
 * process always has the port.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port.h"
#include "tap.h"

enum { MOST = 64 };

static struct ifaddrs list[MOST];
static struct sockaddr_in address[MOST];
static in_addr_t taken;

int getifaddrs(struct ifaddrs **first)
{
	*first = list;
	return 0;
}

void freeifaddrs(struct ifaddrs *first)
{
	(void)first;
}

int bind(int fd, const struct sockaddr *to, socklen_t n)
{
	const struct sockaddr_in *four = (const void *)to;

	if (taken && four->sin_addr.s_addr == taken) {
		errno = EADDRINUSE;
		return -1;
	}
	return (int)syscall(SYS_bind, fd, to, n);
}

/* The host has the addresses 127.0.0.N for the numbers N. */
static void set_addresses(const int *number, int n)
{
	char text[32];

	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof text, "127.0.0.%d", number[i]);
		address[i] = (struct sockaddr_in){.sin_family = AF_INET};
		inet_pton(AF_INET, text, &address[i].sin_addr);
		list[i] =
		    (struct ifaddrs){.ifa_flags = IFF_UP,
				     .ifa_addr = (struct sockaddr *)&address[i],
				     .ifa_next = i + 1 < n ? &list[i + 1]
							   : NULL};
	}
}

static void close_port(struct port *d)
{
	while (d->n)
		close(d->fds[--d->n]);
}

int main(void)
{
	static const int shared[] = {2, 3, 2, 4, 22, 4};
	struct port d = {0};
	char text[TAPE_GATHER_NAME];
	int many[MOST];

	set_addresses(shared, 6);
	port_open(&d);
	ok(!strcmp(d.addresses, "127.0.0.2,127.0.0.3,127.0.0.4,127.0.0.22"),
	   "addresses of several interfaces count once: %s", d.addresses);
	ok(d.n == 5 && !d.n_left_out, "and have one descriptor each");
	close_port(&d);

	taken = inet_addr("127.0.0.3");
	port_open(&d);
	ok(!strcmp(d.addresses, "127.0.0.2,127.0.0.4,127.0.0.22"),
	   "the others remain where the port is never free at one: %s",
	   d.addresses);
	ok(d.n_left_out == 1, "and it is counted");
	close_port(&d);

	taken = 0;
	d.n_left_out = 0;
	for (int i = 0; i < MOST; i++)
		many[i] = i + 2;
	set_addresses(many, MOST);
	port_open(&d);
	ok(d.n == 1 + PORT_ADDRESSES && d.n_left_out == MOST - PORT_ADDRESSES,
	   "of many addresses it says how many are left out: %d",
	   d.n_left_out);
	port_open_to_hosts(&d);
	port_text(&d, text, sizeof text);
	ok(strstr(text, ":127.0.0.2,127.0.0.3,") && strstr(text, ".33"),
	   "and tells the others");
	close_port(&d);
	return done();
}
