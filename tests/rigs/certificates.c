/*
 * certificates: a campaign of programs without races (mixed_program.h), each
 * simulated twice, with a tracer that costs nothing (the truth) and with one
 * that costs something. Where tico says between which bounds the time without
 * tracing is, the truth must be there. Prints TAP and, after #, figures. With
 * -t, the costs are a tenth of the time that the program takes; with -d, tico
 * knows the longest transit (tico -d). With both, certificates of programs of
 * one thread must be narrow.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "campaign.h"
#include "mixed_program.h"
#include "mixed_text.h"

enum { PROGRAMS_MOST = 100000 };

/* With -d and -t: the median width of a certificate, of the time. */
static const double most_width = 0.02;

/* Programs of a kind, and the widths of their certificates. */
struct kind {
	const char *name;
	int programs, certain, missed;
	double width[PROGRAMS_MOST], median;
};
enum { PLAIN, THREADS, LOCKS, NO_STEPS, HIDDEN, KINDS };

struct campaign {
	struct campaign_place place;
	int programs, blur, is_tenth, is_bounded, missed, certain;
	struct kind of[KINDS];
};

static struct kind *find_kind(struct campaign *c,
			      const struct mixed_program *p)
{
	if (p->has_hidden)
		return &c->of[HIDDEN];
	if (p->has_threads && p->has_no_steps)
		return &c->of[NO_STEPS];
	if (p->has_locks)
		return &c->of[LOCKS];
	return &c->of[p->has_threads ? THREADS : PLAIN];
}

static void judge_program(struct campaign *c, const struct mixed_program *p,
			  uint64_t seed)
{
	struct kind *k = find_kind(c, p);
	const struct campaign_total t =
	    campaign_read_total(&c->place, "run.tico.tape");
	int64_t total = p->total[0];

	k->programs++;
	if (!t.is_certain)
		return;
	c->certain++;
	k->width[k->certain++] = (double)(t.to - t.from) / (double)total;
	if (total >= t.from && total <= t.to)
		return;
	k->missed++;
	if (!c->missed++)
		printf("# seed %" PRIu64 ": %" PRId64
		       " is said to be from %" PRId64 " to %" PRId64 "\n",
		       seed, total, t.from, t.to);
}

/* No message takes longer: one may wait for those sent before it. */
static int64_t find_longest_transit(const struct mixed_program *p)
{
	int64_t bytes = 0;

	for (int i = 0; i < p->ops; i++)
		if (p->op[i].bytes > bytes)
			bytes = p->op[i].bytes;
	return p->beta + p->tau * bytes + p->n_messages;
}

static void try_program(struct campaign *c, uint64_t seed)
{
	struct mixed_program *p = mixed_program_make(seed, c->blur);
	char command[500], longest[40] = "";
	FILE *f;

	mixed_program_run(p, 0);
	mixed_program_run(p, 1);
	if (c->is_tenth) {
		mixed_program_scale(p, 0.1);
		mixed_program_run(p, 1);
	}
	f = campaign_begin_file(&c->place, "run.txt");
	mixed_put_program(f, p);
	campaign_end_file(f, "run.txt");
	if (c->is_bounded)
		snprintf(longest, sizeof longest, "-d %" PRId64,
			 find_longest_transit(p));
	snprintf(command, sizeof command,
		 "rm -rf run.tape run.tico.tape && printf 'all limit %" PRId64
		 "\\nall eager 0 %" PRId64 " %" PRId64
		 "\\nall rendezvous 0 %" PRId64 " %" PRId64
		 "\\nall dc 0 %" PRId64 " 0\\n' >run.model "
		 "&& tapedump --assemble -o run.tape run.txt >log 2>&1 && "
		 "tico -j -m run.model %s -o run.tico.tape run.tape >report "
		 "2>log",
		 p->limit, p->beta, p->tau, p->beta, p->tau, p->dc, longest);
	campaign_run(&c->place, command);
	judge_program(c, p, seed);
	free(p);
}

static void print_kind(struct kind *k)
{
	k->median = campaign_median(k->width, k->certain);
	printf("# %s: of %d programs %d are certain, with %.3g%% of the time "
	       "in the median; %d do not hold\n", k->name, k->programs,
	       k->certain, 100 * k->median, k->missed);
}

int main(int argc, char **argv)
{
	static struct campaign c = {
	    .programs = 100,
	    .of = {{.name = "one thread"},
		   {.name = "threads"},
		   {.name = "threads and locks"},
		   {.name = "threads, not recorded"},
		   {.name = "calls that are counted or off"}}};
	uint64_t seed = 1;
	int option, is_narrow;

	while ((option = getopt(argc, argv, "cdn:s:t")) != -1) {
		if (option == 'c')
			c.blur = 1;
		else if (option == 'd')
			c.is_bounded = 1;
		else if (option == 't')
			c.is_tenth = 1;
		else if (option == 'n')
			c.programs = atoi(optarg);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else
			break;
	}
	if (option != -1 || argc - optind != 2 || c.programs < 1 ||
	    c.programs > PROGRAMS_MOST) {
		fputs("usage: certificates [-cdt] [-n programs] [-s seed] "
		      "bin-folder folder\n  -c  costs are stated by intervals\n"
		      "  -d  the longest transit is known\n"
		      "  -t  costs are a tenth of the time\n", stderr);
		return 2;
	}
	c.place = (struct campaign_place){argv[optind], argv[optind + 1]};
	for (int i = 0; i < c.programs; i++)
		try_program(&c, seed + (uint64_t)i);
	printf("# seeds from %" PRIu64 "\n", seed);
	for (int i = 0; i < KINDS; i++)
		print_kind(&c.of[i]);
	is_narrow = !c.is_bounded || !c.is_tenth ||
		    c.of[PLAIN].median <= most_width;
	printf("%sok 1 - %d programs: %d certificates do not hold\n"
	       "%sok 2 - some are certain\n"
	       "%sok 3 - where they are to be narrow, they are\n1..3\n",
	       c.missed ? "not " : "", c.programs, c.missed,
	       c.certain ? "" : "not ", is_narrow ? "" : "not ");
	return c.missed || !c.certain || !is_narrow;
}
