/*
 * The numbers of descriptors: prints which one the program gets before MPI_Init
 * and after it, on its rank 0; and whether the kernel's table of them grew in
 * MPI_Init, which takes milliseconds once the process has threads.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int table(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	int n = -1;

	while (f && fgets(line, sizeof line, f))
		sscanf(line, "FDSize: %d", &n);
	if (f)
		fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	int before, after, me, size = table();

	before = open("/dev/null", O_RDONLY);
	close(before);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	after = open("/dev/null", O_RDONLY);
	close(after);
	if (!me) {
		printf("%d %d\n", before, after);
		fprintf(stderr, "table %d %d\n", size, table());
	}
	MPI_Finalize();
	return 0;
}
