/*
 * Reads a trace and says how fast: bench/read TRACE [merge]. Prints events,
 * seconds, million events a second, MiB of memory.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tape_reader.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	const struct tape_event *e;
	struct tape_trace *t;
	uint64_t n = 0, check = 0;
	struct rusage u;
	double start;
	int rc = 0;

	if (argc < 2 || tape_trace_open(argv[1], &t)) {
		fprintf(stderr, "read: %s\n",
			argc < 2 ? "which trace?" : tape_trace_error(t));
		return 1;
	}
	start = now();
	if (argc > 2 && !strcmp(argv[2], "merge")) {
		struct tape_merge *m;

		rc = tape_merge_open(t, &m);
		while (!rc && (rc = tape_merge_next(m, &e)) == 1) {
			n++;
			check += (uint64_t)e->end_ns;
			rc = 0;
		}
		if (rc < 0)
			fprintf(stderr, "read: %s\n", tape_merge_error(m));
		tape_merge_close(m);
	} else {
		for (size_t i = 0; i < tape_trace_flows(t) && rc >= 0; i++) {
			struct tape_flow *f;

			rc = tape_flow_open(t, i, &f);
			while (!rc && (rc = tape_flow_next(f, &e)) == 1) {
				n++;
				check += (uint64_t)e->end_ns;
				rc = 0;
			}
			if (rc < 0)
				fprintf(stderr, "read: %s\n",
					tape_flow_error(f));
			tape_flow_close(f);
		}
	}
	start = now() - start;
	getrusage(RUSAGE_SELF, &u);
	printf("%llu events %.3f s %.2f M/s %ld MiB (%llx)\n",
	       (unsigned long long)n, start, (double)n / start / 1e6,
	       u.ru_maxrss / 1024, (unsigned long long)check);
	tape_trace_close(t);
	return rc < 0;
}
