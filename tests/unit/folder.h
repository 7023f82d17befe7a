/* A new folder for a unit test's traces, and files in it. */
#ifndef FOLDER_H
#define FOLDER_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static inline void folder_make(void)
{
	snprintf(folder, sizeof folder, "/tmp/tape-unit.XXXXXX");
	if (!mkdtemp(folder)) {
		perror(folder);
		exit(2);
	}
}

/* "NAME" or "NAME/FILE" in the folder; static storage for four of them. */
static inline const char *folder_path(const char *name, const char *file)
{
	static char path[4][256];
	static unsigned turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof *path, "%s/%s%s%s", folder, name, file ? "/" : "",
		 file ? file : "");
	return p;
}

static inline void folder_remove_in(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char inner[600];

	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(inner, sizeof inner, "%.300s/%s", path, e->d_name);
		if (unlink(inner))
			folder_remove_in(inner);
	}
	if (d)
		closedir(d);
	rmdir(path);
}

static inline void folder_remove(void)
{
	folder_remove_in(folder);
}

/* Writes a file anew; the bytes of an existing one are lost. */
static inline void folder_write(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
		perror(path);
		exit(2);
	}
}

/* Overwrites bytes within a file. */
static inline void folder_poke(const char *path, long at, const void *bytes,
			       size_t n)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || pwrite(fd, bytes, n, at) != (ssize_t)n) {
		perror(path);
		exit(2);
	}
	close(fd);
}
#endif
