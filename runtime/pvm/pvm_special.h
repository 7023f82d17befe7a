/*
 * Wrappers that the generator cannot write, marked "!" in pvm.tab. wrap_NAME
 * records; outside_NAME runs while nothing is recorded. Included once, by
 * wrap.c, ahead of the generated ones.
 */
#ifndef TAPE_PVM_SPECIAL_H
#define TAPE_PVM_SPECIAL_H

#include "call_sites.h"
#include "flows.h"
#include "pvm_hooks.h"
#include "pvm_hosts.h"
#include "pvm_order.h"

/* A first call that does not enrol, or leaves at once, is not traced. */
static inline int wrap_pvm_exit(struct tape_flow *f, uint32_t site)
{
	struct tape_pvm_args a = { .call = TAPE_CALL_pvm_exit };

	/* what it calls itself is inside of this frame */
	TAPE_PVM_PASS(f, __builtin_frame_address(0));
	if (site)
		return tape_pvm_leave(f, site);
	a.start = tape_tick();
	a.rc = TAPE_REAL(pvm_exit)();
	a.end = tape_tick();
	tape_pvm_first(&a.start, &a.end, a.call, &site);
	return a.rc;
}

static inline int outside_pvm_exit(void)
{
	return tape_process.state == TAPE_RUNNING && tape_own &&
			       !tape_own->self
		       ? tape_pvm_leave(NULL, 0)
		       : TAPE_REAL(pvm_exit)();
}

TAPE_PUT(spawn)
#define put_spawn tape_put_spawn

static inline int wrap_pvm_spawn(struct tape_flow *f, uint32_t site, char *task,
				 char **argv, int flag, char *where, int n,
				 int *tids)
{
	struct tape_pvm_args a = { .call = TAPE_CALL_pvm_spawn };
	struct tape_spawn r = { 0 };
	TAPE_PVM_BEGIN(f);

	if (!site)
		tape_pvm_prepare();
	tape_pvm_begin_parts(&a);
	TAPE_PVM_START(f);
	a.rc = tape_pvm_do_spawn(task, argv, flag, where, n, tids);
	TAPE_PVM_STOP(f, site, a.rc);
	/* the first ones of tids are those that were started */
	if (tids && a.rc > 0)
		r.group = tape_pvm_spawned(tids, a.rc);
	r.part = tape_pvm_last_part();
	TAPE_PVM_PUT(spawn, f, site, &r);
	TAPE_PVM_END(f);
	return a.rc;
}

/* Also from within the library, of the group server: it is never traced. */
static inline int outside_pvm_spawn(char *task, char **argv, int flag,
				    char *where, int n, int *tids)
{
	return tape_pvm_do_spawn(task, argv, flag, where, n, tids);
}

static inline int wrap_pvm_config(struct tape_flow *f, uint32_t site,
				  int *nhost, int *narch,
				  struct pvmhostinfo **hostp)
{
	struct tape_pvm_args a = { .call = TAPE_CALL_pvm_config };
	struct tape_local r = { 0 };
	TAPE_PVM_BEGIN(f);

	TAPE_PVM_START(f);
	a.rc = tape_pvm_copy_hosts(nhost, narch, hostp);
	TAPE_PVM_STOP(f, site, a.rc);
	TAPE_PVM_PUT(local, f, site, &r);
	TAPE_PVM_END(f);
	return a.rc;
}

static inline int outside_pvm_config(int *nhost, int *narch,
				     struct pvmhostinfo **hostp)
{
	return tape_pvm_copy_hosts(nhost, narch, hostp);
}

/* A matching function may have to be called once for each message. */
static inline tape_pvm_matched wrap_pvm_recvf(struct tape_flow *f,
					      uint32_t site,
					      tape_pvm_match new)
{
	struct tape_pvm_args a = { .call = TAPE_CALL_pvm_recvf };
	struct tape_local r = { 0 };
	tape_pvm_matched old;
	TAPE_PVM_BEGIN(f);

	tape_pvm_matching = new != NULL;
	TAPE_PVM_START(f);
	old = TAPE_REAL(pvm_recvf)(new);
	TAPE_PVM_STOP(f, site, old);
	TAPE_PVM_PUT(local, f, site, &r);
	TAPE_PVM_END(f);
	return old;
}

static inline tape_pvm_matched outside_pvm_recvf(tape_pvm_match new)
{
	tape_pvm_matching = new != NULL;
	return TAPE_REAL(pvm_recvf)(new);
}

/* ---- calls that chance decides ---- */

/*
 * Before a call that chance decides: where it is the first one of the task, and
 * the order is recorded or replayed, the task enrols.
 */
#define ENROL(name, arguments)                                                 \
	do {                                                                   \
		if (TAPE_UNLIKELY(!site) &&                                    \
		    tape_pvm_enrol_in_order(&f, TAPE_CALL_##name, &site) &&    \
		    !site)                                                     \
			return pass_##name arguments;                          \
	} while (0)

/* The call is not recorded; f may be NULL. */
#define PASS(name, parameters, arguments)                                      \
	static inline int outside_##name(parameters);                          \
	static inline int pass_##name(struct tape_flow *f, parameters)         \
	{                                                                      \
		int rc;                                                        \
                                                                               \
		if (f)                                                         \
			TAPE_PVM_PASS(f, __builtin_frame_address(0));          \
		rc = outside_##name arguments;                                 \
		if (f)                                                         \
			TAPE_PVM_PASS_END(f);                                  \
		return rc;                                                     \
	}
#define COMMA ,

PASS(pvm_recv, int tid COMMA int tag, (tid, tag))
PASS(pvm_trecv, int tid COMMA int tag COMMA struct timeval *limit,
     (tid, tag, limit))
PASS(pvm_precv,
     int tid COMMA int tag COMMA void *buf COMMA int len COMMA int type
	     COMMA int *rtid COMMA int *rtag COMMA int *rlen,
     (tid, tag, buf, len, type, rtid, rtag, rlen))
PASS(pvm_nrecv, int tid COMMA int tag, (tid, tag))
PASS(pvm_probe, int tid COMMA int tag, (tid, tag))
PASS(pvm_joingroup, char *name, (name))
PASS(pvm_recvinfo, char *name COMMA int index COMMA int flags,
     (name, index, flags))

/*
 * Receives that wait: what is there is taken at once (pvm_arrival_probe.h). A
 * record or a replay of the order has them done in its own way.
 */
#define RECEIVE(name, tid, tag, limit, waiting)                                \
	do {                                                                   \
		before_recv(f, &r, &a);                                        \
		TAPE_PVM_START(f);                                             \
		if (TAPE_UNLIKELY(tape_pvm_is_by_chance(tid, limit) &&         \
				  tape_pvm_is_ordered)) {                      \
			tape_pvm_call_begin(f, site, a.peer, a.tag);           \
			a.rc = tape_pvm_receive_in_order(                      \
				f, a.call, tid, tag, limit, &r.arrived);       \
		} else {                                                       \
			try_recv(f, #name, &r, &a);                            \
			if (!a.rc) {                                           \
				tape_pvm_call_begin(f, site, a.peer, a.tag);   \
				a.rc = waiting;                                \
			}                                                      \
		}                                                              \
		TAPE_PVM_STOP(f, site, a.rc);                                  \
		after_recv(f, &r, &a);                                         \
		TAPE_PVM_PUT(recv, f, site, &r);                               \
		TAPE_PVM_END(f);                                               \
	} while (0)

static inline int wrap_pvm_recv(struct tape_flow *f, uint32_t site, int tid,
				int tag)
{
	struct tape_pvm_args a = { .call = TAPE_CALL_pvm_recv, .peer = tid,
				   .tag = tag };
	struct tape_recv r;

	ENROL(pvm_recv, (f, tid, tag));
	TAPE_PVM_BEGIN(f);

	RECEIVE(pvm_recv, tid, tag, NULL, TAPE_REAL(pvm_recv)(tid, tag));
	return a.rc;
}

/* It is called by others of the library, too. */
static inline int outside_pvm_recv(int tid, int tag)
{
	struct tape_pvm_within *w = &tape_pvm_within;
	int rc = 0;

	if (w->collective && tag == w->tag && tid != gstid)
		w->n++;
	if (TAPE_UNLIKELY(tape_pvm_is_by_chance(tid, NULL) &&
			  tape_pvm_is_ordered))
		return tape_pvm_receive_in_order(w->precv, TAPE_CALL_pvm_recv,
						 tid, tag, NULL, &w->arrived);
	if (w->precv && tape_pvm_can_try(w->precv, tid, tag)) {
		rc = tape_pvm_try("pvm_recv", tid, tag);
		w->arrived = rc > 0;
	}
	return rc ? rc : TAPE_REAL(pvm_recv)(tid, tag);
}

static inline int wrap_pvm_trecv(struct tape_flow *f, uint32_t site, int tid,
				 int tag, struct timeval *limit)
{
	struct tape_pvm_args a = { .call = TAPE_CALL_pvm_trecv, .peer = tid,
				   .tag = tag };
	struct tape_recv r;

	ENROL(pvm_trecv, (f, tid, tag, limit));
	TAPE_PVM_BEGIN(f);

	/* a time that PVM rejects: the call has to fail */
	if (limit && (limit->tv_sec < 0 || limit->tv_usec < 0))
		a.peer = -2;
	RECEIVE(pvm_trecv, tid, tag, limit,
		TAPE_REAL(pvm_trecv)(tid, tag, limit));
	return a.rc;
}

static inline int outside_pvm_trecv(int tid, int tag, struct timeval *limit)
{
	uint32_t arrived;

	if (TAPE_UNLIKELY(tape_pvm_is_by_chance(tid, limit) &&
			  tape_pvm_is_ordered))
		return tape_pvm_receive_in_order(NULL, TAPE_CALL_pvm_trecv, tid,
						 tag, limit, &arrived);
	return TAPE_REAL(pvm_trecv)(tid, tag, limit);
}

/* Calls that ask for a message and do not wait. */
#define ASK(name, class_)                                                      \
	static inline int outside_##name(int tid, int tag)                     \
	{                                                                      \
		return TAPE_UNLIKELY(tape_pvm_is_ordered)                      \
			       ? tape_pvm_poll_in_order(TAPE_CALL_##name, tid, \
							tag)                   \
			       : TAPE_REAL(name)(tid, tag);                    \
	}                                                                      \
	static inline int wrap_##name(struct tape_flow *f, uint32_t site,      \
				      int tid, int tag)                        \
	{                                                                      \
		struct tape_pvm_args a = { .call = TAPE_CALL_##name,           \
					   .peer = tid, .tag = tag };          \
		struct tape_##class_ r;                                        \
                                                                               \
		ENROL(name, (f, tid, tag));                                    \
		TAPE_PVM_BEGIN(f);                                             \
                                                                               \
		before_##class_(f, &r, &a);                                    \
		TAPE_PVM_START(f);                                             \
		a.rc = outside_##name(tid, tag);                               \
		TAPE_PVM_STOP(f, site, a.rc);                                  \
		after_##class_(f, &r, &a);                                     \
		TAPE_PVM_PUT(class_, f, site, &r);                             \
		TAPE_PVM_END(f);                                               \
		return a.rc;                                                   \
	}

ASK(pvm_nrecv, nrecv)
ASK(pvm_probe, iprobe)

/*
 * The program need not want to know what came, how long (bytes) and whence.
 * The library's pvm_precv receives by pvm_recv, which is tried there.
 */
static inline int wrap_pvm_precv(struct tape_flow *f, uint32_t site, int tid,
				 int tag, void *buf, int len, int type,
				 int *rtid, int *rtag, int *rlen)
{
	struct tape_pvm_args a = { .call = TAPE_CALL_pvm_precv, .peer = tid,
				   .tag = tag };
	int from = tid, with = tag, bytes = 0;
	struct tape_recv r;

	ENROL(pvm_precv, (f, tid, tag, buf, len, type, rtid, rtag, rlen));
	TAPE_PVM_BEGIN(f);

	tape_pvm_within.precv = f;
	tape_pvm_within.arrived = 2;
	TAPE_PVM_START(f);
	a.rc = TAPE_REAL(pvm_precv)(tid, tag, buf, len, type, &from, &with,
				    &bytes);
	if (a.rc >= 0) {
		if (rtid)
			*rtid = from;
		if (rtag)
			*rtag = with;
		if (rlen)
			*rlen = bytes;
	}
	TAPE_PVM_STOP(f, site, a.rc);
	tape_pvm_within.precv = NULL;
	r.arrived = tape_pvm_within.arrived;
	r.probe = 0;
	r.peer = tid;
	r.tag = tag;
	r.actual_peer = from;
	r.actual_tag = with;
	r.bytes = bytes > 0 ? (uint64_t)bytes : 0;
	r.comm = get_context(&a, 1);
	TAPE_PVM_PUT(recv, f, site, &r);
	TAPE_PVM_END(f);
	return a.rc;
}

static inline int outside_pvm_precv(int tid, int tag, void *buf, int len,
				    int type, int *rtid, int *rtag, int *rlen)
{
	return TAPE_REAL(pvm_precv)(tid, tag, buf, len, type, rtid, rtag, rlen);
}

/* ---- answers of servers that are first come, first served ---- */

#define WRAP_LOCAL(call_, parameters, arguments, with_flow)                    \
	static inline int wrap_##call_(struct tape_flow *f, uint32_t site,     \
				       parameters)                             \
	{                                                                      \
		struct tape_pvm_args a = { .call = TAPE_CALL_##call_ };        \
		struct tape_local r = { 0 };                                   \
                                                                               \
		ENROL(call_, with_flow);                                       \
		TAPE_PVM_BEGIN(f);                                             \
                                                                               \
		TAPE_PVM_START(f);                                             \
		a.rc = outside_##call_ arguments;                              \
		TAPE_PVM_STOP(f, site, a.rc);                                  \
		TAPE_PVM_PUT(local, f, site, &r);                              \
		TAPE_PVM_END(f);                                               \
		return a.rc;                                                   \
	}

static inline int outside_pvm_joingroup(char *name)
{
	return TAPE_UNLIKELY(tape_pvm_is_ordered)
		       ? tape_pvm_join_in_order(name)
		       : TAPE_REAL(pvm_joingroup)(name);
}
WRAP_LOCAL(pvm_joingroup, char *name, (name), (f, name))

static inline int outside_pvm_recvinfo(char *name, int index, int flags)
{
	return TAPE_UNLIKELY(tape_pvm_is_ordered) &&
			       tape_pvm_is_polled_mailbox(name, flags)
		       ? tape_pvm_recvinfo_in_order(name, index, flags)
		       : TAPE_REAL(pvm_recvinfo)(name, index, flags);
}
WRAP_LOCAL(pvm_recvinfo, char *name COMMA int index COMMA int flags,
	   (name, index, flags), (f, name, index, flags))

/* ---- handlers of messages ---- */

static inline int wrap_pvm_addmhf(struct tape_flow *f, uint32_t site, int src,
				  int tag, int ctx, int (*func)(int))
{
	struct tape_pvm_args a = { .call = TAPE_CALL_pvm_addmhf };
	struct tape_local r = { 0 };
	TAPE_PVM_BEGIN(f);

	TAPE_PVM_START(f);
	a.rc = tape_pvm_add_handler(src, tag, ctx, func);
	TAPE_PVM_STOP(f, site, a.rc);
	TAPE_PVM_PUT(local, f, site, &r);
	TAPE_PVM_END(f);
	return a.rc;
}

static inline int outside_pvm_addmhf(int src, int tag, int ctx,
				     int (*func)(int))
{
	return tape_pvm_add_handler(src, tag, ctx, func);
}

static inline int wrap_pvm_delmhf(struct tape_flow *f, uint32_t site, int id)
{
	struct tape_pvm_args a = { .call = TAPE_CALL_pvm_delmhf };
	struct tape_local r = { 0 };
	TAPE_PVM_BEGIN(f);

	TAPE_PVM_START(f);
	a.rc = tape_pvm_delete_handler(id);
	TAPE_PVM_STOP(f, site, a.rc);
	TAPE_PVM_PUT(local, f, site, &r);
	TAPE_PVM_END(f);
	return a.rc;
}

static inline int outside_pvm_delmhf(int id)
{
	return tape_pvm_delete_handler(id);
}

/* The library has the same with the arguments as a list. */
#define PACK_BY_FORMAT(call_, with_list)                                       \
	static inline int wrap_##call_(struct tape_flow *f, uint32_t site,     \
				       const char *format, va_list ap)         \
	{                                                                      \
		struct tape_pvm_args a = {.call = TAPE_CALL_##call_};          \
		struct tape_pack r = {0};                                      \
		TAPE_PVM_BEGIN(f);                                             \
                                                                               \
		TAPE_PVM_START(f);                                             \
		a.rc = TAPE_REAL(with_list)(format, ap);                       \
		TAPE_PVM_STOP(f, site, a.rc);                                  \
		TAPE_PVM_PUT(pack, f, site, &r);                               \
		TAPE_PVM_END(f);                                               \
		return a.rc;                                                   \
	}                                                                      \
	TAPE_EXPORT int TAPE_ENTRY(call_)(const char *format, ...)             \
	{                                                                      \
		const void *address = TAPE_C_SITE(                             \
		    TAPE_CALL_##call_, __builtin_return_address(0));           \
		struct tape_flow *f = tape_flow_now();                         \
		uint32_t site = 0;                                             \
		va_list ap;                                                    \
		int rc;                                                        \
                                                                               \
		va_start(ap, format);                                          \
		if (TAPE_UNLIKELY(!f))                                         \
			f = tape_pvm_first_flow(NULL, address);                \
		if (f &&                                                       \
		    (!tape_current || (site = tape_site_here(                  \
					   f, TAPE_CALL_##call_, address)))) { \
			rc = wrap_##call_(f, site, format, ap);                \
		} else {                                                       \
			if (f)                                                 \
				TAPE_PVM_PASS(f, __builtin_frame_address(0));  \
			rc = TAPE_REAL(with_list)(format, ap);                 \
			if (f)                                                 \
				TAPE_PVM_PASS_END(f);                          \
		}                                                              \
		va_end(ap);                                                    \
		return rc;                                                     \
	}

#endif
