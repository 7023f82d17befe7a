/* The course of a replay; see order_course.h. */
#include <sched.h>
#include <stdio.h>

#include "core.h"
#include "message.h"
#include "order_course.h"
#include "order_read.h"
#include "ticks.h"

static __thread int is_thread __attribute__((tls_model("initial-exec")));
static const struct tape_order_words *words;
static int is_free;
/* Failures so far of the next decision: of its call, of its other call. */
static uint64_t n_failed[2];

void tape_order_choose_thread(void)
{
	is_thread = 1;
}

int tape_order_is_thread(void)
{
	return is_thread;
}

void tape_order_begin_course(const struct tape_order_words *w)
{
	words = w;
	is_free = 0;
	n_failed[0] = n_failed[1] = 0;
}

int tape_order_is_free(void)
{
	return is_free;
}

/* The call site, or "". */
static const char *find_site(void)
{
	return words->call_site ? words->call_site() : "";
}

void tape_order_depart(const char *expected, const char *got)
{
	if (!is_free)
		tape_say("rank %d departs from the record at decision %llu"
			 "%s%s%s: expected %s, got %s; it goes on in its own "
			 "order",
			 tape_process.rank,
			 (unsigned long long)tape_order_position(),
			 words->call_site ? " (" : "", find_site(),
			 words->call_site ? ")" : "", expected, got);
	is_free = 1;
}

const char *tape_order_describe(const struct tape_order_decision *d, char *to,
				size_t n)
{
	const char *name = words->call_name(d->call);
	char source[64];

	if (d->kind != TAPE_DECISION_RECEIVED &&
	    d->kind != TAPE_DECISION_FOUND) {
		snprintf(to, n, "%s", name);
		return to;
	}
	words->name_source(d->source, source, sizeof source);
	snprintf(to, n, "%s from %s, tag %d", name, source, d->tag);
	return to;
}

static int has_other_call(const struct tape_order_decision *d, unsigned call)
{
	return d->kind == TAPE_DECISION_FAILED_BOTH && d->other_call == call;
}

const struct tape_order_decision *tape_order_follow(unsigned call,
						    unsigned kinds)
{
	const struct tape_order_decision *d;
	char text[160];

	if (is_free || !is_thread)
		return NULL;
	d = tape_order_peek();
	if (d && TAPE_DECISION_BIT(d->kind) & kinds &&
	    (d->call == call || has_other_call(d, call)))
		return d;
	if (d)
		tape_order_describe(d, text, sizeof text);
	tape_order_depart(d ? text
			  : tape_order_count_posts() == UINT64_MAX
			      ? "nothing (the recorded run was killed)"
			      : words->last_call,
			  words->call_name(call));
	return NULL;
}

int tape_order_take_failure(unsigned call, unsigned kinds)
{
	const unsigned failures = TAPE_DECISION_BIT(TAPE_DECISION_FAILED) |
				  TAPE_DECISION_BIT(TAPE_DECISION_FAILED_BOTH);
	const struct tape_order_decision *d =
	    tape_order_follow(call, kinds | failures);

	if (!d || !(TAPE_DECISION_BIT(d->kind) & failures))
		return 0;
	n_failed[d->call != call]++;
	if (n_failed[0] >= d->number && n_failed[1] >= d->other_number) {
		n_failed[0] = n_failed[1] = 0;
		tape_order_advance();
	}
	return 1;
}

/* After so many vain attempts a wait yields; it reads the clock as rarely. */
enum { EAGER_POLLS = 64 };

int tape_order_give_up(struct tape_order_patience *w, unsigned call)
{
	uint64_t limit_ns = tape_process.config.replay_wait * 1000000000ull;
	uint64_t now;

	if (++w->polls < EAGER_POLLS)
		return 0;
	sched_yield();
	if (w->polls % EAGER_POLLS)
		return 0;
	now = tape_raw_ns();
	if (!w->start_ns)
		w->start_ns = now;
	if (now - w->start_ns >= limit_ns / 2 && !w->was_said) {
		w->was_said = 1;
		tape_say("rank %d waits in %s for what the record has there "
			 "(decision %llu%s%s)",
			 tape_process.rank, words->call_name(call),
			 (unsigned long long)tape_order_position(),
			 words->call_site ? "; " : "", find_site());
	}
	if (now - w->start_ns < limit_ns)
		return 0;
	w->start_ns = now;
	tape_order_depart("what does not come", words->call_name(call));
	return 1;
}

void tape_order_end_course(void)
{
	const struct tape_order_decision *d =
	    is_free ? NULL : tape_order_peek();
	char text[160];

	if (d)
		tape_order_depart(tape_order_describe(d, text, sizeof text),
				  words->last_call);
	is_free = 1;
}
