/* Programs with a known fault in C++; see answers.h. */
#include <mpi.h>
#include <cstdio>
#include <string>
#include <vector>

namespace
{
const int steps = 20;
int me, n;

struct Pause {
	explicit Pause(double ms) { SMPI_SAMPLE_DELAY(ms * 1e-3); }
};

void print_truth(const char *mark, int rank, double seconds)
{
	if (!me)
		std::printf("truth %s %d %.6f\n", mark, rank, seconds);
}

template <class Number> Number add_all(Number mine)
{
	Number sum;

	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, /* CXX_SUM */
		      MPI_COMM_WORLD);
	return sum;
}

void slow_rank()
{
	for (int i = 0; i < steps; i++) {
		Pause pause(me == 1 ? 14 : 10);
		add_all(1.0);
	}
	print_truth("CXX_SUM", 1, steps * 4e-3 * (n - 1));
}

void late_sender()
{
	std::vector<double> v(10);

	for (int i = 0; i < steps; i++) {
		if (me == 0)
			MPI_Recv(v.data(), 10, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		if (me == 1) {
			Pause pause(10);
			MPI_Send(v.data(), 10, MPI_DOUBLE, 0, 1, /* CXX_SEND */
				 MPI_COMM_WORLD);
		}
	}
	print_truth("CXX_SEND", 1, steps * 10e-3);
}

void late_root()
{
	std::vector<int> v(100);

	for (int i = 0; i < steps; i++) {
		Pause pause(me == 2 ? 8 : 4);
		MPI_Bcast(v.data(), 100, MPI_INT, 2, /* CXX_ROOT */
			  MPI_COMM_WORLD);
	}
	print_truth("CXX_ROOT", 2, steps * 4e-3 * (n - 1));
}

/* A delay of rank 0 goes through all others. */
void chain()
{
	int token = 0;

	for (int i = 0; i < steps; i++) {
		Pause pause(me ? 2 : 10);
		if (me)
			MPI_Recv(&token, 1, MPI_INT, me - 1, 1, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		if (me + 1 < n)
			MPI_Send(&token, 1, MPI_INT, me + 1, 1, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD); /* CXX_CHAIN */
	}
	print_truth("CXX_CHAIN", 0, steps * 8e-3 * (n - 1));
}

void hidden_in_waitall()
{
	std::vector<char> in(1000), out(1000);
	MPI_Request r[2];

	for (int i = 0; i < steps; i++) {
		Pause pause(me == n - 1 ? 15 : 10);
		MPI_Irecv(in.data(), 1000, MPI_CHAR, (me + 1) % n, 1,
			  MPI_COMM_WORLD, &r[0]);
		MPI_Isend(out.data(), 1000, MPI_CHAR, (me + n - 1) % n, 1,
			  MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD); /* CXX_HIDDEN */
	}
	print_truth("CXX_HIDDEN", n - 1, steps * 5e-3 * (n - 1));
}

void balanced()
{
	for (int i = 0; i < steps; i++) {
		Pause pause(10);
		add_all(1.0);
	}
}
} // namespace

int main(int argc, char **argv)
{
	std::string what = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	if (what == "slow_rank")
		slow_rank();
	else if (what == "late_sender")
		late_sender();
	else if (what == "late_root")
		late_root();
	else if (what == "chain")
		chain();
	else if (what == "hidden_in_waitall")
		hidden_in_waitall();
	else
		balanced();
	MPI_Finalize();
	return 0;
}
