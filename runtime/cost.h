/*
 * What the tracer's own work costs, measured on the spot: pairs of loops around
 * the same work, one traced, one bare, in random order. The median of their
 * differences counts: a disturbance falls on one pair, and what drifts falls on
 * both loops of it. Pairs for which the processor ran at another speed than for
 * most are left out. What the loops record is taken back.
 *
 *	struct tape_cost t;
 *	TAPE_MEASURE(t, , tape_MPI_Send(...), PMPI_Send(...), receive(), );
 */
#ifndef TAPE_COST_H
#define TAPE_COST_H

#include "alpha.h"
#include "core.h"

/* Calls of a loop, and pairs of loops. */
enum { TAPE_TIMES = 8, TAPE_PAIRS = 21 };

/*
 * Between these two f records into memory of the process alone: however it may
 * end meanwhile, nothing of what is measured is in its file. 0, or -1: there is
 * no memory, and f is as it was.
 */
int tape_cost_aside(struct tape_flow *f);
void tape_cost_resume(struct tape_flow *f);

/* Where the flow stood. */
struct tape_cost_mark {
	unsigned char *p;
	uint64_t last, requests, events;
	uint32_t records;
};
struct tape_cost_mark tape_cost_save(const struct tape_flow *f);
void tape_cost_take_back(struct tape_flow *f, const struct tape_cost_mark *m);

/* best: the least ticks that so many calls took; i counts them. */
#define TAPE_LOOP(best, call)                                                  \
	do {                                                                   \
		uint64_t t_ = tape_tick();                                     \
		for (int i = 0; i < TAPE_TIMES; i++) {                         \
			(void)i;                                               \
			call;                                                  \
		}                                                              \
		t_ = tape_tick() - t_;                                         \
		if (t_ < (best))                                               \
			(best) = t_;                                           \
	} while (0)

/* Ticks of each pair's loops, of what the tracer noted itself, and the pace. */
struct tape_pairs {
	float with[TAPE_PAIRS], without[TAPE_PAIRS], noted[TAPE_PAIRS];
	float pace[TAPE_PAIRS];
	uint64_t order; /* of random bits */
};

/* Ticks that a fixed piece of work takes, which is the processor's speed. */
float tape_pace(void);

/*
 * What one call costs, of all pairs. Sorts them. The bounds are of all: the
 * least is that of the quickest loops; slow that of the slowest traced loop but
 * one, since an interrupt may have come into one.
 */
struct tape_cost tape_cost_of(struct tape_pairs *p);

/* Is loop k, one of two for each pair, the traced one? */
static inline int tape_pairs_traced(struct tape_pairs *p, int k)
{
	if (k % 2 == 0)
		p->pace[k / 2] = tape_pace();
	return (int)(p->order >> k / 2 & 1) ^ (k & 1);
}

/* Pseudo-random bits, others each time. */
uint64_t tape_pairs_order(void);

/*
 * cost = extra ticks of one traced call in the flow f, less what it noted
 * itself. The flow of control inside: before; CALL; after, both ways. ready is
 * done ahead of each loop, where traced_ says of which kind that is, and after
 * the last one.
 */
#define TAPE_MEASURE(cost, before, traced, bare, after, ready)                 \
	do {                                                                   \
		struct tape_pairs p_;                                          \
		int traced_;                                                   \
		p_.order = tape_pairs_order();                                 \
		for (int k_ = 0; k_ < 2 * TAPE_PAIRS; k_++) {                  \
			uint64_t took_ = UINT64_MAX;                           \
			traced_ = tape_pairs_traced(&p_, k_);                  \
			ready;                                                 \
			if (traced_) {                                         \
				struct tape_cost_mark m_ = tape_cost_save(f);  \
				f->noted_sum = 0;                              \
				TAPE_LOOP(took_, before; traced; after);       \
				p_.with[k_ / 2] = (float)took_;                \
				p_.noted[k_ / 2] = (float)f->noted_sum;        \
				tape_cost_take_back(f, &m_);                   \
			} else {                                               \
				TAPE_LOOP(took_, before; bare; after);         \
				p_.without[k_ / 2] = (float)took_;             \
			}                                                      \
		}                                                              \
		traced_ = 1;                                                   \
		(void)traced_;                                                 \
		ready;                                                         \
		(cost) = tape_cost_of(&p_);                                    \
	} while (0)

/* Ticks that one reading of the counters takes, at one end of an event. */
double tape_cost_counters(struct tape_flow *f);

/*
 * Ticks between the dates of an event that are the tracer's: a reading of the
 * clock, and one of the counters where f has any at events.
 */
double tape_cost_reading(struct tape_flow *f);

/* Defines the alphas of marks (alpha.h), where the settings ask for any. */
void tape_cost_marks(struct tape_flow *f);

#endif
