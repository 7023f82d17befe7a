/* The reader's contract as checks; see walk.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

#define MUST(condition) \
	((condition) ? (void)0 : broken(__LINE__, #condition))

__attribute__((noreturn)) static void broken(int line, const char *what)
{
	fprintf(stderr, "%s:%d: the reader broke its contract: %s\n", __FILE__,
		line, what);
	abort();
}

/* Reads every byte of a string, so that address checks see it. */
static size_t touch(const char *s)
{
	return s ? strlen(s) : 0;
}

void fuzz_check_sentence(int code, const char *sentence, const char *file)
{
	MUST(code < 0 && *tape_error_text(code));
	MUST(sentence && *sentence);
	if (code == TAPE_ENOMEM)
		return;
	MUST(strstr(sentence, file));
}

/* ---- definitions ---- */

static void walk_rank(const struct tape_trace *t, int rank)
{
	const struct tape_rank_info *r = tape_trace_rank(t, rank);
	size_t ranks = tape_trace_ranks(t);

	MUST(r && r->rank == rank);
	MUST(r->domain < tape_trace_domains(t));
	touch(r->host);
	touch(r->note);
	for (size_t i = 0; i < r->n_sites; i++) {
		const struct tape_site_info *s = &r->sites[i];

		if (!s->call)
			continue;
		MUST(i && s->id == i && s->line >= 0);
		MUST(*tape_call_name(s->call) != '?');
		MUST((s->file || s->module) && s->function);
		MUST(!s->module == !s->symbol && (!s->from || s->module));
		touch(s->file);
		touch(s->module);
		touch(s->symbol);
		touch(s->function);
		if (s->from)
			touch(s->from->build_id);
	}
	for (size_t i = 0; i < r->n_comms; i++) {
		const struct tape_comm_info *c = &r->comms[i];

		if (!c->index)
			continue;
		MUST(i && c->index == i && c->id && c->size > 0 && c->members);
		MUST(c->side >= -1 && c->side <= 1);
		MUST(c->own && c->own_size > 0);
		MUST(c->side >= 0 ||
		     (c->own == c->members && c->own_size == c->size));
		for (int k = 0; k < c->own_size; k++)
			MUST(c->own[k] >= -1 && c->own[k] < (int)ranks);
		for (size_t k = 0; k < c->n_sources; k++)
			MUST(c->sources[k] >= -1);
		touch(c->name);
		for (int k = 0; k < c->size; k++)
			MUST(c->members[k] >= -1 &&
			     c->members[k] < (int)ranks);
	}
	for (size_t i = 0; i < r->n_groups; i++)
		for (size_t k = 0; k < r->groups[i].n; k++)
			MUST(r->groups[i].ranks[k] >= -1 &&
			     r->groups[i].ranks[k] < (int)ranks);
	for (size_t i = 0; i < r->n_regions; i++)
		touch(r->regions[i]);
	MUST(r->n_counters <= TAPE_COUNTERS_MAX);
	for (uint32_t i = 0; i < r->n_counters; i++) {
		MUST(r->counters[i].name && r->counters[i].unit);
		MUST(!(r->counters[i].at_regions & ~1));
		touch(r->counters[i].name);
		touch(r->counters[i].unit);
	}
	MUST(r->slept_ns >= 0);
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		MUST(r->alpha_before[c] >= 0 && r->alpha_after[c] >= 0);
}

static void walk_domain(const struct tape_trace *t, uint32_t index)
{
	const struct tape_domain_info *d = tape_trace_domain(t, index);
	static const uint64_t ticks[] = { 0, 1, UINT64_MAX / 2, UINT64_MAX };
	int64_t lo, hi;

	MUST(d && d->index == index && d->name && d->n_pieces);
	touch(d->name);
	for (size_t i = 0; i < d->n_pieces; i++) {
		MUST(d->pieces[i].rate > 0);
		MUST(!i || d->pieces[i].tick0 > d->pieces[i - 1].tick0);
		tape_trace_date(t, index, d->pieces[i].tick0);
		tape_trace_interval(t, index, d->pieces[i].tick0, &lo, &hi);
		MUST(lo == d->pieces[i].lo_ns && hi == d->pieces[i].hi_ns);
		tape_trace_interval(t, index, d->pieces[i].tick0 + 1, &lo, &hi);
	}
	for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
		tape_trace_date(t, index, ticks[i]);
		tape_trace_interval(t, index, ticks[i], &lo, &hi);
	}
	MUST(tape_trace_tick_ns(t, index) > 0);
}

static void walk_definitions(const struct tape_trace *t)
{
	const struct tape_sample *s;
	size_t n;

	MUST(tape_trace_ranks(t) && tape_trace_domains(t));
	MUST(!tape_trace_rank(t, -1));
	MUST(!tape_trace_rank(t, (int)tape_trace_ranks(t)));
	MUST(!tape_trace_domain(t, (uint32_t)tape_trace_domains(t)));
	MUST(!tape_trace_flow(t, tape_trace_flows(t)));
	MUST(tape_trace_base(t) <= TAPE_BASE_COMPENSATED);
	for (n = 0; n < 4; n++)
		touch(tape_trace_meta(t, "history", n));
	for (size_t r = 0; r < tape_trace_ranks(t); r++)
		walk_rank(t, (int)r);
	for (size_t d = 0; d < tape_trace_domains(t); d++)
		walk_domain(t, (uint32_t)d);
	s = tape_trace_samples(t, &n);
	for (size_t i = 0; i < n; i++)
		MUST(s[i].domain < tape_trace_domains(t) &&
		     (s[i].after == 0 || s[i].after == 1));
}

/* ---- events ---- */

static void check_fields(const struct tape_rank_info *r,
			 const struct tape_event *e)
{
	union tape_fields copy = e->u;
	struct tape_field f;

	for (unsigned i = 0; tape_class_field(e->class_, i, &f); i++) {
		int64_t v = tape_field_get(&e->u, &f);

		MUST(!tape_field_set(&copy, &f, v));
		if (e->call && !strcmp(f.name, "comm") && v)
			MUST((size_t)v < r->n_comms && r->comms[v].index);
	}
}

/* Threads are bounded by the names of flow files. */
#define THREAD_MAX 1000000

static void check_done(const struct tape_event *e, const struct tape_done *d)
{
	uint64_t n = d->request & (((uint64_t)1 << TAPE_REQUEST_SHIFT) - 1);

	MUST(d->arrived <= 2 && d->kind <= TAPE_DONE_CANCELLED);
	/* bytes from memory may claim any thread */
	if (d->request && e->thread >= 0 && e->thread <= THREAD_MAX)
		MUST(n && d->request >> TAPE_REQUEST_SHIFT <= THREAD_MAX);
}

/* It is about a call site or a region, one of them. */
static void check_counted(const struct tape_rank_info *r,
			  const struct tape_event *e)
{
	const struct tape_counted *u = &e->u.counted;

	MUST(!u->region || (u->region < r->n_regions &&
			    r->regions[u->region]));
	MUST(!u->site || (u->site < r->n_sites && r->sites[u->site].call));
	MUST(!u->site || !u->region);
	MUST(u->site || u->region);
	MUST(!e->also_call || e->also_call == r->sites[u->site].call);
}

/* What was skipped is of a call site or a region; what was kept of none. */
static void check_block(const struct tape_rank_info *r,
			const struct tape_event *e)
{
	const struct tape_block *u = &e->u.block;

	MUST(!u->region || (u->region < r->n_regions &&
			    r->regions[u->region]));
	MUST(!u->site || (u->site < r->n_sites && r->sites[u->site].call));
	MUST(u->kind <= TAPE_BLOCK_REPEATS);
	MUST(u->kind & 1 ? !u->site && !u->region : !u->site != !u->region);
	MUST(e->inside_ns >= 0);
}

/* Who keeps an event copies all of it. */
static void touch_all(const struct tape_event *e)
{
	volatile unsigned char sum = 0;

	for (size_t i = 0; i < sizeof *e; i++)
		sum ^= ((const unsigned char *)e)[i];
	(void)sum;
}

static void check_event(const struct tape_trace *t, const struct tape_event *e)
{
	const struct tape_rank_info *r = tape_trace_rank(t, e->rank);

	touch_all(e);
	MUST(r && e->class_ < TAPE_CLASS_COUNT);
	MUST(e->end_ns >= e->start_ns);
	MUST(e->alpha_before_ns >= 0 && isfinite(e->alpha_before_ns));
	MUST(e->alpha_after_ns >= 0 && isfinite(e->alpha_after_ns));
	MUST(e->polls == 1 || (e->polls > 0 &&
			       (tape_event_failed(e->class_, &e->u) ||
				e->class_ == TAPE_CLASS_PACK)));
	MUST(tape_event_alpha_within(e) >= 0);
	MUST(e->earlier_ns >= 0 && e->later_ns >= 0);
	if (e->call) {
		MUST(e->site < r->n_sites &&
		     r->sites[e->site].call == e->call);
		MUST(e->class_ == tape_call_class(e->call));
		check_fields(r, e);
	} else {
		MUST(!e->site);
		if (e->class_ == TAPE_CLASS_ENTER ||
		    e->class_ == TAPE_CLASS_LEAVE)
			MUST(e->region < r->n_regions &&
			     r->regions[e->region]);
		if (e->class_ == TAPE_CLASS_COUNTED)
			check_counted(r, e);
		if (e->class_ == TAPE_CLASS_BLOCK)
			check_block(r, e);
	}
	MUST(e->n_counts == r->n_counters);
	for (uint32_t i = 0; !e->call && i < e->n_counts; i++)
		MUST(!e->counts[i].inside);
	MUST(!e->request || tape_event_creates(e->class_, &e->u));
	for (uint32_t i = 0; i < e->n_done; i++)
		check_done(e, &e->done[i]);
}

size_t fuzz_walk_flow(struct tape_trace *t, struct tape_flow *f)
{
	const struct tape_event *e;
	int64_t last = INT64_MIN;
	uint64_t lost = 0;
	size_t n = 0;
	int rc;

	for (; (rc = tape_flow_next(f, &e)) == 1; n++) {
		check_event(t, e);
		MUST(e->start_ns >= last);
		last = e->start_ns;
	}
	MUST(rc <= 0);
	MUST(tape_flow_next(f, &e) == rc && tape_flow_next(f, &e) == rc);
	if (rc)
		MUST(rc == TAPE_ENOMEM ||
		     strstr(tape_flow_error(f), ": offset "));
	MUST(tape_flow_end(f, &lost) <= TAPE_END_ERROR);
	return n;
}

/* Each flow by itself; their events in all, or an error. */
/* Does the trace know why the rest of the flow is not there? */
static int says(const struct tape_trace *t, size_t flow, const char *text)
{
	const char *damage = tape_trace_damage(t, flow, NULL);

	return damage && !strcmp(damage, text);
}

static int walk_flows(struct tape_trace *t, size_t *events, char *text,
		      size_t size)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int rc = 0;

	*events = 0;
	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		const struct tape_flow_info *info = tape_trace_flow(t, i);
		int bad = tape_flow_open(t, i, &f);

		/* what is wrong with a file comes with its first event */
		MUST(!bad || bad == TAPE_ENOMEM);
		if (bad) {
			snprintf(text, size, "%s", tape_trace_error(t));
			return bad;
		}
		*events += fuzz_walk_flow(t, f);
		bad = tape_flow_next(f, &e);
		if (bad) {
			snprintf(text, size, "%s", tape_flow_error(f));
			fuzz_check_sentence(bad, text, info->file);
			MUST(bad == TAPE_ENOMEM || says(t, i, text));
			rc = bad;
		} else {
			MUST(!tape_trace_damage(t, i, NULL));
		}
		tape_flow_close(f);
	}
	return rc;
}

/* All flows at once: the same events in order, ties by flow. */
static void walk_merge(struct tape_trace *t, size_t events)
{
	const struct tape_event *e;
	int64_t last = INT64_MIN;
	struct tape_merge *m;
	uint32_t flow = 0;
	size_t n = 0;
	int rc = tape_merge_open(t, &m);

	if (rc) {
		MUST(rc == TAPE_ENOMEM && !m);
		return;
	}
	for (; (rc = tape_merge_next(m, &e)) == 1; n++) {
		check_event(t, e);
		MUST(e->start_ns >= last);
		MUST(e->start_ns > last || e->flow >= flow);
		last = e->start_ns;
		flow = e->flow;
	}
	MUST(rc <= 0 && tape_merge_next(m, &e) == rc);
	/* damage ends its own flow only */
	MUST(!rc || rc == TAPE_ENOMEM);
	MUST(rc || n == events);
	touch(tape_merge_error(m));
	for (size_t i = 0; !rc && i < tape_trace_flows(t); i++)
		MUST(tape_merge_end(m, i, NULL) <= TAPE_END_ERROR);
	tape_merge_close(m);
}

int fuzz_walk_trace(const char *path, char *text, size_t size)
{
	struct tape_trace *t;
	size_t events;
	int rc;

	*text = '\0';
	rc = tape_trace_open(path, &t);
	if (rc) {
		snprintf(text, size, "%s", tape_trace_error(t));
		fuzz_check_sentence(rc, text, path);
	} else {
		MUST(!strcmp(tape_trace_path(t), path));
		walk_definitions(t);
		rc = walk_flows(t, &events, text, size);
		walk_merge(t, events);
	}
	tape_trace_close(t);
	return rc;
}
