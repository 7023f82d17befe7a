/* Ratios of counters of ranks; see counter_ratios.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counter_ratios.h"

enum counted { CYCLES, INSTRUCTIONS, MISSES, COUNTED };
enum { RATIOS = 2, NAMES = 6 };

/* Events of PAPI, the wider cache first. */
static const char *const counter_name[COUNTED][NAMES] = {
    [CYCLES] = {"PAPI_TOT_CYC", "perf::CYCLES", "perf::CPU-CYCLES"},
    [INSTRUCTIONS] = {"PAPI_TOT_INS", "perf::INSTRUCTIONS"},
    [MISSES] = {"PAPI_L3_TCM", "PAPI_L2_TCM", "PAPI_L1_TCM",
		"perf::CACHE-MISSES", "PAPI_L2_DCM", "PAPI_L1_DCM"},
};

static const struct ratio {
	enum counted above;
	double times; /* instructions */
	const char *text, *member;
} ratio[RATIOS] = {
    {CYCLES, 1, "cycles per instruction", "cycles_per_instruction"},
    {MISSES, 1000, "cache misses per 1000 instructions",
     "cache_misses_per_1000_instructions"},
};

/* The counter of a rank, by the names in their order; -1: none. */
static int find_counter(const struct tape_rank_info *r, enum counted which)
{
	for (int i = 0; i < NAMES && counter_name[which][i]; i++)
		for (uint32_t k = 0; k < r->n_counters; k++)
			if (!strcmp(r->counters[k].name,
				    counter_name[which][i]))
				return (int)k;
	return -1;
}

static int compare_ranks(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* One record of a flow: of a ratio, what is above and below. */
static void add_record(const struct stats *s, const struct stats_counted *p,
		       const struct ratio *q, double sum[2])
{
	const struct tape_rank_info *r =
	    tape_trace_rank(s->t, tape_trace_flow(s->t, p->flow)->rank);
	int above = find_counter(r, q->above);
	int below = find_counter(r, INSTRUCTIONS);

	if (above < 0 || below < 0)
		return;
	sum[0] += p->of[above].outside;
	sum[1] += p->of[below].outside;
}

/* The ratio of these ranks in of[0], of the others in of[1]; 0: not known. */
static int find_ratio(const struct stats *s, const int *rank, size_t n,
		      const struct ratio *q, double of[2])
{
	double sum[2][2] = {{0, 0}, {0, 0}};
	const struct stats_counted *p;
	size_t at = 0;
	uint64_t key;

	while ((p = tape_table_each(&s->counted, &at, &key))) {
		int *other = bsearch(&tape_trace_flow(s->t, p->flow)->rank,
				     rank, n, sizeof *rank, compare_ranks);

		add_record(s, p, q, sum[!other]);
	}
	for (int i = 0; i < 2; i++)
		of[i] = q->times * sum[i][0] / sum[i][1];
	return sum[0][1] > 0 && sum[1][1] > 0;
}

const char *stats_counters_text(const struct stats *s, const int *rank,
				size_t n, char *text, size_t size)
{
	const char *before = " (";
	size_t at = 0;
	double of[2];

	*text = '\0';
	for (size_t i = 0; i < RATIOS && at < size; i++) {
		if (!find_ratio(s, rank, n, &ratio[i], of))
			continue;
		at += (size_t)snprintf(text + at, size - at,
				       "%s%.2f %s, the others %.2f", before,
				       of[0], ratio[i].text, of[1]);
		before = "; ";
	}
	if (at && at < size)
		snprintf(text + at, size - at, ")");
	return text;
}

void stats_print_counters_json(const struct stats *s, const int *rank,
			       size_t n, FILE *f)
{
	const char *before = "{";
	double of[2];

	fputs(",\"counters\":", f);
	for (size_t i = 0; i < RATIOS; i++) {
		if (!find_ratio(s, rank, n, &ratio[i], of))
			continue;
		fprintf(f, "%s\"%s\":[%.6g,%.6g]", before, ratio[i].member,
			of[0], of[1]);
		before = ",";
	}
	fputs(*before == '{' ? "null" : "}", f);
}
