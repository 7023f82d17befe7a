/*
 * What a tool makes in the file system before its result is whole. It is
 * removed when the tool ends without having kept it, by exit as by a signal;
 * and nothing else is: a tool may work in a directory of another user, who
 * can put anything there under any name meanwhile. So everything goes by
 * descriptors of directories and by names without a slash, nothing is opened
 * that was there before, and no symbolic link is followed.
 *
 *	struct tape_cleanup *m;
 *	int fd = tape_cleanup_file(dir, "x.part", NULL, &m);
 *	...
 *	tape_cleanup_commit_as(m, "x");
 */
#ifndef TAPE_OUTPUT_CLEANUP_H
#define TAPE_OUTPUT_CLEANUP_H

#include <sys/types.h>

struct tape_cleanup;

/*
 * The directory that path is in, as a descriptor for use with names only;
 * *name receives where its last component begins. -1 with errno.
 */
int tape_parent(const char *path, const char **name);

/*
 * Makes a file, to be written, or a directory in the directory at. at stays
 * open as long as the tool may still end before it is kept; in: the directory
 * made before that it is in and kept with, or NULL. A descriptor, or -1 with
 * errno; *m is valid for good.
 */
int tape_cleanup_file(int at, const char *name, const struct tape_cleanup *in,
		      struct tape_cleanup **m);
int tape_cleanup_directory(int at, const char *name,
			   const struct tape_cleanup *in,
			   struct tape_cleanup **m);

/*
 * The same of a directory that another process has made, which removes it, too:
 * what is made in it here is removed, unless it is kept.
 */
int tape_cleanup_enter_directory(int at, const char *name,
				 struct tape_cleanup **m);

/* A hard link to the file that is open as from: 0, or -1 with errno. */
int tape_cleanup_link(int from, int at, const char *name,
		      const struct tape_cleanup *in);

/*
 * Renames the file within its directory and commits it. new_: fails if the name
 * exists. Returns 0, or -1 with errno.
 */
int tape_cleanup_commit_as(struct tape_cleanup *m, const char *name, int new_);

/* Commits the file under its current name: it is not removed at exit. */
void tape_cleanup_commit(struct tape_cleanup *m);

/* Removes the file, or the directory with the files made in it. */
void tape_cleanup_remove(struct tape_cleanup *m);

/*
 * Removes all that is not kept; safe in a signal handler. Other threads that
 * want to make something meanwhile wait for the end of the process.
 */
void tape_cleanup_remove_all(void);

/* In a child process: what was made is its parent's; signals are as usual. */
void tape_cleanup_reset(void);

#endif
