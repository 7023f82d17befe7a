/* How flows ended, and which did not come; and who was in groups of PVM. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "damage.h"
#include "escape.h"
#include "duration_text.h"
#include "pvm_groups.h"
#include "sums.h"
#include "tape_follow.h"
#include "tool.h"

int stats_has_flow(const struct stats *s, size_t flow)
{
	const char *file = tape_trace_flow(s->t, flow)->file;
	int fd;

	if (s->flow[flow].events)
		return 1;
	fd = tape_trace_file(s->t, strrchr(file, '/') + 1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/*
 * Of a flow that has no proper end: why. NULL: it was killed, or still runs.
 */
static const char *incomplete_reason(struct stats *s, size_t flow,
				     int *is_whole)
{
	static const char *const why[] = {
	    [TAPE_END_FINALIZE] = "dropped events because its stream was full",
	    [TAPE_END_EXIT] = "ended without MPI_Finalize or pvm_exit",
	    [TAPE_END_ABORT] = "called MPI_Abort",
	    [TAPE_END_FULL] = "stopped tracing: the disk was full",
	    [TAPE_END_LIMIT] = "stopped tracing: max_size was reached",
	    [TAPE_END_ERROR] = "stopped tracing: its file could not be "
			       "written",
	};
	const struct tape_flow_info *f = tape_trace_flow(s->t, flow);
	uint64_t lost = s->ends ? s->ends[flow].lost : 0;
	enum tape_end end =
	    s->ends ? s->ends[flow].end
		    : tape_replay_end(tape_analysis_replay(s->analysis), flow,
				      &lost);
	int damaged = tape_trace_damage(s->t, flow, NULL) != NULL;

	*is_whole =
	    !damaged && !lost &&
	    (end == TAPE_END_FINALIZE || (end == TAPE_END_EXIT && f->thread));
	return damaged		      ? "has a damaged file"
	       : end == TAPE_END_NONE ? NULL
				      : why[end];
}

/* What is known of flows that are not whole. */
struct incomplete {
	size_t told, silent; /* ranks with a reason, and without an end */
	int first_told;	     /* the first rank with a reason, which is: */
	const char *why;
	size_t first_silent; /* the flow that had its last event first */
	int last_silent;     /* a rank that is counted in silent */
};

static void note_silent(const struct stats *s, size_t flow,
			struct incomplete *n)
{
	int rank = tape_trace_flow(s->t, flow)->rank;

	if (!n->silent ||
	    s->flow[flow].span.to_ns < s->flow[n->first_silent].span.to_ns)
		n->first_silent = flow;
	if (!n->silent || rank != n->last_silent)
		n->silent++;
	n->last_silent = rank;
}

static void note_told(struct incomplete *n, int rank, const char *why)
{
	if (!n->told++) {
		n->first_told = rank;
		n->why = why;
	}
}

static void note_end(struct stats *s, size_t flow, struct incomplete *n)
{
	int is_whole;
	const char *why = incomplete_reason(s, flow, &is_whole);

	if (is_whole)
		return;
	s->incomplete++;
	if (why)
		note_told(n, tape_trace_flow(s->t, flow)->rank, why);
	else
		note_silent(s, flow, n);
}

/* Ranks that left nothing. */
static void note_missing(struct stats *s, struct incomplete *n)
{
	for (size_t i = 0, f = 0; i < s->ranks; i++) {
		if (f < s->flows && tape_trace_flow(s->t, f)->rank == (int)i) {
			while (f < s->flows &&
			       tape_trace_flow(s->t, f)->rank == (int)i)
				f++;
		} else {
			s->incomplete++;
			note_told(n, (int)i, "is not in it");
		}
	}
}

/* When the flow had its last event, as far as that is known. */
static void silent_since(const struct stats *s, size_t flow, char *text,
			 size_t size)
{
	const struct stats_flow *f = &s->flow[flow];
	int rank = tape_trace_flow(s->t, flow)->rank;
	int64_t from = s->comparable ? s->from_ns : f->span.from_ns;
	char time[32];

	*text = '\0';
	if (!f->span.seen)
		return;
	tape_duration_text((double)(f->span.to_ns - from), time, sizeof time);
	snprintf(text, size, "%s after %s", time,
		 !tape_trace_rank(s->t, rank)->tid ? "MPI_Init"
		 : s->comparable		   ? "the first task began"
						   : "it began");
}

/* " on HOST" where that is another one than rank 0's: it may have vanished. */
static void host_text(const struct stats *s, int rank, char *text, size_t size)
{
	const char *host = tape_trace_rank(s->t, rank)->host;
	const char *first = tape_trace_rank(s->t, 0)->host;
	char clean[64];

	*text = '\0';
	if (!host || !first || !strcmp(host, first))
		return;
	tape_clean(host, clean, sizeof clean);
	snprintf(text, size, " on %s", clean);
}

/* Which ranks have no end, and who of them fell silent first. */
static void silent_text(const struct stats *s, const struct incomplete *n,
			char *text, size_t size)
{
	int rank = tape_trace_flow(s->t, n->first_silent)->rank;
	char since[80], host[72];

	host_text(s, rank, host, sizeof host);
	silent_since(s, n->first_silent, since, sizeof since);
	if (n->silent == 1)
		snprintf(text, size,
			 "1 of %zu ranks has no end record: rank %d%s%s%s",
			 s->ranks, rank, host, *since ? ", silent since " : "",
			 since);
	else if (s->comparable && *since)
		snprintf(text, size,
			 "%zu of %zu ranks have no end record. The first to "
			 "fall silent was rank %d%s, %s",
			 n->silent, s->ranks, rank, host, since);
	else
		snprintf(text, size, "%zu of %zu ranks have no end record",
			 n->silent, s->ranks);
}

static void incomplete_text(struct stats *s, const struct incomplete *n)
{
	char silent[280] = "", more[60] = "", told[100] = "";
	char where[120], tasks[220] = "";
	size_t missing = tape_tasks_missing(s->t, where, sizeof where);

	if (missing)
		snprintf(tasks, sizeof tasks,
			 "%zu task%s that pvm_spawn started %s missing from "
			 "the trace, %s%s",
			 missing, missing == 1 ? "" : "s",
			 missing == 1 ? "is" : "are", where,
			 n->told || n->silent ? "; " : "");
	if (n->silent)
		silent_text(s, n, silent, sizeof silent);
	if (n->told > 1)
		snprintf(more, sizeof more, " (and %zu more)", n->told - 1);
	if (n->told)
		snprintf(told, sizeof told, "rank %d %s%s", n->first_told,
			 n->why, more);
	snprintf(s->why, sizeof s->why, "%s%s%s%s", tasks, told,
		 n->told && n->silent ? "; " : "", silent);
}

void stats_note_ends(struct stats *s)
{
	struct incomplete n = {0};

	stats_count_ranks(s);
	note_missing(s, &n);
	/* in a trace that was followed threads may have come, or not */
	for (size_t i = 0; i < s->flows; i++)
		if (stats_has_flow(s, i))
			note_end(s, i, &n);
	s->incomplete += tape_tasks_missing(s->t, NULL, 0) > 0;
	if (s->incomplete)
		incomplete_text(s, &n);
}

/* ---- groups ---- */

/* The fewest that met, plus 1, by communicator. */
void stats_note_pvm_round(struct stats *s,
			  const struct tape_collective_round *q)
{
	uint64_t n = (uint64_t)q->entered + 1, *least;

	if (!tape_trace_followed(s->t))
		return;
	least = tape_must(tape_table_get(&s->met, q->comm ? q->comm : 1));
	if (!*least || n < *least)
		*least = n;
}

static int is_unsure(const struct stats *s, const struct tape_comm_info *c)
{
	const uint64_t *least =
	    c->index ? tape_table_find(&s->met, c->id ? c->id : 1) : NULL;
	uint64_t users = 0;

	if (!least)
		return 0;
	for (int i = 0; i < c->size; i++)
		users += c->members[i] >= 0;
	return *least < users + 1 || tape_pvm_groups_fewer(c);
}

int stats_has_unsure_groups(const struct stats *s)
{
	for (size_t i = 0; s->met.used && i < s->ranks; i++) {
		const struct tape_rank_info *r = tape_trace_rank(s->t, (int)i);

		for (size_t k = 0; k < r->n_comms; k++)
			if (is_unsure(s, &r->comms[k]))
				return 1;
	}
	return 0;
}
