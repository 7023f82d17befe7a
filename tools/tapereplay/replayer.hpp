/*
 * tape-replay: performs actions (doc/actions.md) on SimGrid's SMPI, one actor
 * per rank, and writes when each of them began and ended. tapesim runs it
 * (lib/predict/simgrid.c).
 *
 *	tape-replay --hosts PLATFORM
 *	tape-replay [--cfg=KEY:VALUE ...] PLATFORM FOLDER [LATENCY BANDWIDTH]
 *
 * The first prints the hosts, one a line, as the platform declares them. FOLDER
 * has a file "hosts", the host of each rank, one a line; and rank.0, rank.1,
 *..., the actions. dates.0, dates.1, ... get two little-endian int64 for each
 *line that is an action: ns from the start of the simulation. LATENCY and
 *BANDWIDTH are factors of all links between hosts. Every 100,000 actions a line
 *"+N" on stderr says how many there were.
 *
 * It is a program of its own, not one for smpirun: hosts are given rank by
 * rank, and no name passes through a shell.
 *
 * One thing more than in doc/actions.md: isend and the like may have the number
 * of a request as a last word, and "end" waits for that, too.
 *
 * No data is there. All ranks send from and receive into one region of memory
 * that is never touched, since SMPI copies nothing for an actor that replays
 * (smpi_replay_init); but see Data.
 */
#ifndef REPLAYER_HPP
#define REPLAYER_HPP

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

/* Ends the simulation with a sentence. */
[[noreturn]] void fail(const std::string &why);

/*
 * The file of a rank, line by line, and the file of its dates. Neither is open
 * between calls: there may be more ranks than a process may have files.
 */
class Script
{
      public:
	Script(const std::string &folder, int rank);
	/* The words of the next action; false at the end. */
	bool next();
	size_t words() const
	{
		return words_.size();
	}
	std::string_view word(size_t i) const
	{
		return words_[i];
	}
	/* Word i as a number in a range; fails where it is none. */
	int64_t number(size_t i, int64_t least, int64_t most) const;
	double real(size_t i) const;
	[[noreturn]] void wrong(const std::string &what) const;
	void dated(double begin_s, double end_s);
	void flush();
	/* "rank 3, line 7: recv 2 ..." */
	std::string where() const;

      private:
	bool line();
	void fill();

	std::string actions_, dates_;
	int rank_;
	uint64_t line_ = 0;
	off_t at_ = 0;	   /* in the file, of what is read next */
	std::string text_; /* read, not yet used from begin_ on */
	size_t begin_ = 0;
	bool ended_ = false;
	std::string_view now_;
	std::vector<std::string_view> words_;
	std::vector<int64_t> out_;
};

/* A communicator at one of its members. */
struct Group {
	MPI_Comm comm;
	int size, rank;
};

/* One rank. */
class Rank
{
      public:
	Rank(const std::string &folder, int rank);
	void run();
	Script script;

      private:
	/* of messages: source, destination, tag */
	struct Key {
		int32_t src, dst, tag;
		bool operator==(const Key &o) const
		{
			return src == o.src && dst == o.dst && tag == o.tag;
		}
	};
	struct Hash {
		size_t operator()(const Key &k) const
		{
			uint64_t h =
			    (uint64_t)(uint32_t)k.src << 32 | (uint32_t)k.dst;

			h = (h ^ (uint64_t)(uint32_t)k.tag << 16) *
			    0x9e3779b97f4a7c15u;
			return h ^ h >> 29;
		}
	};
	using Pending = std::deque<MPI_Request>;

	void perform();
	/* of p2p.cpp; false: another action */
	bool message();
	void send(bool now, bool synchronous);
	void receive(bool now);
	void probe();
	void wait(size_t first, size_t n);
	MPI_Request take(size_t i);
	void keep(size_t i, int src, int dst, int tag, MPI_Request r);

	/* of collective.cpp; request NULL: blocking */
	bool collective(size_t i, const Group &g, MPI_Request *request);
	void gather(const Group &g, int n, int root);
	bool reduction(size_t i, const Group &g, MPI_Request *request);
	bool vector(size_t i, const Group &g, MPI_Request *request);
	void on();
	void begin();
	void end();
	void communicator();
	bool communication();
	const Group &group(size_t i) const;
	static Group joined(MPI_Comm c);
	MPI_Comm by_members();

	/* of window.cpp */
	bool window();
	bool window_synchronised(MPI_Win w);
	void window_create();
	MPI_Group members(MPI_Win w, size_t first);

	int rank_, ranks_ = 0;
	std::unordered_map<Key, Pending, Hash> pending_;
	std::unordered_map<Key, int, Hash> probed_;
	std::unordered_map<int64_t, MPI_Request> begun_;
	std::unordered_map<int64_t, Group> groups_;
	std::unordered_map<int64_t, MPI_Win> windows_;
	std::vector<MPI_Request> several_;
	std::vector<int> counts_, others_, begins_;
};

/* Where messages lie; nothing is there (see above). */
char *nowhere();
/* As many bytes from there on may be named. */
int64_t nowhere_bytes();

/*
 * While one lives, what its actor sends and receives is copied: SMPI makes
 * communicators and windows by messages whose data matters.
 */
class Data
{
      public:
	Data();
	~Data();
	Data(const Data &) = delete;
	Data &operator=(const Data &) = delete;
};

/* The world, as SMPI's own runs have it. */
MPI_Comm world();

#endif
