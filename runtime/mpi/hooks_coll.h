/* What collectives record; see hooks.h. */
#ifndef TAPE_HOOKS_COLL_H
#define TAPE_HOOKS_COLL_H

#include "hooks.h"

/* What a member or each of them sends, or receives. */
struct tape_side {
	MPI_Count count;
	int per_member;
	MPI_Datatype type;
	/* one for each member, of either size, or NULL */
	const int *counts;
	const MPI_Count *large;
	const MPI_Datatype *types;
};

static inline TAPE_ALWAYS MPI_Count get_count(const struct tape_side *s, int i)
{
	return s->counts ? s->counts[i] : s->large[i];
}

/* Bytes of one side of a collective's arguments. */
static inline TAPE_ALWAYS uint64_t side_bytes(int members,
					      const struct tape_side *s)
{
	uint64_t sum = 0;

	if (!s->counts && !s->large)
		return tape_bytes(s->count, s->type) *
		       (s->per_member ? (uint64_t)members : 1);
	if (s->types) {
		for (int i = 0; i < members; i++)
			sum += tape_bytes(get_count(s, i), s->types[i]);
		return sum;
	}
	for (int i = 0; i < members; i++)
		sum += get_count(s, i) > 0 ? (uint64_t)get_count(s, i) : 0;
	return sum ? sum * tape_bytes(1, s->type) : 0;
}

static inline TAPE_ALWAYS struct tape_side
get_send_side(const struct tape_mpi_args *a)
{
	return (struct tape_side){a->count,  a->count_per_member, a->type,
				  a->counts, a->large_counts,	  a->types};
}

static inline TAPE_ALWAYS struct tape_side
get_recv_side(const struct tape_mpi_args *a)
{
	return (struct tape_side){a->rcount,  a->rcount_per_member, a->rtype,
				  a->rcounts, a->large_rcounts,	    a->rtypes};
}

/* The reductions that scatter: a count for each member of the local group. */
static inline TAPE_ALWAYS void scatter_bytes(const struct tape_comm_cache *c,
					     const struct tape_mpi_args *a,
					     uint64_t *bytes, uint64_t *rbytes)
{
	struct tape_side out = get_send_side(a);

	*bytes = side_bytes(c->local, &out);
	*rbytes = tape_bytes(out.counts || out.large ? get_count(&out, c->rank)
						     : a->count,
			     a->type);
}

static inline TAPE_ALWAYS void coll_bytes(struct tape_flow *f,
					  const struct tape_mpi_args *a,
					  uint64_t *bytes, uint64_t *rbytes)
{
	const struct tape_comm_cache *c =
	    tape_comm(f, a->comm, &f->extra_after);
	int rooted = a->shape == TAPE_SHAPE_FROM || a->shape == TAPE_SHAPE_TO;
	/* between two groups, root is a rank of the other one, and the root
	 * itself has only one side */
	int at_root =
	    rooted && (c->inter ? a->root == MPI_ROOT : a->root == c->rank);
	int one_side = c->inter && at_root;
	struct tape_side out = get_send_side(a), in = get_recv_side(a);

	*bytes = *rbytes = 0;
	if (rooted && a->root == MPI_PROC_NULL)
		return;
	if (a->traits & TAPE_TRAIT_SCATTERING) {
		scatter_bytes(c, a, bytes, rbytes);
		return;
	}
	if (a->shape == TAPE_SHAPE_NEAR) {
		*bytes = side_bytes(c->out, &out);
		*rbytes = side_bytes(c->in, &in);
		return;
	}
	if (!(a->traits & TAPE_TRAIT_ONE_BUFFER)) {
		if (a->sbuf != MPI_IN_PLACE && (!a->send_at_root || at_root) &&
		    !(one_side && a->shape == TAPE_SHAPE_TO))
			*bytes = side_bytes(c->size, &out);
		if (a->rbuf != MPI_IN_PLACE && (!a->recv_at_root || at_root) &&
		    !(one_side && a->shape == TAPE_SHAPE_FROM))
			*rbytes = side_bytes(c->size, &in);
		return;
	}
	/* who sends it and who gets it */
	*bytes = tape_bytes(a->count, a->type);
	if (a->shape == TAPE_SHAPE_FROM) {
		*rbytes = at_root ? 0 : *bytes;
		*bytes = at_root ? *bytes : 0;
	} else if (a->shape != TAPE_SHAPE_TO || at_root) {
		*rbytes = *bytes;
		*bytes = one_side ? 0 : *bytes;
	}
}

/* set_part: of a class that has parts of calls; MPI's are whole. */
#define HOOKS_COLL(name, set_part)                                             \
	TAPE_PUT(name)                                                         \
	static inline void before_##name(struct tape_flow *f,                  \
					 struct tape_##name *r,                \
					 struct tape_mpi_args *a)              \
	{                                                                      \
		(void)f, (void)r, (void)a;                                     \
	}                                                                      \
	static inline TAPE_ALWAYS void after_##name(struct tape_flow *f,       \
						    struct tape_##name *r,     \
						    struct tape_mpi_args *a)   \
	{                                                                      \
		r->root =                                                      \
		    a->shape == TAPE_SHAPE_FROM || a->shape == TAPE_SHAPE_TO   \
			? tape_peer(a->root)                                   \
			: -1;                                                  \
		set_part r->bytes = r->rbytes = 0;                             \
		if (a->object) {                                               \
			r->comm = index_object(f, a, &f->extra_after);         \
			return;                                                \
		}                                                              \
		r->comm = index_comm(f, a);                                    \
		if (TAPE_LIKELY(a->rc == MPI_SUCCESS))                         \
			coll_bytes(f, a, &r->bytes, &r->rbytes);               \
	}

HOOKS_COLL(coll, r->part = TAPE_PART_WHOLE;)
HOOKS_COLL(icoll, )
#define put_coll tape_put_coll
#define put_icoll tape_put_icoll

/* Between two groups the root is as passed. */
static inline TAPE_ALWAYS void begin_coll(struct tape_flow *f, uint32_t site,
					  const struct tape_coll *r,
					  const struct tape_mpi_args *a)
{
	int rooted =
	    a->shape == TAPE_SHAPE_FROM || a->shape == TAPE_SHAPE_TO;
	int received = a->shape == TAPE_SHAPE_FROM &&
		       !(a->traits & TAPE_TRAIT_ONE_BUFFER);
	MPI_Count count = received ? a->rcount : a->count;
	uint32_t comm = a->object ? index_object(f, a, &f->extra_before)
				  : index_comm_ahead(f, a);
	unsigned char *call = tape_call_place(f);

	(void)r;
	tape_call_partner(call, rooted ? tape_peer(a->root) : -1, -1, comm, 0);
	tape_call_amount(call, count > 0 ? (uint64_t)count : 0);
	tape_call_begin(f, call, site);
}

static inline void created_icoll(struct tape_flow *f,
				 const struct tape_icoll *r,
				 const struct tape_mpi_args *a)
{
	(void)r;
	add_new_request(f, a, TAPE_REQUEST_COLL);
}

#endif
