/* Whether a path is a trace; see is_trace.h. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "is_trace.h"

int tape_is_trace(const char *path)
{
	char name[4200];
	struct stat st;

	if (stat(path, &st) || strlen(path) > 4096)
		return 1;
	if (!S_ISDIR(st.st_mode))
		return 0;
	snprintf(name, sizeof name, "%s/meta", path);
	return !stat(name, &st);
}
