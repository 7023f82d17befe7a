/* A test's clock; see bent.h. Any thread may read it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bend.h"
#include "bent.h"
#include "own_stack.h"
#include "ticks.h"

/* It begins and ends with the run, on a stack that is large enough. */
TAPE_APART_ONLY

/* Readings that are kept: 256 MiB of addresses, used as far as needed. */
enum { KEPT = 1 << 24 };

struct reading {
	uint64_t shown, real;
};

static struct tape_bend bend;
static struct reading *kept;
static uint64_t n_kept, first_ns;

static uint64_t tick(void)
{
	uint64_t real = tape_raw_ns();
	uint64_t shown = tape_bend_read(&bend, first_ns, real);
	uint64_t i = __atomic_fetch_add(&n_kept, 1, __ATOMIC_RELAXED);

	if (i < KEPT)
		kept[i] = (struct reading){ shown, real };
	return shown;
}

/*
 * The bend of rank among "RANK:BEND RANK:BEND": 1 found, 0 none, -1 wrong. All
 * of it is read, so that all ranks agree about that.
 */
static int find(const char *text, int rank, struct tape_bend *b)
{
	struct tape_bend any;
	char word[512];
	int found = 0;

	while (*(text += strspn(text, " "))) {
		size_t n = strcspn(text, " ");
		char *end;
		long r = strtol(text, &end, 10);
		int used;

		if (end == text || *end != ':' || end >= text + n)
			return -1;
		used = snprintf(word, sizeof word, "%.*s",
				(int)(text + n - end - 1), end + 1);
		if (used < 0 || (size_t)used >= sizeof word ||
		    tape_bend_parse(word, &any))
			return -1;
		if (r == rank) {
			*b = any;
			found = 1;
		}
		text += n;
	}
	return found;
}

int tape_bent_start(int rank, char *name)
{
	const char *text = getenv("TAPE_TEST_CLOCK");
	void *room;
	int found;

	*name = '\0';
	if (!text)
		return 0;
	found = find(text, rank, &bend);
	if (found < 0)
		return -1;
	room = mmap(NULL, KEPT * sizeof *kept, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return -1;
	kept = room;
	first_ns = tape_raw_ns();
	tape_clock_is_tsc = 0;
	tape_clock_bent = tick;
	if (found)
		snprintf(name, 32, "bent.%d", rank);
	return 1;
}

int tape_bent_stop(int rank, const char *dir)
{
	uint64_t n = __atomic_load_n(&n_kept, __ATOMIC_RELAXED);
	char path[4200];
	int bad = n > KEPT;
	FILE *out;

	if (!kept)
		return 0;
	snprintf(path, sizeof path, "%.4000s/truth.%d", dir, rank);
	out = fopen(path, "wxe");
	if (!out)
		return -1;
	for (uint64_t i = 0; i < n && i < KEPT; i++)
		fprintf(out, "%llu %llu\n", (unsigned long long)kept[i].shown,
			(unsigned long long)kept[i].real);
	bad |= ferror(out);
	bad |= fclose(out) != 0;
	return bad ? -1 : 0;
}
TAPE_APART_END
