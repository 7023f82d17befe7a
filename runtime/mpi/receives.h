/*
 * Hooks of the calls that block for one message, and ask whether it has come;
 * see hooks.h. How they ask is said in arrival_probe.h.
 */
#ifndef TAPE_RECEIVES_H
#define TAPE_RECEIVES_H

#include "hooks.h"

/* ---- recv, probe, mprobe: blocking, one message ---- */

static inline TAPE_ALWAYS enum tape_probe_method
choose_recv(struct tape_flow *f, const struct tape_mpi_args *a)
{
	return tape_choose_recv_probe(f, a->comm, a->peer, a->tag, a->count,
				      a->type);
}

static inline TAPE_ALWAYS enum tape_probe_method
choose_probe(struct tape_flow *f, const struct tape_mpi_args *a)
{
	return tape_choose_probe_probe(f, a->comm, a->peer, a->tag);
}
#define choose_mprobe choose_probe

#define HOOKS_RECEIVE(name)                                                    \
	TAPE_PUT(name)                                                         \
	static inline TAPE_ALWAYS void before_##name(struct tape_flow *f,      \
						     struct tape_##name *r,    \
						     struct tape_mpi_args *a)  \
	{                                                                      \
		r->probe = 0;                                                  \
		r->arrived = 2;                                                \
		a->probe_method = choose_##name(f, a);                         \
		if (TAPE_UNLIKELY(a->probe_method == TAPE_PROBE_AHEAD))        \
			r->arrived = tape_probe_ahead(f, a->comm, a->peer,     \
						      a->tag, &r->probe);      \
	}                                                                      \
	static inline TAPE_ALWAYS void after_##name(struct tape_flow *f,       \
						    struct tape_##name *r,     \
						    struct tape_mpi_args *a)   \
	{                                                                      \
		if (TAPE_LIKELY(a->probe_method == TAPE_PROBE_PARTS))          \
			r->arrived = a->answer.arrived;                        \
		r->probe = probe_ticks(f, r->probe, a->start);                 \
		r->peer = tape_peer(a->peer);                                  \
		r->tag = tape_tag(a->tag);                                     \
		r->comm = index_comm(f, a);                                    \
		if (TAPE_LIKELY(a->rc == MPI_SUCCESS) || r->comm) {            \
			r->actual_peer = tape_peer(a->status->MPI_SOURCE);     \
			r->actual_tag = tape_tag(a->status->MPI_TAG);          \
			r->bytes = tape_status_bytes(a->status);               \
		} else {                                                       \
			r->actual_peer = r->peer;                              \
			r->actual_tag = r->tag;                                \
			r->bytes = 0;                                          \
		}                                                              \
	}

#define BEGIN_RECEIVE(name)                                                    \
	static inline TAPE_ALWAYS void begin_##name(                           \
		struct tape_flow *f, uint32_t site,                            \
		const struct tape_##name *r, const struct tape_mpi_args *a)    \
	{                                                                      \
		uint32_t comm = index_comm_ahead(f, a);                        \
		unsigned char *call = tape_call_place(f);                      \
                                                                               \
		(void)r;                                                       \
		tape_call_partner(call, tape_peer(a->peer), tape_tag(a->tag),  \
				  comm, 0);                                    \
		tape_call_begin(f, call, site);                                \
	}

HOOKS_RECEIVE(recv)
HOOKS_RECEIVE(probe)
HOOKS_RECEIVE(mprobe)
BEGIN_RECEIVE(recv)
BEGIN_RECEIVE(probe)
BEGIN_RECEIVE(mprobe)
#define put_recv tape_put_recv
#define put_probe tape_put_probe
#define put_mprobe tape_put_mprobe

/* ---- sendrecv ---- */

TAPE_PUT(sendrecv)
#define put_sendrecv tape_put_sendrecv

/* MPI_Sendrecv_replace would need room for what it sends: it is not asked. */
static inline TAPE_ALWAYS enum tape_probe_method
choose_sendrecv(struct tape_flow *f, const struct tape_mpi_args *a)
{
	const struct tape_comm_cache *c;

	if (!(a->traits & TAPE_TRAIT_ASKED))
		return TAPE_PROBE_NONE;
	c = tape_probed_comm(f, a->comm, a->rpeer, a->rtag);
	if (!c || !tape_buffer_is_valid(a->rcount, a->rtype) ||
	    !tape_send_is_valid(c, a->peer, a->tag, a->count, a->type) ||
	    a->count > INT_MAX || a->rcount > INT_MAX)
		return TAPE_PROBE_NONE;
	if (!TAPE_PARTS_ARE_ALIKE)
		return TAPE_PROBE_AHEAD;
	return tape_errors_are_alike(c) && !tape_layer_has_receives()
		   ? TAPE_PROBE_PARTS
		   : TAPE_PROBE_NONE;
}

static inline TAPE_ALWAYS void before_sendrecv(struct tape_flow *f,
					       struct tape_sendrecv *r,
					       struct tape_mpi_args *a)
{
	r->arrived = 2;
	r->sr = 0;
	a->probe_method = choose_sendrecv(f, a);
	/* until the call begins sr is the tick before it was asked */
	if (TAPE_UNLIKELY(a->probe_method == TAPE_PROBE_AHEAD))
		r->arrived =
		    tape_probe_ahead(f, a->comm, a->rpeer, a->rtag, &r->sr);
}

static inline TAPE_ALWAYS void begin_sendrecv(struct tape_flow *f,
					      uint32_t site,
					      const struct tape_sendrecv *r,
					      const struct tape_mpi_args *a)
{
	uint32_t comm = index_comm_ahead(f, a);
	unsigned char *call = tape_call_place(f);

	(void)r;
	tape_call_partner(call, tape_peer(a->peer), tape_tag(a->tag), comm, 0);
	tape_call_receive(call, tape_peer(a->rpeer), tape_tag(a->rtag));
	tape_call_amount(call, sent_bytes(a));
	tape_call_begin(f, call, site);
}

static inline TAPE_ALWAYS void after_sendrecv(struct tape_flow *f,
					      struct tape_sendrecv *r,
					      struct tape_mpi_args *a)
{
	if (TAPE_UNLIKELY(a->probe_method == TAPE_PROBE_AHEAD) && r->sr)
		f->extra_before += a->start - r->sr - f->reading;
	r->sr = 0;
	if (TAPE_LIKELY(a->probe_method == TAPE_PROBE_PARTS)) {
		r->arrived = a->answer.arrived;
		if (TAPE_LIKELY(a->answer.sr > a->start))
			r->sr = a->answer.sr - a->start;
	}
	r->peer = tape_peer(a->peer);
	r->tag = tape_tag(a->tag);
	r->rpeer = tape_peer(a->rpeer);
	r->rtag = tape_tag(a->rtag);
	r->comm = index_comm(f, a);
	if (TAPE_LIKELY(a->rc == MPI_SUCCESS) || r->comm) {
		r->bytes = tape_bytes(a->count, a->type);
		r->actual_peer = tape_peer(a->status->MPI_SOURCE);
		r->actual_tag = tape_tag(a->status->MPI_TAG);
		r->rbytes = tape_status_bytes(a->status);
	} else {
		r->bytes = r->rbytes = 0;
		r->actual_peer = r->rpeer;
		r->actual_tag = r->rtag;
	}
}

#endif
