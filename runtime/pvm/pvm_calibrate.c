/*
 * The constant part of alpha; see pvm_calibrate.h. A message to oneself goes
 * by the daemon and takes a thousand times longer than what is to be measured
 * here. So the events of calls that communicate are made around nothing: the
 * tracer asks the library what it would ask, of a buffer that holds one item.
 * Packing and local calls are done in earnest, for they overlap with the
 * tracer's work.
 */
#include "blocks.h"
#include "call_sites.h"
#include "cost.h"
#include "flows.h"
#include "pvm_calibrate.h"
#include "pvm_hooks.h"
#include "pvm_rare.h"

/* A site of our own that is never defined in the trace. */
static struct tape_site here = { 0, 0, TAPE_SITES_MAX - 1, 0, "", "" };

static int buffer; /* the library's */
static double item;

/* Each is what the generated wrapper of such a call is; action: its result. */
#define EVENT(name, class_, action, ...)                                       \
	static TAPE_APART int name(void)                                       \
	{                                                                      \
		struct tape_flow *f = tape_flow_now();                         \
		struct tape_pvm_args a = { __VA_ARGS__ };                      \
		uint32_t site = tape_site_source(f, &here, a.call);            \
		struct tape_##class_ r;                                        \
		TAPE_PVM_BEGIN(f);                                             \
                                                                               \
		before_##class_(f, &r, &a);                                    \
		TAPE_PVM_START(f);                                             \
		a.rc = action;                                                 \
		TAPE_PVM_STOP(f, site, a.rc);                                  \
		after_##class_(f, &r, &a);                                     \
		TAPE_PVM_PUT(class_, f, site, &r);                             \
		TAPE_PVM_END(f);                                               \
		return a.rc;                                                   \
	}

static TAPE_APART int ask_rbuf(void)
{
	struct tape_pvm_rare c;
	int value;

	tape_pvm_rare_begin(&c, TAPE_CALL_pvm_getrbuf, &here, NULL,
			    __builtin_frame_address(0));
	value = TAPE_REAL(pvm_getrbuf)();
	tape_pvm_rare_end(&c);
	return value;
}

EVENT(pack_item, pack, TAPE_REAL(pvm_pkdouble)(&item, 1, 1),
      .call = TAPE_CALL_pvm_pkdouble, .shape = TAPE_SHAPE_TO, .count = 1,
      .item = sizeof item)
EVENT(send, send, 0, .call = TAPE_CALL_pvm_send)
EVENT(mcast, mcast, 0, .call = TAPE_CALL_pvm_mcast)
EVENT(recv, recv, buffer, .call = TAPE_CALL_pvm_recv)
EVENT(found, iprobe, buffer, .call = TAPE_CALL_pvm_probe)
EVENT(nothing, iprobe, 0, .call = TAPE_CALL_pvm_probe)
EVENT(taken, nrecv, buffer, .call = TAPE_CALL_pvm_nrecv)
/* all but looking up its group, which is little compared with a barrier */
EVENT(meet, coll, -1, .call = TAPE_CALL_pvm_barrier, .shape = TAPE_SHAPE_ALL)

/*
 * Wrappers are called while the thread records, the library while it does not:
 * its own calls go by the names that are wrapped.
 */
static void set_recording(struct tape_flow *f, int on)
{
	tape_current = on ? f->self : NULL;
}

#define C(name) TAPE_CLASS_BIT(name)

/*
 * of: the classes that it is for; bare: what an event of them is around, where
 * that is a call
 */
#define CALIBRATE(class_, of, event, bare)                                     \
	do {                                                                   \
		struct tape_cost cost_;                                        \
                                                                               \
		if (!tape_cost_needs_classes(of))                              \
			break;                                                 \
		TAPE_MEASURE(cost_, , event(), bare, ,                         \
			     set_recording(f, traced_));                       \
		tape_alpha(class_, cost_, reading);                            \
	} while (0)

static void calibrate_skip(struct tape_flow *f)
{
	struct tape_cost cost;

	if (!tape_cost_needs_classes(C(LOCAL)))
		return;
	TAPE_MEASURE(cost, , ask_rbuf(), TAPE_REAL(pvm_getrbuf)(), ,
		     (set_recording(f, traced_),
		      tape_blocks_rehearse(f, TAPE_SITES_MAX - 1, traced_)));
	tape_blocks_rehearse(f, TAPE_SITES_MAX - 1, 0);
	tape_alpha_skip("skip_local", cost);
}

static void calibrate_messages(struct tape_flow *f, double reading)
{
	CALIBRATE("send", C(SEND), send, );
	CALIBRATE("mcast", C(MCAST), mcast, );
	CALIBRATE("recv", C(RECV), recv, );
	CALIBRATE("iprobe", C(IPROBE), found, );
	CALIBRATE("poll", C(IPROBE) | C(NRECV), nothing, );
	CALIBRATE("nrecv", C(NRECV), taken, );
	CALIBRATE("coll", C(COLL), meet, );
}

static void calibrate_classes(struct tape_flow *f)
{
	double reading = tape_cost_reading(f);
	uint32_t arrived = f->arrived;

	f->arrived = 0; /* asking is timed by itself, event by event */
	tape_alpha_reading(reading);
	tape_cost_paces();
	set_recording(f, 1);
	CALIBRATE("local", C(LOCAL), ask_rbuf, TAPE_REAL(pvm_getrbuf)());
	calibrate_skip(f);
	CALIBRATE("pack", C(PACK), pack_item,
		  TAPE_REAL(pvm_pkdouble)(&item, 1, 1));
	/* what comes for the program at its end is not to be looked at */
	if (!tape_process.again_until)
		calibrate_messages(f, reading);
	set_recording(f, 0);
	f->sites[TAPE_SITES_MAX - 1].seen = 0;
	f->arrived = arrived;
}

void tape_pvm_calibrate(struct tape_flow *f)
{
	int error = pvm_errno, old;

	if (!f->self)
		return;
	if (TAPE_REAL(pvm_getopt)(PvmSelfTraceTid) > 0) {
		f->extras |= TAPE_EXTRA_MEASURED;
		/* PVM would show the receives that are tried */
		f->arrived = 0;
		return;
	}
	buffer = TAPE_REAL(pvm_mkbuf)(PvmDataRaw);
	old = TAPE_REAL(pvm_setsbuf)(buffer);
	calibrate_classes(f);
	TAPE_REAL(pvm_setsbuf)(old);
	TAPE_REAL(pvm_freebuf)(buffer);
	pvm_errno = error;
}
