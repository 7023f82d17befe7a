/* The lowest level that some processes share; see tape_hsplit.h. */
#include <stdlib.h>

#include "agreement.h"
#include "comm_level.h"
#include "own_position.h"
#include "tape_hsplit.h"

/* Of MPI_Comm_create_group: only calls at once by several threads differ. */
enum { GROUP_TAG = 0x7a9e };

static int compare_ranks(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/*
 * The list in order, each once; *n how many. NULL: memory is short, then *n is
 * -1, or a rank is none of comm's.
 */
static int *sort_ranks(const int *ranks, int *n, int size)
{
	int *list = malloc((size_t)*n * sizeof *list), k = 0;

	if (!list) {
		*n = -1;
		return NULL;
	}
	for (int i = 0; i < *n; i++)
		list[i] = ranks[i];
	qsort(list, (size_t)*n, sizeof *list, compare_ranks);
	if (list[0] < 0 || list[*n - 1] >= size) {
		free(list);
		return NULL;
	}
	for (int i = 0; i < *n; i++)
		if (!k || list[k - 1] != list[i])
			list[k++] = list[i];
	*n = k;
	return list;
}

/* The communicator of those processes; collective over them alone. */
static int create_subcomm(MPI_Comm comm, const int *list, int n,
			  MPI_Comm *those)
{
	MPI_Group all, group;
	int rc = MPI_Comm_group(comm, &all);

	if (rc)
		return rc;
	rc = MPI_Group_incl(all, n, list, &group);
	MPI_Group_free(&all);
	if (rc)
		return rc;
	rc = MPI_Comm_create_group(comm, group, GROUP_TAG, those);
	MPI_Group_free(&group);
	return rc;
}

static int find_common_level(MPI_Comm comm, MPI_Comm those, const char **type)
{
	char position[TAPE_POSITION_MAX], why[TAPE_WHY_MAX];
	char name[TAPE_LEVEL_MAX];
	enum tape_fault fault = tape_find_own_position(position, why);
	struct tape_agreement a;
	int rc;

	if (!type)
		fault = TAPE_FAULT_ARGUMENT;
	rc = tape_reach_agreement(those, position, 0, fault, why, &a);
	if (rc)
		return rc;
	if (a.fault)
		return tape_fault_raise(comm, a.fault);
	tape_position_type(position, a.common, name);
	*type = tape_level_type(name);
	return *type ? MPI_SUCCESS : tape_fault_raise(comm, TAPE_FAULT_MEMORY);
}

int tape_get_min_hlevel(MPI_Comm comm, int nranks, const int *ranks,
			const char **type)
{
	int rc = tape_usable(comm), rank, size, n = nranks, *list, listed;
	MPI_Comm those = MPI_COMM_NULL;

	if (rc)
		return rc;
	if (nranks < 1 || !ranks)
		return tape_fault_raise(comm, TAPE_FAULT_ARGUMENT);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	list = sort_ranks(ranks, &n, size);
	if (!list && n < 0)
		return tape_fault_raise(comm, TAPE_FAULT_MEMORY);
	if (!list) {
		MPI_Comm_call_errhandler(comm, MPI_ERR_RANK);
		return MPI_ERR_RANK;
	}
	listed =
	    bsearch(&rank, list, (size_t)n, sizeof rank, compare_ranks) != NULL;
	if (listed)
		rc = create_subcomm(comm, list, n, &those);
	free(list);
	if (rc)
		return rc;
	if (!listed && !type)
		return tape_fault_raise(comm, TAPE_FAULT_ARGUMENT);
	if (!listed) {
		*type = "Unknown";
		return MPI_SUCCESS;
	}
	rc = find_common_level(comm, those, type);
	MPI_Comm_free(&those);
	return rc;
}
