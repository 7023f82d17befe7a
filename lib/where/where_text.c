/* The answer as text: verdicts, then a line for each group of ranks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration_text.h"
#include "escape.h"
#include "place.h"
#include "sort.h"
#include "tool.h"
#include "where.h"

/* Verdicts, members of a cycle and messages that are printed. */
enum { MOST_LINES = 8 };

struct group {
	const struct wait_graph *g;
	const struct where_flow *f;
	int first; /* the first rank of those with its place and target */
	char target[WHERE_TEXT_BYTES];
};

/* ---- states ---- */

static const char *since_text(const struct where_states *s, int rank,
			      int64_t ns, int64_t init_ns, char *text,
			      size_t size)
{
	char time[TAPE_DURATION_TEXT_BYTES];

	if (where_is_timed(s, rank))
		snprintf(text, size, "for %s",
			 tape_duration_text(
			     s->now_ns > ns ? (double)(s->now_ns - ns) : 0,
			     time, sizeof time));
	else
		snprintf(text, size, "since %s after %s",
			 tape_duration_text(
			     ns > init_ns ? (double)(ns - init_ns) : 0, time,
			     sizeof time),
			 s->is_pvm ? "its first call" : "MPI_Init");
	return text;
}

/* What a flow does, behind "Rank 1 ". */
static void describe_flow(const struct where_states *s,
			  const struct where_flow *f, int is_plural,
			  char *text, size_t size)
{
	const char *is = is_plural ? "are" : "is";
	const char *library = s->is_pvm ? "PVM" : "MPI";
	char place[400], since[100];
	int64_t ns = f->state == WHERE_IN_CALL ? f->call.start_ns
					       : f->last_end_ns;

	where_place_text(s, f->rank,
			 f->state == WHERE_IN_CALL ? f->call.site
						   : f->last_site,
			 f->state == WHERE_IN_CALL ? f->call.call
						   : f->last_call,
			 place, sizeof place);
	since_text(s, f->rank, ns, f->init_ns, since, sizeof since);
	switch (f->state) {
	case WHERE_ENDED:
		snprintf(text, size, "%s",
			 f->end == TAPE_END_FINALIZE ? "ended"
			 : f->end == TAPE_END_ABORT  ? "called MPI_Abort"
						     : "exited");
		break;
	case WHERE_IN_CALL:
		snprintf(text, size, "%s in %s %s", is, place, since);
		break;
	case WHERE_TESTING:
		snprintf(text, size,
			 "%s testing in a loop: %" PRIu64 " failed %s", is,
			 f->polls, place);
		break;
	case WHERE_OUTSIDE:
		if (!f->last_call)
			snprintf(text, size, "%s before the first call", is);
		else if (s->is_partial)
			snprintf(text, size,
				 "%s in no recorded call since %s ended", is,
				 place);
		else if (where_is_timed(s, f->rank))
			snprintf(text, size,
				 "%s not in %s: %s ended %s ago", is,
				 library, place, since + strlen("for "));
		else
			snprintf(text, size,
				 "%s not in %s %s, when %s ended", is,
				 library, since, place);
		break;
	case WHERE_UNSENT:
		snprintf(text, size,
			 "%s calls up to %s; call in progress: not known (the "
			 "trace is streamed %s)",
			 is_plural ? "have sent their" : "has sent its", place,
			 where_is_mpi_stream(s->t) ? "by MPI"
						   : "from another host");
		break;
	default:
		snprintf(text, size, "%s not traced any more", is);
	}
}

const char *where_flow_text(const struct wait_graph *g,
			    const struct where_flow *f, char *text, size_t size)
{
	char target[WHERE_TEXT_BYTES], what[WHERE_TEXT_BYTES];

	describe_flow(g->s, f, 0, what, sizeof what);
	where_target_text(g, f, target, sizeof target);
	snprintf(text, size, "%s%s%s", what, *target ? ", for " : "", target);
	return text;
}

/* ---- groups ---- */

/* Of a call with one partner each of many ranks has another one. */
static int has_partner(const struct where_flow *f)
{
	switch (f->call.class_) {
	case TAPE_CLASS_RECV:
	case TAPE_CLASS_PROBE:
	case TAPE_CLASS_MPROBE:
	case TAPE_CLASS_SEND:
	case TAPE_CLASS_SENDRECV:
	case TAPE_CLASS_WAIT:
		return 1;
	default:
		return 0;
	}
}

static const struct tape_site_info *get_site(const struct group *x)
{
	return tape_site_of(x->g->s->t, x->f->rank,
			    x->f->state == WHERE_IN_CALL ? x->f->call.site
							 : x->f->last_site);
}

/* Order of states, then of places. */
static int compare_places(const struct group *x, const struct group *y)
{
	const struct tape_site_info *a = get_site(x), *b = get_site(y);

	if (x->f->state != y->f->state)
		return x->f->state > y->f->state ? -1 : 1;
	if (x->f->state == WHERE_ENDED)
		return (x->f->end > y->f->end) - (x->f->end < y->f->end);
	if (!a || !b)
		return !b - !a;
	return tape_place_order(a, b);
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int d = compare_places(x, y);

	if (!d)
		d = x->first - y->first;
	if (!d)
		d = strcmp(x->target, y->target);
	if (!d)
		d = x->f->rank - y->f->rank;
	return d ? d : x->f->thread - y->f->thread;
}

/* Begins an alike one at the same place, if targets may differ. */
static int is_alike(const struct group *x, const struct group *y,
		    int with_target)
{
	return !compare_places(x, y) &&
	       (!with_target || !strcmp(x->target, y->target));
}

static int compare_numbers(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* One line for n flows that do the same; their targets differ if is_mixed. */
static void print_group(const struct group *list, size_t n, int is_mixed,
			FILE *to)
{
	const struct where_states *s = list->g->s;
	int *ranks = tape_must(calloc(n, sizeof *ranks));
	char names[400], what[WHERE_TEXT_BYTES];
	const struct group *longest = list;
	size_t n_ranks = 0;

	for (size_t i = 0; i < n; i++) {
		ranks[i] = list[i].f->rank;
		if (list[i].f->call.start_ns < longest->f->call.start_ns)
			longest = &list[i];
	}
	tape_sort(ranks, n, sizeof *ranks, compare_numbers);
	for (size_t i = 0; i < n; i++)
		if (!n_ranks || ranks[n_ranks - 1] != ranks[i])
			ranks[n_ranks++] = ranks[i];
	describe_flow(s, longest->f, n_ranks > 1, what, sizeof what);
	fprintf(to, "%s",
		where_ranks_text(ranks, n_ranks, 1, names, sizeof names));
	if (n == 1 && s->rank[list->f->rank].n_flows > 1)
		fprintf(to, " thread %d", list->f->thread);
	fprintf(to, " %s", what);
	if (is_mixed)
		fprintf(to, ", each for another rank");
	else if (*list->target)
		fprintf(to, ", for %s", list->target);
	fprintf(to, "\n");
	free(ranks);
}

static void print_alike(const struct group *list, size_t n, FILE *to)
{
	size_t k;

	if (n > MOST_LINES && has_partner(list->f)) {
		print_group(list, n, 1, to);
		return;
	}
	for (size_t i = 0; i < n; i = k) {
		for (k = i + 1; k < n && is_alike(&list[i], &list[k], 1); k++)
			;
		print_group(list + i, k - i, 0, to);
	}
}

/* A flow that is shown: of a rank that ended one is enough. */
static int is_shown(const struct where_states *s, size_t i)
{
	const struct where_flow *f = &s->flow[i];
	const struct where_rank *r = &s->rank[f->rank];

	if (f->state == WHERE_ABSENT)
		return 0;
	return r->n_active ? f->state != WHERE_ENDED : i == r->first;
}

static void print_groups(const struct wait_graph *g, FILE *to)
{
	const struct where_states *s = g->s;
	struct group *list = tape_must(calloc(s->n_flows + 1, sizeof *list));
	size_t n = 0, k;

	for (size_t i = 0; i < s->n_flows; i++) {
		if (!is_shown(s, i))
			continue;
		list[n].g = g;
		list[n].f = &s->flow[i];
		where_target_text(g, list[n].f, list[n].target,
				  sizeof list[n].target);
		n++;
	}
	tape_sort(list, n, sizeof *list, compare_groups);
	for (size_t i = 0; i < n; i++)
		list[i].first = i && is_alike(&list[i - 1], &list[i], 1)
				    ? list[i - 1].first
				    : list[i].f->rank;
	tape_sort(list, n, sizeof *list, compare_groups);
	for (size_t i = 0; i < n; i = k) {
		for (k = i + 1; k < n && is_alike(&list[i], &list[k], 0); k++)
			;
		print_alike(list + i, k - i, to);
	}
	free(list);
}

/* ---- verdicts ---- */

static void print_cycle(const struct wait_cycle *c, FILE *to)
{
	const char *kind = c->is_certain ? "Deadlock" : "Perhaps a deadlock";

	if (c->n == 1) {
		fprintf(to, "%s: rank %d waits for itself\n", kind, c->rank[0]);
		return;
	}
	fprintf(to, "%s: rank %d", kind, c->rank[0]);
	for (size_t i = 1; i < c->n && i < MOST_LINES; i++)
		fprintf(to, " waits for rank %d, which", c->rank[i]);
	if (c->n > MOST_LINES)
		fprintf(to, " waits for %zu more ranks, the last of which",
			c->n - MOST_LINES);
	fprintf(to, " waits for rank %d", c->rank[0]);
	if (c->may_have_threads)
		fprintf(to, " (unless another thread of them calls MPI)");
	fprintf(to, "\n");
}

static int compare_lost(const void *a, const void *b)
{
	const struct wait_lost *x = a, *y = b;

	if (x->ended != y->ended)
		return x->ended < y->ended ? -1 : 1;
	if (x->is_certain != y->is_certain)
		return y->is_certain - x->is_certain;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Those that wait for one rank that has ended: the first of n. Returns how
 * many they are. */
static size_t print_lost_group(const struct wait_graph *g,
			       const struct wait_lost *l, size_t n, FILE *to)
{
	const struct where_flow *f = where_flow_of(g->s, l->ended);
	int *rank = tape_must(calloc(n, sizeof *rank));
	char names[WHERE_TEXT_BYTES];
	size_t k = 0;

	while (k < n && l[k].ended == l->ended &&
	       l[k].is_certain == l->is_certain) {
		rank[k] = l[k].rank;
		k++;
	}
	fprintf(to, "%s %s%s forever for rank %d, which %s\n",
		where_ranks_text(rank, k, 1, names, sizeof names),
		l->is_certain ? "" : "perhaps ", k > 1 ? "wait" : "waits",
		l->ended,
		f->state == WHERE_ENDED ? "has ended" : "is in MPI_Finalize");
	free(rank);
	return k;
}

static void print_lost(const struct wait_graph *g, FILE *to)
{
	struct wait_lost *l = tape_must(calloc(g->n_lost + 1, sizeof *l));
	size_t i = 0;

	if (g->n_lost) {
		memcpy(l, g->lost, g->n_lost * sizeof *l);
		tape_sort(l, g->n_lost, sizeof *l, compare_lost);
	}
	for (int lines = 0; i < g->n_lost && lines < MOST_LINES; lines++)
		i += print_lost_group(g, &l[i], g->n_lost - i, to);
	if (i < g->n_lost)
		fprintf(to, "%zu more ranks wait for ranks that have ended\n",
			g->n_lost - i);
	free(l);
}

static void add_root(const struct where_flow *f, int32_t root, unsigned call,
		     char *text, size_t size)
{
	enum tape_shape shape = tape_call_shape(call);

	(void)f;
	*text = '\0';
	if (shape == TAPE_SHAPE_FROM || shape == TAPE_SHAPE_TO)
		snprintf(text, size, " with root %d", root);
}

static void print_odd_round(const struct wait_graph *g,
			    const struct wait_round *r, FILE *to)
{
	const struct where_states *s = g->s;
	const struct where_flow *a = where_flow_of(s, r->odd[0]);
	const struct where_flow *b = where_flow_of(s, r->odd[1]);
	const struct where_rounds *left = NULL;
	char first[400], second[400], root[2][40];
	const struct tape_rank_info *info = tape_trace_rank(s->t, r->odd[1]);

	for (uint32_t i = 1; r->odd_has_ended && i < info->n_comms; i++)
		if (info->comms[i].index && info->comms[i].id == r->comm)
			left = where_rounds_of(s, r->odd[1], i);
	where_place_text(s, r->odd[0], a->call.site, a->call.call, first,
			 sizeof first);
	where_place_text(s, r->odd[1], left ? left->last_site : b->call.site,
			 left ? left->last_call : b->call.call, second,
			 sizeof second);
	add_root(a, a->call.peer, a->call.call, root[0], sizeof root[0]);
	add_root(b, left ? left->last_root : b->call.peer,
		 left ? left->last_call : b->call.call, root[1],
		 sizeof root[1]);
	fprintf(to,
		"Different collectives: rank %d is in %s%s, rank %d %s %s%s\n",
		r->odd[0], first, root[0], r->odd[1],
		left ? "has called" : "is in", second, root[1]);
}

static void print_culprits(const struct wait_graph *g, FILE *to)
{
	for (size_t i = 0; i < g->n_culprits && i < MOST_LINES; i++) {
		const struct wait_culprit *c = &g->culprit[i];
		const struct where_flow *f = where_flow_of(g->s, c->rank);
		char what[WHERE_TEXT_BYTES];

		if (f)
			describe_flow(g->s, f, 0, what, sizeof what);
		else
			snprintf(what, sizeof what, "has left no trace");
		fprintf(to, "%zu rank%s %s for rank %d, which %s\n",
			c->n_perhaps, c->n_perhaps == 1 ? "" : "s",
			c->n_perhaps > c->n_waiting ? "may wait"
			: c->n_waiting == 1	    ? "waits"
						    : "wait",
			c->rank, what);
	}
}

/* ---- messages ---- */

/* What a receive of the flow wants; 0: it is in none. */
static int get_wanted(const struct where_states *s, const struct where_flow *f,
		      int *from, int32_t *tag, uint64_t *comm)
{
	const struct tape_call_in_progress *c = &f->call;
	uint32_t index = c->comm;
	int32_t peer = c->peer;

	if (f->state != WHERE_IN_CALL)
		return 0;
	*tag = c->tag;
	if (c->class_ == TAPE_CLASS_SENDRECV) {
		peer = c->rpeer;
		*tag = c->rtag;
	} else if (c->class_ == TAPE_CLASS_WAIT) {
		if (!c->n_requests || !f->request[0].is_recv ||
		    !f->request[0].is_unmatched)
			return 0;
		peer = f->request[0].peer;
		*tag = f->request[0].tag;
		index = f->request[0].comm;
	} else if (c->class_ != TAPE_CLASS_RECV &&
		   c->class_ != TAPE_CLASS_PROBE &&
		   c->class_ != TAPE_CLASS_MPROBE) {
		return 0;
	}
	*comm = where_comm_id(s, f->rank, index);
	*from = tape_peer_rank(s->t, f->rank, index, peer);
	return *comm != 0;
}

/* A message that the receive of its receiver does not take. */
static int print_message(const struct where_states *s,
			 const struct where_send *m, FILE *to)
{
	const struct where_flow *f = where_flow_of(s, m->to);
	char place[400];
	uint64_t comm;
	int32_t tag;
	int from;

	if (!f || !f->is_stable || !get_wanted(s, f, &from, &tag, &comm) ||
	    (from >= 0 && from != m->from))
		return 0;
	if (comm == m->comm && (tag == TAPE_ANY_TAG || tag == m->tag))
		return 0;
	where_place_text(s, m->from, m->where.site, m->where.call, place,
			 sizeof place);
	fprintf(to,
		"Rank %d sent rank %d %" PRIu64 " message%s with tag %d (%s)",
		m->from, m->to, m->count, m->count == 1 ? "" : "s", m->tag,
		place);
	if (comm != m->comm)
		fprintf(to, " on another communicator");
	fprintf(to, ": rank %d waits for ", m->to);
	if (tag == TAPE_ANY_TAG)
		fprintf(to, "any tag\n");
	else
		fprintf(to, "tag %d\n", tag);
	return 1;
}

static void print_messages(const struct where_states *s, FILE *to)
{
	int n = 0;

	for (size_t i = 0; i < s->n_sends && n < MOST_LINES; i++)
		if (s->send[i].to >= 0 && s->send[i].from >= 0)
			n += print_message(s, &s->send[i], to);
}

static void print_head(const struct where_states *s, FILE *to)
{
	size_t running = 0, ended = 0, there = 0;

	for (size_t k = 0; k < s->n_ranks; k++) {
		running += s->rank[k].is_running != 0;
		there += s->rank[k].n_flows != 0;
		ended += s->rank[k].n_flows && !s->rank[k].n_active;
	}
	tape_put_clean(to, tape_trace_path(s->t));
	fprintf(to, "  %zu rank%s", s->n_ranks, s->n_ranks == 1 ? "" : "s");
	if (ended)
		fprintf(to, ", %zu ended", ended);
	if (running)
		fprintf(to, ", %zu running", running);
	if (there > ended + running)
		fprintf(to, ", %zu %s", there - ended - running,
			"killed or on another host");
	if (s->n_ranks > there)
		fprintf(to, ", %zu without a trace", s->n_ranks - there);
	fprintf(to, "\n");
	if (s->is_partial)
		fprintf(to, "Not recorded: %s\n", s->why_partial);
}

void where_print_verdicts(const struct wait_graph *g, FILE *to)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_cycles && i < MOST_LINES; i++)
		print_cycle(&g->cycle[i], to);
	print_lost(g, to);
	for (size_t i = 0; i < g->n_rounds && n < MOST_LINES; i++)
		if (g->round[i].odd[0] >= 0) {
			print_odd_round(g, &g->round[i], to);
			n++;
		}
}

void where_print_ranks(const struct wait_graph *g, FILE *to)
{
	print_messages(g->s, to);
	print_culprits(g, to);
	print_groups(g, to);
}

void where_print_text(const struct wait_graph *g, FILE *to)
{
	print_head(g->s, to);
	where_print_verdicts(g, to);
	where_print_ranks(g, to);
}
