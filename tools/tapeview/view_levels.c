/* The levels of the hardware, and groups of ranks; see view_levels.h. */
#include "view_levels.h"

#include <string.h>

#include "json.h"
#include "position.h"
#include "system_tree.h"
#include "tool.h"

/*
 * Writes the name of a group: with its host within a host, "node7 L3:1";
 * without the type for a host or a higher level, "node7".
 */
static void group_name(const struct tape_system *h, int level, int group,
		       FILE *f)
{
	const char *type = tape_system_name(h, level);
	const char *step = tape_system_group_name(h, level, group, 0);
	const char *whole = tape_system_group_name(h, level, group, 1);
	size_t bytes = tape_position_find(whole, TAPE_LEVEL_MACHINE);
	char host[TAPE_STEP_MAX] = "", text[2 * TAPE_STEP_MAX + 2];
	size_t n = strlen(type), first = bytes;

	while (first && whole[first - 1] != '/')
		first--;
	if (bytes && whole[bytes])
		snprintf(host, sizeof host, "%.*s", (int)(bytes - first),
			 whole + first);
	if (!*host && !strncmp(step, type, n) && step[n] == ':')
		step += n + 1;
	snprintf(text, sizeof text, "%s%s%s",
		 *host ? host + strcspn(host, ":") + (strchr(host, ':') != NULL)
		       : "",
		 *host ? " " : "", step);
	fputs("[", f);
	tape_json_put(f, text);
	fputs(",", f);
	tape_json_put(f, whole);
	fputs("]", f);
}

void view_put_levels(const struct tape_trace *t, FILE *f)
{
	int ranks = (int)tape_trace_ranks(t);
	const char *comma = "";
	struct tape_system *h;

	if (tape_system_of(&h, t))
		tape_die_no_memory();
	fputs(",\n\"levels\":[", f);
	for (int i = 1; i < tape_system_levels(h); i++) {
		int n = tape_system_groups(h, i);

		/* one group, or a group for each rank, is of no use */
		if (n < 2 || n >= ranks)
			continue;
		fprintf(f, "%s\n{\"name\":", comma);
		tape_json_put(f, tape_system_name(h, i));
		fputs(",\"groups\":[", f);
		for (int g = 0; g < n; g++) {
			fputs(g ? ",\n" : "", f);
			group_name(h, i, g, f);
		}
		fputs("],\"of\":[", f);
		for (int r = 0; r < ranks; r++)
			fprintf(f, "%s%d", r ? "," : "",
				tape_system_group(h, i, r));
		fputs("]}", f);
		comma = ",";
	}
	fputs("]", f);
	tape_system_free(h);
}

void view_put_position(const struct tape_rank_info *r, FILE *f)
{
	size_t n = r->position
		       ? tape_position_find(r->position, TAPE_LEVEL_MACHINE)
		       : 0;

	if (!n || !r->position[n])
		return;
	fputs(",\"at\":", f);
	tape_json_put(f, r->position + n + 1);
}
