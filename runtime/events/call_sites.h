/*
 * Call sites: the number of each, defined at the first call, and whether the
 * calls are recorded.
 */
#ifndef TAPE_SITES_H
#define TAPE_SITES_H

#include "buffer.h"
#include "core.h"

/* Stops the tracing of this thread: a definition could not be stored. */
void tape_define_failed(struct tape_flow *f);

uint32_t tape_site_first(struct tape_flow *f, uint32_t call, uintptr_t address);
uint32_t tape_site_first_source(struct tape_flow *f, struct tape_site *s,
				uint32_t call);

/* Index of a return address in the cache of a flow. */
static inline TAPE_ALWAYS uint32_t tape_site_place(uint32_t call, uintptr_t a)
{
	return (uint32_t)(a ^ a >> 8 ^ call) % TAPE_SITE_CACHE;
}

/* The number of the call site with that return address; 0: do not record. */
static inline TAPE_ALWAYS uint32_t
tape_site_here(struct tape_flow *f, uint32_t call, const void *address)
{
	uintptr_t a = (uintptr_t)address;
	uint32_t i = tape_site_place(call, a);

	if (TAPE_LIKELY(f->cache[i].address == a && f->cache[i].call == call))
		return f->cache[i].site;
	return tape_site_first(f, call, a);
}

/* As tape_site_here, for a call that tapepp rerouted. */
static inline TAPE_ALWAYS uint32_t
tape_site_source(struct tape_flow *f, struct tape_site *s, uint32_t call)
{
	uint32_t id = __atomic_load_n(&s->id, __ATOMIC_RELAXED);

	/* flags is set together with id; 1 means that it is filtered out */
	return TAPE_LIKELY(id != 0 && f->plain > s->flags)
		       ? id
		       : tape_site_first_source(f, s, call);
}

/*
 * Counts a call that is not recorded, in tally k. Returns 1 if the call is to
 * be recorded instead, which is decided at every eighth call only.
 */
static inline int tape_count(struct tape_flow *f, uint32_t k)
{
	unsigned char *n = f->chunk + TAPE_TALLY_AT(k) + TAPE_TALLY_CALLS;
	uint64_t calls = tape_get64(n), now;

	if (TAPE_UNLIKELY(!(calls & 7))) {
		now = tape_tick();
		if (TAPE_UNLIKELY(now >= f->tally[k].next) &&
		    tape_buffer_return(f, k, now))
			return 1;
	}
	tape_put64(n, calls + 1);
	return 0;
}

/*
 * Before and after a real call that is not recorded. If a tally has counted the
 * call, the ticks that the call takes are added to that tally.
 */
static inline void tape_counted_begin(struct tape_flow *f)
{
	f->timing = f->timed;
	if (TAPE_UNLIKELY(f->timed != 0)) {
		f->timed = 0;
		f->timing_start = tape_tick();
	}
}

static inline void tape_counted_end(struct tape_flow *f)
{
	unsigned char *ticks; /* of the tally */

	if (TAPE_LIKELY(!f->timing) || !f->self)
		return;
	ticks = f->chunk + TAPE_TALLY_AT(f->timing - 1) + TAPE_TALLY_TICKS;
	tape_put64(ticks, tape_get64(ticks) + tape_tick() - f->timing_start);
	f->timing = 0;
}

#endif
