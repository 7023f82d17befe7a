/*
 * tapebursts: what each rank of a traced run computed between its calls, for
 * taperun --simulate --bursts. For each rank a file "rank.R" (runtime/simulated
 * reads it): a line "tape-bursts 1", then one for each call after MPI_Init,
 * its number in the catalogue and the ns of computation before it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "damage.h"
#include "file_output.h"
#include "program_options.h"
#include "result_name.h"
#include "tape_reader.h"
#include "tool.h"

struct flow {
	const struct tape_trace *t;
	const struct tape_rank_info *rank;
	FILE *out;
	int cpu;       /* index of the counter of processor time, or -1 */
	int cost;      /* the tracer's own time is in the trace */
	int begun;     /* MPI_Init has ended */
	double since;  /* end of the last call, and of Tape's work for it */
	double counted; /* processor time since that */
};

/* Processor time that is read at every call, in ns. */
static int find_cpu_counter(const struct tape_rank_info *r)
{
	for (uint32_t i = 0; i < r->n_counters; i++)
		if (!strcmp(r->counters[i].name, "cpu") &&
		    !strcmp(r->counters[i].unit, "ns") &&
		    !r->counters[i].at_regions)
			return (int)i;
	return -1;
}

static void write_burst(const struct flow *f, unsigned call, double ns)
{
	fprintf(f->out, "%u %.17g\n", call, ns > 0 ? ns : 0);
}

/* What is no call by itself, but stands for some that are not there. */
static void reject_event(const struct flow *f, const struct tape_event *e)
{
	const char *why = NULL;

	if (e->class_ == TAPE_CLASS_BLOCK && e->u.block.kind != TAPE_BLOCK_KEPT)
		why = "was traced with alpha = in-situ, which skips blocks of "
		      "events";
	else if (e->class_ == TAPE_CLASS_COUNTED)
		why = "only counts some calls (max_rate)";
	else if (e->class_ == TAPE_CLASS_PACK && e->polls > 1)
		why = "merges packing calls into one event (packing = message)";
	if (why)
		tape_die(
		    TAPE_FAILED,
		    "%s: rank %d %s: the calls and their times are incomplete",
		    tape_trace_path(f->t), e->rank, why);
}

/*
 * The second and later calls of a run of failed tests, alike; what a counter
 * has between them is before the first.
 */
static void write_run(const struct flow *f, const struct tape_event *e)
{
	uint64_t also = e->also_polls, calls = e->polls - also;
	double between = (double)(e->end_ns - e->start_ns - e->inside_ns) -
			 (f->cost ? tape_event_alpha_within(e) : 0);

	between = f->cpu >= 0 ? 0 : between / (double)(e->polls - 1);
	for (uint64_t i = 1, first = 1; i < e->polls; i++) {
		int second = also && (i % 2 || first >= calls);

		first += !second;
		also -= (uint64_t)second;
		write_burst(f, second ? e->also_call : e->call, between);
	}
}

static int starts_mpi(unsigned call)
{
	return call == TAPE_CALL_MPI_Init || call == TAPE_CALL_MPI_Init_thread;
}

static void process_event(struct flow *f, const struct tape_event *e)
{
	double ns;

	reject_event(f, e);
	if (f->cpu >= 0 && e->n_counts > (uint32_t)f->cpu)
		f->counted += (double)e->counts[f->cpu].before;
	if (!e->call && f->cost)
		f->since += e->alpha_before_ns + e->alpha_after_ns;
	if (!e->call)
		return;
	ns = f->cpu >= 0 ? f->counted : (double)e->start_ns - f->since;
	if (f->cpu >= 0 && f->cost)
		ns -= f->since; /* there the alpha after the last call */
	if (f->cost)
		ns -= tape_event_alpha_before(e);
	if (f->begun)
		write_burst(f, e->call, ns);
	if (f->begun && e->polls > 1)
		write_run(f, e);
	f->begun |= starts_mpi(e->call);
	f->since = (f->cpu >= 0 ? 0 : (double)e->end_ns) +
		   (f->cost ? tape_event_alpha_after(e) : 0);
	f->counted = 0;
}

static void write_flow(struct tape_trace *t, size_t index, FILE *out)
{
	const struct tape_flow_info *info = tape_trace_flow(t, index);
	struct flow f = { .t = t, .out = out };
	const struct tape_event *e;
	struct tape_flow *events;
	int rc;

	f.rank = tape_trace_rank(t, info->rank);
	f.cpu = find_cpu_counter(f.rank);
	f.cost = tape_trace_base(t) != TAPE_BASE_COMPENSATED;
	if (tape_flow_open(t, index, &events))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	fputs("tape-bursts 1\n", out);
	while ((rc = tape_flow_next(events, &e)) == 1)
		process_event(&f, e);
	if (rc < 0)
		tape_die(TAPE_FAILED, "%s", tape_flow_error(events));
	tape_flow_close(events);
	if (!f.begun)
		tape_die(TAPE_FAILED, "%s: rank %d: MPI_Init was not recorded",
			 tape_trace_path(t), info->rank);
}

/* One flow for each rank, of an MPI program, and nothing lost. */
static void check_trace(const struct tape_trace *t)
{
	size_t n = tape_trace_ranks(t);

	for (size_t i = 0; i < tape_trace_flows(t); i++)
		if (tape_trace_flow(t, i)->thread)
			tape_die(TAPE_FAILED, "%s: rank %d has several threads",
				 tape_trace_path(t),
				 tape_trace_flow(t, i)->rank);
	if (n && tape_trace_rank(t, 0)->tid)
		tape_die(TAPE_FAILED, "%s is of a PVM program",
			 tape_trace_path(t));
	if (tape_trace_flows(t) != n)
		tape_die(TAPE_FAILED, "%s: %zu of %zu ranks have events",
			 tape_trace_path(t), tape_trace_flows(t), n);
}

int main(int argc, char **argv)
{
	char name[4200] = "", file[32];
	struct tape_trace *t;
	FILE *out;
	int c, dir;

	tape_tool("tapebursts");
	while ((c = tape_option_next("tapebursts", argc, argv)) != -1)
		if (c == 'o' && *optarg && strlen(optarg) < sizeof name)
			strcpy(name, optarg);
		else
			tape_option_refuse("tapebursts", c);
	if (optind != argc - 1)
		tape_option_usage("tapebursts");
	if (tape_trace_open(argv[optind], &t))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	check_trace(t);
	if (!*name)
		tape_result_name(argv[optind], ".tape", ".bursts", name,
				 sizeof name);
	dir = tape_file_directory(name);
	for (size_t i = 0; i < tape_trace_flows(t); i++) {
		snprintf(file, sizeof file, "rank.%d",
			 tape_trace_flow(t, i)->rank);
		out = tape_file_begin_in(dir, name, file);
		write_flow(t, i, out);
		tape_file_end(out);
	}
	tape_damage_warn(t);
	tape_file_commit();
	tape_trace_close(t);
	return TAPE_DONE;
}
