/*
 * Who met whom in the collective calls of PVM's groups, whose members come and
 * go. A barrier is of as many tasks as its calls say, whoever they are: the
 * group server counts arrivals, and the count-th lets all of them go. Where
 * exactly so many tasks use a barrier, all meet each time, and the k-th time of
 * one is the k-th of the others. Where there are more, this reads all their
 * arrivals, once, and counts them as the server did.
 *
 * Calls with a root are distinguished by the root: a communicator has those of
 *one kind with one root. The root of a reduction, or of a gathering, leaves
 *when all members have come, and who takes part in what one root scatters
 *leaves when that has come. A member that was away for a while has fewer calls
 *than the root; those that it has are each of the first, or from the end the
 *last, of the root's that this allows. A root that left no trace is not needed:
 *then the k-th call of one is the k-th of the others.
 *
 *	rc = tape_pvm_groups_read(t, slack_ns, &m);
 *	meeting = tape_pvm_groups_find(m, rank, comm, k);
 *	tape_pvm_groups_free(m);
 *
 * Arrivals at barriers are counted in the order of their dates. Nobody is twice
 * in a meeting, nor comes after another has left it: what contradicts that is a
 * meeting that is not whole in the trace. Two that arrive within the time of a
 * message to the server, or of the clocks' error, may have been counted the
 * other way round; the trace does not decide that.
 */
#ifndef TAPE_MEETINGS_H
#define TAPE_MEETINGS_H

#include "tape_reader.h"

struct tape_meeting {
	uint64_t k; /* which; of one communicator, others have other ones */
	int32_t n;  /* tasks that are in it, and in the trace */
};

struct tape_pvm_groups;

/*
 * slack_ns: how far the difference of two dates may be from the true value. *m
 * is NULL where nothing needs it, and until it is freed the caller's else.
 * Memory is that of the arrivals. A damaged flow ends where the damage is.
 * Returns 0 or TAPE_ENOMEM.
 */
int tape_pvm_groups_read(struct tape_trace *t, double slack_ns,
		       struct tape_pvm_groups **m);
void tape_pvm_groups_free(struct tape_pvm_groups *m);

/* Returns 1 for a barrier of fewer tasks than use it in the trace. */
int tape_pvm_groups_fewer(const struct tape_comm_info *c);

/*
 * What that rank's call, its k-th from 0 on of that communicator, belongs to;
 * NULL: that is what its number says. m may be NULL.
 */
const struct tape_meeting *tape_pvm_groups_find(const struct tape_pvm_groups *m,
					      int rank, uint32_t comm,
					      uint64_t k);

#endif
