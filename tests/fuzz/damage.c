/*
 * damage TRACE: cuts a trace's files short and flips their bits, one damage
 * at a time, and reads all of it each time. Every reading must end in order or
 * with a sentence that names file and place; what the checksum covers must
 * never pass. A crash is the sanitizers' affair, a hang that of the alarm.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "tap.h"
#include "tape_reader.h"
#include "walk.h"

#define FILE_MAX (8 * TAPE_CHUNK_BYTES)
#define TRUNCATIONS 300 /* by file, about */
#define FLIPS 400
#define SEED 20240607u

struct damaged {
	char name[40];
	size_t n;
	unsigned char bytes[FILE_MAX];
	size_t n_used;
	unsigned used[FILE_MAX]; /* offsets */
	unsigned errors, clean, silent, nameless;
};

static char folder[64];
static uint64_t state = SEED;

static size_t below(size_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(state >> 33) % n;
}

static int is_flow(const struct damaged *d)
{
	return !strncmp(d->name, "flow.", 5);
}

/* Is byte at of a flow a record of a sealed chunk? */
static int is_record(const struct damaged *d, size_t at)
{
	size_t slot = at - at % TAPE_CHUNK_BYTES;
	struct tape_chunk c;

	if (!is_flow(d) || slot + TAPE_CHUNK_HEADER > d->n)
		return 0;
	tape_chunk_get(d->bytes + slot, &c);
	return at >= slot + TAPE_CHUNK_HEADER &&
	       at < slot + TAPE_CHUNK_HEADER + c.used;
}

/* Errors without a line or an offset, being about a file as a whole. */
static int is_whole(const char *sentence)
{
	static const char *const about[] = {
		"the number of ranks is missing", "no clock domain",
		"a newer version than this", "clock line",
		"which is newer than this version",
		"no such rank in meta", "more members than the ranks say",
	};

	for (size_t i = 0; i < sizeof about / sizeof *about; i++)
		if (strstr(sentence, about[i]))
			return 1;
	return 0;
}

/* Reads the trace with d's file as it is now. */
static void read_damaged(struct damaged *d, int must_fail, size_t at)
{
	char sentence[1024];
	size_t stem = strlen(folder);
	int rc;

	alarm(10);
	rc = fuzz_walk_trace(folder, sentence, sizeof sentence);
	if (rc)
		d->errors++;
	else
		d->clean++;
	if (!rc && must_fail) {
		d->silent++;
		printf("# %s: byte %zu: nobody saw it\n", d->name, at);
	}
	if (rc && (strncmp(sentence, folder, stem) ||
		   (!strstr(sentence, ": line ") &&
		    !strstr(sentence, ": offset ") && !is_whole(sentence)))) {
		d->nameless++;
		printf("# %s: byte %zu: %s\n", d->name, at, sentence);
	}
}

static void truncate_at(struct damaged *d, size_t n)
{
	/* a flow cut between two chunks is one of a killed process */
	int must_fail = is_flow(d) && n % TAPE_CHUNK_BYTES &&
			(n % TAPE_CHUNK_BYTES < TAPE_CHUNK_HEADER ||
			 is_record(d, n));

	fuzz_file(folder, d->name, d->bytes, n);
	read_damaged(d, must_fail, n);
}

static void flip(struct damaged *d, size_t at, unsigned bit)
{
	d->bytes[at] ^= (unsigned char)(1u << bit);
	fuzz_file(folder, d->name, d->bytes, d->n);
	d->bytes[at] ^= (unsigned char)(1u << bit);
	read_damaged(d, is_record(d, at), at);
}

/* Notes the bytes that hold something: padding is not worth the time. */
static void find_used(struct damaged *d)
{
	for (size_t at = 0; at < d->n; at++)
		if (!is_flow(d) ||
		    at % TAPE_CHUNK_BYTES < TAPE_CHUNK_HEADER ||
		    is_record(d, at))
			d->used[d->n_used++] = (unsigned)at;
}

static void damage(struct damaged *d)
{
	size_t step;

	find_used(d);
	step = d->n_used / TRUNCATIONS + 1;
	for (size_t i = 0; i < d->n_used; i += step)
		truncate_at(d, d->used[i]);
	ok(!d->silent && !d->nameless,
	   "%s cut short: %u errors that name the place, %u clean ends",
	   d->name, d->errors, d->clean);
	d->errors = d->clean = d->silent = d->nameless = 0;
	for (size_t i = 0; i < FLIPS; i++)
		flip(d, d->used[below(d->n_used)], (unsigned)below(8));
	ok(!d->silent && !d->nameless,
	   "%s with one bit flipped: %u errors that name the place, "
	   "%u clean ends", d->name, d->errors, d->clean);
	fuzz_file(folder, d->name, d->bytes, d->n);
}

/* Copies the trace to memory, its files in order of name. */
static size_t load(const char *trace, struct damaged *files, size_t room)
{
	struct dirent **names;
	int found = scandir(trace, &names, NULL, alphasort);
	size_t n = 0;

	for (int i = 0; i < found; i++) {
		struct damaged *d = &files[n < room ? n : 0];
		char path[4400];
		FILE *f = NULL;

		snprintf(path, sizeof path, "%.4000s/%s", trace,
			 names[i]->d_name);
		snprintf(d->name, sizeof d->name, "%.39s", names[i]->d_name);
		if (*d->name != '.' && n < room)
			f = fopen(path, "rb");
		free(names[i]);
		if (!f)
			continue;
		d->n = fread(d->bytes, 1, sizeof d->bytes, f);
		fclose(f);
		fuzz_file(folder, d->name, d->bytes, d->n);
		n += d->n != 0;
	}
	if (found >= 0)
		free(names);
	return n;
}

int main(int argc, char **argv)
{
	enum { ROOM = 16 };
	struct damaged *files = calloc(ROOM, sizeof *files);
	char sentence[1024];
	size_t n;

	if (argc != 2 || !files)
		return 2;
	fuzz_folder(folder, sizeof folder);
	n = load(argv[1], files, ROOM);
	printf("# seed %u\n", SEED);
	ok(n >= 4 && !fuzz_walk_trace(folder, sentence, sizeof sentence),
	   "the whole trace of %zu files is read", n);
	for (size_t i = 0; i < n; i++)
		damage(&files[i]);
	fuzz_folder_remove(folder);
	free(files);
	return done();
}
