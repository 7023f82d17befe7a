/*
 * Fuzz target: an input is a whole trace directory (input_trace.h), opened and
 * read to the end.
 */
#include "input_trace.h"
#include "input.h"
#include "walk.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	fuzz_trace_folder();
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
	const char *path = fuzz_trace_write(data, n);
	char text[1024];

	if (path)
		fuzz_walk_trace(path, text, sizeof text);
	return 0;
}
