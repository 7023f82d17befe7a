/*
 * A hash table of the open requests of one rank, by number.
 *
 *	r = sim_request_add(&open, number);
 *	r = sim_request_find(&open, number);
 *	sim_request_drop(&open, number);
 *
 * Numbers increase, so their lowest bits spread them well. A pointer is valid
 * until the next call that adds or drops a request. Dies when out of memory.
 */
#ifndef SIM_REQUESTS_H
#define SIM_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#include "hash_slots.h"

struct sim_request {
	uint64_t number;   /* 0: a free slot */
	double arrival_ns; /* completion; NAN: not known yet */
	double recv_ns;	   /* overhead of the wait */
	int is_awaited;	   /* the rank is blocked on it */
};

TAPE_SLOTS_TYPE(sim_requests, struct sim_request)

struct sim_request *sim_request_add(struct sim_requests *all, uint64_t number);
/* Returns NULL if there is no such request. */
struct sim_request *sim_request_find(const struct sim_requests *all,
				     uint64_t number);
void sim_request_drop(struct sim_requests *all, uint64_t number);
void sim_requests_free(struct sim_requests *all);

#endif
