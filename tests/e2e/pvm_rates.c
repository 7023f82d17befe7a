/*
 * Calls pvm_getrbuf and pvm_bufinfo as often as possible for some seconds, the
 * second every third time. Prints how long that took in milliseconds, how often
 * each was called, and the nanoseconds around all calls.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	double ns = argc > 1 ? 1e9 * atof(argv[1]) : 1e9;
	double begin, entry, around = 0;
	int buffer, bytes, tag, tid;
	long often = 0, rare = 0;

	pvm_mytid();
	buffer = pvm_initsend(PvmDataDefault);
	begin = entry = now_ns();
	while (entry - begin < ns) {
		entry = now_ns();
		pvm_getrbuf();
		if (often++ % 3 == 0) {
			pvm_bufinfo(buffer, &bytes, &tag, &tid);
			rare++;
		}
		around += now_ns() - entry;
	}
	printf("%.0f %ld %ld %.0f\n", (now_ns() - begin) / 1e6, often, rare,
	       around);
	pvm_exit();
	return 0;
}
