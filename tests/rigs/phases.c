/*
 * phases: a correction in phases (tico --reference) of programs that race,
 * simulated in the order of time (race_program.h). A run is recorded lightly;
 * its order is replayed under full tracing, at several shares of intrusion. The
 * truth is that order without any cost. Prints the error of the corrected total
 * with and without the reference, and TAP: each bound that tico certifies with
 * the reference contains the truth.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"
#include "race_program.h"
#include "race_text.h"

enum { LEVELS = 5, WAYS = 3, PROGRAMS_MOST = 10000 };
enum way { PLAIN, GUESSED, REFERENCE };

static const double levels[LEVELS] = {0.05, 0.1, 0.5, 1, 5};

struct figures {
	double error[PROGRAMS_MOST], width[PROGRAMS_MOST];
	int n, certain, missed;
};

struct campaign {
	struct campaign_place place;
	struct figures of[WAYS];
	int refused;
};

/* Makes a trace of the run that was simulated last. */
static void write_trace(const struct campaign *c, const struct program *p,
			enum run run, const char *name)
{
	char text[100], command[300];
	FILE *f;

	snprintf(text, sizeof text, "%s.txt", name);
	f = campaign_begin_file(&c->place, text);
	race_put_program(f, p, run);
	campaign_end_file(f, text);
	snprintf(command, sizeof command,
		 "rm -rf %s.tape && tapedump --assemble -o %s.tape %s.txt "
		 ">log 2>&1",
		 name, name, name);
	campaign_run(&c->place, command);
}

/* Corrects t1 and compares its total with the truth. */
static void judge_way(struct campaign *c, enum way way, double truth,
		      uint64_t seed)
{
	static const char *const options[WAYS] = {"-m run.model", "",
						  "--reference t0.tape"};
	struct figures *o = &c->of[way];
	struct campaign_total t;
	char line[300];

	snprintf(line, sizeof line,
		 "rm -rf out.tape && tico -j %s -o out.tape t1.tape >report "
		 "2>log",
		 options[way]);
	if (campaign_try(&c->place, line)) {
		printf("# seed %" PRIu64 " is refused: %s\n", seed,
		       options[way]);
		c->refused++;
		return;
	}
	t = campaign_read_total(&c->place, "out.tape");
	o->error[o->n++] = fabs((double)t.total - truth) / truth;
	if (!t.is_certain)
		return;
	o->width[o->certain++] = (double)(t.to - t.from) / truth;
	if ((double)t.from <= truth && truth <= (double)t.to)
		return;
	if (!o->missed++)
		printf("# seed %" PRIu64 ": %.0f is said to be from %" PRId64
		       " to %" PRId64 "\n",
		       seed, truth, t.from, t.to);
}

static void simulate_run(struct program *p, enum run run, uint64_t seed)
{
	if (!race_program_run(p, run))
		return;
	fprintf(stderr,
		"phases: seed %" PRIu64 ": the ranks wait for each "
		"other in run %d\n",
		seed, run);
	exit(2);
}

static void try_program(struct campaign *c, uint64_t seed, double level)
{
	struct program *p = race_program_make(seed, 0);
	char command[300];
	double truth = 0;

	simulate_run(p, TRUTH, seed);
	race_program_scale(p, level);
	simulate_run(p, LIGHT, seed);
	write_trace(c, p, LIGHT, "t0");
	simulate_run(p, REPLAYED, seed);
	write_trace(c, p, REPLAYED, "t1");
	simulate_run(p, FREE, seed);
	for (int r = 0; r < p->ranks; r++) {
		const struct rank *k = &p->rank[r];

		/* from MPI_Init, at 0 */
		if (k->events[FREE])
			truth = fmax(
			    truth,
			    (double)k->event[FREE][k->events[FREE] - 1].end);
	}
	snprintf(command, sizeof command,
		 "printf 'all limit 65536\\nall eager 0 %" PRId64 " %" PRId64
		 "\\nall rendezvous 0 %" PRId64 " %" PRId64
		 "\\nall dc 0 %" PRId64 " 0\\n' >run.model",
		 p->beta, p->tau, p->beta, p->tau, p->dc);
	campaign_run(&c->place, command);
	for (int way = 0; way < WAYS; way++)
		judge_way(c, (enum way)way, truth, seed);
	free(p);
}

static void print_level(struct campaign *c, double level)
{
	printf("# %5.0f%%", 100 * level);
	for (int way = 0; way < WAYS; way++) {
		struct figures *o = &c->of[way];
		double median = campaign_median(o->error, o->n);

		printf("  %8.4f %8.4f %4d %8.4f", 100 * median,
		       o->n ? 100 * o->error[o->n - 1] : 0, o->certain,
		       100 * campaign_median(o->width, o->certain));
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	static struct campaign c;
	int programs, missed = 0, certain = 0, refused = 0;
	uint64_t seed;

	if (argc != 5 || (programs = atoi(argv[1])) < 1 ||
	    programs > PROGRAMS_MOST) {
		fputs("usage: phases PROGRAMS SEED BIN-FOLDER FOLDER\n",
		      stderr);
		return 2;
	}
	seed = strtoull(argv[2], NULL, 10);
	c.place = (struct campaign_place){argv[3], argv[4]};
	printf("# seeds from %" PRIu64 ", %d programs; of each way, %%: error "
	       "in the median, at most; certain; their width\n"
	       "# cost    true model%24swithout%28sreference\n",
	       seed, programs, "", "");
	for (int i = 0; i < LEVELS; i++) {
		memset(c.of, 0, sizeof c.of);
		for (int k = 0; k < programs; k++)
			try_program(&c, seed + (uint64_t)k, levels[i]);
		print_level(&c, levels[i]);
		missed += c.of[REFERENCE].missed;
		certain += c.of[REFERENCE].certain;
		refused = c.refused;
	}
	printf("%sok 1 - with the reference %d bounds miss the truth\n"
	       "%sok 2 - some are certain\n%sok 3 - %d are refused\n1..3\n",
	       missed ? "not " : "", missed, certain ? "" : "not ",
	       refused ? "not " : "", refused);
	return missed || !certain || refused;
}
