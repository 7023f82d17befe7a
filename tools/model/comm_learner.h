/* What a learner keeps of the messages it was told of (comm.h). */
#ifndef TAPE_MODEL_COMM_LEARNER_H
#define TAPE_MODEL_COMM_LEARNER_H

#include "comm.h"

/* Messages of a kind, the same ones in all three. */
struct tape_comm_kept {
	struct tape_sampler ns, bytes;
	struct tape_sampler gap; /* from the send to the receive */
};

/* By size class; NULL: no message. */
typedef struct tape_comm_kept *tape_comm_classes[TAPE_SIZE_CLASSES];

struct tape_comm_learner {
	/*
	 * With DC, of receives that waited: they began before the send, or
	 * behind it. Of the latter few may be of use in the end (least, below),
	 * and these must not be lost among the others.
	 */
	tape_comm_classes early[TAPE_DISTANCES], late[TAPE_DISTANCES];
	/* of rendezvous, by their receivers and by their senders */
	tape_comm_classes met[TAPE_DISTANCES], sender[TAPE_DISTANCES];
	int no_memory; /* for one of them */
	struct tape_sampler dc[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	double least[TAPE_DISTANCES]; /* smallest er - s of a waiting receive */
	/* smallest sr - s of a message that had arrived */
	double least_gap[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	/* the quickest of those that were under way with others */
	struct together {
		uint64_t n;
		double ns, second_ns, bytes;
	} together[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
};

/*
 * The messages of a class that a model is fitted to, in an order that means
 * nothing: those whose receives began before any message was seen to come.
 */
struct tape_comm_sample {
	size_t n;
	double seen; /* so many there are, of which n are kept */
	double bytes[TAPE_SAMPLER_MOST], ns[TAPE_SAMPLER_MOST];
};

void tape_comm_sample(const struct tape_comm_learner *l, int d, int protocol,
		      int c, struct tape_comm_sample *s);

/* Those of a distance and protocol become messages of another one. */
void tape_comm_join(struct tape_comm_learner *l, int from, int to,
		    int protocol);

/* The hand-overs of a class; of another distance in its place if it has none.
 */
const struct tape_sampler *
tape_comm_dc_sample(const struct tape_comm_learner *l, int d, int c);

/* What each size class tells of the transit; weight 0: nothing. */
struct tape_comm_points {
	double bytes[TAPE_SIZE_CLASSES], ns[TAPE_SIZE_CLASSES];
	double weight[TAPE_SIZE_CLASSES]; /* 1 / the error of ns, squared */
	double seen[TAPE_SIZE_CLASSES];   /* messages that tell it */
	uint32_t kept[TAPE_SIZE_CLASSES]; /* of a sample; 0: the quickest one */
	double dc_ns[TAPE_SIZE_CLASSES];  /* taken off as DC */
};

/* Returns the number of classes that have any. */
int tape_comm_points(const struct tape_comm_learner *l, int d, int protocol,
		     struct tape_comm_points *p);

/*
 * The line through the messages of all classes by quantile regression, each
 * class weighing as its point does: its rate. NAN of a single size.
 */
double tape_comm_points_rate(const struct tape_comm_learner *l, int d,
			     int protocol, const struct tape_comm_points *p);

/* And its height, where it has that rate. */
double tape_comm_points_height(const struct tape_comm_learner *l, int d,
			       int protocol, const struct tape_comm_points *p,
			       double rate);

#endif
