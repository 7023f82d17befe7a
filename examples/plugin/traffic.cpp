/*
 * Traffic over time, by knowledge sources in a chain: "windows" adds up the
 * messages of each tenth of a second and submits a window, an entry of our own
 * type; of each window, "draw" makes a bar and "busiest" keeps the largest.
 * Nobody waits for anybody, and each sees one program only.
 *
 *	c++ -shared -fPIC -o traffic.so traffic.cpp \
 *		$(pkg-config --cflags tape-plugin)
 *	tapestat --plugin traffic.so:0.1 app.tape
 */
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <tape_plugin.h>

namespace {

struct window {
	long number;
	double bytes, messages;
};

struct program {
	double width_ns;
	uint32_t type;
	int64_t first_ns = INT64_MIN;
	std::map<long, window> open; /* messages end a little out of order */
	std::vector<window> drawn;
	window busiest = {0, 0, 0};
};

std::vector<std::unique_ptr<program>> programs;

void submit_until(tape_board *b, program *p, long number)
{
	while (!p->open.empty() && p->open.begin()->first < number) {
		tape_ks_submit(b, p->type, &p->open.begin()->second,
			       sizeof(window));
		p->open.erase(p->open.begin());
	}
}

/* Windows are over when a message ends two of them later. */
void windows(tape_ks *ks, const tape_entry *const *e, void *own)
{
	const tape_ks_message *m = e[0]->message;
	auto p = static_cast<program *>(own);

	if (m->state != TAPE_KS_MATCHED)
		return;
	if (p->first_ns == INT64_MIN)
		p->first_ns = m->ended_ns;
	long n = static_cast<long>((m->ended_ns - p->first_ns) / p->width_ns);
	window &w = p->open.try_emplace(n, window{n, 0, 0}).first->second;
	w.bytes += static_cast<double>(m->bytes);
	w.messages++;
	submit_until(tape_ks_board(ks), p, n - 2);
}

void draw(tape_ks *, const tape_entry *const *e, void *own)
{
	auto w = static_cast<const window *>(e[0]->data);

	static_cast<program *>(own)->drawn.push_back(*w);
}

void busiest(tape_ks *, const tape_entry *const *e, void *own)
{
	auto w = static_cast<const window *>(e[0]->data);
	auto p = static_cast<program *>(own);

	if (w->bytes > p->busiest.bytes)
		p->busiest = *w;
}

/*
 * "end" comes when all jobs are done: what it submits itself is done before the
 * next function, over.
 */
void end(tape_ks *ks, const tape_entry *const *, void *own)
{
	auto p = static_cast<program *>(own);

	if (!p->open.empty())
		submit_until(tape_ks_board(ks), p,
			     p->open.rbegin()->first + 1);
}

int level(tape_board *b, const tape_level *l)
{
	auto p = new program;
	uint32_t n = l->number;

	programs.emplace_back(p);
	p->width_ns = std::max(atof(tape_ks_arguments(b)), 1e-6) * 1e9;
	p->type = tape_ks_type(b, n, "window");
	bool good = tape_ks_add(b, n, 0, windows, p, "message", nullptr) &&
		    tape_ks_add(b, n, 0, draw, p, "window", nullptr) &&
		    tape_ks_add(b, n, 0, busiest, p, "window", nullptr) &&
		    tape_ks_add(b, n, 0, end, p, "end", nullptr);
	return good ? 0 : -1;
}

void over(tape_board *b)
{
	for (uint32_t l = 0; l < programs.size(); l++) {
		const program &p = *programs[l];
		double most = std::max(p.busiest.bytes, 1.0), all = 0;

		for (const window &w : p.drawn) {
			int stars = static_cast<int>(40 * w.bytes / most);

			all += w.messages;
			tape_ks_say(b, l + 1, "%8.3f s %10.0f B %6.0f  %s",
				    static_cast<double>(w.number) *
					p.width_ns / 1e9,
				    w.bytes, w.messages,
				    std::string(stars, '*').c_str());
		}
		tape_ks_figure(b, l + 1, "messages", all);
		tape_ks_figure(b, l + 1, "most bytes a window", p.busiest.bytes);
	}
	programs.clear();
}

} // namespace

const struct tape_plugin tape_plugin = {TAPE_PLUGIN_VERSION, nullptr, level,
					over};
