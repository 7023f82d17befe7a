/*
 * Late senders by pairs of call sites: where a message was waited for, and
 * where it was sent, too late.
 *
 *	cc -shared -fPIC -o late.so late.c $(pkg-config --cflags tape-plugin)
 *	tapestat --plugin late.so:0.5 app.tape	# pairs of half a second or more
 */
#include <stdlib.h>
#include <string.h>
#include <tape_plugin.h>

enum { PAIRS = 1000 };

struct pair {
	const char *here, *there;
	double s;
};

static void waited(struct tape_ks *ks, const struct tape_entry *const *e,
		   void *own)
{
	const struct tape_ks_wait *w = e[0]->wait;
	struct pair *p = own, *end = p + PAIRS;

	if (strcmp(w->kind, "late sender"))
		return;
	while (p->here && (p->here != w->site_text || p->there != w->late_text))
		if (++p == end)
			tape_ks_fail(tape_ks_board(ks), "too many call sites");
	p->here = w->site_text;
	p->there = w->late_text;
	p->s += w->ns / 1e9;
}

static void end(struct tape_ks *ks, const struct tape_entry *const *e,
		void *own)
{
	struct tape_board *b = tape_ks_board(ks);
	double least = atof(tape_ks_arguments(b));

	for (struct pair *p = own; p->here; p++)
		if (p->s >= least)
			tape_ks_say(b, e[0]->level, "%.6f s: %s for %s", p->s,
				    p->here, p->there);
	free(own);
}

static int level(struct tape_board *b, const struct tape_level *l)
{
	struct pair *p = calloc(PAIRS + 1, sizeof *p);

	return !p || !tape_ks_add(b, l->number, 0, waited, p, "wait", NULL) ||
	       !tape_ks_add(b, l->number, 0, end, p, "end", NULL);
}

const struct tape_plugin tape_plugin = {TAPE_PLUGIN_VERSION, NULL, level, NULL};
