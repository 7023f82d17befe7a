/*
 * Gets blocks from all other programs of the job (besnard-2013, figure 12).
 *Each process says how many it got and how many bytes, with their sum.
 *
 *	mpirun -np 4 ./writer : -np 3 ./writer 10 : -np 2 ./analyzer
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <tape_stream.h>

enum { BLOCK = 1 << 20 };

int main(int argc, char **argv)
{
	unsigned long long sums[3] = {0};
	unsigned char *data = malloc(BLOCK);
	tape_stream *stream;
	tape_map *map;
	long n;
	int me;

	MPI_Init(&argc, &argv);
	tape_stream_start("Analyzer");
	me = tape_partition_mine();

	/* everybody but us */
	map = tape_map_create();
	for (int p = 0; p < tape_partition_count(); p++)
		if (p != me)
			tape_map_partition(map, p, TAPE_MAP_ROUND_ROBIN, 0);
	tape_stream_open_map(&stream, map, "r", NULL);

	while ((n = tape_stream_read(stream, data, BLOCK, NULL,
				     TAPE_STREAM_NONBLOCK)) != 0) {
		if (n == TAPE_STREAM_EAGAIN)
			continue; /* time for something else */
		if (n < 0)
			break;
		sums[0]++;
		sums[1] += (unsigned long long)n;
		for (long i = 0; i < n; i++)
			sums[2] += data[i];
	}
	if (n < 0)
		fprintf(stderr, "analyzer: %s\n", tape_stream_text((int)n));

	printf("%llu blocks, %llu bytes, sum %llu\n", sums[0], sums[1],
	       sums[2]);
	tape_stream_close(stream);
	tape_map_free(map);
	tape_stream_stop();
	MPI_Finalize();
	free(data);
	return n != 0;
}
