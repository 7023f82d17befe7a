/* What a flow says of what it only counts, or skips; see flow.h. */
#include <math.h>
#include <string.h>

#include "flow.h"

/* Is what defined? Makes the event a mark of that class. */
static int set(struct tape_flow *f, uint64_t what, enum tape_class class_)
{
	struct tape_event *e = f->e;
	uint64_t id = what / 2;

	if (what & 1 ? id >= f->rank->info.n_regions || !f->rank->regions[id]
		     : id >= f->n_sites || !f->sites[id].call)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "a count of the undefined %s %llu",
				      what & 1 ? "region" : "call site",
				      (unsigned long long)id);
	e->call = 0;
	e->class_ = (uint16_t)class_;
	e->site = 0;
	e->alpha_before_ns = e->alpha_after_ns = 0;
	memset(&e->u, 0, sizeof e->u);
	e->also_call = e->also_class = 0;
	return 0;
}

int tape_flow_block(struct tape_flow *f, uint64_t pair, uint64_t ticks,
		    uint64_t events, uint64_t what, uint64_t calls)
{
	const double most = 9e18; /* of what an int64_t holds, and alphas */
	struct tape_event *e = f->e;
	int kept = (int)(pair & 1);

	if (kept && what)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "a block that was kept, of one place");
	if (kept) {
		e->call = 0;
		e->class_ = TAPE_CLASS_BLOCK;
		e->site = 0;
		e->alpha_before_ns = e->alpha_after_ns = 0;
		memset(&e->u, 0, sizeof e->u);
	} else if (set(f, what, TAPE_CLASS_BLOCK)) {
		return f->error;
	}
	e->u.block.pair = pair / 2;
	e->u.block.kept = (uint32_t)kept;
	e->u.block.ticks = ticks;
	e->inside_ns = (int64_t)fmin(rint((double)ticks * f->tick_ns), most);
	e->u.block.events = events;
	e->u.block.calls = calls;
	if (what & 1)
		e->u.block.region = (uint32_t)(what / 2);
	else
		e->u.block.site = (uint32_t)(what / 2);
	if (!kept)
		e->alpha_before_ns = fmin(f->rank->skip[!(what & 1)].usual / 2 *
					  (double)events * f->tick_ns, most);
	return 1;
}

int tape_flow_counted(struct tape_flow *f, uint64_t what, uint64_t rate,
		      uint64_t calls)
{
	struct tape_event *e = f->e;
	uint64_t id = what / 2;

	if (set(f, what, TAPE_CLASS_COUNTED))
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
	return 1;
}
