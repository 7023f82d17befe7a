/*
 * The clocks of a trace and their relation to the reference, by rounds of
 * sampling along the tree of clocks.
 *
 * Readings of a clock are ns of its own rate since its origin, the tick of its
 * first sample; instants are readings of the reference.
 */
#ifndef SBA_CLOCKS_H
#define SBA_CLOCKS_H

#include "clock.h"
#include "diagnose.h"
#include "tape_reader.h"
#include "clock_track.h"

enum clock_status {
	CLOCK_UNPLACED,  /* not related to the reference */
	CLOCK_REFERENCE,
	CLOCK_PLACED     /* related by its track */
};

/* The sources of a clock's track, a set. */
enum clock_source {
	CLOCK_BEFORE = 1, /* rounds before the run */
	CLOCK_AFTER = 2,
	CLOCK_FILE = 4,   /* coefficients of another run */
	CLOCK_MESSAGES = 8
};

/* A straight line and its error: coefficients from a file. */
struct clock_line {
	double at;                /* reading of the other clock */
	double offset_ns, drift;  /* at that reading */
	double lo_ns, hi_ns;      /* of (true offset - offset), at it */
	double drift_lo, drift_hi; /* of (true drift - drift) */
};

struct clock {
	const struct tape_domain_info *info;
	double rate;          /* ns per tick of its own clock */
	double grain_ns;      /* readings are multiples of it; 0: ticks */
	uint64_t origin;      /* tick of reading 0 */
	int64_t origin_ns;    /* its timestamp as recorded */
	enum clock_status status;
	unsigned source;
	uint32_t by;          /* the clock that sampled it; itself: none */
	size_t rounds;        /* number of rounds */
	double median_trip_ns;
	struct tape_clock_fit fit; /* relative to by, if fitted */
	int fitted;
	struct clock_line line;    /* in place of fit, with CLOCK_FILE */
	struct tape_clock_track track;
	struct tape_clock_diagnosis shape;
	double first_ns, last_ns; /* readings at its first and last event */
	uint64_t messages;        /* number of messages that bound it */
};

struct clocks {
	const struct tape_trace *t;
	struct clock *c;
	size_t n;
	uint32_t *order;     /* placed clocks, parents first */
	size_t n_order;
	double from_ns, to_ns; /* the span of the tracks, instants */
	double wander;         /* s/s */
	struct clock_pair *pair; /* rounds by pair of clocks (tree.c) */
	size_t n_pairs;
	size_t *round;           /* numbers of samples, sorted by pair */
};

/* Zeroed memory for n + 1 values, freed by free. Dies when out of memory. */
void *clocks_alloc(size_t n, size_t size);

/* Fits each pair of clocks and finds the tree. Dies when out of memory. */
void clocks_open(struct clocks *k, const struct tape_trace *t);
void clocks_close(struct clocks *k);

/*
 * Sets the span of all readings: of events (first_ns to last_ns, if first <=
 * last), of anchors and of samples.
 */
void clocks_span(struct clocks *k);

/* Makes the straight tracks of all placed clocks over the span. */
void clocks_compose(struct clocks *k);

/* The reading of a clock at a timestamp of the local trace, and at a tick. */
static inline double clock_reading(const struct clock *c, int64_t local_ns)
{
	return (double)(int64_t)((uint64_t)local_ns - (uint64_t)c->origin_ns);
}

static inline double clock_ticks(const struct clock *c, uint64_t tick)
{
	return (double)(int64_t)(tick - c->origin) * c->rate;
}

/*
 * The instant at which a clock of track t shows a reading. The true instant is
 * between the result + *lo_ns and + *hi_ns. lo_ns and hi_ns may be NULL.
 */
double clock_instant(const struct tape_clock_track *t, double reading,
		     double *lo_ns, double *hi_ns);

/* A pair of clocks with rounds. */
struct clock_pair {
	uint32_t a, b;
	size_t first, n; /* in clocks.round */
};
/* Round i of pair p between by and of, in readings of both. */
struct tape_clock_round clocks_round(const struct clocks *k,
				     const struct clock_pair *p, size_t i,
				     uint32_t by, uint32_t of);

/* The pair of two clocks, or NULL. */
const struct clock_pair *clocks_pair(const struct clocks *k, uint32_t a,
				     uint32_t b);

#endif
