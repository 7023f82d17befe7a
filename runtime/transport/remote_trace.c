/* The connection to a trace directory on another host; see remote_trace.h. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "error.h"
#include "remote_trace.h"
#include "remote_connect.h"
#include "file.h"
#include "gather_protocol.h"
#include "own_stack.h"
#include "message.h"
#include "sink.h"

TAPE_ON_OWN_STACK

enum {
	MOST_WAITING = 4,   /* blocks that a thread does not wait for */
	STALLED_MS = 10000, /* the end waits, while something goes */
	ABORT_MS = 500	    /* and where the process is killed, in all */
};

/* As old as this a block is sent that is not full. */
#define LATE_NS 100000000u

/* A message; it is sent, then used again. */
struct block {
	struct block *next;
	uint64_t events;       /* of the process, when it was filled */
	uint32_t sent, filled; /* bytes of what follows */
	uint32_t length;       /* of the message: as it is sent */
	unsigned char bytes[TAPE_GATHER_MESSAGE];
};

static struct {
	struct tape_file socket;
	struct tape_gather_hello hello; /* with which it connects again */
	struct block *first, *last;	/* the last one is being filled */
	struct block *spare;
	int waiting; /* blocks before the last one */
	int lost;    /* nothing is sent any more */
	int stopped; /* all was sent */
	char *lines; /* of a task that may become one again: definitions */
	size_t lines_bytes;
	uint64_t sealed_ns;
	uint64_t events_sent;
	uint32_t last_sent; /* in the end: how far it was */
	int last_waiting;
} far = {.socket = {.fd = -1}};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int holding; /* the lock */

/* ---- the connection ---- */

/* Connects and sends the hello. Returns the reply, which the caller frees. */
static struct tape_gather_reply *open_connection(char *error, size_t en)
{
	struct tape_gather_reply *reply = malloc(sizeof *reply);
	int fd = -1;

	if (!reply)
		snprintf(error, en, "%s", tape_error_text(TAPE_ENOMEM));
	else
		fd = tape_remote_connect(&far.hello, reply, error, en);
	if (fd >= 0 && tape_file_take(&far.socket, fd)) {
		snprintf(error, en, "%s", strerror(errno));
		fd = -1;
	}
	if (fd < 0) {
		free(reply);
		return NULL;
	}
	return reply;
}

/* Returns the descriptor. Connects again if the program closed it. */
static int ensure_connection(void)
{
	char error[1200];
	struct tape_gather_reply *reply;

	if (tape_file_is_ours(&far.socket))
		return far.socket.fd;
	reply = open_connection(error, sizeof error);
	free(reply);
	/* the receiver discarded a block that was sent in part */
	if (reply && far.first)
		far.first->sent = 0;
	if (!reply)
		errno = ENOTCONN;
	return reply ? far.socket.fd : -1;
}

/* ---- blocks ---- */

static struct block *new_block(void)
{
	struct block *b = far.spare;

	far.spare = NULL;
	if (!b)
		b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b == MAP_FAILED)
		return NULL;
	b->next = NULL;
	b->sent = b->filled = 0;
	return b;
}

static void free_block(struct block *b)
{
	if (far.spare)
		munmap(b, sizeof *b);
	else
		far.spare = b;
}

static void free_blocks(void)
{
	while (far.first) {
		struct block *b = far.first;

		far.first = b->next;
		free_block(b);
	}
	far.last = NULL;
	far.waiting = 0;
}

static void lose_connection(const char *why)
{
	far.lost = 1;
	free_blocks();
	tape_say("rank %d: connection to the analyser lost: %s; the rest of "
		 "this rank's trace is missing",
		 tape_process.rank, why);
}

/* All that this process has recorded. */
static uint64_t count_events(void)
{
	uint64_t n = 0;

	for (const struct tape_flow *f = tape_process.flows; f; f = f->next)
		n += __atomic_load_n(&f->events, __ATOMIC_RELAXED);
	return n;
}

/* Completes the last block, so that it may be sent. */
static void seal_block(void)
{
	struct block *b = far.last;

	if (!b || !b->filled)
		return;
	b->events = count_events();
	/* the first event is not held up by what is defined before */
	far.sealed_ns = b->events ? tape_raw_ns() : 0;
	far.last = NULL;
	far.waiting++;
}

/* Sends the sealed blocks as far as the connection accepts them now. */
static void send_blocks(void)
{
	const uint32_t head = sizeof far.first->length;
	int fd = far.waiting ? ensure_connection() : -1;

	while (far.waiting && !far.lost) {
		struct block *b = far.first;
		ssize_t done;

		b->length = b->filled;
		done = fd < 0 ? -1
			      : send(fd, (char *)&b->length + b->sent,
				     head + b->filled - b->sent, MSG_NOSIGNAL);
		if (done < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (done < 0) {
			lose_connection(errno == EPIPE || errno == ECONNRESET
					    ? "the analyser has exited"
					    : strerror(errno));
			return;
		}
		b->sent += (uint32_t)done;
		if (b->sent < head + b->filled)
			continue;
		far.first = b->next;
		far.waiting--;
		far.events_sent = b->events;
		free_block(b);
	}
}

/* A piece is never divided. */
static void append_frame(const struct tape_frame *head, const void *bytes)
{
	struct block *b = far.last;
	uint64_t n = sizeof *head + head->bytes;

	if (b && b->filled + n > sizeof b->bytes) {
		seal_block();
		send_blocks();
		b = NULL;
	}
	if (far.lost)
		return;
	if (!b) {
		struct block **end = &far.first;

		b = new_block();
		if (!b) {
			lose_connection(tape_error_text(TAPE_ENOMEM));
			return;
		}
		while (*end)
			end = &(*end)->next;
		*end = far.last = b;
	}
	memcpy(b->bytes + b->filled, head, sizeof *head);
	memcpy(b->bytes + b->filled + sizeof *head, bytes, head->bytes);
	b->filled += (uint32_t)n;
}

/* ---- the sink ---- */

/* Returns -1 if the library ends the process while this thread sends. */
static int begin_sending(struct tape_hold *hold)
{
	if (holding)
		return -1;
	tape_hold(hold);
	pthread_mutex_lock(&lock);
	holding = 1;
	return 0;
}

static void end_sending(struct tape_hold *hold)
{
	holding = 0;
	pthread_mutex_unlock(&lock);
	tape_release(hold);
}

/* What tells call sites and regions: copied by the task's next life. */
static void keep_line(const char *line, size_t n)
{
	static const char *const kinds[] = {"site ", "module ", "address ",
					    "region "};
	char *more;
	int some = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		some |= n > strlen(kinds[i]) &&
			!memcmp(line, kinds[i], strlen(kinds[i]));
	more = some ? realloc(far.lines, far.lines_bytes + n + 1) : NULL;
	if (!more)
		return;
	memcpy(more + far.lines_bytes, line, n);
	more[far.lines_bytes += n] = '\0';
	far.lines = more;
}

static void put_frame(const struct tape_frame *head, const void *bytes)
{
	struct tape_hold hold;

	if (begin_sending(&hold))
		return;
	if (head->kind == TAPE_FRAME_RANK && tape_process.brief)
		keep_line(bytes, head->bytes);
	if (!far.lost)
		append_frame(head, bytes);
	end_sending(&hold);
}

static void send_late_block(void)
{
	struct tape_hold hold;

	if (begin_sending(&hold))
		return;
	if (tape_raw_ns() - far.sealed_ns >= LATE_NS)
		seal_block();
	send_blocks();
	end_sending(&hold);
}

static int is_queue_full(void)
{
	struct tape_hold hold;
	int full;

	if (begin_sending(&hold))
		return 0;
	send_blocks();
	full = far.waiting > MOST_WAITING;
	end_sending(&hold);
	return full;
}

/* One step of the end: 1, there is more to send. *some: some has gone. */
static int send_more(int *some)
{
	struct tape_hold hold;
	int more;

	if (begin_sending(&hold))
		return 0;
	seal_block();
	send_blocks();
	more = far.waiting && !far.lost;
	*some = more && (far.waiting != far.last_waiting ||
			 far.first->sent != far.last_sent);
	far.last_waiting = far.waiting;
	far.last_sent = more ? far.first->sent : 0;
	if (!more && tape_file_is_ours(&far.socket))
		shutdown(far.socket.fd, SHUT_WR);
	end_sending(&hold);
	return more;
}

/*
 * Of events that were not sent in the end. What had been sent the other side
 * may not have read.
 */
static void report_lost_trace(void)
{
	uint64_t all = count_events();

	if (all > far.events_sent && (far.lost || far.waiting))
		tape_say("at least %llu events of rank %d are lost",
			 (unsigned long long)(all - far.events_sent),
			 tape_process.rank);
}

/*
 * Called after all flows are closed: sends the queued data until the queue is
 * empty, the connection fails, or the receiver has accepted nothing for the
 * time limit.
 */
static void drain_queue(enum tape_end reason)
{
	static const struct timespec pause = {0, 500000};
	int aborting = reason == TAPE_END_ABORT || tape_process.ends_inside,
	    some;
	uint64_t start = tape_raw_ns();
	uint64_t limit = aborting ? ABORT_MS : STALLED_MS;

	while (send_more(&some)) {
		if (some && !aborting)
			start = tape_raw_ns();
		if (tape_raw_ns() - start > limit * 1000000)
			break;
		nanosleep(&pause, NULL);
	}
	report_lost_trace();
	far.stopped = 1;
	tape_file_close(&far.socket);
}

static const struct tape_sink sink = {.put = put_frame,
				      .hurry = send_late_block,
				      .is_full = is_queue_full,
				      .stop = drain_queue};

/* ---- the beginning ---- */

int tape_remote_is_needed(const char *dir)
{
	const char *value = secure_getenv(TAPE_GATHER_VARIABLE);

	return value && *value && access(dir, F_OK);
}

static struct tape_gather_reply *open_as(enum tape_gather_request request,
					 int rank, const char *name,
					 char *error, size_t en)
{
	struct tape_gather_hello *h = &far.hello;
	struct tape_gather_reply *reply;

	memcpy(h->magic, TAPE_GATHER_MAGIC, sizeof h->magic);
	if (getrandom(h->identity, sizeof h->identity, GRND_NONBLOCK) !=
	    sizeof h->identity) {
		snprintf(error, en, "no random bytes: %s", strerror(errno));
		return NULL;
	}
	snprintf(h->version, sizeof h->version, "%s", TAPE_VERSION);
	h->request = request;
	h->rank = rank;
	if ((size_t)snprintf(h->name, sizeof h->name, "%s", name) >=
	    sizeof h->name) {
		snprintf(error, en, "%.800s...: the name is too long", name);
		return NULL;
	}
	reply = open_connection(error, en);
	if (!reply)
		return NULL;
	/* should it be connected again */
	h->request = TAPE_GATHER_RANK;
	h->rank = reply->rank;
	memcpy(h->name, reply->text, sizeof h->name);
	far.lost = far.stopped = 0;
	far.events_sent = 0;
	far.sealed_ns = 0; /* the other side hears at once of what there is */
	tape_process.sink = &sink;
	return reply;
}

int tape_remote_begin(const char *program, char *dir, size_t n, char *error,
		      size_t en)
{
	struct tape_gather_reply *reply =
	    open_as(TAPE_GATHER_TRACE, 0, program, error, en);

	if (!reply)
		return -1;
	snprintf(dir, n, "%s", reply->text);
	free(reply);
	return 0;
}

int tape_remote_join(const char *dir, int rank, char *error, size_t en)
{
	struct tape_gather_reply *reply =
	    open_as(TAPE_GATHER_RANK, rank, dir, error, en);
	int rc = reply ? 0 : -1;

	free(reply);
	return rc;
}

int tape_remote_join_task(const char *dir, char *error, size_t en)
{
	struct tape_gather_reply *reply =
	    open_as(TAPE_GATHER_TASK, 0, dir, error, en);
	int rank = reply ? reply->rank : -1;

	free(reply);
	return rank;
}

int tape_remote_is_open(void)
{
	return tape_process.sink == &sink && !far.stopped;
}

char *tape_remote_take_lines(void)
{
	char *lines = far.lines;

	far.lines = NULL;
	far.lines_bytes = 0;
	return lines;
}

void tape_remote_discard(void)
{
	if (!tape_remote_is_open())
		return;
	tape_process.sink = NULL;
	free_blocks();
	tape_file_close(&far.socket);
}

void tape_remote_close_in_child(void)
{
	free_blocks();
	tape_file_close(&far.socket);
}
TAPE_ON_OWN_STACK_END
