/*
 * Where tracing hurt: of which call sites and regions the perturbation of a
 * flow consists.
 *
 * A flow carries, besides the number p, how much of it each place caused.
 * Alphas are added at their place. Where a flow is synchronised its shares
 * become those of the flow that decided the date, as measured: itself, or the
 * one that it waited for. What the correction finds smaller than the
 * perturbation of that one was absorbed: all shares shrink alike. So they
 * always add up to p, and those of the last event are what reached the total
 * time. One way through the trace is enough, and memory is bounded by the
 * messages in flight.
 *
 * Shares are kept by reference, for a message takes those of its sender along:
 *
 *	m->own = blame_keep(f->blame);
 *	f->blame = blame_add(all, f->blame, place, alpha);
 *
 * NULL has no shares.
 */
#ifndef CORRECT_BLAME_H
#define CORRECT_BLAME_H

#include "tape_reader.h"

/* A call site inside of a region; site NULL: the marks of the region. */
struct blame_place {
	const struct tape_site_info *site;
	const char *region; /* innermost, or NULL */
	double alpha_ns;    /* spent there, all flows together */
	double reached_ns;  /* of this, in the total time */
	uint64_t events;
};

struct blame;
struct blames;

/* The places of a trace, which must stay open. Dies when out of memory. */
struct blames *blames_new(const struct tape_trace *t);
void blames_free(struct blames *all);

/*
 * The number of a place: of a site of a rank, or with site 0 of the marks of
 * region; inside of region, as blames_find_region numbers them.
 */
uint32_t blames_find_place(struct blames *all, int rank, uint32_t site,
			   uint32_t region);

/* A region of a rank by its name, from 1; 0 is none. */
uint32_t blames_find_region(const struct blames *all, int rank,
			    uint32_t region);

/* Counts an event there. */
void blames_count_event(struct blames *all, uint32_t place, double alpha_ns);

/*
 * All places with events, those first that reached most; and one without
 * events for shares too small to be kept apart, where there are such. Once.
 */
const struct blame_place *blames_sorted(struct blames *all, size_t *n);

struct blame *blame_keep(struct blame *b);
void blame_drop(struct blames *all, struct blame *b);

/* All shares added; 0 of NULL. */
double blame_sum(const struct blame *b);

/* Adds to a share: b is dropped, the result is the caller's. */
struct blame *blame_add(struct blames *all, struct blame *b, uint32_t place,
			double ns);

/* The same, so that the shares add up to p, 0 at least. */
struct blame *blame_fit(struct blames *all, struct blame *b, double p);

/*
 * Shares for another process with the same trace: at most BLAME_BYTES at to.
 * Returns how many, as blame_bytes does. And from there: the caller's.
 */
enum { BLAME_BYTES = 16 + 32 * 16 };
size_t blame_bytes(const struct blame *b);
size_t blame_pack(const struct blames *all, const struct blame *b, void *to);
struct blame *blame_unpack(struct blames *all, const void *from, size_t bytes);

/*
 * What is known of a place for another process: number i of them, as a record;
 * 0: there is no such place. And what another knows of one.
 */
struct blame_record {
	uint32_t group, region;
	int64_t alpha;
	uint64_t events;
	double reached_ns;
};
int blames_get_record(const struct blames *all, uint32_t i,
		      struct blame_record *r);
/* counts_reached: its shares of the last event are those of all. */
void blames_add_record(struct blames *all, const struct blame_record *r,
		       int counts_reached);

/* These are the shares of the last event: what reached the total time. */
void blames_set_reached(struct blames *all, const struct blame *b);

#endif
