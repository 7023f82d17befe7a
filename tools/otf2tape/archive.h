/*
 * An OTF2 archive through OTF2's library: where its files are, and reading a
 * part of its events. What the library says is wrong ends the tool with a
 * sentence; of its own the library prints nothing.
 */
#ifndef OTF2TAPE_ARCHIVE_H
#define OTF2TAPE_ARCHIVE_H

#include <otf2/otf2.h>

#include "defs.h"

struct archive {
	char anchor[4200]; /* the file *.otf2 */
	struct definitions *d;
	int base;          /* enum tape_base */
	int one_clock;     /* all processes read one, also if it is local */
	char *creator;     /* the program that wrote it */
};

/*
 * Opens an archive by its anchor file, or by the directory that has one, and
 * reads its definitions.
 */
struct archive *archive_open(const char *path);
void archive_close(struct archive *a);

/*
 * Reads all events of n locations, which are of one process, in order of time:
 * callbacks get own. what: who reads, for sentences.
 */
void archive_read_events(const struct archive *a,
			 const struct location *const *list, size_t n,
			 const OTF2_GlobalEvtReaderCallbacks *callbacks,
			 void *own);

#endif
