/* Races as text; taperaces(1) explains the lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "damage.h"
#include "duration_text.h"
#include "place.h"
#include "race_sums.h"

enum { EXAMPLES = 5 };

/* "MPI_Recv main (x.c:9)" */
static const char *site_text(const struct race_site *r, char *text, size_t n)
{
	char place[TAPE_PLACE_BYTES];

	snprintf(text, n, "%s %s", tape_call_name(r->site->call),
		 tape_place_text(r->site, place, sizeof place));
	return text;
}

/* "0", "0-3" or "3 ranks" */
static const char *ranks_text(const struct race_site *r, char *text, size_t n)
{
	int first = r->rank[0], last = r->rank[r->n_ranks - 1];

	if (r->n_ranks == 1)
		snprintf(text, n, "%d", first);
	else if ((size_t)(last - first) + 1 == r->n_ranks)
		snprintf(text, n, "%d-%d", first, last);
	else
		snprintf(text, n, "%zu ranks", r->n_ranks);
	return text;
}

static void print_sentence(const struct race_sums *s)
{
	char text[2 * TAPE_PLACE_BYTES];

	printf("%s  %zu ranks\n", tape_trace_path(s->t),
	       tape_ranks_there(s->t));
	if (!s->calls) {
		puts("No call depends on when messages arrive");
		return;
	}
	if (!s->racing) {
		printf("None of %" PRIu64 " calls that take what comes first "
		       "could have ended otherwise\n",
		       s->calls);
		return;
	}
	printf("%" PRIu64 " of %" PRIu64 " calls that take what comes first "
	       "could have ended otherwise; first: %s\n",
	       s->racing, s->calls, site_text(&s->site[0], text, sizeof text));
	if (s->is_classified)
		printf("By the times without tracing, %" PRIu64 " might have "
		       "ended otherwise, and %" PRIu64 " would\n",
		       s->open, s->turned);
}

static void print_table(const struct race_sums *s)
{
	char ranks[64], text[2 * TAPE_PLACE_BYTES];

	printf("\n   calls   racing    first");
	if (s->is_classified)
		printf("     open   turned");
	printf("  ranks     call\n");
	for (size_t i = 0; i < s->n_sites; i++) {
		const struct race_site *r = &s->site[i];

		printf("%8" PRIu64 " %8" PRIu64 " %8" PRIu64, r->calls,
		       r->racing, r->first);
		if (s->is_classified)
			printf(" %8" PRIu64 " %8" PRIu64, r->open, r->turned);
		printf("  %-8s  %s\n", ranks_text(r, ranks, sizeof ranks),
		       site_text(r, text, sizeof text));
	}
}

/* "rank 2 (tag 5)" */
static void print_message(const struct race_message *m)
{
	printf("the message of rank %d (tag %" PRId32 ")", m->from, m->tag);
}

static void print_example(const struct race_sums *s, const struct race_site *r)
{
	char text[2 * TAPE_PLACE_BYTES], time[TAPE_DURATION_TEXT_BYTES];
	const struct race_call *c = &r->call;
	double apart = (double)(r->rival.sent_ns - c->took.sent_ns);

	printf("%s at %s: rank %d took ", site_text(r, text, sizeof text),
	       tape_duration_text((double)(c->start_ns - s->start_ns), time,
				  sizeof time),
	       c->rank);
	if (c->took.from < 0)
		printf("no message");
	else
		print_message(&c->took);
	printf(", not ");
	print_message(&r->rival);
	if (c->took.from >= 0 && c->took.sent_ns != INT64_MIN)
		printf(", sent %s %s",
		       tape_duration_text(apart < 0 ? -apart : apart, time,
					  sizeof time),
		       apart < 0 ? "earlier" : "later");
	puts("");
}

void race_print_text(const struct race_sums *s)
{
	int n = 0;

	print_sentence(s);
	if (s->n_sites)
		print_table(s);
	for (size_t i = 0; i < s->n_sites && n < EXAMPLES; i++)
		if (s->site[i].has_example) {
			if (!n++)
				puts("");
			print_example(s, &s->site[i]);
		}
	if (s->limits.forgotten)
		printf("\n%" PRIu64 " calls were not compared with all "
		       "messages: memory is limited\n",
		       s->limits.forgotten);
	if (s->limits.ranks)
		printf("\nCalls of %" PRIu64 " ranks were only counted: memory "
		       "is limited\n",
		       s->limits.ranks);
}
