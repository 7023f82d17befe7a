/* See rankfile.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "file_output.h"
#include "rankfile.h"
#include "tool.h"

/* The number of the step of a type ("Core:5": 5), or -1 if there is none. */
static long step_number(const char *position, const char *type)
{
	size_t end = tape_position_find(position, type), from = end;
	const char *stop;
	int64_t n;

	while (from && position[from - 1] != '/' && position[from - 1] != ':')
		from--;
	if (!end || !from || position[from - 1] != ':')
		return -1;
	return tape_parse_whole(position + from, 0, LONG_MAX, &n, &stop) ||
		       stop != position + end
		   ? -1
		   : (long)n;
}

static void write_slot(const struct place_slot *p, FILE *f)
{
	long core = step_number(p->position, "Core");
	long package = step_number(p->position, "Package");

	if (core >= 0)
		fprintf(f, "%ld", core);
	else if (package >= 0)
		fprintf(f, "%ld:*", package);
	else
		fprintf(f, "%d", p->number);
}

void place_rankfile_write(const char *path, enum place_format format,
			  const struct place_slots *s, size_t ranks,
			  const uint32_t *slot_of)
{
	FILE *f;

	for (size_t r = 0; r < ranks; r++)
		if (!s->slot[slot_of[r]].host)
			tape_die(TAPE_FAILED,
				 "%s: no host at this position, so -o cannot "
				 "name one",
				 s->slot[slot_of[r]].position);
	f = tape_file_begin(path);
	for (size_t r = 0; r < ranks; r++) {
		const struct place_slot *p = &s->slot[slot_of[r]];

		if (format == PLACE_RANKFILE)
			fprintf(f, "rank %zu=", r);
		fprintf(f, "%.*s", p->host_bytes, p->host);
		if (format == PLACE_RANKFILE) {
			fputs(" slot=", f);
			write_slot(p, f);
		}
		putc('\n', f);
	}
	tape_file_commit();
}
