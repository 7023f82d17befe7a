/* The subscribers of snapshots; see snapshot_feed.h. */
#include <stdlib.h>

#include "snapshot_feed.h"
#include "tool.h"

static struct subscriber {
	live_reader *f;
	void *self;
} * list;
static size_t n;

void live_subscribe(live_reader *f, void *self)
{
	list = tape_must(realloc(list, (n + 1) * sizeof *list));
	list[n++] = (struct subscriber){f, self};
}

void live_publish(size_t program, const char *json)
{
	for (size_t i = 0; i < n; i++)
		list[i].f(list[i].self, program, json);
}
