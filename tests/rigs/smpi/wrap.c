/*
 * In place of runtime/mpi/wrap.c: the same hooks and the same generated
 * wrappers, which let simulated time pass where the tracer would be at work,
 * and correct what SMPI answers.
 */
#define TAPE_WRAPS_FREQUENT 1
#define TAPE_WRAPS_RARE 1
#include "complete.h"
#include "request.h"

static int spent_done; /* completions of the call under way */
static unsigned recorded;

/* What is completed costs, in whichever hook. */
static inline void completed(struct tape_flow *f, MPI_Request handle,
			     const struct tape_before *b, int rc,
			     const MPI_Status *status, unsigned arrived)
{
	if (spent_done++)
		rig_spend(rig_cost.done);
	tape_completed(f, handle, b, rc, status, arrived);
}
#define tape_completed completed

/* The reader counts what a call starts as it counts completions. */
static inline int activated(uintptr_t handle, uint64_t *number)
{
	if (spent_done++)
		rig_spend(rig_cost.done);
	return tape_request_activate(handle, number);
}
#define tape_request_activate activated

#include "hooks_all.h"
#include "life.h"
#include "onesided.h"

#undef TAPE_WRAP_BEGIN
#define TAPE_WRAP_BEGIN(f)                                                     \
	uint64_t entry_ = 0;                                                   \
	(f)->frame = __builtin_frame_address(0);                               \
	tape_current = NULL;                                                   \
	spent_done = 0;                                                        \
	rig_spend(rig_cost.before)
#undef TAPE_WRAP_PUT
#define TAPE_WRAP_PUT(name, f, site, r)                                        \
	do {                                                                   \
		(void)entry_;                                                  \
		truth(r, a.end == a.start);                                    \
		(f)->extra_after += now_and_then();                            \
		put_##name(f, site, a.start, a.end, r);                        \
	} while (0)
#undef TAPE_WRAP_END
#define TAPE_WRAP_END(f)                                                       \
	do {                                                                   \
		rig_spend(rig_cost.after);                                     \
		tape_current = (f)->self;                                      \
	} while (0)

#undef TAPE_RARE_START
#define TAPE_RARE_START(c)                                                     \
	do {                                                                   \
		spent_done = 0;                                                \
		rig_spend(rig_cost.before);                                    \
		tape_rare_start(c);                                            \
	} while (0)
#undef TAPE_RARE_END
#define TAPE_RARE_END(c)                                                       \
	do {                                                                   \
		rig_spend(rig_cost.after);                                     \
		tape_rare_end(c);                                              \
	} while (0)

/*
 * SMPI's MPI_Iprobe finds a message from its send on. To hand over a message
 * that is there takes no time here, so a blocking receive had its message if
 * and only if it ended when it began.
 */
static inline void truth_recv(void *record, int at_once)
{
	struct tape_recv *r = record;

	if (r->arrived != 2)
		r->arrived = (uint32_t)at_once;
}

static inline void truth_sendrecv(void *record, int at_once)
{
	struct tape_sendrecv *r = record;

	if (r->arrived != 2)
		r->arrived = (uint32_t)at_once;
}

static inline void truth_other(void *record, int at_once)
{
	(void)record, (void)at_once;
}

#define truth(r, at_once)                                                      \
	_Generic((r), struct tape_recv *: truth_recv,                          \
		 struct tape_sendrecv *: truth_sendrecv,                       \
		 default: truth_other)(r, at_once)

/* Additional time of the tracer, measured as a new window would be. */
static inline uint64_t now_and_then(void)
{
	uint64_t t0;

	if ((++recorded + 7 * (unsigned)tape_process.rank) % RIG_RARELY)
		return 0;
	t0 = tape_tick();
	rig_spend(rig_cost.now_and_then);
	return tape_tick() - t0;
}

/*
 * MPI_Init and MPI_Finalize are recorded apart. The constant cost of the first
 * is paid once the rest is done.
 */
static inline void life_start(uint64_t start, uint64_t end, uint32_t call,
			      struct tape_site *source, const void *address)
{
	tape_life_start(start, end, call, source, address);
	rig_spend(rig_cost.before + rig_cost.after);
}
#define tape_life_start life_start

static inline int life_finalize(struct tape_flow *f, uint32_t site,
				int (*real)(void *), void *of)
{
	rig_spend(rig_cost.before);
	return tape_life_finalize(f, site, real, of);
}
#define tape_life_finalize life_finalize

#include "special.h"
#include "tape.h"

/* There are no counters and no measured alpha here. */
void tape_wrap_start(struct tape_flow *f)
{
	(void)f;
}

void tape_wrap_stop(struct tape_flow *f)
{
	(void)f;
}

void tape_wrap_extras(struct tape_flow *f, uint64_t start, uint64_t entry)
{
	(void)f, (void)start, (void)entry;
}

void tape_wrap_end(struct tape_flow *f, uint64_t end)
{
	(void)f, (void)end;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "smpi_wrap.h"
#pragma GCC diagnostic pop
