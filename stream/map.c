/* Which rank is connected to which; see streams.h, tape_links_map. */
#include <stdlib.h>

#include "streams.h"

/* Of the owner's tags, after those of streams. */
static int map_tag(const struct tape_links *l)
{
	return (int)l->owner + TAPE_LINKS_TAGS + 1;
}

int tape_links_append(int **peers, int *n, int rank)
{
	int *more = realloc(*peers, ((size_t)*n + 1) * sizeof *more);

	if (!more)
		return TAPE_STREAM_ENOMEM;
	more[(*n)++] = rank;
	*peers = more;
	return 0;
}

static int find_rank(const struct tape_links_side *side, int rank)
{
	for (int i = 0; i < side->size; i++)
		if (side->ranks[i] == rank)
			return i;
	return -1;
}

/* The target of a source. */
static int get_target(const struct tape_links_rule *r, int source, int sources,
		      int targets)
{
	if (r->function)
		return r->function(source, sources, targets, r->of);
	switch (r->policy) {
	case TAPE_MAP_ROUND_ROBIN:
		return source % targets;
	case TAPE_MAP_FIXED:
		return (int)((int64_t)source * targets / sources);
	case TAPE_MAP_RANDOM:
		break;
	}
	return (int)(tape_mix(r->seed, (uint64_t)source) % (uint64_t)targets);
}

/* Sends n numbers there, or gets them. */
static int send_ints(const struct tape_links *l, int rank, const int *what,
		     int n)
{
	MPI_Request r;

	return PMPI_Isend(what, n, MPI_INT, rank, map_tag(l), l->comm, &r) ==
		       MPI_SUCCESS
		   ? tape_links_wait(1, &r)
		   : TAPE_STREAM_EMPI;
}

static int receive_ints(const struct tape_links *l, int rank, int *what, int n)
{
	MPI_Request r;

	return PMPI_Irecv(what, n, MPI_INT, rank, map_tag(l), l->comm, &r) ==
		       MPI_SUCCESS
		   ? tape_links_wait(1, &r)
		   : TAPE_STREAM_EMPI;
}

/* A process hears how many are its own, and which. */
static int receive_peers(const struct tape_links *l, int pivot, int **peers,
			 int *n)
{
	int many = 0, rc = receive_ints(l, pivot, &many, 1), *list;

	if (rc || !many)
		return rc;
	list = malloc((size_t)many * sizeof *list);
	if (!list)
		return TAPE_STREAM_ENOMEM;
	rc = receive_ints(l, pivot, list, many);
	for (int i = 0; i < many && !rc; i++)
		rc = tape_links_append(peers, n, list[i]);
	free(list);
	return rc;
}

/* The pivot's decision: target[i] is the target of source i, or none. */
static int send_decision(const struct tape_links *l,
			 const struct tape_links_side *s,
			 const struct tape_links_side *t, const int *target,
			 int **peers, int *n)
{
	int *list = malloc((size_t)s->size * sizeof *list);
	int rc = list ? 0 : TAPE_STREAM_ENOMEM;

	for (int k = 0; k < t->size && !rc; k++) {
		int many = 0;

		for (int i = 0; i < s->size; i++)
			if (target[i] == k)
				list[many++] = s->ranks[i];
		for (int i = 0; i < many && !k && !rc; i++)
			rc = tape_links_append(peers, n, list[i]);
		if (!k)
			continue;
		rc = send_ints(l, t->ranks[k], &many, 1);
		if (!rc && many)
			rc = send_ints(l, t->ranks[k], list, many);
	}
	for (int i = 0; i < s->size && !rc; i++) {
		int some = target[i] >= 0 && target[i] < t->size;

		rc = send_ints(l, s->ranks[i], &some, 1);
		if (!rc && some)
			rc = send_ints(l, s->ranks[i], &t->ranks[target[i]], 1);
	}
	free(list);
	return rc;
}

/*
 * Each source sends its rank to the first target, which picks a target for it
 * and, when all have come, sends to all processes: that is also the end of the
 * mapping for all.
 */
static int map_by_pivot(const struct tape_links *l,
			const struct tape_links_side *s,
			const struct tape_links_side *t,
			const struct tape_links_rule *rule, int me, int **peers,
			int *n)
{
	int rc = 0, rank, *target;

	if (find_rank(s, me) >= 0)
		rc = send_ints(l, t->ranks[0], &me, 1);
	if (me != t->ranks[0])
		return rc ? rc : receive_peers(l, t->ranks[0], peers, n);
	target = malloc((size_t)s->size * sizeof *target);
	if (!target)
		return TAPE_STREAM_ENOMEM;
	for (int i = 0; i < s->size && !rc; i++) {
		rc = receive_ints(l, s->ranks[i], &rank, 1);
		target[i] = get_target(rule, i, s->size, t->size);
	}
	if (!rc)
		rc = send_decision(l, s, t, target, peers, n);
	free(target);
	return rc;
}

int tape_links_map(const struct tape_links *l,
		   const struct tape_links_side *sources,
		   const struct tape_links_side *targets,
		   const struct tape_links_rule *rule, int **peers, int *n)
{
	int me, rc = 0, source, target;

	PMPI_Comm_rank(l->comm, &me);
	if (rule->pivot)
		return map_by_pivot(l, sources, targets, rule, me, peers, n);
	source = find_rank(sources, me);
	target = find_rank(targets, me);
	if (source >= 0)
		return tape_links_append(
		    peers, n,
		    targets->ranks[get_target(rule, source, sources->size,
					      targets->size)]);
	for (int i = 0; i < sources->size && !rc; i++)
		if (get_target(rule, i, sources->size, targets->size) == target)
			rc = tape_links_append(peers, n, sources->ranks[i]);
	return rc;
}
