/*
 * Writers and readers in one job: how fast blocks go from one to the other by
 * MPI_Send, by a stream, and by a stream without copies (bench/streams).
 *
 *	mpirun -np W+R ends R BLOCKS BYTES TURNS
 *
 * The first R ranks read. Each turn does all three, one after the other, and
 * prints their seconds, of the same blocks: BLOCKS of each writer.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tape_stream.h"

struct job {
	int rank, size, readers;
	long blocks;
	size_t bytes;
	unsigned char *data;
	tape_map *map;
};

static void fail(const char *what)
{
	fprintf(stderr, "ends: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A writer's reader, as TAPE_MAP_ROUND_ROBIN has it. */
static int reader_of(const struct job *j, int writer)
{
	return (writer - j->readers) % j->readers;
}

static void by_mpi(struct job *j)
{
	long n = 0;

	if (j->rank >= j->readers) {
		for (long i = 0; i < j->blocks; i++)
			MPI_Send(j->data, (int)j->bytes, MPI_BYTE,
				 reader_of(j, j->rank), 0, MPI_COMM_WORLD);
		return;
	}
	for (int w = j->readers; w < j->size; w++)
		n += reader_of(j, w) == j->rank ? j->blocks : 0;
	for (long i = 0; i < n; i++)
		MPI_Recv(j->data, (int)j->bytes, MPI_BYTE, MPI_ANY_SOURCE, 0,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void write_all(struct job *j, tape_stream *s, int copies)
{
	void *buffer;

	for (long i = 0; i < j->blocks; i++) {
		if (copies) {
			if (tape_stream_write(s, j->data, j->bytes, 0) < 0)
				fail("a block was not written");
		} else if (tape_stream_room(s, &buffer, 0) != 1 ||
			   tape_stream_put(s, j->bytes)) {
			fail("a block was not sent");
		}
	}
}

static void read_all(struct job *j, tape_stream *s, int copies)
{
	const void *buffer;
	long n;

	for (;;) {
		n = copies ? tape_stream_read(s, j->data, j->bytes, NULL, 0)
			   : tape_stream_look(s, &buffer, NULL, 0);
		if (n < 0)
			fail("a block was not read");
		if (!n)
			return;
		if (!copies && tape_stream_done(s))
			fail("a block was not given back");
	}
}

/* A stream that stays open over all turns would not end its reads. */
static double by_stream(struct job *j, int copies)
{
	struct tape_stream_options o = {.block = j->bytes};
	int writes = j->rank >= j->readers;
	tape_stream *s;
	double start;

	if (tape_stream_open_map(&s, j->map, writes ? "w" : "r", &o))
		fail("no stream");
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	if (writes)
		write_all(j, s, copies);
	else
		read_all(j, s, copies);
	if (tape_stream_close(s))
		fail("a stream did not end well");
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Wtime() - start;
}

static void turn(struct job *j)
{
	double start, bare, copied, direct;

	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	by_mpi(j);
	MPI_Barrier(MPI_COMM_WORLD);
	bare = MPI_Wtime() - start;
	copied = by_stream(j, 1);
	direct = by_stream(j, 0);
	if (!j->rank)
		printf("%.6f %.6f %.6f\n", bare, copied, direct);
}

int main(int argc, char **argv)
{
	struct job j = {0};
	int other;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &j.size);
	if (argc != 5)
		fail("ends READERS BLOCKS BYTES TURNS");
	j.readers = atoi(argv[1]);
	j.blocks = atol(argv[2]);
	j.bytes = (size_t)atol(argv[3]);
	if (j.readers < 1 || j.readers >= j.size || j.blocks < 1 || !j.bytes)
		fail("a number has no meaning");
	j.data = malloc(j.bytes);
	if (!j.data)
		fail("out of memory");
	memset(j.data, 1, j.bytes);

	if (tape_stream_start(j.rank < j.readers ? "readers" : "writers"))
		fail("no partitions");
	other = tape_partition_find(j.rank < j.readers ? "writers" : "readers");
	j.map = tape_map_create();
	if (!j.map ||
	    tape_map_partition(j.map, other, TAPE_MAP_ROUND_ROBIN, 0))
		fail("no map");
	for (int i = 0; i < atoi(argv[4]); i++)
		turn(&j);
	tape_map_free(j.map);
	tape_stream_stop();
	free(j.data);
	MPI_Finalize();
	return 0;
}
