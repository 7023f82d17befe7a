/* Computations, messages and requests; see replayer.hpp. */
#include "replayer.hpp"

#include <climits>

using simgrid::s4u::Engine;
namespace this_actor = simgrid::s4u::this_actor;

Rank::Rank(const std::string &folder, int rank)
    : script(folder, rank), rank_(rank)
{
	groups_[0] = joined(world());
	ranks_ = groups_[0].size;
}

void Rank::run()
{
	static uint64_t performed;

	while (script.next()) {
		double begin = Engine::get_clock();

		perform();
		script.dated(begin, Engine::get_clock());
		if (++performed % 100000 == 0)
			fprintf(stderr, "+%llu\n",
				(unsigned long long)performed);
	}
	script.flush();
}

void Rank::perform()
{
	std::string_view what = script.word(1);

	if (what == "compute" || what == "pack")
		this_actor::execute(script.real(2));
	else if (what == "sleep")
		this_actor::sleep_for(script.real(2));
	else if (what != "init" && what != "finalize" && !message() &&
		 !collective(1, groups_[0], nullptr) && !communication() &&
		 !window())
		script.wrong("is no action");
}

bool Rank::message()
{
	std::string_view what = script.word(1);

	if (what == "send")
		send(true, false);
	else if (what == "isend")
		send(false, false);
	else if (what == "recv")
		receive(true);
	else if (what == "irecv")
		receive(false);
	else if (what == "wait")
		wait(2, 1);
	else if (what == "waits")
		wait(3, (size_t)script.number(2, 1, INT_MAX));
	else if (what == "ssend")
		send(true, true);
	else if (what == "issend")
		send(false, true);
	else if (what == "probe")
		probe();
	else
		return false;
	return true;
}

/*
 * Sizes are ints in MPI, and SMPI takes one of 2^31 bytes and more for a small
 * message, which needs no receiver: such ones go as synchronous ones, in words.
 */
struct Size {
	int count;
	MPI_Datatype type;
	bool large;
};

static Size size(const Script &s, size_t i)
{
	int64_t bytes = s.number(i, 0, (int64_t)INT_MAX * 8);

	if (i + 1 < s.words() && s.word(i + 1) != "6")
		s.wrong("has another type than 6, bytes");
	if (bytes > INT_MAX)
		return {(int)((bytes + 7) / 8), MPI_LONG_LONG, true};
	return {(int)bytes, MPI_BYTE, false};
}

void Rank::send(bool now, bool synchronous)
{
	int dst = (int)script.number(2, 0, ranks_ - 1);
	int tag = (int)script.number(3, 0, INT_MAX);
	Size n = size(script, 4);
	MPI_Comm c = world();
	MPI_Request r = MPI_REQUEST_NULL;

	synchronous = synchronous || n.large;
	if (now && synchronous)
		MPI_Ssend(nowhere(), n.count, n.type, dst, tag, c);
	else if (now)
		MPI_Send(nowhere(), n.count, n.type, dst, tag, c);
	else if (synchronous)
		MPI_Issend(nowhere(), n.count, n.type, dst, tag, c, &r);
	else
		MPI_Isend(nowhere(), n.count, n.type, dst, tag, c, &r);
	if (!now)
		keep(6, rank_, dst, tag, r);
}

void Rank::receive(bool now)
{
	int src = (int)script.number(2, 0, ranks_ - 1);
	int tag = (int)script.number(3, 0, INT_MAX);
	Size n = size(script, 4);
	MPI_Request r = MPI_REQUEST_NULL;
	auto p = probed_.find({src, rank_, tag});

	if (p != probed_.end()) { /* it is here */
		if (--p->second == 0)
			probed_.erase(p);
	} else if (now) {
		MPI_Recv(nowhere(), n.count, n.type, src, tag, world(),
			 MPI_STATUS_IGNORE);
	} else {
		MPI_Irecv(nowhere(), n.count, n.type, src, tag, world(), &r);
	}
	if (!now)
		keep(6, src, rank_, tag, r);
}

/*
 * SMPI's own asks again and again, and each question takes time. Here a probe
 * receives the message, and the next receive of it finds it there: the same
 * for a message that is sent without waiting, and for others it begins as
 * early as the probe.
 */
void Rank::probe()
{
	int src = (int)script.number(2, 0, ranks_ - 1);
	int tag = (int)script.number(3, 0, INT_MAX);
	int &there = probed_[{src, rank_, tag}];

	if (there)
		return;
	there = 1;
	MPI_Recv(nowhere(), INT_MAX, MPI_BYTE, src, tag, world(),
		 MPI_STATUS_IGNORE);
}

/* Under the number in word i, or for the waits of its message. */
void Rank::keep(size_t i, int src, int dst, int tag, MPI_Request r)
{
	if (i >= script.words())
		pending_[{src, dst, tag}].push_back(r);
	else if (!begun_.emplace(script.number(i, 1, INT64_MAX), r).second)
		script.wrong("has the number of a pending request");
}

/* The oldest request of source, destination and tag from word i on. */
MPI_Request Rank::take(size_t i)
{
	Key k = {(int32_t)script.number(i, 0, ranks_ - 1),
		 (int32_t)script.number(i + 1, 0, ranks_ - 1),
		 (int32_t)script.number(i + 2, 0, INT_MAX)};
	auto p = pending_.find(k);
	MPI_Request r;

	if (p == pending_.end())
		script.wrong("waits for no request");
	r = p->second.front();
	p->second.pop_front();
	if (p->second.empty())
		pending_.erase(p);
	return r;
}

void Rank::wait(size_t first, size_t n)
{
	if (n > (script.words() - std::min(first, script.words())) / 3)
		script.wrong("has too few words");
	if (n == 1) {
		MPI_Request r = take(first);

		MPI_Wait(&r, MPI_STATUS_IGNORE);
		return;
	}
	several_.clear();
	for (size_t i = 0; i < n; i++)
		several_.push_back(take(first + 3 * i));
	MPI_Waitall((int)n, several_.data(), MPI_STATUSES_IGNORE);
}
