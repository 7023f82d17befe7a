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
#include "live_answer.h"
#include "output.h"
#include "phases.h"
#include "report_html.h"
#include "result_name.h"
#include "snapshot.h"
#include "tape_follow.h"
#include "tool.h"

/* Number of events between two checks of the time. */
enum { OFTEN = 512 };
/* An answer so far is made if no more bytes than these are not read yet, and no
 * more of the call history are in its file. */
enum { MOST_UNREAD = 1 << 26, MOST_IN_FILE = 1 << 26 };

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
	/* the answer so far, of the copies of all workers */
	struct live_answering *answering;
	struct live_progress *progress[2];
	int latest;   /* of these two */
	int is_due;   /* a snapshot is, once there is an answer */
	FILE *answer; /* in the copy that answers: where to */
	struct where_states *states;
	int is_stopped; /* the states are those of the end */
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
	    (live_workers_has_request(e->workers) ||
	     live_workers_awaits_copy(e->workers)) &&
	    tape_analysis_exchange(e->analysis))
		tape_die(TAPE_FAILED, "%s", tape_analysis_error(e->analysis));
	if (live_workers_index(e->workers))
		live_workers_send_copy(e->workers, NULL);
	else
		live_workers_read_copies(e->workers);
}

/* ---- the answer so far ---- */

/* In a copy that stores no window: it adds nothing, ... */
static int skip_meeting(void *self)
{
	(void)self;
	return 0;
}

/* ... ignores the records of its peers, ... */
static int skip_record(void *self, int from, int now, unsigned kind,
		       const void *data)
{
	(void)self;
	(void)from;
	(void)now;
	(void)kind;
	(void)data;
	return 0;
}

/* ... and the analysis continues to the end. */
static int64_t allow_all(void *self)
{
	(void)self;
	return INT64_MAX;
}

/* In the copy: the window is of the process that it is a copy of. */
static void forget_window(struct engine *e)
{
	const struct tape_guest none = {skip_meeting, skip_record, allow_all,
					NULL};

	if (e->cut && e->workers)
		tape_analysis_set_guest(e->analysis, &none);
	e->cut = NULL;
}

/*
 * Makes the copy that answers. Returns 1 in the copy, 0 in this process, -1 if
 * there is none.
 */
static int make_copy(void *self)
{
	struct engine *e = self;

	if (!live_answering_start(e->answering, &e->answer))
		return -1;
	if (!e->answer)
		return 0;
	if (tape_trace_catch_up(live_source_trace(e->source)))
		tape_die_no_memory();
	live_source_detach(e->source);
	e->plug.plugins = NULL;
	e->is_complete = 1;
	stats_current(e->reading)->log = NULL;
	forget_window(e);
	if (tape_history_detach(tape_analysis_history(e->analysis)))
		tape_die_no_memory();
	return 1;
}

/*
 * Starts the copy that answers, unless it would read, or change, more than is
 * worth while. Returns 1 if it was started. Several workers are copied after
 * one of the next exchanges: then 0.
 */
static int start_answer(struct engine *e)
{
	const struct tape_history *h = tape_analysis_history(e->analysis);

	if (live_source_unread_bytes(e->source) > MOST_UNREAD ||
	    tape_history_file_bytes(h) > MOST_IN_FILE ||
	    !live_answering_may_start(e->answering))
		return 0;
	if (!e->workers)
		return make_copy(e) >= 0;
	if (live_workers_can_copy(e->workers))
		live_workers_request_copy(e->workers);
	return 0;
}

/* The answer that is shown from now on; text is owned. */
static void set_answer(struct engine *e, char *text)
{
	live_answer_free(e->shot->answer);
	e->shot->answer = live_answer_read(text);
	e->latest = !e->latest;
}

/* Takes the answer if it has come, and writes the snapshot that is due. */
static void take_answer(struct engine *e)
{
	int busy, was_busy = live_answering_is_busy(e->answering);
	char *text = live_answering_poll(e->answering, &busy);

	if (e->workers && busy && live_workers_copy_has_failed(e->workers)) {
		live_answering_stop(e->answering);
		busy = 0;
	}
	if (e->workers && was_busy && !busy)
		live_workers_end_copy(e->workers, !text);
	if (text && !live_workers_index(e->workers))
		set_answer(e, text);
	else
		free(text);
	if (e->is_due && !busy) {
		e->is_due = 0;
		write_running_snapshot(e);
	}
}

/* Called once no more events come: what each flow does now. */
static void stop_states(struct engine *e)
{
	if (!e->is_stopped++)
		where_states_stop(e->states, tape_analysis_replay(e->analysis));
}

static void add_to_states(struct engine *e, const struct tape_item *i)
{
	if (i->kind == TAPE_ITEM_END) {
		where_states_add_event(e->states, i->event);
		return;
	}
	if (i->event)
		return;
	stop_states(e);
	if (i->kind == TAPE_ITEM_MESSAGE)
		where_messages_add(e->states, i->message);
}

/* Returns the graph of the states at the end, which the caller frees; NULL in a
 * worker whose states are sent to worker 0. */
static struct wait_graph *make_graph(struct engine *e)
{
	struct where_states *w = e->states;

	stop_states(e);
	w->is_partial =
	    tape_not_recorded_text(stats_current(e->reading)->missing,
				   w->why_partial, sizeof w->why_partial);
	where_states_complete(w, tape_analysis_replay(e->analysis),
			      live_source_directory(e->source),
			      live_workers_peers(e->workers));
	return live_workers_index(e->workers) ? NULL : wait_graph_new(w);
}

/* In the copy: the run goes on, so what is open does not make it incomplete. */
__attribute__((noreturn)) static void write_answer(struct engine *e)
{
	struct wait_graph *g = make_graph(e);
	struct stats *s = stats_close(e->reading);

	if (live_workers_index(e->workers))
		live_answering_end(e->answer);
	s->incomplete = 0;
	s->unsent -= e->states->n_unsent;
	live_answer_write(e->answer, s, g, e->progress[e->latest],
			  e->progress[!e->latest]);
	live_answering_end(e->answer);
}

/* The answer of the whole run, for the last snapshot. */
static void answer_whole_run(struct engine *e, struct stats *s,
			     struct wait_graph *g)
{
	char *text;
	size_t n;
	FILE *to = tape_must(open_memstream(&text, &n));

	live_answer_write(to, s, g, e->progress[e->latest],
			  e->progress[!e->latest]);
	if (fclose(to))
		tape_die_no_memory();
	set_answer(e, text);
}

static void engine_tick(void *self)
{
	struct engine *e = self;
	int64_t now;

	if (e->is_complete)
		return;
	if (e->workers)
		serve_other_workers(e);
	if (e->answering)
		take_answer(e);
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
	if (!e->reading)
		write_snapshot(e, NULL, "waiting");
	else if (e->answering && !e->is_due && start_answer(e))
		e->is_due = 1;
	else
		write_running_snapshot(e);
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
	struct engine *e = self;

	if (f->item)
		add_to_states(e, f->item);
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

static struct stats *read_whole_trace(struct engine *e, struct wait_graph **g)
{
	unsigned n = 0;

	while (stats_step(e->reading)) {
		live_source_mark_progress(e->source);
		if (!(++n % OFTEN))
			engine_tick(e);
	}
	if (e->answer)
		write_answer(e);
	if (e->workers)
		live_workers_on_copy(e->workers, NULL, NULL);
	*g = make_graph(e);
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
	e->states = where_states_begin(t);
	live_progress_new(tape_trace_flows(t), e->progress);
	attach_consumers(e, number, t);
	e->analysis = s->analysis;
	e->can_exchange = e->workers != NULL;
	/* workers tick while they begin the window: no answer before that */
	e->answering = live_answering_new(e->workers ? s->peers->n : 1);
	if (e->workers)
		live_workers_on_copy(e->workers, make_copy, e);
}

/* Prints the results of all workers; called by worker 0. */
static void print_results(struct engine *e, struct stats *s,
			  struct wait_graph *g)
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
	answer_whole_run(e, s, g);
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
	struct wait_graph *g = NULL;
	struct stats *s;

	e.shot = live_snapshot_new(number, name, o->plugged);
	e.plug = (struct live_plugin_feed){o->plugged, (uint32_t)number + 1};
	if (workers)
		live_workers_on_idle(workers, idle_tick, &e);
	open_source(&e, number);
	s = read_whole_trace(&e, &g);
	e.reading = NULL;
	if (!live_workers_index(e.workers))
		print_results(&e, s, g);
	wait_graph_free(g);
	where_states_free(e.states);
	live_answering_free(e.answering);
	live_snapshot_free(e.shot);
	stats_free(s);
	live_source_close(e.source);
	exit(TAPE_DONE);
}
