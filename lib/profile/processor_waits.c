/* Waiting for a processor, summed up; see processor_waits.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "duration_text.h"
#include "processor_waits.h"
#include "ready_waits.h"
#include "tool.h"

/* Of all waiting: a smaller share is not looked for. */
static const double least_share = 0.01;

/*
 * What the report tells: at least so much, and at most so uncertain, unless
 * much of the waiting is certainly for a processor.
 */
static const double told_share = 0.1, unknown_share = 0.5, much_share = 0.25;

static void add_share(struct tape_ready *sum, const struct tape_ready *one)
{
	sum->from_ns += one->from_ns;
	sum->to_ns += one->to_ns;
}

static void add_pair_share(struct stats *s, const struct tape_sync *w,
			   const struct tape_ready *share)
{
	uint64_t from =
	    (uint64_t)tape_trace_flow(s->t, w->late_flow)->rank;
	uint64_t to = (uint64_t)tape_trace_flow(s->t, w->flow)->rank;
	struct stats_pair *p =
	    tape_table_find(&s->pairs, (from << 32 | to) + 1);

	if (p)
		add_share(&p->ready, share);
}

/* The same sums as those of a wait (event_sums.c). */
static void add_wait(void *own, const struct tape_sync *w,
		     const struct tape_ready *share)
{
	struct stats *s = own;
	uint16_t call = tape_place_get(s->places, w->call)->call;
	struct stats_waits one = {.call = w->call,
				  .kind = w->kind,
				  .flow = w->flow,
				  .late_flow = w->late_flow};

	add_share(&s->ready, share);
	add_share(&stats_get_waits(s, &one)->ready, share);
	add_share(&s->flow[w->flow].ready, share);
	if (w->kind == TAPE_WAIT_END)
		return;
	add_share(&stats_get_place(s, w->call)->ready, share);
	if (w->kind == TAPE_WAIT_LATE_SENDER)
		add_pair_share(s, w, share);
	else if (call && w->kind != TAPE_WAIT_LATE_RECEIVER &&
		 w->kind != TAPE_WAIT_LOCK)
		add_share(&s->coll[call].ready, share);
}

static double sum_waiting(const struct stats *s)
{
	double ns = 0;

	for (size_t i = 0; i < s->flows; i++)
		ns += s->flow[i].waiting_ns;
	return ns;
}

void stats_sum_processor_waits(struct stats *s)
{
	if (!s->delays.is_ready_known ||
	    s->delays.ready.to_ns < least_share * sum_waiting(s))
		return;
	s->has_ready = 1;
	if (tape_ready_waits_find(s->analysis, add_wait, s))
		tape_die_no_memory();
}

int stats_is_ready_told(const struct stats *s)
{
	double ns = sum_waiting(s), all_ns = stats_all_lengths(s);

	return s->has_ready && ns >= ANSWER_LEAST_SHARE * all_ns &&
	       s->ready.from_ns >= told_share * ns &&
	       (s->ready.from_ns >= much_share * ns ||
		s->ready.to_ns - s->ready.from_ns <= unknown_share * ns);
}

void stats_ready_text(const struct stats *s, char *text, size_t size)
{
	char share[80], all[TAPE_DURATION_TEXT_BYTES];

	*text = '\0';
	if (stats_is_ready_told(s))
		snprintf(text, size,
			 "Waiting for a processor was %s of the %s of waiting "
			 "for other ranks",
			 stats_bounds_text(&s->ready, share, sizeof share),
			 tape_duration_text(sum_waiting(s), all, sizeof all));
}

void stats_print_ready_json(const struct stats *s,
			    const struct tape_ready *ready, FILE *f)
{
	if (s->has_ready)
		fprintf(f, ",\"processor_s\":[%.15g,%.15g]",
			ready->from_ns / 1e9, ready->to_ns / 1e9);
	else
		fputs(",\"processor_s\":null", f);
}

struct tape_ready stats_without_ready(double ns, const struct tape_ready *ready)
{
	return (struct tape_ready){fmax(0, ns - ready->to_ns),
				   fmax(0, ns - ready->from_ns)};
}

const char *stats_bounds_text(const struct tape_ready *r, char *text,
			      size_t size)
{
	char from[TAPE_DURATION_TEXT_BYTES], to[TAPE_DURATION_TEXT_BYTES];

	tape_duration_text(r->from_ns, from, sizeof from);
	tape_duration_text(r->to_ns, to, sizeof to);
	if (strcmp(from, to))
		snprintf(text, size, "%s to %s", from, to);
	else
		snprintf(text, size, "%s", to);
	return text;
}
