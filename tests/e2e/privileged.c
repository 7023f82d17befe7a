/*
 * Says how many processes there are and whose rights the first one has. With a
 * file's name, all end without MPI_Finalize once the first has made that file.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void end_without_finalize(const char *file, int rank)
{
	if (!rank)
		close(open(file, O_WRONLY | O_CREAT, 0666));
	while (access(file, F_OK))
		usleep(10000);
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	int rank, size, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%d processes, user %d, group %d\n", size,
		       (int)geteuid(), (int)getegid());
	if (argc > 1)
		end_without_finalize(argv[1], rank);
	return MPI_Finalize();
}
