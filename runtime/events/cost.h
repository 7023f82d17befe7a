/*
 * What the tracer's own work costs, measured on the spot: pairs of loops around
 * the same work, one traced, one bare, in random order (pairs.h). What they do
 * record is taken back.
 *
 *	struct tape_cost t;
 *	TAPE_MEASURE(t, , tape_MPI_Send(...), PMPI_Send(...), receive(), );
 */
#ifndef TAPE_COST_H
#define TAPE_COST_H

#include "alpha.h"
#include "core.h"
#include "pairs.h"

/*
 * Between these two calls f records into private memory. Even if the process is
 * killed, no measured event is in the file. tape_cost_begin_scratch returns 0,
 * or -1 without memory; f is then unchanged.
 */
int tape_cost_begin_scratch(struct tape_flow *f);
void tape_cost_end_scratch(struct tape_flow *f);

/*
 * Calibrates once more, at the end of the run, where f can record: only what
 * the run has used, and for two milliseconds at most. What is defined meanwhile
 * is of the end (alpha.h). f, its thread's, is as it was afterwards; the thread
 * records nothing before and after.
 */
void tape_cost_recalibrate(struct tape_flow *f,
			   void (*calibrate)(struct tape_flow *f));

/*
 * Returns 1 if any of these classes of events must be calibrated now. At the
 * start these are all classes. At the end they are the classes that have
 * events, until the time limit.
 */
int tape_cost_needs_classes(uint64_t classes);
#define TAPE_CLASS_BIT(name) (UINT64_C(1) << TAPE_CLASS_##name)

/* A state of the flow that tape_cost_rewind restores. */
struct tape_cost_mark {
	unsigned char *p;
	uint64_t last, requests, events;
	uint32_t records;
};
struct tape_cost_mark tape_cost_save(const struct tape_flow *f);
void tape_cost_rewind(struct tape_flow *f, const struct tape_cost_mark *m);

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

/* Defines how long fixed pieces of work take now (alpha.h). */
void tape_cost_paces(void);

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
				tape_cost_rewind(f, &m_);                      \
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
 * Ticks between the timestamps of an event that are the tracer's: a reading of
 * the clock, and one of the counters where f has any at events.
 */
double tape_cost_reading(struct tape_flow *f);

/* Defines the alphas of marks (alpha.h), where the settings ask for any. */
void tape_cost_marks(struct tape_flow *f);

#endif
