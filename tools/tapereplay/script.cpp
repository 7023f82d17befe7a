/* Lines of actions and their dates; see replayer.hpp. */
#include "replayer.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

/* At 1024 ranks these are 16 MiB. */
constexpr size_t TEXT = 8192, DATES = 2 * 512;

Script::Script(const std::string &folder, int rank)
    : actions_(folder + "/rank." + std::to_string(rank)),
      dates_(folder + "/dates." + std::to_string(rank)), rank_(rank)
{
	out_.reserve(DATES);
}

/* Reads on, behind what is not yet used. */
void Script::fill()
{
	size_t kept = text_.size() - begin_;
	int fd = open(actions_.c_str(), O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	text_.erase(0, begin_);
	begin_ = 0;
	text_.resize(kept + TEXT);
	if (fd >= 0)
		n = pread(fd, text_.data() + kept, TEXT, at_);
	if (n < 0)
		fail(actions_ + ": " + strerror(errno));
	close(fd);
	at_ += n;
	ended_ = n == 0;
	text_.resize(kept + (size_t)n);
}

bool Script::line()
{
	size_t end;

	while ((end = text_.find('\n', begin_)) == std::string::npos && !ended_)
		fill();
	if (begin_ == text_.size())
		return false;
	if (end == std::string::npos)
		end = text_.size();
	now_ = std::string_view(text_).substr(begin_, end - begin_);
	begin_ = std::min(end + 1, text_.size());
	line_++;
	return true;
}

bool Script::next()
{
	do {
		if (!line())
			return false;
		words_.clear();
		for (size_t i = 0; i < now_.size();) {
			size_t from = i;

			while (i < now_.size() && !strchr(" \t\r", now_[i]))
				i++;
			if (i > from)
				words_.push_back(now_.substr(from, i - from));
			else
				i++;
		}
	} while (words_.empty() || words_[0][0] == '#');
	if (words_.size() < 2)
		wrong("has no action");
	if (number(0, 0, INT32_MAX) != rank_)
		wrong("is of another rank");
	return true;
}

std::string Script::where() const
{
	return "rank " + std::to_string(rank_) + ", line " +
	       std::to_string(line_) + ": '" + std::string(now_) + "'";
}

void Script::wrong(const std::string &what) const
{
	fail(where() + " " + what);
}

int64_t Script::number(size_t i, int64_t least, int64_t most) const
{
	int64_t v = 0;

	if (i >= words_.size())
		wrong("has too few words");
	auto r = std::from_chars(words_[i].begin(), words_[i].end(), v);
	if (r.ec != std::errc() || r.ptr != words_[i].end() || v < least ||
	    v > most)
		wrong("has a number that cannot be: " + std::string(words_[i]));
	return v;
}

double Script::real(size_t i) const
{
	double v = 0;

	if (i >= words_.size())
		wrong("has too few words");
	auto r = std::from_chars(words_[i].begin(), words_[i].end(), v);
	if (r.ec != std::errc() || r.ptr != words_[i].end() || !(v >= 0) ||
	    !std::isfinite(v))
		wrong("has a number that cannot be: " + std::string(words_[i]));
	return v;
}

void Script::dated(double begin_s, double end_s)
{
	out_.push_back(std::llround(begin_s * 1e9));
	out_.push_back(std::llround(end_s * 1e9));
	if (out_.size() == DATES)
		flush();
}

void Script::flush()
{
	std::string bytes;
	int fd;
	ssize_t n;

	for (int64_t v : out_)
		for (int i = 0; i < 64; i += 8)
			bytes += (char)((uint64_t)v >> i & 0xff);
	out_.clear();
	fd = open(dates_.c_str(),
		  O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	n = fd < 0 ? -1 : write(fd, bytes.data(), bytes.size());
	if (n != (ssize_t)bytes.size() || close(fd))
		fail(dates_ + ": " + strerror(n < 0 ? errno : ENOSPC));
}
