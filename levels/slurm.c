/*
 * Slurm's topology.conf (topology/tree): each line is a switch and what hangs
 * below it, hosts or switches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lower_bound.h"
#include "error.h"
#include "network_file.h"

enum { NONE = -1 };

/* Of a switch while cycles are looked for. */
enum state { NEW, UNDER_WAY, DONE };

struct a_switch {
	char *name;
	char *below; /* list of switches; NULL: it has hosts */
	unsigned line;
	long above;  /* the switch over it, or NONE */
	size_t path; /* of its hosts, in the network's paths */
	int height;  /* 1: of hosts */
	enum state state;
};

/* Switches, sorted by name once all are read. */
struct switches {
	struct a_switch *s;
	size_t n, room;
	size_t over; /* whose list is gone through */
	const char *what;
};

/* The value if the word is that key's, else NULL. */
static const char *get_value(const char *word, const char *key)
{
	size_t n = strlen(key);

	return strncasecmp(word, key, n) == 0 && word[n] == '=' ? word + n + 1
								: NULL;
}

/* Is it a name of one switch, and nothing that a step cannot have? */
static int valid_name(const char *name)
{
	for (const char *s = name; *s; s++)
		if ((unsigned char)*s <= ' ' || strchr("/,[]\177", *s))
			return 0;
	return *name && strlen(name) < TAPE_HOST_NAME_MAX;
}

static int add_switch(struct switches *all, struct tape_network *n,
		      struct tape_network_text *t, const char *name,
		      const char *hosts, const char *below)
{
	struct a_switch *s;
	int e;

	if (all->n == TAPE_HOSTS_MAX)
		return tape_network_refuse(t, "more than 262144 switches");
	if (all->n == all->room) {
		size_t room = all->room ? all->room * 2 : 64;

		s = realloc(all->s, room * sizeof *s);
		if (!s)
			return TAPE_ENOMEM;
		all->s = s;
		all->room = room;
	}
	s = &all->s[all->n++];
	memset(s, 0, sizeof *s);
	s->line = t->line;
	s->above = NONE;
	s->path = n->n_paths;
	s->name = strdup(name);
	s->below = below ? strdup(below) : NULL;
	if (!s->name || (below && !s->below))
		return TAPE_ENOMEM;
	if (!hosts)
		return 0;
	e = tape_network_add_hosts(n, t, hosts);
	return e ? e : tape_network_add_path(n, "");
}

static int read_switch(struct switches *all, struct tape_network *n,
		       struct tape_network_text *t, char *line)
{
	const char *word, *name = NULL, *hosts = NULL, *below = NULL, *v;

	while ((word = tape_network_word(&line))) {
		const char **of = NULL;

		if ((v = get_value(word, "SwitchName")))
			of = &name;
		else if ((v = get_value(word, "Nodes")))
			of = &hosts;
		else if ((v = get_value(word, "Switches")))
			of = &below;
		else if (!strchr(word, '='))
			return tape_network_refuse(t, "expected KEY=VALUE");
		else
			continue;
		if (*of)
			return tape_network_refuse(
			    t, "key given twice on one line");
		*of = v;
	}
	if (!name)
		return tape_network_refuse(t, "expected SwitchName=");
	if (!valid_name(name))
		return tape_network_refuse(t,
					   "invalid name of a switch");
	if (!hosts == !below)
		return tape_network_refuse(t, "expected Nodes= or Switches=, "
					      "not both");
	return add_switch(all, n, t, name, hosts, below);
}

static int compare_switches(const void *a, const void *b)
{
	const struct a_switch *p = a, *q = b;
	int c = strcmp(p->name, q->name);

	return c ? c : (p->line > q->line) - (p->line < q->line);
}

static int set_parent(void *all_, const char *name)
{
	struct switches *all = all_;
	struct a_switch *s;
	size_t i;

	TAPE_LOWER_BOUND(i, all->n, strcmp(all->s[i].name, name) < 0);
	s = &all->s[i];
	if (i == all->n || strcmp(s->name, name) != 0) {
		all->what = "no line defines this switch with SwitchName=";
		return TAPE_EFORMAT;
	}
	if (s->above != NONE) {
		all->what = "this switch is already below another switch";
		return TAPE_EFORMAT;
	}
	s->above = (long)all->over;
	return 0;
}

static int refuse_at(struct tape_network_text *t, const struct a_switch *s,
		     const char *why)
{
	t->line = s->line;
	return tape_network_refuse(t, why);
}

/* What is above what. */
static int link_switches(struct switches *all, struct tape_network_text *t)
{
	qsort(all->s, all->n, sizeof *all->s, compare_switches);
	for (size_t i = 1; i < all->n; i++)
		if (!strcmp(all->s[i].name, all->s[i - 1].name))
			return refuse_at(t, &all->s[i], "switch defined twice");
	for (size_t i = 0; i < all->n; i++) {
		all->over = i;
		if (all->s[i].below &&
		    tape_host_list(all->s[i].below, set_parent, all,
				   &all->what))
			return refuse_at(t, &all->s[i], all->what);
	}
	return 0;
}

static struct a_switch *get_parent(const struct switches *all,
				   const struct a_switch *s)
{
	return s->above == NONE ? NULL : &all->s[s->above];
}

static int check_cycles(struct switches *all, struct tape_network_text *t)
{
	for (size_t i = 0; i < all->n; i++) {
		struct a_switch *s;

		for (s = &all->s[i]; s && s->state == NEW;
		     s = get_parent(all, s))
			s->state = UNDER_WAY;
		if (s && s->state == UNDER_WAY)
			return refuse_at(t, s, "this switch is below itself");
		for (s = &all->s[i]; s && s->state != DONE;
		     s = get_parent(all, s))
			s->state = DONE;
	}
	return 0;
}

static int measure_heights(struct switches *all, struct tape_network *n,
			   struct tape_network_text *t)
{
	for (size_t i = 0; i < all->n; i++) {
		int height = 1;

		if (all->s[i].below)
			continue;
		for (struct a_switch *s = &all->s[i]; s;
		     s = get_parent(all, s)) {
			if (height > TAPE_SWITCH_LEVELS_MAX)
				return refuse_at(t, s,
						 "more than 24 levels of "
						 "switches");
			if (height > s->height)
				s->height = height;
			if (height > n->levels)
				n->levels = height;
			height++;
		}
	}
	for (int i = 0; i < n->levels; i++)
		snprintf(n->level[i], sizeof n->level[i], "Switch%d",
			 n->levels - i);
	return 0;
}

/* The steps to the hosts of that switch. */
static int write_path(const struct switches *all, const struct a_switch *s,
		      struct tape_network *n, struct tape_network_text *t)
{
	const struct a_switch *chain[TAPE_SWITCH_LEVELS_MAX], *up = s;
	char path[TAPE_POSITION_MAX] = "", *copy;
	int k = 0;

	for (; up; up = get_parent(all, up))
		chain[k++] = up;
	while (k--)
		if (tape_position_add(path,
				      n->level[n->levels - chain[k]->height],
				      chain[k]->name) ||
		    strlen(path) >= TAPE_PATH_MAX)
			return refuse_at(
			    t, s,
			    "the names of the switches are too long in total");
	copy = strdup(path);
	if (!copy)
		return TAPE_ENOMEM;
	free(n->paths[s->path]);
	n->paths[s->path] = copy;
	return 0;
}

int tape_network_slurm(struct tape_network *n, struct tape_network_text *t,
		       char *line)
{
	struct switches all = {.what = ""};
	int e = 0;

	while (line && !(e = read_switch(&all, n, t, line)))
		line = tape_network_line(t);
	if (!e)
		e = link_switches(&all, t);
	if (!e)
		e = check_cycles(&all, t);
	if (!e)
		e = measure_heights(&all, n, t);
	for (size_t i = 0; !e && i < all.n; i++)
		if (!all.s[i].below)
			e = write_path(&all, &all.s[i], n, t);
	for (size_t i = 0; i < all.n; i++) {
		free(all.s[i].name);
		free(all.s[i].below);
	}
	free(all.s);
	return e;
}
