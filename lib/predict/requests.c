/* See requests.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "requests.h"
#include "tool.h"

/* Slots at first. */
enum { LEAST = 16 };

static int is_used(const struct sim_request *r)
{
	return r->number != 0;
}

static uint64_t get_key(const void *own, const struct sim_request *r)
{
	(void)own;
	return r->number;
}

/* Numbers are consecutive. */
static uint64_t hash_number(uint64_t number)
{
	return number;
}

static int is_equal_number(uint64_t a, uint64_t b)
{
	return a == b;
}

TAPE_SLOTS(sim_requests, struct sim_request, const void *, uint64_t, is_used,
	   get_key, hash_number, is_equal_number)

struct sim_request *sim_request_add(struct sim_requests *all, uint64_t number)
{
	struct sim_request *r;

	if (sim_requests_reserve(NULL, all, LEAST))
		tape_die_no_memory();
	r = sim_requests_find(NULL, all, number);
	all->used += !r->number;
	*r = (struct sim_request){.number = number, .arrival_ns = NAN};
	return r;
}

struct sim_request *sim_request_find(const struct sim_requests *all,
				     uint64_t number)
{
	struct sim_request *r;

	if (!all->list || !number)
		return NULL;
	r = sim_requests_find(NULL, all, number);
	return r->number ? r : NULL;
}

void sim_request_drop(struct sim_requests *all, uint64_t number)
{
	struct sim_request *r = sim_request_find(all, number);

	if (r)
		sim_requests_remove(NULL, all, r);
}

void sim_requests_free(struct sim_requests *all)
{
	free(all->list);
	memset(all, 0, sizeof *all);
}
