/*
 * Feeds a live page: prints its address, then publishes each line "PROGRAM
 * JSON" of standard input; "sleep MS" waits. At the end of the input it stops.
 *	live_feed [-n] [PORT]	-n: without a token
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live_page.h"

int main(int argc, char **argv)
{
	int token = !(argc > 1 && !strcmp(argv[1], "-n"));
	int port = argc > 2 - token ? atoi(argv[2 - token]) : 0;
	const char *why;
	struct live_page *p = live_page_start(port, token, &why);
	char *line = NULL;
	size_t room = 0;

	if (!p) {
		fprintf(stderr, "live_feed: %s\n", why);
		return 1;
	}
	puts(live_page_address(p));
	fflush(stdout);
	while (getline(&line, &room, stdin) > 0) {
		char *end;
		unsigned long n;

		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "sleep ", 6)) {
			long ms = atol(line + 6);
			struct timespec t = {ms / 1000, ms % 1000 * 1000000};

			nanosleep(&t, NULL);
			continue;
		}
		n = strtoul(line, &end, 10);
		live_page_publish(p, n, end + (*end == ' '));
	}
	free(line);
	live_page_stop(p);
	return 0;
}
