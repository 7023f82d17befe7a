/* The clocks of a trace that is followed, compared with each other. */
#include "flow.h"
#include "growing_array.h"
#include "tape_follow.h"

static struct tape_domain *find_placed_domain(struct tape_trace *t,
					      uint32_t domain)
{
	if (t->follow && domain < t->n_domains &&
	    t->domains[domain].info.n_pieces)
		return &t->domains[domain];
	tape_trace_fail(t, TAPE_ERANGE, "%s: no clock %u to place", t->path,
			domain);
	return NULL;
}

int tape_trace_place_clock(struct tape_trace *t, uint32_t domain,
			   int64_t shift_ns, int64_t lo_ns, int64_t hi_ns)
{
	struct tape_domain *d = find_placed_domain(t, domain);

	if (!d)
		return TAPE_ERANGE;
	if (__builtin_add_overflow(d->pieces->ns0, shift_ns, &d->pieces->ns0))
		return tape_trace_fail(t, TAPE_ERANGE,
				       "%s: clock %u is out of "
				       "range",
				       t->path, domain);
	d->pieces->lo_ns = lo_ns;
	d->pieces->hi_ns = hi_ns;
	t->base = TAPE_BASE_GLOBAL;
	return 0;
}

int tape_trace_steer_clock(struct tape_trace *t, uint32_t domain, double faster,
			   int64_t lo_ns, int64_t hi_ns)
{
	struct tape_domain *d = find_placed_domain(t, domain);
	struct tape_clock_piece *grown, p, *last;

	if (!d || !(faster > -1e-3 && faster < 1e-3))
		return TAPE_ERANGE;
	last = &d->pieces[d->info.n_pieces - 1];
	if (d->latest <= last->tick0) {
		/* nothing was read since */
		last->rate = d->local_rate * (1 + faster);
		return 0;
	}
	p = (struct tape_clock_piece){
	    d->latest, tape_piece_timestamp(last, d->latest),
	    d->local_rate * (1 + faster), lo_ns, hi_ns};
	grown = tape_grow_list(d->pieces, d->info.n_pieces, sizeof *grown);
	if (!grown)
		return tape_trace_no_memory(t);
	grown[d->info.n_pieces++] = p;
	d->info.pieces = d->pieces = grown;
	return 0;
}

uint64_t tape_trace_clock_read(const struct tape_trace *t, uint32_t domain)
{
	return domain < t->n_domains ? t->domains[domain].latest : 0;
}

void tape_trace_clock_reach(struct tape_trace *t, uint32_t domain,
			    uint64_t tick)
{
	struct tape_domain *d = find_placed_domain(t, domain);

	if (d && tick > d->latest)
		d->latest = tick;
}
