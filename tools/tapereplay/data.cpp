/* Data that is not there, and what must be; see replayer.hpp. */
#include "replayer.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

namespace s4u = simgrid::s4u;

/*
 * What SMPI keeps of an actor. The library has it, its headers do not: as in
 * SimGrid 3.32.
 */
namespace simgrid::smpi
{
class ActorExt
{
      public:
	static xbt::Extension<s4u::Actor, ActorExt> EXTENSION_ID;
	MPI_Comm comm_world() const;
	void set_replaying(bool value);
	bool replaying() const;
};
} // namespace simgrid::smpi

using simgrid::smpi::ActorExt;

static ActorExt *self()
{
	return s4u::Actor::self()->extension<ActorExt>();
}

MPI_Comm world()
{
	/* all ranks have the same; only smpirun tells it to MPI_COMM_WORLD */
	static MPI_Comm c = MPI_COMM_WORLD = self()->comm_world();

	return c;
}

static size_t region_bytes;

static char *region()
{
	static char *p;

	for (size_t n = (size_t)1 << 42; !p && n >= (size_t)1 << 30; n /= 2) {
		void *m =
		    mmap(nullptr, n, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		region_bytes = n;
		p = m == MAP_FAILED ? nullptr : (char *)m;
	}
	if (!p)
		fail("not enough address space for messages");
	return p;
}

char *nowhere()
{
	/* in the middle: SMPI's offsets are negative where ints overflow */
	static char *middle = region() + region_bytes / 2;

	return middle;
}

int64_t nowhere_bytes()
{
	nowhere();
	return (int64_t)(region_bytes / 2);
}

/* ---- data that matters ---- */

Data::Data()
{
	self()->set_replaying(false);
}

Data::~Data()
{
	self()->set_replaying(true);
}

/*
 * SMPI asks the destination of a message whether to copy it, and copies where
 * that makes a communicator meanwhile what others did not keep for it: it
 * crashes. This takes the place of the library's function: who sends is asked,
 * and who receives. So it also is where SMPI itself has data copied for a while
 * (Comm::init_smp, when a collective first asks which ranks share a host).
 */
bool ActorExt::replaying() const
{
	static auto real = (bool (*)(const ActorExt *))dlsym(
	    RTLD_NEXT, "_ZNK7simgrid4smpi8ActorExt9replayingEv");

	return real(s4u::Actor::self() ? ::self() : this);
}

/*
 * One algorithm packs for real, into a buffer of all actors that may have been
 * moved since, and crashes. This takes the place of the library's, too.
 */
int MPI_Pack(const void *, int n, MPI_Datatype type, void *, int, int *at,
	     MPI_Comm)
{
	int size = 0;

	MPI_Type_size(type, &size);
	*at += n * size;
	return MPI_SUCCESS;
}
