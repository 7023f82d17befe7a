/*
 * Regions: tape_enter and tape_leave, their definitions, and the two settings
 * that go by their names: regions says inside of which ones the thread is
 * recorded, marks whose own enter and leave are. A thread that is silent for
 * the sake of a region still follows them, or it would never find out again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler.h"
#include "blocks.h"
#include "buffer.h"
#include "call_sites.h"
#include "core.h"
#include "counters.h"
#include "define.h"
#include "flows.h"
#include "module.h"
#include "own_stack.h"
#include "region.h"
#include "message.h"
#include "tape.h"

/* What the settings say of a region. */
struct known {
	char *name;
	enum tape_verdict inside; /* unsaid: as around it */
	int marked;
};

static struct known *known; /* tape_process.regions of them, from number 1 */

static void apply_filters(struct known *k)
{
	const struct tape_config *c = &tape_process.config;
	enum tape_verdict v;

	k->inside = tape_list_verdict(c->regions, k->name,
				      &tape_process.region_hits);
	v = tape_list_verdict(c->marks, k->name, &tape_process.mark_hits);
	k->marked = v == TAPE_UNSAID ? tape_list_changes(c->marks)
				     : v == TAPE_IN;
	if (!(c->groups >> TAPE_GROUP_REGION & 1))
		k->marked = 0;
}

/* The number of a region, by content; 0 when it could not be defined. */
TAPE_ON_OWN_STACK
static uint32_t find_or_add_region(const char *name)
{
	char word[2048];
	struct known *grown;
	uint32_t id = 0;

	tape_lock();
	for (uint32_t i = 0; i < tape_process.regions && !id; i++)
		if (!strcmp(known[i].name, name))
			id = i + 1;
	if (id)
		goto out;
	if (tape_process.regions == TAPE_REGIONS_MAX) {
		id = TAPE_REGIONS_MAX;
		goto out;
	}
	if (tape_process.regions == TAPE_REGIONS_MAX - 1)
		name = "(other)";
	grown = realloc(known, (tape_process.regions + 1) * sizeof *grown);
	if (!grown)
		goto out;
	known = grown;
	grown += tape_process.regions;
	grown->name = strdup(name);
	if (!grown->name)
		goto out;
	apply_filters(grown);
	if (!tape_define("region %u %s\n", tape_process.regions + 1,
			 tape_escape(word, sizeof word, name)))
		id = ++tape_process.regions;
out:
	tape_unlock();
	return id;
}

/* The length of a name that ends with NUL, as those of C do. */
#define UNTIL_NUL SIZE_MAX

/* Longer names of Fortran are cut. */
enum { NAME_BYTES = 2048 };

struct wanted {
	const char *name;
	size_t length; /* or UNTIL_NUL */
	struct tape_region *to;
};

static void resolve_wanted(void *wanted)
{
	struct wanted *w = wanted;
	char copy[NAME_BYTES];
	const char *text = w->name;
	size_t bytes = w->length, n;
	int constant;

	if (bytes == UNTIL_NUL) {
		bytes = strlen(text) + 1;
	} else {
		n = bytes < sizeof copy ? bytes : sizeof copy;
		snprintf(copy, sizeof copy, "%.*s", (int)n, text);
		text = copy;
	}
	w->to->id = find_or_add_region(text);
	n = strnlen(text, sizeof w->to->copy - 1);
	memcpy(w->to->copy, text, n);
	w->to->copy[n] = '\0';
	constant = tape_module_constant((uintptr_t)w->name, bytes);
	w->to->skips = constant ? w->name : NULL;
}
TAPE_ON_OWN_STACK_END

static struct known copy_known_region(uint32_t id)
{
	struct known k;

	tape_lock();
	k = known[id - 1];
	tape_unlock();
	return k;
}

/* Finds the region for its first use at that address; 0, or it failed. */
static TAPE_COLD int resolve_region(struct tape_flow *f, struct tape_region *r,
				    const char *name, size_t length)
{
	struct wanted w = { name, length, r };
	uint64_t t0 = tape_tick();
	struct known k;
	int e = errno;

	tape_counters_pause(f);
	tape_run_on_own_stack(resolve_wanted, &w);
	if (!r->id) {
		tape_define_failed(f);
		f->lost++;
		errno = e;
		return -1;
	}
	k = copy_known_region(r->id);
	/* no page fault in the event: it would not be measured there */
	(void)*(volatile uint32_t *)&f->regions[r->id];
	r->inside = (unsigned char)k.inside;
	r->marked = (unsigned char)k.marked;
	if (!k.marked)
		r->skips = NULL;
	if (r->skips)
		f->regions[r->id] |= TAPE_NAME_CONSTANT;
	r->name = name;
	tape_counters_resume(f);
	f->extra_before += tape_tick() - t0;
	errno = e;
	return 0;
}

/*
 * The flow whose regions change: that which records, or one that is switched
 * off or silent; none inside of a call, as whatever a call-back does.
 */
static struct tape_flow *flow_of_regions(void)
{
	struct tape_flow *f = tape_flow_now();

	if (TAPE_LIKELY(f != NULL))
		return tape_regions_matter() && !tape_flow_is_forked_copy(f)
			   ? f
			   : NULL;
	f = tape_own;
	return f && f->chunk && !f->self && !f->end &&
		       tape_process.state == TAPE_RUNNING &&
		       tape_regions_matter() && !tape_flow_is_forked_copy(f)
		   ? f
		   : NULL;
}

/* A mark of a flow that may be silent on one side of it. */
static void put_region_mark(struct tape_flow *f, enum tape_code code,
			    uint32_t id)
{
	f->self = f;
	tape_buffer_mark(f, code, id);
}

void tape_region_start(struct tape_flow *f)
{
	f->silent = !tape_list_changes(tape_process.config.regions);
	tape_flow_switch(f);
}

struct tape_flow *tape_region_stop(void)
{
	struct tape_flow *f = tape_own;

	if (!f || !f->silent || f->switched_off || f->end ||
	    tape_process.state != TAPE_RUNNING)
		return NULL;
	f->silent = 0;
	tape_flow_switch(f);
	return f;
}

/* Is the enter of the region to be recorded here? Counts it where only that. */
static int is_marked(struct tape_flow *f, const struct tape_region *r,
		     uint32_t silent)
{
	uint32_t count = f->regions[r->id];

	if (!r->marked || f->switched_off || (f->silent && silent))
		return 0;
	if (TAPE_LIKELY(!(count & TAPE_ONLY_COUNTED)))
		return 1;
	return tape_count(f, count & ~TAPE_ONLY_COUNTED);
}

/*
 * The region as it was last known at that address; where it was none, the slot
 * that it shall have. Two names of one slot have one each.
 */
static inline struct tape_region *find_cached_region(struct tape_flow *f,
						     const char *name)
{
	struct tape_region *r = &f->region_cache[tape_region_slot(name)];
	struct tape_region *other;

	if (TAPE_LIKELY(r->name == name))
		return r;
	other = &f->region_cache[tape_region_slot(name) ^ 1];
	return other->name == name || (r->name && !other->name) ? other : r;
}

/* Is the name at that address still the text that the region has? */
static TAPE_ALWAYS inline int is_same_name(const struct tape_region *r,
					   const char *name, size_t length)
{
	if (length == UNTIL_NUL)
		return !strcmp(r->copy, name);
	return length < sizeof r->copy && !memcmp(r->copy, name, length) &&
	       !r->copy[length];
}

/*
 * In a block that is being skipped. 0: this enter is not one of it. Constants
 * of Fortran may begin at one address and differ in their length.
 */
static TAPE_ALWAYS inline int skips_enter(struct tape_flow *f, const char *name,
					  size_t length)
{
	const struct tape_region *r = find_cached_region(f, name);

	if (r->skips != name ||
	    (length != UNTIL_NUL && !is_same_name(r, name, length)))
		return 0;
	/* blocks begin where there is depth enough */
	f->open[f->depth++] = (struct tape_open){ .id = r->id };
	tape_blocks_skip(f, 2 * r->id + 1);
	if (TAPE_UNLIKELY(f->skip_more != 0))
		tape_blocks_repeat(f, name);
	return 1;
}

/* The same of a leave, whose enter was skipped, too. */
static inline int skips_leave(struct tape_flow *f)
{
	const struct tape_open *o;

	if (!f->depth || f->depth > TAPE_REGION_DEPTH)
		return 0;
	o = &f->open[f->depth - 1];
	if (o->marked)
		return 0;
	f->depth--;
	tape_blocks_skip(f, 2 * o->id + 1 + TAPE_SKIPPED);
	return 1;
}

static TAPE_ALWAYS inline void enter_region(const char *name, size_t length)
{
	struct tape_flow *f = tape_current;
	struct tape_region *r;
	struct tape_open *o;
	uint32_t silent;

	if (TAPE_UNLIKELY(f && f->skip_left) && skips_enter(f, name, length))
		return;
	f = flow_of_regions();
	if (!f || !name)
		return;
	r = find_cached_region(f, name);
	if (TAPE_UNLIKELY(r->name != name || !is_same_name(r, name, length)) &&
	    resolve_region(f, r, name, length))
		return;
	/* neither end of a deeper one is recorded: which it was is not kept */
	if (f->depth++ >= TAPE_REGION_DEPTH)
		return;
	silent = r->inside == TAPE_UNSAID ? f->silent : r->inside == TAPE_OUT;
	o = &f->open[f->depth - 1];
	o->id = r->id;
	o->was_silent = (unsigned char)f->silent;
	o->marked = (unsigned char)is_marked(f, r, silent);
	if (o->marked)
		put_region_mark(f, TAPE_CODE_ENTER, r->id);
	if (TAPE_UNLIKELY((silent | f->silent) != 0) && !f->end) {
		f->silent = silent;
		tape_flow_switch(f);
	}
}

TAPE_EXPORT void tape_enter(const char *name)
{
	enter_region(name, UNTIL_NUL);
}

/*
 * The same from Fortran: compilers pass the length, padding included, behind
 * the arguments, some as an int.
 */
TAPE_EXPORT void tape_enter_fortran(const char *name, size_t length)
{
	size_t n = (uint32_t)length;

	while (n && name[n - 1] == ' ')
		n--;
	enter_region(name, n);
}
TAPE_FORTRAN_NAMES("tape_enter", "tape_enter_fortran");

TAPE_EXPORT void tape_leave(void)
{
	struct tape_flow *f = tape_current;
	const struct tape_open *o;

	if (TAPE_UNLIKELY(f && f->skip_left) && skips_leave(f))
		return;
	f = flow_of_regions();
	if (!f || !f->depth)
		return;
	if (--f->depth >= TAPE_REGION_DEPTH)
		return;
	o = &f->open[f->depth];
	if (o->marked && !f->switched_off)
		put_region_mark(f, TAPE_CODE_LEAVE, o->id);
	if (TAPE_UNLIKELY((o->was_silent | f->silent) != 0) && !f->end) {
		f->silent = o->was_silent;
		tape_flow_switch(f);
	}
}
TAPE_FORTRAN_NAMES("tape_leave", "tape_leave");
