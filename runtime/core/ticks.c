/* The event clock of this process; see ticks.h. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "ticks.h"

int tape_clock_is_tsc;

uint64_t tape_raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* First line of a small file into s; "" when it cannot be read. */
static void first_line(const char *path, char *s, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, s, n - 1);

	if (fd >= 0)
		close(fd);
	s[got > 0 ? got : 0] = '\0';
	s[strcspn(s, "\n")] = '\0';
}

int tape_clock_choose(enum tape_clock_source wanted)
{
	char source[64] = "";

	if (TAPE_HAS_COUNTER)
		first_line("/sys/devices/system/clocksource/clocksource0/"
			   "current_clocksource", source, sizeof source);
	tape_clock_is_tsc = TAPE_HAS_COUNTER && wanted != TAPE_CLOCK_RAW &&
			    !strcmp(source, TAPE_COUNTER_CLOCK);
	return wanted == TAPE_CLOCK_TSC && !tape_clock_is_tsc ? TAPE_ERANGE : 0;
}

void tape_clock_anchor(uint64_t *tick, uint64_t *ns, uint32_t *slack)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 4; i++) {
		uint64_t a = tape_tick();
		uint64_t t = tape_clock_is_tsc ? tape_raw_ns() : a;
		uint64_t b = tape_tick();

		if (b - a >= best)
			continue;
		best = b - a;
		*tick = a + best / 2;
		*ns = t;
	}
	if (!tape_clock_is_tsc)
		*tick = *ns, best = 0;
	*slack = best > UINT32_MAX ? UINT32_MAX : (uint32_t)best;
}

double tape_clock_hz(void)
{
	const struct timespec pause = { 0, 1000000 };
	uint64_t t0, n0, t1, n1;
	uint32_t slack;

	if (!tape_clock_is_tsc)
		return 1e9;
	tape_clock_anchor(&t0, &n0, &slack);
	do { /* others may need the processor meanwhile */
		nanosleep(&pause, NULL);
		tape_clock_anchor(&t1, &n1, &slack);
	} while (n1 - n0 < 1000000);
	return (double)(t1 - t0) * 1e9 / (double)(n1 - n0);
}

void tape_clock_domain(char *name, unsigned n)
{
	char boot[64], space[64];
	ssize_t got = readlink("/proc/self/ns/time", space, sizeof space - 1);

	first_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
	space[got > 0 ? got : 0] = '\0';
	if (!*boot)
		gethostname(boot, sizeof boot - 1);
	snprintf(name, n, "%s:%s:%s",
		 tape_clock_is_tsc ? "tsc" : "monotonic_raw", boot,
		 strncmp(space, "time:", 5) ? space : space + 5);
}

int64_t tape_clock_asleep_ns(void)
{
	int64_t best = INT64_MAX, asleep = 0;

	for (int i = 0; i < 4; i++) {
		struct timespec a, t, b;
		int64_t before, after;

		clock_gettime(CLOCK_MONOTONIC, &a);
		clock_gettime(CLOCK_BOOTTIME, &t);
		clock_gettime(CLOCK_MONOTONIC, &b);
		before = a.tv_sec * 1000000000ll + a.tv_nsec;
		after = b.tv_sec * 1000000000ll + b.tv_nsec;
		if (after - before >= best)
			continue;
		best = after - before;
		asleep = t.tv_sec * 1000000000ll + t.tv_nsec - before -
			 best / 2;
	}
	return asleep;
}
