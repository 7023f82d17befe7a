/*
 * What the tracer's own work costs, measured on the spot: pairs of loops around
 * the same work, one traced, one bare. They alternate, and the least time of
 * each kind counts, since whatever disturbs a loop only makes it longer. What
 * the loops record is taken back.
 *
 *	double t;
 *	TAPE_MEASURE(t, , tape_MPI_Send(...), PMPI_Send(...), receive(), );
 */
#ifndef TAPE_COST_H
#define TAPE_COST_H

#include "alpha.h"
#include "core.h"

enum { TAPE_TIMES = 32, TAPE_BATCHES = 16 };

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

/*
 * with: ticks of each traced loop; without: of the quickest bare one, and what
 * the tracer noted itself. Sorts with; slow is the last but one of them, since
 * an interrupt may have come into one.
 */
struct tape_cost tape_cost_of(double with[TAPE_BATCHES], double without);

/*
 * cost = extra ticks of one traced call in the flow f, less what it noted
 * itself. The flow of control inside: before; CALL; after, both ways; clear
 * after each loop.
 */
#define TAPE_MEASURE(cost, before, traced, bare, after, clear)                 \
	do {                                                                   \
		uint64_t without_ = UINT64_MAX;                                \
		double with_[TAPE_BATCHES], noted_ = 1e300;                    \
		for (int k_ = 0; k_ < TAPE_BATCHES; k_++) {                    \
			struct tape_cost_mark m_ = tape_cost_save(f);          \
			uint64_t one_ = UINT64_MAX;                            \
			f->noted_sum = 0;                                      \
			TAPE_LOOP(one_, before; traced; after);                \
			with_[k_] = (double)one_;                              \
			if (f->noted_sum < noted_)                             \
				noted_ = f->noted_sum;                         \
			tape_cost_take_back(f, &m_);                           \
			clear;                                                 \
			TAPE_LOOP(without_, before; bare; after);              \
			clear;                                                 \
		}                                                              \
		(cost) = tape_cost_of(with_, (double)without_ + noted_);       \
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
