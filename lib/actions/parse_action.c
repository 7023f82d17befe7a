/*
 * Parses lines of text; see action_lines.h, doc/actions.md. SimGrid's own files
 * have no types, and shorter forms. A size there can have a fraction: "1e6".
 */
#include <string.h>

#include "action_words.h"

static int parse_amount(struct tape_line *l, int kind)
{
	struct tape_action *a;
	uint64_t n = 0;
	const char *p;
	double v;
	int rc;

	tape_line_skip_blanks(l);
	/* fast path: a whole number of few digits */
	for (p = l->at; *p >= '0' && *p <= '9' && p - l->at < 15; p++)
		n = 10 * n + (uint64_t)(*p - '0');
	v = (double)n;
	if (p > l->at && (tape_line_is_blank(*p) || p == l->end)) {
		l->at = p;
	} else {
		rc = tape_line_read_real(l, &v, "amount");
		if (rc)
			return rc;
	}
	a = tape_line_add_action(l, (enum tape_action_kind)kind);
	if (!a)
		return TAPE_ENOMEM;
	a->amount = v;
	return 0;
}

static int parse_bare(struct tape_line *l, int kind)
{
	uint64_t unused;

	if (kind == TAPE_ACTION_INIT && tape_line_has_word(l)) {
		/* its value has no meaning */
		if (tape_line_read_whole(l, &unused, UINT64_MAX, "number"))
			return TAPE_EFORMAT;
		l->r->bytes_of_type = 8;
	}
	return tape_line_add_action(l, (enum tape_action_kind)kind)
		   ? 0
		   : TAPE_ENOMEM;
}

/* A known action without an effect. */
static int ignore_line(struct tape_line *l, int what)
{
	(void)what;
	l->at = l->end;
	return 0;
}

/* ---- messages ---- */

/* Key of messages that this rank sends, or receives. */
static uint64_t message_key(int32_t peer, int32_t tag, int receives)
{
	return (uint64_t)(2 * (int64_t)peer + receives + 1) << 32 |
	       (uint32_t)tag;
}

static int add_request(struct tape_line *l, struct tape_action *a, int receives)
{
	a->request = ++l->r->requests;
	/* a message to itself has one key for both sides */
	receives &= a->peer != l->r->rank;
	return tape_line_add_pending(&l->r->messages,
				     message_key(a->peer, a->tag, receives),
				     a->request);
}

static int parse_message(struct tape_line *l, int kind)
{
	int receives = kind == TAPE_ACTION_RECV || kind == TAPE_ACTION_IRECV;
	int32_t peer, tag;
	uint64_t n = 0;
	struct tape_action *a;
	int rc = tape_line_read_rank(l, &peer);

	if (!rc)
		rc = tape_line_read_tag(l, &tag);
	if (!rc && (!receives || tape_line_has_word(l)))
		rc = tape_line_read_size(l, &n);
	if (!rc)
		rc = tape_line_apply_type(l, &n);
	if (rc)
		return rc;
	a = tape_line_add_action(l, (enum tape_action_kind)kind);
	if (!a)
		return TAPE_ENOMEM;
	a->peer = peer;
	a->tag = tag;
	a->bytes = n;
	if (kind == TAPE_ACTION_ISEND || kind == TAPE_ACTION_ISSEND ||
	    kind == TAPE_ACTION_IRECV)
		return add_request(l, a, receives);
	return 0;
}

static int parse_probe(struct tape_line *l, int kind)
{
	int32_t peer, tag;
	struct tape_action *a;
	int rc = tape_line_read_rank(l, &peer);

	if (!rc)
		rc = tape_line_read_tag(l, &tag);
	if (rc)
		return rc;
	a = tape_line_add_action(l, (enum tape_action_kind)kind);
	if (!a)
		return TAPE_ENOMEM;
	a->peer = peer;
	a->tag = tag;
	return 0;
}

/* Reads "SRC DST TAG", and takes the request that has been pending longest. */
static int read_pending(struct tape_line *l, uint64_t *request)
{
	int32_t src, dst, tag, me = l->r->rank;
	int rc = tape_line_read_rank(l, &src);

	if (!rc)
		rc = tape_line_read_rank(l, &dst);
	if (!rc)
		rc = tape_line_read_tag(l, &tag);
	if (rc)
		return rc;
	*request = 0;
	if (src == me || dst == me)
		*request = tape_line_take_oldest(
		    &l->r->messages,
		    message_key(src == me ? dst : src, tag, src != me));
	if (!*request)
		return tape_line_fail(l->r,
				      "no message from %d to %d with "
				      "tag %d is pending here",
				      src, dst, tag);
	return 0;
}

int tape_line_add_wait(struct tape_line *l, uint64_t request)
{
	struct tape_action_slot *s = tape_line_newest_slot(l);

	if (tape_action_reserve_waits(s, s->a.n_waits + 1))
		return TAPE_ENOMEM;
	s->waits[s->a.n_waits++] = request;
	return 0;
}

static int parse_wait(struct tape_line *l, int what)
{
	uint64_t request;
	int rc = read_pending(l, &request);

	(void)what;
	if (rc)
		return rc;
	return tape_line_add_action(l, TAPE_ACTION_WAIT)
		   ? tape_line_add_wait(l, request)
		   : TAPE_ENOMEM;
}

static int parse_waits(struct tape_line *l, int what)
{
	uint64_t n = 0, request;
	int rc =
	    tape_line_read_whole(l, &n, TAPE_LINE_LINE, "number of requests");

	(void)what;
	if (!rc && !n)
		return tape_line_fail(l->r, "a wait for 0 requests");
	if (!rc && !tape_line_add_action(l, TAPE_ACTION_WAIT))
		rc = TAPE_ENOMEM;
	while (!rc && n--) {
		rc = read_pending(l, &request);
		if (!rc)
			rc = tape_line_add_wait(l, request);
	}
	return rc;
}

/* SimGrid's waitall: waits for all pending requests. */
static int parse_waitall(struct tape_line *l, int what)
{
	struct tape_line_pending *p = &l->r->messages;
	struct tape_action_slot *s;

	(void)what;
	l->at = l->end;
	if (!p->count)
		return 0;
	if (!tape_line_add_action(l, TAPE_ACTION_WAIT))
		return TAPE_ENOMEM;
	s = tape_line_newest_slot(l);
	if (tape_action_reserve_waits(s, p->count))
		return TAPE_ENOMEM;
	s->a.n_waits = p->count;
	tape_line_take_all(p, s->waits);
	return 0;
}

/* SimGrid's sendRecv: "COUNT DST COUNT SRC", with tag 0. */
static int parse_sendrecv(struct tape_line *l, int what)
{
	uint64_t out = 0, in = 0, first;
	int32_t to, from;
	struct tape_action *a;
	int rc = tape_line_read_size(l, &out);

	(void)what;
	if (!rc)
		rc = tape_line_read_rank(l, &to);
	if (!rc)
		rc = tape_line_read_size(l, &in);
	if (!rc)
		rc = tape_line_read_rank(l, &from);
	if (!rc)
		rc = tape_line_apply_type(l, &out);
	if (!rc)
		rc = tape_line_apply_type(l, &in);
	if (rc)
		return rc;
	first = l->r->requests + 1;
	l->r->requests += 2;
	a = tape_line_add_action(l, TAPE_ACTION_ISEND);
	if (!a)
		return TAPE_ENOMEM;
	a->peer = to;
	a->bytes = out;
	a->request = first;
	a = tape_line_add_action(l, TAPE_ACTION_IRECV);
	if (!a)
		return TAPE_ENOMEM;
	a->peer = from;
	a->bytes = in;
	a->request = first + 1;
	if (!tape_line_add_action(l, TAPE_ACTION_WAIT))
		return TAPE_ENOMEM;
	rc = tape_line_add_wait(l, first);
	return rc ? rc : tape_line_add_wait(l, first + 1);
}

/* ---- all actions ---- */

/* The most frequent actions first. */
static const struct kind {
	const char *name;
	int (*read)(struct tape_line *l, int what);
	int what;
} kinds[] = {
    {"compute", parse_amount, TAPE_ACTION_COMPUTE},
    {"isend", parse_message, TAPE_ACTION_ISEND},
    {"irecv", parse_message, TAPE_ACTION_IRECV},
    {"wait", parse_wait, 0},
    {"send", parse_message, TAPE_ACTION_SEND},
    {"recv", parse_message, TAPE_ACTION_RECV},
    {"waits", parse_waits, 0},
    {"allreduce", tape_line_parse_on_world, TAPE_DO_ALLREDUCE},
    {"bcast", tape_line_parse_on_world, TAPE_DO_BCAST},
    {"reduce", tape_line_parse_on_world, TAPE_DO_REDUCE},
    {"barrier", tape_line_parse_on_world, TAPE_DO_BARRIER},
    {"on", tape_line_parse_on_comm, 0},
    {"begin", tape_line_parse_begin, 0},
    {"end", tape_line_parse_end, 0},
    {"probe", parse_probe, TAPE_ACTION_PROBE},
    {"pack", parse_amount, TAPE_ACTION_PACK},
    {"ssend", parse_message, TAPE_ACTION_SSEND},
    {"issend", parse_message, TAPE_ACTION_ISSEND},
    {"put", tape_line_parse_on_window, TAPE_ACTION_PUT},
    {"get", tape_line_parse_on_window, TAPE_ACTION_GET},
    {"accumulate", tape_line_parse_on_window, TAPE_ACTION_ACCUMULATE},
    {"fence", tape_line_parse_on_window, TAPE_ACTION_FENCE},
    {"lock", tape_line_parse_on_window, TAPE_ACTION_LOCK},
    {"unlock", tape_line_parse_on_window, TAPE_ACTION_UNLOCK},
    {"flush", tape_line_parse_on_window, TAPE_ACTION_FLUSH},
    {"post", tape_line_parse_on_window, TAPE_ACTION_POST},
    {"start", tape_line_parse_on_window, TAPE_ACTION_START},
    {"complete", tape_line_parse_on_window, TAPE_ACTION_COMPLETE},
    {"wait_win", tape_line_parse_on_window, TAPE_ACTION_WAIT_WIN},
    {"alltoall", tape_line_parse_on_world, TAPE_DO_ALLTOALL},
    {"allgather", tape_line_parse_on_world, TAPE_DO_ALLGATHER},
    {"gather", tape_line_parse_on_world, TAPE_DO_GATHER},
    {"scatter", tape_line_parse_on_world, TAPE_DO_SCATTER},
    {"alltoallv", tape_line_parse_on_world, TAPE_DO_ALLTOALLV},
    {"allgatherv", tape_line_parse_on_world, TAPE_DO_ALLGATHERV},
    {"gatherv", tape_line_parse_on_world, TAPE_DO_GATHERV},
    {"scatterv", tape_line_parse_on_world, TAPE_DO_SCATTERV},
    {"scan", tape_line_parse_on_world, TAPE_DO_SCAN},
    {"exscan", tape_line_parse_on_world, TAPE_DO_EXSCAN},
    {"reduce_scatter", tape_line_parse_on_world, TAPE_DO_REDUCE_SCATTER},
    {"reducescatter", tape_line_parse_reducescatter, TAPE_DO_REDUCE_SCATTER},
    {"sleep", parse_amount, TAPE_ACTION_SLEEP},
    {"init", parse_bare, TAPE_ACTION_INIT},
    {"finalize", parse_bare, TAPE_ACTION_FINALIZE},
    {"comm", tape_line_parse_comm, 0},
    {"comm_free", tape_line_parse_on_window, TAPE_ACTION_COMM_FREE},
    {"win", tape_line_parse_window, 0},
    {"win_free", tape_line_parse_on_window, TAPE_ACTION_WIN_FREE},
    {"waitall", parse_waitall, 0},
    {"waitAll", parse_waitall, 0},
    {"sendRecv", parse_sendrecv, 0},
    {"sendrecv", parse_sendrecv, 0},
    {"test", ignore_line, 0},
    {"location", ignore_line, 0},
    {"comm_size", ignore_line, 0},
    {"comm_split", ignore_line, 0},
    {"comm_dup", ignore_line, 0},
};

static const struct kind *find_kind(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (*kinds[i].name == *name && strlen(kinds[i].name) == n &&
		    !memcmp(kinds[i].name, name, n))
			return &kinds[i];
	return NULL;
}

int tape_line_parse(struct tape_line_rank *r, const char *line, const char *end)
{
	struct tape_line l = {
	    .r = r, .at = line, .end = end, .name = "line", .name_bytes = 4};
	const struct kind *kind;
	uint64_t rank = 0;
	int rc;

	if (!tape_line_has_word(&l) || *l.at == '#')
		return 0;
	rc = tape_line_read_whole(&l, &rank, INT32_MAX, "rank");
	if (rc)
		return rc;
	if (rank != (uint64_t)r->rank)
		return tape_line_fail(r,
				      "an action of rank %llu in the file "
				      "of rank %d",
				      (unsigned long long)rank, r->rank);
	if (!tape_line_has_word(&l))
		return tape_line_fail_word(&l, "action");
	l.name = l.at;
	l.name_bytes = tape_line_word_bytes(&l);
	kind = find_kind(l.name, l.name_bytes);
	if (!kind)
		return tape_line_fail_word(&l, "action");
	l.at += l.name_bytes;
	rc = kind->read(&l, kind->what);
	if (!rc && tape_line_has_word(&l))
		rc = tape_line_fail_word(&l, "field of this action");
	return rc;
}
