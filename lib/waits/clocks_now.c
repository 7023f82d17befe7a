/* Clocks of a trace that is followed; see clocks_now.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock_running.h"
#include "clocks_now.h"
#include "tape_follow.h"

/* How often clocks are steered: at first more often, to find their rates. */
static const double at_first = 1e8, later = 1e9, first = 5e9;

struct tape_clocks_now {
	struct tape_trace *t;
	struct tape_clock_error *e;
	size_t n;
	double next_ns, worst_ns;
	int64_t origin_ns; /* dates are counted from there: doubles hold them */
	int64_t latest_ns;
	int unsampled;
	struct tape_clock_error *told; /* by others, or NULL: there are none */
	struct tape_clock_error *met;  /* what all settled on the last time */
	double told_ns;		       /* the latest time of all */
};

/* What a process knows of a clock when all meet. */
struct told {
	uint32_t domain, pad;
	uint64_t read_tick;
	double at_ns, lo_ns, hi_ns;
};
_Static_assert(sizeof(struct told) == TAPE_CLOCK_BYTES, "see clocks_now.h");

/* What rounds say of the offset of a clock less that of the one that asked. */
struct offset {
	int64_t base_ns;
	double lo_ns, hi_ns; /* beyond that */
	int64_t first_ns, last_ns; /* rounds were taken, by that one's dates */
	uint32_t by;
	int rounds, placed;
};

static int64_t local_timestamp(const struct tape_trace *t, uint32_t domain,
			       uint64_t tick)
{
	return tape_trace_date(t, domain, tick);
}

/* The tightest bounds of all rounds of each clock; they take some ms. */
static void bound_offsets(const struct tape_trace *t, struct offset *o,
			  size_t domains)
{
	size_t n;
	const struct tape_sample *s = tape_trace_samples(t, &n);

	for (size_t i = 0; i < n; i++) {
		struct offset *p = &o[s[i].domain];
		int64_t lo, hi;

		if (s[i].domain >= domains || s[i].after ||
		    s[i].domain == s[i].by ||
		    (p->rounds && p->by != s[i].by))
			continue;
		/* wraps only where a hostile file says so */
		lo = (int64_t)((uint64_t)local_timestamp(t, s[i].domain,
							 s[i].s_j) -
			       (uint64_t)local_timestamp(t, s[i].by,
							 s[i].r_ref));
		hi = (int64_t)((uint64_t)local_timestamp(t, s[i].domain,
							 s[i].r_j) -
			       (uint64_t)local_timestamp(t, s[i].by,
							 s[i].s_ref));
		if (!p->rounds++) {
			p->base_ns = lo;
			p->hi_ns = INFINITY;
			p->first_ns = local_timestamp(t, s[i].by, s[i].s_ref);
		}
		p->by = s[i].by;
		p->last_ns = local_timestamp(t, s[i].by, s[i].r_ref);
		p->lo_ns = fmax(p->lo_ns, (double)(lo - p->base_ns));
		p->hi_ns = fmin(p->hi_ns, (double)(hi - p->base_ns));
	}
}

/* The offset changed while rounds were taken: the bounds hold at the last. */
static void widen_bounds(struct offset *o)
{
	double drift = TAPE_CLOCK_RUNNING_DRIFT *
		       fmax((double)o->last_ns - (double)o->first_ns, 0);

	o->lo_ns -= drift;
	o->hi_ns += drift;
}

/* Against clock 0, parents first; 0: some clock hangs on nothing. */
static int compose_offsets(struct offset *o, size_t n)
{
	size_t placed = 1;

	o[0] = (struct offset){.placed = 1};
	for (int more = 1; more && placed < n;) {
		more = 0;
		for (size_t i = 1; i < n; i++) {
			const struct offset *p = &o[o[i].by];

			if (o[i].placed || !o[i].rounds || !p->placed)
				continue;
			widen_bounds(&o[i]);
			o[i].last_ns = (int64_t)((uint64_t)o[i].last_ns -
						 (uint64_t)p->base_ns);
			o[i].base_ns = (int64_t)((uint64_t)o[i].base_ns +
						 (uint64_t)p->base_ns);
			o[i].lo_ns += p->lo_ns;
			o[i].hi_ns += p->hi_ns;
			o[i].placed = more = 1;
			placed++;
		}
	}
	return placed == n;
}

static int64_t clamp_ns(double ns)
{
	return ns > 4e18 ? INT64_MAX : ns < -4e18 ? INT64_MIN : (int64_t)ns;
}

static double ns_since_origin(const struct tape_clocks_now *c, int64_t ns)
{
	return (double)((int64_t)((uint64_t)ns - (uint64_t)c->origin_ns));
}

/* The dates become those of clock 0, the error of each is in the middle. */
static int place_clocks(struct tape_clocks_now *c, const struct offset *o)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < c->n; i++) {
		double half = (o[i].hi_ns - o[i].lo_ns) / 2;
		double middle = o[i].lo_ns + half;

		rc = tape_trace_place_clock(
		    c->t, (uint32_t)i, -(o[i].base_ns + clamp_ns(middle)),
		    clamp_ns(floor(-half)), clamp_ns(ceil(half)));
		c->e[i] = (struct tape_clock_error){
		    .at_ns = ns_since_origin(c, o[i].last_ns),
		    .lo_ns = -half,
		    .hi_ns = half};
		c->worst_ns = fmax(c->worst_ns, half);
	}
	c->e[0] = (struct tape_clock_error){.reference = 1};
	return rc;
}

/*
 * A clock that comes while the others are there. Of one that was not sampled,
 * the first date is taken for that of now, and messages bound it.
 */
static int add_clock(void *self, uint32_t domain)
{
	struct tape_clocks_now *c = self;
	size_t n = (size_t)domain + 1;
	struct tape_clock_error *e = realloc(c->e, n * sizeof *e);
	struct offset *o = calloc(n, sizeof *o), *own = &o[domain];
	double half = INFINITY;
	int64_t shift;
	int rc;

	c->e = e ? e : c->e;
	if (!e || !o) {
		free(o);
		return TAPE_ENOMEM;
	}
	for (; c->n < n; c->n++)
		e[c->n] = (struct tape_clock_error){.lo_ns = -INFINITY,
						    .hi_ns = INFINITY};
	bound_offsets(c->t, o, n);
	shift = (int64_t)((uint64_t)c->latest_ns -
			  (uint64_t)local_timestamp(
			      c->t, domain,
			      tape_trace_domain(c->t, domain)->first.tick));
	if (own->rounds) {
		half = (own->hi_ns - own->lo_ns) / 2;
		shift = -(own->base_ns + clamp_ns(own->lo_ns + half));
	}
	rc = tape_trace_place_clock(c->t, domain, shift, clamp_ns(floor(-half)),
				    clamp_ns(ceil(half)));
	/* dates of its samples are those of now, but for a moment */
	e[domain] =
	    (struct tape_clock_error){.at_ns = ns_since_origin(c, c->latest_ns),
				      .lo_ns = -half,
				      .hi_ns = half};
	c->unsampled += !own->rounds;
	if (own->rounds)
		c->worst_ns = fmax(c->worst_ns, half);
	free(o);
	return rc;
}

/* May tasks come, and with them clocks? */
static int may_grow(const struct tape_trace *t)
{
	size_t ranks = tape_trace_ranks(t);

	return ranks && !tape_trace_rank(t, (int)ranks - 1)->host;
}

int tape_clocks_now_open(struct tape_trace *t, struct tape_clocks_now **out)
{
	size_t n = tape_trace_domains(t);
	struct tape_clocks_now *c;
	struct offset *o;
	int rc = 0;

	*out = NULL;
	if ((n < 2 && !may_grow(t)) || tape_trace_base(t) != TAPE_BASE_LOCAL)
		return 0;
	c = calloc(1, sizeof *c);
	o = calloc(n, sizeof *o);
	if (c)
		c->e = calloc(n, sizeof *c->e);
	if (!c || !o || !c->e) {
		rc = TAPE_ENOMEM;
	} else {
		c->t = t;
		c->n = n;
		c->next_ns = at_first;
		bound_offsets(t, o, n);
		c->origin_ns = c->latest_ns =
		    local_timestamp(t, 0, tape_trace_domain(t, 0)->first.tick);
		if (n < 2) {
			c->e[0].reference = 1;
			*out = c;
		} else if (compose_offsets(o, n)) {
			rc = place_clocks(c, o);
			*out = rc ? NULL : c;
		}
		if (*out)
			tape_trace_on_clock(t, add_clock, c);
	}
	if (!*out)
		tape_clocks_now_close(c);
	free(o);
	return rc;
}

void tape_clocks_now_close(struct tape_clocks_now *c)
{
	if (!c)
		return;
	free(c->told);
	free(c->met);
	free(c->e);
	free(c);
}

static double error_width(const struct tape_clock_error *e)
{
	return fmax(-e->lo_ns, e->hi_ns);
}

/*
 * The interval of a clock only grows until something narrows it: what it is
 * just before, at that date, is the widest since the last time.
 */
static void widest_until(struct tape_clocks_now *c, struct tape_clock_error *e,
			 double at_ns)
{
	tape_clock_running_advance(e, at_ns);
	if (isfinite(error_width(e)))
		c->worst_ns = fmax(c->worst_ns, error_width(e));
}

/* Of a message; with others what all know when they meet counts, alike. */
static void widest_before(struct tape_clocks_now *c, uint32_t a, double sent,
			  uint32_t b, double ended)
{
	if (c->told)
		return;
	widest_until(c, &c->e[a], sent);
	widest_until(c, &c->e[b], ended);
}

static void narrow_by_message(struct tape_clocks_now *c,
			      const struct tape_message *m)
{
	const struct tape_rank_info *a, *b;
	double sent, ended;

	if (m->state != TAPE_MATCHED || !m->ended.event || !m->sent.event ||
	    m->shared)
		return;
	a = tape_trace_rank(c->t, m->from);
	b = tape_trace_rank(c->t, m->to);
	if (!a || !b || a->domain >= c->n || b->domain >= c->n ||
	    a->domain == b->domain)
		return;
	sent = ns_since_origin(c, m->sent_ns);
	ended = ns_since_origin(c, m->ended_ns);
	widest_before(c, a->domain, sent, b->domain, ended);
	tape_clock_running_message(&c->e[a->domain], &c->e[b->domain], sent,
				   ended);
}

/* Returns when a new rate of the clock begins: at the last tick dated by it. */
static double steered_from(const struct tape_clocks_now *c, uint32_t domain)
{
	const struct tape_domain_info *d = tape_trace_domain(c->t, domain);
	uint64_t tick = tape_trace_clock_read(c->t, domain);

	if (d->n_pieces && tick < d->pieces[d->n_pieces - 1].tick0)
		tick = d->pieces[d->n_pieces - 1].tick0;
	return ns_since_origin(c, local_timestamp(c->t, domain, tick));
}

/* If it is time for that. */
static int steer_clocks(struct tape_clocks_now *c, double now)
{
	double span = now < first ? at_first : later;
	int rc = 0;

	if (now < c->next_ns || c->n < 2)
		return 0;
	c->next_ns = now + span;
	for (size_t i = 1; !rc && i < c->n; i++) {
		struct tape_clock_error *e = &c->e[i];
		double faster = tape_clock_running_steer(
		    e, steered_from(c, (uint32_t)i), now, span);

		/* the true time is the timestamp minus its error */
		rc = tape_trace_steer_clock(c->t, (uint32_t)i, faster,
					    clamp_ns(floor(-e->hi_ns)),
					    clamp_ns(ceil(-e->lo_ns)));
		/* a clock without a map has no dates, either */
		if (rc == TAPE_ERANGE)
			rc = 0;
		c->worst_ns = fmax(c->worst_ns, error_width(e));
	}
	return rc;
}

int tape_clocks_now_add_item(struct tape_clocks_now *c,
			     const struct tape_item *i)
{
	if (!c)
		return 0;
	c->latest_ns = i->ns;
	/* of another process's rank it may come with no event, as after all */
	if (i->kind == TAPE_ITEM_MESSAGE && (i->event || c->told))
		narrow_by_message(c, i->message);
	/* with others when they meet */
	return c->told ? 0 : steer_clocks(c, ns_since_origin(c, i->ns));
}

/* ---- with others ---- */

int tape_clocks_now_share(struct tape_clocks_now *c)
{
	if (!c)
		return 0;
	c->told_ns = -INFINITY;
	c->told = calloc(c->n, sizeof *c->told);
	c->met = calloc(c->n, sizeof *c->met);
	if (!c->told || !c->met)
		return TAPE_ENOMEM;
	memcpy(c->met, c->e, c->n * sizeof *c->met);
	return 0;
}

int tape_clocks_now_send(struct tape_clocks_now *c, struct tape_peers *p)
{
	int rc = 0;

	if (!c)
		return 0;
	for (size_t d = 0; d < c->n; d++)
		c->told[d].at_ns = -INFINITY;
	c->told_ns = -INFINITY;
	for (size_t d = 1; !rc && d < c->n; d++) {
		const struct tape_clock_error *e = &c->e[d];
		struct told t = {(uint32_t)d, 0,
				 tape_trace_clock_read(c->t, (uint32_t)d),
				 e->at_ns, e->lo_ns, e->hi_ns};

		tape_clock_running_advance(&c->e[d],
					   ns_since_origin(c, c->latest_ns));
		t.at_ns = e->at_ns;
		t.lo_ns = e->lo_ns;
		t.hi_ns = e->hi_ns;
		for (int i = 0; !rc && i < p->n; i++)
			rc = tape_peers_put(p, i, TAPE_PEERS_CLOCK, &t,
					    sizeof t);
	}
	return rc;
}

/* All hear the same in the same order, and so come to the same. */
void tape_clocks_now_receive(struct tape_clocks_now *c, const void *data)
{
	struct tape_clock_error one, *sum;
	struct told t;

	memcpy(&t, data, sizeof t);
	if (!c || !c->told || t.domain >= c->n)
		return;
	tape_trace_clock_reach(c->t, t.domain, t.read_tick);
	c->told_ns = fmax(c->told_ns, t.at_ns);
	one = c->e[t.domain]; /* steered as it is everywhere */
	one.at_ns = t.at_ns;
	one.lo_ns = t.lo_ns;
	one.hi_ns = t.hi_ns;
	sum = &c->told[t.domain];
	if (!(sum->at_ns > -INFINITY)) {
		*sum = one;
		return;
	}
	tape_clock_running_advance(sum, one.at_ns);
	tape_clock_running_advance(&one, sum->at_ns);
	/* what contradicts is left */
	if (one.lo_ns > sum->lo_ns && one.lo_ns <= sum->hi_ns)
		sum->lo_ns = one.lo_ns;
	if (one.hi_ns < sum->hi_ns && one.hi_ns >= sum->lo_ns)
		sum->hi_ns = one.hi_ns;
}

int tape_clocks_now_settle(struct tape_clocks_now *c)
{
	int rc;

	if (!c || !c->told || !(c->told_ns > -INFINITY))
		return 0;
	for (size_t d = 1; d < c->n; d++) {
		widest_until(c, &c->met[d], c->told_ns);
		if (c->told[d].at_ns > -INFINITY)
			c->e[d] = c->told[d];
	}
	rc = steer_clocks(c, c->told_ns);
	memcpy(c->met, c->e, c->n * sizeof *c->met);
	return rc;
}

int tape_clocks_now_is_known(const struct tape_clocks_now *c)
{
	return c && c->n == tape_trace_domains(c->t) && !c->unsampled;
}

double tape_clocks_now_error(const struct tape_clocks_now *c, double *so_far)
{
	double worst = 0, now = 0;

	if (c)
		now = c->told ? c->told_ns : ns_since_origin(c, c->latest_ns);
	for (size_t i = 1; c && i < c->n; i++) {
		struct tape_clock_error e = c->e[i];

		tape_clock_running_advance(&e, now);
		/* events of MPI_Init are older than the rounds */
		worst =
		    fmax(worst, error_width(&e) + TAPE_CLOCK_RUNNING_DRIFT *
						      fmax(e.at_ns - now, 0));
	}
	*so_far = c ? fmax(c->worst_ns, worst) : 0;
	return worst;
}
