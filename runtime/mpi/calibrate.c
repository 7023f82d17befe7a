/*
 * The constant part of alpha; see calibrate.h. What is around a call (the other
 * end of a message to oneself) is in both loops of its measure; see cost.h.
 */
#include "blocks.h"
#include "buffer.h"
#include "calibrate.h"
#include "completion.h"
#include "cost.h"
#include "define.h"
#include "site.h"
#include "tape_prototypes.h"
#include "world.h"

/* In MPI_Init, on a stack that is large enough. */
TAPE_ON_OWN_STACK

/* A site of our own that is never defined in the trace. */
static struct tape_site here = { 0, 0, TAPE_SITES_MAX - 1, 0, "", "" };
#define S (&here)

/* What the loops work on. */
static double a8[8], b8[8];
static MPI_Request q[TAPE_TIMES], one;
static MPI_Status st;
static MPI_Message msg;
static int flag;
static uint32_t asks_arrival; /* what f->arrived is but for the loops */

static void drop_requests(void)
{
	struct tape_request r;

	for (int i = 0; i < TAPE_TIMES; i++)
		tape_request_drop(tape_handle(q[i]), &r);
}

static void add_request(MPI_Request handle, enum tape_request_kind kind)
{
	struct tape_request r = { .number = 1, .kind = (uint32_t)kind,
				  .active = 1 };

	tape_request_add(tape_handle(handle), &r);
}

/* What the loops leave behind are requests. */
#define MEASURE(total, before, traced, bare, after)                            \
	TAPE_MEASURE(total, before, traced, bare, after, drop_requests())

/*
 * A class of calls that ask whether a message has arrived, which costs more:
 * where it had; else that is a part of the wait.
 */
#define ASKED(name, before, traced, bare, after)                               \
	do {                                                                   \
		MEASURE(t, before, traced, bare, after);                       \
		tape_alpha(name, t, reading);                                  \
		f->arrived = asks_arrival;                                     \
		MEASURE(t1, before, traced, bare, after);                      \
		f->arrived = 0;                                                \
		tape_alpha_more("there_" name, t, t1, 1);                      \
	} while (0)

static void calibrate_local(struct tape_flow *f, double reading)
{
	struct tape_cost t, skip;
	int size;

	MEASURE(t, , tape_MPI_Type_size(S, MPI_DOUBLE, &size),
		PMPI_Type_size(MPI_DOUBLE, &size), );
	TAPE_MEASURE(skip, , tape_MPI_Type_size(S, MPI_DOUBLE, &size),
		     PMPI_Type_size(MPI_DOUBLE, &size), ,
		     tape_blocks_rehearse(f, TAPE_SITES_MAX - 1, traced_));
	tape_blocks_rehearse(f, TAPE_SITES_MAX - 1, 0);
	tape_alpha_skip("skip_local", skip);
	tape_alpha("local", t, reading);
	/* the same work, all but the bytes */
	tape_alpha("rma", t, reading);
	tape_alpha("epoch", t, reading);
	tape_alpha("pscw", t, reading);
	tape_alpha("wintest", t, reading);
	tape_alpha("io", t, reading);
	tape_alpha("io_at", t, reading);
}

static void calibrate_send(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	MEASURE(t, PMPI_Irecv(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &one),
		tape_MPI_Send(S, b8, 1, MPI_DOUBLE, 0, 0, tape_self),
		PMPI_Send(b8, 1, MPI_DOUBLE, 0, 0, tape_self),
		PMPI_Wait(&one, &st));
	tape_alpha("send", t, reading);
}

static void calibrate_isend(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	MEASURE(t, PMPI_Irecv(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &one),
		tape_MPI_Isend(S, b8, 1, MPI_DOUBLE, 0, 0, tape_self, &q[i]),
		PMPI_Isend(b8, 1, MPI_DOUBLE, 0, 0, tape_self, &q[i]),
		(PMPI_Wait(&one, &st), one = q[i], PMPI_Wait(&one, &st)));
	tape_alpha("isend", t, reading);
	tape_alpha("imrecv", t, reading);
	tape_alpha("grequest", t, reading);
	tape_alpha("irma", t, reading);
	tape_alpha("iio", t, reading);
	tape_alpha("iio_at", t, reading);
}

static void calibrate_irecv(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	MEASURE(t, ,
		tape_MPI_Irecv(S, a8, 1, MPI_DOUBLE, 0, 0, tape_self, &q[i]),
		PMPI_Irecv(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &q[i]),
		(PMPI_Send(b8, 1, MPI_DOUBLE, 0, 0, tape_self), one = q[i],
		 PMPI_Wait(&one, &st)));
	tape_alpha("irecv", t, reading);
}

static void calibrate_recv(struct tape_flow *f, double reading)
{
	struct tape_cost t, t1;

	ASKED("recv", PMPI_Isend(b8, 1, MPI_DOUBLE, 0, 0, tape_self, &one),
	      tape_MPI_Recv(S, a8, 1, MPI_DOUBLE, 0, 0, tape_self, &st),
	      PMPI_Recv(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &st),
	      PMPI_Wait(&one, &st));
}

static void calibrate_sendrecv(struct tape_flow *f, double reading)
{
	struct tape_cost t, t1;

	ASKED("sendrecv", ,
	      tape_MPI_Sendrecv(S, b8, 1, MPI_DOUBLE, 0, 0, a8, 1, MPI_DOUBLE,
				0, 0, tape_self, &st),
	      PMPI_Sendrecv(b8, 1, MPI_DOUBLE, 0, 0, a8, 1, MPI_DOUBLE, 0, 0,
			    tape_self, &st), );
}

static void calibrate_probe(struct tape_flow *f, double reading)
{
	struct tape_cost t, t1;

	ASKED("probe", PMPI_Isend(b8, 1, MPI_DOUBLE, 0, 0, tape_self, &one),
	      tape_MPI_Probe(S, 0, 0, tape_self, &st),
	      PMPI_Probe(0, 0, tape_self, &st),
	      (PMPI_Recv(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &st),
	       PMPI_Wait(&one, &st)));
}

static void calibrate_iprobe(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	MEASURE(t, PMPI_Isend(b8, 1, MPI_DOUBLE, 0, 0, tape_self, &one),
		tape_MPI_Iprobe(S, 0, 0, tape_self, &flag, &st),
		PMPI_Iprobe(0, 0, tape_self, &flag, &st),
		(PMPI_Recv(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &st),
		 PMPI_Wait(&one, &st)));
	tape_alpha("iprobe", t, reading);
}

static void calibrate_poll(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	MEASURE(t, , tape_MPI_Iprobe(S, 0, 0, tape_self, &flag, &st),
		PMPI_Iprobe(0, 0, tape_self, &flag, &st), );
	tape_alpha("poll", t, reading);
}

static void calibrate_mprobe(struct tape_flow *f, double reading)
{
	struct tape_cost t, t1;

	ASKED("mprobe", PMPI_Isend(b8, 1, MPI_DOUBLE, 0, 0, tape_self, &one),
	      tape_MPI_Mprobe(S, 0, 0, tape_self, &msg, &st),
	      PMPI_Mprobe(0, 0, tape_self, &msg, &st),
	      (PMPI_Mrecv(a8, 1, MPI_DOUBLE, &msg, &st),
	       PMPI_Wait(&one, &st)));
	tape_alpha("improbe", t, reading);

	MEASURE(t, (PMPI_Isend(b8, 1, MPI_DOUBLE, 0, 0, tape_self, &one),
		    PMPI_Mprobe(0, 0, tape_self, &msg, &st)),
		tape_MPI_Mrecv(S, a8, 1, MPI_DOUBLE, &msg, &st),
		PMPI_Mrecv(a8, 1, MPI_DOUBLE, &msg, &st), PMPI_Wait(&one, &st));
	tape_alpha("mrecv", t, reading);
}

static void calibrate_wait(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	MEASURE(t,
		(PMPI_Irecv(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &one),
		 PMPI_Send(b8, 1, MPI_DOUBLE, 0, 0, tape_self), q[i] = one,
		 add_request(one, TAPE_REQUEST_RECV)),
		tape_MPI_Wait(S, &one, &st), PMPI_Wait(&one, &st), );
	tape_alpha("wait", t, reading);
}

static void calibrate_test(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	MEASURE(t,
		(PMPI_Irecv(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &one),
		 PMPI_Send(b8, 1, MPI_DOUBLE, 0, 0, tape_self), q[i] = one,
		 add_request(one, TAPE_REQUEST_RECV)),
		tape_MPI_Test(S, &one, &flag, &st),
		PMPI_Test(&one, &flag, &st), );
	tape_alpha("test", t, reading);
	tape_alpha("query", t, reading);
}

/*
 * Asking for a message that is not there, and for a request that is complete,
 * with the reading of the clock that the field probe has.
 */
static void calibrate_arrival_probe(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	MEASURE(t, , PMPI_Iprobe(0, 1, tape_self, &flag, &st), , );
	tape_alpha_asking("ask", t.usual);
	MEASURE(t,
		(PMPI_Irecv(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &one),
		 PMPI_Send(b8, 1, MPI_DOUBLE, 0, 0, tape_self), q[i] = one,
		 add_request(one, TAPE_REQUEST_RECV)),
		tape_probe_request(one), , PMPI_Wait(&one, &st));
	tape_alpha_asking("ask_wait", t.usual + reading);
}

/* What eight more completions in one call add. */
static void calibrate_many_requests(struct tape_flow *f, double unused)
{
	struct tape_cost t, t1;
	MPI_Request many[9];
	MPI_Status sts[9];
	int n = 1;

	(void)unused;
#define GET                                                                    \
	for (int j = 0; j < n; j++) {                                          \
		PMPI_Irecv(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &many[j]);      \
		PMPI_Send(b8, 1, MPI_DOUBLE, 0, 0, tape_self);                 \
		add_request(many[j], TAPE_REQUEST_RECV);                       \
	}                                                                      \
	q[i] = many[0]
	MEASURE(t1, GET, tape_MPI_Waitall(S, n, many, sts),
		PMPI_Waitall(n, many, sts), );
	n = 9;
	MEASURE(t, GET, tape_MPI_Waitall(S, n, many, sts),
		PMPI_Waitall(n, many, sts), );
#undef GET
	tape_alpha_more("done", t1, t, 8);
}

static void calibrate_persistent(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	/* not from MPI_PROC_NULL: MPICH 4.0.2 starts no persistent collective
	 * of the program's any more once such a request was freed */
	if (PMPI_Recv_init(a8, 1, MPI_DOUBLE, 0, 0, tape_self, &one) ==
	    MPI_SUCCESS) {
		MEASURE(t, , tape_MPI_Start(S, &one), PMPI_Start(&one),
			(PMPI_Send(b8, 1, MPI_DOUBLE, 0, 0, tape_self),
			 PMPI_Wait(&one, &st)));
		tape_alpha("start", t, reading);
		tape_alpha("req", t, reading);
		PMPI_Request_free(&one);
	}
}

static void calibrate_coll(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	MEASURE(t, ,
		tape_MPI_Allreduce(S, a8, b8, 1, MPI_DOUBLE, MPI_SUM,
				   tape_self),
		PMPI_Allreduce(a8, b8, 1, MPI_DOUBLE, MPI_SUM, tape_self), );
	tape_alpha("coll", t, reading);
	tape_alpha("comm_new", t, reading);
	tape_alpha("comm_free", t, reading);
	tape_alpha("win_new", t, reading);
	tape_alpha("file_new", t, reading);
}

static void calibrate_icoll(struct tape_flow *f, double reading)
{
	struct tape_cost t;

	MEASURE(t, ,
		tape_MPI_Iallreduce(S, a8, b8, 1, MPI_DOUBLE, MPI_SUM,
				    tape_self, &q[i]),
		PMPI_Iallreduce(a8, b8, 1, MPI_DOUBLE, MPI_SUM, tape_self,
				&q[i]),
		(one = q[i], PMPI_Wait(&one, &st)));
	tape_alpha("icoll", t, reading);
	tape_alpha("comm_inew", t, reading);
}

static void calibrate_markers(struct tape_flow *f, double unused)
{
	(void)unused;
	tape_cost_marks(f);
}

/* What is measured for which classes; what takes little time comes first. */
#define C(name) TAPE_CLASS_BIT(name)
#define ASKING (C(RECV) | C(SENDRECV) | C(PROBE) | C(MPROBE) | C(WAIT))
static const struct {
	uint64_t classes;
	void (*measure)(struct tape_flow *f, double reading);
	int waits; /* looks for progress (world.h) */
} groups[] = {
    {C(LOCAL) | C(RMA) | C(EPOCH) | C(PSCW) | C(WINTEST) | C(IO) | C(IO_AT),
     calibrate_local, 0},
    {C(ENTER), calibrate_markers, 0},
    {C(SEND), calibrate_send, 0},
    {C(IRECV), calibrate_irecv, 0},
    {C(ISEND) | C(IMRECV) | C(GREQUEST) | C(IRMA) | C(IIO) | C(IIO_AT),
     calibrate_isend, 0},
    {C(RECV), calibrate_recv, 1},
    {C(WAIT), calibrate_wait, 0},
    {C(TEST) | C(QUERY), calibrate_test, 1},
    {C(COLL) | C(COMM_NEW) | C(COMM_FREE) | C(WIN_NEW) | C(FILE_NEW),
     calibrate_coll, 0},
    {C(SENDRECV), calibrate_sendrecv, 1},
    {C(TEST) | C(IPROBE) | C(IMPROBE) | C(QUERY) | C(WINTEST), calibrate_poll,
     0},
    {C(IPROBE), calibrate_iprobe, 1},
    {C(PROBE), calibrate_probe, 1},
    {C(MPROBE) | C(IMPROBE) | C(MRECV), calibrate_mprobe, 1},
    {C(START) | C(REQ), calibrate_persistent, 1},
    {C(ICOLL) | C(COMM_INEW), calibrate_icoll, 0},
    {ASKING, calibrate_arrival_probe, 1},
    {C(WAIT) | C(TEST), calibrate_many_requests, 0},
};

void tape_calibrate(struct tape_flow *f)
{
	int waits = tape_world_can_wait();

	double reading = tape_cost_reading(f);

	asks_arrival = f->arrived;
	f->arrived = 0; /* asking is timed by itself */
	tape_alpha_reading(reading);
	tape_cost_paces();
	for (int i = 0; i < TAPE_TIMES; i++)
		q[i] = MPI_REQUEST_NULL;
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (tape_cost_needs_classes(groups[i].classes) &&
		    (waits || !groups[i].waits))
			groups[i].measure(f, reading);
	f->sites[TAPE_SITES_MAX - 1].seen = 0;
	f->arrived = asks_arrival;
}
TAPE_ON_OWN_STACK_END
