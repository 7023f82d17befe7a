/*
 * What a rank is doing at a moment, as a number that all ranks share: it is in
 * a call of a certain call site, or it computes in a region after a call.
 *
 *	struct tape_places *p = tape_places_new(t);
 *	uint32_t at = tape_place_from_site(p, rank, e->site, e->call);
 *	char text[TAPE_PLACE_BYTES];
 *
 *	puts(tape_activity_text(p, at, text, sizeof text));
 *	tape_places_free(p);
 *
 * Call sites that are one place to their author (place.h) have one number, and
 * regions of one name. Addresses are looked up before: tape_resolve.
 */
#ifndef TAPE_ACTIVITIES_H
#define TAPE_ACTIVITIES_H

#include "place.h"
#include "tape_reader.h"

enum tape_activity_kind {
	TAPE_ACTIVITY_START,   /* nothing was seen yet; number 0 */
	TAPE_ACTIVITY_CALL,    /* in a call */
	TAPE_ACTIVITY_REGION,  /* the region as such */
	TAPE_ACTIVITY_COMPUTES /* between calls */
};

struct tape_activity {
	enum tape_activity_kind kind;
	uint16_t call;                     /* of a call */
	const struct tape_site_info *site; /* of it; NULL: not known */
	const char *name;                  /* of a region */
	/* who computes: in that region, after that call; 0: in none, or
	 * before the first. Numbers of activities. */
	uint32_t region, after;
	uint32_t at; /* for activities.c: its first rank's, and there which */
};

struct tape_places;

/* NULL: out of memory. t outlives it. The caller frees; NULL is accepted. */
struct tape_places *tape_places_new(const struct tape_trace *t);
void tape_places_free(struct tape_places *p);

/* Numbers go from 0 to that, less 1; tape_place_computing adds to them. */
uint32_t tape_places_count(const struct tape_places *p);

/*
 * Being in a call. O(1), but for the first time of a site that came after
 * tape_places_new, in a trace that is followed: it gets the next number. An
 * undefined site is its call at no place.
 */
uint32_t tape_place_from_site(struct tape_places *p, int rank, uint32_t site,
			      unsigned call);

/* A region of a rank; 0: none. */
uint32_t tape_place_from_region(struct tape_places *p, int rank,
				uint32_t region);

/*
 * If places came later, all get other numbers: in the order that they have
 * where all of the trace was there from the start. Returns the new number of
 * each old one, to be freed; NULL: nothing has changed (*rc 0), or out of
 * memory.
 */
uint32_t *tape_places_sort(struct tape_places *p, int *rc);

/*
 * What processes that read the same trace call a place that does not belong to
 * the process that computes, though each numbers places as it sees them; and
 * the number here, 0: it is not defined here yet. Of a trace that is not
 * followed both are equal.
 */
uint32_t tape_place_code(const struct tape_places *p, uint32_t number);
uint32_t tape_place_from_code(struct tape_places *p, uint32_t code);

/* Numbers up to that are the same places in all processes. */
uint32_t tape_places_common(const struct tape_places *p);

/* Computing in that region after that call; UINT32_MAX: out of memory. */
uint32_t tape_place_computing(struct tape_places *p, uint32_t region,
			      uint32_t after);

/*
 * Compares two activities as for qsort: 1, -1 or 0. The order does not depend
 * on which computing activity was seen first.
 */
int tape_place_compare(const struct tape_places *p, uint32_t a, uint32_t b);

/* Valid until the next tape_place_computing. */
const struct tape_activity *tape_place_get(const struct tape_places *p,
					   uint32_t number);

/*
 * For people: "MPI_Recv late.c:8"; "solve", a region; "solve after MPI_Recv
 * late.c:8", "after MPI_Recv late.c:8" or "the start". At most n bytes are
 * written to text, which is returned.
 */
const char *tape_activity_text(const struct tape_places *p, uint32_t number,
			       char *text, size_t n);

#endif
