/*
 * Communication models: how long a message of a size takes (transit), and how
 * long it takes to hand it over once it is there (DC), by distance and by
 * protocol. They come from a trace's own messages, or are given.
 *
 *	tape_comm_learn(learner, key, &parcel, s, sr, er, arrived);  (each)
 *	tape_comm_fit(learner, &model);
 *	model.transit[TAPE_NET][0] = given;         (where one knows better)
 *	ns = tape_comm_transit(&model, &parcel);
 *
 * A model is a plain struct of its owner's, with nothing to free.
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
	/* other bytes on their way over links of that distance when it goes:
	 * sent and not yet received (Maillet 1996, 6.4) */
	double load_bytes;
};

/* Powers of two of the size, 0 apart. */
#define TAPE_SIZE_CLASSES 66
/* k of 2^(k-1) to 2^k - 1 bytes, 0 of none. */
static inline int tape_size_class(uint64_t bytes)
{
	return bytes ? 64 - __builtin_clzll(bytes) : 0;
}

/*
 * Quantiles of many values, of which one in 2^level is kept: those whose key,
 * scrambled, is small enough. The level rises where there are too many. So
 * what is kept depends on values and keys, not on the order in which they come,
 * nor on who was told of which; and the same keys are kept of several samplers
 * that are told the same ones.
 */
#define TAPE_SAMPLER_MOST 256
struct tape_sampler {
	double value[TAPE_SAMPLER_MOST];
	uint64_t key[TAPE_SAMPLER_MOST]; /* scrambled */
	uint32_t n, level;
	uint64_t seen;
};

/* key: any number that tells the value from all others. */
void tape_sampler_put(struct tape_sampler *s, uint64_t key, double v);

/* The next one of a stream: its key is its place. */
void tape_sampler_add(struct tape_sampler *s, double v);

/* All of from is in to now, as if put there; their keys differ. */
void tape_sampler_join(struct tape_sampler *from, struct tape_sampler *to);

/* The q-quantile of what was kept, 0 <= q <= 1; NAN when there is none. */
double tape_sampler_quantile(const struct tape_sampler *s, double q);

/* Where the rate of a line is from. */
enum tape_comm_rate {
	TAPE_RATE_NONE,     /* nothing tells one: 0 */
	TAPE_RATE_FITTED,   /* the sizes of its messages */
	TAPE_RATE_PROTOCOL, /* the other protocol of its distance */
	TAPE_RATE_DISTANCE  /* another distance */
};

/*
 * What a fitted model says: one message of four takes no longer. Most others
 * do, by little where nothing disturbs them, by milliseconds where a processor
 * was taken away: no mean of them says anything, nor a median where most are
 * disturbed. Below a quarter there is little left to tell a rate from.
 */
#define TAPE_COMM_QUICK 0.25

/* What was learnt of messages of one distance and protocol, in one line. */
struct tape_comm_line {
	double beta_ns, tau_ns; /* transit = beta + tau bytes, ns */
	int fitted;             /* 0: taken from another line, or 0 */
	uint64_t messages;      /* that it is fitted to, */
	int classes;            /* of so many classes of sizes; the root of */
	double off;             /* the mean square of how far their quartiles
				 * are off the line, relative to them */
	enum tape_comm_rate rate;
	int suspect;            /* slower than copying by ten times */
};

/*
 * ns per byte: a core copies some 10 GB/s in memory (J. D. McCalpin, STREAM,
 * by one thread: 8 to 15 GB/s on servers of 2015 to 2023); the slowest network
 * that programs are still run on is Fast Ethernet (IEEE 802.3u), 100 Mbit/s.
 */
#define TAPE_COPY_RATE 0.1
#define TAPE_NET_RATE 80.0

/*
 * Of fewer messages nothing is learnt where anything else is known.
 */
#define TAPE_COMM_FEW 10

/*
 * What the transit of a size class stands on where it is fitted: the share
 * TAPE_COMM_QUICK of n messages that were waited for took no longer than
 * transit + dc_ns. n 0: on the line of all classes.
 */
struct tape_comm_class {
	uint32_t n;
	double dc_ns;
};

/*
 * The second index of an array is rendezvous, as in a parcel. The transit of a
 * rendezvous begins when both ends have, and hands the message over as well:
 * it has no DC. Of other messages it begins with the send.
 */
struct tape_comm_model {
	struct tape_comm_line line[TAPE_DISTANCES][2];
	struct tape_comm_class class_[TAPE_DISTANCES][2][TAPE_SIZE_CLASSES];
	struct tape_curve transit[TAPE_DISTANCES][2];
	/* of messages sent without waiting */
	struct tape_curve dc[TAPE_DISTANCES];
	/* so many messages take no longer than transit and DC; 0: that is what
	 * they take on average */
	double quantile[TAPE_DISTANCES];
	/* what each byte of load adds to a transit, ns */
	double load_rate[TAPE_DISTANCES];
	/*
	 * In place of all transits, if not NULL: that of p in ns, not negative;
	 * context is handed on.
	 */
	double (*own_transit)(void *context, const struct tape_parcel *p);
	void *context;
	/* messages share links (links.h); what all hosts have in common
	 * carries so many of them at full rate, 0: any number */
	int shared[TAPE_DISTANCES];
	double backbone;
};

struct tape_comm_learner;

/* NULL when out of memory; tape_comm_learner_free takes that, too. */
struct tape_comm_learner *tape_comm_learner_new(void);
void tape_comm_learner_free(struct tape_comm_learner *l);

/*
 * What is learnt does not depend on the order in which messages come. Of many
 * some are kept, by the key of a message: any number that no other has.
 *
 * One asynchronous message: sent at s, its receive from sr to er. arrived 1:
 * the receive's time is DC. arrived 0: er - s is transit and DC; used only if
 * the receive was posted before the message could have come, else late
 * messages alone would be seen (Maillet 1996, 6.3).
 */
void tape_comm_learn(struct tape_comm_learner *l, uint64_t key,
		     const struct tape_parcel *p, int64_t s, int64_t sr,
		     int64_t er, int arrived);

/*
 * The same of one that had arrived, but whose receive does not tell DC: those
 * of its size class with a longer way from s to sr may be waited for only
 * because they were slow.
 */
void tape_comm_learn_arrived(struct tape_comm_learner *l,
			     const struct tape_parcel *p, int64_t s,
			     int64_t sr);

/*
 * The same of one that was waited for, with others under way: it took no longer
 * than er - s. The quickest of a size class is used where none was alone.
 */
void tape_comm_learn_overlapping(struct tape_comm_learner *l,
				 const struct tape_parcel *p, int64_t s,
				 int64_t er);

/*
 * One rendezvous whose receive, a blocking call, ended lag_ns after both ends
 * had begun (Maillet 1996, 4.4): its transit. A negative one, by clocks that
 * disagree, is not used.
 */
void tape_comm_learn_rendezvous(struct tape_comm_learner *l, uint64_t key,
				const struct tape_parcel *p, double lag_ns);

/*
 * The same of its sender's end: used for a size class in which no receive tells
 * anything, since the two differ by what the library does on each side.
 */
void tape_comm_learn_sender(struct tape_comm_learner *l, uint64_t key,
			    const struct tape_parcel *p, double lag_ns);

/*
 * Fits the model to the lower envelope of the messages, their lower quartile by
 * size (TAPE_COMM_QUICK): a line by quantile regression (quantile.h; the
 * quickest count, of a class in which none was alone), in which all classes
 * weigh by their errors, and where a class has TAPE_COMM_FEW or more, how far
 * its quartile is off the line: libraries change their protocol with the size,
 * so that no one line fits all.
 *
 * The rate is the line's where two classes or more tell it apart from 0: where
 * it is more than twice its standard error, and not slower than all that is
 * known while the quartiles are a quarter off the line. Else, and where it is
 * more than ten times that of the other protocol of the distance, it is that
 * one's; or another distance's; or 0. Of rendezvous of up to 4096 bytes or
 * more, where no other protocol tells a rate, the line's will do; one class
 * alone of them is taken for proportional to the size.
 *
 * Without messages, or with less than TAPE_COMM_FEW where others have more, a
 * distance takes the line of the next one of its transport that has enough
 * (tape_distance_instead); else a rendezvous takes the line of the distance's
 * other messages, and those take another distance's; no message at all gives
 * transit 0. Distances of one transport that all have less are one, the widest:
 * the learner takes them for that from then on. DC is the median by
 * size class, of the nearest class where one has none, and 0 where no class has
 * any. Returns 0, or -1 when there was no memory for some of the messages.
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

/* Makes that the model of distance d: transits of both protocols, and DC. */
void tape_comm_loggp(struct tape_comm_model *m, enum tape_distance d,
		     const struct tape_loggp *p);

/* In ns, with what the load adds; never negative. */
double tape_comm_transit(const struct tape_comm_model *m,
			 const struct tape_parcel *p);

/*
 * The same in two parts: what does not depend on what else is under way, and
 * what it takes of its links, in ns at their full rate.
 */
void tape_comm_parts(const struct tape_comm_model *m,
		     const struct tape_parcel *p, double *latency_ns,
		     double *work_ns);

/* Does a transit depend on what else is under way? */
int tape_comm_loaded(const struct tape_comm_model *m);

/*
 * A transit in two parts: what does not depend on what else is under way, and
 * what it takes of its links, in ns at their full rate: all that grows with the
 * size, where links are shared, else nothing.
 */
void tape_comm_parts(const struct tape_comm_model *m,
		     const struct tape_parcel *p, double *latency_ns,
		     double *work_ns);

/* The time to hand the message over, in ns; 0 of a rendezvous. */
double tape_comm_dc(const struct tape_comm_model *m,
		    const struct tape_parcel *p);

#endif
