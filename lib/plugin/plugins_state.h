/* The state of all plug-ins of a tool, for the files of plugins.h. */
#ifndef PLUGIN_PLUGINS_STATE_H
#define PLUGIN_PLUGINS_STATE_H

#include "plug.h"

struct feed;

struct tape_plugins {
	struct tape_plugins_options options;
	uint32_t levels;
	struct plug **plug;
	size_t n;
	struct feed **feed; /* by level - 1, in the process that feeds it */
};

/* feed.c */
void feed_free(struct feed *f);

#endif
