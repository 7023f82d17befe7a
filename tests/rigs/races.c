/*
 * races: a campaign of programs whose receives from any source take whatever
 * comes first, whose tests find a message or do not, and whose waits for any
 * take what is there. Each one is simulated in the order of time, once with a
 * tracer that costs nothing (the truth) and once with one that costs something.
 * Where tico says between which bounds the time without tracing is, the truth
 * must be there, and each call must find the same message. Prints TAP and,
 * after #, figures.
 *
 * The machine: a message sent at S arrives at B = S + beta + tau bytes, and
 * after those that the same rank sent to the same rank before. Of the messages
 * that match, a receive takes the first that arrives. Begun at SR, it ends at
 * max(SR, B) + dc. A wait for any takes of what is there the request that was
 * made first. No two costs are alike by chance, so no two messages arrive
 * at once. With -q, messages to a rank take turns on its link, so that tracing
 * changes how long they take, which certificates exclude.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "campaign.h"
#include "race_program.h"
#include "race_text.h"

struct campaign {
	struct campaign_place place;
	int programs, certain, missed, reordered, blamed, kept, blur;
	int has_queues;
	double width[100000];
};

/* ---- what tico says, and what is true ---- */

/* Did the calls of the runs end otherwise? */
static int is_reordered(const struct program *p)
{
	for (int r = 0; r < p->ranks; r++) {
		const struct rank *k = &p->rank[r];

		for (int i = 0; i < k->events[TRUTH]; i++) {
			const struct event *a = &k->event[TRUTH][i];
			const struct event *b = &k->event[TRACED][i];

			if (a->peer != b->peer ||
			    (a->message < 0) != (b->message < 0))
				return 1;
		}
		if (k->events[TRUTH] != k->events[TRACED])
			return 1;
	}
	return 0;
}

static void judge_program(struct campaign *c, const struct program *p,
			  uint64_t seed)
{
	const struct campaign_total t =
	    campaign_read_total(&c->place, "run.tico.tape");
	int64_t total = race_program_total(p, TRUTH);
	int reordered = is_reordered(p);

	c->reordered += reordered;
	c->kept += !reordered;
	c->blamed += !reordered && !t.is_certain;
	if (!t.is_certain)
		return;
	c->width[c->certain++] = (double)(t.to - t.from) / (double)total;
	if (!reordered && total >= t.from && total <= t.to)
		return;
	if (!c->missed++)
		printf("# seed %" PRIu64 ": %" PRId64
		       " is said to be from %" PRId64 " to %" PRId64 "%s\n",
		       seed, total, t.from, t.to,
		       reordered ? ", of receives in another order" : "");
}

static void try_program(struct campaign *c, uint64_t seed)
{
	struct program *p = race_program_make(seed, c->blur);
	char command[400];
	FILE *f;

	p->has_queues = c->has_queues;
	p->tau *= c->has_queues ? 10 : 1;
	if (race_program_run(p, TRUTH) || race_program_run(p, TRACED)) {
		printf("# seed %" PRIu64 ": the ranks wait for each other\n",
		       seed);
		c->missed++;
		free(p);
		return;
	}
	f = campaign_begin_file(&c->place, "run.txt");
	race_put_program(f, p, TRACED);
	campaign_end_file(f, "run.txt");
	snprintf(command, sizeof command,
		 "rm -rf run.tape run.tico.tape && printf 'all limit 65536\\n"
		 "all eager 0 %" PRId64 " %" PRId64
		 "\\nall rendezvous 0 %" PRId64 " %" PRId64
		 "\\nall dc 0 %" PRId64 " 0\\n' >run.model "
		 "&& tapedump --assemble -o run.tape run.txt >log 2>&1 && "
		 "tico -j -m run.model -o run.tico.tape run.tape >report 2>log",
		 p->beta, p->tau, p->beta, p->tau, p->dc);
	campaign_run(&c->place, command);
	judge_program(c, p, seed);
	free(p);
}

int main(int argc, char **argv)
{
	static struct campaign c = {.programs = 100};
	uint64_t seed = 1;
	int option;
	double median;

	while ((option = getopt(argc, argv, "cn:qs:")) != -1) {
		if (option == 'c')
			c.blur = 1;
		else if (option == 'n')
			c.programs = atoi(optarg);
		else if (option == 'q')
			c.has_queues = 1;
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else
			break;
	}
	if (option != -1 || argc - optind != 2 || c.programs < 1 ||
	    c.programs > (int)(sizeof c.width / sizeof *c.width)) {
		fputs("usage: races [-cq] [-n programs] [-s seed] bin-folder "
		      "folder\n  -c  costs are stated by intervals\n"
		      "  -q  messages to a rank take turns\n", stderr);
		return 2;
	}
	c.place = (struct campaign_place){argv[optind], argv[optind + 1]};
	for (int i = 0; i < c.programs; i++)
		try_program(&c, seed + (uint64_t)i);
	median = campaign_median(c.width, c.certain);
	printf("# seeds from %" PRIu64 ": of %d programs %d find other "
	       "messages when traced; %d are certain, with %.3g%% of the time "
	       "in the median; %d of %d that find the same are not\n",
	       seed, c.programs, c.reordered, c.certain,
	       100 * median, c.blamed, c.kept);
	printf("%sok 1 - %d programs that race: %d certificates do not hold\n"
	       "%sok 2 - some are certain\n1..2\n",
	       c.missed ? "not " : "", c.programs, c.missed,
	       c.certain ? "" : "not ");
	return c.missed || !c.certain;
}
