/*
 * Stores records into the open chunk of a flow. A record's first byte is
 * stored last, so that a process killed at any instruction leaves only whole
 * records. tape_put_<class> is the hot path: no call, no lock, no system call
 * unless the chunk is full.
 */
#ifndef TAPE_BUFFER_H
#define TAPE_BUFFER_H

#include "publish.h"
#include "tape_codec.h"

/*
 * Makes room for a record: ends a pending run, moves to the next chunk. Its
 * time is added to the alpha of the event in progress. Returns 0, or non-zero
 * when the flow has ended.
 */
TAPE_COLD int tape_buffer_room(struct tape_flow *f);

/*
 * As tape_buffer_room, for a record that belongs to the event just put. The
 * time also belongs to that event and is stored at once.
 */
TAPE_COLD int tape_buffer_room_within(struct tape_flow *f);

/* Ends the pending run. Its time is added to the alpha of the next event. */
TAPE_COLD void tape_buffer_end_run(struct tape_flow *f);

/* Stores the extra alpha of the event just put and clears it. */
TAPE_COLD void tape_buffer_alpha(struct tape_flow *f);

/*
 * A failed test that is not one more at the call site of the pending run. In a
 * loop over two call sites it is one more at the second: 1 is returned. Else a
 * run begins: 0, or -1 when the flow has ended.
 */
int tape_buffer_poll(struct tape_flow *f, uint32_t site, uint32_t class_,
		     uint64_t start, uint64_t end,
		     const union tape_fields *fields);

/*
 * A call that packs or unpacks a message (way: shape of the call) and does not
 * belong to the pending run. Ends that run and begins a run of such calls.
 * Returns 0, or -1 when the flow has ended.
 */
int tape_buffer_sum(struct tape_flow *f, uint32_t site, uint32_t class_,
		    uint32_t way, uint64_t start);

/*
 * Called before a call or marker that tally k would count. Returns 1 if it must
 * be recorded again, from this call on. tick: now.
 */
TAPE_COLD int tape_buffer_return(struct tape_flow *f, uint32_t k,
				 uint64_t tick);

/*
 * Puts a marker at the current tick: enter, leave (what: the region), off, on,
 * thread (what: its id in the kernel).
 */
void tape_buffer_mark(struct tape_flow *f, enum tape_code code, uint32_t what);

/* Puts a marker with these counts of the thread's processor, at tick. */
void tape_buffer_processor(struct tape_flow *f, uint64_t tick,
			   const struct tape_processor *counts);

/*
 * Puts a marker of a step in the life of a thread, now; which: the pthread_t, or 0.
 * What this takes is its alpha.
 */
void tape_buffer_pthread(struct tape_flow *f, enum tape_thread_step step,
			 uint64_t which);

/* Puts the end record of the flow. It fits into any chunk. */
void tape_buffer_end(struct tape_flow *f, enum tape_end reason);

/* Ends one flow early. A message for the user follows when the run stops. */
void tape_buffer_stop(struct tape_flow *f, enum tape_end reason);

/* Stores the counts of the last event, or adds them to the pending run. */
void tape_buffer_counts(struct tape_flow *f);

/* A request that the event just put completed, and so on. */
void tape_buffer_done(struct tape_flow *f, enum tape_code code,
		      uint64_t request, int32_t peer, int32_t tag,
		      uint64_t bytes, uint32_t arrived);

/*
 * Adds a call to the pending run, here and in the chunk's header: to the count
 * that stands there at offset at.
 */
static inline TAPE_ALWAYS void tape_poll_more(struct tape_flow *f,
					      uint64_t start, uint64_t end,
					      uint64_t *count, int at)
{
	unsigned char *h = f->chunk + TAPE_CHUNK_POLL;

	f->poll_end = end;
	f->poll_inside += end - start;
	if (TAPE_UNLIKELY((f->extra_before | f->extra_after) != 0)) {
		f->poll_before += f->extra_before;
		f->poll_after += f->extra_after;
		f->noted_after += f->extra_after;
		f->extra_before = f->extra_after = 0;
	}
	tape_put64(h + 24, end);
	tape_put64(h + 32, f->poll_inside);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	tape_put64(f->chunk + at, ++*count);
}

/*
 * Defines tape_poll_NAME(flow, site, start, end, fields) for one class: a
 * failed test joins the pending run of its call site, or goes another way.
 */
#define TAPE_POLL(name, NAME)                                                  \
	static inline TAPE_ALWAYS void tape_poll_##name(                       \
		struct tape_flow *f, uint32_t site, uint64_t start,            \
		uint64_t end, const struct tape_##name *r)                     \
	{                                                                      \
		if (TAPE_UNLIKELY(!f->poll_count || f->poll_site != site ||    \
				  !tape_same_##name(&f->poll_fields.name,      \
						    r))) {                     \
			union tape_fields u = { .name = *r };                  \
			int rc = tape_buffer_poll(f, site, TAPE_CLASS_##NAME,  \
						  start, end, &u);             \
                                                                               \
			f->lost += rc < 0;                                     \
			if (rc)                                                \
				return;                                        \
		}                                                              \
		tape_poll_more(f, start, end, &f->poll_count,                  \
			       TAPE_CHUNK_POLL);                               \
	}

/* One call more of the packing of a message, or the first. */
static inline TAPE_ALWAYS void
tape_sum_pack(struct tape_flow *f, uint32_t site, uint64_t start, uint64_t end,
	      const struct tape_pack *r, uint32_t way)
{
	if (TAPE_UNLIKELY(!f->poll_count || f->poll_way != way) &&
	    tape_buffer_sum(f, site, TAPE_CLASS_PACK, way, start)) {
		f->lost++;
		return;
	}
	f->poll_fields.pack.bytes += r->bytes;
	tape_put64(f->chunk + TAPE_CHUNK_ALSO, f->poll_fields.pack.bytes);
	tape_poll_more(f, start, end, &f->poll_count, TAPE_CHUNK_POLL);
}

/* Defines tape_put_NAME(flow, site, start, end, fields) for one class. */
#define TAPE_PUT(name)                                                         \
	static inline TAPE_ALWAYS void tape_put_##name(                        \
		struct tape_flow *f, uint32_t site, uint64_t start,            \
		uint64_t end, const struct tape_##name *r)                     \
	{                                                                      \
		struct tape_site_state *s = &f->sites[site];                   \
		uint64_t gap, spent = end - start;                             \
		unsigned char *q, first;                                       \
		int same;                                                      \
                                                                               \
		if (TAPE_UNLIKELY(f->p >= f->limit) && tape_buffer_room(f)) {   \
			f->lost++;                                             \
			return;                                                \
		}                                                              \
		gap = tape_gap(f, start);                                      \
		same = s->seen && tape_same_##name(&s->last.name, r);          \
		q = tape_code_rest(f->p, TAPE_CODE_SITE + 2 * site +           \
				   (unsigned)same, &first);                    \
		q = tape_put_varint(q, gap);                                   \
		q = tape_put_varint(q, spent);                                 \
		q = tape_encode_##name(q, r, same);                            \
		if (!same) {                                                   \
			s->last.name = *r;                                     \
			s->seen = 1;                                           \
		}                                                              \
		tape_publish(f, q, first);                                     \
		f->last += gap + spent;                                        \
		f->events++;                                                   \
		if (TAPE_UNLIKELY((f->extra_before | f->extra_after) != 0))    \
			tape_buffer_alpha(f);                                  \
	}

#endif
