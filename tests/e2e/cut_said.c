/* A plug-in: each message and round as a line, with what pairs wrong halves. */
#include <stdio.h>
#include <string.h>

#include "tape_plugin.h"

static FILE *f;

static void message(struct tape_ks *ks, const struct tape_entry *const *entry,
		    void *own)
{
	const struct tape_ks_message *m = entry[0]->message;

	(void)ks;
	(void)own;
	fprintf(f, "message %d %d %d %d %lld %lld %lld %lld\n", m->state,
		m->from, m->to, m->tag, (long long)m->bytes,
		(long long)m->received, (long long)m->sent_ns,
		(long long)m->ended_ns);
}

static void met(struct tape_ks *ks, const struct tape_entry *const *entry,
		void *own)
{
	const struct tape_ks_round *r = entry[0]->round;

	(void)ks;
	(void)own;
	fprintf(f, "round %s %d %d %d %d", r->call, r->root, r->size,
		r->entered, r->left);
	for (int i = 0; i < r->size; i++)
		fprintf(f, " %lld:%lld:%lld:%lld",
			(long long)r->member[i].begun_ns,
			(long long)r->member[i].ended_ns,
			(long long)r->member[i].sent,
			(long long)r->member[i].received);
	fprintf(f, "\n");
}

static int level(struct tape_board *b, const struct tape_level *l)
{
	f = fopen(tape_ks_arguments(b), "w");
	return !f || !tape_ks_add(b, l->number, 0, message, NULL, "message",
				  NULL) ||
	       !tape_ks_add(b, l->number, 0, met, NULL, "round", NULL);
}

static void over(struct tape_board *b)
{
	(void)b;
	fclose(f);
}

const struct tape_plugin tape_plugin = {TAPE_PLUGIN_VERSION, NULL, level,
					over};
