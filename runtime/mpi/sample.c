/* Rounds of clock sampling; see sample.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "sample.h"

enum { TAG = 1 };

struct round {
	uint64_t s_ref, r_j, s_j, r_ref;
};

static void pause_us(uint32_t us)
{
	struct timespec t = { us / 1000000, (long)(us % 1000000) * 1000 };

	if (us)
		nanosleep(&t, NULL);
}

static int representative(const int *domains, int n, int domain)
{
	for (int r = 0; r < n; r++)
		if (domains[r] == domain)
			return r;
	return -1;
}

static void ask(MPI_Comm comm, int peer, struct round *rounds, uint32_t n)
{
	uint64_t word = 0, answer[2];

	for (uint32_t i = 0; i < n; i++) {
		struct round *k = &rounds[i];

		k->s_ref = tape_tick();
		PMPI_Send(&word, 1, MPI_UINT64_T, peer, TAG, comm);
		PMPI_Recv(answer, 2, MPI_UINT64_T, peer, TAG, comm,
			  MPI_STATUS_IGNORE);
		k->r_ref = tape_tick();
		k->r_j = answer[0];
		k->s_j = answer[1];
		pause_us(tape_process.config.period_us);
	}
}

static void reply(MPI_Comm comm, int reference, uint32_t n)
{
	uint64_t word, answer[2];

	for (uint32_t i = 0; i < n; i++) {
		PMPI_Recv(&word, 1, MPI_UINT64_T, reference, TAG, comm,
			  MPI_STATUS_IGNORE);
		answer[0] = tape_tick();
		answer[1] = tape_tick();
		PMPI_Send(answer, 2, MPI_UINT64_T, reference, TAG, comm);
	}
}

static void write_rounds(FILE *out, int after, int domain,
			 const struct round *rounds, uint32_t n)
{
	for (uint32_t i = 0; out && i < n; i++)
		fprintf(out, "sample %s %d %llu %llu %llu %llu\n",
			after ? "after" : "before", domain,
			(unsigned long long)rounds[i].s_ref,
			(unsigned long long)rounds[i].r_j,
			(unsigned long long)rounds[i].s_j,
			(unsigned long long)rounds[i].r_ref);
}

void tape_sample(MPI_Comm comm, const int *domains, int n_domains,
		 int reference, int after)
{
	uint32_t n = tape_process.config.rounds;
	struct tape_hold hold;
	struct round *rounds = NULL;
	FILE *out = NULL;
	int rank, size;

	if (n_domains < 2)
		return;
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &size);
	if (rank == reference) {
		char path[sizeof tape_process.dir + 16];

		snprintf(path, sizeof path, "%s/clocks", tape_process.dir);
		out = fopen(path, "ae");
		rounds = malloc(n * sizeof *rounds);
	}
	PMPI_Barrier(comm);
	for (int d = 1; d < n_domains; d++) {
		int peer = representative(domains, size, d);

		if (rank == reference && rounds) {
			ask(comm, peer, rounds, n);
			tape_hold(&hold);
			write_rounds(out, after, d, rounds, n);
			if (out)
				fflush(out);
			tape_release(&hold);
		} else if (rank == peer) {
			reply(comm, reference, n);
		}
	}
	PMPI_Barrier(comm);
	free(rounds);
	if (out)
		fclose(out);
}
