/* Communicators along the hardware: the splits; see tape_hsplit.h. */
#include "hash_bits.h"
#include "tape_hsplit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agreement.h"
#include "comm_level.h"
#include "own_position.h"
#include "split.h"

/* All bits of a colour; fewer in a test, for steps with the same colour. */
#ifndef TAPE_COLOURS
#define TAPE_COLOURS 0x7fffffff
#endif

/*
 * A colour for a piece of hardware, other ones for other seeds. FNV-1a (Fowler,
 * Noll, Vo), then the finalizer of MurmurHash3 (Appleby).
 */
static int get_colour(const char *position, size_t bytes, uint64_t seed)
{
	uint64_t h = TAPE_HASH_START ^ tape_spread_bits(seed);

	h = tape_hash_bytes(h, position, bytes);
	h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
	h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
	return (int)((h ^ (h >> 33)) & TAPE_COLOURS);
}

/*
 * Splits old by the first bytes of position, members in the order of key; none:
 * no communicator. *common: what the members of *new share. Pieces that have
 * the same colour come apart by the next seed.
 */
static int split_by_object(MPI_Comm old, const char *position, size_t bytes,
			   int key, MPI_Comm *new, size_t *common)
{
	uint64_t seed = 0;
	int rc;

	rc = MPI_Comm_split(
	    old, bytes ? get_colour(position, bytes, seed) : MPI_UNDEFINED, key,
	    new);
	while (rc == MPI_SUCCESS && *new != MPI_COMM_NULL) {
		MPI_Comm mixed = *new;
		struct tape_agreement a;

		rc = tape_reach_agreement(mixed, position, bytes,
					  TAPE_FAULT_NONE, "", &a);
		if (rc)
			return rc;
		*common = a.common;
		if (a.same)
			return MPI_SUCCESS;
		rc = MPI_Comm_rank(mixed, &key);
		if (rc == MPI_SUCCESS)
			rc = MPI_Comm_split(mixed,
					    get_colour(position, bytes, ++seed),
					    key, new);
		MPI_Comm_free(&mixed);
	}
	return rc;
}

/* Rank 0 of a communicator: who of its n members is a root, and what it is
 * told. Others have no room. */
struct census {
	int n, *is_root, (*place)[2];
};

static enum tape_fault census_open(struct census *c, MPI_Comm comm)
{
	int rank;

	*c = (struct census){ 0 };
	if (MPI_Comm_rank(comm, &rank) || rank || MPI_Comm_size(comm, &c->n))
		return TAPE_FAULT_NONE;
	c->is_root = malloc((size_t)c->n * sizeof *c->is_root);
	c->place = malloc((size_t)c->n * sizeof *c->place);
	return c->is_root && c->place ? TAPE_FAULT_NONE : TAPE_FAULT_MEMORY;
}

static void census_close(struct census *c)
{
	free(c->is_root);
	free(c->place);
}

/* Of each root its number, and how many there are. */
static void census_count(struct census *c)
{
	int roots = 0;

	for (int i = 0; i < c->n; i++) {
		c->place[i][0] = roots;
		roots += c->is_root[i];
	}
	for (int i = 0; i < c->n; i++)
		c->place[i][1] = roots;
}

/*
 * Which of how many new communicators this process's is, in the order of their
 * roots; *root: it is its rank 0. Rank 0 of old counts: libraries, and SimGrid,
 * do this in log p steps, but an exclusive scan not always.
 */
static int number_comms(MPI_Comm old, MPI_Comm new, struct census *c, int *root,
			int place[2])
{
	int new_rank = -1, rc = MPI_SUCCESS;

	if (new != MPI_COMM_NULL)
		rc = MPI_Comm_rank(new, &new_rank);
	*root = new_rank == 0;
	if (rc == MPI_SUCCESS)
		rc = MPI_Gather(root, 1, MPI_INT, c->is_root, 1, MPI_INT, 0,
				old);
	if (rc == MPI_SUCCESS)
		census_count(c);
	if (rc == MPI_SUCCESS)
		rc = MPI_Scatter(c->place, 2, MPI_INT, place, 2, MPI_INT, 0,
				 old);
	if (rc == MPI_SUCCESS && new != MPI_COMM_NULL)
		rc = MPI_Bcast(place, 2, MPI_INT, 0, new);
	return rc;
}

/* The type that info asks for, or "". */
static enum tape_fault get_wanted_type(MPI_Info info,
				       char type[MPI_MAX_INFO_VAL + 1])
{
	int flag = 0;

	type[0] = '\0';
	if (info != MPI_INFO_NULL &&
	    MPI_Info_get(info, "mpi_hw_resource_type", MPI_MAX_INFO_VAL, type,
			 &flag))
		return TAPE_FAULT_INFO;
	if (!flag)
		type[0] = '\0';
	return TAPE_FAULT_NONE;
}

/* The end of the step after the first bytes of position; 0: there is none. */
static size_t next_step(const char *position, size_t bytes)
{
	char step[TAPE_STEP_MAX];

	tape_position_next(position, bytes, step);
	return *step ? bytes + (bytes > 0) + strlen(step) : 0;
}

/* After all have said where they are; level is its own from here on. */
static int split_agreed(MPI_Comm old, int key, const char *position,
			size_t common, const char *type, MPI_Comm *new,
			MPI_Comm *roots, struct census *c,
			struct tape_comm_level *level)
{
	char found[TAPE_LEVEL_MAX];
	size_t bytes = *type ? tape_find_level_position(position, type, found)
			     : next_step(position, common);
	int root, rank, place[2];
	int rc = split_by_object(old, position, bytes, key, new, &common);

	if (rc == MPI_SUCCESS)
		rc = number_comms(old, *new, c, &root, place);
	if (rc == MPI_SUCCESS && roots)
		rc = MPI_Comm_rank(old, &rank);
	if (rc == MPI_SUCCESS && roots)
		rc = MPI_Comm_split(old, root ? 0 : MPI_UNDEFINED, rank, roots);
	if (rc || *new == MPI_COMM_NULL) {
		tape_level_drop(level);
		return rc;
	}
	if (!*type)
		tape_position_type(position, common, found);
	return tape_level_set(*new, level, place[1], place[0], found);
}

int tape_split(MPI_Comm old, int key, MPI_Info info, int with_roots,
	       MPI_Comm *new, MPI_Comm *roots)
{
	char position[TAPE_POSITION_MAX], why[TAPE_WHY_MAX];
	char type[MPI_MAX_INFO_VAL + 1];
	struct tape_comm_level *level;
	enum tape_fault fault;
	struct tape_agreement a;
	struct census c;
	int rc;

	if (new)
		*new = MPI_COMM_NULL;
	if (roots)
		*roots = MPI_COMM_NULL;
	rc = tape_usable(old);
	if (rc)
		return rc;
	level = tape_level_new();
	fault = tape_find_own_position(position, why);
	if (!fault)
		fault = get_wanted_type(info, type);
	if (!new || (with_roots && !roots))
		fault = TAPE_FAULT_ARGUMENT;
	else if (!level)
		fault = TAPE_FAULT_MEMORY;
	if (census_open(&c, old))
		fault = TAPE_FAULT_MEMORY;
	rc = tape_reach_agreement(old, position, 0, fault, why, &a);
	if (rc || a.fault) {
		tape_level_drop(level);
		census_close(&c);
		return rc ? rc : tape_fault_raise(old, a.fault);
	}
	rc = split_agreed(old, key, position, a.common, type, new, roots, &c,
			  level);
	census_close(&c);
	return rc;
}

int tape_hsplit(MPI_Comm oldcomm, MPI_Info info, MPI_Comm *newcomm)
{
	int rank = 0;

	if (oldcomm != MPI_COMM_NULL)
		MPI_Comm_rank(oldcomm, &rank);
	return tape_split(oldcomm, rank, info, 0, newcomm, NULL);
}

int tape_hsplit_with_roots(MPI_Comm oldcomm, MPI_Info info, MPI_Comm *newcomm,
			   MPI_Comm *rootscomm)
{
	int rank = 0;

	if (oldcomm != MPI_COMM_NULL)
		MPI_Comm_rank(oldcomm, &rank);
	return tape_split(oldcomm, rank, info, 1, newcomm, rootscomm);
}

/*
 * Do all say the same? Else some would go on to a level that others do not
 * make, and wait there. most below 1: what this process says is wrong.
 */
static int agree_on_levels(MPI_Comm comm, int most, int with_roots)
{
	int mine[4] = { most, -most, with_roots, -with_roots }, all[4];
	int rc = MPI_Allreduce(mine, all, 4, MPI_INT, MPI_MIN, comm);

	if (rc)
		return rc;
	if (all[0] < 1 || all[0] != -all[1] || all[2] != -all[3])
		return tape_fault_raise(comm, TAPE_FAULT_ARGUMENT);
	return MPI_SUCCESS;
}

int tape_hsplit_all(MPI_Comm oldcomm, MPI_Info info, int most,
		    MPI_Comm *newcomms, MPI_Comm *rootscomms, int *levels)
{
	char type[MPI_MAX_INFO_VAL + 1];
	int n = 0, rc = tape_usable(oldcomm);

	if (levels)
		*levels = 0;
	if (rc)
		return rc;
	if (most < 1 || !newcomms || !levels)
		most = 0;
	/* a type that is asked for is one level */
	if (get_wanted_type(info, type) == TAPE_FAULT_NONE && *type && most > 1)
		most = 1;
	rc = agree_on_levels(oldcomm, most, rootscomms != NULL);
	if (rc)
		return rc;
	while (n < most) {
		MPI_Comm *roots = rootscomms ? &rootscomms[n] : NULL;
		MPI_Comm from = n ? newcomms[n - 1] : oldcomm;

		rc = roots ? tape_hsplit_with_roots(from, info, &newcomms[n],
						    roots)
			   : tape_hsplit(from, info, &newcomms[n]);
		if (rc || newcomms[n] == MPI_COMM_NULL)
			break;
		n++;
	}
	*levels = n;
	return rc;
}
