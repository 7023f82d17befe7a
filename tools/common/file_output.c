/* A file that is whole or not there; see file_output.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_output.h"
#include "message.h"

/* The one under way: at_exit has to find it. temporary is "" if in place. */
static struct {
	FILE *f;
	char path[4200], temporary[4232];
} result;

static void at_exit(void)
{
	if (*result.temporary)
		unlink(result.temporary);
}

__attribute__((noreturn)) static void fail(void)
{
	tape_die(TAPE_FAILED, "%s: %s", result.path, strerror(errno));
}

FILE *tape_file_begin(const char *path)
{
	struct stat st;

	if ((size_t)snprintf(result.path, sizeof result.path, "%s", path) >=
	    sizeof result.path)
		tape_die(TAPE_USAGE, "%s: the name is too long", path);
	if (!strcmp(path, "-"))
		return result.f = stdout;
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			tape_die(TAPE_FAILED, "%s: %s", path, strerror(EISDIR));
		result.f = fopen(path, "we");
	} else {
		snprintf(result.temporary, sizeof result.temporary,
			 "%s.part%ld", path, (long)getpid());
		result.f = fopen(result.temporary, "wxe");
		if (!result.f)
			*result.temporary = '\0';
		atexit(at_exit);
	}
	if (!result.f)
		fail();
	return result.f;
}

void tape_file_commit(void)
{
	int bad = ferror(result.f);

	if ((result.f == stdout ? fflush(stdout) : fclose(result.f)) || bad)
		fail();
	if (*result.temporary && rename(result.temporary, result.path))
		fail();
	*result.temporary = '\0';
}
