/* What the members of a communicator agree on; see agreement.h. */
#include "agreement.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "hardware.h"

/* Said by rank 0 of the first communicator that is split. */
static void report_unknown(int rank)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int said;
	int first;

	pthread_mutex_lock(&lock);
	first = !said;
	said = 1;
	pthread_mutex_unlock(&lock);
#ifndef SMPI_H
	if (first && rank == 0 && !tape_hardware_known())
		fprintf(stderr, "tape: libtape-hsplit was built without hwloc: "
				"no levels inside a host\n");
#else
	(void)first, (void)rank;
#endif
}

/*
 * What all positions share is the least that each shares with rank 0's: so one
 * broadcast and a minimum do it, without an operation of our own.
 */
int tape_reach_agreement(MPI_Comm comm, const char *position, size_t bytes,
			 enum tape_fault fault, const char *why,
			 struct tape_agreement *a)
{
	struct {
		int bytes;
		char position[TAPE_POSITION_MAX];
	} first = {0};
	int rank, rc, mine[3], all[3];

	rc = MPI_Comm_rank(comm, &rank);
	if (rc)
		return rc;
	report_unknown(rank);
	if (rank == 0) {
		first.bytes = (int)bytes;
		snprintf(first.position, sizeof first.position, "%s", position);
	}
	rc = MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, comm);
	if (rc)
		return rc;
	mine[0] = (int)tape_position_common(position, first.position);
	mine[1] = first.bytes == (int)bytes &&
		  memcmp(first.position, position, bytes) == 0;
	mine[2] = fault ? rank * TAPE_FAULTS + (int)fault : INT_MAX;
	rc = MPI_Allreduce(mine, all, 3, MPI_INT, MPI_MIN, comm);
	if (rc)
		return rc;
	a->common = (size_t)all[0];
	a->same = all[1];
	a->fault = TAPE_FAULT_NONE;
	if (all[2] == INT_MAX)
		return MPI_SUCCESS;
	a->fault = (enum tape_fault)(all[2] % TAPE_FAULTS);
	if (all[2] / TAPE_FAULTS == rank && fault == TAPE_FAULT_PLACE)
		fprintf(stderr, "tape: %s\n", why);
	/* before another one's error handler ends them all */
	return MPI_Barrier(comm);
}

#ifdef SMPI_H
static int get_agreement_code(void)
{
	return MPI_ERR_OTHER;
}
#else
/*
 * A class of our own, so that MPI_Error_string says what it is. (A code of
 * MPI_ERR_OTHER gets another text from MPICH 4.0.)
 */
static int place_code = MPI_ERR_OTHER;

static void make_code(void)
{
	int code;

	if (MPI_Add_error_class(&code) == MPI_SUCCESS &&
	    MPI_Add_error_string(code, "libtape-hsplit: TAPE_NETWORK or "
				       "TAPE_BINDING is wrong") == MPI_SUCCESS)
		place_code = code;
}

static int get_agreement_code(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_code);
	return place_code;
}
#endif

static int get_error_code(enum tape_fault fault)
{
	switch (fault) {
	case TAPE_FAULT_ARGUMENT:
		return MPI_ERR_ARG;
	case TAPE_FAULT_INFO:
		return MPI_ERR_INFO;
	case TAPE_FAULT_PLACE:
		return get_agreement_code();
	case TAPE_FAULT_MEMORY:
		return MPI_ERR_NO_MEM;
	case TAPE_FAULT_NONE:
	case TAPE_FAULTS:
		break;
	}
	return MPI_SUCCESS;
}

int tape_fault_raise(MPI_Comm comm, enum tape_fault fault)
{
	int code = get_error_code(fault);

	MPI_Comm_call_errhandler(comm, code);
	return code;
}

int tape_usable(MPI_Comm comm)
{
	int inter, rc;

	if (comm == MPI_COMM_NULL) {
		MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_COMM);
		return MPI_ERR_COMM;
	}
	rc = MPI_Comm_test_inter(comm, &inter);
	if (rc == MPI_SUCCESS && inter) {
		rc = MPI_ERR_COMM;
		MPI_Comm_call_errhandler(comm, rc);
	}
	return rc;
}
