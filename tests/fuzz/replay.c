/*
 * Stands in for libFuzzer: gives each file named to the target, as TAP. A
 * finding ends the process, by the sanitizers or by abort; an input that
 * takes longer than ten seconds ends it by SIGALRM.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "input.h"

#define INPUT_MAX ((size_t)1 << 20)

/* Reads one byte too far on request: is a finding a failure here? */
static void self_test(void)
{
	volatile unsigned char *p = malloc(4);

	if (p && getenv("FUZZ_SELF_TEST"))
		p[0] = p[4];
	free((void *)p);
}

int main(int argc, char **argv)
{
	unsigned char *bytes = malloc(INPUT_MAX);
	size_t all = 0;

	if (!bytes || LLVMFuzzerInitialize(&argc, &argv))
		return 2;
	self_test();
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		size_t n;

		if (!f) {
			perror(argv[i]);
			free(bytes);
			return 2;
		}
		n = fread(bytes, 1, INPUT_MAX, f);
		fclose(f);
		/* which one it was, should the next lines be the last */
		fprintf(stderr, "# %s\n", argv[i]);
		alarm(10);
		LLVMFuzzerTestOneInput(bytes, n);
		all += n;
	}
	free(bytes);
	printf("replayed %d inputs, %zu bytes\n", argc - 1, all);
	return 0;
}
