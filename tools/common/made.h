/*
 * What a tool makes in the file system before its result is whole. It is
 * removed when the tool ends without having kept it, by exit as by a signal;
 * and nothing else is: a tool may work in a directory of somebody else, who
 * can put anything there under any name meanwhile. So everything goes by
 * descriptors of directories and by names without a slash, nothing is opened
 * that was there before, and no symbolic link is followed.
 *
 *	struct tape_made *m;
 *	int fd = tape_made_file(dir, "x.part", NULL, &m);
 *	...
 *	tape_made_rename(m, "x");
 */
#ifndef TAPE_MADE_H
#define TAPE_MADE_H

#include <sys/types.h>

struct tape_made;

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
int tape_made_file(int at, const char *name, const struct tape_made *in,
		   struct tape_made **m);
int tape_made_directory(int at, const char *name, const struct tape_made *in,
			struct tape_made **m);

/*
 * The same of a directory that another process has made, which removes it, too:
 * what is made in it here is removed, unless it is kept.
 */
int tape_made_enter(int at, const char *name, struct tape_made **m);

/* A hard link to the file that is open as from: 0, or -1 with errno. */
int tape_made_link(int from, int at, const char *name,
		   const struct tape_made *in);

/*
 * Gives it its final name in the same directory, and keeps it. new_: only if
 * there is nothing of that name. 0, or -1 with errno.
 */
int tape_made_rename(struct tape_made *m, const char *name, int new_);

/* Keeps it under the name that it has. */
void tape_made_keep(struct tape_made *m);

/* Removes it, and what was made in it. */
void tape_made_remove(struct tape_made *m);

/*
 * Removes all that is not kept; safe in a signal handler. Other threads that
 * want to make something meanwhile wait for the end of the process.
 */
void tape_made_remove_all(void);

/* In a child process: what was made is its parent's; signals are as usual. */
void tape_made_forget(void);

#endif
