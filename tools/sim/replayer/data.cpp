/* Data that is not there, and what must be; see replayer.hpp. */
#include "replayer.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

namespace s4u = simgrid::s4u;

/*
 * What SMPI keeps of an actor, and a communicator. The library has them, its
 * headers do not: as in SimGrid 3.32.
 */
namespace simgrid::smpi
{
class ActorExt
{
      public:
	static xbt::Extension<s4u::Actor, ActorExt> EXTENSION_ID;
	MPI_Comm comm_world() const;
	void set_replaying(bool value);
};
class Comm
{
      public:
	void init_smp();
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
		fail("there is no address space for messages");
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

s4u::BarrierPtr meeting(int64_t number, int64_t parent, int first, int size)
{
	struct Meeting {
		s4u::BarrierPtr barrier;
		int asked;
	};
	static std::map<std::tuple<int64_t, int64_t, int>, Meeting> all;
	auto key = std::make_tuple(number, parent, first);
	Meeting &m = all[key];
	s4u::BarrierPtr b;

	if (!m.asked++)
		m.barrier = s4u::Barrier::create((unsigned)size);
	b = m.barrier;
	if (m.asked == size)
		all.erase(key);
	return b;
}

static std::unordered_map<MPI_Comm, s4u::BarrierPtr> meetings;

s4u::BarrierPtr meeting_of(MPI_Comm c)
{
	auto m = meetings.find(c);

	return m == meetings.end() ? nullptr : m->second;
}

void meet_at(MPI_Comm c, s4u::BarrierPtr b)
{
	if (b)
		meetings[c] = b;
	else
		meetings.erase(c);
}

Data::Data(s4u::BarrierPtr meeting)
{
	self()->set_replaying(false);
	if (meeting)
		meeting->wait();
}

Data::~Data()
{
	self()->set_replaying(true);
}

/*
 * Some algorithms of collectives find out, when a communicator first uses one,
 * which ranks are on one host, by messages whose data matters. For an actor
 * that replays SMPI has the data copied in there, but not before all members
 * are in there, and crashes. This takes the place of the library's function.
 */
void simgrid::smpi::Comm::init_smp()
{
	static auto real = (void (*)(Comm *))dlsym(
	    RTLD_NEXT, "_ZN7simgrid4smpi4Comm8init_smpEv");
	Data data(meeting_of(this));

	real(this);
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
