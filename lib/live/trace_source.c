/*
 * A trace that is being written: waits for data, consumes what was read, and
 * detects the end of the data; see live.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gather_protocol.h"
#include "live.h"
#include "live_file.h"
#include "resolve.h"
#include "tape_follow.h"
#include "tool.h"

enum {
	NAP_NS = 2000000,	/* first waits for data */
	LONG_NAP_NS = 20000000, /* after PATIENCE waits */
	PATIENCE = 100,
	LOOK_NS = 100000000,	/* between two checks of processes */
	OPEN_FILES = 512
};

struct file {
	int fd;	       /* -1: not open */
	uint64_t done; /* bytes consumed */
	uint64_t read; /* bytes not needed any more */
};

/* A process. Its start time tells it from a later process of the same id. */
struct writer {
	long pid;
	unsigned long long start_time; /* 0: it does not exist */
};

struct live_source {
	const struct live_options *o;
	struct live_shared *shared;
	struct live_workers *workers; /* NULL: serial */
	const char *dir, *name;
	struct tape_trace *t;
	struct tape_live live;
	int is_held, is_consuming, always_starved;
	int is_detached; /* in a copy of the engine: it waits for nothing */
	struct tape_resolver *resolver;
	struct file *files;
	size_t n_files;
	struct writer *writers; /* by rank */
	size_t n_writers;
	unsigned n_waits;
	int64_t began_ns, checked_ns, opened_ns;
	char host[256];
	const char *end_reason;
	void (*tick)(void *);
	void *self;
};

int64_t live_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- processes ---- */

/* Returns the start time of a process, in ticks of the kernel; 0: it does not
 * exist. */
static unsigned long long process_start_time(long pid)
{
	unsigned long long when = 0;
	char path[64], text[1024], state = 'X';
	const char *p;
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/stat", pid);
	f = fopen(path, "re");
	if (!f) /* /proc may be missing */
		return pid > 0 && (!kill((pid_t)pid, 0) || errno == EPERM);
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	p = strrchr(text, ')'); /* its name may be anything */
	if (!p ||
	    sscanf(p + 1,
		   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%*s %*s %*s %*s %*s %*s %*s %*s %llu",
		   &state, &when) != 2 ||
	    state == 'Z' || state == 'X')
		return 0;
	return when ? when : 1;
}

/* Returns 1 if the process of a rank on this host has ended. */
static int process_has_ended(struct live_source *s, int rank, long pid)
{
	struct writer *w;

	if (pid <= 0)
		return 0;
	if ((size_t)rank >= s->n_writers) {
		size_t n = (size_t)rank + 64;

		s->writers = tape_must(realloc(s->writers, n * sizeof *w));
		memset(s->writers + s->n_writers, 0,
		       (n - s->n_writers) * sizeof *w);
		s->n_writers = n;
	}
	w = &s->writers[rank];
	if (w->pid != pid)
		*w = (struct writer){pid, process_start_time(pid)};
	return !w->start_time || process_start_time(pid) != w->start_time;
}

/* Reads the process id in a file rank.R. Returns 1 if it ran on this host. */
static int read_local_pid(const struct live_source *s, const char *name,
			  long *pid)
{
	char path[4400], line[512], host[256] = "";
	FILE *f;
	int fd;

	snprintf(path, sizeof path, "%s/%s", s->dir, name);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	*pid = 0;
	if (!f) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	for (int i = 0; i < 64 && fgets(line, sizeof line, f); i++) {
		(void)sscanf(line, "host %255s", host);
		(void)sscanf(line, "pid %ld", pid);
	}
	fclose(f);
	return *pid > 0 && !strcmp(host, s->host);
}

static int file_exists(const char *dir, const char *name)
{
	char path[4400];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return !access(path, F_OK);
}

/* Returns 1 if the rank ran on a remote host and all of its data has been
 * received. */
static int remote_rank_has_ended(const struct live_source *s, int rank)
{
	char name[32];

	snprintf(name, sizeof name, TAPE_GATHER_GONE "%d", rank);
	return file_exists(s->dir, name);
}

/* Returns 1 if there are ranks and all their processes have ended. */
static int all_writers_ended(struct live_source *s)
{
	DIR *d = opendir(s->dir);
	int known = 0, left = 0, rank;
	struct dirent *e;
	long pid;
	char end;

	while (d && (e = readdir(d))) {
		if (sscanf(e->d_name, "rank.%7d%c", &rank, &end) != 1 ||
		    rank < 0)
			continue;
		known++;
		if (!remote_rank_has_ended(s, rank))
			left += !read_local_pid(s, e->d_name, &pid) ||
				!process_has_ended(s, rank, pid);
	}
	if (d)
		closedir(d);
	return known && !left;
}

/* ---- the end of the data ---- */

/* Returns 1 if the launcher has marked the trace or its spool as complete. */
static int launcher_has_ended(const struct live_source *s)
{
	return file_exists(s->dir, TAPE_LIVE_OVER) ||
	       file_exists(s->dir, "../" TAPE_LIVE_OVER);
}

static int flow_has_ended(struct live_source *s, size_t flow)
{
	const struct tape_rank_info *r;
	int rank;

	if (atomic_load(&s->shared->stop)) {
		s->end_reason = "stopped by a signal";
		return 1;
	}
	if (live_now_ns() - s->checked_ns < LOOK_NS)
		return 0;
	s->checked_ns = live_now_ns();
	if (launcher_has_ended(s))
		return 1;
	if (flow == SIZE_MAX || !s->t)
		return all_writers_ended(s);
	rank = tape_trace_flow(s->t, flow)->rank;
	r = tape_trace_rank(s->t, rank);
	if (!r->host) /* a task of PVM that may still begin */
		return all_writers_ended(s);
	return remote_rank_has_ended(s, rank) ||
	       (!strcmp(r->host, s->host) &&
		process_has_ended(s, rank, r->pid));
}

static void sleep_ns(int64_t ns)
{
	struct timespec t = {0, (long)ns};

	nanosleep(&t, NULL);
}

static int wait_for_flow(void *self, size_t flow)
{
	struct live_source *s = self;
	int over;

	if (s->is_detached)
		return 1;
	over = flow_has_ended(s, flow);
	s->n_waits++;
	if (s->workers) {
		live_workers_check_alive(s->workers);
		live_workers_mark_idle(s->workers, 1);
	}
	s->tick(s->self);
	if (over || s->is_detached) {
		live_source_mark_progress(s);
		return 1;
	}
	live_source_publish_starved(s);
	sleep_ns(s->n_waits < PATIENCE ? NAP_NS : LONG_NAP_NS);
	return 0;
}

/*
 * A worker may wait for a peer that is busy. So the writers are only told that
 * the analysis is starved if all workers are idle.
 */
void live_source_publish_starved(struct live_source *s)
{
	if (s->is_held && !s->always_starved)
		tape_live_set_starved(
		    &s->live, !s->workers || live_workers_all_idle(s->workers));
}

void live_source_mark_progress(struct live_source *s)
{
	if (s->n_waits && s->workers)
		live_workers_mark_idle(s->workers, 0);
	s->n_waits = 0;
	if (s->is_held && s->live.starved && !s->always_starved)
		tape_live_set_starved(&s->live, 0);
}

/* ---- consuming ---- */

static struct file *get_flow_file(struct live_source *s, size_t flow)
{
	if (flow >= s->n_files) {
		size_t n = flow + 64;

		s->files = tape_must(realloc(s->files, n * sizeof *s->files));
		for (size_t i = s->n_files; i < n; i++)
			s->files[i] = (struct file){-1, 0, 0};
		s->n_files = n;
	}
	return &s->files[flow];
}

/* Stops consuming the trace, and marks it as starved for good, so that its
 * writers do not block. */
static void stop_consuming(struct live_source *s)
{
	s->is_consuming = 0;
	if (live_workers_index(s->workers))
		return;
	tape_warn("%s: cannot free consumed data (%s); the trace will grow",
		  s->name,
		  errno == EMLINK ? "its flows are also files of another trace"
				  : strerror(errno));
	s->always_starved = 1;
	tape_live_set_starved(&s->live, 1);
}

static void consume_flow(struct live_source *s, size_t flow, struct file *f)
{
	const struct tape_flow_info *info = tape_trace_flow(s->t, flow);
	char path[4400];

	snprintf(path, sizeof path, "%s/flow.%d.%d", s->dir, info->rank,
		 info->thread);
	if (f->fd < 0)
		f->fd =
		    open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (f->fd < 0 || tape_live_consume(f->fd, &f->done, f->read))
		stop_consuming(s);
	if (f->fd >= 0 && tape_trace_flows(s->t) > OPEN_FILES) {
		close(f->fd);
		f->fd = -1;
	}
}

static void flow_consumed(void *self, size_t flow, uint64_t bytes)
{
	struct live_source *s = self;
	struct file *f = get_flow_file(s, flow);

	f->read = bytes;
	if (s->is_consuming)
		consume_flow(s, flow, f);
}

/* Called when new call sites were read: resolves them. */
static void sites_defined(void *self)
{
	struct live_source *s = self;

	if (s->resolver && !s->is_detached)
		tape_resolver_more(s->resolver);
}

/* ---- the beginning ---- */

/*
 * Waits until the trace begins, and locks it, so that its writers see a
 * consumer. Returns 0, or 1 if no trace will begin.
 */
static int await_trace(struct live_source *s)
{
	int64_t until = s->began_ns + (int64_t)(s->o->wait_s * 1e9);
	struct stat st;

	while (!file_exists(s->dir, "meta")) {
		if (!live_workers_index(s->workers) && !stat(s->dir, &st) &&
		    !S_ISDIR(st.st_mode))
			tape_die(TAPE_FAILED,
				 "%s: not a trace: not a directory", s->name);
		if (atomic_load(&s->shared->stop) || launcher_has_ended(s))
			return 1;
		if (live_now_ns() > until && !live_workers_index(s->workers))
			tape_die(TAPE_FAILED,
				 "%s: no trace appeared there within %g s "
				 "(--wait)",
				 s->name, s->o->wait_s);
		s->tick(s->self);
		if (s->workers)
			live_workers_check_alive(s->workers);
		sleep_ns(LONG_NAP_NS);
	}
	if (live_workers_index(s->workers))
		return 0;
	switch (tape_live_hold(&s->live, s->dir)) {
	case 0:
		s->is_held = 1;
		break;
	case TAPE_EFORMAT:
		tape_die(TAPE_FAILED,
			 "%s/" TAPE_LIVE_FILE ": of another "
			 "version of Tape, or not its file",
			 s->name);
	default:
		if (errno == EWOULDBLOCK)
			tape_die(
			    TAPE_FAILED,
			    "%s: another tapelive already reads this trace",
			    s->name);
		/* a trace that is only read needs no consumer */
		break;
	}
	return 0;
}

/* Returns 1 if the trace was written for streaming. */
static int is_stream(const struct tape_trace *t)
{
	const char *v = tape_trace_meta(t, "stream", 0);

	return v && (!strcmp(v, "node") || !strcmp(v, "mpi"));
}

/* Releases the trace. Removes the file "live" if no writer needs it any more.
 */
static void release_live_file(struct live_source *s, int is_over)
{
	if (!s->is_held)
		return;
	if (s->t && (is_over || !is_stream(s->t)))
		tape_live_remove(&s->live, s->dir);
	tape_live_release(&s->live);
	s->is_held = 0;
}

/*
 * A trace made by sba shares its flows with the original trace: consuming one
 * would empty the other.
 */
static void reject_linked_flows(struct live_source *s)
{
	char path[4400];
	struct stat st;

	for (size_t i = 0; i < tape_trace_flows(s->t); i++) {
		const struct tape_flow_info *f = tape_trace_flow(s->t, i);

		snprintf(path, sizeof path, "%s/flow.%d.%d", s->dir, f->rank,
			 f->thread);
		if (lstat(path, &st) || st.st_nlink < 2)
			continue;
		release_live_file(s, 0);
		tape_die(TAPE_FAILED,
			 "%s/flow.%d.%d is also a file of another trace, which "
			 "--consume would empty, too",
			 s->name, f->rank, f->thread);
	}
}

/* Decides whether the trace is consumed. With --keep nothing is consumed, so
 * the writers must not block. */
static void decide_consumption(struct live_source *s)
{
	int consumes =
	    s->is_held && !s->o->keep && (s->o->consume || is_stream(s->t));

	if (s->o->consume && !live_workers_index(s->workers))
		reject_linked_flows(s);
	if (s->workers && !live_workers_agree(s->workers, s->t, &consumes)) {
		if (live_workers_index(s->workers))
			exit(TAPE_DONE);
		s->workers = NULL;
	}
	s->is_consuming = consumes;
	if (s->is_held && !s->is_consuming) {
		s->always_starved = 1;
		tape_live_set_starved(&s->live, 1);
	}
}

/* Ends the process; worker 0 prints the message. */
__attribute__((noreturn, format(printf, 2, 3))) static void
die_of_source(struct live_source *s, const char *format, ...)
{
	char why[4500];
	va_list ap;

	if (live_workers_index(s->workers))
		exit(TAPE_FAILED);
	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	release_live_file(s, 0);
	tape_die(TAPE_FAILED, "%s", why);
}

struct live_source *live_source_open(const struct live_options *o,
				     const char *dir, const char *name,
				     struct live_shared *shared,
				     struct live_workers *workers,
				     void (*tick)(void *), void *self)
{
	struct live_source *s = tape_must(calloc(1, sizeof *s));
	struct tape_following by = {wait_for_flow, flow_consumed, sites_defined,
				    s};
	int fd;

	*s = (struct live_source){.o = o,
				  .dir = dir,
				  .name = name,
				  .shared = shared,
				  .workers = workers,
				  .tick = tick,
				  .self = self,
				  .end_reason = "",
				  .began_ns = live_now_ns()};
	if (gethostname(s->host, sizeof s->host - 1))
		s->host[0] = '\0';
	if (await_trace(s))
		die_of_source(s, "%s: no trace appeared there", name);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		die_of_source(s, "%s: %s", name, strerror(errno));
	if (tape_trace_follow_at(fd, name, &by, &s->t))
		die_of_source(s, "%s", tape_trace_error(s->t));
	close(fd);
	s->opened_ns = live_now_ns();
	decide_consumption(s);
	s->resolver = tape_resolver_new(s->t);
	if (live_workers_index(s->workers))
		tape_resolver_quiet(s->resolver);
	tape_resolver_more(s->resolver);
	return s;
}

/* ---- the state of the source ---- */

struct tape_trace *live_source_trace(const struct live_source *s)
{
	return s->t;
}

struct live_workers *live_source_workers(const struct live_source *s)
{
	return s->workers;
}

uint64_t live_source_unread_bytes(const struct live_source *s)
{
	return live_source_own_unread(s) +
	       (s->workers ? live_workers_peer_unread(s->workers) : 0);
}

uint64_t live_source_own_unread(const struct live_source *s)
{
	const struct tape_peers *p = live_workers_peers(s->workers);
	uint64_t sum = 0, all, read;

	for (size_t i = 0; i < tape_trace_flows(s->t); i++) {
		if (!tape_peers_owns_rank(p, tape_trace_flow(s->t, i)->rank))
			continue;
		all = tape_trace_flow_bytes(s->t, i);
		read = i < s->n_files ? s->files[i].read : 0;
		/* the current chunk counts as read */
		sum += all > read + TAPE_CHUNK_BYTES
			   ? all - read - TAPE_CHUNK_BYTES
			   : 0;
	}
	return sum;
}

int live_source_is_starved(const struct live_source *s)
{
	return s->n_waits > 0;
}

int64_t live_source_start_ns(const struct live_source *s)
{
	return s->opened_ns;
}

const char *live_source_end_reason(const struct live_source *s)
{
	return s->end_reason;
}

const char *live_source_directory(const struct live_source *s)
{
	return s->dir;
}

void live_source_detach(struct live_source *s)
{
	s->is_detached = 1;
	s->is_consuming = 0;
	if (s->is_held)
		tape_live_release(&s->live);
	s->is_held = 0;
}

void live_source_close(struct live_source *s)
{
	for (size_t i = 0; i < s->n_files; i++)
		if (s->files[i].fd >= 0)
			close(s->files[i].fd);
	free(s->files);
	free(s->writers);
	tape_resolver_free(s->resolver);
	release_live_file(s, !*s->end_reason);
	tape_trace_close(s->t);
	free(s);
}
