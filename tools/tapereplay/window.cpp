/* Windows; see replayer.hpp. */
#include "replayer.hpp"

#include <climits>

bool Rank::window()
{
	std::string_view what = script.word(1);
	MPI_Datatype t = MPI_BYTE;
	char *at = nowhere();

	if (what == "win") {
		window_create();
		return true;
	}
	if (what != "win_free" && what != "put" && what != "get" &&
	    what != "accumulate" && what != "fence" && what != "lock" &&
	    what != "unlock" && what != "flush" && what != "post" &&
	    what != "start" && what != "complete" && what != "wait_win")
		return false;
	auto found = windows_.find(script.number(2, 0, INT64_MAX));
	if (found == windows_.end())
		script.wrong("names a window that does not exist");
	MPI_Win w = found->second;
	if (what == "win_free") {
		windows_.erase(found);
		MPI_Win_free(&w);
		return true;
	}
	if (what != "put" && what != "get" && what != "accumulate")
		return window_synchronised(w);
	int target = (int)script.number(3, 0, INT_MAX);
	int n = (int)script.number(4, 0, INT_MAX);
	if (what == "put")
		MPI_Put(at, n, t, target, 0, n, t, w);
	else if (what == "get")
		MPI_Get(at, n, t, target, 0, n, t, w);
	else if (int back = (int)script.number(5, 0, INT_MAX))
		MPI_Get_accumulate(at, n, t, at, back, t, target, 0,
				   std::max(n, back), t,
				   n ? MPI_REPLACE : MPI_NO_OP, w);
	else
		MPI_Accumulate(at, n, t, target, 0, n, t, MPI_REPLACE, w);
	return true;
}

bool Rank::window_synchronised(MPI_Win w)
{
	std::string_view what = script.word(1);
	auto target = [&] { return (int)script.number(3, -1, INT_MAX); };
	auto each = [&](auto one, auto all) { target() < 0 ? all() : one(); };

	if (what == "fence") {
		MPI_Win_fence(0, w);
	} else if (what == "lock") {
		int kind = script.number(4, 0, 1) ? MPI_LOCK_EXCLUSIVE
						  : MPI_LOCK_SHARED;

		each([&] { MPI_Win_lock(kind, target(), 0, w); },
		     [&] { MPI_Win_lock_all(0, w); });
	} else if (what == "unlock") {
		each([&] { MPI_Win_unlock(target(), w); },
		     [&] { MPI_Win_unlock_all(w); });
	} else if (what == "flush") {
		each([&] { MPI_Win_flush(target(), w); },
		     [&] { MPI_Win_flush_all(w); });
	} else if (what == "post" || what == "start") {
		MPI_Group g = members(w, 3);

		if (what == "post")
			MPI_Win_post(g, 0, w);
		else
			MPI_Win_start(g, 0, w);
		MPI_Group_free(&g);
	} else if (what == "complete") {
		MPI_Win_complete(w);
	} else {
		MPI_Win_wait(w);
	}
	return true;
}

/* Ranks in the window, from word first to the end. */
MPI_Group Rank::members(MPI_Win w, size_t first)
{
	std::vector<int> ranks;
	MPI_Group all, some;
	int size;

	MPI_Win_get_group(w, &all);
	MPI_Group_size(all, &size);
	for (size_t i = first; i < script.words(); i++)
		ranks.push_back((int)script.number(i, 0, size - 1));
	MPI_Group_incl(all, (int)ranks.size(), ranks.data(), &some);
	return some;
}

/*
 * Large enough for whatever is done there: a trace tells sizes of what is
 * moved, and not where to.
 */
void Rank::window_create()
{
	int64_t number = script.number(2, 0, INT64_MAX);
	const Group &g = group(3);
	MPI_Win w = MPI_WIN_NULL;

	if (windows_.count(number))
		script.wrong("has the number of a window there is");
	{
		Data data;

		MPI_Win_create(nowhere(), nowhere_bytes(), 1, MPI_INFO_NULL,
			       g.comm, &w);
	}
	windows_[number] = w;
}
