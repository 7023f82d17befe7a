/* Parses lines of collectives; see action_words.h, doc/actions.md. */
#include <string.h>

#include "action_text.h"
#include "action_words.h"

static int read_root(struct tape_line *l, struct tape_action *a)
{
	uint64_t n = 0;
	int rc = tape_line_has_word(l)
		     ? tape_line_read_whole(l, &n, tape_line_last_rank(l),
					    "rank of these files")
		     : 0;

	a->root = (int32_t)n;
	return rc;
}

/* Reads a size for each rank. Sets *n to their sum. */
static int read_size_sum(struct tape_line *l, uint64_t *n)
{
	uint64_t one;
	int rc = 0;

	*n = 0;
	for (size_t i = 0; !rc && i < l->r->of->s.ranks; i++) {
		rc = tape_line_read_size(l, &one);
		if (!rc && (*n += one) > 1ull << TAPE_LINE_BYTES_BITS)
			return tape_line_fail(l->r, "more bytes than there "
						    "can be");
	}
	return rc;
}

/*
 * The v collectives. Tape writes "BYTES RBYTES [ROOT]". SimGrid has a count for
 * each rank on the sides that have several.
 */
static int read_v_sizes(struct tape_line *l, struct tape_action *a)
{
	int rooted = a->op == TAPE_DO_GATHERV || a->op == TAPE_DO_SCATTERV;
	int all = a->op == TAPE_DO_ALLTOALLV;
	uint64_t unused;
	int rc;

	if (tape_line_count_words(l) == (size_t)(2 + rooted)) {
		rc = tape_line_read_size(l, &a->bytes);
		if (!rc)
			rc = tape_line_read_size(l, &a->rbytes);
		return rc || !rooted ? rc : read_root(l, a);
	}
	rc = all ? tape_line_read_size(l, &unused) : 0; /* size of the buffer */
	if (!rc)
		rc = all || a->op == TAPE_DO_SCATTERV
			 ? read_size_sum(l, &a->bytes)
			 : tape_line_read_size(l, &a->bytes);
	if (!rc && all)
		rc = tape_line_read_size(l, &unused);
	if (!rc)
		rc = a->op == TAPE_DO_SCATTERV
			 ? tape_line_read_size(l, &a->rbytes)
			 : read_size_sum(l, &a->rbytes);
	if (!rc && rooted)
		rc = read_root(l, a);
	if (!rc)
		rc = tape_line_apply_type(l, &a->bytes);
	return rc ? rc : tape_line_apply_type(l, &a->rbytes);
}

/* SimGrid's reducescatter: a count for each rank, then operations. */
static int read_reducescatter(struct tape_line *l, struct tape_action *a,
			      double *v)
{
	const struct tape_line_rank *r = l->r;
	uint64_t one;
	int rc = 0;

	for (int i = 0; !rc && (size_t)i < r->of->s.ranks; i++) {
		rc = tape_line_read_size(l, &one);
		if (!rc && (a->bytes += one) > 1ull << TAPE_LINE_BYTES_BITS)
			return tape_line_fail(l->r, "more bytes than there "
						    "can be");
		if (i == r->rank)
			a->rbytes = one;
	}
	if (!rc)
		rc = tape_line_read_operations(l, v);
	if (!rc) {
		struct tape_line type = *l;

		rc = tape_line_apply_type(&type, &a->rbytes);
	}
	return rc ? rc : tape_line_apply_type(l, &a->bytes);
}

/* Reads the words after the name. *v: operations. */
static int read_arguments(struct tape_line *l, struct tape_action *a, double *v)
{
	int rc;

	*v = 0;
	switch (a->op) {
	case TAPE_DO_BARRIER:
	case TAPE_DO_OPS:
		return 0;
	case TAPE_DO_GATHERV:
	case TAPE_DO_SCATTERV:
	case TAPE_DO_ALLGATHERV:
	case TAPE_DO_ALLTOALLV:
		return read_v_sizes(l, a);
	case TAPE_DO_REDUCE_SCATTER:
		rc = tape_line_read_size(l, &a->bytes);
		return rc ? rc : tape_line_read_size(l, &a->rbytes);
	case TAPE_DO_BCAST:
		rc = tape_line_read_size(l, &a->bytes);
		if (!rc)
			rc = read_root(l, a);
		return rc ? rc : tape_line_apply_type(l, &a->bytes);
	case TAPE_DO_REDUCE:
	case TAPE_DO_ALLREDUCE:
	case TAPE_DO_SCAN:
	case TAPE_DO_EXSCAN:
		rc = tape_line_read_size(l, &a->bytes);
		if (!rc)
			rc = tape_line_read_operations(l, v);
		if (!rc && a->op == TAPE_DO_REDUCE)
			rc = read_root(l, a);
		return rc ? rc : tape_line_apply_type(l, &a->bytes);
	case TAPE_DO_GATHER:
	case TAPE_DO_SCATTER:
	case TAPE_DO_ALLGATHER:
	case TAPE_DO_ALLTOALL:
		rc = tape_line_read_size(l, &a->bytes);
		if (!rc)
			rc = tape_line_read_size(l, &a->rbytes);
		if (!rc &&
		    (a->op == TAPE_DO_GATHER || a->op == TAPE_DO_SCATTER))
			rc = read_root(l, a);
		if (!rc)
			rc = tape_line_apply_type(l, &a->bytes);
		return rc ? rc : tape_line_apply_type(l, &a->rbytes);
	}
	return 0;
}

/* Adds the collective op, whose name was read. request 0: a blocking one. */
static int parse_collective(struct tape_line *l, int op, uint32_t comm,
			    uint64_t request)
{
	struct tape_action a = {.op = (enum tape_action_op)op, .root = -1};
	double v;
	int rc = read_arguments(l, &a, &v);
	struct tape_action *put_there;

	if (rc)
		return rc;
	if (!request && tape_action_moves_nothing(a.op, a.bytes, a.rbytes))
		return tape_line_add_compute(l, v);
	put_there = tape_line_add_action(l, request ? TAPE_ACTION_ICOLL
						    : TAPE_ACTION_COLL);
	if (!put_there)
		return TAPE_ENOMEM;
	put_there->op = a.op;
	put_there->root = a.root;
	put_there->bytes = a.bytes;
	put_there->rbytes = a.rbytes;
	put_there->comm = comm;
	put_there->request = request;
	return tape_line_add_compute(l, v);
}

int tape_line_parse_on_world(struct tape_line *l, int op)
{
	return parse_collective(l, op, 0, 0);
}

int tape_line_parse_reducescatter(struct tape_line *l, int op)
{
	struct tape_action a = {.root = -1};
	struct tape_action *put_there;
	double v;
	int rc = read_reducescatter(l, &a, &v);

	if (rc)
		return rc;
	if (tape_action_moves_nothing((enum tape_action_op)op, a.bytes,
				      a.rbytes))
		return tape_line_add_compute(l, v);
	put_there = tape_line_add_action(l, TAPE_ACTION_COLL);
	if (!put_there)
		return TAPE_ENOMEM;
	put_there->op = (enum tape_action_op)op;
	put_there->bytes = a.bytes;
	put_there->rbytes = a.rbytes;
	return tape_line_add_compute(l, v);
}

/* ---- with a communicator, and nonblocking ---- */

static int parse_named(struct tape_line *l, uint32_t comm, uint64_t request)
{
	size_t n;

	tape_line_skip_blanks(l);
	n = tape_line_word_bytes(l);
	for (int op = 0; op < TAPE_DO_OPS; op++) {
		const char *name = tape_action_ops[op];

		if (strlen(name) != n || memcmp(name, l->at, n))
			continue;
		l->name = l->at;
		l->name_bytes = n;
		l->at += n;
		return parse_collective(l, op, comm, request);
	}
	return tape_line_fail_word(l, "collective");
}

int tape_line_parse_on_comm(struct tape_line *l, int what)
{
	uint32_t comm = 0;
	int rc = tape_line_read_existing(l, &comm, 1);

	(void)what;
	return rc ? rc : parse_named(l, comm, 0);
}

/* The request's number must not be pending in the file. */
int tape_line_parse_begin(struct tape_line *l, int what)
{
	uint64_t number = 0, *known;
	uint32_t comm = 0;
	int rc = tape_line_read_whole(l, &number, 1ull << 62, "request");

	(void)what;
	if (!rc)
		rc = tape_line_read_existing(l, &comm, 1);
	if (rc)
		return rc;
	known = tape_table_get(&l->r->collectives, number + 1);
	if (!known)
		return TAPE_ENOMEM;
	if (*known)
		return tape_line_fail(l->r, "request %llu is already pending",
				      (unsigned long long)number);
	*known = ++l->r->requests;
	return parse_named(l, comm, *known);
}

int tape_line_parse_end(struct tape_line *l, int what)
{
	uint64_t number = 0, *known;
	int rc = 0;

	(void)what;
	if (!tape_line_has_word(l))
		return tape_line_fail_word(l, "request");
	if (!tape_line_add_action(l, TAPE_ACTION_WAIT))
		return TAPE_ENOMEM;
	while (!rc && tape_line_has_word(l)) {
		rc = tape_line_read_whole(l, &number, 1ull << 62, "request");
		if (rc)
			return rc;
		known = tape_table_find(&l->r->collectives, number + 1);
		if (!known)
			return tape_line_fail(
			    l->r, "no collective %llu is pending here",
			    (unsigned long long)number);
		rc = tape_line_add_wait(l, *known);
		tape_table_drop(&l->r->collectives, number + 1);
	}
	return rc;
}
