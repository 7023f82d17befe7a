/* How flows ended, and which did not come; and who was in groups of PVM. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "damage.h"
#include "pvm_groups.h"
#include "sums.h"
#include "tape_follow.h"
#include "tool.h"

int stats_flow_came(const struct stats *s, size_t flow)
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

static void note_end(struct stats *s, size_t flow)
{
	static const char *const why[] = {
	    [TAPE_END_NONE] = "was killed, or still runs",
	    [TAPE_END_FINALIZE] = "dropped events where its stream was "
				  "full",
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

	if (!damaged && !lost &&
	    (end == TAPE_END_FINALIZE || (end == TAPE_END_EXIT && f->thread)))
		return;
	if (!s->incomplete++)
		snprintf(s->why, sizeof s->why, "rank %d %s", f->rank,
			 damaged ? "has a damaged file" : why[end]);
}

/* Ranks that left nothing. */
static void note_missing(struct stats *s)
{
	for (size_t i = 0, f = 0; i < s->ranks; i++) {
		if (f < s->flows && tape_trace_flow(s->t, f)->rank == (int)i) {
			while (f < s->flows &&
			       tape_trace_flow(s->t, f)->rank == (int)i)
				f++;
		} else if (!s->incomplete++) {
			snprintf(s->why, sizeof s->why, "rank %zu is not in it",
				 i);
		}
	}
}

void stats_note_ends(struct stats *s)
{
	stats_count_ranks(s);
	note_missing(s);
	/* in a trace that was followed threads may have come, or not */
	for (size_t i = 0; i < s->flows; i++)
		if (stats_flow_came(s, i))
			note_end(s, i);
}

/* ---- groups ---- */

/* The fewest that met, plus 1, by communicator. */
void stats_met(struct stats *s, const struct tape_collective_round *q)
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

int stats_groups_unsure(const struct stats *s)
{
	for (size_t i = 0; s->met.used && i < s->ranks; i++) {
		const struct tape_rank_info *r = tape_trace_rank(s->t, (int)i);

		for (size_t k = 0; k < r->n_comms; k++)
			if (is_unsure(s, &r->comms[k]))
				return 1;
	}
	return 0;
}
