/* Which setting would leave a place out; see report.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

/* Of the total time; less is not worth a gap in the trace. */
static const double worth = 0.01;

/* Of so many events, those of a rank, on the average. */
static double of_a_rank(const struct report *p, uint64_t events)
{
	size_t seen = 0;

	for (size_t i = 0; i < tape_trace_ranks(p->inputs->t); i++)
		seen += p->r->ranks[i].seen != 0;
	return (double)events / (double)(seen ? seen : 1);
}

/* Events per second of a rank, on the average. */
static double rate_of(const struct report *p, uint64_t events)
{
	return 1e9 * of_a_rank(p, events) /
	       fmax((double)(p->r->last_ns - p->r->first_ns), 1);
}

int report_advice(const struct report *p, const struct blame_place *b,
		  char *text)
{
	double total = (double)(p->r->last_ta - p->r->first_ta);
	unsigned class_ = b->site ? tape_call_class(b->site->call)
				  : TAPE_CLASS_ENTER;

	/* packing, removed for another library, is none of the tracer's */
	if (fmin(b->reached_ns, b->alpha_ns) < worth * total || !b->events)
		return 0;
	if (!b->site && b->region) {
		snprintf(text, REPORT_SETTING_BYTES, "marks=-%s", b->region);
		for (char *at = text; *at; at++)
			if (strchr(" ,'\"$`\\&;|<>()", *at))
				*at = '?'; /* matches it, for the shell too */
		return 1;
	}
	if (!b->site || of_a_rank(p, b->events) <= 1)
		return 0;
	if (class_ == TAPE_CLASS_LOCAL) {
		snprintf(text, REPORT_SETTING_BYTES, "calls=-%s",
			 tape_call_name(b->site->call));
		return 1;
	}
	if (b->events < 1000)
		return 0;
	snprintf(text, REPORT_SETTING_BYTES, "max_rate=%.0f",
		 ceil(rate_of(p, p->r->events) - rate_of(p, b->events) / 2));
	return 1;
}
