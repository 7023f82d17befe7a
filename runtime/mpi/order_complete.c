/*
 * Replays completions: waits and tests complete the recorded requests, and no
 * others; see order_replay.h.
 */
#include <stdio.h>

#include "order_replay.h"
#include "record.h"
#include "request.h"

#define BELOW(call) tape_order_below.to_##call

/* ---- posts that complete ---- */

/*
 * Replaces started persistent requests and copies the handles before a call;
 * NULL if no post is pending.
 */
static const struct tape_order_room *copy_handles(int n, MPI_Request *requests)
{
	const struct tape_order_room *room = NULL;

	if (!tape_order_replayed.n || !tape_order_is_thread() || n <= 0 ||
	    !requests || !(room = tape_order_room(n)))
		return NULL;
	tape_order_replace_started(n, requests);
	for (int i = 0; i < n; i++)
		room->handles[i] = requests[i];
	return room;
}

/*
 * Removes the posts that the call has completed, and puts the handles of
 * persistent requests back.
 */
static void forget_posts(const struct tape_order_room *room, int n,
			 MPI_Request *requests)
{
	struct tape_order_post p;

	for (int i = 0; room && i < n; i++) {
		int is_complete = requests[i] != room->handles[i];

		if (!tape_order_find_post(&tape_order_replayed,
					  room->handles[i], &p))
			continue;
		if (is_complete)
			tape_order_take_post(&tape_order_replayed,
					     room->handles[i], &p);
		if (is_complete && p.has_owner)
			tape_order_end_start(p.owner);
		if (p.has_owner)
			requests[i] = p.owner;
	}
}

int tape_order_cancel_receive(MPI_Request *request)
{
	MPI_Status status;
	int flag = 0;

	PMPI_Cancel(request);
	while (!flag &&
	       PMPI_Request_get_status(*request, &flag, &status) == MPI_SUCCESS)
		;
	if (!flag || !tape_status_cancelled(&status))
		return 0;
	PMPI_Wait(request, MPI_STATUS_IGNORE);
	return 1;
}

/*
 * The recorded messages do not come: posts of these requests become receives of
 * any source again. Of a derived type, which the program may have freed, the
 * post stays.
 */
static void release_posts(int n, MPI_Request *requests)
{
	struct tape_order_post p;

	for (int i = 0; i < n; i++) {
		MPI_Request old = requests[i];

		if (!tape_order_find_post(&tape_order_replayed, old, &p) ||
		    !p.is_plain || !tape_order_cancel_receive(&requests[i]))
			continue;
		tape_order_take_post(&tape_order_replayed, old, &p);
		tape_order_post_receive(&p, MPI_ANY_SOURCE, p.tag, p.comm,
					&requests[i]);
	}
}

/* ---- one request, and all ---- */

static int replay_MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	const struct tape_order_room *room = copy_handles(1, request);
	struct tape_order_patience w = {0};
	int rc, flag = 0;

	if (!room)
		return BELOW(MPI_Wait)(request, status);
	while ((rc = BELOW(MPI_Test)(request, &flag, status)) == MPI_SUCCESS &&
	       !flag)
		if (tape_order_give_up(&w, TAPE_CALL_MPI_Wait))
			release_posts(1, request);
	forget_posts(room, 1, request);
	return rc;
}

static int replay_MPI_Waitall(int n, MPI_Request *requests,
			      MPI_Status *statuses)
{
	const struct tape_order_room *room = copy_handles(n, requests);
	struct tape_order_patience w = {0};
	int rc, flag = 0;

	if (!room)
		return BELOW(MPI_Waitall)(n, requests, statuses);
	while ((rc = BELOW(MPI_Testall)(n, requests, &flag, statuses)) ==
		   MPI_SUCCESS &&
	       !flag)
		if (tape_order_give_up(&w, TAPE_CALL_MPI_Waitall))
			release_posts(n, requests);
	forget_posts(room, n, requests);
	return rc;
}

/* A test whose result the record may have. */
struct decided_test {
	unsigned call;
	int is_decided; /* the record says that it succeeds */
	struct tape_order_patience patience;
};

/* Returns 1, and sets *flag to 0, if the record says that the test fails. */
static int begin_test(struct decided_test *t, unsigned call, int *flag)
{
	const unsigned kinds = TAPE_DECISION_BIT(TAPE_DECISION_TRUE);

	*t = (struct decided_test){.call = call};
	if (tape_order_is_failure(call, kinds)) {
		*flag = 0;
		return 1;
	}
	t->is_decided = tape_order_follow(call, kinds) != NULL;
	return 0;
}

/* After the library's test: returns 1 if it has to be repeated. */
static int repeats_test(struct decided_test *t, int rc, int flag)
{
	if (!t->is_decided)
		return 0;
	if (rc == MPI_SUCCESS && !flag)
		return !tape_order_give_up(&t->patience, t->call);
	tape_order_advance();
	return 0;
}

static int replay_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	const struct tape_order_room *room = copy_handles(1, request);
	struct decided_test t;
	int rc = MPI_SUCCESS;

	if (!begin_test(&t, TAPE_CALL_MPI_Test, flag))
		do
			rc = BELOW(MPI_Test)(request, flag, status);
		while (repeats_test(&t, rc, *flag));
	forget_posts(room, 1, request);
	return rc;
}

static int replay_MPI_Testall(int n, MPI_Request *requests, int *flag,
			      MPI_Status *statuses)
{
	const struct tape_order_room *room = copy_handles(n, requests);
	struct decided_test t;
	int rc = MPI_SUCCESS;

	if (!begin_test(&t, TAPE_CALL_MPI_Testall, flag))
		do
			rc = BELOW(MPI_Testall)(n, requests, flag, statuses);
		while (repeats_test(&t, rc, *flag));
	forget_posts(room, n, requests);
	return rc;
}

static int replay_MPI_Request_get_status(MPI_Request request, int *flag,
					 MPI_Status *status)
{
	struct decided_test t;
	int rc;

	if (begin_test(&t, TAPE_CALL_MPI_Request_get_status, flag))
		return MPI_SUCCESS;
	if (tape_order_is_thread())
		request = tape_order_find_started(request);
	do
		rc = BELOW(MPI_Request_get_status)(request, flag, status);
	while (repeats_test(&t, rc, *flag));
	return rc;
}

#ifdef TAPE_HAS_MPI_Parrived
static int replay_MPI_Parrived(MPI_Request request, int partition, int *flag)
{
	struct decided_test t;
	int rc;

	if (begin_test(&t, TAPE_CALL_MPI_Parrived, flag))
		return MPI_SUCCESS;
	do
		rc = BELOW(MPI_Parrived)(request, partition, flag);
	while (repeats_test(&t, rc, *flag));
	return rc;
}
#endif

/* ---- any ---- */

enum {
	ANY_KINDS = TAPE_DECISION_BIT(TAPE_DECISION_ANY) |
		    TAPE_DECISION_BIT(TAPE_DECISION_ANY_NUMBERED),
	SOME_KINDS = TAPE_DECISION_BIT(TAPE_DECISION_SOME) |
		     TAPE_DECISION_BIT(TAPE_DECISION_SOME_NUMBERED)
};

/* The number in this trace of a request of the program's; 0: unknown. */
static uint64_t find_number(MPI_Request request)
{
	struct tape_order_post p;
	struct tape_request q;

	if (request == MPI_REQUEST_NULL)
		return 0;
	if (tape_order_find_post(&tape_order_replayed, request, &p) &&
	    p.has_owner)
		request = p.owner;
	return tape_request_find(tape_handle(request), &q) ? q.number : 0;
}

/*
 * The index of a request by its number; n: none has it. Requests that were
 * complete when they were created share a handle: the first of these then.
 */
static int find_numbered(uint64_t number, int n, const MPI_Request *requests)
{
	int i = 0;

	while (i < n && find_number(requests[i]) != number)
		i++;
	if (i < n)
		return i;
	for (i = 0; i < n; i++)
		if (requests[i] != MPI_REQUEST_NULL &&
		    tape_request_is_shared(tape_handle(requests[i])))
			break;
	return i;
}

/*
 * The index among n requests that the record names, by itself or by a number.
 * -1: there is no such request; the program departs from the record.
 */
static int find_index(unsigned call, uint64_t name, int is_number, int n,
		      const MPI_Request *requests)
{
	char expected[80], got[80];
	int i = is_number ? find_numbered(name, n, requests) : n;

	if (!is_number && n > 0 && name < (uint64_t)n)
		i = (int)name;
	if (i < n && requests[i] != MPI_REQUEST_NULL)
		return i;
	snprintf(expected, sizeof expected, "%s %llu in %s",
		 is_number ? "request number" : "request",
		 (unsigned long long)name, tape_next_name(call));
	snprintf(got, sizeof got,
		 is_number ? "%d requests without it"
			   : "%d requests, or none at that place",
		 n);
	tape_order_depart(expected, got);
	return -1;
}

/*
 * Completes the recorded one of n requests: stores its index, and its result in
 * *rc. Returns 0 if the call is left as it is.
 */
static int complete_any(unsigned call, int n, MPI_Request *requests, int *index,
			MPI_Status *status, int *rc)
{
	const struct tape_order_decision *d =
	    tape_order_follow(call, ANY_KINDS);
	struct tape_order_patience w = {0};
	int i, is_number, flag = 0;

	if (!d)
		return 0;
	if (!d->number) { /* no request is active */
		tape_order_advance();
		return 0;
	}
	is_number = d->kind == TAPE_DECISION_ANY_NUMBERED;
	i = find_index(call, d->number - !is_number, is_number, n, requests);
	if (i < 0)
		return 0;
	while ((*rc = BELOW(MPI_Test)(&requests[i], &flag, status)) ==
		   MPI_SUCCESS &&
	       !flag)
		if (tape_order_give_up(&w, call))
			return 0;
	*index = i;
	tape_order_advance();
	return 1;
}

static int replay_MPI_Waitany(int n, MPI_Request *requests, int *index,
			      MPI_Status *status)
{
	const struct tape_order_room *room = copy_handles(n, requests);
	const unsigned call = TAPE_CALL_MPI_Waitany;
	struct tape_order_patience w = {0};
	int rc, flag = 0;

	if (complete_any(call, n, requests, index, status, &rc)) {
		forget_posts(room, n, requests);
		return rc;
	}
	if (!room)
		return BELOW(MPI_Waitany)(n, requests, index, status);
	while ((rc = BELOW(MPI_Testany)(n, requests, index, &flag, status)) ==
		   MPI_SUCCESS &&
	       !flag)
		if (tape_order_give_up(&w, call))
			release_posts(n, requests);
	forget_posts(room, n, requests);
	return rc;
}

static int replay_MPI_Testany(int n, MPI_Request *requests, int *index,
			      int *flag, MPI_Status *status)
{
	const struct tape_order_room *room = copy_handles(n, requests);
	const unsigned call = TAPE_CALL_MPI_Testany;
	int rc;

	if (tape_order_is_failure(call, ANY_KINDS)) {
		*flag = 0;
		*index = MPI_UNDEFINED;
		forget_posts(room, n, requests);
		return MPI_SUCCESS;
	}
	if (complete_any(call, n, requests, index, status, &rc))
		*flag = 1;
	else
		rc = BELOW(MPI_Testany)(n, requests, index, flag, status);
	forget_posts(room, n, requests);
	return rc;
}

/* ---- some ---- */

/* The result of a call that completed some requests; rc: of the last of them */
static void store_result(int rc, MPI_Status *status, int *all)
{
	if (status != MPI_STATUS_IGNORE)
		status->MPI_ERROR = rc;
	if (rc != MPI_SUCCESS)
		*all = MPI_ERR_IN_STATUS;
}

/*
 * Completes the recorded ones of n requests, in their order; as complete_any.
 * Fewer if those that are missing do not come.
 */
static int complete_some(unsigned call, int n, MPI_Request *requests,
			 int *count, int *indices, MPI_Status *statuses,
			 int *rc)
{
	const struct tape_order_decision *d =
	    tape_order_follow(call, SOME_KINDS);
	struct tape_order_patience w = {0};
	const unsigned char *p;
	uint64_t name = 0;
	int i, k, is_number, flag = 0, one = MPI_SUCCESS;

	if (!d)
		return 0;
	if (!d->number) {
		tape_order_advance();
		return 0;
	}
	*rc = MPI_SUCCESS;
	is_number = d->kind == TAPE_DECISION_SOME_NUMBERED;
	p = d->indices;
	for (k = 0; (uint64_t)k < d->number - 1; k++) {
		MPI_Status *status = statuses == MPI_STATUSES_IGNORE
					 ? MPI_STATUS_IGNORE
					 : &statuses[k];

		/* of at most so many bytes, and checked before */
		p = tape_get_varint(p, p + TAPE_ORDER_NUMBER, &name);
		i = k < n ? find_index(call, name, is_number, n, requests) : -1;
		if (i < 0)
			break;
		while ((one = BELOW(MPI_Test)(&requests[i], &flag, status)) ==
			   MPI_SUCCESS &&
		       !flag)
			if (tape_order_give_up(&w, call))
				break;
		if (one == MPI_SUCCESS && !flag)
			break;
		indices[k] = i;
		store_result(one, status, rc);
	}
	if (k > 0)
		*count = k;
	if ((uint64_t)k == d->number - 1)
		tape_order_advance();
	return k > 0;
}

static int replay_MPI_Waitsome(int n, MPI_Request *requests, int *count,
			       int *indices, MPI_Status *statuses)
{
	const struct tape_order_room *room = copy_handles(n, requests);
	const unsigned call = TAPE_CALL_MPI_Waitsome;
	struct tape_order_patience w = {0};
	int rc;

	if (complete_some(call, n, requests, count, indices, statuses, &rc)) {
		forget_posts(room, n, requests);
		return rc;
	}
	if (!room)
		return BELOW(MPI_Waitsome)(n, requests, count, indices,
					   statuses);
	while ((rc = BELOW(MPI_Testsome)(n, requests, count, indices,
					 statuses)) == MPI_SUCCESS &&
	       !*count)
		if (tape_order_give_up(&w, call))
			release_posts(n, requests);
	forget_posts(room, n, requests);
	return rc;
}

static int replay_MPI_Testsome(int n, MPI_Request *requests, int *count,
			       int *indices, MPI_Status *statuses)
{
	const struct tape_order_room *room = copy_handles(n, requests);
	const unsigned call = TAPE_CALL_MPI_Testsome;
	int rc;

	if (tape_order_is_failure(call, SOME_KINDS)) {
		*count = 0;
		forget_posts(room, n, requests);
		return MPI_SUCCESS;
	}
	if (!complete_some(call, n, requests, count, indices, statuses, &rc))
		rc = BELOW(MPI_Testsome)(n, requests, count, indices, statuses);
	forget_posts(room, n, requests);
	return rc;
}

void tape_order_put_completions(void)
{
#define PUT(call) tape_next.to_##call = replay_##call
	PUT(MPI_Wait);
	PUT(MPI_Waitall);
	PUT(MPI_Waitany);
	PUT(MPI_Waitsome);
	PUT(MPI_Test);
	PUT(MPI_Testall);
	PUT(MPI_Testany);
	PUT(MPI_Testsome);
	PUT(MPI_Request_get_status);
#ifdef TAPE_HAS_MPI_Parrived
	PUT(MPI_Parrived);
#endif
#undef PUT
}
