/*
 * What New PICL wants to know of a request when it is started or completed,
 * kept from its creation to its end: memory is bounded by the requests
 * outstanding.
 *
 * Not tape_ops: that forgets what a receive with wildcards was posted with,
 * and an entry record -57 tells just that.
 */
#ifndef T2NP_REQUESTS_H
#define T2NP_REQUESTS_H

#include <stdint.h>

struct request {
	uint64_t number;      /* 0: no request */
	uint64_t bytes;       /* of a send */
	uint32_t comm;        /* index at its rank */
	int32_t tag;          /* as passed */
	int32_t node;         /* the partner's; PICL_ANY_NODE */
	uint8_t is_send, persistent, active;
};

/* The requests of one rank: those of all its threads. */
struct requests;

/* Dies when out of memory, as does requests_add. The caller frees. */
struct requests *requests_new(void);
void requests_free(struct requests *s);

/* Keeps a copy of r, whose number is not 0; one of that number is replaced. */
void requests_add(struct requests *s, const struct request *r);

/* NULL when unknown; valid until the next add or drop. */
struct request *requests_find(struct requests *s, uint64_t number);

/* r comes from requests_find. */
void requests_drop(struct requests *s, struct request *r);

#endif
