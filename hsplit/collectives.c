/*
 * Collectives level by level; see tape_hsplit.h.
 *
 * A layer is what is left of a level's communicator when each of those that it
 * is split into stands for its root: the roots, and the processes that got no
 * communicator, for they are bound to nothing below. So rank 0 of a level's
 * communicator is rank 0 of its layer, each process is in exactly one layer in
 * which it is not rank 0 (but rank 0 of all, in none), and no process is left
 * out.
 */
#include <stdint.h>
#include <stdlib.h>

#include "agreement.h"
#include "tape_hsplit.h"

enum { TAG = 0 }; /* nobody else uses h->own */

struct layer {
	MPI_Comm comm; /* MPI_COMM_NULL: this process is not in it, or alone */
	int leads;     /* it is rank 0 */
};

struct tape_hierarchy {
	MPI_Comm comm; /* of the caller: for its error handler */
	MPI_Comm own;  /* the same processes */
	int rank, size, n;
	struct layer layer[TAPE_STEPS_MAX + 1]; /* widest first */
};

/* ---- errors ---- */

/* Our own communicators return errors; the caller's handler gets them. */
static int raise_error(tape_hierarchy h, int rc)
{
	if (rc != MPI_SUCCESS)
		MPI_Comm_call_errhandler(h->comm, rc);
	return rc;
}

static int check_hierarchy(tape_hierarchy h)
{
	return h ? MPI_SUCCESS
		 : tape_fault_raise(MPI_COMM_WORLD, TAPE_FAULT_ARGUMENT);
}

/* Or there is one process, or no such root: left to MPI. */
static int has_levels(tape_hierarchy h, int root)
{
	return h->size > 1 && root >= 0 && root < h->size;
}

/* Or the operation needs the order of ranks, or there is none, or no type. */
static int is_free(MPI_Datatype type, MPI_Op op)
{
	int commutes = 0;

	return type != MPI_DATATYPE_NULL && op != MPI_OP_NULL &&
	       MPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes;
}

/* ---- hierarchies ---- */

static int free_all(tape_hierarchy h)
{
	int rc = MPI_SUCCESS;

	for (int i = 0; i < h->n; i++)
		if (h->layer[i].comm != MPI_COMM_NULL && rc == MPI_SUCCESS)
			rc = MPI_Comm_free(&h->layer[i].comm);
	if (h->own != MPI_COMM_NULL && rc == MPI_SUCCESS)
		rc = MPI_Comm_free(&h->own);
	free(h);
	return rc;
}

/* Of a level's communicator, and what this process got of its split. */
static int make_layer(MPI_Comm level, MPI_Comm below, struct layer *layer)
{
	int rank, below_rank = 0, size, rc = MPI_Comm_rank(level, &rank);

	layer->comm = MPI_COMM_NULL;
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_size(level, &size);
	if (rc || size == 1)
		return rc;
	layer->leads = rank == 0;
	if (below != MPI_COMM_NULL)
		rc = MPI_Comm_rank(below, &below_rank);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_split(level, below_rank ? MPI_UNDEFINED : 0, rank,
				    &layer->comm);
	if (rc || layer->comm == MPI_COMM_NULL)
		return rc;
	rc = MPI_Comm_size(layer->comm, &size);
	if (rc == MPI_SUCCESS && size == 1)
		return MPI_Comm_free(&layer->comm);
	return rc ? rc
		  : MPI_Comm_set_errhandler(layer->comm, MPI_ERRORS_RETURN);
}

int tape_hierarchy_create(MPI_Comm comm, MPI_Info info, tape_hierarchy *h)
{
	MPI_Comm level[TAPE_STEPS_MAX];
	struct tape_hierarchy *new;
	struct tape_agreement a;
	int n = 0, rc = tape_usable(comm);

	if (h)
		*h = NULL;
	if (rc)
		return rc;
	new = calloc(1, sizeof *new);
	rc = tape_reach_agreement(comm, "", 0,
				  !h	 ? TAPE_FAULT_ARGUMENT
				  : !new ? TAPE_FAULT_MEMORY
					 : TAPE_FAULT_NONE,
				  "", &a);
	if (rc || a.fault) {
		free(new);
		return rc ? rc : tape_fault_raise(comm, a.fault);
	}
	rc = tape_hsplit_all(comm, info, TAPE_STEPS_MAX, level, NULL, &n);
	new->comm = comm;
	new->own = MPI_COMM_NULL;
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_rank(comm, &new->rank);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_size(comm, &new->size);
	for (; rc == MPI_SUCCESS && new->n <= n; new->n++)
		rc = make_layer(new->n ? level[new->n - 1] : comm,
				new->n < n ? level[new->n] : MPI_COMM_NULL,
				&new->layer[new->n]);
	while (n)
		MPI_Comm_free(&level[--n]);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_dup(comm, &new->own);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_set_errhandler(new->own, MPI_ERRORS_RETURN);
	if (rc)
		free_all(new);
	else
		*h = new;
	return rc;
}

int tape_hierarchy_free(tape_hierarchy *h)
{
	MPI_Comm comm;
	int rc;

	if (!h || !*h)
		return tape_fault_raise(MPI_COMM_WORLD, TAPE_FAULT_ARGUMENT);
	comm = (*h)->comm;
	rc = free_all(*h);
	*h = NULL;
	if (rc)
		MPI_Comm_call_errhandler(comm, rc);
	return rc;
}

/* ---- parts ---- */

/* From rank 0 of each layer to the others, from layer first on. */
static int broadcast_layers(tape_hierarchy h, int first, void *buffer,
			    int count, MPI_Datatype type)
{
	int rc = MPI_SUCCESS;

	for (int i = first; i < h->n && rc == MPI_SUCCESS; i++)
		if (h->layer[i].comm != MPI_COMM_NULL)
			rc =
			    MPI_Bcast(buffer, count, type, 0, h->layer[i].comm);
	return rc;
}

/*
 * To rank 0 of each layer, down to layer last, narrowest first. into: where a
 * process that leads a layer adds up; *from: its own data, and then into,
 * which it has become.
 */
static int reduce_layers(tape_hierarchy h, int last, const void **from,
			 void *into, int count, MPI_Datatype type, MPI_Op op)
{
	int rc = MPI_SUCCESS;

	for (int i = h->n - 1; i >= last && rc == MPI_SUCCESS; i--) {
		const struct layer *l = &h->layer[i];

		if (l->comm == MPI_COMM_NULL)
			continue;
		if (!l->leads)
			return MPI_Reduce(*from, NULL, count, type, op, 0,
					  l->comm);
		rc = MPI_Reduce(*from == into ? MPI_IN_PLACE : *from, into,
				count, type, op, 0, l->comm);
		*from = into;
	}
	return rc;
}

static int leads_any(tape_hierarchy h)
{
	for (int i = 0; i < h->n; i++)
		if (h->layer[i].comm != MPI_COMM_NULL && h->layer[i].leads)
			return 1;
	return 0;
}

/*
 * Room for count elements, to be freed by *block: *origin is where their first
 * one begins, aligned as memory of malloc's is.
 */
static int alloc_elements(int count, MPI_Datatype type, void **block,
			  void **origin)
{
	MPI_Aint lb, extent, low, true_extent;
	int rc = MPI_Type_get_extent(type, &lb, &extent);

	*block = *origin = NULL;
	if (rc == MPI_SUCCESS)
		rc = MPI_Type_get_true_extent(type, &low, &true_extent);
	if (rc || count <= 0)
		return rc;
	extent *= count - 1;
	*block = malloc((size_t)(true_extent + labs(extent)) + 16);
	if (!*block)
		return MPI_ERR_NO_MEM;
	low += extent < 0 ? extent : 0;
	*origin = (void *)(((uintptr_t)*block - (uintptr_t)low + 15) &
			   ~(uintptr_t)15);
	return rc;
}

/* ---- collectives ---- */

int tape_hbcast(void *buffer, int count, MPI_Datatype type, int root,
		tape_hierarchy h)
{
	int rc = check_hierarchy(h);

	if (rc)
		return rc;
	if (!has_levels(h, root))
		return raise_error(
		    h, MPI_Bcast(buffer, count, type, root, h->own));
	if (root && h->rank == root)
		rc = MPI_Send(buffer, count, type, 0, TAG, h->own);
	else if (root && h->rank == 0)
		rc = MPI_Recv(buffer, count, type, root, TAG, h->own,
			      MPI_STATUS_IGNORE);
	if (rc == MPI_SUCCESS)
		rc = broadcast_layers(h, 0, buffer, count, type);
	return raise_error(h, rc);
}

/* Rank 0's result in result, which others than root need not have. */
static int reduce_to_0(tape_hierarchy h, const void *from, void *result,
		       int count, MPI_Datatype type, MPI_Op op, int root)
{
	int rc = reduce_layers(h, 0, &from, result, count, type, op);

	if (rc == MPI_SUCCESS && root && h->rank == 0)
		rc = MPI_Send(result, count, type, root, TAG, h->own);
	return rc;
}

int tape_hreduce(const void *sendbuf, void *recvbuf, int count,
		 MPI_Datatype type, MPI_Op op, int root, tape_hierarchy h)
{
	int is_root, rc = check_hierarchy(h);
	const void *from = sendbuf;
	void *block = NULL, *result;

	if (rc)
		return rc;
	if (!has_levels(h, root) || !is_free(type, op))
		return raise_error(h, MPI_Reduce(sendbuf, recvbuf, count, type,
						 op, root, h->own));
	is_root = h->rank == root;
	if (is_root && sendbuf == MPI_IN_PLACE)
		from = recvbuf;
	result = recvbuf;
	if (leads_any(h) && !(is_root && root == 0))
		rc = alloc_elements(count, type, &block, &result);
	if (rc == MPI_SUCCESS)
		rc = reduce_to_0(h, from, result, count, type, op, root);
	if (rc == MPI_SUCCESS && is_root && root)
		rc = MPI_Recv(recvbuf, count, type, 0, TAG, h->own,
			      MPI_STATUS_IGNORE);
	free(block);
	return raise_error(h, rc);
}

int tape_hallreduce(const void *sendbuf, void *recvbuf, int count,
		    MPI_Datatype type, MPI_Op op, tape_hierarchy h)
{
	const void *from = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
	int rc = check_hierarchy(h);

	if (rc)
		return rc;
	if (!has_levels(h, 0) || !is_free(type, op))
		return raise_error(h, MPI_Allreduce(sendbuf, recvbuf, count,
						    type, op, h->own));
	rc = reduce_layers(h, 1, &from, recvbuf, count, type, op);
	if (rc == MPI_SUCCESS && h->layer[0].comm != MPI_COMM_NULL)
		rc = MPI_Allreduce(from == recvbuf ? MPI_IN_PLACE : from,
				   recvbuf, count, type, op, h->layer[0].comm);
	if (rc == MPI_SUCCESS)
		rc = broadcast_layers(h, 1, recvbuf, count, type);
	return raise_error(h, rc);
}

/* For the process that waits, receiving a byte is no less than a barrier. */
int tape_hbarrier(tape_hierarchy h)
{
	char mine = 0, all = 0;
	const void *from = &mine;
	int rc = check_hierarchy(h);

	if (rc)
		return rc;
	rc = reduce_layers(h, 1, &from, &all, 1, MPI_CHAR, MPI_MAX);
	if (rc == MPI_SUCCESS && h->layer[0].comm != MPI_COMM_NULL)
		rc = MPI_Barrier(h->layer[0].comm);
	if (rc == MPI_SUCCESS)
		rc = broadcast_layers(h, 1, &all, 1, MPI_CHAR);
	return raise_error(h, rc);
}
