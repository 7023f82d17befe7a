/*
 * pack TRACE > input: turns a trace directory into an input of the target
 * trace, for the corpus. Slots lose their padding; see input.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

static unsigned char slot[TAPE_CHUNK_BYTES];

static void marker(char kind)
{
	printf("\xf5\xfa%c", kind);
}

/* A definition file as it is. */
static void pack_text(const char *trace, const char *name, char kind)
{
	char path[4200];
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "%.4000s/%s", trace, name);
	f = fopen(path, "rb");
	if (!f)
		return;
	marker(kind);
	while ((n = fread(slot, 1, sizeof slot, f)))
		fwrite(slot, 1, n, stdout);
	fclose(f);
}

/* Of the slot, n bytes: an open one has those up to the last that is not 0. */
static size_t used(size_t n)
{
	struct tape_chunk c;

	if (n < TAPE_CHUNK_HEADER)
		return n;
	tape_chunk_get(slot, &c);
	if (c.used && c.used <= n - TAPE_CHUNK_HEADER)
		return TAPE_CHUNK_HEADER + c.used;
	while (n > TAPE_CHUNK_HEADER && !slot[n - 1])
		n--;
	return n;
}

static void pack_flow(const char *trace, const char *name, char kind)
{
	char path[4200];
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "%.4000s/%s", trace, name);
	f = fopen(path, "rb");
	if (!f)
		return;
	while ((n = fread(slot, 1, sizeof slot, f))) {
		n = used(n);
		marker(kind);
		fwrite(slot, 1, n, stdout);
		kind = 's';
	}
	fclose(f);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: pack trace > input\n");
		return 2;
	}
	putchar(FUZZ_SEAL | FUZZ_CHAIN);
	pack_text(argv[1], "meta", 'm');
	pack_text(argv[1], "rank.0", '0');
	pack_text(argv[1], "rank.1", '1');
	pack_text(argv[1], "clocks", 'c');
	pack_text(argv[1], "sites", 'p');
	pack_flow(argv[1], "flow.0.0", 'a');
	pack_flow(argv[1], "flow.0.1", 't');
	pack_flow(argv[1], "flow.1.0", 'b');
	return fflush(stdout) || ferror(stdout);
}
