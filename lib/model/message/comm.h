/*
 * Communication models: the time of a message (transit), and the time to
 * receive it once it has arrived (DC), by size, distance and protocol. A model
 * is fitted to the messages of a trace, or given by the user. The rules of the
 * fit are Tape's own: doc/perturbation.md, "The communication model".
 *
 *	tape_comm_learn(learner, key, &parcel, s, sr, er, arrived);  (each)
 *	tape_comm_fit(learner, &model);
 *	model.transit[TAPE_NET][0] = given;         (by a model file)
 *	ns = tape_comm_transit(&model, &parcel);
 *
 * A model is a plain struct of its owner with nothing to free.
 */
#ifndef TAPE_MODEL_COMM_H
#define TAPE_MODEL_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "curve.h"
#include "distance.h"

/* What the time of a message depends on. */
struct tape_parcel {
	uint64_t bytes;
	enum tape_distance distance;
	int rendezvous;     /* 1: it waits for its receive; else 0 */
	/* other bytes in flight over links of that distance when it starts:
	 * sent and not yet received (Maillet 1996, 6.4) */
	double load_bytes;
};

/* Classes of sizes: 0, and each power of two. */
#define TAPE_SIZE_CLASSES 66
/* k for 2^(k-1) to 2^k - 1 bytes, 0 for no bytes. */
static inline int tape_size_class(uint64_t bytes)
{
	return bytes ? 64 - __builtin_clzll(bytes) : 0;
}

/*
 * A sample of many values for quantiles: one in 2^level is stored, those whose
 * scrambled key is small enough. The level rises when the sample is full. So
 * the sample depends on values and keys, not on their order or on their
 * distribution over processes. Samplers with the same keys store the same ones.
 */
#define TAPE_SAMPLER_MOST 256
struct tape_sampler {
	double value[TAPE_SAMPLER_MOST];
	uint64_t key[TAPE_SAMPLER_MOST]; /* scrambled */
	uint32_t n, level;
	uint64_t seen;
};

/* key: any number that is unique to the value. */
void tape_sampler_put(struct tape_sampler *s, uint64_t key, double v);

/* Adds the next value of a stream; its key is its number. */
void tape_sampler_add(struct tape_sampler *s, double v);

/* Moves all values of from to to. Their keys must differ. */
void tape_sampler_join(struct tape_sampler *from, struct tape_sampler *to);

/* The q-quantile of the stored values, 0 <= q <= 1; NAN without values. */
double tape_sampler_quantile(const struct tape_sampler *s, double q);

/* The source of a line's rate. */
enum tape_comm_rate {
	TAPE_RATE_NONE,     /* undetermined: 0 */
	TAPE_RATE_FITTED,   /* its own messages */
	TAPE_RATE_PROTOCOL, /* the other protocol of its distance */
	TAPE_RATE_DISTANCE  /* another distance */
};

/*
 * The quantile of a fitted model: one message of four takes no longer. Others
 * take longer: a little without disturbance, milliseconds where a receiver lost
 * its processor. So the mean is useless, and the median is if most are
 * disturbed. A lower quantile leaves too few messages to determine a rate.
 */
#define TAPE_COMM_QUICK 0.25

/* The line fitted to the messages of one distance and protocol. */
struct tape_comm_line {
	double beta_ns, tau_ns; /* transit = beta + tau bytes, ns */
	int fitted;             /* 0: copied from another line, or zero */
	uint64_t messages;      /* number that it is fitted to */
	int classes;            /* number of their classes of sizes */
	double off;             /* root mean square of the relative distances
				 * of their quartiles from the line */
	enum tape_comm_rate rate;
	int suspect;            /* ten times slower than a copy or the slowest
				 * network */
};

/*
 * ns per byte: a core copies some 10 GB/s in memory (J. D. McCalpin, STREAM,
 * by one thread: 8 to 15 GB/s on servers of 2015 to 2023); the slowest network
 * that programs are still run on is Fast Ethernet (IEEE 802.3u), 100 Mbit/s.
 */
#define TAPE_COPY_RATE 0.1
#define TAPE_NET_RATE 80.0

/* Fewer messages are ignored if another line exists. */
#define TAPE_COMM_FEW 10

/*
 * The data of the transit of a fitted size class: the share TAPE_COMM_QUICK
 * of n messages that were waited for took at most transit + dc_ns. n 0: the
 * class uses the line of all classes.
 */
struct tape_comm_class {
	uint32_t n;
	double dc_ns;
};

/*
 * The second index of arrays is rendezvous, as in a parcel. The transit of a
 * rendezvous begins when both ends have begun and includes the receive: it has
 * no DC. The transit of other messages begins with the send.
 */
struct tape_comm_model {
	struct tape_comm_line line[TAPE_DISTANCES][2];
	struct tape_comm_class class_[TAPE_DISTANCES][2][TAPE_SIZE_CLASSES];
	struct tape_curve transit[TAPE_DISTANCES][2];
	/* of eager messages */
	struct tape_curve dc[TAPE_DISTANCES];
	/* this share of messages takes at most transit + DC; 0: transit + DC is
	 * the mean */
	double quantile[TAPE_DISTANCES];
	/* what each byte of load adds to a transit, ns */
	double load_rate[TAPE_DISTANCES];
	/*
	 * If not NULL, replaces all transits: returns that of p in ns, not
	 * negative.
	 */
	double (*own_transit)(void *context, const struct tape_parcel *p);
	void *context;
	/* messages share links (links.h); backbone: number of messages that
	 * the link common to all hosts carries at full rate, 0: any number */
	int shared[TAPE_DISTANCES];
	double backbone;
};

struct tape_comm_learner;

/* Returns NULL when out of memory. tape_comm_learner_free accepts NULL. */
struct tape_comm_learner *tape_comm_learner_new(void);
void tape_comm_learner_free(struct tape_comm_learner *l);

/*
 * Adds one asynchronous message: sent at s, received from sr to er (ns). key is
 * unique to the message and selects the sample, so the result does not depend
 * on the order of messages. arrived 1: the time of the receive is DC. arrived
 * 0: er - s is transit + DC. It is used only if the receive was posted before
 * the message could have arrived, else only late messages would be seen
 * (Maillet 1996, 6.3).
 */
void tape_comm_learn(struct tape_comm_learner *l, uint64_t key,
		     const struct tape_parcel *p, int64_t s, int64_t sr,
		     int64_t er, int arrived);

/*
 * Adds a message that had arrived, but whose receive does not show DC. Messages
 * of its size class with a longer time from s to sr are then not used: they may
 * have been waited for only because they were slow.
 */
void tape_comm_learn_arrived(struct tape_comm_learner *l,
			     const struct tape_parcel *p, int64_t s,
			     int64_t sr);

/*
 * Adds a message that was waited for with others in flight: it took at most
 * er - s. The fastest of a size class is used if no message was isolated.
 */
void tape_comm_learn_overlapping(struct tape_comm_learner *l,
				 const struct tape_parcel *p, int64_t s,
				 int64_t er);

/*
 * Adds a rendezvous whose blocking receive ended lag_ns after both ends had
 * begun (Maillet 1996, 4.4): its transit. A negative lag, by clock errors, is
 * ignored.
 */
void tape_comm_learn_rendezvous(struct tape_comm_learner *l, uint64_t key,
				const struct tape_parcel *p, double lag_ns);

/*
 * The same for the end of the sender. It is used only for a size class without
 * receives, since the work of the library differs on both sides.
 */
void tape_comm_learn_sender(struct tape_comm_learner *l, uint64_t key,
			    const struct tape_parcel *p, double lag_ns);

/*
 * Fits the model to the lower quartile (TAPE_COMM_QUICK) of the messages by
 * size (doc/perturbation.md, "The communication model"): a line by quantile
 * regression (quantile.h) in which each class has the weight of its error. A
 * class without isolated messages uses its fastest message. A class with
 * TAPE_COMM_FEW messages or more gets a piece of its own: libraries change
 * their protocol with the size, so one line does not fit all.
 *
 * The rate is that of the line if it exceeds twice its standard error over two
 * classes or more. It is rejected if it is implausibly slow while the quartiles
 * are a quarter off the line, or more than ten times that of the other
 * protocol. Then it is the rate of the other protocol of the distance, else
 * that of another distance, else 0. For rendezvous of 4096 bytes or more
 * without another rate, the line's rate is used; a single class gives times
 * proportional to the size.
 *
 * A distance without messages, or with fewer than TAPE_COMM_FEW if others have
 * more, takes the line of the next distance of its transport that has enough
 * (tape_distance_substitute). Otherwise a rendezvous takes the line of the
 * distance's eager messages, and these take another distance's. Without any
 * message the transit is 0. If all distances of a transport have few messages,
 * the learner joins them to the widest, permanently.
 *
 * DC is the median by size class; that of the nearest class if a class has
 * none; 0 if no class has any. Returns 0, or -1 if memory for some messages was
 * missing.
 */
int tape_comm_fit(struct tape_comm_learner *l, struct tape_comm_model *m);

/*
 * The model of Alexandrov, Ionescu, Schauser and Scheiman (LogGP, SPAA 1995,
 * section 2): a message of k bytes is there o + (k - 1) G + L after its send
 * began, and its receiver takes o to get it; all in ns. So
 *
 *	transit = o + L + (k - 1) G       DC = o
 *
 * and that of a rendezvous, which counts both, is o longer. The gap g between
 * two messages of a processor and the number P of them do not enter the time
 * of a single message. An empty message takes o + L.
 */
struct tape_loggp {
	double latency_ns, overhead_ns, per_byte_ns; /* L, o, G */
};

/* Sets transits of both protocols and DC of distance d to the LogGP model. */
void tape_comm_loggp(struct tape_comm_model *m, enum tape_distance d,
		     const struct tape_loggp *p);

/* The transit in ns, with the effect of the load; never negative. */
double tape_comm_transit(const struct tape_comm_model *m,
			 const struct tape_parcel *p);

/* Returns 1 if a transit depends on other messages in flight. */
int tape_comm_loaded(const struct tape_comm_model *m);

/*
 * Divides a transit in two: a latency that does not depend on other messages in
 * flight, and the work on its links, in ns at full rate. The work is the part
 * that grows with the size; it is 0 if links are not shared.
 */
void tape_comm_parts(const struct tape_comm_model *m,
		     const struct tape_parcel *p, double *latency_ns,
		     double *work_ns);

/* The time to receive a message that has arrived, ns; 0 for a rendezvous. */
double tape_comm_dc(const struct tape_comm_model *m,
		    const struct tape_parcel *p);

#endif
