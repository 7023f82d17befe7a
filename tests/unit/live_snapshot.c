/* Rates between snapshots of a run: against a clock set by hand. */
#include <math.h>

#include "snapshot.h"
#include "tap.h"

static int64_t clock_ns;

/* the clock, and a source that is never asked for anything */
int64_t live_now_ns(void)
{
	return clock_ns;
}

int64_t live_source_start_ns(const struct live_source *s)
{
	(void)s;
	return 0;
}

const char *live_source_end_reason(const struct live_source *s)
{
	(void)s;
	return "";
}

uint64_t live_source_unread_bytes(const struct live_source *s)
{
	(void)s;
	return 0;
}

int live_source_is_starved(const struct live_source *s)
{
	(void)s;
	return 0;
}

/* The rate of events in a snapshot taken at ms, when there are events. */
static double rate_at(struct live_snapshot *p, int64_t ms, uint64_t events)
{
	clock_ns = 1000000 * ms;
	live_snapshot_take(p, NULL, NULL, "running");
	p->events = events;
	return live_snapshot_rate(p, (double)p->events, (double)p->events_then);
}

int main(void)
{
	struct live_snapshot *p = live_snapshot_new(0, "app.tape", NULL);

	ok(isnan(rate_at(p, 1000, 500)), "the first snapshot has no rate");
	ok(rate_at(p, 2000, 1500) == 1000, "1000 events in a second");
	ok(rate_at(p, 2100, 1700) == 2000, "200 events in a tenth of one");
	ok(fabs(rate_at(p, 2101, 1701) - 201 / 0.101) < 1e-6,
	   "1 ms later: the rate since the snapshot before that");
	ok(fabs(rate_at(p, 3101, 2701) - 1000) < 1e-6,
	   "and a second later since this one");
	live_snapshot_free(p);

	p = live_snapshot_new(0, "app.tape", NULL);
	rate_at(p, 1000, 0);
	ok(isnan(rate_at(p, 1001, 5600000)),
	   "the second snapshot after 1 ms has no rate");
	ok(isnan(rate_at(p, 1002, 5600000)), "nor has the third");
	ok(isfinite(rate_at(p, 1100, 5600000)), "the fourth has one");
	live_snapshot_free(p);
	return done();
}
