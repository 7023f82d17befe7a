/* What a flow says of what it only counts; see flow.h. */
#include <string.h>

#include "flow.h"

int tape_flow_counted(struct tape_flow *f, uint64_t what, uint64_t rate,
		      uint64_t calls)
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
	e->class_ = TAPE_CLASS_COUNTED;
	e->site = 0;
	e->alpha_before_ns = e->alpha_after_ns = 0;
	memset(&e->u, 0, sizeof e->u);
	e->also_call = e->also_class = 0;
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
