/*
 * Start and end of the tracing of an MPI program; see start_stop.h. What is
 * common to all ranks (settings, directory) is decided by rank 0 and broadcast,
 * on a communicator of our own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "init_watchdog.h"
#include "buffer.h"
#include "calibrate.h"
#include "call_in_progress.h"
#include "call_sites.h"
#include "cost.h"
#include "counters.h"
#include "define.h"
#include "remote_trace.h"
#include "error.h"
#include "hooks.h"
#include "start_stop.h"
#include "meta.h"
#include "order_layer.h"
#include "own_stack.h"
#include "yielding_wait.h"
#include "privileged.h"
#include "rank_locations.h"
#include "process.h"
#include "processor.h"
#include "processor_marks.h"
#include "region.h"
#include "sample.h"
#include "message.h"
#include "settings_of_job.h"
#include "share_calibration.h"
#include "sink.h"
#include "spawn.h"
#include "stream_sink.h"
#include "transport.h"
#include "silent_query.h"
#include "virtual.h"
#include "world.h"

/* What is done once, at length, runs on a stack that is large enough. */
TAPE_ON_OWN_STACK

int tape_tag_ub;

static MPI_Comm comm = MPI_COMM_NULL; /* ours; null: no rank traces */
static struct tape_locations places;
/* sessions, and MPI_Init's world, that are open; the first was a session */
static int begun, opened, by_session;
static int with_after; /* sample (again) at the end */

uint64_t tape_start_tick(void)
{
	static int chosen;

	if (!chosen) {
		tape_clock_choose(TAPE_CLOCK_AUTO);
		chosen = 1;
	}
	return tape_tick();
}

/* What rank 0 decides. */
struct decision {
	int ok;
	struct tape_config config;
	struct tape_spawned spawned;
	char dir[TAPE_DIR_BYTES];
	char error[1200];
};

/* 0: it is not traced, or to files (d->config). */
static int may_stream(struct decision *d)
{
	const char *why = tape_stream_sink_refused();

	if (!why)
		return 1;
	if (d->config.stream_stops) {
		snprintf(d->error, sizeof d->error, "%s", why);
		return 0;
	}
	/* a job that was spawned is none of the job that is analysed */
	if (!d->spawned.id)
		tape_say("%s; the trace is written to files", why);
	d->config.stream = TAPE_STREAM_OFF;
	return 1;
}

static void decide_settings(struct decision *d)
{
	memset(d, 0, sizeof *d);
	tape_spawn_find(&d->spawned);
	if (tape_config_read(&d->config, d->error, sizeof d->error))
		return;
	if (d->config.reference >= tape_process.size) {
		snprintf(d->error, sizeof d->error,
			 "reference = %d: the job has only %d ranks",
			 (int)d->config.reference, tape_process.size);
		return;
	}
	if (d->config.stream == TAPE_STREAM_MPI && !may_stream(d))
		return;
	if (d->config.stream == TAPE_STREAM_MPI && !d->config.stream_keep) {
		snprintf(d->dir, sizeof d->dir, "the stream");
		d->ok = 1;
		return;
	}
	tape_order_find_trace(&d->config);
	d->ok = !tape_meta_directory(&d->config, d->dir, sizeof d->dir,
				     d->error, sizeof d->error);
}

static void write_domain(FILE *out, int d, int first)
{
	size_t at = (size_t)first * TAPE_LOCATION_NAME;
	char word[8192];

	fprintf(out, "domain %d %s", d,
		tape_escape(word, sizeof word, places.clocks + at));
	fprintf(out, " %s\n",
		tape_escape(word, sizeof word, places.hosts + at));
}

/* All but 0 have numbers in the order of their first ranks. */
static void write_domains(FILE *out)
{
	int r = 0;

	while (places.domains[r])
		r++;
	write_domain(out, 0, r);
	r = 0;
	for (int d = 1; d < places.n_domains; d++) {
		while (places.domains[r] != d)
			r++;
		write_domain(out, d, r);
	}
}

/* Rank 0 writes what holds for the whole run; transport: lines about that. */
static int write_run_meta(const char *transport)
{
	char library[4096];
	struct tape_hold hold;
	FILE *out;

	tape_library(library, sizeof library);
	out = tape_meta_open(library, &hold);
	if (!out)
		return -1;
	fprintf(out, "ranks %d\nalpha %s\n", tape_process.size,
		tape_config_alpha(&tape_process.config));
	write_domains(out);
	tape_spawn_meta(out);
	if (tape_process.shared)
		fputs("layout node\n", out);
	fputs(transport, out);
	return tape_meta_close(out, &hold);
}

static int define_asleep(void)
{
	return tape_define("asleep %lld\n", (long long)tape_clock_asleep_ns());
}

static int open_files(int me, char *error, size_t n)
{
	char index[16];

	snprintf(index, sizeof index, "%d", places.domains[me]);
	/* on another host the directory may be missing */
	if (tape_sink_has_files() && mkdir(tape_process.dir, 0777) &&
	    errno != EEXIST) {
		snprintf(error, n, "cannot create %.800s: %s", tape_process.dir,
			 strerror(errno));
		return -1;
	}
	if (tape_define_open(index, error, n) ||
	    tape_define("position %s\n", places.position) ||
	    tape_define("tick_hz %.1f\n", tape_clock_hz()) || define_asleep() ||
	    tape_comm_start())
		return -1;
	tape_spawn_define();
	return 0;
}

/*
 * A communicator of our own, with all of tape_world.
 *
 * Open MPI tells the nonblocking collectives of a communicator apart by tags
 * that count down from -27, and makes communicators by such collectives on the
 * old one. MPI_Dist_graph_create has messages of the tags -50 and -51: a
 * program that does both with the same tag hangs (4.1.4). Whether it does must
 * not depend on us, so our communicator is made of a group, by plain messages.
 * The library waits for these without pausing.
 *
 * A session of MPICH that has one process can wait for no request.
 */
static int duplicate_world(void)
{
#ifdef OPEN_MPI
	MPI_Group all;
	int rc = PMPI_Comm_group(tape_world, &all);

	if (rc != MPI_SUCCESS)
		return rc;
	rc = PMPI_Comm_create_group(tape_world, all, 0, &comm);
	PMPI_Group_free(&all);
	return rc;
#else
	int size = 0;
	MPI_Request r;

	PMPI_Comm_size(tape_world, &size);
	if (size == 1)
		return PMPI_Comm_dup(tape_world, &comm);
	return tape_yielding_wait(PMPI_Comm_idup(tape_world, &comm, &r), &r);
#endif
}

/* Our communicator, errors returned to us. */
static int make_comm(void)
{
	int *ub, flag = 0;

	if (tape_world_open() || duplicate_world() != MPI_SUCCESS) {
		comm = MPI_COMM_NULL;
		return -1;
	}
	PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	PMPI_Comm_get_attr(tape_world, MPI_TAG_UB, &ub, &flag);
	tape_tag_ub = flag ? *ub : 32767;
	PMPI_Comm_rank(comm, &tape_process.rank);
	PMPI_Comm_size(comm, &tape_process.size);
	return 0;
}

/*
 * Gets the counters of this rank ready, where it is traced. The lowest of the
 * ranks that have to leave some out says so for all of them.
 */
static void start_counters(struct tape_flow *f)
{
	int me = tape_process.rank, size = tape_process.size, first, n;
	char why[700] = "";
	MPI_Request r;

	if (!tape_process.config.n_counters)
		return;
	tape_counters_start(f, why, sizeof why);
	if (f)
		tape_counters_define(f);
	n = *why ? me : size;
	tape_yielding_wait(
	    PMPI_Iallreduce(&n, &first, 1, MPI_INT, MPI_MIN, comm, &r), &r);
	n = *why != '\0';
	tape_yielding_wait(
	    PMPI_Iallreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, comm, &r),
	    &r);
	if (me != first)
		return;
	if (n == 1)
		tape_say("rank %d: counters left out: %s", me, why);
	else
		tape_say("rank %d and %d more: counters left out: %s", me,
			 n - 1, why);
}

static void record_init(struct tape_flow *f, uint64_t start, uint64_t end,
			uint32_t call, struct tape_site *source,
			const void *address)
{
	struct tape_local r = {0};
	uint32_t site = source ? tape_site_source(f, source, call)
			       : tape_site_here(f, call, address);

	if (!site)
		return;
	f->extra_before = 0;
	f->extra_after = tape_tick() - end;
	tape_put_local(f, site, start, end, &r);
	tape_counters_zero(f);
}

/* The clock of this process, as set; 1 when another was read so far. */
static int start_clock(enum tape_clock_source wanted)
{
	int was_tsc = tape_clock_is_tsc;

	if (tape_clock_choose(wanted))
		tape_say("clock = tsc: the kernel of this host does not trust "
			 "it; monotonic_raw is used");
	return was_tsc != tape_clock_is_tsc;
}

/* The call that starts MPI, as it ran. */
struct init {
	uint64_t start, end;
	uint32_t call;
	struct tape_site *source;
	const void *address;
};

/*
 * Opens the stream on all ranks or on none. The analyser waits for a stream
 * from every process, even if the process sends no events.
 */
static void start_stream(struct decision *d)
{
	int wanted = d->ok && d->config.stream == TAPE_STREAM_MPI;

	if (tape_stream_sink_refused())
		return;
	if (tape_is_ok_everywhere(
		!tape_stream_sink_open((int)d->config.stream_keep), comm)) {
		if (wanted)
			return;
	} else if (wanted) {
		d->ok = 0;
		snprintf(d->error, sizeof d->error,
			 "no stream to the analyser");
	}
	tape_stream_sink_close();
}

/*
 * Broadcasts the settings that rank 0 decides. Returns 1, or 0 if the run is
 * not traced. Creates comm, the tracer's communicator.
 */
static int agree_on_settings(struct decision *d)
{
	MPI_Request r;
	int allowed;

	if (make_comm())
		return 0;
	allowed = tape_is_ok_everywhere(!tape_is_privileged(), comm);
	if (!tape_process.rank && allowed)
		decide_settings(d);
	else if (!allowed)
		snprintf(
		    d->error, sizeof d->error,
		    "a process of this job has privileges that its user lacks");
	tape_yielding_wait(PMPI_Ibcast(d, sizeof *d, MPI_BYTE, 0, comm, &r),
			   &r);
	start_stream(d);
	if (d->ok) {
		tape_process.config = d->config;
		memcpy(tape_process.dir, d->dir, sizeof d->dir);
		tape_spawn_start(&d->spawned);
		return 1;
	}
	if (!tape_process.rank)
		tape_say("%s; this run is not traced", d->error);
	PMPI_Comm_free(&comm);
	comm = MPI_COMM_NULL;
	return 0;
}

static int start_meta(void)
{
	char transport[256];
	int ok = 1;

	tape_transport_text(comm, places.domains, transport, sizeof transport);
	if (!tape_process.rank && write_run_meta(transport)) {
		tape_say("cannot write %.800s/meta: %s; this run is not traced",
			 tape_process.dir, strerror(errno));
		ok = 0;
	}
	return tape_is_ok_everywhere(ok, comm);
}

/* Opens the flow of this thread and calibrates the cost of its events. */
static void start_flow(char *error, size_t n)
{
	struct tape_flow *f = NULL;

	tape_request_start();
	if (*error || open_files(tape_process.rank, error, n) ||
	    tape_core_start(error, n))
		tape_say("rank %d is not traced: %s", tape_process.rank,
			 *error ? error : "the definitions cannot be written");
	else
		f = tape_own;
	start_counters(f);
	tape_share_calibration(f, comm, places.domains);
}

/*
 * Leaves MPI_Init on all ranks at the same time, so that no rank waits later
 * for a rank whose start took longer: the correction could only guess which
 * part of such a wait is the tracer's.
 */
static void leave_init(const struct init *i)
{
	MPI_Request r;

	tape_yielding_wait(PMPI_Ibarrier(comm, &r), &r);
	if (tape_process.state == TAPE_RUNNING && tape_current)
		record_init(tape_own, i->start, i->end, i->call, i->source,
			    i->address);
	if (tape_process.state == TAPE_RUNNING && tape_current)
		tape_region_start(tape_own);
	if (tape_own) {
		tape_processor_border(tape_own);
		tape_processor_mark(tape_own);
	}
	if (tape_process.sink)
		tape_process.sink->hurry();
}

/* On a host that cannot access the directory, the trace is sent to its host. */
static void open_remote_trace(char *error, size_t n)
{
	if (tape_process.config.stream == TAPE_STREAM_NODE &&
	    !tape_remote_is_open() && tape_remote_is_needed(tape_process.dir))
		tape_remote_join(tape_process.dir, tape_process.rank, error, n);
}

/* Ranks of a host share a file, unless the trace is consumed or sent. */
static void share_files(void)
{
	int shared = tape_process.config.shared && !tape_process.sink &&
		     tape_process.config.stream == TAPE_STREAM_OFF;

	tape_process.shared =
	    shared ? 1 + places.domains[tape_process.rank] : 0;
}

static void start_tracing(void *init)
{
	struct init *i = init;
	struct decision *d = calloc(1, sizeof *d);
	int level = MPI_THREAD_SINGLE;
	char error[1200] = "";

	tape_next_set_reached();
	tape_process.starting = 1;
	/* a meeting of several programs says so itself */
	if (!tape_virtual_wanted() && !tape_is_privileged())
		tape_init_watchdog_start();
	if (!d || !agree_on_settings(d))
		goto out;
	if (start_clock(d->config.clock))
		i->start = i->end = tape_tick();
	tape_process.first_tick = i->start;
	PMPI_Query_thread(&level);
	tape_process.many_threads = level == MPI_THREAD_MULTIPLE;
	with_after = (d->config.sampling & TAPE_SAMPLING_AFTER) != 0;
	if (!tape_locations_find(&places, comm))
		goto out;
	open_remote_trace(error, sizeof error);
	share_files();
	if (!start_meta())
		goto out;
	tape_init_watchdog_stop(); /* all have come, and may take their time now
				    */
	tape_silent_query_test(comm);
	start_flow(error, sizeof error);
	if (d->config.sampling & TAPE_SAMPLING_BEFORE)
		tape_sample(comm, places.pairs, places.n_domains,
			    d->config.reference, 0);
	tape_order_start(comm);
	leave_init(i);
out:
	tape_init_watchdog_stop();
	tape_settings_forget();
	tape_locations_trim(&places);
	tape_process.starting = 0;
	free(d);
}

void tape_start_tracing(uint64_t start, uint64_t end, uint32_t call,
			struct tape_site *source, const void *address)
{
	struct init i = {start, end, call, source, address};
	int e = errno;

	tape_run_on_own_stack(start_tracing, &i);
	errno = e;
}

/* Says which words of a list matched nothing on any rank. */
static void say_unmatched(const char *setting, const char *list, uint64_t hits,
			  const char *what)
{
	char word[TAPE_LIST_BYTES];

	for (unsigned i = 0; tape_list_word(list, i, word, sizeof word); i++)
		if (!(hits >> i & 1))
			tape_say("%s: no %s matched \"%.200s\"", setting, what,
				 word);
}

/* Reports mistyped names, which would otherwise select nothing silently. */
static void check_lists(void)
{
	const struct tape_config *c = &tape_process.config;
	uint64_t mine[3] = {tape_process.region_hits, tape_process.mark_hits,
			    tape_process.file_hits};
	uint64_t hits[3] = {0};

	if (!*c->regions && !*c->marks && !*c->files)
		return;
	PMPI_Reduce(mine, hits, 3, MPI_UINT64_T, MPI_BOR, 0, comm);
	if (tape_process.rank)
		return;
	say_unmatched("regions", c->regions, hits[0], "region");
	say_unmatched("marks", c->marks, hits[1], "region");
	say_unmatched("files", c->files, hits[2], "file");
}

static void calibrate_again(struct tape_flow *f)
{
	tape_current = f;
	tape_next_bypass_layers(1);
	tape_calibrate(f);
	tape_next_bypass_layers(0);
	tape_current = NULL;
}

static void report_at_end(void *unused)
{
	(void)unused;
	tape_order_stop();
	check_lists();
	if (!tape_process.rank)
		tape_next_report();
}

static void sample_after(void *unused)
{
	(void)unused;
	tape_sample(comm, places.pairs, places.n_domains,
		    tape_process.config.reference, 1);
}

/* Records MPI_Finalize, whose counters always end with the call. */
static void put_finalize(struct tape_flow *f, uint32_t site, uint64_t start,
			 uint64_t end)
{
	struct tape_local r = {0};

	if (f->counting.n)
		tape_counters_leave(f);
	tape_put_local(f, site, start, end, &r);
	if (f->counting.n)
		tape_buffer_counts(f);
}

/*
 * The trace has to be with the analyser before MPI is gone. What the call takes
 * is told by a barrier, as which it works: the real one waits for the other
 * programs of the job, too.
 */
struct last {
	struct tape_flow *f;
	uint32_t site;
	uint64_t entry;
};

static void end_stream(void *last)
{
	const struct last *l = last;
	struct tape_flow *f = l->f;
	uint64_t start;
	MPI_Request r;

	tape_stream_sink_finish();
	if (f && f->counting.n)
		tape_counters_enter(f);
	start = tape_tick();
	tape_yielding_wait(PMPI_Ibarrier(comm, &r), &r);
	if (f && f->self) {
		f->extra_before += start - l->entry;
		put_finalize(f, l->site, start, tape_tick());
	}
	if (tape_process.state == TAPE_RUNNING)
		define_asleep();
	tape_core_stop(TAPE_END_FINALIZE);
	tape_stream_sink_close();
}

TAPE_ON_OWN_STACK_END

int tape_mpi_opened(int session)
{
	__atomic_fetch_add(&opened, 1, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED))
		return 0;
	by_session = session;
	return 1;
}

int tape_mpi_closing(int session)
{
	int left = __atomic_sub_fetch(&opened, 1, __ATOMIC_RELAXED);

	return by_session ? left == 0 : !session;
}

/* Frees the tracer's communicator, and the world that it was made from. */
static void free_comm(void)
{
	if (comm == MPI_COMM_NULL)
		return;
	PMPI_Comm_free(&comm);
	comm = MPI_COMM_NULL;
	tape_world_close();
}

/*
 * The call that ends MPI begins. By TCP, MPICH (4.0.2, UCX) often waits for
 * ever there where a process has left while messages were in flight: 10 of 60
 * traced jobs of two processes, 1 of 100 with this barrier, 2 of 60 untraced.
 * The time in the barrier is part of the call: a process waits for the others
 * there, as it would wait in the call.
 */
static void wait_before_end(void)
{
#ifndef OPEN_MPI
	if (comm != MPI_COMM_NULL && tape_process.size > 1)
		PMPI_Barrier(comm);
#endif
	free_comm();
}

int tape_stop_tracing(struct tape_flow *f, uint32_t site, int (*real)(void *),
		      void *of)
{
	uint64_t entry = tape_tick(), start, end;
	int rc, e = errno;

	tape_current = NULL;
	/* what is called back is inside of this call, as in any wrapper */
	if (f)
		f->frame = __builtin_frame_address(0);
	if (f && f == tape_own) {
		tape_processor_border(f);
		tape_processor_mark_at(f, entry);
	}
	if (f && f->self) {
		/* 1: MPI_COMM_WORLD */
		tape_call_partner(tape_call_place(f), -1, -1, 1, 0);
		tape_call_started(f, entry);
		tape_call_begin(f, tape_call_place(f), site);
	}
	if (comm != MPI_COMM_NULL) {
		tape_cost_recalibrate(f, calibrate_again);
		tape_run_on_own_stack(report_at_end, NULL);
		if (with_after)
			tape_run_on_own_stack(sample_after, NULL);
		if (tape_process.sink && tape_process.sink->in_job)
			tape_run_on_own_stack(end_stream,
					      &(struct last){f, site, entry});
#ifdef OPEN_MPI
		free_comm();
#endif
	}
	if (f && f->self && f->counting.n)
		tape_counters_enter(f);
	start = tape_tick();
	wait_before_end();
	errno = e;
	rc = real(of);
	end = tape_tick();
	e = errno;
	if (f && f->self) {
		f->extra_before += start - entry;
		put_finalize(f, site, start, end);
	}
	if (tape_process.state == TAPE_RUNNING)
		define_asleep();
	tape_core_stop(TAPE_END_FINALIZE);
	errno = e;
	return rc;
}
