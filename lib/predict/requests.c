/* See requests.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "requests.h"
#include "tool.h"

static size_t find_index(const struct sim_requests *all, uint64_t number)
{
	size_t mask = all->room - 1, i = (size_t)number & mask;

	while (all->table[i].number && all->table[i].number != number)
		i = (i + 1) & mask;
	return i;
}

static void grow_requests(struct sim_requests *all)
{
	struct sim_request *old = all->table;
	size_t room = all->room;

	all->room = room ? 2 * room : 16;
	all->table = tape_must(calloc(all->room, sizeof *old));
	for (size_t i = 0; i < room; i++)
		if (old[i].number)
			all->table[find_index(all, old[i].number)] = old[i];
	free(old);
}

struct sim_request *sim_request_add(struct sim_requests *all, uint64_t number)
{
	struct sim_request *r;

	if (2 * all->n >= all->room)
		grow_requests(all);
	r = &all->table[find_index(all, number)];
	all->n += !r->number;
	*r = (struct sim_request){.number = number, .arrival_ns = NAN};
	return r;
}

struct sim_request *sim_request_find(const struct sim_requests *all,
				     uint64_t number)
{
	struct sim_request *r;

	if (!all->room || !number)
		return NULL;
	r = &all->table[find_index(all, number)];
	return r->number ? r : NULL;
}

/* Later entries move up if that brings them nearer to their own slot. */
void sim_request_drop(struct sim_requests *all, uint64_t number)
{
	size_t mask = all->room - 1, hole, i;

	if (!sim_request_find(all, number))
		return;
	hole = i = find_index(all, number);
	all->n--;
	for (;;) {
		size_t home;

		i = (i + 1) & mask;
		if (!all->table[i].number)
			break;
		home = (size_t)all->table[i].number & mask;
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			all->table[hole] = all->table[i];
			hole = i;
		}
	}
	all->table[hole].number = 0;
}

void sim_requests_free(struct sim_requests *all)
{
	free(all->table);
	memset(all, 0, sizeof *all);
}
