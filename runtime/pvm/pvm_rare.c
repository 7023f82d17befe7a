/* Around rare calls; see pvm_rare.h. */
#include "pvm_hooks.h"
#include "pvm_rare.h"

/* The site; 0: neither the call nor what it calls is recorded. */
static uint32_t find_site(struct tape_flow *f, uint32_t call,
			  struct tape_site *source, const void *address)
{
	return source ? tape_site_source(f, source, call)
		      : tape_site_here(f, call, address);
}

static void start_call(struct tape_pvm_rare *c)
{
	struct tape_flow *f = c->flow;
	uint32_t site = c->site;
	struct tape_pvm_args a;
	TAPE_PVM_BEGIN(f);

	f->frame = c->frame;
	(void)frame_;
	TAPE_PVM_START(f);
	c->entry = entry_;
	c->start = a.start;
}

void tape_pvm_rare_begin(struct tape_pvm_rare *c, uint32_t call,
			 struct tape_site *source, const void *address,
			 const void *frame)
{
	struct tape_flow *f = tape_current;

	*c = (struct tape_pvm_rare){ .call = call, .frame = frame };
	if (TAPE_UNLIKELY(!f))
		f = tape_flow_acquire(frame);
	if (TAPE_UNLIKELY(!f) && !(f = tape_pvm_first_flow(source, address)))
		return;
	c->flow = f;
	if (TAPE_LIKELY(tape_current != NULL) &&
	    !(c->site = find_site(f, call, source, address))) {
		TAPE_PVM_PASS(f, frame);
		c->how = TAPE_PVM_UNASKED;
		return;
	}
	c->how = TAPE_PVM_SEEN;
	start_call(c);
}

void tape_pvm_rare_end(struct tape_pvm_rare *c)
{
	struct tape_flow *f = c->flow;
	struct tape_pvm_args a = { .call = c->call, .start = c->start };
	struct tape_local r = { 0 };
	uint64_t entry_ = c->entry;
	const void *frame_ = c->frame;
	int errno_;

	if (c->how == TAPE_PVM_UNASKED)
		TAPE_PVM_PASS_END(f);
	if (TAPE_UNLIKELY(c->how != TAPE_PVM_SEEN))
		return;
	TAPE_PVM_STOP(f, c->site, );
	TAPE_PVM_PUT(local, f, c->site, &r);
	TAPE_PVM_END(f);
}
