/* Who spawned whom, and the order of the jobs; see joined_jobs.h. */
#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "joined_jobs.h"
#include "sort.h"
#include "tape_files.h"
#include "tool.h"

/* The jobs that were spawned, by identity. */
struct id {
	uint64_t id;
	int job;
};

static int compare_comm_ids(const void *a, const void *b)
{
	const struct id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static struct id *list_ids(const struct join *j, size_t *n)
{
	struct id *ids = tape_must(malloc((j->n + 1) * sizeof *ids));

	*n = 0;
	for (size_t i = 0; i < j->n; i++)
		if (j->jobs[i].id)
			ids[(*n)++] = (struct id){j->jobs[i].id, (int)i};
	tape_sort(ids, *n, sizeof *ids, compare_comm_ids);
	return ids;
}

/* The job of that identity; -1: none of them. */
static int find_job(const struct id *ids, size_t n, uint64_t id)
{
	const struct id key = {id, 0};
	const struct id *found =
	    tape_search(&key, ids, n, sizeof key, compare_comm_ids);

	return found ? found->job : -1;
}

/* The parent of a job has the communicator of the job's identity. */
static void find_parents(struct join *j)
{
	size_t n;
	struct id *ids = list_ids(j, &n);

	for (size_t k = 0; k < j->n; k++)
		for (size_t r = 0; r < tape_trace_ranks(j->jobs[k].t); r++) {
			const struct tape_rank_info *info =
			    tape_trace_rank(j->jobs[k].t, (int)r);

			for (size_t c = 1; c < info->n_comms; c++) {
				int i = find_job(ids, n, info->comms[c].id);

				if (i >= 0 && i != (int)k &&
				    j->jobs[i].parent < 0)
					j->jobs[i].parent = (int)k;
			}
		}
	free(ids);
}

/*
 * By the start of the run, then by name: the order in which the user names the
 * traces does not matter.
 */
static int by_start(const void *a, const void *b)
{
	const struct join_job *x = a, *y = b;

	if (x->date_s != y->date_s)
		return x->date_s < y->date_s ? -1 : 1;
	return strcmp(tape_trace_path(x->t), tape_trace_path(y->t));
}

/* Dies: some jobs, of which place[] is -1, do not descend from the first. */
__attribute__((noreturn)) static void reject_unrelated(const struct join *j,
						       const int *place)
{
	size_t i = 0;

	for (size_t k = 0; k < j->n; k++)
		if (place[k] < 0 && j->jobs[k].parent < 0)
			tape_die(TAPE_FAILED,
				 "%s: no job of the other traces spawned it",
				 tape_trace_path(j->jobs[k].t));
	while (place[i] >= 0)
		i++;
	tape_die(TAPE_FAILED,
		 "%s: by its communicators its job and others spawned each "
		 "other", tape_trace_path(j->jobs[i].t));
}

/* Puts each job after its parent. One job has none, and is the first. */
static void sort_jobs(struct join *j)
{
	struct join_job *sorted = tape_must(calloc(j->n, sizeof *sorted));
	int *place = tape_must(malloc(j->n * sizeof *place));
	size_t n = 0, before;

	for (size_t i = 0; i < j->n; i++)
		place[i] = -1;
	do {
		before = n;
		for (size_t i = 0; i < j->n; i++) {
			int parent = j->jobs[i].parent;

			if (place[i] >= 0 ||
			    (parent < 0 ? n > 0 : place[parent] < 0))
				continue;
			place[i] = (int)n;
			sorted[n] = j->jobs[i];
			sorted[n++].parent = parent < 0 ? -1 : place[parent];
		}
	} while (n > before);
	if (n < j->n)
		reject_unrelated(j, place);
	free(place);
	free(j->jobs);
	j->jobs = sorted;
}

static void number_ranks(struct join *j)
{
	for (size_t i = 0; i < j->n; i++) {
		size_t n = tape_trace_ranks(j->jobs[i].t);

		if (n > (size_t)(RANKS_MAX - j->ranks))
			tape_die(TAPE_FAILED, "%s: more than %d ranks in all",
				 tape_trace_path(j->jobs[i].t), RANKS_MAX);
		j->jobs[i].first = j->ranks;
		j->ranks += (int)n;
	}
}

/* Reads which spawns the rank of job p was the root of. */
static void read_roots(struct join *j, size_t p, size_t rank,
		       const struct id *ids, size_t n)
{
	struct join_text x;
	char name[64], *line;

	snprintf(name, sizeof name, "rank.%zu", rank);
	if (join_text_open(&x, j->jobs[p].t, name, TEXT_BYTES_MAX))
		return; /* the rank has left no file */
	while ((line = join_text_line(&x))) {
		int i =
		    strncmp(line, "spawn ", 6)
			? -1
			: find_job(ids, n, tape_leading_number(line + 6, 16));

		if (i >= 0 && j->jobs[i].parent == (int)p &&
		    j->jobs[i].root < 0)
			j->jobs[i].root = (int)rank;
	}
	join_text_close(&x);
}

static void find_roots(struct join *j)
{
	char *spawned_some = tape_must(calloc(j->n, 1));
	size_t n;
	struct id *ids = list_ids(j, &n);

	for (size_t i = 1; i < j->n; i++)
		spawned_some[j->jobs[i].parent] = 1;
	for (size_t p = 0; p < j->n; p++)
		for (size_t r = 0; spawned_some[p] &&
				   r < tape_trace_ranks(j->jobs[p].t); r++)
			read_roots(j, p, r, ids, n);
	free(spawned_some);
	free(ids);
}

void join_order_jobs(struct join *j)
{
	tape_sort(j->jobs, j->n, sizeof *j->jobs, by_start);
	find_parents(j);
	sort_jobs(j);
	number_ranks(j);
	find_roots(j);
}
