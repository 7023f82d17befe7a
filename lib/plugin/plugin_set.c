/* The set of plug-ins of a tool; see plugins.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "number_text.h"
#include "plugins_state.h"
#include "tool.h"

struct tape_plugins *tape_plugins_new(uint32_t levels,
				      const struct tape_plugins_options *o)
{
	struct tape_plugins *p = tape_must(calloc(1, sizeof *p));

	p->options = *o;
	if (!p->options.workers)
		p->options.workers = 1;
	if (!(p->options.wait_s > 0))
		p->options.wait_s = 60;
	if (!(p->options.memory_mib > 0))
		p->options.memory_mib = 1024;
	if (!p->options.feeders)
		p->options.feeders = 1;
	p->levels = levels;
	p->feed = tape_must(calloc(levels + 1, sizeof *p->feed));
	return p;
}

unsigned tape_plugins_workers(const char *text)
{
	int64_t n;

	if (tape_parse_whole(text, 1, PLUG_WORKERS_MAX, &n, NULL))
		tape_die(TAPE_USAGE, "%s is no number of workers from 1 to %d",
			 text, PLUG_WORKERS_MAX);
	return (unsigned)n;
}

/*
 * Splits FILE:ARGUMENTS. A file without a folder gets "./", so that it is no
 * name of a system library.
 */
static void split_argument(struct plug *g, const char *what)
{
	char *colon;

	g->file = tape_must(malloc(strlen(what) + 3));
	sprintf(g->file, "%s%s", strchr(what, '/') ? "" : "./", what);
	colon = access(g->file, F_OK) ? strchr(g->file, ':') : NULL;
	if (colon)
		*colon = '\0';
	g->args = tape_must(strdup(colon ? colon + 1 : ""));
}

int tape_plugins_add(struct tape_plugins *p, const char *what)
{
	struct plug *g = tape_must(calloc(1, sizeof *g));

	p->plug = tape_must(realloc(p->plug, (p->n + 1) * sizeof *p->plug));
	p->plug[p->n++] = g;
	split_argument(g, what);
	g->levels = p->levels;
	g->feeders = p->options.feeders;
	g->wait_s = p->options.wait_s;
	g->memory_mib = p->options.memory_mib;
	g->out = tape_must(calloc(p->levels * g->feeders + 1, sizeof *g->out));
	return plug_start(g, p->options.workers);
}

void tape_plugins_check(struct tape_plugins *p)
{
	for (size_t i = 0; i < p->n; i++)
		plug_check(p->plug[i]);
}

size_t tape_plugins_finish(struct tape_plugins *p)
{
	size_t failed = 0;

	for (size_t i = 0; i < p->n; i++) {
		plug_finish(p->plug[i]);
		failed += (size_t)p->plug[i]->failed;
	}
	return failed;
}

void tape_plugins_free(struct tape_plugins *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		struct plug *g = p->plug[i];

		for (uint32_t l = 0; l < g->levels * g->feeders; l++)
			free(g->out[l].defined);
		if (g->s)
			munmap(g->s, g->bytes);
		free(g->out);
		free(g->text);
		free(g->line);
		free(g->file);
		free(g->args);
		free(g);
	}
	for (uint32_t l = 0; l < p->levels; l++)
		feed_free(p->feed[l]);
	free(p->feed);
	free(p->plug);
	free(p);
}
