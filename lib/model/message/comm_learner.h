/*
 * The samples of messages that a learner stores (comm.h), by the rules of
 * doc/perturbation.md, "The communication model".
 */
#ifndef TAPE_MODEL_COMM_LEARNER_H
#define TAPE_MODEL_COMM_LEARNER_H

#include "comm.h"

/* A sample of messages, the same ones in all three samplers. */
struct tape_comm_kept {
	struct tape_sampler ns, bytes;
	struct tape_sampler gap; /* from the send to the receive */
};

/* By size class; NULL: no message. */
typedef struct tape_comm_kept *tape_comm_classes[TAPE_SIZE_CLASSES];

struct tape_comm_learner {
	/*
	 * Transit + DC of receives that waited, which began before the send
	 * (early) or after it (late). Only few late ones may be used (least,
	 * below), so they have samples of their own.
	 */
	tape_comm_classes early[TAPE_DISTANCES], late[TAPE_DISTANCES];
	/* of rendezvous, by their receivers and by their senders */
	tape_comm_classes met[TAPE_DISTANCES], sender[TAPE_DISTANCES];
	int no_memory; /* a message was lost */
	struct tape_sampler dc[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	double least[TAPE_DISTANCES]; /* smallest er - s of a waiting receive */
	/* smallest sr - s of a message that had arrived */
	double least_gap[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	/* the two fastest messages in flight with others */
	struct together {
		uint64_t n;
		double ns, second_ns, bytes;
	} together[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
};

/*
 * The messages of a class that a model is fitted to, in no particular order:
 * their receives began before any message is known to have arrived.
 */
struct tape_comm_sample {
	size_t n;
	double seen; /* number of messages, of which n are stored */
	double bytes[TAPE_SAMPLER_MOST], ns[TAPE_SAMPLER_MOST];
};

void tape_comm_sample(const struct tape_comm_learner *l, int d, int protocol,
		      int c, struct tape_comm_sample *s);

/* Moves the messages of a distance and protocol to another distance. */
void tape_comm_join(struct tape_comm_learner *l, int from, int to,
		    int protocol);

/* DC of a class; that of a substitute distance if it has none. */
const struct tape_sampler *
tape_comm_dc_sample(const struct tape_comm_learner *l, int d, int c);

/* The transit of each size class; weight 0: unknown. */
struct tape_comm_points {
	double bytes[TAPE_SIZE_CLASSES], ns[TAPE_SIZE_CLASSES];
	double weight[TAPE_SIZE_CLASSES]; /* 1 / the error of ns, squared */
	double seen[TAPE_SIZE_CLASSES];   /* number of messages */
	uint32_t kept[TAPE_SIZE_CLASSES]; /* in the sample; 0: fastest one */
	double dc_ns[TAPE_SIZE_CLASSES];  /* subtracted as DC */
};

/* Returns the number of classes with messages. */
int tape_comm_points(const struct tape_comm_learner *l, int d, int protocol,
		     struct tape_comm_points *p);

/*
 * The rate of the line through the messages of all classes by quantile
 * regression, each class with the weight of its point. NAN for a single size.
 */
double tape_comm_points_rate(const struct tape_comm_learner *l, int d,
			     int protocol, const struct tape_comm_points *p);

/* The height of the line with a given rate, ns. */
double tape_comm_points_height(const struct tape_comm_learner *l, int d,
			       int protocol, const struct tape_comm_points *p,
			       double rate);

#endif
