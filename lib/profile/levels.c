/* Tables of the hierarchy of the hardware; see stat.h, system_tree.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "position.h"
#include "sort.h"
#include "stat.h"
#include "tool.h"

/* What a sentence speaks of is more than that share; and what stays near. */
static const double least_share = 0.1;

/* ---- names ---- */

static int is_level(const struct stats *s, int level, const char *type)
{
	return !strcmp(tape_system_name(s->system, level), type);
}

/* "host" for Machine, as people say. */
static const char *level_word(const struct stats *s, int level)
{
	return is_level(s, level, TAPE_LEVEL_MACHINE)
		   ? "host"
		   : tape_system_name(s->system, level);
}

/* How far two ranks are apart: "within a host", "between hosts". */
static const char *level_distance(const struct stats *s, int level, char *text,
				  size_t size)
{
	int machine = tape_system_within(s->system, TAPE_LEVEL_MACHINE);

	if (is_level(s, level, TAPE_LEVEL_CLUSTER))
		snprintf(text, size, "between %ss",
			 level - 1 > machine ? level_word(s, level - 1)
					     : "host");
	else
		snprintf(text, size, "within %s %s",
			 level && strcmp(level_word(s, level), "host") ? "one"
								       : "a",
			 level_word(s, level));
	return text;
}

const char *stat_distance_text(const struct stats *s, int a, int b, char *text,
			       size_t size)
{
	return level_distance(s, tape_system_level(s->system, a, b), text,
			      size);
}

/* Of a group: from its host on, or, of several hosts, from the cluster on. */
static const char *group_name(const struct stats *s, int level, int group)
{
	const char *whole = tape_system_group_name(s->system, level, group, 1);
	const char *host = strstr(whole, "/" TAPE_LEVEL_MACHINE ":");
	size_t all = strlen(TAPE_LEVEL_CLUSTER "/");

	if (host)
		return host + 1;
	return strncmp(whole, TAPE_LEVEL_CLUSTER "/", all) ? whole
							   : whole + all;
}

int stat_find_level(const struct stats *s, const char *name)
{
	int level = !strcasecmp(name, "host")
			? tape_system_within(s->system, TAPE_LEVEL_MACHINE)
		    : !strcasecmp(name, "rank")
			? 0
			: tape_system_within(s->system, name);
	char text[1000] = "";
	size_t at = 0;

	if (level >= 0)
		return level;
	for (int i = 0; i < tape_system_levels(s->system); i++)
		if (at < sizeof text)
			at += (size_t)snprintf(text + at, sizeof text - at,
					       "%s%s", i ? ", " : "",
					       tape_system_name(s->system, i));
	tape_die(TAPE_USAGE,
		 "no rank has a position in level %s. Levels are %s", name,
		 text);
}

/* ---- levels ---- */

/* What passes between ranks whose nearest common level it is. */
struct far {
	double bytes, late_ns, waiting_ns, collective_ns;
	uint64_t messages, waits;
};

/* By level; the caller frees it. */
static struct far *by_level(const struct stats *s, struct far *sum)
{
	struct far *list = tape_must(
	    calloc((size_t)tape_system_levels(s->system), sizeof *list));
	const struct stats_pair *p;
	const struct stats_waits *w;
	uint64_t key;

	*sum = (struct far){0};
	for (size_t at = 0; (p = tape_table_each(&s->pairs, &at, &key));) {
		struct far *f =
		    &list[tape_system_level(s->system, p->from, p->to)];

		f->bytes += p->bytes;
		f->messages += p->messages;
		f->late_ns += p->late_ns;
		sum->bytes += p->bytes;
	}
	for (size_t at = 0; (w = tape_table_each(&s->waits, &at, &key));) {
		struct far *f = &list[tape_system_level(
		    s->system, tape_trace_flow(s->t, w->flow)->rank,
		    tape_trace_flow(s->t, w->late_flow)->rank)];

		f->waits += w->n;
		f->waiting_ns += w->ns;
		if (w->kind != TAPE_WAIT_LATE_SENDER &&
		    w->kind != TAPE_WAIT_LATE_RECEIVER &&
		    w->kind != TAPE_WAIT_LOCK)
			f->collective_ns += w->ns;
		sum->waiting_ns += w->ns;
	}
	return list;
}

struct sheet *stat_levels(struct stats *s)
{
	static const char *const spare[] = {"mean", "in collectives", "late",
					    NULL};
	struct sheet *h =
	    sheet_new("levels", "Messages and waiting, by distance");
	struct far all, *list = by_level(s, &all);
	char text[TAPE_LEVEL_MAX + 20];

	sheet_add_column(h, "bytes", SHEET_BYTES);
	sheet_add_column(h, "share", SHEET_PERCENT);
	sheet_add_column(h, "messages", SHEET_COUNT);
	sheet_add_column(h, "mean", SHEET_BYTES);
	sheet_add_column(h, "late", SHEET_SECONDS);
	sheet_add_column(h, "waiting", SHEET_SECONDS);
	sheet_add_column(h, "of waiting", SHEET_PERCENT);
	sheet_add_column(h, "in collectives", SHEET_SECONDS);
	sheet_add_column(h, "groups", SHEET_COUNT);
	sheet_add_column(h, "level", SHEET_NAME);
	sheet_set_spare(h, spare);
	for (int i = 0; i < tape_system_levels(s->system); i++) {
		const struct far *f = &list[i];

		if (!f->messages && !f->waits)
			continue;
		sheet_put_number(h, f->bytes);
		sheet_put_number(h, all.bytes > 0 ? f->bytes / all.bytes : NAN);
		sheet_put_number(h, (double)f->messages);
		sheet_put_number(h, f->messages ? f->bytes / (double)f->messages
						: NAN);
		if (s->comparable) {
			sheet_put_number(h, f->late_ns);
			sheet_put_number(h, f->waiting_ns);
			sheet_put_number(h, all.waiting_ns > 0
						? f->waiting_ns / all.waiting_ns
						: NAN);
			sheet_put_number(h, f->collective_ns);
		} else {
			for (int k = 0; k < 4; k++)
				sheet_put_none(h);
		}
		sheet_put_number(h, tape_system_groups(s->system, i));
		sheet_put_text(h, level_distance(s, i, text, sizeof text));
	}
	free(list);
	return h;
}

/*
 * "62% of the messages' bytes went to another host": of the farthest level that
 * much goes beyond, or the nearest that most stays within.
 */
static void share_beyond_text(const struct stats *s, const double *part,
			      double all, const char *what, char *text,
			      size_t size)
{
	double share = 0;

	*text = '\0';
	/* one rank has nothing but itself */
	if (all <= 0 || tape_system_levels(s->system) < 2)
		return;
	for (int i = tape_system_levels(s->system) - 1; i > 1; i--) {
		share += part[i] / all;
		if (share < least_share)
			continue;
		snprintf(text, size, "%.0f%% of %s another %s", 100 * share,
			 what, level_word(s, i - 1));
		return;
	}
	share = (part[0] + part[1]) / all;
	snprintf(text, size, "%.0f%% of %s the same %s", 100 * share, what,
		 level_word(s, 1));
}

void stat_levels_text(const struct stats *s, double worth, char *text,
		      size_t size)
{
	int levels = tape_system_levels(s->system);
	struct far all, *list = by_level(s, &all);
	double *part = tape_must(calloc((size_t)levels, sizeof *part));
	char bytes[200], waits[200] = "";

	*text = '\0';
	for (int i = 0; i < levels; i++)
		part[i] = list[i].bytes;
	share_beyond_text(s, part, all.bytes, "the messages' bytes went to",
			  bytes, sizeof bytes);
	for (int i = 0; i < levels; i++)
		part[i] = list[i].waiting_ns;
	if (s->comparable && all.waiting_ns >= worth)
		share_beyond_text(s, part, all.waiting_ns,
				  "the waiting was for ranks of", waits,
				  sizeof waits);
	/* of one level there is nothing to tell */
	if (levels > 2)
		snprintf(text, size, "%s%s%s", bytes,
			 *bytes && *waits ? ", " : "", waits);
	free(part);
	free(list);
}

/* ---- groups ---- */

int stats_order_pairs(const void *a, const void *b)
{
	const struct stats_pair *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->from != y->from)
		return x->from - y->from;
	return x->to - y->to;
}

static void put_sums(struct sheet *h, const struct stats_pair *p)
{
	sheet_put_number(h, p->bytes);
	sheet_put_number(h, (double)p->messages);
	sheet_put_number(h, p->messages ? p->bytes / (double)p->messages : NAN);
	sheet_put_number(h, p->late_ns);
}

/* Pairs of groups: of[rank] says which. The caller frees the list. */
static struct stats_pair *sum_group_pairs(const struct stats *s, const int *of,
					  size_t *n)
{
	struct tape_table sums = {.bytes = sizeof(struct stats_pair)};
	const struct stats_pair *p;
	struct stats_pair *list;
	size_t at = 0;
	uint64_t key;

	while ((p = tape_table_each(&s->pairs, &at, &key))) {
		int from = of[p->from], to = of[p->to];
		struct stats_pair *q = tape_must(tape_table_get(
		    &sums,
		    ((uint64_t)(uint32_t)from << 32 | (uint32_t)to) + 1));

		q->from = from;
		q->to = to;
		q->messages += p->messages;
		q->bytes += p->bytes;
		q->late_ns += p->late_ns;
	}
	list = tape_must(calloc(sums.used + 1, sizeof *list));
	*n = 0;
	at = 0;
	while ((p = tape_table_each(&sums, &at, &key)))
		list[(*n)++] = *p;
	tape_sort(list, *n, sizeof *list, stats_order_pairs);
	tape_table_free(&sums);
	return list;
}

static void sum_columns(struct sheet *h)
{
	sheet_add_column(h, "bytes", SHEET_BYTES);
	sheet_add_column(h, "messages", SHEET_COUNT);
	sheet_add_column(h, "mean", SHEET_BYTES);
	sheet_add_column(h, "late", SHEET_SECONDS);
}

struct sheet *stat_hosts(struct stats *s)
{
	struct sheet *h = sheet_new("hosts", "Messages from host to host");
	int *first = stat_first_of_host(s);
	struct stats_pair *list;
	size_t n;

	list = sum_group_pairs(s, first, &n);
	sum_columns(h);
	sheet_add_column(h, "from host", SHEET_NAME);
	sheet_add_column(h, "to host", SHEET_NAME);
	for (size_t i = 0; i < n; i++) {
		put_sums(h, &list[i]);
		sheet_put_text(h, stat_host(s, list[i].from));
		sheet_put_text(h, stat_host(s, list[i].to));
	}
	free(list);
	free(first);
	return h;
}

struct sheet *stat_messages(struct stats *s)
{
	char title[2 * TAPE_LEVEL_MAX + 50];
	int *of = tape_must(calloc(s->ranks + 1, sizeof *of));
	struct stats_pair *list;
	struct sheet *h;
	size_t n;

	for (size_t i = 0; i < s->ranks; i++)
		of[i] = tape_system_group(s->system, s->level, (int)i);
	list = sum_group_pairs(s, of, &n);
	snprintf(title, sizeof title, "Messages from %s to %s",
		 level_word(s, s->level), level_word(s, s->level));
	h = sheet_new("messages", title);
	sum_columns(h);
	sheet_add_column(h, "from", s->level ? SHEET_NAME : SHEET_COUNT);
	sheet_add_column(h, "to", s->level ? SHEET_NAME : SHEET_COUNT);
	if (!s->level) {
		sheet_add_column(h, "from host", SHEET_NAME);
		sheet_add_column(h, "to host", SHEET_NAME);
	}
	for (size_t i = 0; i < n; i++) {
		put_sums(h, &list[i]);
		if (s->level) {
			sheet_put_text(h,
				       group_name(s, s->level, list[i].from));
			sheet_put_text(h, group_name(s, s->level, list[i].to));
			continue;
		}
		sheet_put_number(h, list[i].from);
		sheet_put_number(h, list[i].to);
		sheet_put_text(h, stat_host(s, list[i].from));
		sheet_put_text(h, stat_host(s, list[i].to));
	}
	free(list);
	free(of);
	return h;
}

/* ---- groups of ranks ---- */

struct stat_rank *stat_groups_sum(const struct stats *s, struct stat_rank *r,
				  size_t *n)
{
	size_t groups = (size_t)tape_system_groups(s->system, s->level);
	struct stat_rank *sum = tape_must(calloc(groups + 1, sizeof *sum));

	for (size_t i = 0; i < *n; i++) {
		struct stat_rank *q =
		    &sum[tape_system_group(s->system, s->level, r[i].rank)];

		q->length_ns += r[i].length_ns;
		q->computing_ns += r[i].computing_ns;
		q->mpi_ns += r[i].mpi_ns;
		q->waiting_ns += r[i].waiting_ns;
		q->ready.from_ns += r[i].ready.from_ns;
		q->ready.to_ns += r[i].ready.to_ns;
		q->tracing_ns += r[i].tracing_ns;
		q->path_ns += r[i].path_ns;
		q->measured_ns += r[i].measured_ns;
		q->least_ns += r[i].least_ns;
		q->most_ns += r[i].most_ns;
		q->waited_ns += r[i].waited_ns;
		q->events += r[i].events;
		q->ranks++;
	}
	*n = 0;
	for (size_t i = 0; i < groups; i++)
		if (sum[i].ranks) {
			sum[*n] = sum[i];
			sum[(*n)++].rank =
			    tape_system_first(s->system, s->level, (int)i);
		}
	free(r);
	return sum;
}

const char *stat_group_name(const struct stats *s, int rank)
{
	return group_name(s, s->level,
			  tape_system_group(s->system, s->level, rank));
}

/* ---- where ranks were ---- */

struct sheet *stat_positions(struct stats *s)
{
	struct sheet *h = sheet_new("positions", "Where each rank was");

	sheet_add_column(h, "rank", SHEET_COUNT);
	sheet_add_column(h, "host", SHEET_NAME);
	sheet_add_column(h, "position", SHEET_NAME);
	for (size_t i = 0; i < s->ranks; i++) {
		const struct tape_rank_info *r = tape_trace_rank(s->t, (int)i);

		sheet_put_number(h, (double)i);
		sheet_put_text(h, stat_host(s, (int)i));
		sheet_put_text(h, r && r->position ? r->position : "?");
	}
	return h;
}
