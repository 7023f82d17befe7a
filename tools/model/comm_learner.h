/* What a learner keeps of the messages it was told of (comm.h). */
#ifndef TAPE_MODEL_COMM_LEARNER_H
#define TAPE_MODEL_COMM_LEARNER_H

#include "comm.h"

struct tape_comm_learner {
	/* by distance and protocol; of a waiting receive, with DC */
	struct tape_sampler transit[TAPE_DISTANCES][2][TAPE_SIZE_CLASSES];
	struct tape_sampler size[TAPE_DISTANCES][2][TAPE_SIZE_CLASSES];
	struct tape_sampler dc[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
	double least[TAPE_DISTANCES]; /* smallest er - s of a waiting receive */
	/* the quickest of those that were under way with others */
	struct together {
		uint64_t n;
		double ns, second_ns, bytes;
	} together[TAPE_DISTANCES][TAPE_SIZE_CLASSES];
};

#endif
