/*
 * Channels with gaps: what a call site that is only counted used last, and what
 * may still be matched. Each case is one event, and who is asked after it.
 */
#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "tap.h"

enum { S = TAPE_CHANNEL_SEND, R = TAPE_CHANNEL_RECV, C = TAPE_CHANNEL_COLL };
enum { ANY = TAPE_ANY_TAG };

/* Which kinds of (comm, tag) must not be matched any more, in bits. */
static int kinds(const struct tape_channels *p, uint32_t comm, int32_t tag)
{
	int all = 0;

	for (int k = S; k <= C; k *= 2)
		if (tape_channels_has(p, (enum tape_channel_kind)k, comm, tag))
			all |= k;
	return all;
}

static void set(struct tape_event *e, const char *name, int64_t v)
{
	struct tape_field f;

	for (unsigned i = 0; tape_class_field(e->also_class, i, &f); i++)
		if (!strcmp(f.name, name))
			tape_field_set(&e->also, &f, v);
}

/* An event of class counted: the site's last call was this one. */
static struct tape_event counted(unsigned call, uint32_t comm, int32_t tag,
				 int32_t rtag)
{
	struct tape_event e = { .class_ = TAPE_CLASS_COUNTED };

	e.also_call = (uint16_t)call;
	e.also_class = (uint16_t)tape_call_class(call);
	set(&e, "comm", comm);
	set(&e, "tag", tag);
	set(&e, "rtag", rtag);
	return e;
}

static void each_class(void)
{
	/* on (1, 7): same channel; (2, 7): another comm; (1, 8): another tag */
	static const struct {
		unsigned call;
		int32_t tag, rtag;
		int same, comm, other;
	} of[] = {
		{ TAPE_CALL_MPI_Send, 7, 0, S, 0, 0 },
		{ TAPE_CALL_MPI_Isend, 7, 0, S, 0, 0 },
		{ TAPE_CALL_pvm_mcast, 7, 0, S, 0, 0 },
		{ TAPE_CALL_MPI_Recv, 7, 0, R, 0, 0 },
		{ TAPE_CALL_MPI_Recv, ANY, 0, R, 0, R },
		{ TAPE_CALL_MPI_Irecv, 7, 0, R, 0, 0 },
		{ TAPE_CALL_pvm_nrecv, ANY, 0, R, 0, R },
		{ TAPE_CALL_MPI_Mprobe, 7, 0, R, 0, 0 },
		{ TAPE_CALL_MPI_Improbe, 7, 0, R, 0, 0 },
		{ TAPE_CALL_MPI_Sendrecv, 7, 8, S, 0, R },
		{ TAPE_CALL_MPI_Start, 0, 0, S | R, S | R, S | R },
		/* a collective has no tag */
		{ TAPE_CALL_MPI_Bcast, 0, 0, C, 0, C },
		{ TAPE_CALL_MPI_Ibcast, 0, 0, C, 0, C },
		{ TAPE_CALL_MPI_Comm_dup, 0, 0, C, 0, C },
		/* takes no message from its channel */
		{ TAPE_CALL_MPI_Probe, 7, 0, 0, 0, 0 },
		{ TAPE_CALL_MPI_Wait, 0, 0, 0, 0, 0 },
		{ TAPE_CALL_MPI_Put, 0, 0, 0, 0, 0 }
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct tape_event e = counted(of[i].call, 1, of[i].tag,
					      of[i].rtag);
		struct tape_channels p = { 0 };
		int rc = tape_channels_add(&p, &e);

		ok(!rc && kinds(&p, 1, 7) == of[i].same &&
			   kinds(&p, 2, 7) == of[i].comm &&
			   kinds(&p, 1, 8) == of[i].other,
		   "%s", tape_call_name(of[i].call));
		free(p.list);
	}
}

int main(void)
{
	struct tape_event e = counted(TAPE_CALL_MPI_Send, 1, 7, 0);
	struct tape_channels p = { 0 };
	size_t n;

	ok(!kinds(&p, 1, 7) && !kinds(&p, 0, ANY), "empty: all is matched");
	each_class();
	tape_channels_add(&p, &e);
	n = p.n;
	tape_channels_add(&p, &e);
	ok(n && p.n == n, "what is known already takes no more room");
	e = counted(TAPE_CALL_MPI_Recv, 1, 7, 0);
	tape_channels_add(&p, &e);
	ok(kinds(&p, 1, 7) == (S | R), "sends and receives are two channels");
	e = counted(TAPE_CALL_MPI_Send, 1, 9, 0);
	e.also_call = 0;
	tape_channels_add(&p, &e);
	ok(!kinds(&p, 1, 9), "a site that called nothing yet used no channel");
	free(p.list);
	return done();
}
