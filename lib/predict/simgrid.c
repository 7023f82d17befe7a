/* See sim_simgrid.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_input.h"
#include "growing_array.h"
#include "output_cleanup.h"
#include "sim_simgrid.h"
#include "simgrid_process.h"
#include "simgrid_text.h"
#include "tool.h"

/* A run in progress. */
struct run {
	const struct sim_simgrid *asked;
	struct tape_actions *actions;
	size_t ranks;
	char **hosts; /* of the platform */
	size_t n_hosts, room, last;
	/* folder of the files; at: its parent, dir: itself */
	char folder[4200];
	int at, dir;
	struct tape_cleanup *made;
	char *error;
	size_t n;
};

__attribute__((format(printf, 3, 4))) static int
fail_run(struct run *r, int rc, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->error, r->n, format, args);
	va_end(args);
	return rc;
}

const char *sim_simgrid_why_missing(void)
{
	return sim_replayer_path()
		   ? NULL
		   : "SimGrid is not installed: install libsimgrid-dev (./deps "
		     "does), and build Tape again";
}

/* ---- hosts ---- */

static void add_host(void *self, char *name)
{
	struct run *r = self;

	r->hosts = tape_must(tape_grow_array(r->hosts, &r->room, r->n_hosts + 1,
					     sizeof *r->hosts));
	r->hosts[r->n_hosts++] = tape_must(strdup(name));
}

static int list_hosts(struct run *r)
{
	char *argv[] = {(char *)(uintptr_t)sim_replayer_path(),
			"--hosts",
			(char *)(uintptr_t)r->asked->platform,
			"--log=root.fmt:%p|%m%n",
			"--log=root.thresh:warning",
			NULL};
	char why[2048];

	/* SimGrid would block on a pipe, and read a file of any size */
	fclose(tape_file_input(r->asked->platform));
	if (sim_replayer_run(argv, add_host, r, why, sizeof why))
		return fail_run(r, TAPE_EFORMAT, "%s: %s", r->asked->platform,
				why);
	return 0;
}

/*
 * Finds the host with a name. Neighbouring ranks are usually on neighbouring
 * hosts.
 */
static long find_host(struct run *r, size_t rank, const char *name)
{
	for (size_t i = 0; i < r->n_hosts; i++) {
		size_t h = (r->last + i) % r->n_hosts;

		if (!strcmp(r->hosts[h], name)) {
			r->last = h;
			return (long)h;
		}
	}
	fail_run(r, TAPE_ERANGE,
		 "%s: rank %zu is mapped to %s, which is not a host of this "
		 "platform",
		 r->asked->platform, rank, name);
	return -1;
}

/* Chooses the host of a rank. Returns -1 with an error message. */
static long choose_host(struct run *r, size_t rank)
{
	const struct sim_what_if *w = &r->asked->what_if;
	size_t each = w->ranks_per_host > 0 ? (size_t)w->ranks_per_host : 1;
	size_t need = (r->ranks + each - 1) / each;

	if (w->host_name)
		return find_host(r, rank, w->host_name[rank]);
	if (w->host_of) {
		if (w->host_of[rank] >= 0 &&
		    (size_t)w->host_of[rank] < r->n_hosts)
			return w->host_of[rank];
		fail_run(r, TAPE_ERANGE,
			 "%s: rank %zu is mapped to host %d, but the %zu hosts "
			 "are 0 to %zd",
			 r->asked->platform, rank, w->host_of[rank], r->n_hosts,
			 (ssize_t)r->n_hosts - 1);
		return -1;
	}
	if (need <= r->n_hosts)
		return (long)(rank / each);
	fail_run(r, TAPE_ERANGE,
		 "%s: hosts: %zu; needed: %zu; --ranks-per-host, --hosts, "
		 "--map or --hostfile let ranks share them",
		 r->asked->platform, r->n_hosts, need);
	return -1;
}

/* ---- files ---- */

static int fail_file(struct run *r, const char *name)
{
	return fail_run(
	    r, TAPE_EIO,
	    "%s/%s: %s (TMPDIR selects the folder of files for SimGrid)",
	    r->folder, name, strerror(errno));
}

static int make_folder(struct run *r)
{
	const char *tmp = getenv("TMPDIR");
	char name[64];

	if (!tmp || !*tmp)
		tmp = "/tmp";
	if (strlen(tmp) > 4096)
		return fail_run(r, TAPE_EIO, "TMPDIR is too long");
	snprintf(r->folder, sizeof r->folder, "%s", tmp);
	r->at = open(tmp, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->at < 0)
		return fail_file(r, "");
	for (int i = 0; r->dir < 0; i++) {
		snprintf(name, sizeof name, "tapesim.%d.%d", (int)getpid(), i);
		r->dir = tape_cleanup_directory(r->at, name, NULL, &r->made);
		if (r->dir < 0 && (errno != EEXIST || i == 1000))
			return fail_file(r, name);
	}
	if (fchmod(r->dir, 0700))
		return fail_file(r, name);
	snprintf(r->folder, sizeof r->folder, "%.4096s/%s", tmp, name);
	return 0;
}

static FILE *make_file(struct run *r, const char *name)
{
	int fd = tape_cleanup_file(r->dir, name, r->made, NULL);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f) {
		fail_file(r, name);
		if (fd >= 0)
			close(fd);
	}
	return f;
}

static int end_file(struct run *r, FILE *f, const char *name)
{
	int bad = ferror(f);

	if (fclose(f) || bad)
		return fail_file(r, name);
	return 0;
}

static double rank_speed(const struct run *r, size_t rank)
{
	const struct sim_what_if *w = &r->asked->what_if;
	double f = w->speed > 0 ? w->speed : 1;

	return w->rank_speed && w->rank_speed[rank] > 0 ?
		       f * w->rank_speed[rank] :
		       f;
}

/* Writes the actions of a rank, and creates the file for their times. */
static int write_rank_files(struct run *r, size_t rank)
{
	const struct tape_action *a;
	char name[32];
	FILE *f;
	int rc;

	snprintf(name, sizeof name, "dates.%zu", rank);
	f = make_file(r, name);
	if (!f || end_file(r, f, name))
		return TAPE_EIO;
	snprintf(name, sizeof name, "rank.%zu", rank);
	f = make_file(r, name);
	if (!f)
		return TAPE_EIO;
	while ((rc = tape_actions_next(r->actions, (int)rank, &a)) == 1) {
		double s = rank_speed(r, rank);

		if (a->kind == TAPE_ACTION_PACK && r->asked->no_packing)
			s = INFINITY;
		sim_simgrid_write_line(f, (int)rank, a, s);
	}
	if (end_file(r, f, name))
		return TAPE_EIO;
	return rc < 0 ? fail_run(r, rc, "%s", tape_actions_error(r->actions))
		      : 0;
}

static int write_files(struct run *r)
{
	FILE *f;
	int rc = 0;

	for (size_t i = 0; i < r->ranks && !rc; i++)
		rc = write_rank_files(r, i);
	if (rc)
		return rc;
	f = make_file(r, "hosts");
	if (!f)
		return TAPE_EIO;
	for (size_t i = 0; i < r->ranks; i++) {
		long h = choose_host(r, i);

		if (h < 0) {
			fclose(f);
			return TAPE_ERANGE;
		}
		fprintf(f, "%s\n", r->hosts[h]);
	}
	return end_file(r, f, "hosts");
}

/* ---- the run ---- */

static int run_replayer(struct run *r)
{
	const struct sim_what_if *w = &r->asked->what_if;
	char small[64], detached[64], selector[128], latency[32],
		bandwidth[32], why[2048];
	char *argv[16], **p = argv;

	*p++ = (char *)(uintptr_t)sim_replayer_path();
	*p++ = "--log=root.fmt:%p|%m%n";
	*p++ = "--log=root.thresh:warning";
	*p++ = "--cfg=smpi/host-speed:1Gf";
	if (w->eager_bytes >= 0) {
		snprintf(small, sizeof small,
			 "--cfg=smpi/async-small-thresh:%" PRId64,
			 w->eager_bytes);
		snprintf(detached, sizeof detached,
			 "--cfg=smpi/send-is-detached-thresh:%" PRId64,
			 w->eager_bytes);
		*p++ = small;
		*p++ = detached;
	}
	if (w->collectives) {
		snprintf(selector, sizeof selector,
			 "--cfg=smpi/coll-selector:%s", w->collectives);
		*p++ = selector;
	}
	*p++ = (char *)(uintptr_t)r->asked->platform;
	*p++ = r->folder;
	snprintf(latency, sizeof latency, "%.17g",
		 w->latency ? *w->latency : 1);
	snprintf(bandwidth, sizeof bandwidth, "%.17g",
		 w->bandwidth > 0 ? w->bandwidth : 1);
	if (w->latency || w->bandwidth > 0) {
		*p++ = latency;
		*p++ = bandwidth;
	}
	*p = NULL;
	if (sim_replayer_run(argv, NULL, NULL, why, sizeof why))
		return fail_run(r, TAPE_EFORMAT, "SimGrid: %s", why);
	return 0;
}

/* ---- times ---- */

static int64_t decode_int64(const unsigned char *p)
{
	uint64_t v = 0;

	for (int i = 7; i >= 0; i--)
		v = v << 8 | p[i];
	return (int64_t)v;
}

/* Passes on the times of a rank's actions, which are read once more. */
static int read_rank_times(struct run *r, size_t rank,
			   const struct sim_times *times)
{
	const struct tape_action *a;
	unsigned char two[16];
	char name[32];
	FILE *f;
	int rc = 0, fd, put = 0;

	snprintf(name, sizeof name, "dates.%zu", rank);
	fd = openat(r->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f)
		return fail_file(r, name);
	while (!put &&
	       (rc = tape_actions_next(r->actions, (int)rank, &a)) == 1) {
		if (fread(two, sizeof two, 1, f) != 1) {
			rc = fail_run(r, TAPE_ETRUNCATED,
				      "SimGrid returned no timestamps for the "
				      "last actions of rank %zu",
				      rank);
			fclose(f);
			return rc;
		}
		put = times->put(times->self, (int)rank, a, decode_int64(two),
				 decode_int64(two + 8));
	}
	fclose(f);
	if (put)
		return put;
	return rc < 0 ? fail_run(r, rc, "%s", tape_actions_error(r->actions))
		      : 0;
}

static int read_times(struct run *r, const struct sim_times *times)
{
	int rc = 0;

	for (size_t i = 0; i < r->ranks && !rc; i++)
		rc = read_rank_times(r, i, times);
	return rc;
}

static int open_actions(struct run *r)
{
	int rc;

	tape_actions_close(r->actions);
	r->actions = NULL;
	rc = r->asked->open(r->asked->self, &r->actions);
	if (rc)
		return fail_run(r, rc, "%s", tape_actions_error(r->actions));
	r->ranks = tape_actions_ranks(r->actions);
	return 0;
}

static void end_run(struct run *r)
{
	tape_actions_close(r->actions);
	if (r->made)
		tape_cleanup_remove(r->made);
	if (r->dir >= 0)
		close(r->dir);
	if (r->at >= 0)
		close(r->at);
	for (size_t i = 0; i < r->n_hosts; i++)
		free(r->hosts[i]);
	free(r->hosts);
}

int sim_simgrid_run(const struct sim_simgrid *asked,
		    const struct sim_times *times, char *error, size_t n)
{
	struct run r = { .asked = asked, .at = -1, .dir = -1,
			 .error = error, .n = n };
	int rc = 0;

	*error = '\0';
	if (sim_simgrid_why_missing())
		return fail_run(&r, TAPE_EIO, "%s", sim_simgrid_why_missing());
	if (!rc)
		rc = list_hosts(&r);
	if (!rc)
		rc = open_actions(&r);
	if (!rc && r.ranks && choose_host(&r, r.ranks - 1) < 0)
		rc = TAPE_ERANGE;
	if (!rc)
		rc = make_folder(&r);
	if (!rc)
		rc = write_files(&r);
	if (!rc)
		rc = run_replayer(&r);
	if (!rc)
		rc = open_actions(&r);
	if (!rc)
		rc = read_times(&r, times);
	end_run(&r);
	return rc;
}
