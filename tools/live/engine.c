/* Follows one trace to its end; see live.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crew.h"
#include "cut.h"
#include "damage.h"
#include "live.h"
#include "output.h"
#include "phases.h"
#include "report_html.h"
#include "result_name.h"
#include "tool.h"

/* Events between two looks at the clock. */
enum { OFTEN = 512 };

struct engine {
	const struct live_options *o;
	struct live_shared *shared;
	const char *dir, *name;
	struct live_source *source;
	struct live_crew *crew; /* NULL: alone */
	int together;		/* it can meet the others */
	struct tape_bytes copy;
	struct stats_reading *reading;
	struct live_shot *shot;
	struct live_plug plug;
	struct tape_cut *cut; /* NULL: no window is kept */
	struct tape_analysis *analysis;
	int out;
	int64_t next;
	int over; /* all is read: nothing is to be shown but the end */
	/* of the last snapshot, what the pipe did not take yet */
	char *rest;
	size_t n_rest, at_rest;
};

/* Writes what the pipe takes; wait: all of it. */
static void drain(struct engine *e, int wait)
{
	int flags = fcntl(e->out, F_GETFL);

	(void)fcntl(e->out, F_SETFL,
		    wait ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
	while (e->at_rest < e->n_rest) {
		ssize_t n =
		    write(e->out, e->rest + e->at_rest, e->n_rest - e->at_rest);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		e->at_rest += (size_t)n;
	}
	if (e->at_rest >= e->n_rest || wait) {
		free(e->rest);
		e->rest = NULL;
		e->n_rest = e->at_rest = 0;
	}
}

static void shoot(struct engine *e, struct stats *s, const char *state)
{
	int rows = atomic_load(&e->shared->rows);
	int columns = atomic_load(&e->shared->columns);
	FILE *f;

	/* who shows it is slow: the next one will do */
	drain(e, 0);
	if (e->n_rest)
		return;
	f = tape_must(open_memstream(&e->rest, &e->n_rest));
	live_shot_take(e->shot, e->source, s, state);
	fputc(SHOT_JSON, f);
	live_shot_json(e->shot, f);
	if (rows > 0) {
		fputc(SHOT_VIEW, f);
		live_shot_view(e->shot, f, rows, columns);
		fputc('\n', f);
	}
	if (fclose(f))
		tape_die(TAPE_FAILED, "out of memory");
	drain(e, 0);
}

/* Of all processes together. */
static void shoot_all(struct engine *e)
{
	struct stats *s = stats_so_far(e->reading), *all;

	if (!e->crew) {
		shoot(e, s, "running");
		return;
	}
	all = stats_with_copies(s, live_crew_copies(e->crew));
	shoot(e, all, "running");
	stats_copy_free(all);
}

/* What process 0 shows of this one. */
static void send_copy(struct engine *e)
{
	if (!e->reading)
		return;
	live_crew_behind(e->crew, live_source_own_behind(e->source));
	stats_copy(stats_so_far(e->reading), &e->copy);
	live_crew_send(e->crew, &e->copy);
}

/* While a flow is waited for: do others of the crew wait for this one? */
static void attend(struct engine *e)
{
	if (e->together && live_source_hungry(e->source) &&
	    live_crew_called(e->crew) && tape_analysis_attend(e->analysis))
		tape_die(TAPE_FAILED, "%s", tape_analysis_error(e->analysis));
	if (live_crew_me(e->crew))
		live_crew_send(e->crew, NULL);
	else
		live_crew_copies(e->crew);
}

static void tick(void *self)
{
	struct engine *e = self;
	int64_t now;

	if (e->over)
		return;
	if (e->crew)
		attend(e);
	now = live_now();
	if (now < e->next)
		return;
	e->next = now + (int64_t)(e->o->every_s * 1e9);
	if (e->reading)
		live_plug_flush(&e->plug);
	if (live_crew_me(e->crew)) {
		send_copy(e);
		return;
	}
	if (e->reading)
		shoot_all(e);
	else
		shoot(e, NULL, "waiting");
}

/* While this one waits for others of the crew. */
static void idle(void *self)
{
	struct engine *e = self;

	if (e->source)
		live_source_hunger(e->source);
	tick(e);
}

static void found(void *self, const struct tape_found *f)
{
	const struct engine *e = self;

	live_plug_feed(&e->plug, f);
	if (e->cut && f->item)
		tape_cut_item(e->cut, tape_analysis_replay(e->analysis),
			      f->item);
}

/* What a window of the trace is called. */
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

/* Alone, or with others, each of its ranks. */
static void begin_window(struct engine *e, struct tape_trace *t,
			 const char *name)
{
	const struct live_options *o = e->o;
	struct tape_analysis *a = stats_so_far(e->reading)->analysis;
	struct tape_guest guest = {tape_cut_meets, tape_cut_hears,
				   tape_cut_allows, NULL};

	if (!e->crew) {
		e->cut = tape_cut_new(t, name, o->from_ns, o->to_ns);
		return;
	}
	e->cut = tape_cut_new_part(t, name, o->from_ns, o->to_ns,
				   tape_analysis_replay(a),
				   live_crew_peers(e->crew));
	guest.self = e->cut;
	tape_analysis_invite(a, &guest);
}

/* Whoever is told what is found. */
static void watch(struct engine *e, size_t number, struct tape_trace *t)
{
	char name[4400];

	if (e->o->window) {
		name_window(e, number, name, sizeof name);
		begin_window(e, t, name);
	}
	if (!e->plug.plugins && !e->cut)
		return;
	e->analysis = stats_watch(e->reading, found, e);
	if (e->cut) /* it may begin between any two items */
		tape_replay_split_marks(tape_analysis_replay(e->analysis));
	live_plug_begin(&e->plug, t, e->analysis, live_crew_peers(e->crew));
}

static void end_window(struct engine *e)
{
	if (e->cut &&
	    !tape_cut_end(e->cut, tape_analysis_replay(e->analysis),
			  "tapelive") &&
	    !live_crew_me(e->crew))
		tape_warn("%s: no event was in the window", e->name);
	e->cut = NULL;
}

static struct stats *read_all(struct engine *e)
{
	unsigned n = 0;

	while (stats_step(e->reading)) {
		live_source_fed(e->source);
		if (!(++n % OFTEN))
			tick(e);
	}
	live_plug_over(&e->plug);
	end_window(e);
	e->over = 1;
	if (e->crew)
		live_crew_behind(e->crew, live_source_own_behind(e->source));
	return stats_close(e->reading);
}

static int wants_phases(const struct live_options *o)
{
	return o->answer.all || o->answer.wanted[STAT_PHASES] || o->report ||
	       (o->answer.format == SHEET_AS_JSON && !o->answer.any);
}

/* A rank may have more threads than there is room for (tape_follow.h). */
static void not_followed(const struct engine *e, const struct tape_trace *t)
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
		snprintf(path, sizeof path, ", nor those of %zu more ranks",
			 ranks - 1);
	if (ranks)
		tape_warn("%s: threads of rank %d from number %d on are not "
			  "followed%s: the figures are without them",
			  e->name, first, from, path);
}

/* What the report lacks, in a line. */
static void notes(const struct engine *e, const struct stats *s)
{
	const struct live_options *o = e->o;
	double now, worst;

	if (*live_source_ended(e->source))
		tape_warn("%s: %s; the figures are of what had come", e->name,
			  live_source_ended(e->source));
	if (!stats_whole(s) && !tape_analysis_disk_was_full(s->analysis))
		tape_warn("%s: causes of waiting and the critical path are "
			  "not known: more than %zu MiB (--history) would "
			  "have had to be kept",
			  e->name, o->history >> 20);
	now = tape_analysis_clock_error(s->analysis, &worst);
	if (worst > 0)
		tape_warn("%s: the %zu clocks were brought together while it "
			  "ran: times are known to %.3g us, at the worst to "
			  "%.3g us",
			  e->name, tape_trace_domains(s->t), now / 1e3,
			  worst / 1e3);
	if (stats_groups_unsure(s))
		tape_warn("%s: members of PVM groups changed: which of their "
			  "calls belong together was found as they came, and "
			  "what they waited may not be what tapestat says of a "
			  "trace that is kept",
			  e->name);
	not_followed(e, s->t);
	if (wants_phases(o) && !stats_has_phases(s))
		tape_warn("%s: phases are not known: more than %zu MiB "
			  "(--history) would have had to be kept, or there was "
			  "no room for it",
			  e->name, o->history >> 20);
}

/* The program's part of the page at the end. */
static void chapter(const struct engine *e, struct stats *s)
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

/* Opens it, alone or with others. */
static void open_all(struct engine *e, size_t number)
{
	struct tape_trace *t;
	struct stats *s;
	size_t limit = e->o->history;

	e->source = live_source_open(e->o, e->dir, e->name, e->shared, e->crew,
				     tick, e);
	t = live_source_trace(e->source);
	e->crew = live_source_crew(e->source);
	e->reading = stats_open_part(t, 0, live_crew_peers(e->crew));
	s = stats_so_far(e->reading);
	if (e->crew && limit)
		limit = limit / (size_t)s->peers->n + 1;
	tape_analysis_limit(s->analysis, limit);
	if (wants_phases(e->o))
		stats_keep_phases(s, limit);
	watch(e, number, t);
	e->analysis = s->analysis;
	e->together = e->crew != NULL;
}

/* What one says for all. */
static void tell(struct engine *e, struct stats *s)
{
	tape_damage_warn(s->t);
	if (!s->events)
		tape_die(TAPE_FAILED, "%s: not one event is in it", e->name);
	notes(e, s);
	stat_answer_print(s, &e->o->answer);
	if (fflush(stdout) || ferror(stdout))
		tape_die(TAPE_FAILED, "standard output: %s", strerror(errno));
	chapter(e, s);
	drain(e, 1);
	shoot(e, s, "over");
	drain(e, 1);
}

void live_engine(const struct live_options *o, const char *dir,
		 const char *name, size_t number, struct live_shared *shared,
		 struct live_crew *crew, int out)
{
	struct engine e = {
	    .o = o,
	    .dir = dir,
	    .name = name,
	    .shared = shared,
	    .crew = crew,
	    .out = out,
	};
	struct stats *s;

	e.shot = live_shot_new(number, name, o->plugged);
	e.plug = (struct live_plug){o->plugged, (uint32_t)number + 1};
	if (crew)
		live_crew_idle(crew, idle, &e);
	open_all(&e, number);
	s = read_all(&e);
	e.reading = NULL;
	if (!live_crew_me(e.crew))
		tell(&e, s);
	live_shot_free(e.shot);
	stats_free(s);
	live_source_close(e.source);
	exit(TAPE_DONE);
}
