/* The run as a whole, and the end of its sums; see sums.h. */
#include <stdlib.h>

#include "phase_log.h"
#include "phases.h"
#include "sums.h"

void stats_find_run(struct stats *s)
{
	s->from_ns = INT64_MAX;
	s->to_ns = INT64_MIN;
	for (size_t i = 0; i < s->flows; i++) {
		const struct stats_flow *f = &s->flow[i];

		if (!f->span.seen)
			continue;
		if (f->span.from_ns < s->from_ns)
			s->from_ns = f->span.from_ns;
		if (f->span.to_ns > s->to_ns)
			s->to_ns = f->span.to_ns;
	}
	if (s->from_ns > s->to_ns)
		s->from_ns = s->to_ns = 0;
}

int stats_has_history(const struct stats *s)
{
	return !s->forgot && tape_analysis_is_complete(s->analysis);
}

void stats_free(struct stats *s)
{
	if (!s)
		return;
	stats_free(s->measured);
	free(s->as_measured);
	for (size_t i = 0; i < s->n_places; i++)
		free(s->place[i].histogram);
	free(s->place);
	free(s->flow);
	tape_table_free(&s->parts);
	tape_table_free(&s->waits);
	tape_table_free(&s->pairs);
	tape_table_free(&s->counted);
	tape_table_free(&s->outside);
	tape_table_free(&s->within);
	tape_table_free(&s->met);
	tape_table_free(&s->objects);
	tape_table_free(&s->regions);
	tape_delays_free(&s->delays);
	tape_path_free(&s->path);
	tape_system_free(s->system);
	tape_not_recorded_free(s->missing);
	tape_unmatched_free(s->unpaired);
	free(s->ends);
	free(s->notes.list);
	stats_free_phases(s->phases);
	tape_analysis_close(s->analysis);
	phase_log_free(s->log);
	free(s);
}
