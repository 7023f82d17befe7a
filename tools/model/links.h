/*
 * Messages on their way over links that they share.
 *
 * A message takes latency_ns, whatever else is under way, and then work_ns at
 * the full rate of its links. Those that are past their latency share each
 * link evenly: rates are max-min fair (Bertsekas and Gallager, Data Networks,
 * 6.5.2), the model of fluid flows of SimGrid (Velho and Legrand 2009). A
 * message over no link keeps its full rate.
 *
 *	l = tape_links_new(n);
 *	id = tape_links_send(l, at, link, 2, bytes, latency, work);
 *	while (!tape_links_arrived(l, id, &when))
 *		tape_links_advance(l, tape_links_next(l));
 *	tape_links_drop(l, id);
 *
 * Dates are ns after an origin of the caller's and never go back.
 */
#ifndef TAPE_LINKS_H
#define TAPE_LINKS_H

#include <stddef.h>
#include <stdint.h>

#define TAPE_NO_FLIGHT UINT32_MAX

struct tape_links;

/* Links that one message goes over, at most. */
enum { TAPE_LINKS_EACH = 3 };

/* All of rate 1. NULL: out of memory. The caller frees it. */
struct tape_links *tape_links_new(size_t n_links);
void tape_links_free(struct tape_links *l);

/* How many messages at full rate a link carries without delay, > 0. */
void tape_links_rate(struct tape_links *l, int link, double rate);

/*
 * A message of some bytes leaves, not before the last date that was advanced
 * to, over n different links, TAPE_LINKS_EACH at most. Its number, or
 * TAPE_NO_FLIGHT: out of memory.
 */
uint32_t tape_links_send(struct tape_links *l, double at_ns, const int *link,
			 int n, double bytes, double latency_ns,
			 double work_ns);

/* Bytes on their way over the busiest of n links. */
double tape_links_load(const struct tape_links *l, const int *link, int n);

/* When something changes next; INFINITY: nothing is on its way. */
double tape_links_next(const struct tape_links *l);

/* Lets time pass until then. */
void tape_links_advance(struct tape_links *l, double to_ns);

/* Has it arrived by now? Then *at_ns is when. */
int tape_links_arrived(const struct tape_links *l, uint32_t id, double *at_ns);

/* Nobody asks for it any more; its number may be another's. */
void tape_links_drop(struct tape_links *l, uint32_t id);

#endif
