/* A plug-in that adds up what tapestat does, each in a way of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tape_plugin.h"

enum { MOST = 4096, SUMS = 7 };

/* Sums by a name. */
struct sum {
	char name[200];
	double n;
};

struct sums {
	struct sum sum[MOST];
	size_t n;
	const char *text[MOST]; /* of places */
	uint64_t ticks;
	int64_t tick_ns;
};

static void add(struct sums *s, double value, const char *name)
{
	size_t i = 0;

	while (i < s->n && strcmp(s->sum[i].name, name))
		i++;
	if (i == MOST)
		abort();
	s->n += i == s->n;
	snprintf(s->sum[i].name, sizeof s->sum[i].name, "%s", name);
	s->sum[i].n += value;
}

/* A place has one number and one text, whoever has found the event. */
static void check_place(struct sums *s, uint32_t number, const char *text)
{
	if (number >= MOST || (s->text[number] && s->text[number] != text)) {
		add(s, 1, "two texts of a number");
		return;
	}
	s->text[number] = text;
	for (uint32_t i = 0; i < MOST; i++)
		if (i != number && s->text[i] == text)
			add(s, 1, "two numbers of a text");
}

static void event(struct tape_ks *ks, const struct tape_entry *const *entry,
		  void *own)
{
	const struct tape_ks_event *e = entry[0]->event;
	char name[200];

	(void)ks;
	check_place(own, e->site, e->site_text);
	if (e->region)
		check_place(own, e->region, e->region_text);
	if (!strncmp(e->call, "MPI_Init", 8) ||
	    !strcmp(e->call, "MPI_Finalize"))
		return;
	snprintf(name, sizeof name, "calls %s", e->call);
	add(own, (double)e->calls, name);
	snprintf(name, sizeof name, "ns %s", e->call);
	add(own, (double)e->inside_ns, name);
	snprintf(name, sizeof name, "bytes %s", e->call);
	add(own, (double)e->bytes, name);
	if (strncmp(e->site_text, e->call, strlen(e->call)))
		add(own, 1, "wrong text");
	if (e->region)
		snprintf(name, sizeof name, "inside %s", e->region_text);
	if (e->region)
		add(own, (double)e->calls, name);
}

static void message(struct tape_ks *ks, const struct tape_entry *const *entry,
		    void *own)
{
	const struct tape_ks_message *m = entry[0]->message;
	char name[200];

	(void)ks;
	if (m->state != TAPE_KS_MATCHED) {
		add(own, 1, "unmatched");
		return;
	}
	snprintf(name, sizeof name, "messages %d %d", m->from, m->to);
	add(own, 1, name);
	snprintf(name, sizeof name, "message bytes %d %d", m->from, m->to);
	add(own, (double)m->bytes, name);
}

static void waited(struct tape_ks *ks, const struct tape_entry *const *entry,
		   void *own)
{
	const struct tape_ks_wait *w = entry[0]->wait;
	char name[700];

	(void)ks;
	snprintf(name, sizeof name, "wait %s %d %d %s", w->kind, w->rank,
		 w->late_rank, w->site_text);
	add(own, (double)w->ns, name);
	snprintf(name, sizeof name, "waits %s %d %d %s", w->kind, w->rank,
		 w->late_rank, w->site_text);
	add(own, 1, name);
}

static void round_(struct tape_ks *ks, const struct tape_entry *const *entry,
		   void *own)
{
	const struct tape_ks_round *q = entry[0]->round;
	char name[200];

	(void)ks;
	snprintf(name, sizeof name, "rounds %s", q->call);
	add(own, 1, name);
	snprintf(name, sizeof name, "round ns %s", q->call);
	for (int i = 0; i < q->size; i++) {
		if (q->member[i].rank != i)
			add(own, 1, "wrong member");
		add(own,
		    (double)(q->member[i].ended_ns - q->member[i].awaited_ns),
		    name);
	}
}

static void region(struct tape_ks *ks, const struct tape_entry *const *entry,
		   void *own)
{
	const struct tape_ks_region *r = entry[0]->region;
	char name[200];

	(void)ks;
	snprintf(name, sizeof name, "region %s", r->text);
	add(own, (double)(r->end_ns - r->start_ns), name);
	snprintf(name, sizeof name, "entries %s", r->text);
	add(own, 1, name);
}

static void phase(struct tape_ks *ks, const struct tape_entry *const *entry,
		  void *own)
{
	(void)ks;
	add(own, 1, entry[0]->region->depth ? "wrong depth" : "phases");
}

/* Later and later, by a second at least, and numbered. */
static void tick(struct tape_ks *ks, const struct tape_entry *const *entry,
		 void *own)
{
	const struct tape_ks_tick *k = entry[0]->tick;
	struct sums *s = own;

	(void)ks;
	if (k->k != s->ticks || (k->k && k->ns < s->tick_ns + 1000000000))
		add(s, 1, "wrong tick");
	s->ticks++;
	s->tick_ns = k->ns;
}

/* After everything else: nothing is locked. */
static void end(struct tape_ks *ks, const struct tape_entry *const *entry,
		void *own)
{
	const struct sums *s = own;

	for (int k = 0; k < SUMS; k++)
		for (size_t i = 0; i < s[k].n; i++)
			tape_ks_figure(tape_ks_board(ks), entry[0]->level,
				       s[k].sum[i].name, s[k].sum[i].n);
	tape_ks_figure(tape_ks_board(ks), entry[0]->level, "events",
		       (double)entry[0]->end->events);
	free(own);
}

static int level(struct tape_board *b, const struct tape_level *l)
{
	struct sums *s = calloc(SUMS, sizeof *s); /* one for each */
	uint32_t n = l->number;

	return !s || !tape_ks_add(b, n, 0, event, &s[0], "event", NULL) ||
	       !tape_ks_add(b, n, 0, message, &s[1], "message", NULL) ||
	       !tape_ks_add(b, n, 0, waited, &s[2], "wait", NULL) ||
	       !tape_ks_add(b, n, 0, round_, &s[3], "round", NULL) ||
	       !tape_ks_add(b, n, 0, region, &s[4], "region", NULL) ||
	       !tape_ks_add(b, n, 0, phase, &s[5], "phase", NULL) ||
	       !tape_ks_add(b, n, 0, tick, &s[6], "tick", NULL) ||
	       !tape_ks_add(b, n, 0, end, s, "end", NULL);
}

const struct tape_plugin tape_plugin = {TAPE_PLUGIN_VERSION, NULL, level, NULL};
