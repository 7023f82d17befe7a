/*
 * A network's faults between a host and its switch, where the kernel has no
 * netem: the port is a pair of TAP devices and this process between them.
 *
 *	slow_port OUTSIDE INSIDE [-d OUT_US] [-b BACK_US] [-l PERCENT]
 *	          [-r BITS_A_SECOND] [-p FROM_S+LENGTH_S]
 *
 * makes both devices, prints "ready", and carries frames until it is killed.
 * INSIDE is to be moved into the host's network namespace, OUTSIDE to be a port
 * of the switch. -d delays what comes from INSIDE, -b what goes there. -l loses
 * frames at random, -r is the rate of each direction, -p loses all frames from
 * the start of the process on: for LENGTH_S, from FROM_S.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { FRAME = 65536 + 64, QUEUE = 4096 };

struct frame {
	int64_t due;
	size_t size;
	unsigned char *data;
};

/* One direction: frames in order, the first one at head. */
struct way {
	int from, to;
	int64_t delay, free;
	struct frame queue[QUEUE];
	unsigned head, n;
};

static double loss, rate, cut_from, cut_length;
static uint64_t state = 20260;

static void fail(const char *what)
{
	fprintf(stderr, "slow_port: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int is_lost(int64_t since)
{
	double s = (double)since / 1e9;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (s >= cut_from && s < cut_from + cut_length) ||
	       (double)(state >> 11) / 9007199254740992.0 < loss;
}

static int tap(const char *name)
{
	struct ifreq r = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r))
		fail(name);
	return fd;
}

/* Takes what has come; a full queue loses it, as a switch does. */
static void take(struct way *w, int64_t begun)
{
	static unsigned char data[FRAME];
	ssize_t n;

	while ((n = read(w->from, data, sizeof data)) > 0) {
		int64_t t = now();
		struct frame *f = &w->queue[(w->head + w->n) % QUEUE];

		if (w->n == QUEUE || is_lost(t - begun))
			continue;
		if (w->free < t)
			w->free = t;
		w->free += rate > 0 ? (int64_t)(8e9 * (double)n / rate) : 0;
		f->due = w->free + w->delay;
		f->size = (size_t)n;
		f->data = malloc(f->size);
		if (!f->data)
			fail("a frame");
		memcpy(f->data, data, f->size);
		w->n++;
	}
}

/* Gives what is due; how long until the next is, ns; -1: there is none. */
static int64_t give(struct way *w)
{
	while (w->n) {
		struct frame *f = &w->queue[w->head];
		int64_t left = f->due - now();

		if (left > 0)
			return left;
		/* a device that is down loses it */
		if (write(w->to, f->data, f->size) < 0 && errno == EAGAIN)
			return 100000;
		free(f->data);
		w->head = (w->head + 1) % QUEUE;
		w->n--;
	}
	return -1;
}

static void options(int argc, char **argv, struct way *way)
{
	int c;

	while ((c = getopt(argc, argv, "d:b:l:r:p:")) != -1)
		if (c == 'd')
			way[0].delay = (int64_t)(1e3 * atof(optarg));
		else if (c == 'b')
			way[1].delay = (int64_t)(1e3 * atof(optarg));
		else if (c == 'l')
			loss = atof(optarg) / 100;
		else if (c == 'r')
			rate = atof(optarg);
		else if (c != 'p' ||
			 sscanf(optarg, "%lf+%lf", &cut_from, &cut_length) != 2)
			exit(2);
}

int main(int argc, char **argv)
{
	static struct way way[2];
	int64_t begun = now();
	int out, in;

	options(argc, argv, way);
	if (argc - optind != 2)
		exit(2);
	out = tap(argv[optind]);
	in = tap(argv[optind + 1]);
	way[0].from = way[1].to = in;
	way[0].to = way[1].from = out;
	puts("ready");
	fflush(stdout);
	for (;;) {
		struct pollfd p[2] = { { in, POLLIN, 0 }, { out, POLLIN, 0 } };
		int64_t a = give(&way[0]), b = give(&way[1]);
		int64_t left = a < 0 || (b >= 0 && b < a) ? b : a;
		struct timespec t = { left / 1000000000, left % 1000000000 };

		if (ppoll(p, 2, left < 0 ? NULL : &t, NULL) < 0 &&
		    errno != EINTR)
			fail("poll");
		take(&way[0], begun);
		take(&way[1], begun);
	}
}
