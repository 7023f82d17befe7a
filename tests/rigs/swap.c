/*
 * swap FOLDER VICTIM WORD ROUNDS SECONDS: what a hostile owner of FOLDER can
 * do while a tool works there. Each directory with WORD in its name that
 * appears is moved aside, and a symbolic link to VICTIM takes its name. Ends
 * after that many swaps or seconds and prints how many it made.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

static int swap(const char *name, const char *victim)
{
	static int n;
	char aside[64];

	snprintf(aside, sizeof aside, "aside.%d", n++);
	return !rename(name, aside) && !symlink(victim, name);
}

int main(int argc, char **argv)
{
	char bytes[4096] __attribute__((aligned(8)));
	int fd = inotify_init1(IN_CLOEXEC), swaps = 0, rounds;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	time_t end;
	ssize_t n;

	if (argc != 6 || chdir(argv[1]) ||
	    inotify_add_watch(fd, ".", IN_CREATE) < 0)
		return 2;
	rounds = atoi(argv[4]);
	end = time(NULL) + atoi(argv[5]);
	puts("ready");
	fflush(stdout);
	while (swaps < rounds && time(NULL) < end) {
		if (poll(&p, 1, 100) <= 0 ||
		    (n = read(fd, bytes, sizeof bytes)) <= 0)
			continue;
		for (char *at = bytes; at < bytes + n;) {
			const struct inotify_event *e = (void *)at;

			if (e->mask & IN_ISDIR && strstr(e->name, argv[3]))
				swaps += swap(e->name, argv[2]);
			at += sizeof *e + e->len;
		}
	}
	printf("%d\n", swaps);
	return 0;
}
