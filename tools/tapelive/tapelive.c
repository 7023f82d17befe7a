/*
 * tapelive: the analysis of tapestat for a trace that is being written, with
 * snapshots while the program runs.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "growing_array.h"
#include "option_number.h"
#include "cut.h"
#include "file_output.h"
#include "live.h"
#include "live_page.h"
#include "program_options.h"
#include "report_html.h"
#include "screen.h"
#include "snapshot_feed.h"
#include "tool.h"

enum { LINE_MOST = 1 << 26, PROGRAMS_MOST = 64, PROCESSES_MOST = 256 };

/* The trace of a program, and the engine that follows it. */
struct program {
	const char *dir, *name;
	pid_t *pid;	  /* by worker */
	int pipe, report; /* pipe -1: closed; report: the engine's output */
	int chapter;	  /* of the report page; -1: none */
	char *line;	  /* data of the pipe, less than a line */
	size_t n, room;
	char *view; /* the latest text snapshot, or NULL */
	int unseen; /* it is not printed yet (--line-every) */
};

static struct live_shared *shared;
static volatile sig_atomic_t stops;

static void on_stop(int signal)
{
	(void)signal;
	stops++;
}

/* ---- options ---- */

static void add_plugin_option(struct live_options *o, const char *what)
{
	o->plugin =
	    tape_must(realloc(o->plugin, (o->plugins + 1) * sizeof *o->plugin));
	o->plugin[o->plugins++] = what;
}

static void parse_live_options(struct live_options *o, int argc, char **argv)
{
	int c, at = optind;

	for (; (c = tape_option_next("tapelive", argc, argv)) != -1;
	     at = optind)
		if (c == OPTION_TOP)
			o->view = 1;
		else if (c == OPTION_LINE_EVERY)
			o->lines = tape_option_real(optarg, 0.1, 1e6);
		else if (c == OPTION_KEEP)
			o->keep = 1;
		else if (c == OPTION_CONSUME)
			o->consume = 1;
		else if (c == OPTION_HISTORY)
			o->history = (size_t)tape_option_real(optarg, 0, 1e6)
				     << 20;
		else if (c == OPTION_REPORT)
			o->report = optarg;
		else if (c == OPTION_HTTP) {
			o->http = 1;
			o->port = optarg
				      ? (int)tape_option_real(optarg, 0, 65535)
				      : 0;
		} else if (c == OPTION_NO_TOKEN)
			o->open = 1;
		else if (c == OPTION_PLUGIN)
			add_plugin_option(o, optarg);
		else if (c == OPTION_PLUGIN_WAIT)
			o->each.wait_s = tape_option_real(optarg, 0, 1e6);
		else if (c == OPTION_PLUGIN_MEMORY)
			o->each.memory_mib = tape_option_real(optarg, 0, 1e9);
		else if (c == OPTION_WORKERS)
			o->each.workers = tape_plugins_workers(optarg);
		else if (c == OPTION_SPOOL)
			o->spool = (struct live_spool){optarg, at, optind};
		else if (c == OPTION_SPOOLED)
			o->spooled = 1;
		else if (c == OPTION_PROCESSES)
			o->processes =
			    (int)tape_option_real(optarg, 1, PROCESSES_MOST);
		else if (c == OPTION_WINDOW) {
			o->window = 1;
			tape_cut_window(optarg, &o->from_ns, &o->to_ns);
		} else if (c == 'o')
			o->output = optarg;
		else if (c == 'a')
			o->answer.all = 1;
		else if (c == 'c')
			o->answer.format = SHEET_AS_CSV;
		else if (c == 'i')
			o->every_s = tape_option_real(optarg, 0.05, 1e6);
		else if (c == 'j')
			o->answer.format = SHEET_AS_JSON;
		else if (c == 'n')
			o->answer.lines =
			    (size_t)tape_option_real(optarg, 0, 1e9);
		else if (c == 't')
			stat_output_add_table(&o->answer, optarg);
		else if (c == 'w')
			o->wait_s = tape_option_real(optarg, 0, 1e6);
		else
			tape_option_refuse("tapelive", c);
	stat_output_check(&o->answer);
	if (o->plugins && o->answer.format == SHEET_AS_CSV)
		tape_die(TAPE_USAGE, "--plugin cannot be combined with -c: "
				     "plug-in output is not a table");
	if (o->output && !o->window)
		tape_die(TAPE_USAGE, "-o needs --window");
	if (o->open && !o->http)
		tape_die(TAPE_USAGE, "--no-token needs --http");
	if (o->keep && o->consume)
		tape_die(TAPE_USAGE, "--keep and --consume contradict each "
				     "other");
	if (o->spool.dir && optind < argc)
		tape_die(TAPE_USAGE, "--spool cannot be combined with a trace "
				     "directory: it is for MPI jobs");
	if (o->view && !live_screen_is_available())
		tape_die(TAPE_USAGE, "--top needs a terminal. Without one use "
				     "--line-every");
}

/* ---- processes ---- */

/* Runs a worker of an engine; its standard output goes to the report file. */
__attribute__((noreturn)) static void
run_engine_process(const struct live_options *o, const struct program *p,
		   size_t i, struct live_workers *workers, int out)
{
	struct live_options mine = *o;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* a terminal sends these signals to all of its processes */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (dup2(p->report, STDOUT_FILENO) < 0)
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	mine.chapter = p->chapter;
	live_run_engine(&mine, p->dir, p->name, i, shared, workers, out);
}

static void start_process(const struct live_options *o, struct program *p,
			  size_t i, struct live_workers *workers, int me,
			  const int *fds)
{
	fflush(NULL);
	p->pid[me] = fork();
	if (p->pid[me] < 0)
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	if (p->pid[me])
		return;
	close(fds[0]);
	if (me)
		close(fds[1]);
	if (workers)
		live_workers_join(workers, me);
	run_engine_process(o, p, i, workers, me ? -1 : fds[1]);
}

static void start_program(const struct live_options *o, struct program *p,
			  size_t i)
{
	struct live_workers *workers = live_workers_new(o->processes);
	int fds[2];

	p->report = memfd_create("tapelive", MFD_CLOEXEC);
	p->chapter = -1;
	if (o->report)
		p->chapter = memfd_create("tapelive", MFD_CLOEXEC);
	if (p->report < 0 || (o->report && p->chapter < 0) || pipe(fds))
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	p->pid = tape_must(calloc((size_t)o->processes, sizeof *p->pid));
	for (int me = 0; me < o->processes; me++)
		start_process(o, p, i, workers, me, fds);
	live_workers_leave(workers);
	close(fds[1]);
	p->pipe = fds[0];
}

/* ---- snapshots of the engines ---- */

static void take_snapshot_line(struct program *p, size_t i)
{
	if (p->line[0] == SNAPSHOT_JSON) {
		live_publish(i, p->line + 1);
	} else if (p->line[0] == SNAPSHOT_VIEW) {
		free(p->view);
		p->view = tape_must(strdup(p->line + 1));
		p->unseen = 1;
	}
}

/* Reads a pipe, and closes it at its end. Returns 1 if there is news. */
static int read_engine_pipe(struct program *p, size_t i)
{
	int fresh = 0;
	ssize_t n;
	char *end;

	p->line =
	    tape_must(tape_grow_array(p->line, &p->room, p->n + 65536, 1));
	if (p->room > LINE_MOST)
		tape_die(TAPE_FAILED, "%s: a snapshot is too long", p->name);
	n = read(p->pipe, p->line + p->n, p->room - p->n);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0) {
		close(p->pipe);
		p->pipe = -1;
		return 1;
	}
	p->n += (size_t)n;
	while ((end = memchr(p->line, '\n', p->n))) {
		size_t bytes = (size_t)(end - p->line) + 1;

		*end = '\0';
		take_snapshot_line(p, i);
		memmove(p->line, p->line + bytes, p->n - bytes);
		p->n -= bytes;
		fresh = 1;
	}
	return fresh;
}

/* Prints the lines of each program that has a new snapshot. */
static void show_lines(struct program *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *line = list[i].unseen ? list[i].view : "";

		while (*line) {
			size_t bytes = strcspn(line, "\v");

			fprintf(stderr, "tapelive: %.*s\n", (int)bytes, line);
			line += bytes + (line[bytes] != '\0');
		}
		list[i].unseen = 0;
	}
}

/* Shows the latest snapshots. last: prints the lines even if it is early. */
static void show_programs(const struct live_options *o, struct program *list,
			  size_t n, int last)
{
	static int64_t next;

	if (live_screen_is_open()) {
		live_screen_begin();
		for (size_t i = 0; i < n; i++)
			live_screen_put(list[i].view);
		live_screen_end();
		return;
	}
	if (!(o->lines > 0) || (live_now_ns() < next && !last))
		return;
	next = live_now_ns() + (int64_t)(o->lines * 1e9);
	show_lines(list, n);
}

/* Sets the size of the view of an engine, so that all views fit. */
static void set_view_size(const struct live_options *o, size_t n)
{
	int rows = o->lines > 0, columns = 240;

	if (live_screen_is_open())
		live_screen_get_size(&rows, &columns);
	atomic_store(&shared->columns, columns);
	atomic_store(&shared->rows, live_screen_is_open() && rows > (int)n
					? rows / (int)n
					: rows);
}

/* Catches the signals that are not ignored. */
static void catch_stop_signals(void)
{
	static const int all[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction stop = {.sa_handler = on_stop}, before;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!sigaction(all[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(all[i], &stop, NULL);
}

/* Shows the programs until all pipes are closed. */
static void follow_programs(const struct live_options *o, struct program *list,
			    size_t n)
{
	struct pollfd *fds = tape_must(calloc(n + 1, sizeof *fds));
	size_t left = n;

	while (left) {
		int fresh = 0;

		set_view_size(o, n);
		for (size_t i = 0; i < n; i++)
			fds[i] = (struct pollfd){list[i].pipe, POLLIN, 0};
		fds[n] = (struct pollfd){live_screen_key_fd(), POLLIN, 0};
		(void)poll(fds, n + 1, 500);
		if (o->plugged)
			tape_plugins_check(o->plugged);
		if (stops > 1)
			tape_die(TAPE_FAILED, "stopped by a signal");
		if (stops)
			atomic_store(&shared->stop, 1);
		if (fds[n].revents && live_screen_read_key() == 'q')
			live_screen_close();
		for (size_t i = 0; i < n; i++) {
			if (!fds[i].revents || list[i].pipe < 0)
				continue;
			fresh |= read_engine_pipe(&list[i], i);
			left -= list[i].pipe < 0;
		}
		if (fresh)
			show_programs(o, list, n, !left);
	}
	free(fds);
}

/* ---- the end ---- */

static int wait_for_process(const struct program *p, pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	tape_warn("%s: its analysis process was terminated by signal %d",
		  p->name, WTERMSIG(status));
	return TAPE_FAILED;
}

static int wait_for_program(const struct program *p, int processes)
{
	int worst = TAPE_DONE, rc;

	for (int i = 0; i < processes; i++) {
		rc = wait_for_process(p, p->pid[i]);
		worst = rc > worst ? rc : worst;
	}
	return worst;
}

/*
 * Prints the output of an engine, with a heading if there are several programs.
 * Returns 1 if it left the JSON object open for the output of plug-ins.
 */
static int print_program_report(const struct live_options *o, struct program *p,
				size_t i, size_t n)
{
	off_t end = lseek(p->report, 0, SEEK_END);
	int open = n == 1 && o->plugged && o->answer.format == SHEET_AS_JSON &&
		   end > 2;
	char block[65536];
	ssize_t got;

	if (open)
		end -= 2; /* "}\n" */
	if (n > 1 && o->answer.format != SHEET_AS_JSON)
		printf("%sProgram %zu of %zu\n", i ? "\n" : "", i + 1, n);
	for (off_t at = 0; at < end; at += got) {
		got = pread(p->report, block, sizeof block, at);
		if (got <= 0)
			break;
		if (got > end - at)
			got = (ssize_t)(end - at);
		fwrite(block, 1, (size_t)got, stdout);
	}
	close(p->report);
	free(p->pid);
	free(p->line);
	free(p->view);
	return open;
}

/* Writes the report page of all programs whose analysis was completed. */
static void write_page(const struct live_options *o, const struct program *list,
		       size_t n)
{
	struct report_chapter **c = tape_must(calloc(n + 1, sizeof *c));
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		FILE *f = tape_must(fdopen(list[i].chapter, "r"));

		rewind(f);
		c[used] = report_chapter_load(f);
		used += c[used] != NULL;
		fclose(f);
	}
	if (used) {
		report_write(tape_file_begin(o->report), c, used, NULL);
		tape_file_commit();
	} else {
		tape_warn("%s: no events to report", o->report);
	}
	for (size_t i = 0; i < used; i++)
		report_chapter_free(c[i]);
	free(c);
}

/* Opens the live page. It starts a thread, so all processes must be forked. */
static struct live_page *open_page(const struct live_options *o)
{
	struct live_page *p;
	const char *why;

	if (!o->http)
		return NULL;
	p = live_page_start(o->port, !o->open, &why);
	if (!p) {
		tape_warn("--http: %s", why);
		return NULL;
	}
	live_subscribe(live_page_publish, p);
	tape_warn("live view: %s", live_page_address(p));
	return p;
}

/* Returns the name of a trace in messages: its directory, or "prog" for
 * "spool/prog.tape" if that directory will be removed. */
static const char *message_name(const struct live_options *o, const char *dir)
{
	const char *base = strrchr(dir, '/');
	char *name;
	size_t n;

	if (!o->spooled)
		return dir;
	name = tape_must(strdup(base ? base + 1 : dir));
	n = strlen(name);
	if (n > 5 && !strcmp(name + n - 5, ".tape"))
		name[n - 5] = '\0';
	return name;
}

static int follow_all(struct live_options *o, char **dirs, size_t n)
{
	const char **names = tape_must(calloc(n, sizeof *names));
	struct live_page *page;
	struct program *list = tape_must(calloc(n, sizeof *list));
	int worst = TAPE_DONE, rc, open = 0;

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	catch_stop_signals();
	set_view_size(o, n);
	o->programs = n;
	live_plugins_start(o, n);
	for (size_t i = 0; i < n; i++) {
		list[i].dir = dirs[i];
		list[i].name = names[i] = message_name(o, dirs[i]);
		start_program(o, &list[i], i);
	}
	page = open_page(o);
	if (o->view)
		live_screen_open();
	follow_programs(o, list, n);
	live_screen_close();
	live_page_stop(page);
	for (size_t i = 0; i < n; i++) {
		rc = wait_for_program(&list[i], o->processes);
		worst = rc > worst ? rc : worst;
		open = print_program_report(o, &list[i], i, n);
	}
	if (live_plugins_finish(o))
		worst = TAPE_FAILED;
	live_plugins_print(o, names, n, open);
	tape_plugins_free(o->plugged);
	if (o->report)
		write_page(o, list, n);
	free(list);
	return worst;
}

int main(int argc, char **argv)
{
	struct live_options o = {.answer = {.lines = STAT_LINES, .once = 1},
				 .wait_s = 60,
				 .every_s = 1,
				 .processes = 1,
				 .history = (size_t)256 << 20};
	int rc;

	tape_tool("tapelive");
	live_end_job_at_exit();
	parse_live_options(&o, argc, argv);
	if (optind == argc && o.window && !o.output)
		tape_die(
		    TAPE_USAGE,
		    "--window in an MPI job needs -o, the name of the result");
	live_become_receiver(&o.spool, o.keep, argc, argv);
	if (optind == argc || argc - optind > PROGRAMS_MOST)
		tape_option_usage("tapelive");
	rc = follow_all(&o, argv + optind, (size_t)(argc - optind));
	if (fflush(stdout) || ferror(stdout))
		tape_die(TAPE_FAILED, "standard output: %s", strerror(errno));
	return rc;
}
