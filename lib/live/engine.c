/* The engine, which follows one trace to its end; see live.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parallel_sums.h"
#include "cut.h"
#include "damage.h"
#include "live.h"
#include "output.h"
#include "phases.h"
#include "report_html.h"
#include "result_name.h"
#include "tape_follow.h"
#include "tool.h"

/* Number of events between two checks of the time. */
enum { OFTEN = 512 };

struct engine {
	const struct live_options *o;
	struct live_shared *shared;
	const char *dir, *name;
	struct live_source *source;
	struct live_workers *workers; /* NULL: alone */
	int can_exchange; /* it can exchange records with its peers */
	struct tape_bytes copy;
	struct stats_reading *reading;
	struct live_snapshot *shot;
	struct live_plugin_feed plug;
	struct tape_cut *cut; /* NULL: no window is stored */
	struct tape_analysis *analysis;
	int out;
	int64_t next_ns;
	int is_complete; /* the whole trace is read: only the end is shown */
	/* the part of the last snapshot that is not written yet */
	char *pending;
	size_t n_pending, at_pending;
};

/* Writes pending output without blocking; wait: all of it. */
static void write_pending_output(struct engine *e, int wait)
{
	int flags = fcntl(e->out, F_GETFL);

	(void)fcntl(e->out, F_SETFL,
		    wait ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
	while (e->at_pending < e->n_pending) {
		ssize_t n = write(e->out, e->pending + e->at_pending,
				  e->n_pending - e->at_pending);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		e->at_pending += (size_t)n;
	}
	if (e->at_pending >= e->n_pending || wait) {
		free(e->pending);
		e->pending = NULL;
		e->n_pending = e->at_pending = 0;
	}
}

static void write_snapshot(struct engine *e, struct stats *s, const char *state)
{
	int rows = atomic_load(&e->shared->rows);
	int columns = atomic_load(&e->shared->columns);
	FILE *f;

	/* the reader is slow: it skips this snapshot */
	write_pending_output(e, 0);
	if (e->n_pending)
		return;
	f = tape_must(open_memstream(&e->pending, &e->n_pending));
	live_snapshot_take(e->shot, e->source, s, state);
	fputc(SNAPSHOT_JSON, f);
	live_snapshot_put_json(e->shot, f);
	if (rows > 0) {
		fputc(SNAPSHOT_VIEW, f);
		live_snapshot_put_text(e->shot, f, rows, columns);
		fputc('\n', f);
	}
	if (fclose(f))
		tape_die_no_memory();
	write_pending_output(e, 0);
}

/* Writes a snapshot of the sums of all workers. */
static void write_running_snapshot(struct engine *e)
{
	struct stats *s = stats_current(e->reading), *all;

	if (!e->workers) {
		write_snapshot(e, s, "running");
		return;
	}
	all = stats_merge_copies(s, live_workers_read_copies(e->workers));
	write_snapshot(e, all, "running");
	stats_copy_free(all);
}

/* Sends the sums of this worker to worker 0. */
static void send_copy(struct engine *e)
{
	if (!e->reading)
		return;
	live_workers_set_unread(e->workers, live_source_own_unread(e->source));
	stats_copy_sums(stats_current(e->reading), &e->copy);
	live_workers_send_copy(e->workers, &e->copy);
}

/* While this worker waits for a flow: serves the requests of its peers. */
static void serve_other_workers(struct engine *e)
{
	if (e->can_exchange && live_source_is_starved(e->source) &&
	    live_workers_has_request(e->workers) &&
	    tape_analysis_exchange(e->analysis))
		tape_die(TAPE_FAILED, "%s", tape_analysis_error(e->analysis));
	if (live_workers_index(e->workers))
		live_workers_send_copy(e->workers, NULL);
	else
		live_workers_read_copies(e->workers);
}

static void engine_tick(void *self)
{
	struct engine *e = self;
	int64_t now;

	if (e->is_complete)
		return;
	if (e->workers)
		serve_other_workers(e);
	now = live_now_ns();
	if (now < e->next_ns)
		return;
	e->next_ns = now + (int64_t)(e->o->every_s * 1e9);
	if (e->reading)
		live_plugins_flush(&e->plug);
	if (live_workers_index(e->workers)) {
		send_copy(e);
		return;
	}
	if (e->reading)
		write_running_snapshot(e);
	else
		write_snapshot(e, NULL, "waiting");
}

/* Called while this worker waits for its peers. */
static void idle_tick(void *self)
{
	struct engine *e = self;

	if (e->source)
		live_source_publish_starved(e->source);
	engine_tick(e);
}

static void add_found_item(void *self, const struct tape_found *f)
{
	const struct engine *e = self;

	live_plugins_feed(&e->plug, f);
	if (e->cut && f->item)
		tape_cut_item(e->cut, tape_analysis_replay(e->analysis),
			      f->item);
}

/* Sets the name of the window's trace. */
static void name_window(const struct engine *e, size_t number, char *name,
			size_t n)
{
	char ending[32];

	if (!e->o->output) {
		tape_output_name(e->dir, "window.tape", name, n);
	} else if (e->o->programs == 1) {
		snprintf(name, n, "%s", e->o->output);
	} else {
		snprintf(ending, sizeof ending, "-%zu.tape", number + 1);
		tape_result_name(e->o->output, ".tape", ending, name, n);
	}
}

/* Begins the window; in parallel each worker writes its own ranks. */
static void begin_window(struct engine *e, struct tape_trace *t,
			 const char *name)
{
	const struct live_options *o = e->o;
	struct tape_analysis *a = stats_current(e->reading)->analysis;
	struct tape_guest guest = {tape_cut_send_state, tape_cut_receive_state,
				   tape_cut_time_limit, NULL};

	if (!e->workers) {
		e->cut = tape_cut_new(t, name, o->from_ns, o->to_ns);
		return;
	}
	e->cut = tape_cut_new_part(t, name, o->from_ns, o->to_ns,
				   tape_analysis_replay(a),
				   live_workers_peers(e->workers));
	guest.self = e->cut;
	tape_analysis_set_guest(a, &guest);
}

/* Attaches the window and the plug-ins to the analysis. */
static void attach_consumers(struct engine *e, size_t number,
			     struct tape_trace *t)
{
	char name[4400];

	if (e->o->window) {
		name_window(e, number, name, sizeof name);
		begin_window(e, t, name);
	}
	if (!e->plug.plugins && !e->cut)
		return;
	e->analysis = stats_watch(e->reading, add_found_item, e);
	if (e->cut) /* the window may begin between any two items */
		tape_replay_split_marks(tape_analysis_replay(e->analysis));
	live_plugins_begin(&e->plug, t, e->analysis,
			   live_workers_peers(e->workers));
}

static void end_window(struct engine *e)
{
	if (e->cut &&
	    !tape_cut_end(e->cut, tape_analysis_replay(e->analysis),
			  "tapelive") &&
	    !live_workers_index(e->workers))
		tape_warn("%s: the window contains no events", e->name);
	e->cut = NULL;
}

static struct stats *read_whole_trace(struct engine *e)
{
	unsigned n = 0;

	while (stats_step(e->reading)) {
		live_source_mark_progress(e->source);
		if (!(++n % OFTEN))
			engine_tick(e);
	}
	live_plugins_end(&e->plug);
	end_window(e);
	e->is_complete = 1;
	if (e->workers)
		live_workers_set_unread(e->workers,
					live_source_own_unread(e->source));
	return stats_close(e->reading);
}

static int wants_phases(const struct live_options *o)
{
	return o->answer.all || o->answer.wanted[STAT_PHASES] || o->report ||
	       (o->answer.format == SHEET_AS_JSON && !o->answer.any);
}

/* Warns of threads beyond the limit of a followed rank (tape_follow.h). */
static void warn_of_missing_threads(const struct engine *e,
				    const struct tape_trace *t)
{
	size_t ranks = 0, flows = tape_trace_flows(t);
	int first = 0, from = 0;
	char path[4400];

	for (size_t i = 0; i < flows; i++) {
		const struct tape_flow_info *f = tape_trace_flow(t, i);

		if (i + 1 < flows && tape_trace_flow(t, i + 1)->rank == f->rank)
			continue;
		snprintf(path, sizeof path, "%s/flow.%d.%d", e->dir, f->rank,
			 f->thread + 1);
		if (access(path, F_OK) || ranks++)
			continue;
		first = f->rank;
		from = f->thread + 1;
	}
	*path = '\0';
	if (ranks > 1)
		snprintf(path, sizeof path, "; the same for %zu more ranks",
			 ranks - 1);
	if (ranks)
		tape_warn("%s: rank %d has too many threads: those from number "
			  "%d on are not analysed%s",
			  e->name, first, from, path);
}

/* Warns of everything that the report lacks. */
static void warn_of_gaps(const struct engine *e, const struct stats *s)
{
	const struct live_options *o = e->o;
	double now, worst;

	if (*live_source_end_reason(e->source))
		tape_warn(
		    "%s: %s; the figures cover the events received so far",
		    e->name, live_source_end_reason(e->source));
	if (!stats_has_history(s) && !tape_analysis_disk_was_full(s->analysis))
		tape_warn("%s: no causes of waiting and no critical path: the "
			  "call history exceeded %zu MiB. Raise --history",
			  e->name, o->history >> 20);
	now = tape_analysis_clock_error(s->analysis, &worst);
	if (worst > 0)
		tape_warn("%s: %zu clocks were synchronised online; timestamps "
			  "are uncertain by %.3g us (worst: %.3g us)",
			  e->name, tape_trace_domains(s->t), now / 1e3,
			  worst / 1e3);
	if (stats_has_unsure_groups(s))
		tape_warn("%s: PVM group membership changed. Group calls were "
			  "matched in arrival order, so their waiting times "
			  "may differ from tapestat on a stored trace",
			  e->name);
	warn_of_missing_threads(e, s->t);
	if (wants_phases(o) && !stats_has_phases(s))
		tape_warn(
		    "%s: no phases: the call history exceeded %zu MiB "
		    "(--history), or its temporary file could not be written",
		    e->name, o->history >> 20);
}

/* Saves the program's chapter of the report page. */
static void save_report_chapter(const struct engine *e, struct stats *s)
{
	const struct report_look look = {.graphs = 1,
					 .phases = stats_has_phases(s)};
	struct report_chapter *c;
	FILE *f;

	if (e->o->chapter < 0)
		return;
	f = tape_must(fdopen(e->o->chapter, "w"));
	c = report_chapter_new(s, &look);
	report_chapter_save(c, f);
	if (fclose(f))
		tape_die(TAPE_FAILED, "%s: %s", e->o->report, strerror(errno));
	report_chapter_free(c);
}

/* Opens the trace, in serial or in parallel. */
static void open_source(struct engine *e, size_t number)
{
	struct tape_trace *t;
	struct stats *s;
	size_t limit = e->o->history;

	e->source = live_source_open(e->o, e->dir, e->name, e->shared,
				     e->workers, engine_tick, e);
	t = live_source_trace(e->source);
	e->workers = live_source_workers(e->source);
	e->reading = stats_open_part(t, 0, live_workers_peers(e->workers));
	s = stats_current(e->reading);
	if (e->workers && limit)
		limit = limit / (size_t)s->peers->n + 1;
	tape_analysis_limit_history(s->analysis, limit);
	if (wants_phases(e->o))
		stats_keep_phases(s, limit);
	attach_consumers(e, number, t);
	e->analysis = s->analysis;
	e->can_exchange = e->workers != NULL;
}

/* Prints the results of all workers; called by worker 0. */
static void print_results(struct engine *e, struct stats *s)
{
	/* definitions that no event needs: the last counts of processors */
	if (tape_trace_catch_up(s->t))
		tape_warn("%s: %s", e->name, tape_trace_error(s->t));
	tape_damage_warn(s->t);
	if (!s->events)
		tape_die(TAPE_FAILED, "%s: the trace contains no events",
			 e->name);
	warn_of_gaps(e, s);
	stat_output_print(s, &e->o->answer);
	if (fflush(stdout) || ferror(stdout))
		tape_die(TAPE_FAILED, "standard output: %s", strerror(errno));
	save_report_chapter(e, s);
	write_pending_output(e, 1);
	write_snapshot(e, s, "over");
	write_pending_output(e, 1);
}

void live_run_engine(const struct live_options *o, const char *dir,
		     const char *name, size_t number,
		     struct live_shared *shared, struct live_workers *workers,
		     int out)
{
	struct engine e = {
	    .o = o,
	    .dir = dir,
	    .name = name,
	    .shared = shared,
	    .workers = workers,
	    .out = out,
	};
	struct stats *s;

	e.shot = live_snapshot_new(number, name, o->plugged);
	e.plug = (struct live_plugin_feed){o->plugged, (uint32_t)number + 1};
	if (workers)
		live_workers_on_idle(workers, idle_tick, &e);
	open_source(&e, number);
	s = read_whole_trace(&e);
	e.reading = NULL;
	if (!live_workers_index(e.workers))
		print_results(&e, s);
	live_snapshot_free(e.shot);
	stats_free(s);
	live_source_close(e.source);
	exit(TAPE_DONE);
}
