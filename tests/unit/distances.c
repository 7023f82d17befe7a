/* How far ranks are from each other, and what a class without a say takes. */
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "distances.h"
#include "machine.h"
#include "tap.h"

enum { MOST = 8 };
struct run {
	size_t n;
	const char *host[MOST], *position[MOST];
};

static struct tape_distances open(const struct run *r)
{
	struct tape_distances x;

	ok(!tape_distances_of(&x, r->n, r->host, r->position), "numbered");
	return x;
}

/* The classes of all pairs by their first letters, from the first rank on. */
static void pairs(const char *what, const struct run *r, const char *should)
{
	struct tape_distances x = open(r);
	char is[MOST * MOST] = "";
	int n = 0, has[TAPE_DISTANCES] = {1}, same = 1;

	for (int a = 0; a < (int)r->n; a++)
		for (int b = a + 1; b < (int)r->n; b++) {
			enum tape_distance d = tape_distance_between(&x, a, b);

			same &= d == tape_distance_between(&x, b, a);
			has[d] = 1;
			is[n++] =
			    d == TAPE_SWITCH ? 'w' : *tape_distance_name[d];
		}
	ok(!strcmp(is, should), "%s: %s, should be %s", what, is, should);
	ok(same && !memcmp(has, x.has, sizeof has),
	   "%s: either way, and the run has these", what);
	tape_distances_free(&x);
}

/* Names of hosts are letters. */
#define AT(host, rest) "Cluster/" host "Machine:" rest

static const struct run six = {6,
			       {"a", "a", "a", "a", "b", "c"},
			       {AT("Switch1:0/", "a/Package:0/L3:0/Core:0"),
				AT("Switch1:0/", "a/Package:0/L3:0/Core:1"),
				AT("Switch1:0/", "a/Package:0/L3:1/Core:2"),
				AT("Switch1:0/", "a/Package:1/L3:2/Core:3"),
				AT("Switch1:0/", "b/Package:0/L3:0/Core:0"),
				AT("Switch1:1/", "c/Package:0/L3:0/Core:0")}};

static void classes(void)
{
	static const struct run
	    hosts = {4,
		     {"a", "b", "a", NULL},
		     {AT("", "a"), AT("", "b"), AT("", "a"), NULL}},
	    one_cache = {2,
			 {"a", "a"},
			 {AT("", "a/Package:0/L3:0/Core:0"),
			  AT("", "a/Package:0/L3:0/Core:1")}},
	    one_switch = {3,
			  {"a", "b", "c"},
			  {AT("Rack:1/", "a"), AT("Rack:1/", "b"),
			   AT("Rack:1/", "c")}},
	    racks = {3,
		     {"a", "b", "c"},
		     {AT("Row:1/Rack:1/", "a"), AT("Row:1/Rack:1/", "b"),
		      AT("Row:1/Rack:2/", "c")}},
	    unbound = {4,
		       {"a", "a", "a", "a"},
		       {AT("", "a"), AT("", "a"),
			AT("", "a/Package:0/L3:0/Core:0"),
			AT("", "a/Package:0/L3:0/Core:1")}},
	    of_package = {3,
			  {"a", "a", "a"},
			  {AT("", "a/Package:0"),
			   AT("", "a/Package:0/L3:1/Core:9"),
			   AT("", "a/Package:0/L3:1/Core:10")}},
	    l2 = {3,
		  {"a", "a", "a"},
		  {AT("", "a/Package:0/L2:0/Core:0"),
		   AT("", "a/Package:0/L2:0/Core:1"),
		   AT("", "a/Package:0/L2:1/Core:2")}},
	    own_l2 = {3,
		      {"a", "a", "a"},
		      {AT("", "a/Package:0/L2:0/Core:0/PU:0"),
		       AT("", "a/Package:0/L2:0/Core:0/PU:1"),
		       AT("", "a/Package:0/L2:1/Core:1/PU:2")}},
	    alike =
		{/* the same names on two hosts; L3:1 is no part of L3:10 */
		 4,
		 {"a", "a", "b", "b"},
		 {AT("", "a/Package:1/L3:1"), AT("", "a/Package:1/L3:10"),
		  AT("", "b/Package:1/L3:1"), AT("", "b/Package:1/L3:1")}},
	    none = {0, {NULL}, {NULL}};

	pairs("six classes", &six, "lpswnpswnswnwnn");
	pairs("hosts alone", &hosts, "nsnnnn");
	pairs("all in one cache", &one_cache, "s");
	pairs("all at one switch", &one_switch, "nnn");
	pairs("two racks, whatever they are called", &racks, "wnn");
	pairs("some are not bound", &unbound, "sssssl");
	pairs("one may run on all of the package", &of_package, "ppl");
	pairs("L2 where there is no L3", &l2, "lpp");
	pairs("but not that of a core alone", &own_l2, "sss");
	pairs("names are those within a host", &alike, "pnnnnl");
	pairs("no ranks", &none, "");
}

/* What the classes of an empty model file, but for these lines, take. */
static struct tape_machine said(const char *lines)
{
	char name[] = "/tmp/distances.XXXXXX";
	int fd = mkstemp(name);
	struct tape_machine m;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f || fputs(lines, f) < 0 || fclose(f))
		abort();
	tape_machine_read(name, &m);
	remove(name);
	return m;
}

/* The transits of 0 bytes by class, of a model that has fitted: 1 in each. */
static void given(const char *what, const struct run *r, const char *lines,
		  int fitted, const double should[TAPE_DISTANCES])
{
	static struct tape_comm_model m;
	struct tape_distances x = open(r);
	struct tape_machine file = said(lines);
	int same = 1;

	memset(&m, 0, sizeof m);
	for (int d = 0; fitted && d < TAPE_DISTANCES; d++) {
		m.line[d][0].fitted = 1;
		tape_curve_add(&m.transit[d][0], 0, 1, 0);
	}
	tape_machine_inherit(&file, &x);
	tape_machine_give(&file, &m);
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		struct tape_parcel p = {.distance = (enum tape_distance)d};
		double is = m.transit[d][0].n ? tape_comm_transit(&m, &p) : -1;

		if (!x.has[d] || !(is > should[d] || is < should[d]))
			continue;
		same = 0;
		printf("# %s: %g, should be %g\n", tape_distance_name[d], is,
		       should[d]);
	}
	ok(same, "%s", what);
	tape_distances_free(&x);
}

static void files(void)
{
	static const struct run cache = {2,
					 {"a", "a"},
					 {AT("", "a/Package:0/L3:0/Core:0"),
					  AT("", "a/Package:0/L3:0/Core:1")}};

	given("an old file says it of all nearer ones", &six,
	      "self eager 0 5 0\nshm eager 0 10 0\nnet eager 0 20 0\n", 1,
	      (double[]){5, 10, 10, 10, 20, 20});
	given("so does all", &six, "all eager 0 7 0\n", 1,
	      (double[]){7, 7, 7, 7, 7, 7});
	given("and a nearer one may differ", &six,
	      "all eager 0 7 0\nl3 eager 0 2 0\nswitch eager 0 4 0\n", 1,
	      (double[]){7, 2, 7, 7, 4, 7});
	given("the package is the next of l3", &six,
	      "package eager 0 3 0\nshm eager 0 9 0\n", 1,
	      (double[]){1, 3, 3, 9, 1, 1});
	given("a nearer one says nothing of what the trace tells", &six,
	      "l3 eager 0 2 0\nswitch eager 0 4 0\n", 1,
	      (double[]){1, 2, 1, 1, 4, 1});
	given("but of what nobody tells", &six,
	      "l3 eager 0 2 0\nswitch eager 0 4 0\n", 0,
	      (double[]){-1, 2, 2, 2, 4, 4});
	given("the nearest that there is", &six,
	      "l3 eager 0 2 0\npackage eager 0 3 0\n", 0,
	      (double[]){-1, 2, 3, 3, -1, -1});
	given("pairs that are all in one cache are shm, by what is said of l3",
	      &cache, "shm eager 0 9 0\nl3 eager 0 2 0\n", 1,
	      (double[]){1, 0, 0, 2, 0, 0});
	given("if anything is", &cache, "shm eager 0 9 0\n", 1,
	      (double[]){1, 0, 0, 9, 0, 0});
}

/* Each kind of fact by itself. */
static void facts(void)
{
	struct tape_machine m = said("shm limit 100\nshm load 3\n"
				     "shm quantile 0.3\nshm links\n"
				     "shm dc 0 50 0\nshm rendezvous 0 8 0\n"
				     "l3 eager 0 2 0\nl3 limit 10\n");
	struct tape_distances x = open(&six);
	const struct tape_comm_model *k = &m.model;

	tape_machine_inherit(&m, &x);
	ok(m.limit_bytes[TAPE_CACHE] == 10 &&
	       m.limit_bytes[TAPE_PACKAGE] == 100 &&
	       m.limit_bytes[TAPE_SWITCH] == -1,
	   "limits");
	ok(m.has_load[TAPE_CACHE] && k->load_rate[TAPE_PACKAGE] == 3 &&
	       !m.has_load[TAPE_SWITCH],
	   "loads");
	ok(k->shared[TAPE_CACHE] && !k->shared[TAPE_SWITCH], "links");
	ok(k->dc[TAPE_CACHE].n == 1 && k->dc[TAPE_PACKAGE].n == 1, "DC");
	ok(k->transit[TAPE_CACHE][0].n == 1 &&
	       k->transit[TAPE_CACHE][1].n == 1 &&
	       !k->transit[TAPE_PACKAGE][0].n,
	   "each protocol");
	ok(k->quantile[TAPE_CACHE] == 0 && k->quantile[TAPE_PACKAGE] == 0.3,
	   "a transit of its own is of no quantile that was said of another");
	tape_distances_free(&x);
}

/* ---- fits ---- */

static uint64_t key; /* of the next message */

/* n messages whose receives waited, 100 apart; the same time but for one ns. */
static void waiting(struct tape_comm_learner *l, enum tape_distance d, int n,
		    int64_t ns)
{
	struct tape_parcel p = {.bytes = 64, .distance = d};

	for (int i = 0; i < n; i++)
		tape_comm_learn(l, key++, &p, 1000 * i, 1000 * i - 50,
				1000 * i + ns + i % 2, 0);
}

static double at(const struct tape_comm_model *m, enum tape_distance d)
{
	struct tape_parcel p = {.bytes = 64, .distance = d};

	return tape_comm_transit(m, &p);
}

static void fits(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	static struct tape_comm_model m;
	struct tape_parcel p = {.bytes = 64, .distance = TAPE_SHM};

	waiting(l, TAPE_CACHE, 100, 200);
	waiting(l, TAPE_PACKAGE, 9, 700);
	waiting(l, TAPE_SHM, 50, 1000);
	waiting(l, TAPE_SWITCH, 40, 3000);
	tape_comm_learn(l, key++, &p, 0, 9000, 9060, 1);
	tape_comm_fit(l, &m);
	ok(at(&m, TAPE_CACHE) < 205 && at(&m, TAPE_CACHE) > 100,
	   "l3 by its own messages (%.0f)", at(&m, TAPE_CACHE));
	ok(at(&m, TAPE_PACKAGE) == at(&m, TAPE_SHM) &&
	       !m.line[TAPE_PACKAGE][0].fitted,
	   "nine of package are too few: as the host (%.0f)",
	   at(&m, TAPE_PACKAGE));
	ok(at(&m, TAPE_NET) == at(&m, TAPE_SWITCH),
	   "none of net: as the switch (%.0f)", at(&m, TAPE_NET));
	p.distance = TAPE_CACHE;
	ok(tape_comm_dc(&m, &p) == 60, "DC of another class of the host");
	p.distance = TAPE_NET;
	ok(tape_comm_dc(&m, &p) == 0, "but not of another transport");
	tape_comm_learner_free(l);

	l = tape_comm_learner_new();
	waiting(l, TAPE_CACHE, 8, 1000);
	waiting(l, TAPE_PACKAGE, 8, 1000);
	waiting(l, TAPE_SHM, 8, 1000);
	waiting(l, TAPE_NET, 100, 9000);
	tape_comm_fit(l, &m);
	ok(m.line[TAPE_SHM][0].messages == 24 && m.line[TAPE_SHM][0].fitted &&
	       at(&m, TAPE_CACHE) == at(&m, TAPE_SHM) &&
	       at(&m, TAPE_SHM) < 1001,
	   "eight of each of three are 24 of one");
	tape_comm_learner_free(l);
}

int main(void)
{
	classes();
	files();
	facts();
	fits();
	return done();
}
