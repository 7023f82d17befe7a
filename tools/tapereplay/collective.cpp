/* Communicators and collectives on them; see replayer.hpp. */
#include "replayer.hpp"

#include <climits>

#include <xbt/config.hpp>

const Group &Rank::group(size_t i) const
{
	auto g = groups_.find(script.number(i, 0, INT64_MAX));

	if (g == groups_.end())
		script.wrong("names a communicator that this rank is not in");
	return g->second;
}

Group Rank::joined(MPI_Comm c)
{
	Group g = {c, 0, 0};

	MPI_Comm_size(c, &g.size);
	MPI_Comm_rank(c, &g.rank);
	return g;
}

/* Word i: bytes, an int in MPI. */
static int count(const Script &s, size_t i)
{
	return (int)s.number(i, 0, INT_MAX);
}

/*
 * What a reduction is of, by SimGrid's number in word i: bytes (6, or nothing)
 * or doubles (0). How many there are, not only how many bytes, decides between
 * algorithms. The operation takes no time, whichever it is.
 */
struct Elements {
	MPI_Datatype type;
	MPI_Op op;
};

static Elements elements(const Script &s, size_t i)
{
	if (i < s.words() && s.word(i) == "0")
		return {MPI_DOUBLE, MPI_SUM};
	if (i < s.words() && s.word(i) != "6")
		s.wrong("has a type that is not 0 or 6");
	return {MPI_BYTE, MPI_BOR};
}

/* The blocking one, or the one with request r. */
#define EITHER(blocking, starts, ...)                                          \
	(r ? MPI_##starts(__VA_ARGS__, r) : MPI_##blocking(__VA_ARGS__))

bool Rank::reduction(size_t i, const Group &g, MPI_Request *r)
{
	std::string_view what = script.word(i);
	auto n = [&] { return count(script, i + 1); };
	char *at = nowhere(), *to = at + 1;
	MPI_Comm c = g.comm;

	if (what == "reduce") {
		Elements e = elements(script, i + 4);
		int root = (int)script.number(i + 3, 0, g.size - 1);

		EITHER(Reduce, Ireduce, at, to, n(), e.type, e.op, root, c);
	} else if (what == "allreduce") {
		Elements e = elements(script, i + 3);

		EITHER(Allreduce, Iallreduce, at, to, n(), e.type, e.op, c);
	} else if (what == "scan") {
		Elements e = elements(script, i + 3);

		EITHER(Scan, Iscan, at, to, n(), e.type, e.op, c);
	} else if (what == "exscan") {
		Elements e = elements(script, i + 3);

		EITHER(Exscan, Iexscan, at, to, n(), e.type, e.op, c);
	} else {
		return false;
	}
	return true;
}

/*
 * The gathering of SimGrid 3.32's selector ompi for fewer than 8 ranks
 * (linear_sync) never ends with blocks of that many bytes, whoever asks for it.
 */
static bool never_gathers(const Group &g, int n)
{
	const char *selector = "smpi/coll-selector";

	return n >= 262144 && g.size < 8 &&
	       simgrid::config::get_value<std::string>(selector) == "ompi";
}

/* Without its handshake: the root is ready for all of them at once. */
void Rank::gather(const Group &g, int n, int root)
{
	const int tag = INT_MAX / 2; /* nobody else's */

	if (g.rank != root) {
		MPI_Send(nowhere(), n, MPI_BYTE, root, tag, g.comm);
		return;
	}
	several_.assign((size_t)g.size, MPI_REQUEST_NULL);
	for (int i = 0; i < g.size; i++)
		if (i != root)
			MPI_Irecv(nowhere(), n, MPI_BYTE, i, tag, g.comm,
				  &several_[(size_t)i]);
	MPI_Waitall(g.size, several_.data(), MPI_STATUSES_IGNORE);
}

/*
 * A collective from word i on; false: it is none. Where two sizes must agree
 * the first is taken.
 */
bool Rank::collective(size_t i, const Group &g, MPI_Request *r)
{
	std::string_view what = script.word(i);
	auto root = [&](size_t w) {
		return (int)script.number(i + w, 0, g.size - 1);
	};
	auto n = [&] { return count(script, i + 1); };
	/* only the root has both */
	auto most = [&] { return std::max(n(), count(script, i + 2)); };
	char *at = nowhere(), *to = at + 1; /* two buffers */
	MPI_Datatype t = MPI_BYTE;
	MPI_Comm c = g.comm;

	if (what == "barrier")
		EITHER(Barrier, Ibarrier, c);
	else if (what == "bcast")
		EITHER(Bcast, Ibcast, at, n(), t, root(2), c);
	else if (reduction(i, g, r))
		return true;
	else if (what == "gather" && !r && never_gathers(g, most()))
		gather(g, most(), root(3));
	else if (what == "gather")
		EITHER(Gather, Igather, at, most(), t, to, most(), t, root(3),
		       c);
	else if (what == "scatter")
		EITHER(Scatter, Iscatter, at, most(), t, to, most(), t, root(3),
		       c);
	else if (what == "allgather")
		EITHER(Allgather, Iallgather, at, n(), t, to, n(), t, c);
	else if (what == "alltoall")
		EITHER(Alltoall, Ialltoall, at, n(), t, to, n(), t, c);
	else
		return vector(i, g, r);
	return true;
}

/* bytes in parts that differ by 1 at most, the larger ones first. */
static void divide(std::vector<int> &counts, int n, int bytes)
{
	counts.resize((size_t)n);
	for (int k = 0; k < n; k++)
		counts[(size_t)k] = bytes / n + (k < bytes % n);
}

/*
 * Those of sizes that differ, of which only sums are known. What a rank sends
 * is divided evenly; what it receives of others may be more than that, so that
 * any size will do: SMPI takes the sender's. It insists on what a rank sends to
 * itself.
 */
bool Rank::vector(size_t i, const Group &g, MPI_Request *r)
{
	std::string_view what = script.word(i);
	char *at = nowhere(), *to = at + 1;
	MPI_Datatype t = MPI_BYTE;
	MPI_Comm c = g.comm;
	auto n = [&] { return count(script, i + 1); };
	auto root = [&] { return (int)script.number(i + 3, 0, g.size - 1); };

	if (what != "reduce_scatter" && what != "gatherv" &&
	    what != "scatterv" && what != "allgatherv" && what != "alltoallv")
		return false;
	begins_.assign((size_t)g.size, 0);
	others_.assign((size_t)g.size, INT_MAX);
	if (what == "reduce_scatter") {
		bool doubles = n() % (8 * g.size) == 0;

		divide(counts_, g.size, doubles ? n() / 8 : n());
		EITHER(Reduce_scatter, Ireduce_scatter, at, to, counts_.data(),
		       doubles ? MPI_DOUBLE : MPI_BYTE,
		       doubles ? MPI_SUM : MPI_BOR, c);
	} else if (what == "gatherv") {
		others_[(size_t)g.rank] = n();
		EITHER(Gatherv, Igatherv, at, n(), t, to, others_.data(),
		       begins_.data(), t, root(), c);
	} else if (what == "scatterv") {
		divide(counts_, g.size, g.rank == root() ? n() : 0);
		EITHER(Scatterv, Iscatterv, at, counts_.data(), begins_.data(),
		       t, to,
		       g.rank == root() ? counts_[(size_t)g.rank] : INT_MAX, t,
		       root(), c);
	} else if (what == "allgatherv") {
		/* all must divide alike: the sum of all, not what each sends */
		divide(counts_, g.size, count(script, i + 2));
		/* where a part begins tells how much all of them are */
		for (size_t k = 1; k < counts_.size(); k++)
			begins_[k] = begins_[k - 1] + counts_[k - 1];
		EITHER(Allgatherv, Iallgatherv, at, counts_[(size_t)g.rank], t,
		       to, counts_.data(), begins_.data(), t, c);
	} else {
		divide(counts_, g.size, n());
		others_[(size_t)g.rank] = counts_[(size_t)g.rank];
		EITHER(Alltoallv, Ialltoallv, at, counts_.data(), begins_.data(),
		       t, to, others_.data(), begins_.data(), t, c);
	}
	return true;
}

bool Rank::communication()
{
	std::string_view what = script.word(1);

	if (what == "on")
		on();
	else if (what == "begin")
		begin();
	else if (what == "end")
		end();
	else if (what == "comm")
		communicator();
	else if (what == "comm_free") {
		const Group &g = group(2);

		if (g.comm == world())
			script.wrong("frees the world");
		MPI_Comm c = g.comm;
		MPI_Comm_free(&c);
		groups_.erase(script.number(2, 0, INT64_MAX));
	} else
		return false;
	return true;
}

void Rank::on()
{
	const Group &g = group(2);

	if (script.words() < 4 || !collective(3, g, nullptr))
		script.wrong("has no collective");
}

void Rank::begin()
{
	int64_t number = script.number(2, 1, INT64_MAX);
	const Group &g = group(3);
	MPI_Request r = MPI_REQUEST_NULL;

	if (script.words() < 5 || !collective(4, g, &r))
		script.wrong("has no collective");
	if (!begun_.emplace(number, r).second)
		script.wrong("has the number of a pending request");
}

void Rank::end()
{
	several_.clear();
	for (size_t i = 2; i < script.words(); i++) {
		auto r = begun_.find(script.number(i, 1, INT64_MAX));

		if (r == begun_.end())
			script.wrong("waits for no request");
		several_.push_back(r->second);
		begun_.erase(r);
	}
	MPI_Waitall((int)several_.size(), several_.data(), MPI_STATUSES_IGNORE);
}

/*
 * Those of MPI_Comm_split are made from another one; those that name their
 * members, by these alone.
 */
void Rank::communicator()
{
	int color = (int)script.number(4, -1, INT_MAX);
	int64_t number = script.number(2, color < 0 ? 0 : 1, INT64_MAX);
	int64_t parent = script.number(3, 0, INT64_MAX);
	int key = (int)script.number(5, INT_MIN, INT_MAX);
	MPI_Comm c = MPI_COMM_NULL;

	if (color >= 0 && groups_.count(number))
		script.wrong("has the number of a communicator there is");
	if (color >= 0 && parent == number) {
		c = by_members();
	} else {
		const Group &g = group(3);
		Data data;

		MPI_Comm_split(g.comm, color < 0 ? MPI_UNDEFINED : color, key,
			       &c);
	}
	if (c != MPI_COMM_NULL)
		groups_[number] = joined(c);
}

MPI_Comm Rank::by_members()
{
	std::vector<int> ranks;
	MPI_Group all, some;
	MPI_Comm c = MPI_COMM_NULL;
	bool here = false;

	for (size_t i = 6; i < script.words(); i++) {
		ranks.push_back((int)script.number(i, 0, ranks_ - 1));
		here = here || ranks.back() == rank_;
	}
	if (!here)
		script.wrong("does not name this rank");
	MPI_Comm_group(world(), &all);
	MPI_Group_incl(all, (int)ranks.size(), ranks.data(), &some);
	{
		Data data;

		MPI_Comm_create(world(), some, &c);
	}
	MPI_Group_free(&some);
	MPI_Group_free(&all);
	return c;
}
