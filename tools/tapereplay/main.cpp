/* The platform, its hosts, and one actor for each rank; see replayer.hpp. */
#include "replayer.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xbt/config.hpp>

namespace s4u = simgrid::s4u;
using s4u::Engine;

void fail(const std::string &why)
{
	fprintf(stderr, "!%s\n", why.c_str());
	fflush(stderr);
	_exit(1);
}

/* ---- ranks ---- */

static std::vector<std::unique_ptr<Rank>> ranks;

/*
 * Nobody leaves before all have done everything: messages may be in flight to
 * who has. Then the process ends, and SMPI does not look for what was not
 * received, of which it would free what is nowhere.
 */
static void perform(const std::string &folder, int rank, s4u::BarrierPtr all)
{
	smpi_replay_init("tape", rank, 0);
	ranks[(size_t)rank] = std::make_unique<Rank>(folder, rank);
	ranks[(size_t)rank]->run();
	ranks[(size_t)rank].reset();
	all->wait();
	_exit(0);
}

/* Reports a deadlock: the first blocked rank, and the number of the others. */
static void stuck()
{
	size_t n = 0;
	const Rank *first = nullptr;

	for (const auto &r : ranks)
		if (r && !n++)
			first = r.get();
	if (!first)
		return;
	fail("deadlock: " + first->script.where() + " never ends" +
	     (n > 1 ? ", and " + std::to_string(n - 1) +
			  " more ranks are blocked"
		    : ""));
}

/* ---- limits ---- */

/*
 * A platform is untrusted: a few lines of it may stand for any number of hosts,
 * and it may name other files.
 */
constexpr size_t HOSTS_MOST = 100000, LINKS_MOST = 2000000;
constexpr rlim_t MEMORY = (rlim_t)4 << 30, MEMORY_EACH = 16 << 20;
constexpr unsigned LOADING_S = 120;   /* of processor time, or waiting */
constexpr rlim_t RUNNING_S = 3600;    /* and a millisecond for each byte of
					 the actions, which are some 20 each */

/* Not more than that from now on; what was unlimited can be raised again. */
static void limit(int what, rlim_t most)
{
	struct rlimit l;

	getrlimit(what, &l);
	l.rlim_cur = std::min(most, l.rlim_max);
	setrlimit(what, &l);
}

static void too_long(int)
{
	static const char text[] =
	    "!the simulation takes too long: see the limits in tapesim(1)\n";

	if (write(2, text, sizeof text - 1) < 0)
		_exit(2);
	_exit(1);
}

static void limit_loading()
{
	signal(SIGALRM, too_long);
	signal(SIGXCPU, too_long);
	alarm(LOADING_S);
	limit(RLIMIT_CPU, LOADING_S);
	limit(RLIMIT_CORE, 0);
	/* the place of all messages is taken before */
	limit(RLIMIT_AS, 2 * (rlim_t)nowhere_bytes() + MEMORY);
}

static void limit_running(const std::string &folder, size_t n)
{
	rlim_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		struct stat s;

		if (!stat((folder + "/rank." + std::to_string(i)).c_str(), &s))
			bytes += (rlim_t)s.st_size;
	}
	alarm(0);
	limit(RLIMIT_CPU, LOADING_S + RUNNING_S + bytes / 1000);
	limit(RLIMIT_AS, 2 * (rlim_t)nowhere_bytes() + MEMORY +
				 (rlim_t)n * MEMORY_EACH);
}

/* ---- the platform ---- */

static std::vector<s4u::Host *> hosts; /* as declared */
static size_t n_links;

static void load(Engine &e, const char *platform)
{
	s4u::Host::on_creation_cb([](s4u::Host &h) {
		if (hosts.size() == HOSTS_MOST)
			fail("it has more than " + std::to_string(HOSTS_MOST) +
			     " hosts");
		hosts.push_back(&h);
	});
	s4u::Link::on_creation_cb([](const s4u::Link &) {
		if (n_links++ == LINKS_MOST)
			fail("it has more than " + std::to_string(LINKS_MOST) +
			     " links");
	});
	e.load_platform(platform);
	for (const s4u::Host *h : hosts)
		if (!(h->get_speed() > 0))
			fail("host " + std::string(h->get_cname()) +
			     ": its speed must not be 0");
}

static double factor(const char *text, double least)
{
	char *end;
	double v = strtod(text, &end);

	if (*end || end == text || !(v >= least) || v > 1e12)
		fail(std::string("a factor cannot be ") + text);
	return v;
}

/*
 * All links but those that only lead from a host to itself. Any pair of hosts
 * shows which of a host's own links others are reached by, too.
 */
static void change(const Engine &e, double latency, double bandwidth)
{
	std::set<const s4u::Link *> own;

	for (const s4u::Host *h : hosts) {
		std::vector<s4u::Link *> links;
		double ignored = 0;

		h->route_to(h, links, &ignored);
		own.insert(links.begin(), links.end());
	}
	for (size_t i = 0; hosts.size() > 1 && i < hosts.size(); i++) {
		std::vector<s4u::Link *> links;
		double ignored = 0;

		for (int way = 0; way < 2; way++) {
			const s4u::Host *to = hosts[(i + 1) % hosts.size()];

			if (way)
				to->route_to(hosts[i], links, &ignored);
			else
				hosts[i]->route_to(to, links, &ignored);
		}
		for (const s4u::Link *l : links)
			own.erase(l);
	}
	for (s4u::Link *l : e.get_all_links()) {
		if (own.count(l))
			continue;
		l->set_latency(l->get_latency() * latency);
		l->set_bandwidth(l->get_bandwidth() * bandwidth);
	}
}

static void deploy(const Engine &e, const std::string &folder)
{
	std::ifstream in(folder + "/hosts");
	std::vector<s4u::Host *> places;
	std::string name;

	while (std::getline(in, name)) {
		s4u::Host *h = e.host_by_name_or_null(name);

		if (!h)
			fail("the platform has no host " + name);
		places.push_back(h);
	}
	if (places.empty())
		fail(folder + "/hosts names no host");
	limit_running(folder, places.size());
	SMPI_app_instance_register("tape", nullptr, (int)places.size());
	ranks.resize(places.size());
	auto all = s4u::Barrier::create((unsigned)places.size());
	for (size_t i = 0; i < places.size(); i++)
		s4u::Actor::create(
		    "rank " + std::to_string(i), places[i],
		    [folder, i, all] { perform(folder, (int)i, all); });
}

/* What counts unless the platform or an option says something else. */
static void defaults()
{
	namespace config = simgrid::config;

	config::set_default<std::string>("network/model", "SMPI");
	config::set_default<std::string>("host/model", "compound");
	config::set_default<double>("surf/precision", 1e-11);
	config::set_default<int>("smpi/async-small-thresh", 65536);
	config::set_default<int>("smpi/send-is-detached-thresh", 65536);
	config::set_default<std::string>("smpi/coll-selector", "ompi");
	config::set_default<bool>("smpi/simulate-computation", false);
}

static void run(int argc, char **argv)
{
	smpi_init_options();
	Engine e(&argc, argv);
	defaults();
	bool list = argc == 3 && !strcmp(argv[1], "--hosts");

	if (!list && argc != 3 && argc != 5)
		fail("usage: tape-replay [--cfg=KEY:VALUE ...] PLATFORM "
		     "FOLDER [LATENCY BANDWIDTH], or --hosts PLATFORM");
	limit_loading();
	load(e, argv[1 + list]);
	if (list) {
		for (const s4u::Host *h : hosts)
			puts(h->get_cname());
		return;
	}
	e.set_default_comm_data_copy_callback(smpi_comm_copy_buffer_callback);
	SMPI_init();
	deploy(e, argv[2]);
	if (argc == 5)
		change(e, factor(argv[3], 0), factor(argv[4], 1e-12));
	Engine::on_deadlock_cb(stuck);
	e.run();
	fail("the simulation ended before its ranks");
}

int main(int argc, char **argv)
{
	try {
		run(argc, argv);
	} catch (const std::bad_alloc &) {
		fail("the simulation takes too much memory: see the limits in "
		     "tapesim(1)");
	} catch (const std::exception &x) {
		fail(x.what());
	}
	return 0;
}
