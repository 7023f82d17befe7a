/* Around rare calls; see call_entry.h. */
#include "call_entry.h"
#include "call_in_progress.h"
#include "around_call.h"
#include "from_fortran.h"
#include "processor_marks.h"

int tape_rare_begin(struct tape_rare *c, uint32_t call,
		    struct tape_site *source, const void *address,
		    const void *frame)
{
	struct tape_call_entry d;

	if (!source)
		address = TAPE_C_SITE(call, address);
	d = tape_enter_call(call, source, address, frame);
	if (TAPE_UNLIKELY(!d.site))
		return 0;
	c->flow = d.flow;
	c->site = d.site;
	c->entry = TAPE_UNLIKELY(d.flow->extras) ? tape_tick() : 0;
	d.flow->frame = frame;
	tape_current = NULL;
	return 1;
}

void tape_rare_start(struct tape_rare *c)
{
	if (TAPE_UNLIKELY(c->entry))
		tape_wrap_start(c->flow);
	c->start = tape_processor_due(c->flow, tape_tick());
	tape_call_started(c->flow, c->start);
}

void tape_rare_stop(struct tape_rare *c)
{
	c->end = tape_tick();
	if (TAPE_UNLIKELY(c->entry))
		tape_wrap_stop(c->flow);
}

void tape_rare_end(const struct tape_rare *c)
{
	if (TAPE_UNLIKELY(c->end >= c->flow->mark_due))
		tape_processor_end(c->flow, c->start, c->end);
	if (TAPE_UNLIKELY(c->entry))
		tape_wrap_end(c->flow, c->end,
			      tape_filter_class(tape_site_call(c->site)));
	tape_current = c->flow->self;
}
