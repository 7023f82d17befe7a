/* Sums and differences of addresses: 4 and 2 calls in each process. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	MPI_Aint a = 1000, b;
	char text[16];

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 3; i++)
		a = MPI_Aint_add(a, i - 7);
	MPI_Get_address(text, &b);
	printf("%ld %ld %ld\n", (long)a,
	       (long)MPI_Aint_diff(MPI_Aint_add(b, 5), b),
	       (long)MPI_Aint_diff(0, 5));
	MPI_Finalize();
	return 0;
}
