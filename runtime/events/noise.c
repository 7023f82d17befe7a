/* Random delays after calls; see noise.h. */
#include <errno.h>
#include <sched.h>

#include "cost.h"
#include "noise.h"

enum { SPIN_NS = 20000 };

#define MAY_BE_DELAYED                                                         \
	(TAPE_CLASS_BIT(SEND) | TAPE_CLASS_BIT(ISEND) | TAPE_CLASS_BIT(RECV) | \
	 TAPE_CLASS_BIT(IRECV) | TAPE_CLASS_BIT(SENDRECV) |                    \
	 TAPE_CLASS_BIT(ISENDRECV) | TAPE_CLASS_BIT(PROBE) |                   \
	 TAPE_CLASS_BIT(MPROBE) | TAPE_CLASS_BIT(MRECV) |                      \
	 TAPE_CLASS_BIT(IMRECV) | TAPE_CLASS_BIT(START) |                      \
	 TAPE_CLASS_BIT(WAIT) | TAPE_CLASS_BIT(COLL) | TAPE_CLASS_BIT(ICOLL) | \
	 TAPE_CLASS_BIT(COMM_NEW) | TAPE_CLASS_BIT(COMM_INEW) |                \
	 TAPE_CLASS_BIT(RMA) | TAPE_CLASS_BIT(IRMA) | TAPE_CLASS_BIT(EPOCH) |  \
	 TAPE_CLASS_BIT(PSCW) | TAPE_CLASS_BIT(PSEND) |                        \
	 TAPE_CLASS_BIT(PREADY) | TAPE_CLASS_BIT(MCAST))

static void wait_until(uint64_t from, uint64_t until)
{
	uint64_t now;
	int e = errno;

	while ((now = tape_raw_ns()) < until)
		if (now - from > SPIN_NS)
			sched_yield();
	errno = e;
}

int tape_noise_wait(struct tape_flow *f, int class_)
{
	uint64_t now, ns;

	if (f->filed || !(UINT64_C(1) << class_ & MAY_BE_DELAYED))
		return 0;
	ns = tape_noise_draw(&tape_process.config.noise, f->rank, f->thread,
			     f->noise_calls++);
	if (!ns)
		return 0;
	now = tape_raw_ns();
	wait_until(now, now + ns);
	return 1;
}
