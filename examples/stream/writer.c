/*
 * A program that is coupled at run time: it sends blocks to whatever partition
 * is named "Analyzer" (besnard-2013, figure 11).
 *
 *	mpirun -np 4 ./writer [BLOCKS] : -np 2 ./analyzer
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tape_stream.h>

enum { BLOCK = 1 << 20 };

int main(int argc, char **argv)
{
	int blocks = argc > 1 ? atoi(argv[1]) : 1024, rank, analyzer;
	unsigned char *data = malloc(BLOCK);
	tape_stream *stream;
	tape_map *map;
	long rc = 0;

	MPI_Init(&argc, &argv);
	tape_stream_start(NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);

	/* who analyses? */
	analyzer = tape_partition_find("Analyzer");
	if (analyzer < 0 || !data) {
		fprintf(stderr, "no partition is named Analyzer\n");
		tape_stream_stop();
		MPI_Finalize();
		return 1;
	}
	map = tape_map_create();
	tape_map_partition(map, analyzer, TAPE_MAP_ROUND_ROBIN, 0);
	tape_stream_open_map(&stream, map, "w", NULL);

	for (int i = 0; i < blocks && rc >= 0; i++) {
		memset(data, rank + i, BLOCK);
		rc = tape_stream_write(stream, data, BLOCK, 0);
	}
	if (rc < 0)
		fprintf(stderr, "writer: %s\n", tape_stream_text((int)rc));

	tape_stream_close(stream);
	tape_map_free(map);
	tape_stream_stop();
	MPI_Finalize();
	free(data);
	return rc < 0;
}
