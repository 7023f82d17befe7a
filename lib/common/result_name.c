/* See result_name.h. */
#include <stdio.h>
#include <string.h>

#include "result_name.h"
#include "tool.h"

void tape_result_name(const char *path, const char *from, const char *to,
		      char *name, size_t n)
{
	size_t len = strlen(path), f = strlen(from);

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len > f && path[len - f - 1] != '/' &&
	    !strncmp(path + len - f, from, f))
		len -= f;
	if (len > n ||
	    (size_t)snprintf(name, n, "%.*s%s", (int)len, path, to) >= n)
		tape_die(TAPE_USAGE, "%s: the name is too long", path);
}
