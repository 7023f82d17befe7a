/*
 * Calls from C++: templates, methods, lambdas, functions without a name for
 * others, each saying what it is called.
 */
#include "sites.h"

namespace halo {

template <class T> __attribute__((noinline)) int exchange(T)
{
	int size;

	return HERE(sizeof(T) == 1 ? "halo::exchange<char>"
				   : "halo::exchange<double>",
		    MPI_Type_size, (MPI_INT, &size));
}

/* in every program that includes it, often inlined */
inline void meet(MPI_Comm comm)
{
	HERE("halo::meet", MPI_Barrier, (comm));
}

class Domain {
public:
	Domain()
	{
		HERE("halo::Domain::Domain", MPI_Comm_rank, (MPI_COMM_WORLD, &rank));
	}
	void operator()(int, double)
	{
		HERE("halo::Domain::operator()", MPI_Comm_size, (MPI_COMM_WORLD, &size));
	}
	int operator<<(int) const;
	int rank, size;
};

int Domain::operator<<(int) const
{
	int n;

	return HERE("halo::Domain::operator<<", MPI_Type_size, (MPI_INT, &n));
}

} // namespace halo

namespace {

__attribute__((noinline)) void hidden()
{
	int n;

	HERE("hidden", MPI_Type_size, (MPI_CHAR, &n));
}

} // namespace

int main(int argc, char **argv)
{
	int flag = argc > 100;

	HERE("main", MPI_Init, (&argc, &argv));
	halo::exchange('a');
	halo::exchange(1.0);
	halo::meet(MPI_COMM_SELF);
	halo::Domain domain;
	domain(1, 2);
	domain << 3;
	hidden();
	auto lambda = [&flag](int n) __attribute__((noinline)) {
		return HERE("main::{lambda}", MPI_Initialized, (&flag)) + n;
	};
	flag = lambda(argc);
	HERE("main", MPI_Finalize, ());
	return 0;
}
