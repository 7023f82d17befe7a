/*
 * Which algorithm a library uses, by sizes of communicator and message; see
 * coll.h.
 *
 * The numbers are facts of Open MPI 4.1: its component coll/tuned decides by
 * fixed rules (coll_tuned_decision_fixed.c) and calls each algorithm without
 * segments. SimGrid's selector "ompi" has the same rules (smpi_openmpi_
 * selector.cpp, as of 02/2022), but other algorithms where it lacks one.
 */
#include <stddef.h>

#include "coll.h"

enum { K = 1024, M = K * K, ANY = 0 };

/* The first row whose two limits are above both sizes holds. */
struct choice {
	int members_below;
	uint64_t bytes_below;
	int algorithm;          /* as Open MPI numbers them */
};

static const struct choice barrier[] = {
	{ 4, ANY, 3 },
	{ 8, ANY, 1 },
	{ 64, ANY, 3 },
	{ 256, ANY, 4 },
	{ 512, ANY, 6 },
	{ 1024, ANY, 4 },
	{ 4096, ANY, 6 },
	{ ANY, ANY, 4 },
};

static const struct choice bcast[] = {
	{ 4, 32, 3 }, { 4, 256, 5 }, { 4, 512, 3 }, { 4, K, 7 },
	{ 4, 32 * K, 1 }, { 4, 128 * K, 5 }, { 4, 256 * K, 2 },
	{ 4, 512 * K, 1 }, { 4, M, 6 }, { 4, ANY, 5 },
	{ 8, 64, 5 }, { 8, 128, 6 }, { 8, 2 * K, 5 }, { 8, 8 * K, 6 },
	{ 8, M, 1 }, { 8, ANY, 2 },
	{ 16, 8, 7 }, { 16, 64, 5 }, { 16, 4 * K, 7 }, { 16, 16 * K, 5 },
	{ 16, 32 * K, 6 }, { 16, ANY, 1 },
	{ 32, 4 * K, 7 }, { 32, M, 6 }, { 32, ANY, 8 },
	{ 64, 2 * K, 6 }, { 64, ANY, 7 },
	{ 128, ANY, 7 },
	{ 256, 2, 6 }, { 256, 16 * K, 5 }, { 256, 32 * K, 1 },
	{ 256, 64 * K, 5 }, { 256, ANY, 7 },
	{ 512, 2, 6 }, { 512, 16 * K, 5 }, { 512, 32 * K, 1 },
	{ 512, 64 * K, 5 }, { 512, ANY, 7 },
	{ 1024, 16 * K, 7 }, { 1024, 32 * K, 4 }, { 1024, ANY, 7 },
	{ 2048, 512 * K, 7 }, { 2048, ANY, 8 },
	{ 4096, 256 * K, 7 }, { 4096, ANY, 8 },
	{ ANY, 8 * K, 7 }, { ANY, 16 * K, 5 }, { ANY, 256 * K, 7 },
	{ ANY, ANY, 8 },
};

static const struct choice scatter[] = {
	{ 4, 2, 3 }, { 4, 128 * K, 1 }, { 4, 256 * K, 3 }, { 4, ANY, 1 },
	{ 8, 2 * K, 2 }, { 8, 4 * K, 1 }, { 8, 8 * K, 2 }, { 8, 32 * K, 1 },
	{ 8, M, 3 }, { 8, ANY, 1 },
	{ 16, 16 * K, 2 }, { 16, M, 3 }, { 16, ANY, 1 },
	{ 32, 16 * K, 2 }, { 32, 32 * K, 1 }, { 32, ANY, 3 },
	{ 64, 512, 2 }, { 64, 8 * K, 3 }, { 64, 16 * K, 2 }, { 64, ANY, 3 },
	{ ANY, 512, 2 }, { ANY, ANY, 3 },
};

static const struct choice gather[] = {
	{ 4, 2, 3 }, { 4, 4, 1 }, { 4, 32 * K, 2 }, { 4, 64 * K, 1 },
	{ 4, 128 * K, 2 }, { 4, ANY, 3 },
	{ 8, K, 2 }, { 8, 8 * K, 1 }, { 8, 32 * K, 2 }, { 8, 256 * K, 1 },
	{ 8, ANY, 3 },
	{ 256, ANY, 2 },
	{ 512, 2 * K, 2 }, { 512, 8 * K, 1 }, { 512, ANY, 2 },
	{ ANY, ANY, 2 },
};

static const struct choice reduce[] = {
	{ 4, 8, 7 }, { 4, 16, 4 }, { 4, 32, 3 }, { 4, 256 * K, 1 },
	{ 4, 512 * K, 3 }, { 4, M, 2 }, { 4, ANY, 3 },
	{ 8, 4 * K, 4 }, { 8, 64 * K, 2 }, { 8, 256 * K, 5 }, { 8, 512 * K, 1 },
	{ 8, M, 5 }, { 8, ANY, 1 },
	{ 16, 8 * K, 4 }, { 16, ANY, 5 },
	{ 32, 4 * K, 4 }, { 32, ANY, 5 },
	{ 256, ANY, 5 },
	{ 512, 8 * K, 5 }, { 512, 16 * K, 6 }, { 512, ANY, 5 },
	{ 2048, ANY, 5 },
	{ 4096, 512, 5 }, { 4096, K, 6 }, { 4096, 8 * K, 5 },
	{ 4096, 16 * K, 6 }, { 4096, ANY, 5 },
	{ ANY, 16, 5 }, { ANY, 32, 6 }, { ANY, K, 5 }, { ANY, 2 * K, 6 },
	{ ANY, 8 * K, 5 }, { ANY, 16 * K, 6 }, { ANY, ANY, 5 },
};

static const struct choice allgather[] = {
	{ 3, ANY, 6 },
	{ 32, ANY, 3 },
	{ 64, K, 3 }, { 64, 64 * K, 5 }, { 64, ANY, 4 },
	{ 128, 512, 3 }, { 128, 64 * K, 5 }, { 128, ANY, 4 },
	{ 256, 512, 3 }, { 256, 128 * K, 5 }, { 256, 512 * K, 4 },
	{ 256, M, 5 }, { 256, ANY, 4 },
	{ 512, 32, 3 }, { 512, 128, 2 }, { 512, K, 3 }, { 512, 128 * K, 5 },
	{ 512, 512 * K, 4 }, { 512, M, 5 }, { 512, ANY, 4 },
	{ 1024, 64, 3 }, { 1024, 256, 2 }, { 1024, 2 * K, 3 }, { 1024, ANY, 5 },
	{ 2048, 4, 3 }, { 2048, 8, 2 }, { 2048, 16, 3 }, { 2048, 32, 2 },
	{ 2048, 256, 3 }, { 2048, 512, 2 }, { 2048, 4 * K, 3 },
	{ 2048, ANY, 5 },
	{ 4096, 32, 2 }, { 4096, 128, 3 }, { 4096, 512, 2 }, { 4096, 4 * K, 3 },
	{ 4096, ANY, 5 },
	{ ANY, 2, 3 }, { ANY, 8, 2 }, { ANY, 16, 3 }, { ANY, 512, 2 },
	{ ANY, 4 * K, 3 }, { ANY, ANY, 5 },
};

static const struct choice allreduce[] = {
	{ 4, 8, 4 }, { 4, 4 * K, 3 }, { 4, 8 * K, 4 }, { 4, 16 * K, 3 },
	{ 4, 64 * K, 4 }, { 4, 256 * K, 5 }, { 4, ANY, 6 },
	{ 8, 16, 4 }, { 8, 8 * K, 3 }, { 8, ANY, 6 },
	{ 16, 8 * K, 3 }, { 16, ANY, 6 },
	{ 32, 64, 5 }, { 32, 4 * K, 3 }, { 32, ANY, 6 },
	{ 64, 128, 5 }, { 64, ANY, 6 },
	{ 128, 256 * K, 3 }, { 128, ANY, 6 },
	{ 256, 128 * K, 2 }, { 256, 256 * K, 3 }, { 256, ANY, 6 },
	{ 512, 4 * K, 2 }, { 512, ANY, 6 },
	{ 2048, 2 * K, 2 }, { 2048, 16 * K, 3 }, { 2048, ANY, 6 },
	{ 4096, 2 * K, 2 }, { 4096, 4 * K, 5 }, { 4096, 16 * K, 3 },
	{ 4096, ANY, 6 },
	{ ANY, 2 * K, 2 }, { ANY, 16 * K, 5 }, { ANY, 32 * K, 3 },
	{ ANY, ANY, 6 },
};

static const struct choice alltoall[] = {
	{ 3, 2, 2 }, { 3, 4, 5 }, { 3, 16, 2 }, { 3, 64, 5 }, { 3, 256, 2 },
	{ 3, 4 * K, 5 }, { 3, 32 * K, 2 }, { 3, 256 * K, 4 }, { 3, M, 5 },
	{ 3, ANY, 2 },
	{ 8, 8 * K, 4 }, { 8, 16 * K, 1 }, { 8, 64 * K, 4 }, { 8, 512 * K, 1 },
	{ 8, M, 2 }, { 8, ANY, 1 },
	{ 16, 256 * K, 4 }, { 16, ANY, 1 },
	{ 32, 4, 4 }, { 32, 512, 3 }, { 32, 8 * K, 4 }, { 32, 32 * K, 1 },
	{ 32, 256 * K, 4 }, { 32, 512 * K, 1 }, { 32, ANY, 4 },
	{ 64, 512, 3 }, { 64, 512 * K, 1 }, { 64, ANY, 4 },
	{ 128, K, 3 }, { 128, 2 * K, 1 }, { 128, 4 * K, 4 },
	{ 128, 256 * K, 1 }, { 128, ANY, 2 },
	{ 256, K, 3 }, { 256, 2 * K, 4 }, { 256, 256 * K, 1 }, { 256, ANY, 2 },
	{ 512, K, 3 }, { 512, 8 * K, 4 }, { 512, 32 * K, 1 }, { 512, ANY, 2 },
	{ 1024, 512, 3 }, { 1024, 8 * K, 4 }, { 1024, 16 * K, 1 },
	{ 1024, 128 * K, 4 }, { 1024, 256 * K, 1 }, { 1024, ANY, 2 },
	{ 2048, 512, 3 }, { 2048, K, 4 }, { 2048, 2 * K, 1 },
	{ 2048, 16 * K, 4 }, { 2048, 256 * K, 1 }, { 2048, ANY, 4 },
	{ 4096, K, 3 }, { 4096, 4 * K, 4 }, { 4096, 8 * K, 1 },
	{ 4096, 128 * K, 4 }, { 4096, ANY, 1 },
	{ ANY, 2 * K, 3 }, { ANY, 8 * K, 4 }, { ANY, 16 * K, 1 },
	{ ANY, 32 * K, 4 }, { ANY, 64 * K, 1 }, { ANY, ANY, 4 },
};

static const struct choice reduce_scatter[] = {
	{ 4, 64 * K, 3 }, { 4, 128 * K, 4 }, { 4, ANY, 3 },
	{ 8, 8, 1 }, { 8, 256 * K, 2 }, { 8, ANY, 3 },
	{ 32, 256 * K, 2 }, { 32, ANY, 3 },
	{ 64, 64, 1 }, { 64, 2 * K, 2 }, { 64, 512 * K, 4 }, { 64, ANY, 3 },
	{ 128, 256, 1 }, { 128, 512, 2 }, { 128, 2 * K, 4 }, { 128, 4 * K, 2 },
	{ 128, ANY, 4 },
	{ 256, 256, 1 }, { 256, 512, 2 }, { 256, ANY, 4 },
	{ 512, 256, 1 }, { 512, K, 2 }, { 512, ANY, 4 },
	{ 1024, 512, 1 }, { 1024, 2 * K, 2 }, { 1024, 8 * K, 4 },
	{ 1024, 16 * K, 2 }, { 1024, ANY, 4 },
	{ 2048, 512, 1 }, { 2048, 4 * K, 2 }, { 2048, 16 * K, 4 },
	{ 2048, 32 * K, 2 }, { 2048, ANY, 4 },
	{ 4096, 512, 1 }, { 4096, 4 * K, 2 }, { 4096, ANY, 4 },
	{ ANY, K, 1 }, { ANY, 8 * K, 2 }, { ANY, ANY, 4 },
};

static const struct choice scan[] = {
	{ ANY, ANY, 1 },
};

static const struct choice *const choices[TAPE_COLL_OPS] = {
	[TAPE_COLL_BARRIER] = barrier,
	[TAPE_COLL_BCAST] = bcast,
	[TAPE_COLL_SCATTER] = scatter,
	[TAPE_COLL_GATHER] = gather,
	[TAPE_COLL_REDUCE] = reduce,
	[TAPE_COLL_ALLGATHER] = allgather,
	[TAPE_COLL_ALLREDUCE] = allreduce,
	[TAPE_COLL_ALLTOALL] = alltoall,
	[TAPE_COLL_REDUCE_SCATTER] = reduce_scatter,
	[TAPE_COLL_SCAN] = scan,
};

/* The algorithm of each number; 0: unknown. */
static const unsigned char ways[TAPE_COLL_LIBRARIES][TAPE_COLL_OPS][10] = {
	[TAPE_COLL_OPEN_MPI] = {
		[TAPE_COLL_BARRIER] = { 0,
			TAPE_COLL_ARRIVAL, TAPE_COLL_DOUBLE_RING,
			TAPE_COLL_DOUBLING_LAST, TAPE_COLL_BRUCK,
			TAPE_COLL_DOUBLING_LAST, TAPE_COLL_IN_ORDER },
		[TAPE_COLL_BCAST] = { 0,
			TAPE_COLL_FLAT, TAPE_COLL_CHAIN, TAPE_COLL_CHAIN, 0,
			TAPE_COLL_LEVELS, TAPE_COLL_BINOMIAL,
			TAPE_COLL_KNOMIAL },
		[TAPE_COLL_SCATTER] = { 0,
			TAPE_COLL_FLAT, TAPE_COLL_IN_ORDER,
			TAPE_COLL_ARRIVAL },
		[TAPE_COLL_GATHER] = { 0,
			TAPE_COLL_FLAT, TAPE_COLL_IN_ORDER },
		[TAPE_COLL_REDUCE] = { 0,
			TAPE_COLL_FLAT, TAPE_COLL_CHAIN, TAPE_COLL_CHAIN,
			TAPE_COLL_LEVELS, TAPE_COLL_IN_ORDER, 0,
			TAPE_COLL_FLAT },
		[TAPE_COLL_ALLGATHER] = { 0,
			0, TAPE_COLL_BRUCK, TAPE_COLL_DOUBLING,
			TAPE_COLL_RING, TAPE_COLL_NEIGHBOURS,
			TAPE_COLL_PAIRS },
		[TAPE_COLL_ALLREDUCE] = { 0,
			0, TAPE_COLL_TWO_PARTS, TAPE_COLL_DOUBLING,
			TAPE_COLL_RING, TAPE_COLL_RING,
			TAPE_COLL_RABENSEIFNER },
		[TAPE_COLL_ALLTOALL] = { 0,
			TAPE_COLL_SPREAD, TAPE_COLL_PAIRS, TAPE_COLL_BRUCK,
			TAPE_COLL_SPREAD, TAPE_COLL_PAIRS },
		[TAPE_COLL_REDUCE_SCATTER] = { 0,
			TAPE_COLL_TWO_PARTS, TAPE_COLL_HALVING,
			TAPE_COLL_RING },
		[TAPE_COLL_SCAN] = { 0, TAPE_COLL_CHAIN },
	},
	[TAPE_COLL_SMPI] = {
		[TAPE_COLL_BARRIER] = { 0,
			TAPE_COLL_SMPI_AT_ONCE, TAPE_COLL_SMPI_AT_ONCE,
			TAPE_COLL_SMPI_LAST, TAPE_COLL_SMPI_BRUCK,
			0, TAPE_COLL_SMPI_BINOMIAL },
		[TAPE_COLL_BCAST] = { 0,
			TAPE_COLL_SMPI_CHAIN_0, TAPE_COLL_SMPI_PIPELINE,
			TAPE_COLL_SMPI_PIPELINE, 0, TAPE_COLL_SMPI_BINARY_0,
			TAPE_COLL_SMPI_BINOMIAL, TAPE_COLL_SMPI_KNOMIAL,
			TAPE_COLL_SMPI_SCATTERED },
		[TAPE_COLL_SCATTER] = { 0,
			TAPE_COLL_SMPI_FLAT, TAPE_COLL_SMPI_BINOMIAL,
			TAPE_COLL_SMPI_AT_ONCE },
		[TAPE_COLL_GATHER] = { 0,
			TAPE_COLL_SMPI_FLAT, TAPE_COLL_SMPI_BINOMIAL,
			TAPE_COLL_SMPI_SYNC },
		[TAPE_COLL_REDUCE] = { 0,
			TAPE_COLL_SMPI_FLAT, TAPE_COLL_SMPI_CHAINS,
			TAPE_COLL_SMPI_CHAIN, TAPE_COLL_SMPI_LEVELS,
			TAPE_COLL_SMPI_IN_ORDER, 0, TAPE_COLL_SMPI_FLAT },
		[TAPE_COLL_ALLGATHER] = { 0,
			0, TAPE_COLL_SMPI_BRUCK, TAPE_COLL_SMPI_REST,
			TAPE_COLL_SMPI_SHIFTS, TAPE_COLL_SMPI_NEIGHBOURS,
			TAPE_COLL_SMPI_XOR },
		[TAPE_COLL_ALLREDUCE] = { 0,
			TAPE_COLL_TWO_PARTS, TAPE_COLL_TWO_PARTS,
			TAPE_COLL_SMPI_DOUBLING, TAPE_COLL_SMPI_RING_SUM,
			TAPE_COLL_SMPI_RING_SUM, TAPE_COLL_SMPI_RAB },
		[TAPE_COLL_ALLTOALL] = { 0,
			TAPE_COLL_SMPI_REVERSE, TAPE_COLL_SMPI_XOR,
			TAPE_COLL_SMPI_BRUCK, TAPE_COLL_SMPI_REVERSE,
			TAPE_COLL_SMPI_REVERSE },
		[TAPE_COLL_REDUCE_SCATTER] = { 0,
			TAPE_COLL_SMPI_TWO_FLAT, TAPE_COLL_SMPI_HALVING,
			TAPE_COLL_SMPI_RING_PARTS, TAPE_COLL_SMPI_BUTTERFLY },
		[TAPE_COLL_SCAN] = { 0, TAPE_COLL_SMPI_SCAN },
	},
};

static int choose_row(const struct choice *r, const struct tape_collective *c)
{
	while ((r->members_below && c->size >= r->members_below) ||
	       (r->bytes_below && c->bytes >= r->bytes_below))
		r++;
	return r->algorithm;
}

static enum tape_coll_way choose_by_size(const struct tape_collective *c)
{
	return (enum tape_coll_way)
	    ways[c->library][c->op][choose_row(choices[c->op], c)];
}

/* Vectors with fewer elements than there are members, or parts of a ring. */
static enum tape_coll_way replace_for_few(const struct tape_collective *c,
					  enum tape_coll_way way)
{
	uint64_t elements = c->bytes / 8, size = (uint64_t)c->size;

	if (c->op != TAPE_COLL_ALLREDUCE)
		return way;
	if (way == TAPE_COLL_RING && elements < size)
		return TAPE_COLL_DOUBLING;
	/* fewer than the greatest power of two in size */
	if (way == TAPE_COLL_RABENSEIFNER && 2 * elements <= size)
		return TAPE_COLL_FLAT;
	return way;
}

/* ---- SMPI ---- */

/* Allgatherv: each member has a size of its own. */
static const struct choice smpi_allgatherv[] = {
	{ 3, 2 * K, 3 }, { 3, 4 * K, 5 }, { 3, 8 * K, 3 }, { 3, ANY, 5 },
	{ 8, 256, 1 }, { 8, 4 * K, 4 }, { 8, 8 * K, 3 }, { 8, 16 * K, 4 },
	{ 8, 256 * K, 2 }, { 8, ANY, 4 },
	{ 16, K, 1 }, { 16, ANY, 2 },
	{ 32, 128, 1 }, { 32, 256 * K, 2 }, { 32, ANY, 3 },
	{ 64, 256, 1 }, { 64, 8 * K, 2 }, { 64, ANY, 3 },
	{ 128, 256, 1 }, { 128, 4 * K, 2 }, { 128, ANY, 3 },
	{ 256, K, 2 }, { 256, 64 * K, 4 }, { 256, ANY, 3 },
	{ 512, K, 2 }, { 512, ANY, 3 },
	{ 1024, 512, 2 }, { 1024, K, 1 }, { 1024, 4 * K, 2 }, { 1024, M, 4 },
	{ 1024, ANY, 3 },
	{ ANY, 4 * K, 2 }, { ANY, ANY, 4 },
};

static const struct choice smpi_alltoallv[] = {
	{ 4, ANY, 2 }, { 64, ANY, 1 }, { 128, ANY, 2 }, { 256, ANY, 1 },
	{ 1024, ANY, 2 }, { ANY, ANY, 1 },
};

/* Operations in which each member has a size of its own. */
static enum tape_coll_way choose_smpi_vector(const struct tape_collective *c)
{
	static const unsigned char gathers[] = { 0,
		TAPE_COLL_SMPI_GATHER_0, TAPE_COLL_SMPI_BRUCK,
		TAPE_COLL_SMPI_RING, TAPE_COLL_SMPI_NEIGHBOURS,
		TAPE_COLL_SMPI_XOR };

	if (c->op == TAPE_COLL_ALLGATHER)
		return (
		    enum tape_coll_way)gathers[choose_row(smpi_allgatherv, c)];
	if (c->op == TAPE_COLL_ALLTOALL)
		return choose_row(smpi_alltoallv, c) == 1
			   ? TAPE_COLL_SMPI_UPWARDS
			   : TAPE_COLL_SMPI_XOR;
	return TAPE_COLL_SMPI_AT_ONCE;
}

/* Non-blocking ones: all messages at once. */
static enum tape_coll_way choose_smpi_later(const struct tape_collective *c)
{
	static const unsigned char all[TAPE_COLL_OPS] = {
		[TAPE_COLL_ALLGATHER] = TAPE_COLL_SMPI_BY_PEER,
		[TAPE_COLL_ALLREDUCE] = TAPE_COLL_SMPI_BY_PEER,
		[TAPE_COLL_REDUCE_SCATTER] = TAPE_COLL_SMPI_BY_PEER,
		[TAPE_COLL_ALLTOALL] = TAPE_COLL_SMPI_REVERSE,
		[TAPE_COLL_SCAN] = TAPE_COLL_SMPI_SCAN
	};

	if (c->op == TAPE_COLL_ALLTOALL && c->vector)
		return TAPE_COLL_SMPI_UPWARDS;
	return all[c->op] ? (enum tape_coll_way)all[c->op]
			  : TAPE_COLL_SMPI_AT_ONCE;
}

/* Returns 1 if all members have parts of one size. */
static int divides_evenly(const struct tape_collective *c)
{
	return c->bytes % (uint64_t)c->size == 0;
}

static enum tape_coll_way choose_smpi(const struct tape_collective *c)
{
	enum tape_coll_way way = c->later    ? choose_smpi_later(c)
				 : c->vector ? choose_smpi_vector(c)
					     : choose_by_size(c);
	uint64_t element = c->element        ? c->element
			   : c->bytes % 8    ? 1 : 8;

	if (way == TAPE_COLL_SMPI_XOR && (c->size & (c->size - 1)))
		return TAPE_COLL_UNKNOWN; /* SimGrid aborts */
	if (way == TAPE_COLL_SMPI_TWO_FLAT && !divides_evenly(c))
		return TAPE_COLL_UNKNOWN;
	if (way == TAPE_COLL_SMPI_RING_SUM &&
	    c->bytes / element < (uint64_t)c->size)
		return TAPE_COLL_TWO_PARTS;
	/* it would never end there: Tape's replayer does it otherwise */
	if (way == TAPE_COLL_SMPI_SYNC && c->bytes >= 256 * K)
		return TAPE_COLL_SMPI_HEAVY;
	return way;
}

/* SMPI sends large vectors in pieces; Open MPI's rules give none. */
static uint64_t smpi_bcast_piece(const struct tape_collective *c)
{
	double n = c->size, b = (double)c->bytes;

	if (n < 1.6134e-6 * b + 2.1102)
		return 128 * K;
	if (n < 2.3679e-6 * b + 1.1787)
		return 64 * K;
	return n < 3.2118e-6 * b + 8.7936 ? 16 * K : 128 * K;
}

static uint64_t smpi_chain_piece(const struct tape_collective *c)
{
	double n = c->size, b = (double)c->bytes;

	if (n > 0.0410 / 1024 * b + 9.7128)
		return K;
	return n > 0.0033 / 1024 * b + 1.6761 ? 32 * K : 64 * K;
}

static uint64_t smpi_tree_piece(const struct tape_collective *c)
{
	double n = c->size, b = (double)c->bytes;

	if ((c->size < 8 && c->bytes < 20480) || c->bytes < 2048)
		return 0;
	return n > 0.6016 / 1024 * b + 1.3496 ? K : 0;
}

static uint64_t smpi_piece(const struct tape_collective *c,
			   enum tape_coll_way way)
{
	if (way == TAPE_COLL_SMPI_CHAIN_0 || way == TAPE_COLL_SMPI_BINARY_0)
		return 8 * K;
	if (way == TAPE_COLL_SMPI_PIPELINE)
		return smpi_bcast_piece(c);
	if (way == TAPE_COLL_SMPI_CHAIN)
		return smpi_chain_piece(c);
	if (way == TAPE_COLL_SMPI_CHAINS)
		return 64 * K;
	if (way == TAPE_COLL_SMPI_LEVELS)
		return 32 * K;
	return way == TAPE_COLL_SMPI_IN_ORDER ? smpi_tree_piece(c) : 0;
}

enum tape_coll_way tape_coll_choose(const struct tape_collective *c,
				    uint64_t *segment)
{
	int even = (c->size & (c->size - 1)) == 0;
	enum tape_coll_way way;

	*segment = 0;
	if (c->library == TAPE_COLL_SMPI) {
		way = choose_smpi(c);
		*segment = smpi_piece(c, way);
		return way;
	}
	way = replace_for_few(c, choose_by_size(c));
	return c->op == TAPE_COLL_ALLGATHER && way == TAPE_COLL_DOUBLING &&
			       !even ? TAPE_COLL_BRUCK : way;
}
