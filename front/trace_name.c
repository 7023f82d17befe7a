/* See trace_name.h. */
#include <string.h>

#include "tool.h"
#include "trace_name.h"

static const char ending[] = ".tape";

size_t trace_path_length(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

size_t trace_stem_length(const char *path)
{
	size_t n = trace_path_length(path), end = sizeof ending - 1;

	return n > end && !strncmp(path + n - end, ending, end) ? n - end : n;
}

int trace_is_named(const char *path)
{
	return trace_stem_length(path) < trace_path_length(path);
}

char *trace_path_copy(const char *path)
{
	return tape_must(strndup(path, trace_path_length(path)));
}
