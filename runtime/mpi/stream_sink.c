/* The trace's way to an analyser of the job; see stream_sink.h. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "partitions.h"
#include "routes.h"
#include "message.h"
#include "sink.h"
#include "streams.h"
#include "stream_sink.h"

TAPE_ON_OWN_STACK

enum {
	LATE_NS = 100000000,	 /* a message that is not full is sent then */
	IMPATIENT_NS = 500000000 /* what the end may wait that nobody planned */
};

static struct tape_links links;
static tape_stream *stream;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int holding; /* the lock, and maybe in a call of MPI */
static pthread_t first_thread;
static int level, finishing;
static int lost; /* nothing is sent any more */

/* The message that is being filled. */
static unsigned char *message;
static size_t filled;
static uint64_t sent_ns;

/* What threads wrote that may not call MPI; the first one sends it. */
struct piece {
	struct piece *next;
	struct tape_frame head;
	unsigned char bytes[];
};
static struct piece *pieces, **end = &pieces;

/* May this thread call MPI, here? */
static int may_send(void)
{
	if (tape_process.ends_inside)
		return 0;
	if (level == MPI_THREAD_MULTIPLE)
		return 1;
	/* a mark may be set while another thread is in a call */
	if (level == MPI_THREAD_SERIALIZED && !finishing)
		return tape_own && !tape_own->marking;
	return pthread_equal(pthread_self(), first_thread);
}

/* The process ends without MPI_Finalize: nobody waits long. */
static int is_aborting(void)
{
	return tape_process.state == TAPE_STOPPED && !finishing;
}

/* Non-zero: the library ends the process while this thread sends. */
static int lock_stream(void)
{
	if (holding)
		return -1;
	pthread_mutex_lock(&lock);
	holding = 1;
	return 0;
}

static void unlock_stream(void)
{
	holding = 0;
	pthread_mutex_unlock(&lock);
}

/* A buffer to fill; in vain where the others are gone. */
static int get_message(void)
{
	uint64_t start = tape_raw_ns();
	void *buffer = NULL;
	int rc;

	while (!lost && !message) {
		rc = tape_stream_room(stream, &buffer,
				      is_aborting() ? TAPE_STREAM_NONBLOCK : 0);
		if (rc == TAPE_STREAM_EAGAIN &&
		    tape_raw_ns() - start < IMPATIENT_NS) {
			tape_links_idle(0);
			continue;
		}
		lost = rc <= 0;
		message = lost ? NULL : buffer;
		filled = 0;
		if (lost && !is_aborting())
			tape_say("rank %d: connection to the analyser lost: "
				 "%s; the rest of this rank's trace is missing",
				 tape_process.rank, tape_stream_text(rc));
	}
	return lost;
}

static void send_message(void)
{
	if (!message || !filled)
		return;
	lost |= tape_stream_put(stream, filled) != 0;
	message = NULL;
	filled = 0;
	sent_ns = tape_raw_ns();
}

/* A piece is never divided. */
static void append_frame(const struct tape_frame *head, const void *bytes)
{
	if (message && filled + sizeof *head + head->bytes > TAPE_FRAME_MESSAGE)
		send_message();
	if (get_message())
		return;
	memcpy(message + filled, head, sizeof *head);
	memcpy(message + filled + sizeof *head, bytes, head->bytes);
	filled += sizeof *head + head->bytes;
}

static void store_frame(const struct tape_frame *head, const void *bytes)
{
	struct piece *p = malloc(sizeof *p + head->bytes);

	if (!p) {
		lost = 1;
		return;
	}
	p->next = NULL;
	p->head = *head;
	memcpy(p->bytes, bytes, head->bytes);
	*end = p;
	end = &p->next;
}

static void append_stored_frames(void)
{
	while (pieces) {
		struct piece *p = pieces;

		append_frame(&p->head, p->bytes);
		pieces = p->next;
		free(p);
	}
	end = &pieces;
}

static void put_frame(const struct tape_frame *head, const void *bytes)
{
	struct tape_hold hold;

	tape_hold(&hold);
	if (lock_stream())
		goto out;
	if (!may_send()) {
		store_frame(head, bytes);
	} else {
		append_stored_frames();
		append_frame(head, bytes);
	}
	unlock_stream();
out:
	tape_release(&hold);
}

static void send_late_frames(void)
{
	struct tape_hold hold;

	tape_hold(&hold);
	if (lock_stream())
		goto out;
	if (may_send()) {
		append_stored_frames();
		if (tape_raw_ns() - sent_ns >= LATE_NS)
			send_message();
	}
	unlock_stream();
out:
	tape_release(&hold);
}

/*
 * Called after all flows are closed: sends the remaining data if this thread
 * may call MPI. On abort it waits for completion at most IMPATIENT_NS.
 */
static void send_remaining(enum tape_end reason)
{
	uint64_t start = tape_raw_ns();

	(void)reason;
	if (lock_stream())
		return;
	if (may_send()) {
		append_stored_frames();
		send_message();
	}
	while (is_aborting() && may_send() && !lost &&
	       !tape_links_sent(stream) && tape_raw_ns() - start < IMPATIENT_NS)
		tape_links_idle(0);
	unlock_stream();
}

static struct tape_sink sink = {.put = put_frame,
				.hurry = send_late_frames,
				.stop = send_remaining,
				.in_job = 1};

const char *tape_stream_sink_refused(void)
{
	const struct tape_partitions *p = tape_partitions();
	int analysers = 0;

	for (int i = 0; p && i < p->n; i++)
		analysers += p->list[i].analyser;
	if (!p)
		return "stream = mpi: the programs of this job are not known";
	if (!p->one_version)
		return "stream = mpi: the programs of this job run different "
		       "versions of Tape";
	if (!analysers)
		return "stream = mpi: no analyser in this job (mpirun ... : "
		       "-np 1 tapelive)";
	return NULL;
}

static int open_stream(void)
{
	const struct tape_partitions *p = tape_partitions();
	const struct tape_stream_options o = {.block = TAPE_FRAME_MESSAGE};
	int *routes = tape_routes(p), rc;

	if (!routes)
		return TAPE_STREAM_ENOMEM;
	rc = tape_links_open(&links, p->universe, TAPE_LINKS_TRACER);
	if (!rc)
		rc = tape_links_stream(&links, &routes[p->rank], 1, "w", &o,
				       &stream);
	free(routes);
	return rc;
}

int tape_stream_sink_open(int files)
{
	int rc = open_stream();

	if (rc) {
		tape_say("rank %d: the stream to the analyser cannot be "
			 "opened: %s",
			 tape_process.rank, tape_stream_text(rc));
		return -1;
	}
	PMPI_Query_thread(&level);
	first_thread = pthread_self();
	sink.files = files;
	sent_ns = 0; /* the analyser hears at once of what there is */
	tape_process.sink = &sink;
	return 0;
}

void tape_stream_sink_finish(void)
{
	finishing = 1;
}

void tape_stream_sink_close(void)
{
	if (!stream)
		return;
	tape_process.sink = NULL;
	tape_stream_close(stream);
	tape_links_close(&links);
	stream = NULL;
}
TAPE_ON_OWN_STACK_END
