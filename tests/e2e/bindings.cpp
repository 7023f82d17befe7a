/* The C++ interface of MPI-2, which calls the C one. */
#include <mpi.h>
#include <cstdio>

int main(int argc, char **argv)
{
	MPI::Init(argc, argv);
	MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
	int rank = MPI::COMM_WORLD.Get_rank();
	int size = MPI::COMM_WORLD.Get_size();
	MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, rank);
	int got = -1, sum = 0;

	MPI::COMM_WORLD.Sendrecv(&rank, 1, MPI::INT, (rank + 1) % size, 1,
				 &got, 1, MPI::INT, (rank + size - 1) % size,
				 1);
	half.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
	MPI::Request all[2] = {
		MPI::COMM_WORLD.Irecv(&got, 1, MPI::INT, MPI::ANY_SOURCE, 2),
		MPI::COMM_WORLD.Isend(&rank, 1, MPI::INT, rank ^ 1, 2)
	};
	MPI::Status statuses[2];

	MPI::Request::Waitall(2, all, statuses);
	std::printf("rank %d of %d: %d from %d, sum %d\n", rank, size, got,
		    statuses[0].Get_source(), sum);
	try {
		MPI::COMM_WORLD.Send(&rank, 1, MPI::INT, size, 1);
	} catch (MPI::Exception &e) {
		std::printf("class %d\n", e.Get_error_class());
	}
	half.Free();
	MPI::Finalize();
	return 0;
}
