/* Files that are installed with this program. */
#ifndef TAPE_INSTALLED_FILE_H
#define TAPE_INSTALLED_FILE_H

#include <stddef.h>

/*
 * Stores the path of ../FOLDER/NAME, relative to this program, in n bytes. The
 * file need not exist. Returns 0, or -1 if the path is too long; path is then
 * empty.
 */
int tape_find_installed(const char *folder, const char *name, char *path,
			size_t n);

#endif
