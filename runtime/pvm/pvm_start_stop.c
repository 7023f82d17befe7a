/*
 * Start and end of the tracing of a PVM task; see pvm_lifetime.h. Tasks come
 * one by one and are told nothing by each other: a task's number is the first
 * for which the file rank.N was not there yet. The first one of a run makes the
 * trace directory and hands its name to those that it spawns.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "call_sites.h"
#include "contexts.h"
#include "cost.h"
#include "counters.h"
#include "define.h"
#include "remote_trace.h"
#include "remote_connect.h"
#include "meta.h"
#include "order_read.h"
#include "own_stack.h"
#include "privileged.h"
#include "process.h"
#include "processor.h"
#include "processor_marks.h"
#include "pvm_calibrate.h"
#include "pvm_hosts.h"
#include "pvm_lifetime.h"
#include "pvm_order.h"
#include "pvm_sample.h"
#include "region.h"
#include "message.h"
#include "sink.h"
#include "task_names.h"
#include "network_switches.h"

/* In the environment of tasks: the directory of the run they belong to. */
#define RUN "TAPE_RUN"

static struct tape_flow nobody;	       /* of the first call */
static int in_first;		       /* it is in progress */
static struct tape_site *first_source; /* where it was made, */
static const void *first_address;      /* or there */
static int prepared;	      /* the run and this task's number are there */
static int configured;	      /* the settings were read */
static int former = -1;	      /* this process's number as an earlier task, */
static uint64_t former_ticks; /* and what its end took, after its events */
static char domain[192];      /* the clock of this process */
static const char *task_name; /* task_names.h; NULL: it has none */
static int ready;	      /* the real functions are known; -1: never */

/* ---- the real functions ---- */

#ifndef TAPE_PVM_LINKED
struct tape_pvm_real tape_pvm_real;

static void find_real(void)
{
	static const char *const names[] = {TAPE_PVM_NAMES};
	void **to = (void **)(void *)&tape_pvm_real;

	_Static_assert(sizeof tape_pvm_real ==
			   (sizeof names / sizeof *names - 1) * sizeof *to,
		       "one pointer for each name");
	for (size_t i = 0; names[i]; i++)
		to[i] = dlsym(RTLD_NEXT, names[i]);
}
#else
static void find_real(void)
{
}
#endif

/* Daemons that serve several programs are none of ours. */
static int is_daemon(void)
{
	const char *name = program_invocation_short_name;

	return !strcmp(name, "pvmgs") || !strcmp(name, "pvmd3") ||
	       !strcmp(name, "pvmd");
}

struct tape_flow *tape_pvm_first_flow(struct tape_site *source,
				      const void *address)
{
	int e = errno;

	if (TAPE_UNLIKELY(!ready)) {
		find_real();
		tape_clock_choose(TAPE_CLOCK_AUTO);
		ready = is_daemon() || tape_is_privileged() ? -1 : 1;
		errno = e;
	}
	if (TAPE_LIKELY(tape_process.state != TAPE_IDLE) || in_first ||
	    ready < 0)
		return NULL;
	in_first = 1;
	first_source = source;
	first_address = address;
	return &nobody;
}

/* ---- start ---- */

/*
 * What a task sends is in the library's buffers, whatever its size: only the
 * operating system's can hold it up.
 */
#define NEVER_WAITS "9223372036854775807 measured"

/* What is done once, at length, runs on a stack that is large enough. */
TAPE_ON_OWN_STACK
static int write_task_meta(void)
{
	struct tape_hold hold;
	char library[64];
	FILE *out;

	snprintf(library, sizeof library, "PVM %s", TAPE_REAL(pvm_version)());
	out = tape_meta_open(library, &hold);
	if (!out)
		return -1;
	fprintf(out,
		"alpha %s\neager self " NEVER_WAITS "\neager shm " NEVER_WAITS
		"\neager net " NEVER_WAITS "\n",
		tape_config_alpha(&tape_process.config));
	return tape_meta_close(out, &hold);
}

/*
 * For this task and those to come, wherever they run: the file of switches by
 * its whole name, or none if it is no good.
 */
static void check_network(void)
{
	char *path = tape_process.config.network, *whole;
	struct tape_network *n;

	if (!*path)
		return;
	n = tape_switches_read(path);
	whole = n ? realpath(path, NULL) : NULL;
	snprintf(path, sizeof tape_process.config.network, "%s",
		 whole ? whole : "");
	setenv("TAPE_NETWORK", path, 1);
	free(whole);
	tape_network_free(n);
}

/* The same for the trace that is replayed. */
static void check_replay(void)
{
	if (!*tape_process.config.replay)
		return;
	tape_order_find_trace(&tape_process.config);
	setenv("TAPE_REPLAY", tape_process.config.replay, 1);
}

/* Where this task is: its host, and the switches above. */
static int define_position(void)
{
	const char *path = tape_process.config.network;
	struct tape_network *n = *path ? tape_switches_read(path) : NULL;
	char host[256] = "", position[TAPE_POSITION_MAX];

	gethostname(host, sizeof host - 1);
	tape_network_position(n, host, position);
	tape_network_free(n);
	return tape_define("position %s\n", position);
}

/* The directory of the run; the first task makes it. */
static int find_directory(char *error, size_t n)
{
	const char *run = secure_getenv(RUN);

	if (run && *run) {
		if ((size_t)snprintf(tape_process.dir, sizeof tape_process.dir,
				     "%s", run) < sizeof tape_process.dir)
			return 0;
		snprintf(error, n, RUN " is too long");
		return -1;
	}
	if (tape_meta_directory(&tape_process.config, tape_process.dir,
				sizeof tape_process.dir, error, n))
		return -1;
	if (write_task_meta()) {
		snprintf(error, n, "cannot write %.800s/meta: %s",
			 tape_process.dir, strerror(errno));
		return -1;
	}
	setenv(RUN, tape_process.dir, 1);
	check_network();
	check_replay();
	return 0;
}

static int is_taken(int number)
{
	char path[sizeof tape_process.dir + 32];

	snprintf(path, sizeof path, "%s/rank.%d", tape_process.dir, number);
	return !access(path, F_OK);
}

/*
 * About the first number that is free: numbers are given without a gap, so a
 * run of many tasks need not be gone through.
 */
static int find_free_number(void)
{
	int taken = -1, free_ = 0;

	while (free_ < TAPE_THREADS_MAX && is_taken(free_)) {
		taken = free_;
		free_ = 2 * free_ + 1;
	}
	while (free_ - taken > 1) {
		int mid = taken + (free_ - taken) / 2;

		if (is_taken(mid))
			taken = mid;
		else
			free_ = mid;
	}
	return free_;
}

/* Opens rank.N of the first number that nobody has taken. */
static int reserve_number(char *error, size_t n)
{
	char word[512];

	tape_escape(word, sizeof word, domain);
	/* the trace was begun on another host, or is there */
	if (!tape_remote_is_open() && tape_remote_is_needed(tape_process.dir)) {
		tape_process.rank =
		    tape_remote_join_task(tape_process.dir, error, n);
		if (tape_process.rank < 0)
			return -1;
	}
	if (tape_remote_is_open())
		return tape_define_open(word, error, n);
	for (int r = find_free_number(); r < TAPE_THREADS_MAX; r++) {
		tape_process.rank = r;
		if (!tape_define_open(word, error, n))
			return 0;
		if (tape_process.define_error != EEXIST)
			return -1;
	}
	snprintf(error, n, "too many tasks");
	return -1;
}

/* The machine, for those who look for tasks that are not in the trace. */
static void define_hosts(void)
{
	struct pvmhostinfo *hosts = NULL;
	int n = tape_pvm_get_hosts(&hosts);
	char word[512];

	for (int i = 0; i < n && hosts; i++)
		tape_define("vm_host %d %s\n", hosts[i].hi_tid,
			    tape_escape(word, sizeof word, hosts[i].hi_name));
}

/* The name of this task, where its order is recorded or replayed. */
static int define_name(void)
{
	task_name = tape_pvm_wants_order() ? tape_pvm_name_task() : NULL;
	return task_name && tape_define("task %s\n", task_name);
}

static int define_task(void)
{
	int rc = tape_define("tid %d\n", pvmmytid) || define_name() ||
		 define_position();

	if (!rc && pvmmyptid > 0)
		rc = tape_define("parent %d\n", pvmmyptid);
	if (!rc && former >= 0)
		rc = tape_define("former %d\n", former);
	/* measuring the rate takes a millisecond; once for a clock will do */
	if (!rc && !tape_pvm_is_rated(domain))
		rc = tape_define("tick_hz %.1f\n", tape_clock_hz());
	return rc ||
	       tape_define("asleep %lld\n", (long long)tape_clock_asleep_ns());
}

static int copy_lines(FILE *in)
{
	static const char *const kinds[] = {"site ", "module ", "address ",
					    "region "};
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	while (!rc && getline(&line, &room, in) > 0)
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			if (!strncmp(line, kinds[i], strlen(kinds[i])))
				rc = tape_define("%s", line);
	rc |= ferror(in);
	free(line);
	return rc;
}

/*
 * The process was a task before: its call sites and regions have the numbers
 * that they had then.
 */
static int copy_definitions(void)
{
	char path[sizeof tape_process.dir + 32], *lines;
	int rc = -1;
	FILE *in;

	if (former < 0)
		return 0;
	lines = tape_remote_take_lines();
	snprintf(path, sizeof path, "%s/rank.%d", tape_process.dir, former);
	in = lines ? fmemopen(lines, strlen(lines), "r") : fopen(path, "re");
	if (in) {
		rc = copy_lines(in);
		fclose(in);
	}
	free(lines);
	return rc;
}

/* What can be done before the process is a task. */
static int prepare_task(char *error, size_t n)
{
	struct tape_process *p = &tape_process;

	if (prepared)
		return 0;
	if (!configured && tape_config_read(&p->config, error, n))
		return -1;
	configured = 1;
	if (tape_clock_choose(p->config.clock))
		tape_say("clock = tsc: the kernel of this host does not trust "
			 "it; monotonic_raw is used");
	if (find_directory(error, n))
		return -1;
	p->size = 1;
	p->brief = 1;
	tape_clock_domain(domain, sizeof domain);
	if (reserve_number(error, n))
		return -1;
	prepared = 1;
	return 0;
}

/* An error is said when the tracing starts. */
static void read_settings(void *unused)
{
	char error[1200];

	(void)unused;
	if (!configured)
		configured = !tape_config_read(&tape_process.config, error,
					       sizeof error);
}

static void prepare_ahead(void *unused)
{
	char error[1200];

	(void)unused;
	/* a task that was spawned has the run's name already; what fails will
	 * do so again, and say it then */
	if (!secure_getenv(RUN))
		prepare_task(error, sizeof error);
}

void tape_pvm_prepare(void)
{
	tape_run_on_own_stack(prepare_ahead, NULL);
}

/* It has not become a task, and may never do so: no trace of nothing. */
static void release_number(void)
{
	int dir = open(tape_process.dir,
		       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char name[32];

	tape_remote_discard();
	tape_file_close(&tape_process.defines);
	if (dir >= 0) {
		snprintf(name, sizeof name, "rank.%d", tape_process.rank);
		unlinkat(dir, name, 0);
		unlinkat(dir, "meta", 0);
		close(dir);
		rmdir(tape_process.dir);
	}
	unsetenv(RUN);
	prepared = 0;
}

static int start_task(uint64_t *start, uint64_t *end, char *error, size_t n)
{
	int was_tsc = tape_clock_is_tsc;

	if (prepare_task(error, n))
		return -1;
	if (was_tsc != tape_clock_is_tsc)
		*start = *end = tape_tick();
	tape_process.first_tick = *start;
	if (define_task() || copy_definitions()) {
		snprintf(error, n, "the definitions cannot be written");
		return -1;
	}
	return tape_core_start(error, n);
}

static void calibrate_task(struct tape_flow *f)
{
	tape_pvm_calibrate(f);
	if (!tape_cost_needs_classes(TAPE_CLASS_BIT(ENTER)))
		return;
	tape_current = f->self;
	tape_cost_marks(f);
	tape_current = NULL;
}

/* The call that makes the process a task, as it ran. */
struct first {
	uint64_t *start, *end;
	uint32_t call, *site;
	struct tape_flow *flow;
};

static void start_first_call(void *call_)
{
	struct first *c = call_;
	char error[1200] = "", why[700] = "";
	struct tape_flow *f;
	int rc;

	if (pvmmytid <= 0) {
		in_first = 0;
		if (prepared)
			release_number();
		return;
	}
	/* what PVM calls for this is no first call */
	rc = start_task(c->start, c->end, error, sizeof error);
	in_first = 0;
	if (rc) {
		tape_process.state = TAPE_STOPPED;
		tape_say("%s; this task is not traced", error);
		return;
	}
	f = tape_own;
	tape_current = NULL;
	f->frame = __builtin_frame_address(0);
	if (!tape_process.rank)
		define_hosts();
	tape_pvm_sample(domain, 0);
	if (tape_process.config.n_counters) {
		if (former < 0)
			tape_counters_start(f, why, sizeof why);
		tape_counters_define(f);
	}
	if (*why)
		tape_say("task %x: counters left out: %s", pvmmytid, why);
	if (!tape_cost_begin_scratch(f)) {
		calibrate_task(f);
		tape_cost_end_scratch(f);
	}
	tape_region_start(f);
	/* no mark: the record of this call, which began before, comes after */
	tape_processor_border(f);
	tape_pvm_context();
	if (f->self)
		*c->site = first_source
			       ? tape_site_source(f, first_source, c->call)
			       : tape_site_here(f, c->call, first_address);
	tape_pvm_start_order(task_name);
	tape_sink_begin(f);
	f->extra_before = former_ticks;
	f->extra_after = tape_tick() - *c->end;
	former_ticks = 0;
	if (*c->site)
		c->flow = f;
	else
		tape_current = f->self;
}
TAPE_ON_OWN_STACK_END

struct tape_flow *tape_pvm_first(uint64_t *start, uint64_t *end, uint32_t call,
				 uint32_t *site)
{
	struct first c = {start, end, call, site, NULL};

	tape_process.pvm_was_called = 1;
	tape_run_on_own_stack(start_first_call, &c);
	return c.flow;
}

int tape_pvm_enrol_in_order(struct tape_flow **f, uint32_t call, uint32_t *site)
{
	int e = errno, said = pvmautoerr;
	uint64_t start, end;

	tape_run_on_own_stack(read_settings, NULL);
	if (!configured || !tape_pvm_wants_order())
		return 0;
	/* what fails here fails again, under the name of the call */
	pvmautoerr = 0;
	start = tape_tick();
	TAPE_REAL(pvm_mytid)();
	end = tape_tick();
	pvmautoerr = said;
	errno = e;
	if (pvmmytid <= 0)
		return 0;
	*f = tape_pvm_first(&start, &end, call, site);
	if (!*f && tape_process.state == TAPE_RUNNING)
		*f = tape_own;
	errno = e;
	return 1;
}

/* ---- tasks started by this one ---- */

/* PVM_EXPORT names what is handed to spawned tasks; changed for this call. */
extern char **environ;

static int is_tape_variable(const char *variable)
{
	return !strncmp(variable, "TAPE_", 5) ||
	       !strncmp(variable, "LD_PRELOAD=", 11);
}

/* What the program exports, and our variables; NULL: no memory. */
static char *list_exports(const char *own)
{
	size_t n = own ? strlen(own) + 1 : 1;
	char *text, *end;

	for (char **e = environ; *e; e++)
		n += is_tape_variable(*e) ? strcspn(*e, "=") + 1 : 0;
	text = malloc(n + 1);
	if (!text)
		return NULL;
	end = stpcpy(text, own ? own : "");
	for (char **e = environ; *e; e++)
		if (is_tape_variable(*e)) {
			if (end > text)
				*end++ = ':';
			end = stpncpy(end, *e, strcspn(*e, "="));
			*end = '\0';
		}
	return text;
}

/* Tasks of other hosts are to reach the one where the trace is followed. */
TAPE_ON_OWN_STACK
static void open_to_hosts(void *unused)
{
	char error[1200];

	(void)unused;
	if (tape_pvm_get_hosts(NULL) > 1 &&
	    tape_remote_admit_hosts(error, sizeof error))
		tape_say("tasks on other hosts will not be traced: %s", error);
}
TAPE_ON_OWN_STACK_END

int tape_pvm_do_spawn(char *task, char **argv, int flag, char *where, int n,
		      int *tids)
{
	const char *value = getenv("PVM_EXPORT");
	char *own = value ? strdup(value) : NULL, *all;
	int rc, e;
	/* the group server is started by whichever task needs it first */
	int is_named = tape_pvm_wants_order() && task &&
		       strcmp(task, "pvmgs") != 0;

	if (tape_process.config.stream == TAPE_STREAM_NODE &&
	    tape_process.state == TAPE_RUNNING && tape_remote_is_local())
		tape_run_on_own_stack(open_to_hosts, NULL);
	if (is_named)
		tape_pvm_begin_spawn();
	all = list_exports(own);
	if (all && (own || !value) &&
	    (tape_process.state == TAPE_RUNNING || secure_getenv(RUN)))
		setenv("PVM_EXPORT", all, 1);
	rc = TAPE_REAL(pvm_spawn)(task, argv, flag, where, n, tids);
	e = errno;
	if (own)
		setenv("PVM_EXPORT", own, 1);
	else if (!value)
		unsetenv("PVM_EXPORT");
	free(own);
	free(all);
	if (is_named)
		tape_pvm_end_spawn();
	errno = e;
	return rc;
}

/* ---- end ---- */

TAPE_PUT(local)

static void sample_after(void *unused)
{
	(void)unused;
	tape_pvm_sample(domain, 1);
}

int tape_pvm_leave(struct tape_flow *f, uint32_t site)
{
	struct tape_local r = {0};
	uint64_t entry = tape_tick(), start, end, recorded;
	int rc, e = errno;

	tape_current = NULL;
	tape_pvm_stop_order();
	if (f && f == tape_own) {
		tape_processor_border(f);
		tape_processor_mark_at(f, entry);
	}
	if (tape_process.state == TAPE_RUNNING)
		tape_run_on_own_stack(sample_after, NULL);
	/* last: what comes for the program meanwhile is left to its pvm_exit */
	tape_cost_recalibrate(f, calibrate_task);
	if (f && f->counting.n)
		tape_counters_enter(f);
	errno = e;
	start = tape_tick();
	rc = TAPE_REAL(pvm_exit)();
	end = tape_tick();
	e = errno;
	if (f && f->self) {
		f->extra_before += start - entry;
		if (f->counting.n)
			tape_counters_leave(f);
		tape_put_local(f, site, start, end, &r);
		if (f->counting.n)
			tape_buffer_counts(f);
	}
	recorded = tape_tick();
	if (tape_process.state == TAPE_RUNNING)
		tape_define("asleep %lld\n", (long long)tape_clock_asleep_ns());
	tape_core_stop(TAPE_END_FINALIZE);
	if (!tape_core_reset()) {
		former = tape_process.rank;
		prepared = 0;
		tape_pvm_forget();
		former_ticks = tape_tick() - recorded;
	}
	errno = e;
	return rc;
}
