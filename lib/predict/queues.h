/*
 * Matches messages and receives: the k-th message of one source, destination,
 * tag and channel matches the k-th receive.
 *
 *	q = sim_find_queue(&all, from, to, tag, 0);
 *	number = sim_queue_take(&all, q, SIM_RECEIVED);
 *	if (number == SIM_NONE)
 *		number = sim_queue_add(&all, q, SIM_SENT);
 *
 * Memory is that of unmatched messages; freed memory is reused. Dies when out
 * of memory.
 */
#ifndef SIM_QUEUES_H
#define SIM_QUEUES_H

#include <stddef.h>
#include <stdint.h>

#include "hash_slots.h"

/* The sides of a message that have been seen. */
enum { SIM_SENT = 1, SIM_RECEIVED = 2 };

struct sim_message {
	int32_t from, to, tag;
	uint32_t channel;
	uint32_t next; /* next message in the queue, or in the free list */
	uint32_t flight;        /* over shared links */
	uint64_t bytes;
	double start_ns;   /* the sender is ready */
	double posted_ns;  /* the receive was posted */
	double arrival_ns; /* arrival; NAN: not known */
	double transit_ns, work_ns, recv_ns;
	/* requests of both sides; 0: the rank itself is blocked */
	uint64_t sends, receives;
	uint8_t sides;		/* sides that have been seen */
	uint8_t protocol;       /* enum sim_protocol */
	uint8_t has_started;	/* the transfer has started */
	uint8_t sender_waits;
};

struct sim_queue {
	int32_t from, to, tag;
	uint32_t channel;
	uint32_t head, tail;    /* number of a message plus 1; 0: none */
	int32_t prober;		/* rank plus 1 that probes the first message */
	int32_t used;
};

TAPE_SLOTS_TYPE(sim_queue_slots, struct sim_queue)

struct sim_queues {
	struct sim_queue_slots table;
	struct sim_message *pool;
	size_t n_pool, pool_room;
	uint32_t free;           /* number plus 1 */
	size_t waiting, max_waiting; /* messages now, and their maximum */
};

/* Finds or creates the queue of a key. Valid until the next call. */
struct sim_queue *sim_find_queue(struct sim_queues *all, int32_t from,
				 int32_t to, int32_t tag, uint32_t channel);

/*
 * Takes the first message of a queue if only the given side of it was seen.
 * Returns its number, or SIM_NONE. Numbers are stable; messages move when one
 * is added.
 */
#define SIM_NONE UINT32_MAX
uint32_t sim_queue_take(struct sim_queues *all, struct sim_queue *q,
			unsigned side);

/* Adds a zeroed message at the end of a queue. Returns its number. */
uint32_t sim_queue_add(struct sim_queues *all, struct sim_queue *q,
		       unsigned side);

/* As above, in no queue. */
uint32_t sim_message_add(struct sim_queues *all);

static inline struct sim_message *sim_get_message(const struct sim_queues *all,
						  uint32_t number)
{
	return &all->pool[number];
}

/* Frees a message that is in no queue. */
void sim_message_drop(struct sim_queues *all, uint32_t number);

void sim_queues_free(struct sim_queues *all);

#endif
