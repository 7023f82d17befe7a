/* The companion files of a .prv; see legend.h. */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "legend.h"
#include "place.h"
#include "equal_texts.h"
#include "tool.h"

/* Values of calls in traces of Extrae. Other calls have 1000 + their number. */
static const struct {
	const char *name;
	unsigned value;
} known[] = {
	{ "MPI_Send", 1 },	{ "MPI_Recv", 2 },	{ "MPI_Isend", 3 },
	{ "MPI_Irecv", 4 },	{ "MPI_Wait", 5 },	{ "MPI_Waitall", 6 },
	{ "MPI_Bcast", 7 },	{ "MPI_Barrier", 8 },	{ "MPI_Reduce", 9 },
	{ "MPI_Allreduce", 10 }, { "MPI_Alltoall", 11 }, { "MPI_Gather", 13 },
	{ "MPI_Scatter", 15 },	{ "MPI_Allgather", 17 }, { "MPI_Scan", 30 },
	{ "MPI_Init", 31 },	{ "MPI_Finalize", 32 },	{ "MPI_Bsend", 33 },
	{ "MPI_Ssend", 34 },	{ "MPI_Rsend", 35 },	{ "MPI_Test", 39 },
	{ "MPI_Sendrecv", 41 },	{ "MPI_Waitany", 59 },	{ "MPI_Waitsome", 60 },
	{ "MPI_Probe", 61 },	{ "MPI_Iprobe", 62 },
};

unsigned paraver_value(unsigned call)
{
	const char *name = tape_call_name(call);

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(name, known[i].name))
			return known[i].value;
	return 1000 + call;
}

/* 0 idle, 3 waiting for a message, 4 blocking send, 5 synchronisation, 6 test
 * or probe, 8 wait, 10 isend, 11 irecv, 12 I/O, 13 group communication */
int paraver_state(enum tape_doing d)
{
	switch (d) {
	case TAPE_DOES_SEND:
		return 4;
	case TAPE_DOES_RECEIVE:
	case TAPE_DOES_SENDRECV:
		return 3;
	case TAPE_DOES_ISEND:
		return 10;
	case TAPE_DOES_IRECV:
		return 11;
	case TAPE_DOES_WAIT:
		return 8;
	case TAPE_DOES_TEST:
	case TAPE_DOES_PROBE:
		return 6;
	case TAPE_DOES_BARRIER:
	case TAPE_DOES_RMA_SYNC:
	case TAPE_DOES_LIFE:
		return 5;
	case TAPE_DOES_COLLECTIVE:
	case TAPE_DOES_ICOLLECTIVE:
	case TAPE_DOES_GROUPS:
		return 13;
	case TAPE_DOES_IO:
		return 12;
	case TAPE_DOES_RMA:
	case TAPE_DOES_OTHER:
	case TAPE_DOES_SKIPPED:
	case TAPE_DOES_COUNT:
		break;
	}
	return PARAVER_RUNNING;
}

int paraver_type(unsigned call, unsigned class_)
{
	switch (tape_doing_of(call, class_)) {
	case TAPE_DOES_SEND:
	case TAPE_DOES_RECEIVE:
	case TAPE_DOES_SENDRECV:
	case TAPE_DOES_ISEND:
	case TAPE_DOES_IRECV:
	case TAPE_DOES_WAIT:
	case TAPE_DOES_TEST:
	case TAPE_DOES_PROBE:
		return PARAVER_POINT_TO_POINT;
	case TAPE_DOES_BARRIER:
	case TAPE_DOES_COLLECTIVE:
	case TAPE_DOES_ICOLLECTIVE:
		return PARAVER_COLLECTIVE;
	case TAPE_DOES_RMA:
	case TAPE_DOES_RMA_SYNC:
		return PARAVER_ONE_SIDED;
	case TAPE_DOES_IO:
		return PARAVER_IO;
	case TAPE_DOES_LIFE:
	case TAPE_DOES_GROUPS:
	case TAPE_DOES_OTHER:
	case TAPE_DOES_SKIPPED:
	case TAPE_DOES_COUNT:
		break;
	}
	return PARAVER_OTHER;
}

/* Each rank gets a range of values for its call sites and regions. */
struct paraver_numbers paraver_numbers_new(const struct tape_trace *t)
{
	size_t ranks = tape_trace_ranks(t);
	const char **host = tape_must(calloc(ranks + 1, sizeof *host));
	size_t *same = tape_must(calloc(ranks + 1, sizeof *same));
	struct paraver_numbers n = {
	    t, tape_must(calloc(ranks + 1, sizeof *n.node)),
	    tape_must(calloc(ranks + 1, sizeof *n.first)), 0 };
	uint32_t first = 0;

	for (size_t i = 0; i < ranks; i++) {
		const struct tape_rank_info *r = tape_trace_rank(t, (int)i);

		host[i] = r->host ? r->host : "?";
		n.first[i] = first;
		first += (uint32_t)(r->n_sites > r->n_regions ? r->n_sites
							      : r->n_regions);
	}
	if (tape_find_equal_texts(host, ranks, same))
		tape_die_no_memory();
	for (size_t i = 0; i < ranks; i++)
		n.node[i] = same[i] == i ? ++n.nodes : n.node[same[i]];
	free(host);
	free(same);
	return n;
}

void paraver_numbers_free(struct paraver_numbers *n)
{
	free(n->node);
	free(n->first);
}

/* ---- .pcf ---- */

static const char head[] =
	"DEFAULT_OPTIONS\n\nLEVEL               THREAD\n"
	"UNITS               NANOSEC\nLOOK_BACK           100\n"
	"SPEED               1\nFLAG_ICONS          ENABLED\n"
	"NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n"
	"DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\n"
	"STATES\n0    Idle\n1    Running\n3    Waiting a message\n"
	"4    Blocking Send\n5    Synchronization\n6    Test/Probe\n"
	"8    Wait/WaitAll\n10    Immediate Send\n11    Immediate Receive\n"
	"12    I/O\n13    Group Communication\n\n"
	"STATES_COLOR\n0    {117,195,255}\n1    {0,0,255}\n3    {255,0,0}\n"
	"4    {255,0,174}\n5    {179,0,0}\n6    {0,255,0}\n8    {235,0,0}\n"
	"10    {255,0,255}\n11    {100,100,177}\n12    {172,174,41}\n"
	"13    {255,144,26}\n\n";

static void put_call_values(FILE *f, int type, const char *name)
{
	fprintf(f, "EVENT_TYPE\n9    %d    %s\nVALUES\n0   Outside MPI\n",
		type, name);
	for (unsigned i = 1; i < TAPE_CALL_COUNT; i++)
		if (strcmp(tape_call_name(i), "?") &&
		    paraver_type(i, tape_call_class(i)) == type)
			fprintf(f, "%u   %s\n", paraver_value(i),
				tape_call_name(i));
	putc('\n', f);
}

static void put_place_values(FILE *f, const struct paraver_numbers *v,
			     int sites)
{
	const struct tape_trace *t = v->t;
	char text[TAPE_PLACE_BYTES];

	fprintf(f, "EVENT_TYPE\n0    %d    %s\nVALUES\n0   End\n",
		sites ? PARAVER_SITE : PARAVER_REGION,
		sites ? "Call site" : "User function");
	for (int k = 0; k < (int)tape_trace_ranks(t); k++) {
		const struct tape_rank_info *r = tape_trace_rank(t, k);
		size_t n = sites ? r->n_sites : r->n_regions;

		for (uint32_t i = 1; i < n; i++) {
			if (sites)
				tape_place_text(tape_site_of(t, k, i), text,
						sizeof text);
			else
				tape_clean(r->regions[i] ? r->regions[i] : "?",
					   text, sizeof text);
			fprintf(f, "%u   %s\n", v->first[k] + i, text);
		}
	}
	putc('\n', f);
}

static void put_counter_types(FILE *f, const struct tape_trace *t)
{
	const struct tape_rank_info *r = NULL;
	char text[200];

	for (int k = 0; k < (int)tape_trace_ranks(t); k++)
		if (!r || tape_trace_rank(t, k)->n_counters > r->n_counters)
			r = tape_trace_rank(t, k);
	for (uint32_t i = 0; r && i < r->n_counters; i++)
		fprintf(f, "EVENT_TYPE\n7    %u    %s\n\n", PARAVER_COUNTER + i,
			tape_clean(r->counters[i].name, text, sizeof text));
}

void paraver_write_pcf(FILE *f, const struct paraver_numbers *n)
{
	fputs(head, f);
	put_call_values(f, PARAVER_POINT_TO_POINT, "MPI Point-to-point");
	put_call_values(f, PARAVER_COLLECTIVE, "MPI Collective Comm");
	put_call_values(f, PARAVER_OTHER, "MPI Other");
	put_call_values(f, PARAVER_ONE_SIDED, "MPI One-sided");
	put_call_values(f, PARAVER_IO, "MPI I/O");
	fprintf(f, "EVENT_TYPE\n1    %d    Send Size in MPI Global OP\n"
		"1    %d    Recv Size in MPI Global OP\n"
		"1    %d    Root in MPI Global OP\n"
		"1    %d    Communicator in MPI Global OP\n\n",
		PARAVER_BYTES_SENT, PARAVER_BYTES_RECEIVED, PARAVER_ROOT,
		PARAVER_COMMUNICATOR);
	put_place_values(f, n, 0);
	put_place_values(f, n, 1);
	put_counter_types(f, n->t);
}

/* ---- .row ---- */

static int is_first_of_rank(const struct tape_trace *t, size_t flow)
{
	return !flow || tape_trace_flow(t, flow - 1)->rank !=
				tape_trace_flow(t, flow)->rank;
}

/* Names are by position: a rank that the trace lacks has one thread, as in the
 * .prv. */
static void put_thread_names(FILE *f, const struct tape_trace *t)
{
	size_t ranks = tape_trace_ranks(t), flows = tape_trace_flows(t);
	size_t present = 0, at = 0;

	for (size_t i = 0; i < flows; i++)
		present += (size_t)is_first_of_rank(t, i);
	fprintf(f, "\nLEVEL THREAD SIZE %zu\n", flows + ranks - present);
	for (size_t rank = 0; rank < ranks; rank++) {
		size_t thread = 1;

		for (; at < flows &&
		       (size_t)tape_trace_flow(t, at)->rank == rank; at++)
			fprintf(f, "THREAD 1.%zu.%zu\n", rank + 1, thread++);
		if (thread == 1)
			fprintf(f, "THREAD 1.%zu.1\n", rank + 1);
	}
}

void paraver_write_row(FILE *f, const struct paraver_numbers *n)
{
	const struct tape_trace *t = n->t;
	size_t ranks = tape_trace_ranks(t);
	int last = 0;
	char text[200];

	fprintf(f, "LEVEL NODE SIZE %d\n", ranks ? n->nodes : 1);
	for (int i = 0; i < (int)ranks; i++)
		if (n->node[i] > last) {
			const char *host = tape_trace_rank(t, i)->host;

			last = n->node[i];
			fprintf(f, "%s\n", tape_clean(host ? host : "?", text,
						      sizeof text));
		}
	put_thread_names(f, t);
}
