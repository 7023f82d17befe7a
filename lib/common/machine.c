/* Reads model files; see machine.h and doc/models.md. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "file_input.h"
#include "machine.h"
#include "tool.h"

const char *const tape_distance_name[TAPE_DISTANCES] = {
    [TAPE_SELF] = "self", [TAPE_CACHE] = "l3",	    [TAPE_PACKAGE] = "package",
    [TAPE_SHM] = "shm",	  [TAPE_SWITCH] = "switch", [TAPE_NET] = "net"};

/* The distances of "all"; nearer ones are part of them. */
static const enum tape_distance transports[] = {TAPE_SELF, TAPE_SHM, TAPE_NET};
enum { TRANSPORTS = sizeof transports / sizeof *transports };

/* A line in progress: where it is, its words after the distance. */
enum { WORDS = 6 };
struct line {
	const char *path;
	unsigned long number;
	char *word[WORDS];
	int words;
	enum tape_distance distance;
};

/* Dies, naming the line. */
#define WRONG(l, format, ...)                                             \
	tape_die(TAPE_FAILED, "%s:%lu: " format, (l)->path, (l)->number, \
		 __VA_ARGS__)

void tape_machine_nothing(struct tape_machine *m)
{
	memset(m, 0, sizeof *m);
	for (int d = 0; d < TAPE_DISTANCES; d++)
		m->limit_bytes[d] = -1;
}

static double parse_amount(const struct line *l, int i, double least)
{
	double v;

	if (tape_parse_real(l->word[i], least, 1e15, &v, NULL))
		WRONG(l, "\"%s\" is no number from %g to 1e15", l->word[i],
		      least);
	return v;
}

static void need_words(const struct line *l, int n, const char *what)
{
	if (l->words != n)
		WRONG(l, "expected \"%s %s %s\"",
		      tape_distance_name[l->distance], l->word[0], what);
}

static void said_before(const struct line *l, int already)
{
	if (already)
		WRONG(l, "%s of %s is given twice", l->word[0],
		      tape_distance_name[l->distance]);
}

/* DISTANCE WHAT FROM NS NS/BYTE */
static void read_piece(const struct line *l, struct tape_curve *c)
{
	double from, ns, rate;

	need_words(l, 4, "BYTES NS NS/BYTE");
	from = parse_amount(l, 1, 0);
	ns = parse_amount(l, 2, -1e15);
	rate = parse_amount(l, 3, 0);
	if (!c->n && from > 0)
		WRONG(
		    l,
		    "the first segment of a curve begins at 0 bytes, not at %s",
		    l->word[1]);
	if (c->n && !(from > c->piece[c->n - 1].from_bytes))
		WRONG(
		    l,
		    "segments must begin at rising sizes, but %s does not rise",
		    l->word[1]);
	if (ns + rate * from < 0)
		WRONG(l, "the time of %s bytes is negative", l->word[1]);
	if (c->n == TAPE_CURVE_PIECES)
		WRONG(l, "more than %d segments", TAPE_CURVE_PIECES);
	c->piece[c->n++] = (struct tape_piece){ from, ns, rate };
}

/*
 * DISTANCE loggp L o g G. The gap g is part of every published set, but not
 * of the time of one message.
 */
static void read_loggp(const struct line *l, struct tape_machine *m)
{
	struct tape_comm_model *model = &m->model;
	struct tape_loggp p;

	need_words(l, 5, "L o g G");
	said_before(l, model->transit[l->distance][0].n ||
		       model->transit[l->distance][1].n ||
		       model->dc[l->distance].n);
	p.latency_ns = parse_amount(l, 1, 0);
	p.overhead_ns = parse_amount(l, 2, 0);
	parse_amount(l, 3, 0);
	p.per_byte_ns = parse_amount(l, 4, 0);
	tape_comm_loggp(model, l->distance, &p);
}

static void read_limit(const struct line *l, struct tape_machine *m)
{
	need_words(l, 2, "BYTES");
	said_before(l, m->limit_bytes[l->distance] >= 0);
	m->limit_bytes[l->distance] = (int64_t)parse_amount(l, 1, 0);
}

static void read_load(const struct line *l, struct tape_machine *m)
{
	need_words(l, 2, "NS/BYTE");
	said_before(l, m->has_load[l->distance]);
	m->has_load[l->distance] = 1;
	m->model.load_rate[l->distance] = parse_amount(l, 1, 0);
}

static void read_quantile(const struct line *l, struct tape_machine *m)
{
	double q;

	need_words(l, 2, "SHARE");
	said_before(l, m->model.quantile[l->distance] > 0);
	q = parse_amount(l, 1, 0);
	if (!(q > 0 && q < 1))
		WRONG(l, "a share between 0 and 1 is expected, not %s",
		      l->word[1]);
	m->model.quantile[l->distance] = q;
}

/* DISTANCE links [MESSAGES] */
static void read_links(const struct line *l, struct tape_machine *m)
{
	said_before(l, m->model.shared[l->distance]);
	if (l->distance == TAPE_SELF)
		WRONG(l, "messages to %s use no link",
		      tape_distance_name[TAPE_SELF]);
	m->model.shared[l->distance] = 1;
	if (l->words == 1)
		return;
	need_words(l, 2, "[MESSAGES]");
	if (l->distance != TAPE_NET && l->distance != TAPE_SWITCH)
		WRONG(l, "%s has no link that all hosts have in common",
		      tape_distance_name[l->distance]);
	m->model.backbone = parse_amount(l, 1, 1);
}

static void read_fact(const struct line *l, struct tape_machine *m)
{
	struct tape_comm_model *model = &m->model;
	const char *what = l->word[0];

	if (!strcmp(what, "eager"))
		read_piece(l, &model->transit[l->distance][0]);
	else if (!strcmp(what, "rendezvous"))
		read_piece(l, &model->transit[l->distance][1]);
	else if (!strcmp(what, "dc"))
		read_piece(l, &model->dc[l->distance]);
	else if (!strcmp(what, "limit"))
		read_limit(l, m);
	else if (!strcmp(what, "load"))
		read_load(l, m);
	else if (!strcmp(what, "quantile"))
		read_quantile(l, m);
	else if (!strcmp(what, "links"))
		read_links(l, m);
	else if (!strcmp(what, "loggp"))
		read_loggp(l, m);
	else
		WRONG(l, "\"%s\": eager, rendezvous, dc, limit, load, "
		      "quantile, links or loggp is expected", what);
}

/* The distance of a word, TAPE_DISTANCES: "all", -1: no such word. */
static int find_distance(const char *word)
{
	int d = 0;

	while (d < TAPE_DISTANCES && strcmp(word, tape_distance_name[d]))
		d++;
	return d < TAPE_DISTANCES || !strcmp(word, "all") ? d : -1;
}

/* Cuts text into words: how many distances it is about, 0 for an empty line. */
static int split_line(struct line *l, char *text)
{
	char *rest, *word;
	int d;

	text[strcspn(text, "#")] = '\0';
	word = strtok_r(text, " \t\r\n", &rest);
	if (!word)
		return 0;
	d = find_distance(word);
	if (d < 0)
		WRONG(l,
		      "\"%s\": self, l3, package, shm, switch, net or all is "
		      "expected",
		      word);
	l->distance = d < TAPE_DISTANCES ? (enum tape_distance)d : TAPE_SELF;
	l->words = 0;
	while ((word = strtok_r(NULL, " \t\r\n", &rest)) != NULL) {
		if (l->words == WORDS)
			WRONG(l, "unexpected word \"%s\"", word);
		l->word[l->words++] = word;
	}
	if (!l->words)
		WRONG(l, "no value for %s",
		      d < TAPE_DISTANCES ? tape_distance_name[d] : "all");
	return d < TAPE_DISTANCES ? 1 : TRANSPORTS;
}

/* A fact of n distances: that of l, or all. */
static void read_facts(struct line *l, int n, struct tape_machine *m)
{
	if (n == 1)
		read_fact(l, m);
	for (int i = 0; n > 1 && i < n; i++) {
		l->distance = transports[i];
		/* what goes to oneself goes over no link */
		if (l->distance != TAPE_SELF || strcmp(l->word[0], "links"))
			read_fact(l, m);
	}
}

void tape_machine_read(const char *path, struct tape_machine *m)
{
	struct line l = { .path = path };
	FILE *f = tape_file_input(path);
	char text[256];
	int facts = 0, n;

	tape_machine_nothing(m);
	while (fgets(text, sizeof text, f)) {
		l.number++;
		if (!strchr(text, '\n') && !feof(f))
			WRONG(&l, "the line is longer than %zu characters",
			      sizeof text - 2);
		n = split_line(&l, text);
		read_facts(&l, n, m);
		facts += n;
	}
	if (ferror(f))
		tape_die(TAPE_FAILED, "%s: %s", path, strerror(errno));
	fclose(f);
	if (!facts)
		tape_die(TAPE_FAILED, "%s: the file has no values", path);
}

static void write_curve(FILE *f, int d, const char *what,
			const struct tape_curve *c)
{
	for (int i = 0; i < c->n; i++)
		fprintf(f, "%s %s %.17g %.17g %.17g\n", tape_distance_name[d],
			what, i ? c->piece[i].from_bytes : 0, c->piece[i].ns,
			c->piece[i].rate);
}

void tape_machine_write(const struct tape_machine *m, FILE *f)
{
	const struct tape_comm_model *model = &m->model;

	for (int d = 0; d < TAPE_DISTANCES; d++) {
		const char *name = tape_distance_name[d];

		if (m->limit_bytes[d] >= 0)
			fprintf(f, "%s limit %" PRId64 "\n", name,
				m->limit_bytes[d]);
		if (model->quantile[d] > 0)
			fprintf(f, "%s quantile %.17g\n", name,
				model->quantile[d]);
		write_curve(f, d, "eager", &model->transit[d][0]);
		write_curve(f, d, "rendezvous", &model->transit[d][1]);
		write_curve(f, d, "dc", &model->dc[d]);
		if (m->has_load[d])
			fprintf(f, "%s load %.17g\n", name,
				model->load_rate[d]);
		if (!model->shared[d])
			continue;
		fprintf(f, "%s links", name);
		if (d == TAPE_NET && model->backbone > 0)
			fprintf(f, " %.17g", model->backbone);
		fputc('\n', f);
	}
}

/* What from says of distance k is of d in to, too, unless that says so itself.
 */
static void inherit_distance(const struct tape_machine *from, int k,
			     struct tape_machine *to, int d)
{
	const struct tape_comm_model *f = &from->model;
	struct tape_comm_model *t = &to->model;
	int own =
	    t->transit[d][0].n || t->transit[d][1].n || t->quantile[d] > 0;

	for (int protocol = 0; protocol < 2; protocol++)
		if (!t->transit[d][protocol].n)
			t->transit[d][protocol] = f->transit[k][protocol];
	if (!own)
		t->quantile[d] = f->quantile[k];
	if (!t->dc[d].n)
		t->dc[d] = f->dc[k];
	if (!to->has_load[d])
		t->load_rate[d] = f->load_rate[k];
	to->has_load[d] |= from->has_load[k];
	t->shared[d] |= f->shared[k];
	if (to->limit_bytes[d] < 0)
		to->limit_bytes[d] = from->limit_bytes[k];
}

static int substitute_distance(int d, int i)
{
	return (int)tape_distance_substitute((enum tape_distance)d, i);
}

static void clear_distance(struct tape_machine *m, int d)
{
	m->model.transit[d][0].n = m->model.transit[d][1].n = 0;
	m->model.dc[d].n = 0;
	m->model.quantile[d] = 0;
	m->model.shared[d] = m->has_load[d] = 0;
	m->limit_bytes[d] = -1;
}

void tape_machine_inherit(struct tape_machine *m,
			  const struct tape_distances *x)
{
	const struct tape_machine said = *m;

	for (int d = 0; d < TAPE_DISTANCES; d++) {
		int real = (int)x->real[d], k;

		if (!x->has[d])
			continue;
		clear_distance(m, d);
		inherit_distance(&said, real, m, d);
		for (int i = 0;
		     (k = substitute_distance(real, i)) < TAPE_DISTANCES; i++)
			if (k > real)
				inherit_distance(&said, k, m, d);
	}
}

/* Puts what m says of each distance in place of what model says of it. */
static void copy_to_model(const struct tape_machine *m,
			  struct tape_comm_model *model)
{
	const struct tape_comm_model *said = &m->model;

	for (int d = 0; d < TAPE_DISTANCES; d++) {
		for (int protocol = 0; protocol < 2; protocol++)
			if (said->transit[d][protocol].n)
				model->transit[d][protocol] =
					said->transit[d][protocol];
		if (said->transit[d][0].n || said->transit[d][1].n ||
		    said->quantile[d] > 0)
			model->quantile[d] = said->quantile[d];
		if (said->dc[d].n)
			model->dc[d] = said->dc[d];
		if (m->has_load[d])
			model->load_rate[d] = said->load_rate[d];
		model->shared[d] |= said->shared[d];
	}
	if (said->backbone > 0)
		model->backbone = said->backbone;
}

void tape_machine_give(const struct tape_machine *m,
		       struct tape_comm_model *model)
{
	struct tape_machine all = *m;
	int k;

	for (int d = 0; d < TAPE_DISTANCES; d++) {
		if (model->line[d][0].fitted || model->line[d][1].fitted)
			continue;
		for (int i = 0;
		     (k = substitute_distance(d, i)) < TAPE_DISTANCES; i++)
			if (k < d)
				inherit_distance(m, k, &all, d);
	}
	copy_to_model(&all, model);
}

void tape_machine_add(const struct tape_machine *m, struct tape_machine *all)
{
	copy_to_model(m, &all->model);
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		all->has_load[d] |= m->has_load[d];
		if (m->limit_bytes[d] >= 0)
			all->limit_bytes[d] = m->limit_bytes[d];
	}
}
