/* See totals.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "escape.h"
#include "json.h"
#include "tool.h"
#include "totals.h"

/*
 * Up to RANKS_LISTED ranks are all listed. Of more ranks, those that are more
 * than FAR standard deviations from the mean are listed, up to that number.
 */
#define RANKS_LISTED 16
#define FAR 3

void sim_totals_open(struct sim_totals *t, size_t ranks)
{
	*t = (struct sim_totals){ .ranks = ranks };
	t->end_ns = tape_must(calloc(ranks + 1, sizeof *t->end_ns));
}

void sim_totals_close(struct sim_totals *t)
{
	free(t->end_ns);
}

int sim_totals_put(void *self, int rank, const struct tape_action *a,
		   int64_t begin_ns, int64_t end_ns)
{
	struct sim_totals *t = self;

	t->end_ns[rank] = end_ns;
	t->actions++;
	return t->trace ? sim_trace_put(t->trace, rank, a, begin_ns, end_ns)
			: 0;
}

int64_t sim_totals_run_ns(const struct sim_totals *t)
{
	int64_t most = 0;

	for (size_t i = 0; i < t->ranks; i++)
		most = t->end_ns[i] > most ? t->end_ns[i] : most;
	return most;
}

struct spread {
	size_t least, most;     /* ranks */
	double mean, deviation;
};

static void compute_spread(const struct sim_totals *t, struct spread *s)
{
	double sum = 0, squares = 0;

	*s = (struct spread){ 0 };
	for (size_t i = 0; i < t->ranks; i++) {
		if (t->end_ns[i] < t->end_ns[s->least])
			s->least = i;
		if (t->end_ns[i] > t->end_ns[s->most])
			s->most = i;
		sum += (double)t->end_ns[i];
	}
	s->mean = sum / (double)t->ranks;
	for (size_t i = 0; i < t->ranks; i++)
		squares += pow((double)t->end_ns[i] - s->mean, 2);
	s->deviation = sqrt(squares / (double)t->ranks);
}

/* ---- text ---- */

static double to_seconds(int64_t ns)
{
	return (double)ns * 1e-9;
}

static void print_ranks(const struct sim_totals *t)
{
	struct spread s;
	int listed = 0;

	compute_spread(t, &s);
	printf("ranks      %.9f s (rank %zu) to %.9f s (rank %zu), mean "
	       "%.9f s\n",
	       to_seconds(t->end_ns[s.least]), s.least,
	       to_seconds(t->end_ns[s.most]), s.most, s.mean * 1e-9);
	for (size_t i = 0; i < t->ranks && listed < RANKS_LISTED; i++) {
		double off = (double)t->end_ns[i] - s.mean;

		if (t->ranks > RANKS_LISTED && fabs(off) <= FAR * s.deviation)
			continue;
		printf("  rank %-5zu %.9f s\n", i, to_seconds(t->end_ns[i]));
		listed++;
	}
}

void sim_totals_print_text(const struct sim_totals *t,
			   const struct sim_named *n, int64_t measured_ns,
			   const struct sim_outcome *own)
{
	int64_t total = sim_totals_run_ns(t);
	char name[300];

	printf("%s: %zu rank%s on %d host%s of %s, engine %s\n",
	       tape_clean(n->input, name, sizeof name), t->ranks,
	       t->ranks == 1 ? "" : "s", n->hosts, n->hosts == 1 ? "" : "s",
	       n->machine, n->engine);
	printf("predicted  %.9f s\n", to_seconds(total));
	if (measured_ns > 0 && total == measured_ns)
		printf("measured   the same\n");
	else if (measured_ns > 0)
		printf("measured   %.9f s: the prediction is %.2f%% %s\n",
		       to_seconds(measured_ns),
		       fabs((double)(total - measured_ns)) /
			   (double)measured_ns * 100,
		       total < measured_ns ? "shorter" : "longer");
	if (*n->measure)
		printf("computations by %s\n", n->measure);
	if (*n->waits)
		printf("in the trace %s\n", n->waits);
	print_ranks(t);
	if (!own)
		return;
	printf("%" PRIu64 " actions, %" PRIu64 " messages, %" PRIu64
	       " collectives; at most %zu messages in flight\n",
	       own->actions, own->messages, own->rounds, own->max_in_flight);
	if (own->unknown)
		printf("%" PRIu64
		       " collectives have no known algorithm: all members are "
		       "assumed to leave at the same time\n",
		       own->unknown);
	printf("%s; %s\n",
	       own->cores ? "ranks share the processors of their hosts"
			  : "each rank has a processor",
	       n->links ? "messages share links"
			: "messages do not slow each other down");
}

/* ---- JSON ---- */

static void print_member(const char *name, const char *value)
{
	printf("  \"%s\": ", name);
	tape_json_string(value);
	printf(",\n");
}

void sim_totals_print_json(const struct sim_totals *t,
			   const struct sim_named *n, int64_t measured_ns,
			   const struct sim_outcome *own)
{
	printf("{\n");
	print_member("input", n->input);
	print_member("engine", n->engine);
	print_member("machine", n->machine);
	print_member("computations", n->measure);
	print_member("waits_for_processors", n->waits);
	printf("  \"ranks\": %zu,\n  \"hosts\": %d,\n", t->ranks, n->hosts);
	printf("  \"actions\": %" PRIu64 ",\n", t->actions);
	if (own)
		printf("  \"messages\": %" PRIu64 ",\n"
		       "  \"collectives\": %" PRIu64 ",\n"
		       "  \"collectives_unknown\": %" PRIu64 ",\n"
		       "  \"messages_under_way\": %zu,\n",
		       own->messages, own->rounds, own->unknown,
		       own->max_in_flight);
	printf("  \"links_shared\": %s,\n", n->links ? "true" : "false");
	printf("  \"predicted_ns\": %" PRId64 ",\n", sim_totals_run_ns(t));
	if (measured_ns > 0)
		printf("  \"measured_ns\": %" PRId64 ",\n", measured_ns);
	else
		printf("  \"measured_ns\": null,\n");
	printf("  \"rank_ns\": [");
	for (size_t i = 0; i < t->ranks; i++)
		printf("%s%" PRId64, i ? ", " : "", t->end_ns[i]);
	printf("]\n}\n");
}
