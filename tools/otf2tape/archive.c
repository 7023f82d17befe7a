/* Reads an archive by OTF2's library; see archive.h. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archive.h"
#include "tape_reader.h"
#include "tool.h"

/* Events that are read between two updates of the progress. */
enum { SOME = 1 << 16 };

/* Suppresses the library's own messages: defs_check() prints errors. */
static OTF2_ErrorCode ignore_otf2_message(void *own, const char *file,
					  uint64_t line, const char *function,
					  OTF2_ErrorCode code,
					  const char *format, va_list args)
{
	(void)own;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)args;
	return code;
}

/* ---- its files ---- */

static int is_anchor(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 5 && !strcmp(e->d_name + n - 5, ".otf2");
}

/* Finds the anchor file in a directory. */
static void find_anchor(const char *path, char *anchor, size_t n)
{
	DIR *d = opendir(path);
	struct dirent *e;
	int found = 0;

	if (!d)
		tape_die(TAPE_FAILED, "%s: %s", path, strerror(errno));
	while ((e = readdir(d)))
		if (is_anchor(e) && !found++ &&
		    (size_t)snprintf(anchor, n, "%s/%s", path, e->d_name) >= n)
			tape_die(TAPE_USAGE, "%s: the name is too long", path);
	closedir(d);
	if (found != 1)
		tape_die(TAPE_FAILED, "%s: %s file *.otf2", path,
			 found ? "there is more than one"
			       : "not an OTF2 archive: there is no");
}

static OTF2_Reader *open_reader(const char *anchor)
{
	OTF2_Reader *r = OTF2_Reader_Open(anchor);

	if (!r || OTF2_Reader_SetSerialCollectiveCallbacks(r))
		tape_die(TAPE_FAILED, "%s: not an OTF2 archive, or a damaged "
			 "one", anchor);
	return r;
}

/* ---- clocks ---- */

static OTF2_CallbackCode on_offset(void *own, OTF2_TimeStamp time,
				   int64_t offset, double deviation)
{
	(void)time;
	(void)offset;
	(void)deviation;
	*(int *)own = 1;
	return OTF2_CALLBACK_SUCCESS;
}

/* Returns 1 if a location has clock offsets. */
static int has_offsets(OTF2_Reader *r, const struct definitions *d)
{
	OTF2_DefReaderCallbacks *c = tape_must(OTF2_DefReaderCallbacks_New());
	OTF2_DefReader *reader;
	uint64_t n;
	int found = 0;

	OTF2_DefReaderCallbacks_SetClockOffsetCallback(c, on_offset);
	for (size_t i = 0; i < d->n_locations; i++)
		OTF2_Reader_SelectLocation(r, d->locations[i].ref);
	if (OTF2_Reader_OpenDefFiles(r)) {
		OTF2_DefReaderCallbacks_Delete(c);
		return 0; /* these files are optional */
	}
	for (size_t i = 0; i < d->n_locations && !found; i++) {
		reader = OTF2_Reader_GetDefReader(r, d->locations[i].ref);
		if (!reader)
			continue;
		OTF2_Reader_RegisterDefCallbacks(r, reader, c, &found);
		OTF2_Reader_ReadAllLocalDefinitions(r, reader, &n);
		OTF2_Reader_CloseDefReader(r, reader);
	}
	OTF2_Reader_CloseDefFiles(r);
	OTF2_DefReaderCallbacks_Delete(c);
	return found;
}

/* Reads the time base that t2otf2 stores in its archives. */
static void read_description(struct archive *a, OTF2_Reader *r)
{
	char *text = NULL;

	if (OTF2_Reader_GetDescription(r, &text) || !text)
		return;
	if (!strcmp(text, "global"))
		a->base = TAPE_BASE_GLOBAL;
	if (!strcmp(text, "corrected"))
		a->base = TAPE_BASE_COMPENSATED;
	a->one_clock = !strcmp(text, "local");
	free(text);
}

/* Limits that t2otf2 stores; what is none is left out. */
static void read_eager_limits(struct archive *a, OTF2_Reader *r)
{
	char line[64], *value = NULL;
	uint64_t bytes;
	int measured;

	for (int d = 0; d < TAPE_DISTANCES; d++) {
		if (!tape_eager_property[d] ||
		    OTF2_Reader_GetProperty(r, tape_eager_property[d],
					    &value) ||
		    !value)
			continue;
		snprintf(line, sizeof line, "%s %.40s", tape_eager_transport[d],
			 value);
		free(value);
		value = NULL;
		if (tape_eager_limit_parse(line, &bytes, &measured) == d)
			snprintf(a->eager[d], sizeof a->eager[d],
				 "%s %" PRIu64 "%s", tape_eager_transport[d],
				 bytes, measured ? " measured" : "");
	}
}

/*
 * If the writer corrected its clocks, there is one clock. Otherwise each
 * process has its own: with some writers, timestamps begin with each process,
 * even on one host.
 */
static void find_base(struct archive *a, OTF2_Reader *r)
{
	if (OTF2_Reader_GetCreator(r, &a->creator) || !a->creator)
		a->creator = strdup("");
	if (!a->creator)
		tape_die_no_memory();
	a->base = TAPE_BASE_LOCAL;
	if (!strncmp(a->creator, "Tape ", 5)) {
		read_description(a, r);
		read_eager_limits(a, r);
	} else if (has_offsets(r, a->d)) {
		a->base = TAPE_BASE_GLOBAL;
	}
	if (a->base != TAPE_BASE_LOCAL)
		a->one_clock = 1;
}

struct archive *archive_open(const char *path)
{
	struct archive *a = tape_must(calloc(1, sizeof *a));
	struct stat s;
	OTF2_Reader *r;

	OTF2_Error_RegisterCallback(ignore_otf2_message, NULL);
	if (stat(path, &s))
		tape_die(TAPE_FAILED, "%s: %s", path, strerror(errno));
	if (S_ISDIR(s.st_mode))
		find_anchor(path, a->anchor, sizeof a->anchor);
	else if ((size_t)snprintf(a->anchor, sizeof a->anchor, "%s", path) >=
		 sizeof a->anchor)
		tape_die(TAPE_USAGE, "%s: the name is too long", path);
	r = open_reader(a->anchor);
	a->d = definitions_read(r, a->anchor);
	find_base(a, r);
	OTF2_Reader_Close(r);
	return a;
}

void archive_close(struct archive *a)
{
	definitions_free(a->d);
	free(a->creator);
	free(a);
}

/* ---- events ---- */

/* Reads the mappings from local numbers to those of the archive, which the
 * library then applies to events. */
static void read_local_definitions(OTF2_Reader *r,
				   const struct location *const *list, size_t n)
{
	OTF2_DefReader *reader;
	uint64_t read;

	for (size_t i = 0; i < n; i++) {
		reader = OTF2_Reader_GetDefReader(r, list[i]->ref);
		if (!reader)
			continue;
		OTF2_Reader_ReadAllLocalDefinitions(r, reader, &read);
		OTF2_Reader_CloseDefReader(r, reader);
	}
}

/*
 * Dies if a file is truncated. OTF2's library does not detect that: it
 * continues to read old data in its memory. The last records of a file are the
 * end of its events and of its chunk.
 */
static void check_file_end(const char *anchor, OTF2_LocationRef location)
{
	char path[4400];
	int end[2] = {0, 0};
	long long size;
	FILE *f;

	snprintf(path, sizeof path, "%.*s/%llu.evt", (int)strlen(anchor) - 5,
		 anchor, (unsigned long long)location);
	f = fopen(path, "rb");
	if (!f)
		return; /* the library reports the error */
	if (!fseek(f, -2, SEEK_END)) {
		end[0] = getc(f);
		end[1] = getc(f);
	}
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	fclose(f);
	if (end[0] != 2 || end[1] != 1)
		tape_die(
		    TAPE_FAILED,
		    "%s: truncated at byte %lld: the last record is incomplete",
		    path, size);
}

static void check_file_ends(const struct archive *a, OTF2_Reader *r,
			    const struct location *const *list, size_t n)
{
	OTF2_FileSubstrate substrate;
	OTF2_Compression compression;

	if (OTF2_Reader_GetFileSubstrate(r, &substrate) ||
	    OTF2_Reader_GetCompression(r, &compression) ||
	    substrate != OTF2_SUBSTRATE_POSIX ||
	    compression != OTF2_COMPRESSION_NONE)
		return;
	for (size_t i = 0; i < n; i++)
		check_file_end(a->anchor, list[i]->ref);
}

void archive_read_events(const struct archive *a,
			 const struct location *const *list, size_t n,
			 const OTF2_GlobalEvtReaderCallbacks *callbacks,
			 void *own)
{
	OTF2_Reader *r = open_reader(a->anchor);
	static unsigned long long events;
	OTF2_GlobalEvtReader *reader;
	char what[64];
	uint64_t read;

	snprintf(what, sizeof what, "events of rank %d", list[0]->rank);
	check_file_ends(a, r, list, n);
	for (size_t i = 0; i < n; i++)
		defs_check(OTF2_Reader_SelectLocation(r, list[i]->ref),
			      a->anchor, what);
	defs_check(OTF2_Reader_OpenEvtFiles(r), a->anchor, what);
	for (size_t i = 0; i < n; i++)
		if (!OTF2_Reader_GetEvtReader(r, list[i]->ref))
			tape_die(TAPE_FAILED, "%s: %s: they cannot be read",
				 a->anchor, what);
	if (!OTF2_Reader_OpenDefFiles(r)) {
		read_local_definitions(r, list, n);
		OTF2_Reader_CloseDefFiles(r);
	}
	reader = OTF2_Reader_GetGlobalEvtReader(r);
	if (!reader)
		tape_die(TAPE_FAILED, "%s: %s: they cannot be read", a->anchor,
			 what);
	defs_check(OTF2_Reader_RegisterGlobalEvtCallbacks(r, reader,
							     callbacks, own),
		      a->anchor, what);
	do {
		defs_check(OTF2_Reader_ReadGlobalEvents(r, reader, SOME,
							   &read),
			      a->anchor, what);
		events += read;
		tape_progress(events, 0);
	} while (read);
	tape_progress(events, 1);
	OTF2_Reader_CloseGlobalEvtReader(r, reader);
	OTF2_Reader_CloseEvtFiles(r);
	OTF2_Reader_Close(r);
}
