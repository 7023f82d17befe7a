/* What a flow says of what it only counts, or skips; see flow.h. */
#include <math.h>
#include <string.h>

#include "flow.h"

/* Is what defined? Makes the event a mark of that class. */
static int init_marker(struct tape_flow *f, uint64_t what,
		       enum tape_class class_)
{
	struct tape_event *e = f->e;
	uint64_t id = what / 2;

	if (!(what & 1))
		tape_follow_site(f, id);
	if (what & 1 ? !tape_flow_region(f, id)
		     : id >= f->n_sites || !f->sites[id].call)
		return tape_flow_fail(
		    f, TAPE_EFORMAT, "a count of the undefined %s %llu",
		    what & 1 ? "region" : "call site", (unsigned long long)id);
	e->call = 0;
	e->class_ = (uint16_t)class_;
	e->site = 0;
	e->alpha_before_ns = e->alpha_after_ns = 0;
	memset(&e->u, 0, sizeof e->u);
	e->also_call = e->also_class = 0;
	return 0;
}

/* Ticks that skipping one event of that place took; 0: of any region. */
static double skip_cost_ticks(const struct tape_rank *r, uint64_t what)
{
	int local = what && !(what & 1);

	return r->skip_known && !local ? r->skip_there
				       : r->skip[local].usual / 2;
}

int tape_flow_block(struct tape_flow *f, uint64_t block, uint64_t ticks,
		    uint64_t events, uint64_t what, uint64_t calls)
{
	struct tape_event *e = f->e;
	enum tape_block_kind kind = (enum tape_block_kind)(block & 3);
	int of_all = kind == TAPE_BLOCK_KEPT || kind == TAPE_BLOCK_REPEATS;

	if (of_all && what)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "a block that was kept, of one place");
	if (of_all) {
		e->call = 0;
		e->class_ = TAPE_CLASS_BLOCK;
		e->site = 0;
		e->alpha_before_ns = e->alpha_after_ns = 0;
		memset(&e->u, 0, sizeof e->u);
	} else if (init_marker(f, what, TAPE_CLASS_BLOCK)) {
		return f->error;
	}
	e->u.block.group = block / 4;
	e->u.block.kind = (uint32_t)kind;
	e->u.block.ticks = ticks;
	e->inside_ns =
	    (int64_t)fmin(rint((double)ticks * f->tick_ns), TAPE_NS_MAX);
	e->u.block.events = events;
	e->u.block.calls = calls;
	if (what & 1)
		e->u.block.region = (uint32_t)(what / 2);
	else
		e->u.block.site = (uint32_t)(what / 2);
	if (kind != TAPE_BLOCK_KEPT)
		e->alpha_before_ns = fmin(skip_cost_ticks(f->rank, what) *
					      (double)events * f->tick_ns,
					  TAPE_NS_MAX);
	return 1;
}

int tape_flow_counted(struct tape_flow *f, uint64_t what, uint64_t rate,
		      uint64_t calls, uint64_t ticks)
{
	struct tape_event *e = f->e;
	uint64_t id = what / 2;

	if (init_marker(f, what, TAPE_CLASS_COUNTED))
		return f->error;
	if (what & 1) {
		e->u.counted.region = (uint32_t)id;
	} else {
		e->u.counted.site = (uint32_t)id;
		if (f->sites[id].seen) {
			e->also_call = f->sites[id].call;
			e->also_class = f->sites[id].class_;
			e->also = f->sites[id].last;
		}
	}
	e->u.counted.rate = rate;
	e->u.counted.calls = calls;
	e->u.counted.ticks = ticks;
	e->inside_ns =
	    (int64_t)fmin(rint((double)ticks * f->tick_ns), TAPE_NS_MAX);
	return 1;
}

int tape_flow_tally(struct tape_flow *f, const unsigned char *p)
{
	return tape_flow_counted(f, tape_get64(p), 0,
				 tape_get64(p + TAPE_TALLY_CALLS),
				 tape_get64(p + TAPE_TALLY_TICKS));
}

int tape_flow_has_no_tally(const struct tape_flow *f, uint64_t what)
{
	return !what || what == f->tally_ended;
}
