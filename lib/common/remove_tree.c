/* See remove_tree.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "remove_tree.h"

enum { DEEPEST = 64 };

static int remove_any(int at, const char *name, uint64_t *bytes, int depth);

/* Empties the open directory fd, which is closed. */
static int empty_directory(int fd, uint64_t *bytes, int depth)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;
	int rc = 0, why = 0;

	if (!d) {
		close(fd);
		return -1;
	}
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (remove_any(dirfd(d), e->d_name, bytes, depth + 1)) {
			why = errno;
			rc = -1;
		}
	}
	closedir(d);
	errno = why;
	return rc;
}

static int remove_any(int at, const char *name, uint64_t *bytes, int depth)
{
	struct stat st;
	int fd;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -1;
	if (!S_ISDIR(st.st_mode)) {
		*bytes += (uint64_t)st.st_blocks * 512;
		return unlinkat(at, name, 0) && errno != ENOENT ? -1 : 0;
	}
	if (depth > DEEPEST) {
		errno = ELOOP;
		return -1;
	}
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || empty_directory(fd, bytes, depth))
		return -1;
	return unlinkat(at, name, AT_REMOVEDIR) && errno != ENOENT ? -1 : 0;
}

int tape_remove_tree(int at, const char *name, uint64_t *bytes)
{
	uint64_t unused = 0;

	bytes = bytes ? bytes : &unused;
	return remove_any(at, name, bytes, 0);
}
