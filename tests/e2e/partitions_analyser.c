/*
 * An analyser that does nothing but say which programs are in its job, and
 * wait for their end.
 */
#include <err.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "partitions.h"

int main(int argc, char **argv)
{
	const struct tape_partition_wish w = {.name = "analyser",
					      .analyser = 1};
	char error[TAPE_PARTITION_ERROR];
	const struct tape_partitions *all;

	MPI_Init(&argc, &argv);
	if (tape_partitions_open(&w, error, sizeof error))
		errx(1, "%s", error);
	all = tape_partitions();
	for (int i = 0; !all->my_rank && argc > 1 && i < all->n; i++) {
		const struct tape_partition *p = &all->list[i];

		printf("%s%s:", p->analyser ? "*" : "", p->name);
		for (int k = 0; k < p->size; k++)
			printf(" %d", p->ranks[k]);
		printf(" %s\n", p->command);
		if (tape_partitions_find(p->name) != p)
			errx(1, "%s is not found", p->name);
	}
	if (tape_partitions_find("nobody"))
		errx(1, "nobody is found");
	tape_partitions_close();
	MPI_Finalize();
	return 0;
}
