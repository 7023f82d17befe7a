/* The trace as measured; see measured_trace.h. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "damage.h"
#include "measured_trace.h"
#include "parallel_sums.h"
#include "resolve.h"
#include "tool.h"

struct measured_trace {
	struct tape_trace *t;
	struct tape_peers *peers;
	pthread_t thread;
	int has_thread;
};

struct tape_trace *stats_open_trace(const char *path)
{
	struct tape_trace *t;

	if (tape_trace_open(path, &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	tape_resolve(t);
	return t;
}

static void *read_in_thread(void *self)
{
	const struct measured_trace *m = self;

	return stats_read_sums(m->t, 1, 1);
}

/* Returns 1 if this process may use several processors. */
static int has_processors(void)
{
	cpu_set_t may;

	return !sched_getaffinity(0, sizeof may, &may) && CPU_COUNT(&may) > 1;
}

struct measured_trace *measured_trace_open(const char *path,
					   const struct tape_trace *t,
					   struct tape_peers *peers)
{
	struct measured_trace *m = tape_must(calloc(1, sizeof *m));

	m->peers = peers;
	m->t = stats_open_trace(path);
	if (tape_trace_base(m->t) == TAPE_BASE_COMPENSATED)
		tape_die(TAPE_FAILED,
			 "--measured %s: this trace is already corrected. Give "
			 "the trace before tico",
			 path);
	if (tape_trace_ranks(m->t) != tape_trace_ranks(t))
		tape_die(TAPE_FAILED,
			 "%s is of another run: %zu ranks, not "
			 "%zu",
			 path, tape_trace_ranks(m->t), tape_trace_ranks(t));
	m->has_thread = !peers && has_processors() &&
			!pthread_create(&m->thread, NULL, read_in_thread, m);
	return m;
}

void measured_trace_read(struct measured_trace *m, struct stats *s)
{
	void *sums = NULL;

	if (m->peers) {
		sums = stats_read_with(m->t, 1, m->peers);
	} else if (!m->has_thread || pthread_join(m->thread, &sums)) {
		sums = stats_read_sums(m->t, 1, 0);
	}
	tape_analysis_clear_history(((struct stats *)sums)->analysis);
	stats_set_measured(s, sums);
	tape_damage_warn(m->t);
}

void measured_trace_close(struct measured_trace *m)
{
	if (m)
		tape_trace_close(m->t);
	free(m);
}
