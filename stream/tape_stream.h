/*
 * Streams between programs of one MPI job: libtape-stream (besnard-2013,
 * section III.A, figures 7 to 9, 11, 12).
 *
 *	tape_stream_start("simulation");           // after MPI_Init
 *	tape_map *map = tape_map_create();
 *	tape_map_partition(map, tape_partition_find("display"),
 *			   TAPE_MAP_ROUND_ROBIN, 0);
 *	tape_stream *s;
 *	tape_stream_open_map(&s, map, "w", NULL);
 *	tape_stream_write(s, data, bytes, 0);      // as often as you like
 *	tape_stream_close(s);
 *	tape_stream_stop();                        // before MPI_Finalize
 *
 *	mpirun -np 6 ./simulation : -np 2 ./display
 *
 * Link with -ltape-stream (Open MPI) or -ltape-stream-mpich. Needs no tracing.
 * Ranks are ranks of the whole job, in the MPI library's MPI_COMM_WORLD.
 * Functions return 0 or another documented value, or a negative TAPE_STREAM_E
 * code. One thread at a time may call them, and that thread may call MPI.
 */
#ifndef TAPE_STREAM_H
#define TAPE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum tape_stream_error {
	TAPE_STREAM_EAGAIN = -1, /* the operation would block */
	TAPE_STREAM_EINVAL = -2, /* an argument is invalid */
	TAPE_STREAM_ENOMEM = -3,
	TAPE_STREAM_EMPI = -4,	    /* an MPI call failed */
	TAPE_STREAM_EMODE = -5,	    /* the stream's mode forbids it */
	TAPE_STREAM_EMISMATCH = -6, /* the peer's mode or block size differs */
	TAPE_STREAM_ESTATE = -7	    /* tape_stream_start was not called */
};

/* Returns the text of a code; never NULL. */
const char *tape_stream_text(int code);

/*
 * Initialises the library. Collective over all processes of the job; call it
 * between MPI_Init and MPI_Finalize. name is the partition of this process: all
 * processes that pass the same name form one partition. If name is NULL, the
 * partition is the set of processes that mpirun started with the same command
 * line in the same application context; it is named after the program. A
 * program that taperun traces with stream = mpi is already in a partition and
 * keeps that name.
 */
int tape_stream_start(const char *name);

/*
 * Ends the use of the library. Collective over all processes of the job. Close
 * all streams before.
 */
int tape_stream_stop(void);

/* Return the number of partitions, and the number of this process's own one.
 * Partitions are numbered from 0. */
int tape_partition_count(void);
int tape_partition_mine(void);

/* Returns the number of the partition of that name, or TAPE_STREAM_EINVAL. */
int tape_partition_find(const char *name);

/*
 * Return the name of a partition and its number of processes; NULL and 0 if
 * there is no partition of that number.
 */
const char *tape_partition_name(int partition);
int tape_partition_size(int partition);

/*
 * Returns the rank in the job of the process of that index in the partition, or
 * TAPE_STREAM_EINVAL.
 */
int tape_partition_rank(int partition, int index);

/*
 * A map is the list of ranks that this process is connected to. Several
 * partitions can be appended to a map one after the other (figure 10).
 */
typedef struct tape_map tape_map;

/*
 * How the processes of the larger partition (sources) are assigned to the
 * processes of the smaller partition (targets); figure 8. If both partitions
 * have the same size, the partition with the higher number has the sources.
 */
enum tape_map_policy {
	TAPE_MAP_ROUND_ROBIN, /* source i with target i mod targets */
	TAPE_MAP_FIXED,	      /* source i with target i * targets / sources:
				 neighbours share a target */
	TAPE_MAP_RANDOM	      /* any; a target may have no source */
};

/*
 * Returns the target of a source, 0 to targets - 1; with any other value the
 * source has no target.
 */
typedef int tape_map_function(int source, int sources, int targets, void *of);

tape_map *tape_map_create(void); /* NULL: out of memory */
void tape_map_clear(tape_map *map);
void tape_map_free(tape_map *map);

/*
 * Appends the processes of a partition that the policy connects this process
 * to. partition is not this process's own one. Collective over both partitions,
 * each of which names the other. seed is used by TAPE_MAP_RANDOM; the seed of
 * the first target counts.
 */
int tape_map_partition(tape_map *map, int partition,
		       enum tape_map_policy policy, uint64_t seed);

/*
 * As tape_map_partition, with a function in place of a policy. The first
 * target, the pivot (figure 7), calls the function for each source and sends
 * the result to all processes. On other processes function may be NULL.
 */
int tape_map_with(tape_map *map, int partition, tape_map_function *function,
		  void *of);

/* Appends one rank. Local. */
int tape_map_rank(tape_map *map, int rank);

/*
 * Return the number of ranks of the map, and the rank at index;
 * TAPE_STREAM_EINVAL if index is out of range.
 */
int tape_map_size(const tape_map *map);
int tape_map_get(const tape_map *map, int index);

/*
 * A stream is a persistent channel to each rank of a map, with buffers at both
 * ends (figure 9). Each write sends one block, which one reader receives whole.
 * Blocks between two processes keep their order.
 */
typedef struct tape_stream tape_stream;

/* How a write or a read chooses among several channels. */
enum tape_balance {
	TAPE_BALANCE_ROUND_ROBIN, /* each in turn */
	TAPE_BALANCE_RANDOM,
	TAPE_BALANCE_NONE /* the first one of the map that is ready */
};

struct tape_stream_options {
	size_t block; /* maximum bytes of a block; 0: 1 MiB */
	int buffers;  /* for each channel that is read, and for all writes
			 together; 0: 3 */
	enum tape_balance balance;
	int drop;      /* a write drops its block if no buffer is free */
	uint64_t seed; /* for TAPE_BALANCE_RANDOM */
};

struct tape_stream_counts {
	uint64_t blocks, bytes; /* written, or read */
	uint64_t dropped_blocks, dropped_bytes;
	uint64_t waited_ns; /* time that writes waited for a free buffer */
};

/*
 * Opens a stream over a map, or to one rank, for "r", "w" or "rw". Every
 * connected process must open the stream too, with the same block size and the
 * complementary mode. If two processes share several streams, both open them in
 * the same order. Blocks until all connected processes have opened the stream.
 * options may be NULL for the defaults. A map without ranks gives a stream
 * without channels: it cannot be written, and a read returns the end.
 */
int tape_stream_open_map(tape_stream **stream, const tape_map *map,
			 const char *mode,
			 const struct tape_stream_options *options);
int tape_stream_open(tape_stream **stream, int rank, const char *mode,
		     const struct tape_stream_options *options);

/* Flag of the functions below: return TAPE_STREAM_EAGAIN instead of waiting. */
#define TAPE_STREAM_NONBLOCK 1

/*
 * Writes one block, of 1 byte up to the stream's block size. Does not wait
 * while a buffer is free. If none is free, waits for a reader, or with the
 * option drop counts the block as dropped. Returns the number of bytes, 0 for a
 * dropped block, or a code.
 */
long tape_stream_write(tape_stream *s, const void *data, size_t bytes,
		       int flags);

/*
 * Reads one block. room must be at least the block size of the stream. Returns
 * the number of bytes, 0 when all writers have closed and all blocks are read,
 * or a code. *from, if from is not NULL, becomes the writer's rank.
 */
long tape_stream_read(tape_stream *s, void *data, size_t room, int *from,
		      int flags);

/*
 * Writing and reading without a copy. tape_stream_room returns a free buffer,
 * which tape_stream_put sends with its number of bytes. tape_stream_look gives
 * the buffer of a received block, which tape_stream_done releases. At most one
 * buffer for writing and one buffer for reading may be held at a time.
 * tape_stream_room returns 1, 0 if the block is dropped, or a code.
 */
int tape_stream_room(tape_stream *s, void **buffer, int flags);
int tape_stream_put(tape_stream *s, size_t bytes);
long tape_stream_look(tape_stream *s, const void **buffer, int *from,
		      int flags);
int tape_stream_done(tape_stream *s);

/* Stores the counts of the stream so far. */
void tape_stream_count(const tape_stream *s, struct tape_stream_counts *c);

/*
 * Closes the stream: waits until the peers have received all written blocks.
 * Data not yet read is discarded; the call returns after all writers have
 * closed.
 */
int tape_stream_close(tape_stream *s);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
