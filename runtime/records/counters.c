/* Counters at the events of a flow; see counters.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "counters.h"
#include "define.h"
#include "publish.h"
#include "message.h"

/* What one reading delivers: our own counters, then PAPI's events. */
enum { VALUES = TAPE_BUILTIN_COUNT + TAPE_COUNTERS_MAX };

/* Pairs of readings that tell what reading itself counts. */
enum { PAIRS = 64 };

static const char *const units[TAPE_BUILTIN_COUNT] = {
	[TAPE_BUILTIN_CPU] = "ns",
	[TAPE_BUILTIN_MINOR_FAULTS] = "count",
	[TAPE_BUILTIN_MAJOR_FAULTS] = "count",
	[TAPE_BUILTIN_VOLUNTARY_SWITCHES] = "count",
	[TAPE_BUILTIN_INVOLUNTARY_SWITCHES] = "count",
	[TAPE_BUILTIN_MAX_RSS] = "KiB",
};

/* ---- reading ---- */

static void read_usage(int64_t *v)
{
	struct rusage u;

	if (getrusage(RUSAGE_THREAD, &u))
		return;
	v[TAPE_BUILTIN_MINOR_FAULTS] = u.ru_minflt;
	v[TAPE_BUILTIN_MAJOR_FAULTS] = u.ru_majflt;
	v[TAPE_BUILTIN_VOLUNTARY_SWITCHES] = u.ru_nvcsw;
	v[TAPE_BUILTIN_INVOLUNTARY_SWITCHES] = u.ru_nivcsw;
	v[TAPE_BUILTIN_MAX_RSS] = u.ru_maxrss;
}

/* The counters of f now; those that cannot be read stand still. */
static void read_now(struct tape_flow *f, int64_t *now)
{
	const struct tape_counters *c = &tape_process.counters;
	struct tape_counting *own = &f->counting;
	int64_t v[VALUES];
	struct timespec t;
	int papi = 0;

	if (c->papi && own->papi.n_sets) {
		papi = !tape_papi_read(c->papi, &own->papi,
				       v + TAPE_BUILTIN_COUNT);
		if (!papi)
			tape_say("rank %d, thread %d: PAPI can no longer be "
				 "read; its counters keep their last values",
				 f->rank, f->thread);
	}
	if (c->rusage)
		read_usage(v);
	if (c->cpu) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		v[TAPE_BUILTIN_CPU] = (int64_t)t.tv_sec * 1000000000 +
				      t.tv_nsec;
	}
	for (uint32_t k = 0; k < own->n; k++)
		now[k] = c->value[k] < TAPE_BUILTIN_COUNT || papi
				 ? v[c->value[k]]
				 : own->last[k];
}

void tape_counters_zero(struct tape_flow *f)
{
	if (f->counting.n)
		read_now(f, f->counting.last);
}

/* What was counted so far is kept, whatever is measured in between. */
void tape_counters_pause(struct tape_flow *f)
{
	struct tape_counting *c = &f->counting;

	if (!c->n || c->pauses++)
		return;
	read_now(f, c->so_far);
	for (uint32_t k = 0; k < c->n; k++)
		c->so_far[k] -= c->last[k];
}

void tape_counters_resume(struct tape_flow *f)
{
	struct tape_counting *c = &f->counting;

	if (!c->n || --c->pauses)
		return;
	read_now(f, c->last);
	for (uint32_t k = 0; k < c->n; k++)
		c->last[k] -= c->so_far[k];
}

void tape_counters_enter(struct tape_flow *f)
{
	struct tape_counting *c = &f->counting;
	int64_t now[TAPE_COUNTERS_MAX];

	read_now(f, now);
	for (uint32_t k = 0; k < c->n; k++) {
		c->event[k].before = now[k] - c->last[k];
		c->event[k].inside = 0;
		c->last[k] = now[k];
	}
}

void tape_counters_leave(struct tape_flow *f)
{
	struct tape_counting *c = &f->counting;
	int64_t now[TAPE_COUNTERS_MAX];

	read_now(f, now);
	for (uint32_t k = 0; k < c->n; k++) {
		c->event[k].inside = now[k] - c->last[k];
		c->last[k] = now[k];
	}
}

/* ---- storing ---- */

void tape_counters_store(struct tape_flow *f, struct tape_count *counts)
{
	uint32_t n = f->counting.n;
	unsigned char *end, code;

	for (uint32_t k = 0; k < n; k += TAPE_COUNTS_RECORD) {
		end = tape_put_counts(f->p, &code, counts, k, n);
		if (end != f->p)
			tape_publish(f, end, code);
	}
	memset(counts, 0, n * sizeof *counts);
}

/* ---- start and end ---- */

/* Adds a part of the sentence: what is left out, and why. */
static void append_left_out(char *why, size_t n, const char *name,
			    const char *reason)
{
	size_t used = strlen(why);

	snprintf(why + used, n - used, "%s%s (%s)", used ? ", " : "", name,
		 reason);
}

/*
 * Which of the values read is the counter of that name? -1 where it cannot be
 * had; PAPI is loaded at its first event.
 */
static int find_counter_value(struct tape_counters *c, const char *name,
			      char *reason, size_t n)
{
	int value = tape_config_counter(name);

	if (value < TAPE_BUILTIN_COUNT)
		return value;
	if (!c->papi && !*reason)
		c->papi = tape_papi_load(reason, n);
	if (!c->papi || tape_papi_add(c->papi, name, reason, n))
		return -1;
	return value + (int)tape_papi_events(c->papi) - 1;
}

void tape_counters_start(struct tape_flow *f, char *why, size_t n)
{
	struct tape_config *config = &tape_process.config;
	struct tape_counters *c = &tape_process.counters;
	char reason[256] = "";

	*why = '\0';
	for (uint32_t k = 0; f && k < config->n_counters; k++) {
		const char *name = config->counters[k];
		int value = find_counter_value(c, name, reason, sizeof reason);

		if (value < 0) {
			append_left_out(why, n, name, reason);
			continue;
		}
		c->cpu |= value == TAPE_BUILTIN_CPU;
		c->rusage |= value > TAPE_BUILTIN_CPU &&
			     value < TAPE_BUILTIN_COUNT;
		/* from here on the settings have those that there are */
		memmove(config->counters[c->n], name, TAPE_COUNTER_NAME);
		c->value[c->n++] = (uint32_t)value;
	}
	if (!f)
		return;
	config->n_counters = c->n;
	tape_counters_thread(f);
}

void tape_counters_thread(struct tape_flow *f)
{
	const struct tape_counters *c = &tape_process.counters;
	int failed = 0;

	if (!c->n)
		return;
	if (c->papi) {
		/* one at a time: which descriptors are whose? */
		tape_lock();
		failed = tape_papi_start(c->papi, &f->counting.papi);
		tape_unlock();
	}
	if (failed)
		tape_say("rank %d, thread %d: PAPI cannot start counting; the "
			 "thread's counters stay 0",
			 f->rank, f->thread);
	f->counting.n = c->n;
	if (!tape_process.config.counters_at_regions)
		f->extras |= TAPE_EXTRA_COUNTERS;
	tape_counters_zero(f);
}

static void disable_counters(struct tape_flow *f)
{
	f->counting.n = 0;
	f->extras &= ~(uint32_t)TAPE_EXTRA_COUNTERS;
}

void tape_counters_thread_end(struct tape_flow *f)
{
	if (f->counting.n && tape_process.counters.papi) {
		tape_lock();
		tape_papi_stop(tape_process.counters.papi, &f->counting.papi);
		tape_unlock();
	}
	disable_counters(f);
}

void tape_counters_child(struct tape_flow *f)
{
	tape_papi_child(&f->counting.papi);
	disable_counters(f);
}

/* In MPI_Init, on a stack that is large enough. */
TAPE_ON_OWN_STACK

/* What two readings, one right after the other, differ by at least. */
static void own_counts(struct tape_flow *f, int64_t *least)
{
	int64_t was[TAPE_COUNTERS_MAX] = { 0 }, now[TAPE_COUNTERS_MAX] = { 0 };

	read_now(f, was);
	for (int i = 0; i < PAIRS; i++) {
		read_now(f, now);
		for (uint32_t k = 0; k < f->counting.n; k++) {
			int64_t d = now[k] - was[k];

			if (!i || d < least[k])
				least[k] = d;
		}
		memcpy(was, now, sizeof was);
	}
}

void tape_counters_define(struct tape_flow *f)
{
	const struct tape_config *config = &tape_process.config;
	const struct tape_counters *c = &tape_process.counters;
	int64_t own[TAPE_COUNTERS_MAX] = { 0 };
	char name[3 * TAPE_COUNTER_NAME + 8], unit[256];

	own_counts(f, own);
	for (uint32_t k = 0; k < c->n; k++) {
		uint32_t v = c->value[k], other = v - TAPE_BUILTIN_COUNT;
		const char *is = v < TAPE_BUILTIN_COUNT
					 ? units[v]
					 : tape_papi_unit(c->papi, other);

		tape_define("counter %u %s %s %s %lld\n", k,
			    tape_escape(name, sizeof name, config->counters[k]),
			    tape_escape(unit, sizeof unit, is),
			    config->counters_at_regions ? "regions" : "events",
			    (long long)own[k]);
	}
}
TAPE_ON_OWN_STACK_END
