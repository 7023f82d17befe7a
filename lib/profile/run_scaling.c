/* How a program scales; see run_scaling.h. */
#include <math.h>
#include <stdlib.h>

#include "escape.h"
#include "run_efficiency.h"
#include "run_scaling.h"
#include "useful_time.h"

void run_figures_get(struct run_figures *r, const struct stats *s,
		     const char *name)
{
	*r = (struct run_figures){.name = name,
				  .ranks = s->ranks,
				  .times = stats_run_times(s),
				  .factors = stats_run_efficiency(s)};
	/* sums of computing do not scale if they contain waiting */
	if (stats_is_shared(s))
		r->factors = tape_efficiency_unknown;
}

/* Factors that are not known, for whatever reason, are not computed anew. */
static struct tape_scaling scaling_of(const struct run_figures *reference,
				      const struct run_figures *run,
				      int is_weak)
{
	struct tape_scaling s = tape_efficiency_scaling(
	    &reference->times, &run->times, is_weak);

	if (isnan(reference->factors.parallel) ||
	    isnan(run->factors.parallel))
		s.computation = s.global = NAN;
	return s;
}

struct sheet *run_scaling_table(const struct run_figures *r, size_t n,
				int is_weak, int has_names)
{
	struct sheet *h = sheet_new(
	    "runs", is_weak ? "Runs, compared with the first one, weak scaling"
			    : "Runs, compared with the first one");

	sheet_add_column(h, "run", SHEET_COUNT);
	sheet_add_column(h, "ranks", SHEET_COUNT);
	sheet_add_column(h, "length", SHEET_SECONDS);
	sheet_add_column(h, "speed-up", SHEET_RATIO);
	sheet_add_column(h, "balance", SHEET_PERCENT);
	sheet_add_column(h, "serial", SHEET_PERCENT);
	sheet_add_column(h, "transfer", SHEET_PERCENT);
	sheet_add_column(h, "comm", SHEET_PERCENT);
	sheet_add_column(h, "parallel", SHEET_PERCENT);
	sheet_add_column(h, "scaling", SHEET_PERCENT);
	sheet_add_column(h, "global", SHEET_PERCENT);
	if (has_names)
		sheet_add_column(h, "name", SHEET_NAME);
	for (size_t i = 0; i < n; i++) {
		struct tape_scaling s = scaling_of(&r[0], &r[i], is_weak);
		const struct tape_efficiency *e = &r[i].factors;

		sheet_put_number(h, (double)(i + 1));
		sheet_put_number(h, (double)r[i].ranks);
		sheet_put_number(h, r[i].times.run_ns);
		sheet_put_number(h, s.speed_up);
		sheet_put_number(h, e->load_balance);
		sheet_put_number(h, e->serialisation);
		sheet_put_number(h, e->transfer);
		sheet_put_number(h, e->communication);
		sheet_put_number(h, e->parallel);
		sheet_put_number(h, s.computation);
		sheet_put_number(h, s.global);
		if (has_names)
			sheet_put_text(h, r[i].name);
	}
	return h;
}

/* ---- a run that falls short ---- */

/* A factor of both runs. */
struct change {
	const char *name;
	double before, after;
};

enum { CHANGES = 4 };

/* The factors whose product is the global efficiency. */
static void list_changes(const struct run_figures *reference,
			 const struct run_figures *run, double computation,
			 struct change c[CHANGES])
{
	const struct tape_efficiency *a = &reference->factors;
	const struct tape_efficiency *b = &run->factors;
	int has_ideal = !isnan(a->transfer) && !isnan(b->transfer);

	c[0] = (struct change){"load balance", a->load_balance,
			       b->load_balance};
	c[1] = (struct change){"computation scaling", 1, computation};
	c[2] = has_ideal ? (struct change){"serialisation", a->serialisation,
					   b->serialisation}
			 : (struct change){"communication", a->communication,
					   b->communication};
	c[3] = has_ideal ? (struct change){"transfer", a->transfer, b->transfer}
			 : c[2];
}

static const struct change *find_worst_change(const struct change *c)
{
	const struct change *worst = c;

	for (const struct change *x = c; x < c + CHANGES; x++)
		if (x->after * worst->before < worst->after * x->before)
			worst = x;
	return worst;
}

int run_scaling_falls_short(const struct run_figures *reference,
			    const struct run_figures *run, int is_weak,
			    double share, char *text, size_t size)
{
	struct tape_scaling s = scaling_of(reference, run, is_weak);
	double part = s.global / reference->factors.parallel;
	const struct change *worst;
	struct change c[CHANGES];
	char name[1000];

	if (isnan(part)) {
		if (isnan(reference->factors.parallel))
			run = reference;
		snprintf(text, size, "%s: the efficiency is not known",
			 tape_clean(run->name, name, sizeof name));
		return -1;
	}
	if (part >= share)
		return 0;
	list_changes(reference, run, s.computation, c);
	worst = find_worst_change(c);
	snprintf(text, size,
		 "%s: the global efficiency is %.1f%%, %.3f of the reference's "
		 "%.1f%% and below %g of it: most by %s, %.1f%% after %.1f%%",
		 tape_clean(run->name, name, sizeof name), 100 * s.global, part,
		 100 * reference->factors.parallel, share, worst->name,
		 100 * worst->after, 100 * worst->before);
	return 1;
}
