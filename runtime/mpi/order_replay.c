/*
 * Replays what MPI left to chance: receives and probes; see order_replay.h.
 * Receives of any source are posted with the source and tag that are recorded.
 */
#include <limits.h>
#include <stdio.h>

#include "message.h"
#include "order_replay.h"
#include "order_site.h"
#include "core.h"
#include "request.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

struct tape_next tape_order_below;
struct tape_order_posts tape_order_replayed;

static uint64_t n_posts;

/* Nothing is ever sent here: a post that was cancelled waits on it. */
static MPI_Comm silent = MPI_COMM_NULL;

/* ---- the course of the record ---- */

static void name_source(int32_t source, char *to, size_t n)
{
	snprintf(to, n, "rank %d", source);
}

static const struct tape_order_words words = {
    .call_name = tape_next_name,
    .name_source = name_source,
    .call_site = tape_order_site,
    .last_call = "MPI_Finalize"};

int tape_order_is_failure(unsigned call, unsigned kinds)
{
	int flag;

	if (!tape_order_take_failure(call, kinds))
		return 0;
	PMPI_Iprobe(0, 0, silent, &flag, MPI_STATUS_IGNORE);
	return 1;
}

void tape_order_end_replay(void)
{
	tape_order_end_course();
	if (silent != MPI_COMM_NULL)
		PMPI_Comm_free(&silent);
}

/* ---- receives ---- */

int tape_order_to_rank(int32_t source)
{
	return source == -2 ? MPI_PROC_NULL : source;
}

/* Is the recorded message possible in this call? */
static int is_possible(const struct tape_order_decision *d, int tag,
		       MPI_Comm comm)
{
	int size = 0, is_inter = 0;

	if (tag != MPI_ANY_TAG && tag != d->tag)
		return 0;
	if (d->source == -2)
		return 1;
	if (d->tag < 0)
		return 0;
	PMPI_Comm_test_inter(comm, &is_inter);
	if (is_inter)
		tape_order_below.to_MPI_Comm_remote_size(comm, &size);
	else
		tape_order_below.to_MPI_Comm_size(comm, &size);
	return d->source >= 0 && d->source < size;
}

/* Says that the recorded message is none of a receive with that tag. */
static void depart_by_tag(const struct tape_order_decision *d, unsigned call,
			  int tag)
{
	char expected[160], got[160];
	struct tape_order_decision named = *d;

	named.kind = TAPE_DECISION_RECEIVED;
	named.call = call;
	tape_order_describe(&named, expected, sizeof expected);
	snprintf(got, sizeof got, "tag %d in a communicator without it", tag);
	if (tag != MPI_ANY_TAG && tag != d->tag)
		snprintf(got, sizeof got, "tag %d", tag);
	tape_order_depart(expected, got);
}

int tape_order_choose_message(unsigned call, enum tape_order_kind kind,
			      int source, int tag, MPI_Comm comm,
			      struct tape_order_decision *d)
{
	const struct tape_order_decision *next;

	if (!tape_order_is_any(source))
		return 0;
	next = tape_order_follow(call, TAPE_DECISION_BIT(kind));
	if (!next)
		return 0;
	*d = *next;
	if (is_possible(d, tag, comm))
		return 1;
	depart_by_tag(d, call, tag);
	return 0;
}

/* Waits for the recorded message. Returns 1 if it is there, 0 if not. */
static int await_message(unsigned call, const struct tape_order_decision *d,
			 MPI_Comm comm, MPI_Status *status)
{
	struct tape_order_patience w = {0};
	int flag = 0;

	do
		if (tape_order_below.to_MPI_Iprobe(
			tape_order_to_rank(d->source), d->tag, comm, &flag,
			status) != MPI_SUCCESS)
			return 1; /* the call itself reports the error */
	while (!flag && !tape_order_give_up(&w, call));
	return flag;
}

int tape_order_decide_post(struct tape_order_post *p, int *source, int *tag,
			   MPI_Comm *comm)
{
	const struct tape_order_decision *d;

	d = tape_order_end_of_post(p->number);
	if (!d && p->number >= tape_order_count_posts()) {
		tape_order_depart("no further MPI_Irecv from any source",
				  "MPI_Irecv");
		return 0;
	}
	if (d && d->kind == TAPE_DECISION_MATCHED) {
		if (!is_possible(d, *tag, *comm)) {
			depart_by_tag(d, TAPE_CALL_MPI_Irecv, *tag);
			return 0;
		}
		p->is_matched = 1;
		*source = tape_order_to_rank(d->source);
		*tag = d->tag;
		return 1;
	}
	if (!d) /* completed where nothing is recorded */
		return 0;
	*source = *tag = 0;
	*comm = silent;
	return 1;
}

int tape_order_number_post(struct tape_order_post *p)
{
	if (tape_order_is_free() || !tape_order_is_thread())
		return 0;
	p->number = n_posts++;
	return 1;
}

/* Is it a type that the program cannot free? */
static int is_predefined(MPI_Datatype type)
{
	int integers, addresses, types, combiner = 0;

	return PMPI_Type_get_envelope(type, &integers, &addresses, &types,
				      &combiner) == MPI_SUCCESS &&
	       combiner == MPI_COMBINER_NAMED;
}

int tape_order_post_receive(const struct tape_order_post *p, int source,
			    int tag, MPI_Comm comm, MPI_Request *request)
{
#ifdef TAPE_HAS_MPI_Irecv_c
	if (p->count > INT_MAX)
		return tape_order_below.to_MPI_Irecv_c(
		    p->buf, p->count, p->type, source, tag, comm, request);
#endif
	return tape_order_below.to_MPI_Irecv(p->buf, (int)p->count, p->type,
					     source, tag, comm, request);
}

/* The post of a receive that was started with the recorded source. */
static void add_replayed(struct tape_order_post *p, int rc,
			 const MPI_Request *request)
{
	if (rc != MPI_SUCCESS)
		return;
	p->handle = tape_handle(*request);
	tape_order_add_post(&tape_order_replayed, p);
}

/* Returns 1 if the record decides the source of the receive p. */
static int decide_new_post(struct tape_order_post *p, int *source, int *tag,
			   MPI_Comm *comm)
{
	return tape_order_is_any(*source) && tape_order_number_post(p) &&
	       tape_order_decide_post(p, source, tag, comm);
}

/* With counts of both types. */
#define REPLAY_IRECV(call, number)                                             \
	static int replay_##call(void *buf, number count, MPI_Datatype type,   \
				 int source, int tag, MPI_Comm comm,           \
				 MPI_Request *request)                         \
	{                                                                      \
		struct tape_order_post p = {.buf = buf,                        \
					    .count = count,                    \
					    .type = type,                      \
					    .tag = tag,                        \
					    .comm = comm};                     \
		int is_decided = decide_new_post(&p, &source, &tag, &comm);    \
		int rc = tape_order_below.to_##call(buf, count, type, source,  \
						    tag, comm, request);       \
                                                                               \
		p.is_plain = is_decided && is_predefined(type);                \
		if (is_decided)                                                \
			add_replayed(&p, rc, request);                         \
		return rc;                                                     \
	}

REPLAY_IRECV(MPI_Irecv, int)
#ifdef TAPE_HAS_MPI_Irecv_c
REPLAY_IRECV(MPI_Irecv_c, MPI_Count)
#endif

/* A receive that got its message in the recorded run is not cancelled. */
static int replay_MPI_Cancel(MPI_Request *request)
{
	struct tape_order_post p;

	MPI_Request r;

	if (!tape_order_is_thread() || !request)
		return tape_order_below.to_MPI_Cancel(request);
	r = tape_order_find_started(*request);
	if (!tape_order_is_free() &&
	    tape_order_find_post(&tape_order_replayed, r, &p) && p.is_matched)
		return MPI_SUCCESS;
	return tape_order_below.to_MPI_Cancel(&r);
}

/* ---- probes ---- */

static int replay_MPI_Probe(int source, int tag, MPI_Comm comm,
			    MPI_Status *status)
{
	struct tape_order_decision d;

	if (tape_order_choose_message(TAPE_CALL_MPI_Probe,
				      TAPE_DECISION_RECEIVED, source, tag, comm,
				      &d) &&
	    await_message(TAPE_CALL_MPI_Probe, &d, comm, status)) {
		source = tape_order_to_rank(d.source);
		tag = d.tag;
		tape_order_advance();
	}
	return tape_order_below.to_MPI_Probe(source, tag, comm, status);
}

static int replay_MPI_Mprobe(int source, int tag, MPI_Comm comm,
			     MPI_Message *message, MPI_Status *status)
{
	struct tape_order_decision d;

	if (tape_order_choose_message(TAPE_CALL_MPI_Mprobe,
				      TAPE_DECISION_RECEIVED, source, tag, comm,
				      &d) &&
	    await_message(TAPE_CALL_MPI_Mprobe, &d, comm, MPI_STATUS_IGNORE)) {
		source = tape_order_to_rank(d.source);
		tag = d.tag;
		tape_order_advance();
	}
	return tape_order_below.to_MPI_Mprobe(source, tag, comm, message,
					      status);
}

/*
 * A probe that polls. Returns 0 if the record says that it fails. Else the
 * recorded message, if any, is there, and *source and *tag are its.
 */
static int await_poll(unsigned call, int *source, int *tag, MPI_Comm comm)
{
	int is_any = tape_order_is_any(*source);
	enum tape_order_kind kind =
	    is_any ? TAPE_DECISION_FOUND : TAPE_DECISION_TRUE;
	struct tape_order_decision d;
	const struct tape_order_decision *next;

	if (tape_order_is_failure(call, TAPE_DECISION_BIT(kind)))
		return 0;
	next = tape_order_follow(call, TAPE_DECISION_BIT(kind));
	if (!next)
		return 1;
	d = *next;
	if (!is_any) {
		d.source = tape_peer(*source);
		d.tag = *tag;
	} else if (!is_possible(&d, *tag, comm)) {
		depart_by_tag(&d, call, *tag);
		return 1;
	}
	if (await_message(call, &d, comm, MPI_STATUS_IGNORE)) {
		*source = tape_order_to_rank(d.source);
		*tag = d.tag;
		tape_order_advance();
	}
	return 1;
}

static int replay_MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag,
			     MPI_Status *status)
{
	if (!await_poll(TAPE_CALL_MPI_Iprobe, &source, &tag, comm)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	return tape_order_below.to_MPI_Iprobe(source, tag, comm, flag, status);
}

static int replay_MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag,
			      MPI_Message *message, MPI_Status *status)
{
	if (!await_poll(TAPE_CALL_MPI_Improbe, &source, &tag, comm)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	return tape_order_below.to_MPI_Improbe(source, tag, comm, flag, message,
					       status);
}

void tape_order_put_replay(void)
{
	PMPI_Comm_dup(MPI_COMM_SELF, &silent);
	tape_order_begin_course(&words);
	tape_order_below = tape_next;
#define PUT(call) tape_next.to_##call = replay_##call
	PUT(MPI_Irecv);
	PUT(MPI_Cancel);
	PUT(MPI_Probe);
	PUT(MPI_Mprobe);
	PUT(MPI_Iprobe);
	PUT(MPI_Improbe);
#ifdef TAPE_HAS_MPI_Irecv_c
	PUT(MPI_Irecv_c);
#endif
#undef PUT
	tape_order_put_receives();
	tape_order_put_persistent();
	tape_order_put_completions();
}
#pragma GCC diagnostic pop
