/*
 * Records what MPI leaves to chance; see order_layer.h. Each function calls the
 * next one and appends what it decided to the order file.
 */
#include "order_layer.h"
#include "request.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static struct tape_next below;
static struct tape_order_posts posts;
static struct tape_order_posts persistent; /* requests of any source */
static uint64_t n_posts;		   /* so far */

/*
 * Returns 1 if a call received a message, also one that was cut short, or
 * completed requests of which some failed.
 */
static int has_message(int rc)
{
	int class_ = MPI_SUCCESS;

	if (rc != MPI_SUCCESS)
		PMPI_Error_class(rc, &class_);
	return class_ == MPI_SUCCESS || class_ == MPI_ERR_TRUNCATE ||
	       class_ == MPI_ERR_IN_STATUS;
}

static void append_partner(enum tape_order_kind kind, unsigned call,
			   uint64_t number, const MPI_Status *status)
{
	struct tape_order_decision d = {.kind = kind,
					.call = call,
					.number = number,
					.source = tape_peer(status->MPI_SOURCE),
					.tag = tape_tag(status->MPI_TAG)};

	tape_order_append(&d, NULL, 0);
}

static void append_number(enum tape_order_kind kind, unsigned call,
			  uint64_t number)
{
	struct tape_order_decision d = {
	    .kind = kind, .call = call, .number = number};

	tape_order_append(&d, NULL, 0);
}

/* ---- receives ---- */

static int is_decided_by_chance(int source)
{
	return tape_order_is_any(source) && tape_order_is_thread();
}

/* A receive that the call has posted is complete later. */
static void record_post(int source, int rc, const MPI_Request *request)
{
	struct tape_order_post p;

	if (rc != MPI_SUCCESS || !is_decided_by_chance(source))
		return;
	p = (struct tape_order_post){.handle = tape_handle(*request),
				     .number = n_posts++};
	tape_order_add_post(&posts, &p);
}

/* Each start of a persistent request is a post. */
static void record_persistent(int source, int rc, const MPI_Request *request)
{
	struct tape_order_post p = {0};

	if (rc != MPI_SUCCESS || !is_decided_by_chance(source))
		return;
	p.handle = tape_handle(*request);
	tape_order_add_post(&persistent, &p);
}

/* The calls with counts of both types. */
#define RECORD_RECV(call, number)                                              \
	static int record_##call(void *buf, number count, MPI_Datatype type,   \
				 int source, int tag, MPI_Comm comm,           \
				 MPI_Status *status)                           \
	{                                                                      \
		int by_chance = is_decided_by_chance(source), rc;              \
		MPI_Status own;                                                \
                                                                               \
		if (by_chance && status == MPI_STATUS_IGNORE)                  \
			status = &own;                                         \
		rc = below.to_##call(buf, count, type, source, tag, comm,      \
				     status);                                  \
		if (by_chance && has_message(rc))                              \
			append_partner(TAPE_DECISION_RECEIVED,                 \
				       TAPE_CALL_##call, 0, status);           \
		return rc;                                                     \
	}

#define RECORD_SENDRECV(call, number)                                          \
	static int record_##call(                                              \
	    const void *sbuf, number scount, MPI_Datatype stype, int dest,     \
	    int stag, void *rbuf, number rcount, MPI_Datatype rtype,           \
	    int source, int rtag, MPI_Comm comm, MPI_Status *status)           \
	{                                                                      \
		int by_chance = is_decided_by_chance(source), rc;              \
		MPI_Status own;                                                \
                                                                               \
		if (by_chance && status == MPI_STATUS_IGNORE)                  \
			status = &own;                                         \
		rc = below.to_##call(sbuf, scount, stype, dest, stag, rbuf,    \
				     rcount, rtype, source, rtag, comm,        \
				     status);                                  \
		if (by_chance && has_message(rc))                              \
			append_partner(TAPE_DECISION_RECEIVED,                 \
				       TAPE_CALL_##call, 0, status);           \
		return rc;                                                     \
	}

#define RECORD_SENDRECV_REPLACE(call, number)                                  \
	static int record_##call(void *buf, number count, MPI_Datatype type,   \
				 int dest, int stag, int source, int rtag,     \
				 MPI_Comm comm, MPI_Status *status)            \
	{                                                                      \
		int by_chance = is_decided_by_chance(source), rc;              \
		MPI_Status own;                                                \
                                                                               \
		if (by_chance && status == MPI_STATUS_IGNORE)                  \
			status = &own;                                         \
		rc = below.to_##call(buf, count, type, dest, stag, source,     \
				     rtag, comm, status);                      \
		if (by_chance && has_message(rc))                              \
			append_partner(TAPE_DECISION_RECEIVED,                 \
				       TAPE_CALL_##call, 0, status);           \
		return rc;                                                     \
	}

#define RECORD_POST(call, number, record)                                      \
	static int record_##call(void *buf, number count, MPI_Datatype type,   \
				 int source, int tag, MPI_Comm comm,           \
				 MPI_Request *request)                         \
	{                                                                      \
		int rc = below.to_##call(buf, count, type, source, tag, comm,  \
					 request);                             \
                                                                               \
		record(source, rc, request);                                   \
		return rc;                                                     \
	}

RECORD_RECV(MPI_Recv, int)
RECORD_SENDRECV(MPI_Sendrecv, int)
RECORD_SENDRECV_REPLACE(MPI_Sendrecv_replace, int)
RECORD_POST(MPI_Irecv, int, record_post)
RECORD_POST(MPI_Recv_init, int, record_persistent)
#ifdef TAPE_HAS_MPI_Recv_c
RECORD_RECV(MPI_Recv_c, MPI_Count)
RECORD_SENDRECV(MPI_Sendrecv_c, MPI_Count)
RECORD_SENDRECV_REPLACE(MPI_Sendrecv_replace_c, MPI_Count)
RECORD_POST(MPI_Irecv_c, MPI_Count, record_post)
RECORD_POST(MPI_Recv_init_c, MPI_Count, record_persistent)
#endif

/* ---- persistent receives: each start is a post ---- */

/* Counts a request that was started, if it is a receive of any source. */
static void record_start(MPI_Request request)
{
	struct tape_order_post p;

	if (!tape_order_is_thread() ||
	    !tape_order_find_post(&persistent, request, &p))
		return;
	p.number = n_posts++;
	tape_order_add_post(&posts, &p);
}

static int record_MPI_Start(MPI_Request *request)
{
	int rc = below.to_MPI_Start(request);

	if (rc == MPI_SUCCESS)
		record_start(*request);
	return rc;
}

static int record_MPI_Startall(int n, MPI_Request *requests)
{
	int rc = below.to_MPI_Startall(n, requests);

	for (int i = 0; rc == MPI_SUCCESS && i < n; i++)
		record_start(requests[i]);
	return rc;
}

/* ---- probes ---- */

static int record_MPI_Probe(int source, int tag, MPI_Comm comm,
			    MPI_Status *status)
{
	int by_chance = is_decided_by_chance(source);
	MPI_Status own;
	int rc;

	if (by_chance && status == MPI_STATUS_IGNORE)
		status = &own;
	rc = below.to_MPI_Probe(source, tag, comm, status);
	if (by_chance && rc == MPI_SUCCESS)
		append_partner(TAPE_DECISION_RECEIVED, TAPE_CALL_MPI_Probe, 0,
			       status);
	return rc;
}

static int record_MPI_Mprobe(int source, int tag, MPI_Comm comm,
			     MPI_Message *message, MPI_Status *status)
{
	int by_chance = is_decided_by_chance(source);
	MPI_Status own;
	int rc;

	if (by_chance && status == MPI_STATUS_IGNORE)
		status = &own;
	rc = below.to_MPI_Mprobe(source, tag, comm, message, status);
	if (by_chance && rc == MPI_SUCCESS)
		append_partner(TAPE_DECISION_RECEIVED, TAPE_CALL_MPI_Mprobe, 0,
			       status);
	return rc;
}

/* A probe that polls: rc and *flag are its results. */
static void record_poll(unsigned call, int source, int rc, const int *flag,
			const MPI_Status *status)
{
	if (rc != MPI_SUCCESS)
		return;
	if (!*flag)
		tape_order_append_failure(call);
	else if (tape_order_is_any(source))
		append_partner(TAPE_DECISION_FOUND, call, 0, status);
	else
		append_number(TAPE_DECISION_TRUE, call, 0);
}

static int record_MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag,
			     MPI_Status *status)
{
	MPI_Status own;
	int rc;

	if (!tape_order_is_thread())
		return below.to_MPI_Iprobe(source, tag, comm, flag, status);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	rc = below.to_MPI_Iprobe(source, tag, comm, flag, status);
	record_poll(TAPE_CALL_MPI_Iprobe, source, rc, flag, status);
	return rc;
}

static int record_MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag,
			      MPI_Message *message, MPI_Status *status)
{
	MPI_Status own;
	int rc;

	if (!tape_order_is_thread())
		return below.to_MPI_Improbe(source, tag, comm, flag, message,
					    status);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	rc = below.to_MPI_Improbe(source, tag, comm, flag, message, status);
	record_poll(TAPE_CALL_MPI_Improbe, source, rc, flag, status);
	return rc;
}

/* ---- completion ---- */

void tape_order_record_end(uint64_t post, const MPI_Status *status)
{
	if (!status)
		append_number(TAPE_DECISION_FREED, 0, post);
	else if (tape_status_cancelled(status))
		append_number(TAPE_DECISION_CANCELLED, 0, post);
	else
		append_partner(TAPE_DECISION_MATCHED, 0, post, status);
}

/* Returns 1 if a call left a request as it was, because another one failed. */
static int is_pending(int rc)
{
	int class_ = MPI_SUCCESS;

	if (rc != MPI_SUCCESS)
		PMPI_Error_class(rc, &class_);
	return class_ == MPI_ERR_PENDING;
}

/* The request of a handle is complete: ends its post, if it is one. */
static void record_completed(MPI_Request handle, int rc,
			     const MPI_Status *status)
{
	struct tape_order_post p;

	if (!is_pending(rc) && tape_order_take_post(&posts, handle, &p) &&
	    has_message(rc))
		tape_order_record_end(p.number, status);
}

/* Completions are recorded if posts may end; any and some always. */
static int has_posts(void)
{
	return posts.n && tape_order_is_thread();
}

static int record_MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	MPI_Request handle;
	MPI_Status own;
	int rc;

	if (!has_posts() || !request)
		return below.to_MPI_Wait(request, status);
	handle = *request;
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	rc = below.to_MPI_Wait(request, status);
	record_completed(handle, rc, status);
	return rc;
}

static int record_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	MPI_Request handle;
	MPI_Status own;
	int rc;

	if (!tape_order_is_thread() || !request)
		return below.to_MPI_Test(request, flag, status);
	handle = *request;
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	rc = below.to_MPI_Test(request, flag, status);
	if (rc == MPI_SUCCESS && !*flag) {
		tape_order_append_failure(TAPE_CALL_MPI_Test);
		return rc;
	}
	if (has_message(rc))
		append_number(TAPE_DECISION_TRUE, TAPE_CALL_MPI_Test, 0);
	record_completed(handle, rc, status);
	return rc;
}

/*
 * Copies the handles before a call, where posts may end. Statuses of our own
 * take the place of missing ones. NULL: nothing is copied.
 */
static const struct tape_order_room *
copy_handles(int n, const MPI_Request *requests, MPI_Status **statuses)
{
	const struct tape_order_room *room = NULL;

	if (!has_posts() || n <= 0 || !requests || !(room = tape_order_room(n)))
		return NULL;
	for (int i = 0; i < n; i++)
		room->handles[i] = requests[i];
	if (*statuses == MPI_STATUSES_IGNORE)
		*statuses = room->statuses;
	return room;
}

/* The error of a status, where the call says that statuses have errors. */
static int find_error(int rc, const MPI_Status *status)
{
	return rc == MPI_SUCCESS ? rc : status->MPI_ERROR;
}

static void record_all(const struct tape_order_room *room, int n, int rc,
		       const MPI_Status *statuses)
{
	for (int i = 0; room && has_message(rc) && i < n; i++)
		record_completed(room->handles[i], find_error(rc, &statuses[i]),
				 &statuses[i]);
}

static int record_MPI_Waitall(int n, MPI_Request *requests,
			      MPI_Status *statuses)
{
	const struct tape_order_room *room =
	    copy_handles(n, requests, &statuses);
	int rc = below.to_MPI_Waitall(n, requests, statuses);

	record_all(room, n, rc, statuses);
	return rc;
}

static int record_MPI_Testall(int n, MPI_Request *requests, int *flag,
			      MPI_Status *statuses)
{
	const struct tape_order_room *room =
	    copy_handles(n, requests, &statuses);
	int rc = below.to_MPI_Testall(n, requests, flag, statuses);

	if (!tape_order_is_thread())
		return rc;
	if (rc == MPI_SUCCESS && !*flag) {
		tape_order_append_failure(TAPE_CALL_MPI_Testall);
		return rc;
	}
	if (has_message(rc))
		append_number(TAPE_DECISION_TRUE, TAPE_CALL_MPI_Testall, 0);
	record_all(room, n, rc, statuses);
	return rc;
}

/* One of n requests is complete, or none was active. */
static void record_any(unsigned call, const struct tape_order_room *room, int n,
		       const int *index, int rc, const MPI_Status *status)
{
	int is_one;

	if (!has_message(rc))
		return;
	is_one = *index != MPI_UNDEFINED && *index >= 0 && *index < n;
	append_number(TAPE_DECISION_ANY, call,
		      is_one ? 1 + (uint64_t)*index : 0);
	if (room && is_one)
		record_completed(room->handles[*index], rc, status);
}

static int record_MPI_Waitany(int n, MPI_Request *requests, int *index,
			      MPI_Status *status)
{
	const struct tape_order_room *room = NULL;
	MPI_Status own;
	int rc;

	if (!tape_order_is_thread())
		return below.to_MPI_Waitany(n, requests, index, status);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	room = copy_handles(n, requests, &status);
	rc = below.to_MPI_Waitany(n, requests, index, status);
	record_any(TAPE_CALL_MPI_Waitany, room, n, index, rc, status);
	return rc;
}

static int record_MPI_Testany(int n, MPI_Request *requests, int *index,
			      int *flag, MPI_Status *status)
{
	const struct tape_order_room *room = NULL;
	MPI_Status own;
	int rc;

	if (!tape_order_is_thread())
		return below.to_MPI_Testany(n, requests, index, flag, status);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	room = copy_handles(n, requests, &status);
	rc = below.to_MPI_Testany(n, requests, index, flag, status);
	if (rc == MPI_SUCCESS && !*flag)
		tape_order_append_failure(TAPE_CALL_MPI_Testany);
	else
		record_any(TAPE_CALL_MPI_Testany, room, n, index, rc, status);
	return rc;
}

/* Some of n requests are complete. */
static void record_some(unsigned call, const struct tape_order_room *room,
			int n, const int *count, const int *indices, int rc,
			const MPI_Status *statuses)
{
	struct tape_order_decision d = {.kind = TAPE_DECISION_SOME,
					.call = call};
	int m;

	if (!has_message(rc))
		return;
	m = *count != MPI_UNDEFINED && *count >= 0 && *count <= n ? *count : -1;
	d.number = (uint64_t)(1 + m);
	tape_order_append(&d, indices, m > 0 ? m : 0);
	for (int i = 0; room && i < m; i++)
		record_completed(room->handles[indices[i]],
				 find_error(rc, &statuses[i]), &statuses[i]);
}

static int record_MPI_Waitsome(int n, MPI_Request *requests, int *count,
			       int *indices, MPI_Status *statuses)
{
	const struct tape_order_room *room =
	    copy_handles(n, requests, &statuses);
	int rc = below.to_MPI_Waitsome(n, requests, count, indices, statuses);

	if (tape_order_is_thread())
		record_some(TAPE_CALL_MPI_Waitsome, room, n, count, indices, rc,
			    statuses);
	return rc;
}

static int record_MPI_Testsome(int n, MPI_Request *requests, int *count,
			       int *indices, MPI_Status *statuses)
{
	const struct tape_order_room *room =
	    copy_handles(n, requests, &statuses);
	int rc = below.to_MPI_Testsome(n, requests, count, indices, statuses);

	if (!tape_order_is_thread())
		return rc;
	if (rc == MPI_SUCCESS && !*count)
		tape_order_append_failure(TAPE_CALL_MPI_Testsome);
	else
		record_some(TAPE_CALL_MPI_Testsome, room, n, count, indices, rc,
			    statuses);
	return rc;
}

static int record_MPI_Request_get_status(MPI_Request request, int *flag,
					 MPI_Status *status)
{
	int rc = below.to_MPI_Request_get_status(request, flag, status);

	if (rc != MPI_SUCCESS || !tape_order_is_thread())
		return rc;
	if (*flag)
		append_number(TAPE_DECISION_TRUE,
			      TAPE_CALL_MPI_Request_get_status, 0);
	else
		tape_order_append_failure(TAPE_CALL_MPI_Request_get_status);
	return rc;
}

#ifdef TAPE_HAS_MPI_Parrived
static int record_MPI_Parrived(MPI_Request request, int partition, int *flag)
{
	int rc = below.to_MPI_Parrived(request, partition, flag);

	if (rc != MPI_SUCCESS || !tape_order_is_thread())
		return rc;
	if (*flag)
		append_number(TAPE_DECISION_TRUE, TAPE_CALL_MPI_Parrived, 0);
	else
		tape_order_append_failure(TAPE_CALL_MPI_Parrived);
	return rc;
}
#endif

static int record_MPI_Request_free(MPI_Request *request)
{
	struct tape_order_post p;

	if (tape_order_is_thread() && request)
		tape_order_take_post(&persistent, *request, &p);
	if (has_posts() && request &&
	    tape_order_take_post(&posts, *request, &p) &&
	    !tape_order_keep_freed(*request, p.number)) {
		*request = MPI_REQUEST_NULL;
		return MPI_SUCCESS;
	}
	return below.to_MPI_Request_free(request);
}

uint64_t tape_order_recorded_posts(void)
{
	return n_posts;
}

void tape_order_put_record(void)
{
	below = tape_next;
#define PUT(call) tape_next.to_##call = record_##call
	PUT(MPI_Recv);
	PUT(MPI_Sendrecv);
	PUT(MPI_Sendrecv_replace);
	PUT(MPI_Irecv);
	PUT(MPI_Recv_init);
	PUT(MPI_Start);
	PUT(MPI_Startall);
	PUT(MPI_Probe);
	PUT(MPI_Mprobe);
	PUT(MPI_Iprobe);
	PUT(MPI_Improbe);
	PUT(MPI_Wait);
	PUT(MPI_Waitall);
	PUT(MPI_Waitany);
	PUT(MPI_Waitsome);
	PUT(MPI_Test);
	PUT(MPI_Testall);
	PUT(MPI_Testany);
	PUT(MPI_Testsome);
	PUT(MPI_Request_get_status);
	PUT(MPI_Request_free);
#ifdef TAPE_HAS_MPI_Recv_c
	PUT(MPI_Recv_c);
	PUT(MPI_Sendrecv_c);
	PUT(MPI_Sendrecv_replace_c);
	PUT(MPI_Irecv_c);
	PUT(MPI_Recv_init_c);
#endif
#ifdef TAPE_HAS_MPI_Parrived
	PUT(MPI_Parrived);
#endif
#undef PUT
}
#pragma GCC diagnostic pop
