/*
 * Messages and receives that wait for each other: the k-th message of one
 * source, destination, tag and channel is that of the k-th receive.
 *
 *	q = sim_find_queue(&all, from, to, tag, 0);
 *	m = sim_queue_take(&all, q, SIM_RECEIVED);
 *	if (!m)
 *		m = sim_queue_add(&all, q, SIM_SENT);
 *
 * Memory is that of what waits; what is given back is used again. Dies when
 * out of memory.
 */
#ifndef SIM_QUEUES_H
#define SIM_QUEUES_H

#include <stddef.h>
#include <stdint.h>

/* Which sides of a message have been seen. */
enum { SIM_SENT = 1, SIM_RECEIVED = 2 };

struct sim_message {
	int32_t from, to, tag;
	uint32_t channel;
	uint32_t next;          /* in its queue, or the list of free ones */
	uint32_t flight;        /* over shared links */
	uint64_t bytes;
	double go_ns;           /* may go from then, as its sender says */
	double posted_ns;       /* its receive was posted */
	double there_ns;        /* NAN: not known */
	double transit_ns, work_ns, take_ns;
	/* requests of both ends; 0: the rank itself waits */
	uint64_t sends, receives;
	uint8_t sides;          /* seen */
	uint8_t protocol;       /* enum sim_protocol */
	uint8_t gone;           /* it is on its way */
	uint8_t sender_waits;
};

struct sim_queue {
	int32_t from, to, tag;
	uint32_t channel;
	uint32_t head, tail;    /* number of a message plus 1; 0: none */
	int32_t prober;         /* rank plus 1 that waits for the first */
	int32_t used;
};

struct sim_queues {
	struct sim_queue *table; /* open addressing */
	size_t n, room;          /* room: a power of two, or 0 */
	struct sim_message *pool;
	size_t n_pool, pool_room;
	uint32_t free;           /* number plus 1 */
	size_t waiting, most;    /* messages now, and at most at a time */
};

/* The queue of that key, made if there is none; valid until the next call. */
struct sim_queue *sim_find_queue(struct sim_queues *all, int32_t from,
				 int32_t to, int32_t tag, uint32_t channel);

/*
 * Takes the first of a queue if only that side of it was seen: its number, or
 * SIM_NONE. Numbers stay, the messages move when one is added.
 */
#define SIM_NONE UINT32_MAX
uint32_t sim_queue_take(struct sim_queues *all, struct sim_queue *q,
			unsigned side);

/* A message of zeroes behind the others of a queue; its number. */
uint32_t sim_queue_add(struct sim_queues *all, struct sim_queue *q,
		       unsigned side);

/* The same in no queue. */
uint32_t sim_message_add(struct sim_queues *all);

static inline struct sim_message *sim_get_message(const struct sim_queues *all,
						  uint32_t number)
{
	return &all->pool[number];
}

/* A message that was taken is over. */
void sim_message_drop(struct sim_queues *all, uint32_t number);

void sim_queues_free(struct sim_queues *all);

#endif
