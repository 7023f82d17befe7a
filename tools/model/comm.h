/*
 * Communication models from a trace's own messages: how long a message of a
 * size takes (transit), and how long it takes to hand it over once it is there
 * (DC), both by distance.
 */
#ifndef TAPE_MODEL_COMM_H
#define TAPE_MODEL_COMM_H

#include <stddef.h>
#include <stdint.h>

/* How far two ranks are from each other. */
enum tape_distance { TAPE_SELF, TAPE_SHM, TAPE_NET, TAPE_DISTANCES };

/* What the time of a message depends on. */
struct tape_parcel {
	uint64_t bytes;
	enum tape_distance distance;
	int rendezvous;     /* it waits for its receive */
	/* other bytes on their way over links of that distance when it goes:
	 * sent and not yet received (Maillet 1996, 6.4) */
	double load_bytes;
};

/* Powers of two of the size, 0 apart. */
#define TAPE_SIZE_CLASSES 66

/* Quantiles of a stream: keeps every k-th value, k doubling when full. */
struct tape_sampler {
	double value[256];
	uint32_t n, stride, skip;
	uint64_t seen;
};

void tape_sampler_add(struct tape_sampler *s, double v);
/* The q-quantile of what was kept, 0 <= q <= 1; NAN when there is none. */
double tape_sampler_quantile(const struct tape_sampler *s, double q);

struct tape_comm_model {
	/* transit = beta + tau bytes, ns; by distance */
	double beta_ns[TAPE_DISTANCES], tau_ns[TAPE_DISTANCES];
	/* what the median of a size class is above that line; 0 where few
	 * messages of that class were seen */
	double above_ns[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	/* links are shared (links.h), or the load counts */
	int crowded;
	/* what all hosts have in common carries so many messages at full rate;
	 * 0: any number */
	double backbone;
	int fitted[TAPE_DISTANCES];      /* 0: taken from another distance */
	uint64_t messages[TAPE_DISTANCES];
	/* medians of DC by size class; where none was seen the nearest one's */
	double dc_ns[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
};

struct tape_comm_learner;

struct tape_comm_learner *tape_comm_learner_new(void);
void tape_comm_learner_free(struct tape_comm_learner *l);

/*
 * One asynchronous message: sent at s, its receive from sr to er. arrived 1:
 * the receive's time is DC. arrived 0: er - s is transit and DC; used only if
 * the receive was posted before the message could have come, else late
 * messages alone would be seen (Maillet 1996, 6.3).
 */
void tape_comm_learn(struct tape_comm_learner *l, const struct tape_parcel *p,
		     int64_t s, int64_t sr, int64_t er, int arrived);

/*
 * Fits the model: a line through the medians of transit by size class,
 * weighted by number and relative error, and where a class has 30 messages or
 * more, how far its median is off the line: libraries change their protocol
 * with the size, so that no one line fits all. A distance without messages
 * takes another's; no message at all gives transit 0.
 */
void tape_comm_fit(const struct tape_comm_learner *l, struct tape_comm_model *m);

/* Never negative. */
double tape_comm_transit(const struct tape_comm_model *m,
			 const struct tape_parcel *p);

/*
 * The same in two parts: what does not depend on what else is under way, and
 * what it takes of its links, in ns at their full rate.
 */
void tape_comm_parts(const struct tape_comm_model *m,
		     const struct tape_parcel *p, double *latency_ns,
		     double *work_ns);

/* DC of that size, from the nearest class that has one; 0 when none has. */
double tape_comm_dc(const struct tape_comm_model *m,
		    const struct tape_parcel *p);

#endif
