/* Opens small files; see file_input.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "file_input.h"
#include "tool.h"

enum { MIB_MAX = 16 };

FILE *tape_file_input(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	FILE *f = NULL;

	if (fd < 0 || fstat(fd, &st))
		tape_die(TAPE_FAILED, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		tape_die(TAPE_FAILED, "%s: %s", path, strerror(EISDIR));
	if (!S_ISREG(st.st_mode))
		tape_die(TAPE_FAILED, "%s: not a plain file", path);
	if (st.st_size > (off_t)MIB_MAX << 20)
		tape_die(TAPE_FAILED, "%s: larger than %d MiB", path, MIB_MAX);
	f = tape_must(fdopen(fd, "r"));
	return f;
}
