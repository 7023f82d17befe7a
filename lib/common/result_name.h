/* The names of results that nobody named. */
#ifndef TAPE_RESULT_NAME_H
#define TAPE_RESULT_NAME_H

#include <stddef.h>

/*
 * The result of path, in its folder: its ending from becomes to
 * ("app.sba.tape" -> "app.sba.json"), a name without it gets to added. Slashes
 * at the end do not count. Dies with a sentence where n bytes are too few.
 */
void tape_result_name(const char *path, const char *from, const char *to,
		      char *name, size_t n);

#endif
