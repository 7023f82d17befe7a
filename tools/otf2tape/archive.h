/*
 * Reads an OTF2 archive by OTF2's library: finds its files and reads the events
 * of a process. Errors of the library end the tool with a message; the library
 * itself prints nothing.
 */
#ifndef OTF2TAPE_ARCHIVE_H
#define OTF2TAPE_ARCHIVE_H

#include <otf2/otf2.h>

#include "defs.h"
#include "eager_limits.h"

struct archive {
	char anchor[4200]; /* the file *.otf2 */
	struct definitions *d;
	int base;          /* enum tape_base */
	int one_clock;	   /* all processes use one clock, even if local */
	char *creator;     /* the program that wrote it */
	char eager[TAPE_DISTANCES][64]; /* lines of meta, or "" */
};

/*
 * Opens an archive by its anchor file, or by the directory of that file, and
 * reads its definitions.
 */
struct archive *archive_open(const char *path);
void archive_close(struct archive *a);

/*
 * Reads all events of n locations of one process in the order of time. Passes
 * own to the callbacks.
 */
void archive_read_events(const struct archive *a,
			 const struct location *const *list, size_t n,
			 const OTF2_GlobalEvtReaderCallbacks *callbacks,
			 void *own);

#endif
