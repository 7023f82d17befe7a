/*
 * Writes the results of an analysis as records for plug-ins. Only subscribed
 * records are created. See plugins.h and plug_ring.h.
 */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "hash_bits.h"
#include "own_marks.h"
#include "plugins_state.h"
#include "tool.h"

enum { SECOND = 1000000000 };

/* Numbers of the predefined types (tools/tapeplugin/board.h). */
enum { EVENT = 1, MESSAGE, ROUND, WAIT, REGION, PHASE, TICK, END };

/* The open regions of a flow. */
struct open_in {
	struct open_one {
		uint32_t place;
		int64_t since_ns;
	} * one;
	uint32_t n;
	size_t room;
};

struct feed {
	struct tape_plugins *p;
	uint32_t level;
	const struct tape_trace *t;
	struct tape_analysis *a;
	/*
	 * this process among the feeders of the level, from 0; number of
	 * feeders
	 */
	uint32_t number, of;
	struct tape_places *places;
	struct tape_replay *replay;
	struct open_in *open; /* by flow */
	size_t flows;
	uint64_t events, ticks;
	int64_t from_ns, to_ns, tick_ns;
	/* buffer of the round that is being written */
	struct tape_ks_round *round;
	size_t round_bytes;
	/* The fields of each class with these names. */
	struct fields {
		struct tape_field peer, tag, comm, size[2];
		unsigned sizes;
		int has_peer, has_tag, has_comm;
	} fields[TAPE_CLASS_COUNT];
};

static struct plug_out *level_output(const struct feed *f, const struct plug *g)
{
	return &g->out[plug_ring_index(g->feeders, f->level, f->number)];
}

/* The output to the i-th plug-in if it subscribes to a type; otherwise NULL. */
static struct plug_out *find_subscriber(const struct feed *f, size_t i,
					unsigned type)
{
	struct plug *g = f->p->plug[i];
	struct plug_out *o = level_output(f, g);

	return !g->gone && atomic_load_explicit(&o->ring->wants,
						memory_order_relaxed) >>
				   type &
			       1
		   ? o
		   : NULL;
}

/* A record has the number of a call in place of the pointer to its name. */
#define NAMED(n) ((const char *)(uintptr_t)(n))

/* ---- texts ---- */

static uint64_t mix_text(uint64_t h, const char *s)
{
	return tape_hash_bytes(h, s ? s : "", s ? strlen(s) + 1 : 1);
}

/* A key of a place: a hash of all that distinguishes places in tape_places. */
static uint64_t place_key(const struct tape_activity *a)
{
	const struct tape_site_info *s = a->site;
	const int32_t what[] = {(int32_t)a->kind, a->call,
				s && s->file ? s->line : 0};
	uint64_t h = tape_hash_bytes(TAPE_HASH_START, what, sizeof what);

	h = mix_text(h, a->name);
	if (s) {
		h = mix_text(h, s->file ? s->file : s->module);
		h = mix_text(h, s->function);
		if (!s->file)
			h = tape_hash_bytes(h, &s->address, sizeof s->address);
	}
	return h ? h : 1;
}

/* Sends the text of a place to the plug-in, once. Returns place. */
static uint32_t define_place(const struct feed *f, struct plug_out *o,
			     uint32_t place)
{
	char text[TAPE_PLACE_BYTES];
	struct plug_text *t;
	size_t n;

	if (place / 8 < o->defined_bytes &&
	    o->defined[place / 8] >> place % 8 & 1)
		return place;
	if (place / 8 >= o->defined_bytes) {
		n = place / 8 + 64 + o->defined_bytes / 2;
		o->defined = tape_must(realloc(o->defined, n));
		memset(o->defined + o->defined_bytes, 0, n - o->defined_bytes);
		o->defined_bytes = n;
	}
	o->defined[place / 8] |= (unsigned char)(1u << place % 8);
	tape_activity_text(f->places, place, text, sizeof text);
	n = strlen(text) + 1;
	t = plug_put(o, PLUG_TEXT, sizeof *t + n);
	if (t) {
		*t = (struct plug_text){
		    .key = place_key(tape_place_get(f->places, place)),
		    .number = place};
		memcpy(t + 1, text, n);
	}
	return place;
}

/* ---- events ---- */

static void find_fields(struct feed *f)
{
	struct tape_field d;

	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++) {
		struct fields *k = &f->fields[c];
		int receives = c == TAPE_CLASS_RECV || c == TAPE_CLASS_PROBE;

		for (unsigned i = 0; tape_class_field(c, i, &d); i++) {
			if (!strcmp(d.name, "comm")) {
				k->comm = d;
				k->has_comm = 1;
			} else if (!strcmp(d.name, "root") ||
				   !strcmp(d.name,
					   receives ? "actual_peer" : "peer")) {
				k->peer = d;
				k->has_peer = 1;
			} else if (!strcmp(d.name,
					   receives ? "actual_tag" : "tag")) {
				k->tag = d;
				k->has_tag = 1;
			} else if ((!strcmp(d.name, "bytes") ||
				    !strcmp(d.name, "rbytes")) &&
				   k->sizes < 2) {
				k->size[k->sizes++] = d;
			}
		}
	}
}

static uint64_t event_bytes(const struct fields *k, const struct tape_event *e)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < k->sizes; i++)
		sum += (uint64_t)tape_field_get(&e->u, &k->size[i]);
	for (uint32_t i = 0; i < e->n_done; i++)
		if (e->done[i].kind == TAPE_DONE_RECV)
			sum += e->done[i].bytes;
	return sum;
}

static uint64_t comm_id(const struct feed *f, int rank, uint32_t comm)
{
	const struct tape_rank_info *r = tape_trace_rank(f->t, rank);

	return r && comm < r->n_comms && r->comms[comm].index
		   ? r->comms[comm].id
		   : 0;
}

/* Fills an entry, which is the same for all plug-ins. */
static void fill_event(const struct feed *f, const struct tape_event *e,
		       struct tape_ks_event *to)
{
	const struct fields *k = &f->fields[e->class_];
	size_t n;
	const uint32_t *in = tape_replay_regions(f->replay, e->flow, &n);
	uint32_t comm =
	    k->has_comm ? (uint32_t)tape_field_get(&e->u, &k->comm) : 0;

	*to = (struct tape_ks_event){
	    .rank = e->rank,
	    .thread = e->thread,
	    .site = tape_place_from_site(f->places, e->rank, e->site, e->call),
	    .region =
		n ? tape_place_from_region(f->places, e->rank, in[n - 1]) : 0,
	    .call = NAMED(e->call),
	    .start_ns = e->start_ns,
	    .end_ns = e->end_ns,
	    .inside_ns = e->inside_ns,
	    .calls = e->polls,
	    .bytes = event_bytes(k, e),
	    .comm = k->has_comm ? comm_id(f, e->rank, comm) : 0,
	    .peer = k->has_peer ? tape_peer_rank(
				      f->t, e->rank, comm,
				      (int32_t)tape_field_get(&e->u, &k->peer))
				: -1,
	    .tag = k->has_tag ? (int32_t)tape_field_get(&e->u, &k->tag) : -1,
	};
}

static void put_event(const struct feed *f, const struct tape_ks_event *e)
{
	for (size_t i = 0; i < f->p->n; i++) {
		struct plug_out *o = find_subscriber(f, i, EVENT);
		struct tape_ks_event *to;

		if (!o)
			continue;
		define_place(f, o, e->site);
		if (e->region)
			define_place(f, o, e->region);
		to = plug_put(o, EVENT, sizeof *e);
		if (to)
			*to = *e;
	}
}

/* Returns 1 if a plug-in subscribes to a type. */
static int is_wanted(const struct feed *f, unsigned type)
{
	for (size_t i = 0; i < f->p->n; i++)
		if (find_subscriber(f, i, type))
			return 1;
	return 0;
}

static void put_call(const struct feed *f, const struct tape_event *e)
{
	struct tape_ks_event k;

	if (!is_wanted(f, EVENT))
		return;
	fill_event(f, e, &k);
	put_event(f, &k);
	if (!e->also_polls)
		return;
	/* the second call site of merged tests */
	k.site = tape_place_from_site(f->places, e->rank, e->also_site,
				      e->also_call);
	k.call = NAMED(e->also_call);
	k.calls = e->also_polls;
	k.start_ns = k.end_ns;
	k.inside_ns = 0;
	k.bytes = 0;
	put_event(f, &k);
}

/* ---- regions ---- */

static void enter_region(struct feed *f, const struct tape_event *e)
{
	struct open_in *k;

	if (e->flow >= f->flows) { /* a new flow of a growing trace */
		size_t n = e->flow + 16u;

		f->open = tape_must(realloc(f->open, n * sizeof *f->open));
		memset(f->open + f->flows, 0, (n - f->flows) * sizeof *f->open);
		f->flows = n;
	}
	k = &f->open[e->flow];
	k->one = tape_must(tape_grow_array(k->one, &k->room, (size_t)k->n + 1,
					   sizeof *k->one));
	k->one[k->n++] = (struct open_one){
	    tape_place_from_region(f->places, e->rank, e->region), e->end_ns};
}

static void close_region(struct feed *f, size_t flow, int64_t ns)
{
	struct open_in *k = &f->open[flow];
	const struct open_one *was = &k->one[--k->n];
	const struct tape_flow_info *of = tape_trace_flow(f->t, flow);
	struct tape_ks_region r = {.rank = of->rank,
				   .thread = of->thread,
				   .region = was->place,
				   .depth = k->n,
				   .start_ns = was->since_ns,
				   .end_ns = ns};

	for (unsigned type = REGION; type <= (k->n ? REGION : PHASE); type++)
		for (size_t i = 0; i < f->p->n; i++) {
			struct plug_out *o = find_subscriber(f, i, type);
			struct tape_ks_region *to;

			if (!o)
				continue;
			define_place(f, o, r.region);
			to = plug_put(o, type, sizeof r);
			if (to)
				*to = r;
		}
}

/*
 * Closes the innermost region with that name and the regions within it, if
 * there is one.
 */
static void leave_region(struct feed *f, const struct tape_event *e)
{
	struct open_in none = {0};
	struct open_in *k = e->flow < f->flows ? &f->open[e->flow] : &none;
	uint32_t place = tape_place_from_region(f->places, e->rank, e->region);
	uint32_t i = k->n;

	while (i && k->one[i - 1].place != place)
		i--;
	while (i && k->n >= i)
		close_region(f, e->flow, e->start_ns);
}

/* ---- messages, rounds, waits, ticks ---- */

static uint32_t call_place(const struct feed *f, const struct tape_where *w)
{
	return w->event ? tape_analysis_place(f->a, w) : 0;
}

static uint32_t region_place(const struct feed *f, const struct tape_where *w)
{
	return w->event ? tape_analysis_region(f->a, w) : 0;
}

static void put_message(const struct feed *f, const struct tape_message *m)
{
	struct tape_ks_message k;

	if (!is_wanted(f, MESSAGE))
		return;
	k = (struct tape_ks_message){.from = m->from,
				     .to = m->to,
				     .tag = m->tag,
				     .state = (int32_t)m->state,
				     .comm = m->comm,
				     .bytes = m->bytes,
				     .received = m->received,
				     .sent_ns = m->sent_ns,
				     .posted_ns = m->posted_ns,
				     .ended_ns = m->ended_ns,
				     .awaited_ns = m->awaited_ns,
				     .send_site = call_place(f, &m->sent),
				     .recv_site = call_place(f, &m->ended),
				     .send_region = region_place(f, &m->sent),
				     .recv_region = region_place(f, &m->ended)};
	for (size_t i = 0; i < f->p->n; i++) {
		const uint32_t place[] = {k.send_site, k.recv_site,
					  k.send_region, k.recv_region};
		struct plug_out *o = find_subscriber(f, i, MESSAGE);
		struct tape_ks_message *to;

		for (unsigned n = 0; o && n < 4; n++)
			if (place[n])
				define_place(f, o, place[n]);
		to = o ? plug_put(o, MESSAGE, sizeof k) : NULL;
		if (to)
			*to = k;
	}
}

static void put_round(struct feed *f, const struct tape_collective_round *q)
{
	size_t n = (size_t)q->size;
	struct tape_ks_member *m;
	size_t bytes = sizeof *f->round + n * sizeof *m;

	if (!is_wanted(f, ROUND))
		return;
	if (bytes > f->round_bytes) {
		f->round = tape_must(realloc(f->round, bytes));
		f->round_bytes = bytes;
	}
	*f->round = (struct tape_ks_round){.call = NAMED(q->call),
					   .comm = q->comm,
					   .k = q->k,
					   .root = q->root,
					   .size = q->size,
					   .entered = q->entered,
					   .left = q->left};
	m = (struct tape_ks_member *)(void *)(f->round + 1);
	for (size_t i = 0; i < n; i++) {
		const struct tape_member *k = &q->member[i];

		m[i] = (struct tape_ks_member){
		    .rank = k->begun.event ? k->begun.rank : -1,
		    .thread = k->begun.event ? k->begun.thread : -1,
		    .begun_ns = k->begun_ns,
		    .awaited_ns = k->awaited_ns,
		    .ended_ns = k->ended.event ? k->ended_ns : 0,
		    .sent = k->sent,
		    .received = k->received};
	}
	for (size_t i = 0; i < f->p->n; i++)
		if (find_subscriber(f, i, ROUND))
			plug_put_long(find_subscriber(f, i, ROUND), ROUND,
				      f->round, bytes);
}

static void put_wait(const struct feed *f, const struct tape_waited *w)
{
	const struct tape_flow_info *of = tape_trace_flow(f->t, w->flow);
	const struct tape_flow_info *late = tape_trace_flow(f->t, w->late_flow);

	if (w->ns <= 0)
		return; /* no wait */
	for (size_t i = 0; i < f->p->n; i++) {
		struct plug_out *o = find_subscriber(f, i, WAIT);
		struct tape_ks_wait *to;

		if (!o)
			continue;
		define_place(f, o, w->call);
		define_place(f, o, w->late_call);
		to = plug_put(o, WAIT, sizeof *to);
		if (to)
			*to = (struct tape_ks_wait){
			    .kind = NAMED((unsigned)w->kind),
			    .rank = of->rank,
			    .thread = of->thread,
			    .late_rank = late->rank,
			    .late_thread = late->thread,
			    .site = w->call,
			    .late_site = w->late_call,
			    .from_ns = w->from_ns,
			    .ns = w->ns,
			    .wrong_order_ns = w->wrong_order_ns};
	}
}

/*
 * Sends a tick: one a second of the trace at most, whatever its timestamps are.
 */
static void put_tick(struct feed *f, int64_t ns)
{
	struct tape_ks_tick k = {
	    .ns = ns, .k = f->ticks++, .events = f->events};

	f->tick_ns = ns > INT64_MAX - SECOND ? INT64_MAX : ns + SECOND;
	for (size_t i = 0; i < f->p->n; i++) {
		struct plug_out *o = find_subscriber(f, i, TICK);
		struct tape_ks_tick *to =
		    o ? plug_put(o, TICK, sizeof k) : NULL;

		if (to)
			*to = k;
	}
	tape_plugins_flush(f->p, f->level);
}

static void feed_event(struct feed *f, const struct tape_event *e)
{
	if (!f->events++) {
		f->from_ns = f->to_ns = e->start_ns;
		f->tick_ns = e->start_ns > INT64_MAX - SECOND
				 ? INT64_MAX
				 : e->start_ns + SECOND;
	}
	if (e->end_ns > f->to_ns)
		f->to_ns = e->end_ns;
	if (e->class_ == TAPE_CLASS_ENTER)
		enter_region(f, e);
	else if (e->class_ == TAPE_CLASS_LEAVE)
		leave_region(f, e);
	else if (e->call && e->class_ != TAPE_CLASS_BLOCK &&
		 e->class_ != TAPE_CLASS_COUNTED)
		put_call(f, e);
	if (e->end_ns >= f->tick_ns)
		put_tick(f, e->end_ns);
}

void tape_plugins_feed(struct tape_plugins *p, uint32_t level,
		       const struct tape_found *found)
{
	struct feed *f = p->feed[level - 1];

	if (found->wait) {
		put_wait(f, found->wait);
		return;
	}
	switch (found->item->kind) {
	case TAPE_ITEM_END:
		/* marks of the processor and of threads are no events of the
		 * program */
		if (!tape_event_is_own_mark(found->item->event))
			feed_event(f, found->item->event);
		break;
	case TAPE_ITEM_MESSAGE:
		put_message(f, found->item->message);
		break;
	case TAPE_ITEM_ROUND:
		put_round(f, found->item->round);
		break;
	case TAPE_ITEM_BEGIN:
	case TAPE_ITEM_REQUEST:
		break;
	}
}

/* ---- begin and end of a level ---- */

/* Number of ranks whose events this process has. */
static uint32_t own_ranks(const struct tape_trace *t,
			  const struct tape_peers *peers)
{
	uint32_t n = 0;

	for (size_t i = 0; i < tape_trace_ranks(t); i++)
		n += (uint32_t)tape_peers_owns_rank(peers, (int)i);
	return n;
}

void tape_plugins_begin(struct tape_plugins *p, uint32_t level,
			const struct tape_trace *t, struct tape_analysis *a,
			const struct tape_peers *peers)
{
	struct feed *f = tape_must(calloc(1, sizeof *f));
	const char *name = tape_trace_path(t);
	size_t n = strlen(name) + 1;

	*f = (struct feed){.p = p,
			   .level = level,
			   .t = t,
			   .a = a,
			   .number = peers ? (uint32_t)peers->me : 0,
			   .of = peers ? (uint32_t)peers->n : 1,
			   .places = tape_analysis_places(a),
			   .replay = tape_analysis_replay(a),
			   .flows = tape_trace_flows(t)};
	f->open = tape_must(calloc(f->flows + 1, sizeof *f->open));
	find_fields(f);
	p->feed[level - 1] = f;
	for (size_t i = 0; i < p->n; i++) {
		struct plug_out *o = level_output(f, p->plug[i]);
		struct plug_begin *b;

		if (p->plug[i]->gone)
			continue;
		b = plug_put(o, PLUG_BEGIN, sizeof *b + n);
		if (!b)
			continue;
		*b = (struct plug_begin){(uint32_t)tape_trace_ranks(t), f->of,
					 own_ranks(t, peers)};
		memcpy(b + 1, name, n);
		plug_flush(o);
		plug_wait(p->plug[i], &o->ring->begun);
	}
}

void tape_plugins_flush(struct tape_plugins *p, uint32_t level)
{
	for (size_t i = 0; p->feed[level - 1] && i < p->n; i++)
		if (!p->plug[i]->gone)
			plug_flush(
			    level_output(p->feed[level - 1], p->plug[i]));
}

void tape_plugins_end_level(struct tape_plugins *p, uint32_t level)
{
	struct feed *f = p->feed[level - 1];
	struct tape_ks_end k = {
	    .events = f->events, .from_ns = f->from_ns, .to_ns = f->to_ns};

	/* open regions end with the program */
	for (size_t i = 0; i < f->flows; i++)
		while (f->open[i].n)
			close_region(f, i, tape_analysis_span(f->a, i).to_ns);
	for (size_t i = 0; i < p->n; i++) {
		struct plug_out *o = level_output(f, p->plug[i]);
		struct tape_ks_end *to;

		if (p->plug[i]->gone)
			continue;
		to = plug_put(o, END, sizeof k);
		if (to)
			*to = k;
		plug_flush(o);
	}
}

void feed_free(struct feed *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->flows; i++)
		free(f->open[i].one);
	free(f->open);
	free(f->round);
	free(f);
}
