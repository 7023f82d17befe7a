/*
 * Replays persistent receives of any source; see order_replay.h. A persistent
 * request has one source for good, so a start posts an ordinary receive from
 * the recorded source. The program keeps the handle of the persistent request,
 * which is itself never started.
 */
#include "order_replay.h"
#include "request.h"

#define BELOW(call) tape_order_below.to_##call

/* Persistent receives of any source, by handle. */
static struct tape_order_posts persistent;

void tape_order_replace_started(int n, MPI_Request *requests)
{
	for (int i = 0; persistent.n && i < n; i++)
		requests[i] = tape_order_find_started(requests[i]);
}

MPI_Request tape_order_find_started(MPI_Request request)
{
	struct tape_order_post p;

	return tape_order_is_thread() &&
		       tape_order_find_post(&persistent, request, &p) &&
		       p.is_started
		   ? p.started
		   : request;
}

void tape_order_end_start(MPI_Request owner)
{
	struct tape_order_post p;

	if (!tape_order_find_post(&persistent, owner, &p))
		return;
	p.is_started = 0;
	tape_order_add_post(&persistent, &p);
}

/* Remembers a persistent receive of any source. */
static void add_persistent(int source, int rc, struct tape_order_post *p,
			   const MPI_Request *request)
{
	if (rc != MPI_SUCCESS || !tape_order_is_any(source) ||
	    !tape_order_is_thread())
		return;
	p->handle = tape_handle(*request);
	tape_order_add_post(&persistent, p);
}

#define REPLAY_RECV_INIT(call, number)                                         \
	static int replay_##call(void *buf, number count, MPI_Datatype type,   \
				 int source, int tag, MPI_Comm comm,           \
				 MPI_Request *request)                         \
	{                                                                      \
		int rc =                                                       \
		    BELOW(call)(buf, count, type, source, tag, comm, request); \
		struct tape_order_post p = {.buf = buf,                        \
					    .count = count,                    \
					    .type = type,                      \
					    .tag = tag,                        \
					    .comm = comm};                     \
                                                                               \
		add_persistent(source, rc, &p, request);                       \
		return rc;                                                     \
	}

REPLAY_RECV_INIT(MPI_Recv_init, int)
#ifdef TAPE_HAS_MPI_Recv_init_c
REPLAY_RECV_INIT(MPI_Recv_init_c, MPI_Count)
#endif

/*
 * Starts a receive of any source with the recorded one. Returns 0 if the
 * request is to be started as it is; else the result is in *rc.
 */
static int start_recorded(MPI_Request request, int *rc)
{
	int source = MPI_ANY_SOURCE, tag;
	struct tape_order_post p, started;
	MPI_Comm comm;

	if (!tape_order_is_thread() ||
	    !tape_order_find_post(&persistent, request, &p) || p.is_started ||
	    !tape_order_number_post(&p))
		return 0;
	tag = p.tag;
	comm = p.comm;
	if (!tape_order_decide_post(&p, &source, &tag, &comm))
		return 0;
	*rc = tape_order_post_receive(&p, source, tag, comm, &p.started);
	if (*rc != MPI_SUCCESS)
		return 1;
	started = p;
	started.handle = tape_handle(p.started);
	started.has_owner = 1;
	started.owner = request;
	tape_order_add_post(&tape_order_replayed, &started);
	p.is_started = 1;
	tape_order_add_post(&persistent, &p);
	return 1;
}

static int replay_MPI_Start(MPI_Request *request)
{
	int rc;

	if (request && start_recorded(*request, &rc))
		return rc;
	return BELOW(MPI_Start)(request);
}

static int replay_MPI_Startall(int n, MPI_Request *requests)
{
	int rc = MPI_SUCCESS;

	if (!persistent.n || !tape_order_is_thread() || !requests)
		return BELOW(MPI_Startall)(n, requests);
	for (int i = 0; rc == MPI_SUCCESS && i < n; i++)
		if (!start_recorded(requests[i], &rc))
			rc = BELOW(MPI_Start)(&requests[i]);
	return rc;
}

static int replay_MPI_Request_free(MPI_Request *request)
{
	struct tape_order_post p;

	if (!tape_order_is_thread() || !request)
		return BELOW(MPI_Request_free)(request);
	tape_order_take_post(&tape_order_replayed, *request, &p);
	if (tape_order_take_post(&persistent, *request, &p) && p.is_started) {
		struct tape_order_post started;

		tape_order_take_post(&tape_order_replayed, p.started, &started);
		BELOW(MPI_Request_free)(&p.started);
	}
	return BELOW(MPI_Request_free)(request);
}

void tape_order_put_persistent(void)
{
#define PUT(call) tape_next.to_##call = replay_##call
	PUT(MPI_Recv_init);
	PUT(MPI_Start);
	PUT(MPI_Startall);
	PUT(MPI_Request_free);
#ifdef TAPE_HAS_MPI_Recv_init_c
	PUT(MPI_Recv_init_c);
#endif
#undef PUT
}
