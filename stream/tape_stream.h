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
 * Ranks are those of the whole job, in MPI_COMM_WORLD as the library knows it.
 * Functions return 0 (or what they say), or a negative TAPE_STREAM_E code. They
 * may be called by one thread at a time, one that may call MPI.
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
	TAPE_STREAM_EAGAIN = -1, /* not without waiting */
	TAPE_STREAM_EINVAL = -2, /* an argument has no meaning */
	TAPE_STREAM_ENOMEM = -3,
	TAPE_STREAM_EMPI = -4,	    /* MPI said no */
	TAPE_STREAM_EMODE = -5,	    /* the stream is not open for that */
	TAPE_STREAM_EMISMATCH = -6, /* the other end was opened otherwise */
	TAPE_STREAM_ESTATE = -7	    /* tape_stream_start was not called */
};

/* What a code means; never NULL. */
const char *tape_stream_text(int code);

/*
 * Begins; collective over all processes of the job, between MPI_Init and
 * MPI_Finalize. name: of this process's partition, which is all processes of
 * that name; NULL: those of the same command line in the same part of mpirun's
 * line, which has the name of the program. A program that taperun traces with
 * stream = mpi is in a partition already and keeps its name.
 */
int tape_stream_start(const char *name);

/* Ends; collective over all processes of the job. All streams are closed. */
int tape_stream_stop(void);

/* Partitions are numbered from 0. How many there are, and which is ours. */
int tape_partition_count(void);
int tape_partition_mine(void);

/* Its number, or TAPE_STREAM_EINVAL. */
int tape_partition_find(const char *name);

/* Its name and how many processes it has; NULL, 0: there is none. */
const char *tape_partition_name(int partition);
int tape_partition_size(int partition);

/* The rank in the job of its process index, or TAPE_STREAM_EINVAL. */
int tape_partition_rank(int partition, int index);

/*
 * A map: the ranks that this process is connected to. It grows: one can append
 * several partitions one after the other (figure 10).
 */
typedef struct tape_map tape_map;

/*
 * Which process of the larger partition, a source, goes with which of the
 * smaller one, a target (figure 8). Of partitions of one size that with the
 * higher number has the sources.
 */
enum tape_map_policy {
	TAPE_MAP_ROUND_ROBIN, /* source i with target i mod targets */
	TAPE_MAP_FIXED,	      /* neighbours with one target: i * targets /
				 sources */
	TAPE_MAP_RANDOM	      /* any; a target may remain alone */
};

/* The target of a source: 0 to targets - 1; else it goes with none. */
typedef int tape_map_function(int source, int sources, int targets, void *of);

tape_map *tape_map_create(void); /* NULL: out of memory */
void tape_map_clear(tape_map *map);
void tape_map_free(tape_map *map);

/*
 * Appends the processes of that partition, another one than ours, which this
 * process is to be connected to. Collective over both partitions, each of which
 * names the other; seed is for TAPE_MAP_RANDOM, that of the first target.
 */
int tape_map_partition(tape_map *map, int partition,
		       enum tape_map_policy policy, uint64_t seed);

/*
 * The same; the first target, the pivot (figure 7), calls the function for each
 * source and tells all. Elsewhere it may be NULL.
 */
int tape_map_with(tape_map *map, int partition, tape_map_function *function,
		  void *of);

/* Appends one rank. Local. */
int tape_map_rank(tape_map *map, int rank);

/* How many ranks it has, and which; TAPE_STREAM_EINVAL: no such index. */
int tape_map_size(const tape_map *map);
int tape_map_get(const tape_map *map, int index);

/*
 * A stream: a persistent channel to each rank of a map, with buffers at both
 * ends (figure 9). What is written is a block, which one reader gets in one
 * piece. Blocks between two processes keep their order.
 */
typedef struct tape_stream tape_stream;

/* Which of several channels is written to, or read from. */
enum tape_balance {
	TAPE_BALANCE_ROUND_ROBIN, /* each in turn */
	TAPE_BALANCE_RANDOM,
	TAPE_BALANCE_NONE /* the first in the map, as long as it can */
};

struct tape_stream_options {
	size_t block; /* bytes of a block at most; 0: 1 MiB */
	int buffers;  /* of each channel to read, of all to write; 0: 3 */
	enum tape_balance balance;
	int drop;      /* a write that finds no buffer free drops its block */
	uint64_t seed; /* for TAPE_BALANCE_RANDOM */
};

struct tape_stream_counts {
	uint64_t blocks, bytes; /* written, or read */
	uint64_t dropped_blocks, dropped_bytes;
	uint64_t waited_ns; /* in writes, until a buffer was free */
};

/*
 * Opens a stream over a map, or to one rank, for "r", "w" or "rw". Who is
 * connected opens it too, with blocks of the same size and to read what the
 * other writes; several streams between two processes in the same order. Waits
 * for them. options: NULL for the defaults. A map without ranks gives a stream
 * without channels: nothing can be written, and reading it is at its end.
 */
int tape_stream_open_map(tape_stream **stream, const tape_map *map,
			 const char *mode,
			 const struct tape_stream_options *options);
int tape_stream_open(tape_stream **stream, int rank, const char *mode,
		     const struct tape_stream_options *options);

/* A flag of what follows: TAPE_STREAM_EAGAIN instead of waiting. */
#define TAPE_STREAM_NONBLOCK 1

/*
 * Writes a block of 1 byte to that of the stream's blocks. Does not wait while
 * a buffer is free: then it waits for a reader, or, with the option drop,
 * counts the block as dropped. Returns the bytes, 0 for a dropped block, or a
 * code.
 */
long tape_stream_write(tape_stream *s, const void *data, size_t bytes,
		       int flags);

/*
 * Reads a block; room must be that of the stream's blocks. Returns its bytes,
 * 0 when all writers have closed and all is read, or a code. from, if not NULL,
 * becomes the writer's rank.
 */
long tape_stream_read(tape_stream *s, void *data, size_t room, int *from,
		      int flags);

/*
 * The same without a copy: a free buffer to fill, then tape_stream_put with how
 * much is in it; the buffer that came, then tape_stream_done. Of each kind one
 * at a time. tape_stream_room gives 1, 0 where the block is dropped, or a code.
 */
int tape_stream_room(tape_stream *s, void **buffer, int flags);
int tape_stream_put(tape_stream *s, size_t bytes);
long tape_stream_look(tape_stream *s, const void **buffer, int *from,
		      int flags);
int tape_stream_done(tape_stream *s);

/* What went through so far. */
void tape_stream_count(const tape_stream *s, struct tape_stream_counts *c);

/*
 * Closes it: waits until the other ends have taken what was written. What was
 * not read yet is read and forgotten, until the writers close.
 */
int tape_stream_close(tape_stream *s);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
