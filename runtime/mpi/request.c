/*
 * What is known of requests; see request.h. A request is one word: its number,
 * its kind, its marks, and the low bits of the handle, which the place of the
 * word does not tell.
 */
#include "abi.h"
#include "request_table.h"
#include "handles.h"
#include "queue.h"
#include "request.h"
#include "world.h"

/* The parts of a word, from bit 0 on. */
enum { N_BITS = 36, THREAD_BITS = 16 };
enum {
	THREAD_AT = N_BITS,
	KIND_AT = THREAD_AT + THREAD_BITS,
	PERSISTENT_AT = KIND_AT + 3,
	ACTIVE_AT,
	CANCELLED_AT,
	LOW_AT
};
_Static_assert(LOW_AT + 6 == 64, "a word has 64 bits");
_Static_assert(TAPE_HANDLES_NEAR <= 8, "the low bits tell handles apart");
_Static_assert(TAPE_THREADS_MAX <= 1 << THREAD_BITS, "threads are numbered");

/* A handle that completed requests share (abi.h). */
static uintptr_t sample;

/* ---- words ---- */

/* The place of a word tells the rest of the handle, four bytes apart. */
static uint64_t get_low_bits(uintptr_t handle)
{
	return ((uint64_t)handle >> 2 & 63) << LOW_AT;
}

/* Number and low bits: what tells one request from another. */
static uint64_t get_identity(uint64_t word)
{
	return word & ~((uint64_t)63 << KIND_AT);
}

/* The word of a request, or 0: it has to be kept aside. */
static inline TAPE_ALWAYS uint64_t pack_request(uintptr_t handle,
						const struct tape_request *r)
{
	uint64_t thread = r->number >> TAPE_REQUEST_SHIFT;
	uint64_t n = r->number & (((uint64_t)1 << TAPE_REQUEST_SHIFT) - 1);

	if (!n || n >> N_BITS || thread >> THREAD_BITS ||
	    r->kind == TAPE_REQUEST_COMM)
		return 0;
	return n | thread << THREAD_AT | (uint64_t)r->kind << KIND_AT |
	       (uint64_t)r->persistent << PERSISTENT_AT |
	       (uint64_t)r->active << ACTIVE_AT |
	       (uint64_t)r->cancelled << CANCELLED_AT | get_low_bits(handle);
}

static inline TAPE_ALWAYS void unpack_request(uint64_t word,
					      struct tape_request *r)
{
	uint64_t n = word & (((uint64_t)1 << N_BITS) - 1);
	uint64_t thread = word >> THREAD_AT & ((1u << THREAD_BITS) - 1);

	*r = (struct tape_request){
		.number = TAPE_REQUEST(thread, n),
		.kind = (uint32_t)(word >> KIND_AT & 7),
		.persistent = (uint32_t)(word >> PERSISTENT_AT & 1),
		.active = (uint32_t)(word >> ACTIVE_AT & 1),
		.cancelled = (uint32_t)(word >> CANCELLED_AT & 1),
	};
}

/* The word of handle where it is known, else NULL. */
static inline TAPE_ALWAYS uint64_t *find_word(uintptr_t handle, uint64_t *word)
{
	uint64_t *at = tape_handles_word(handle);

	if (!at)
		return NULL;
	*word = __atomic_load_n(at, __ATOMIC_RELAXED);
	return *word && (*word & (uint64_t)63 << LOW_AT) == get_low_bits(handle)
		   ? at
		   : NULL;
}

/*
 * Changes a word that nobody else changes meanwhile, unless the handle has
 * become another thread's: then it is no longer what it was.
 */
static void change_word(uint64_t *at, uint64_t was, uint64_t word)
{
	if (tape_process.many_threads)
		__atomic_compare_exchange_n(at, &was, word, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	else
		*at = word;
}

/* ---- operations ---- */

void tape_request_start(void)
{
	MPI_Request r;

	if (PMPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, tape_self,
		       &r) == MPI_SUCCESS) {
		sample = tape_handle(r);
		PMPI_Wait(&r, MPI_STATUS_IGNORE);
	}
}

int tape_request_is_shared(uintptr_t handle)
{
	return tape_shared(handle, sample) >= 0;
}

/* New tables take time: it comes before the next event of the thread. */
static TAPE_COLD uint64_t *make_word(uintptr_t handle)
{
	uint64_t t0 = tape_tick(), *at = tape_handles_make(handle);

	if (tape_own && tape_own->self)
		tape_own->extra_before += tape_tick() - t0;
	return at;
}

/*
 * Stores word; non-zero: it is another handle's. A word of the same handle is
 * that of a request whose thread is about to take it away: it may become
 * another handle's at any time.
 */
static int store_word(uint64_t *at, uint64_t word)
{
	uint64_t was = __atomic_load_n(at, __ATOMIC_RELAXED);

	if (was && was >> LOW_AT != word >> LOW_AT)
		return -1;
	if (!tape_process.many_threads) {
		__atomic_store_n(at, word, __ATOMIC_RELAXED);
		return 0;
	}
	return !__atomic_compare_exchange_n(at, &was, word, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static TAPE_COLD void add_to_table(uintptr_t handle,
				   const struct tape_request *r)
{
	uint64_t word, *at = find_word(handle, &word);

	if (at) /* what it was before */
		change_word(at, word, 0);
	tape_request_table_add(handle, r);
}

void tape_request_add(uintptr_t handle, const struct tape_request *r)
{
	uint64_t word = pack_request(handle, r), *at;
	int which = tape_shared(handle, sample);
	struct tape_request old;

	if (which >= 0 && r->kind != TAPE_REQUEST_MESSAGE) {
		if (word && tape_own)
			tape_queue_add(tape_own, which, word);
		return;
	}
	if (TAPE_UNLIKELY(tape_request_table_count() != 0) &&
	    tape_request_table_find(handle, &old))
		tape_request_table_forget(handle, old.number);
	at = tape_handles_word(handle);
	if (TAPE_UNLIKELY(!at))
		at = make_word(handle);
	if (!word || !at || store_word(at, word))
		add_to_table(handle, r);
}

/* The same as find; at: its word, NULL where it is aside. */
static inline int find_request(uintptr_t handle, struct tape_request *r,
			       uint64_t **at, uint64_t *word)
{
	*at = find_word(handle, word);
	if (*at) {
		unpack_request(*word, r);
		return 1;
	}
	return TAPE_UNLIKELY(tape_request_table_count() != 0) &&
	       tape_request_table_find(handle, r);
}

static int shared_oldest(int which, struct tape_request *r, int take)
{
	uint64_t word = tape_queue_oldest(tape_own, which, take);

	if (word)
		unpack_request(word, r);
	return word != 0;
}

int tape_request_find(uintptr_t handle, struct tape_request *r)
{
	uint64_t *at, word = 0;
	int which = tape_shared(handle, sample);

	if (which >= 0)
		return shared_oldest(which, r, 0);
	return find_request(handle, r, &at, &word);
}

/* keep: a persistent request stays, inactive. */
static void end_request(uintptr_t handle, const struct tape_request *r,
			uint64_t *at, uint64_t word, int keep)
{
	struct tape_request idle = *r;

	keep = keep && r->persistent;
	if (at) {
		change_word(at, word,
			    keep ? word & ~((uint64_t)1 << ACTIVE_AT) : 0);
	} else if (keep) {
		idle.active = 0;
		tape_request_table_change(handle, &idle);
	} else {
		tape_request_table_forget(handle, r->number);
	}
}

static int take_request(uintptr_t handle, struct tape_request *r, int keep)
{
	uint64_t *at, word = 0;
	int which = tape_shared(handle, sample);

	if (which >= 0)
		return shared_oldest(which, r, 1);
	if (!find_request(handle, r, &at, &word))
		return 0;
	end_request(handle, r, at, word, keep);
	return 1;
}

int tape_request_take(uintptr_t handle, struct tape_request *r)
{
	return take_request(handle, r, 1);
}

int tape_request_drop(uintptr_t handle, struct tape_request *r)
{
	return take_request(handle, r, 0);
}

void tape_request_finish(uintptr_t handle, const struct tape_request *r)
{
	uint64_t mine = pack_request(handle, r), word = 0;
	uint64_t *at = find_word(handle, &word);

	if (at && mine && get_identity(word) == get_identity(mine))
		end_request(handle, r, at, word, 1);
	else if (tape_request_table_count())
		end_request(handle, r, NULL, 0, 1);
}

static int mark_request(uintptr_t handle, uint64_t *number, int cancelled)
{
	uint64_t *at, word = 0;
	struct tape_request r;

	*number = 0;
	if (tape_request_is_shared(handle) ||
	    !find_request(handle, &r, &at, &word))
		return 0;
	*number = r.number;
	if (cancelled)
		r.cancelled = 1;
	else
		r.active = 1, r.cancelled = 0;
	if (at)
		change_word(at, word, pack_request(handle, &r));
	else
		tape_request_table_change(handle, &r);
	return 1;
}

int tape_request_activate(uintptr_t handle, uint64_t *number)
{
	return mark_request(handle, number, 0);
}

int tape_request_cancel(uintptr_t handle, uint64_t *number)
{
	return mark_request(handle, number, 1);
}
