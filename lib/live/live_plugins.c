/*
 * Plug-ins of a live analysis; see live.h. The process that the user started
 * starts and ends the processes of plug-ins. Each engine feeds them the items
 * of its program. A program is a level of the plug-ins (plugins.h).
 */
#include <stdlib.h>
#include <unistd.h>

#include "live.h"
#include "tool.h"

void live_plugins_start(struct live_options *o, size_t programs)
{
	if (!o->plugins)
		return;
	o->each.feeders = (unsigned)o->processes;
	o->plugged = tape_plugins_new((uint32_t)programs, &o->each);
	for (size_t i = 0; i < o->plugins; i++)
		tape_plugins_add(o->plugged, o->plugin[i]);
}

size_t live_plugins_finish(const struct live_options *o)
{
	return o->plugged ? tape_plugins_finish(o->plugged) : 0;
}

void live_plugins_print(const struct live_options *o, const char *const *names,
			size_t n, int open)
{
	if (!o->plugged)
		return;
	if (o->answer.format != SHEET_AS_JSON) {
		tape_plugins_print(o->plugged, stdout, names);
		return;
	}
	if (!open)
		printf("{\"programs\":%zu", n);
	tape_plugins_json(o->plugged, stdout, names);
	printf("}\n");
}

/* ---- of an engine ---- */

void live_plugins_begin(const struct live_plugin_feed *g,
			const struct tape_trace *t, struct tape_analysis *a,
			const struct tape_peers *peers)
{
	if (g->plugins)
		tape_plugins_begin(g->plugins, g->level, t, a, peers);
}

void live_plugins_feed(const struct live_plugin_feed *g,
		       const struct tape_found *f)
{
	if (g->plugins)
		tape_plugins_feed(g->plugins, g->level, f);
}

void live_plugins_flush(const struct live_plugin_feed *g)
{
	if (g->plugins)
		tape_plugins_flush(g->plugins, g->level);
}

void live_plugins_end(const struct live_plugin_feed *g)
{
	if (g->plugins)
		tape_plugins_end_level(g->plugins, g->level);
}
