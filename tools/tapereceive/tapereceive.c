/*
 * tapelive in an MPI job: the receivers. They receive the traces of the other
 * programs and write them into a spool, where tapelive follows them. There is a
 * receiver for each installed MPI library (libexec/tapelive-openmpi, -mpich).
 * tapelive executes it when it is started as part of a job.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock_ms.h"
#include "follower.h"
#include "stream_piece.h"
#include "live_file.h"
#include "partitions.h"
#include "remove_tree.h"
#include "routes.h"
#include "siblings.h"
#include "spool.h"
#include "streams.h"
#include "tool.h"

static const char usage[] =
    "[-kKx] [-S DIR] [-- OPTION...]\n"
    "  -k      traces are kept whole, in the spool, and not analysed\n"
    "  -K      they are kept, and followed\n"
    "  -x      ends the job\n"
    "  -S DIR  spool; default: a new directory in /dev/shm\n";

/* Bytes in front of a relayed message: the rank that sent it. */
enum { OWNER = 8 };

/* After SIGTERM: ends after QUIET_MS without data, at most LATEST_MS later. */
enum { QUIET_MS = 30, LATEST_MS = 300 };

struct program {
	char dir[4096 + 300];
	struct spool_program *spool; /* NULL: it is not written here */
	tape_stream *in;	     /* NULL: all data has arrived */
};

static struct {
	const struct tape_partitions *all;
	struct tape_links links;
	struct program *programs;  /* by partition; empty for analysers */
	int *program_of, *rank_of; /* by rank of the job */
	char spool[4096];
	int no_follower, keep; /* no follower; traces are not removed */
	int made_spool;	       /* this job made the spool */
	tape_stream *relay;    /* relays to the first receiver, or NULL */
	tape_stream *relayed;  /* first receiver: relayed data, or NULL */
	int follower;	       /* process id, or 0 */
	int followed;	       /* there is a follower */
	int write_failed;      /* writing failed: no more data is written */
} r;

static volatile sig_atomic_t end_requested;

static void request_end(int signal_)
{
	(void)signal_;
	end_requested = 1;
}

/* Only the first receiver prints messages that concern all of them. */
static int is_first_receiver(void)
{
	return r.all->my_rank == 0;
}

/* Ends the receiver by MPI_Finalize. The reason was printed by one receiver. */
static void leave_job(int status)
{
	tape_partitions_close();
	MPI_Finalize();
	if (status)
		siblings_wait();
	exit(status);
}

/* Lists the programs of the job. Ends the receiver if there is none to trace,
 * or their versions of Tape differ. */
static void check_job_programs(void)
{
	int writers = 0, *to;

	r.programs = tape_must(calloc((size_t)r.all->n, sizeof *r.programs));
	r.program_of = tape_must(malloc((size_t)r.all->size * sizeof(int)));
	r.rank_of = tape_must(malloc((size_t)r.all->size * sizeof(int)));
	to = tape_must(tape_routes(r.all));
	for (int i = 0; i < r.all->n; i++)
		for (int k = 0; k < r.all->list[i].size; k++) {
			int rank = r.all->list[i].ranks[k];

			r.program_of[rank] = i;
			r.rank_of[rank] = k;
			for (int m = 0; m < r.all->my->size; m++)
				writers += to[rank] == r.all->my->ranks[m];
		}
	free(to);
	if (!r.all->one_version || !writers) {
		if (is_first_receiver())
			tape_warn(
			    r.all->one_version
				? "no other program is in this job: mpirun "
				  "-np N taperun -s stream=mpi PROGRAM : -np "
				  "M tapelive"
				: "the programs of this job run different "
				  "versions of Tape");
		leave_job(TAPE_FAILED);
	}
}

/* Returns 1 if the receivers of this partition write the program's trace. */
static int receives_program(int program, const int *to)
{
	const struct tape_partition *p = &r.all->list[program];

	for (int k = 0; k < p->size; k++)
		for (int m = 0; m < r.all->my->size; m++)
			if (to[p->ranks[k]] == r.all->my->ranks[m])
				return 1;
	return 0;
}

/* The first receiver makes the spool and its directories. r.spool is "" if it
 * cannot. */
static void make_spool(const int *to)
{
	char names[4096];

	if (!*r.spool) {
		snprintf(r.spool, sizeof r.spool, "/dev/shm/tape-XXXXXX");
		r.made_spool = mkdtemp(r.spool) != NULL;
	} else {
		r.made_spool = !mkdir(r.spool, 0777);
	}
	if (!r.made_spool && errno != EEXIST) {
		tape_warn("%s: %s", r.spool, strerror(errno));
		*r.spool = '\0';
		return;
	}
	/* absolute: other receivers may have another directory */
	if (!realpath(r.spool, names) || strlen(names) > 4000) {
		tape_warn("%s: %s", r.spool, strerror(errno));
		*r.spool = '\0';
		return;
	}
	snprintf(r.spool, sizeof r.spool, "%s", names);
	for (int i = 0; i < r.all->n && *r.spool; i++) {
		if (!receives_program(i, to))
			continue;
		snprintf(r.programs[i].dir, sizeof r.programs[i].dir, "%s/%s",
			 r.spool, r.all->list[i].name);
		if (mkdir(r.programs[i].dir, 0777)) {
			tape_warn("%s: %s", r.programs[i].dir, strerror(errno));
			*r.spool = '\0';
		}
	}
}

/*
 * Finds the receivers that can access the spool: the analysis uses that many
 * processes, on their processors (where), to which MPI may have bound them.
 * mine: this receiver can. Returns the flag of each receiver. *see: their
 * number.
 */
static int *count_spool_viewers(int mine, int *see, cpu_set_t *where)
{
	int n = r.all->my->size;
	int *sees = tape_must(malloc((size_t)n * sizeof *sees));
	cpu_set_t own, *all = tape_must(calloc((size_t)n, sizeof *all));

	CPU_ZERO(&own);
	if (mine)
		(void)sched_getaffinity(0, sizeof own, &own);
	MPI_Allgather(&mine, 1, MPI_INT, sees, 1, MPI_INT, r.all->mine);
	MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0,
		   r.all->mine);
	*see = 0;
	CPU_ZERO(where);
	for (int m = 0; m < n; m++) {
		*see += sees[m];
		CPU_OR(where, where, &all[m]);
	}
	free(all);
	return sees;
}

/* Starts the follower before any data arrives. */
static void start_follower(char *const *args, int processes,
			   const cpu_set_t *where)
{
	char **dirs = tape_must(calloc((size_t)r.all->n + 1, sizeof *dirs));
	int n = 0;

	for (int i = 0; i < r.all->n; i++)
		if (*r.programs[i].dir)
			dirs[n++] = r.programs[i].dir;
	if (!r.no_follower)
		r.follower =
		    follower_start(args, dirs, r.keep, processes, where);
	if (!r.follower)
		r.keep = 1;
	r.followed = r.follower != 0;
	free(dirs);
}

/* Opens the streams by which receivers that cannot access the spool relay their
 * data to the first receiver. */
static void open_relay_streams(const int *sees, int mine)
{
	int *away = tape_must(malloc((size_t)r.all->my->size * sizeof *away));
	const struct tape_stream_options o = {.block =
						  TAPE_FRAME_MESSAGE + OWNER};
	int n = 0, rc = 0;

	for (int m = 1; m < r.all->my->size; m++)
		if (!sees[m])
			away[n++] = r.all->my->ranks[m];
	if (!mine)
		rc = tape_links_stream(&r.links, &r.all->my->ranks[0], 1, "w",
				       &o, &r.relay);
	else if (is_first_receiver() && n)
		rc = tape_links_stream(&r.links, away, n, "r", &o, &r.relayed);
	if (rc)
		tape_die(TAPE_FAILED, "connection between receivers: %s",
			 tape_stream_text(rc));
	free(away);
}

static void share_spool(const int *to, char *const *args)
{
	cpu_set_t where;
	int mine, see, *sees;

	MPI_Bcast(r.spool, sizeof r.spool, MPI_BYTE, 0, r.all->mine);
	if (!*r.spool)
		leave_job(TAPE_FAILED);
	mine = !access(r.spool, W_OK);
	sees = count_spool_viewers(mine, &see, &where);
	if (is_first_receiver())
		start_follower(args, see, &where);
	MPI_Bcast(&r.followed, 1, MPI_INT, 0, r.all->mine);
	open_relay_streams(sees, mine);
	for (int i = 0; i < r.all->n && mine; i++) {
		struct program *p = &r.programs[i];

		if (!receives_program(i, to))
			continue;
		snprintf(p->dir, sizeof p->dir, "%s/%s", r.spool,
			 r.all->list[i].name);
		p->spool = tape_must(spool_open(p->dir));
	}
	free(sees);
}

/* Opens a stream for each program, from the processes assigned to this
 * receiver. */
static void open_streams(const int *to)
{
	const struct tape_stream_options o = {.block = TAPE_FRAME_MESSAGE};
	int *peers = tape_must(malloc((size_t)r.all->size * sizeof *peers));

	for (int i = 0; i < r.all->n; i++) {
		const struct tape_partition *p = &r.all->list[i];
		int n = 0, rc;

		for (int k = 0; k < p->size; k++)
			if (to[p->ranks[k]] == r.all->rank)
				peers[n++] = p->ranks[k];
		rc = n ? tape_links_stream(&r.links, peers, n, "r", &o,
					   &r.programs[i].in)
		       : 0;
		if (rc)
			tape_die(TAPE_FAILED, "%s: %s", p->name,
				 tape_stream_text(rc));
	}
	free(peers);
}

/* Writes a message of a process of the job to the spool, or relays it. */
static void write_or_relay(int owner, const void *message, size_t bytes)
{
	struct program *p = &r.programs[r.program_of[owner]];
	char error[5000];
	void *buffer;

	if (r.relay) {
		if (tape_stream_room(r.relay, &buffer, 0) != 1)
			return;
		memcpy(buffer, &owner, sizeof owner);
		memcpy((char *)buffer + OWNER, message, bytes);
		tape_stream_put(r.relay, bytes + OWNER);
		return;
	}
	if (r.write_failed || !p->spool ||
	    spool_write_message(p->spool, r.rank_of[owner], message, bytes,
				error, sizeof error) == SPOOL_WRITTEN)
		return;
	tape_warn("%s; later events are lost", error);
	r.write_failed = r.keep = 1;
}

/* Writes a message that another receiver has relayed. */
static void write_relayed(const void *message, size_t bytes)
{
	int owner;

	memcpy(&owner, message, sizeof owner);
	if (bytes > OWNER && owner >= 0 && owner < r.all->size)
		write_or_relay(owner, (const char *)message + OWNER,
			       bytes - OWNER);
}

/* Receives a message of a stream without blocking. Returns 0 if there is none;
 * closes the stream at its end. */
static int receive_from(tape_stream **in, int passed)
{
	const void *message;
	int from;
	long n = tape_stream_look(*in, &message, &from, TAPE_STREAM_NONBLOCK);

	if (n == TAPE_STREAM_EAGAIN)
		return 0;
	if (n <= 0) {
		if (n < 0)
			tape_warn("a stream failed: %s",
				  tape_stream_text((int)n));
		tape_stream_close(*in);
		*in = NULL;
		return 1;
	}
	if (passed)
		write_relayed(message, (size_t)n);
	else
		write_or_relay(from, message, (size_t)n);
	tape_stream_done(*in);
	return 1;
}

static int any_spool_is_full(void)
{
	for (int i = 0; i < r.all->n; i++)
		if (r.programs[i].spool &&
		    spool_is_full(r.programs[i].spool, r.followed))
			return 1;
	return 0;
}

static void check_follower(void)
{
	int status = r.follower ? follower_poll_status(r.follower) : -1;

	if (status < 0)
		return;
	tape_warn("tapelive ended with status %d while the programs run; the "
		  "rest of their traces is stored in %s",
		  status, r.spool);
	r.follower = r.followed = 0;
	r.keep = 1;
}

/* Receives until every stream has ended or the user ends the job. */
static void receive_all_data(void)
{
	int64_t last = tape_now_ms(), told = 0, looked = 0;
	int open = 1;

	for (unsigned tries = 0; open; tries++) {
		int some = 0;

		open = 0;
		for (int i = 0; i < r.all->n; i++) {
			struct program *p = &r.programs[i];

			open |= p->in != NULL;
			if (p->in && !(p->spool && !told &&
				       spool_is_full(p->spool, r.followed)))
				some |= receive_from(&p->in, 0);
		}
		open |= r.relayed != NULL;
		if (r.relayed && (told || !any_spool_is_full()))
			some |= receive_from(&r.relayed, 1);
		if (some) {
			tries = 0;
			last = tape_now_ms();
			continue;
		}
		if (end_requested && !told)
			told = last = tape_now_ms();
		if (told && (tape_now_ms() - last > QUIET_MS ||
			     tape_now_ms() - told > LATEST_MS))
			return;
		if (tape_now_ms() - looked > 200) {
			looked = tape_now_ms();
			check_follower();
		}
		tape_links_idle(tries);
	}
}

static void mark_spool_over(void)
{
	char path[sizeof r.spool + 16];
	FILE *f;

	snprintf(path, sizeof path, "%s/" TAPE_LIVE_OVER, r.spool);
	f = fopen(path, "w");
	if (f)
		fclose(f);
}

static void clear_spool(void)
{
	for (int i = 0; i < r.all->n; i++)
		if (*r.programs[i].dir)
			tape_remove_tree(AT_FDCWD, r.programs[i].dir, NULL);
	if (r.made_spool)
		tape_remove_tree(AT_FDCWD, r.spool, NULL);
}

/* Waits for the follower, and removes the spool unless it is kept. Returns the
 * exit status. */
static int finish_spool(void)
{
	int status = TAPE_DONE;

	if (!is_first_receiver())
		return status;
	if (r.follower)
		status = follower_wait(r.follower);
	if (r.keep)
		for (int i = 0; i < r.all->n; i++)
			if (*r.programs[i].dir)
				tape_warn("the trace of %s is %s",
					  r.all->list[i].name,
					  r.programs[i].dir);
	if (!r.keep)
		clear_spool();
	return status || r.write_failed ? TAPE_FAILED : TAPE_DONE;
}

static void open_receiver(char *const *args)
{
	struct rlimit l;
	int *to;

	/* a file for each flow */
	if (!getrlimit(RLIMIT_NOFILE, &l)) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
	if (tape_links_open(&r.links, r.all->universe, TAPE_LINKS_TRACER))
		tape_die_no_memory();
	to = tape_must(tape_routes(r.all));
	if (is_first_receiver())
		make_spool(to);
	share_spool(to, args);
	open_streams(to);
	free(to);
}

static void close_receiver(void)
{
	MPI_Request wait;

	for (int i = 0; i < r.all->n; i++)
		if (r.programs[i].spool)
			spool_close(r.programs[i].spool);
	if (end_requested) /* other processes may have ended */
		return;
	if (r.relay)
		tape_stream_close(r.relay);
	MPI_Ibarrier(r.all->mine, &wait);
	tape_links_wait(1, &wait);
	tape_links_close(&r.links);
}

int main(int argc, char **argv)
{
	struct tape_partition_request request = {.name = "tapelive",
						 .analyser = 1};
	struct sigaction end = {.sa_handler = request_end};
	char error[TAPE_PARTITION_ERROR];
	int c, wrong = 0;

	tape_tool("tapelive");
	while ((c = getopt(argc, argv, "+kKxS:hV")) != -1)
		switch (c) {
		case 'k':
			r.no_follower = r.keep = 1;
			break;
		case 'K':
			r.keep = 1;
			break;
		case 'x':
			wrong = 1;
			break;
		case 'S':
			snprintf(r.spool, sizeof r.spool, "%s", optarg);
			break;
		default:
			tape_usage(c, usage);
		}
	if (getenv("TAPE_PARTITIONED") && *getenv("TAPE_PARTITIONED"))
		request.name = getenv("TAPE_PARTITIONED");
	MPI_Init(&argc, &argv);
	/* the error was printed; abort, or the job would wait forever */
	if (wrong)
		MPI_Abort(MPI_COMM_WORLD, TAPE_USAGE);
	if (tape_partitions_open(&request, error, sizeof error))
		tape_die(TAPE_FAILED, "%s", error);
	r.all = tape_partitions();
	check_job_programs();
	sigaction(SIGTERM, &end, NULL);
	open_receiver(argv + optind);
	receive_all_data();
	close_receiver();
	if (is_first_receiver())
		mark_spool_over();
	if (end_requested) {
		/* after SIGTERM the job need not end in order */
		fflush(NULL);
		_exit(finish_spool() ? TAPE_FAILED : TAPE_FAILED);
	}
	{
		int status;

		/* the programs do not wait for the rest of the analysis */
		MPI_Finalize();
		status = finish_spool();
		if (status)
			siblings_wait();
		return status;
	}
}
