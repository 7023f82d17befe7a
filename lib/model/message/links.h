/*
 * Messages in flight over shared links.
 *
 * A message takes latency_ns, independent of other messages, and then work_ns
 * at the full rate of its links. Messages past their latency share each link
 * evenly: rates are max-min fair (Bertsekas and Gallager, Data Networks,
 * 6.5.2), the fluid model of SimGrid (Velho and Legrand 2009). A message over
 * no link has the full rate.
 *
 *	l = tape_links_new(n);
 *	id = tape_links_send(l, at, link, 2, bytes, latency, work);
 *	while (!tape_links_arrived(l, id, &when))
 *		tape_links_advance(l, tape_links_next(l));
 *	tape_links_drop(l, id);
 *
 * Times are ns since an origin of the caller and never decrease.
 */
#ifndef TAPE_LINKS_H
#define TAPE_LINKS_H

#include <stddef.h>
#include <stdint.h>

#define TAPE_NO_FLIGHT UINT32_MAX

struct tape_links;

/* The largest number of links of a message. */
enum { TAPE_LINKS_EACH = 3 };

/* Makes links of rate 1. NULL: out of memory. The caller frees them. */
struct tape_links *tape_links_new(size_t n_links);
void tape_links_free(struct tape_links *l);

/* Sets the number of messages that a link carries at full rate, > 0. */
void tape_links_rate(struct tape_links *l, int link, double rate);

/*
 * Starts a message at at_ns, not before the last tape_links_advance, over n
 * different links, at most TAPE_LINKS_EACH. Returns its number, or
 * TAPE_NO_FLIGHT when out of memory.
 */
uint32_t tape_links_send(struct tape_links *l, double at_ns, const int *link,
			 int n, double bytes, double latency_ns,
			 double work_ns);

/* Bytes in flight over the busiest of n links. */
double tape_links_load(const struct tape_links *l, const int *link, int n);

/* The time of the next change; INFINITY: no message is in flight. */
double tape_links_next(const struct tape_links *l);

/* Advances the time to to_ns. */
void tape_links_advance(struct tape_links *l, double to_ns);

/* Returns 1 if the message has arrived, and the time of arrival. */
int tape_links_arrived(const struct tape_links *l, uint32_t id, double *at_ns);

/* Releases the number of a message; a message in flight continues. */
void tape_links_drop(struct tape_links *l, uint32_t id);

#endif
