/* Channels with buffers at both ends; see tape_stream.h. */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hash_bits.h"
#include "streams.h"

enum { BLOCK = 1 << 20, BUFFERS = 3, MOST_BUFFERS = 1024 };
enum { MOST_BLOCK = 1 << 30 };

/* One that we read: its receives are posted in a ring, so they end in order. */
struct channel {
	int peer, tag;
	unsigned char *data; /* of all its buffers */
	MPI_Request *ring;   /* persistent; NULL: not read */
	int head;	     /* the receive that ends next */
	long arrived;	     /* bytes there; -1: none yet */
	int over;
};

struct tape_stream {
	MPI_Comm comm;
	int reads, writes;
	struct tape_stream_options o;
	struct channel *channels;
	int n;
	struct tape_stream_counts counts;
	uint64_t picks; /* so far, to write or to read */
	int broken;	/* a code */

	/* to read: of each channel the request at its head */
	MPI_Request *heads;
	int *indices; /* room for MPI_Testsome */
	MPI_Status *statuses;
	int n_arrived, n_open;
	int looked; /* the channel whose block is out, or -1 */

	/* to write */
	unsigned char *data;
	MPI_Request *sends; /* of each buffer; null: it is free */
	int filling;	    /* the buffer that is out, or -1 */
};

uint64_t tape_mix(uint64_t seed, uint64_t k)
{
	return tape_scramble_bits(seed + tape_spread_bits(k + 1));
}

/* Whom we wait for may need this very processor. */
void tape_links_idle(unsigned tries)
{
	struct timespec t = {0, tries < 400 ? 20000 : 200000};

	if (tries < 200)
		sched_yield();
	else
		nanosleep(&t, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int tape_links_open(struct tape_links *l, MPI_Comm comm,
		    enum tape_links_owner owner)
{
	l->comm = comm;
	l->owner = owner;
	PMPI_Comm_size(comm, &l->size);
	l->opened = calloc((size_t)l->size, sizeof *l->opened);
	return l->opened ? 0 : TAPE_STREAM_ENOMEM;
}

void tape_links_close(struct tape_links *l)
{
	free(l->opened);
	l->opened = NULL;
}

/* What both ends tell each other. */
struct hello {
	int64_t block, reads, writes;
};

static int matches_peer(const struct tape_stream *s, const struct hello *h)
{
	return h->block == (int64_t)s->o.block && (int)h->reads == s->writes &&
	       (int)h->writes == s->reads;
}

int tape_links_wait(int n, MPI_Request *r)
{
	int done = 0;

	for (unsigned i = 0;; i++) {
		if (PMPI_Testall(n, r, &done, MPI_STATUSES_IGNORE) !=
		    MPI_SUCCESS)
			return TAPE_STREAM_EMPI;
		if (done)
			return 0;
		tape_links_idle(i);
	}
}

static int exchange_hello(struct tape_stream *s)
{
	size_t n = (size_t)s->n;
	struct hello mine = {(int64_t)s->o.block, s->reads, s->writes};
	struct hello *theirs = calloc(n + 1, sizeof *theirs);
	MPI_Request *r = calloc(2 * n + 1, sizeof *r);
	int rc = theirs && r ? 0 : TAPE_STREAM_ENOMEM;

	for (int i = 0; i < s->n && !rc; i++) {
		struct channel *c = &s->channels[i];

		r[2 * i] = r[2 * i + 1] = MPI_REQUEST_NULL;
		if (PMPI_Irecv(&theirs[i], sizeof *theirs, MPI_BYTE, c->peer,
			       c->tag, s->comm, &r[2 * i]) != MPI_SUCCESS ||
		    PMPI_Isend(&mine, sizeof mine, MPI_BYTE, c->peer, c->tag,
			       s->comm, &r[2 * i + 1]) != MPI_SUCCESS)
			rc = TAPE_STREAM_EMPI;
	}
	if (!rc)
		rc = tape_links_wait(2 * s->n, r);
	for (int i = 0; i < s->n && !rc; i++)
		if (!matches_peer(s, &theirs[i]))
			rc = TAPE_STREAM_EMISMATCH;
	free(theirs);
	free(r);
	return rc;
}

/* Its receives are posted before the other end knows of the channel. */
static int start_receives(struct tape_stream *s, int i)
{
	struct channel *c = &s->channels[i];
	int n = s->o.buffers;

	c->data = malloc((size_t)n * s->o.block);
	c->ring = malloc((size_t)n * sizeof *c->ring);
	if (!c->data || !c->ring)
		return TAPE_STREAM_ENOMEM;
	for (int b = 0; b < n; b++)
		c->ring[b] = MPI_REQUEST_NULL;
	for (int b = 0; b < n; b++)
		if (PMPI_Recv_init(c->data + (size_t)b * s->o.block,
				   (int)s->o.block, MPI_BYTE, c->peer,
				   c->tag + 1, s->comm,
				   &c->ring[b]) != MPI_SUCCESS ||
		    PMPI_Start(&c->ring[b]) != MPI_SUCCESS)
			return TAPE_STREAM_EMPI;
	s->heads[i] = c->ring[0];
	return 0;
}

/* No more comes from there. */
static void close_channel(struct tape_stream *s, struct channel *c)
{
	for (int b = 0; c->ring && b < s->o.buffers; b++) {
		if (c->ring[b] == MPI_REQUEST_NULL)
			continue;
		/* one that is not active is just waited for */
		if (b != c->head || (!c->over && c->arrived < 0))
			PMPI_Cancel(&c->ring[b]);
		PMPI_Wait(&c->ring[b], MPI_STATUS_IGNORE);
		PMPI_Request_free(&c->ring[b]);
	}
	free(c->ring);
	free(c->data);
	c->ring = NULL;
	c->data = NULL;
}

static void free_stream(struct tape_stream *s)
{
	for (int i = 0; s->channels && i < s->n; i++)
		close_channel(s, &s->channels[i]);
	free(s->channels);
	free(s->heads);
	free(s->indices);
	free(s->statuses);
	free(s->data);
	free(s->sends);
	free(s);
}

static int alloc_stream(struct tape_stream *s)
{
	size_t n = (size_t)s->n + 1, b = (size_t)s->o.buffers;

	s->channels = calloc(n, sizeof *s->channels);
	s->heads = malloc(n * sizeof *s->heads);
	s->indices = malloc((n + b) * sizeof *s->indices);
	s->statuses = malloc(n * sizeof *s->statuses);
	if (!s->channels || !s->heads || !s->indices || !s->statuses)
		return TAPE_STREAM_ENOMEM;
	if (!s->writes)
		return 0;
	s->data = malloc(b * s->o.block);
	s->sends = malloc(b * sizeof *s->sends);
	if (!s->data || !s->sends)
		return TAPE_STREAM_ENOMEM;
	for (size_t i = 0; i < b; i++)
		s->sends[i] = MPI_REQUEST_NULL;
	return 0;
}

static int open_channels(struct tape_stream *s, struct tape_links *l,
			 const int *peers)
{
	int rc = alloc_stream(s);

	for (int i = 0; i < s->n && !rc; i++) {
		struct channel *c = &s->channels[i];

		c->peer = peers[i];
		c->arrived = -1;
		s->heads[i] = MPI_REQUEST_NULL;
		if (c->peer < 0 || c->peer >= l->size)
			return TAPE_STREAM_EINVAL;
		/* two of each stream: one for hello, one for blocks */
		c->tag = (int)l->owner +
			 2 * (l->opened[c->peer]++ % (TAPE_LINKS_TAGS / 2));
		if (s->reads)
			rc = start_receives(s, i);
	}
	return rc ? rc : exchange_hello(s);
}

int tape_links_stream(struct tape_links *l, const int *peers, int n,
		      const char *mode, const struct tape_stream_options *o,
		      tape_stream **stream)
{
	struct tape_stream *s = calloc(1, sizeof *s);
	int rc;

	*stream = NULL;
	if (!s)
		return TAPE_STREAM_ENOMEM;
	s->reads = !strcmp(mode, "r") || !strcmp(mode, "rw");
	s->writes = !strcmp(mode, "w") || !strcmp(mode, "rw");
	if (o)
		s->o = *o;
	s->o.block = s->o.block ? s->o.block : BLOCK;
	s->o.buffers = s->o.buffers ? s->o.buffers : BUFFERS;
	s->comm = l->comm;
	s->n = n;
	s->n_open = s->reads ? n : 0;
	s->looked = s->filling = -1;
	if ((!s->reads && !s->writes) || s->o.block > MOST_BLOCK ||
	    s->o.buffers < 1 || s->o.buffers > MOST_BUFFERS) {
		free(s);
		return TAPE_STREAM_EINVAL;
	}
	rc = open_channels(s, l, peers);
	if (rc)
		free_stream(s);
	else
		*stream = s;
	return rc;
}

/* The channel to look at first. */
static int pick_channel(struct tape_stream *s)
{
	switch (s->o.balance) {
	case TAPE_BALANCE_ROUND_ROBIN:
		return (int)(s->picks++ % (uint64_t)s->n);
	case TAPE_BALANCE_RANDOM:
		return (int)(tape_mix(s->o.seed, s->picks++) % (uint64_t)s->n);
	case TAPE_BALANCE_NONE:
		break;
	}
	return 0;
}

/* A buffer that no message is in any more, or -1, or a code below that. */
static int find_free_buffer(struct tape_stream *s)
{
	int n;

	for (int tested = 0; tested < 2; tested++) {
		for (int b = 0; b < s->o.buffers; b++)
			if (s->sends[b] == MPI_REQUEST_NULL)
				return b;
		if (!tested &&
		    PMPI_Testsome(s->o.buffers, s->sends, &n, s->indices,
				  MPI_STATUSES_IGNORE) != MPI_SUCCESS)
			return TAPE_STREAM_EMPI;
	}
	return -1;
}

int tape_stream_room(tape_stream *s, void **buffer, int flags)
{
	uint64_t since = 0;
	int b;

	if (!s->writes)
		return TAPE_STREAM_EMODE;
	if (s->filling >= 0 || !s->n)
		return TAPE_STREAM_EINVAL;
	if (s->broken)
		return s->broken;
	for (unsigned i = 0; (b = find_free_buffer(s)) < 0; i++) {
		if (b < -1)
			return s->broken = b;
		if (flags & TAPE_STREAM_NONBLOCK)
			return TAPE_STREAM_EAGAIN;
		if (s->o.drop) {
			s->counts.dropped_blocks++;
			return 0;
		}
		if (!since)
			since = now_ns();
		tape_links_idle(i);
	}
	if (since)
		s->counts.waited_ns += now_ns() - since;
	s->filling = b;
	*buffer = s->data + (size_t)b * s->o.block;
	return 1;
}

/*
 * A synchronous send has ended when the other end has begun to receive it: so
 * not even short messages pile up there, beyond the receives that are posted.
 */
int tape_stream_put(tape_stream *s, size_t bytes)
{
	struct channel *c;
	int b = s->filling;

	if (b < 0 || !bytes || bytes > s->o.block)
		return TAPE_STREAM_EINVAL;
	c = &s->channels[pick_channel(s)];
	s->filling = -1;
	if (PMPI_Issend(s->data + (size_t)b * s->o.block, (int)bytes, MPI_BYTE,
			c->peer, c->tag + 1, s->comm,
			&s->sends[b]) != MPI_SUCCESS)
		return s->broken = TAPE_STREAM_EMPI;
	s->counts.blocks++;
	s->counts.bytes += bytes;
	return 0;
}

long tape_stream_write(tape_stream *s, const void *data, size_t bytes,
		       int flags)
{
	void *buffer;
	int rc;

	if (!bytes || bytes > s->o.block)
		return TAPE_STREAM_EINVAL;
	rc = tape_stream_room(s, &buffer, flags);
	if (!rc)
		s->counts.dropped_bytes += bytes;
	if (rc <= 0)
		return rc;
	memcpy(buffer, data, bytes);
	rc = tape_stream_put(s, bytes);
	return rc ? rc : (long)bytes;
}

/* Which heads have something. */
static int test_channels(struct tape_stream *s)
{
	int n = 0, bytes;

	if (PMPI_Testsome(s->n, s->heads, &n, s->indices, s->statuses) !=
	    MPI_SUCCESS)
		return TAPE_STREAM_EMPI;
	for (int i = 0; i < n; i++) { /* MPI_UNDEFINED is negative */
		struct channel *c = &s->channels[s->indices[i]];

		PMPI_Get_count(&s->statuses[i], MPI_BYTE, &bytes);
		if (bytes) {
			c->arrived = bytes;
			s->n_arrived++;
			continue;
		}
		c->over = 1;
		s->n_open--;
		s->heads[s->indices[i]] = MPI_REQUEST_NULL;
		close_channel(s, c);
	}
	return 0;
}

long tape_stream_look(tape_stream *s, const void **buffer, int *from, int flags)
{
	struct channel *c;
	int rc, i;

	if (!s->reads)
		return TAPE_STREAM_EMODE;
	if (s->looked >= 0)
		return TAPE_STREAM_EINVAL;
	if (s->broken)
		return s->broken;
	for (unsigned tries = 0; !s->n_arrived; tries++) {
		if (!s->n_open)
			return 0;
		if ((rc = test_channels(s)))
			return s->broken = rc;
		if (s->n_arrived || !s->n_open)
			continue;
		if (flags & TAPE_STREAM_NONBLOCK)
			return TAPE_STREAM_EAGAIN;
		tape_links_idle(tries);
	}
	for (i = pick_channel(s); s->channels[i].arrived < 0;)
		i = (i + 1) % s->n;
	c = &s->channels[i];
	s->looked = i;
	s->n_arrived--;
	*buffer = c->data + (size_t)c->head * s->o.block;
	if (from)
		*from = c->peer;
	s->counts.blocks++;
	s->counts.bytes += (uint64_t)c->arrived;
	return c->arrived;
}

int tape_stream_done(tape_stream *s)
{
	struct channel *c;

	if (s->looked < 0)
		return TAPE_STREAM_EINVAL;
	c = &s->channels[s->looked];
	c->arrived = -1;
	if (PMPI_Start(&c->ring[c->head]) != MPI_SUCCESS)
		return s->broken = TAPE_STREAM_EMPI;
	c->head = (c->head + 1) % s->o.buffers;
	s->heads[s->looked] = c->ring[c->head];
	s->looked = -1;
	return 0;
}

long tape_stream_read(tape_stream *s, void *data, size_t room, int *from,
		      int flags)
{
	const void *buffer;
	long n;
	int rc;

	if (room < s->o.block)
		return TAPE_STREAM_EINVAL;
	n = tape_stream_look(s, &buffer, from, flags);
	if (n <= 0)
		return n;
	memcpy(data, buffer, (size_t)n);
	rc = tape_stream_done(s);
	return rc ? rc : n;
}

void tape_stream_count(const tape_stream *s, struct tape_stream_counts *c)
{
	*c = s->counts;
}

int tape_links_sent(tape_stream *s)
{
	int done = 0;

	return PMPI_Testall(s->o.buffers, s->sends, &done,
			    MPI_STATUSES_IGNORE) == MPI_SUCCESS
		   ? done
		   : TAPE_STREAM_EMPI;
}

/* Says to all readers that this was all. */
static int send_end(struct tape_stream *s, MPI_Request *r)
{
	for (int i = 0; i < s->n; i++) {
		struct channel *c = &s->channels[i];

		r[i] = MPI_REQUEST_NULL;
		if (s->writes &&
		    PMPI_Isend(NULL, 0, MPI_BYTE, c->peer, c->tag + 1, s->comm,
			       &r[i]) != MPI_SUCCESS)
			return TAPE_STREAM_EMPI;
	}
	return 0;
}

/* Both at once: the other ends may be waiting for us. */
static int wait_for_end(struct tape_stream *s, MPI_Request *over)
{
	int said = 0, sent = !s->writes;
	const void *data;
	long n;

	for (unsigned tries = 0;; tries++) {
		if (!said && PMPI_Testall(s->n, over, &said,
					  MPI_STATUSES_IGNORE) != MPI_SUCCESS)
			return TAPE_STREAM_EMPI;
		if (!sent && PMPI_Testall(s->o.buffers, s->sends, &sent,
					  MPI_STATUSES_IGNORE) != MPI_SUCCESS)
			return TAPE_STREAM_EMPI;
		n = s->n_open || s->n_arrived
			? tape_stream_look(s, &data, NULL, TAPE_STREAM_NONBLOCK)
			: 0;
		if (n > 0) {
			tape_stream_done(s);
			tries = 0;
		} else if (!n && said && sent) {
			return 0;
		} else if (n < 0 && n != TAPE_STREAM_EAGAIN) {
			return (int)n;
		}
		tape_links_idle(tries);
	}
}

int tape_stream_close(tape_stream *s)
{
	MPI_Request *over = calloc((size_t)s->n + 1, sizeof *over);
	int rc = over ? s->broken : TAPE_STREAM_ENOMEM;

	if (s->looked >= 0)
		tape_stream_done(s);
	if (!rc)
		rc = send_end(s, over);
	if (!rc)
		rc = wait_for_end(s, over);
	free(over);
	free_stream(s);
	return rc;
}

const char *tape_stream_text(int code)
{
	static const char *const texts[] = {
	    [0] = "no error",
	    [-TAPE_STREAM_EAGAIN] = "the operation would block",
	    [-TAPE_STREAM_EINVAL] = "invalid argument",
	    [-TAPE_STREAM_ENOMEM] = "out of memory",
	    [-TAPE_STREAM_EMPI] = "MPI failed",
	    [-TAPE_STREAM_EMODE] = "the stream is not open for this operation",
	    [-TAPE_STREAM_EMISMATCH] =
		("the peer opened the stream with a different mode or block "
		 "size"),
	    [-TAPE_STREAM_ESTATE] = "tape_stream_start was not called",
	};

	if (code > 0 || -code >= (int)(sizeof texts / sizeof *texts))
		return "unknown error";
	return texts[-code];
}
