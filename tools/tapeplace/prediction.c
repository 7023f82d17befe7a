/* See prediction.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "growing_array.h"
#include "number_text.h"
#include "escape.h"
#include "prediction.h"
#include "output_cleanup.h"
#include "tool.h"

/* Size of the larger message with which costs are measured. */
#define LARGE 1000000

/* ---- temporary files for tapesim ---- */

struct folder {
	char path[4200];
	int at, dir;
	struct tape_cleanup *made;
};

__attribute__((noreturn)) static void die_for_file(const struct folder *f,
						   const char *name)
{
	tape_die(TAPE_FAILED,
		 "%s/%s: %s (TMPDIR selects the folder of files for tapesim)",
		 f->path, name, strerror(errno));
}

static void create_run_folder(struct folder *f)
{
	const char *tmp = getenv("TMPDIR");
	char name[64];

	if (!tmp || !*tmp || strlen(tmp) > 4000)
		tmp = "/tmp";
	strcpy(f->path, tmp);
	f->dir = -1;
	f->at = open(tmp, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (f->at < 0)
		die_for_file(f, "");
	for (int i = 0; f->dir < 0; i++) {
		snprintf(name, sizeof name, "tapeplace.%d.%d", (int)getpid(),
			 i);
		f->dir = tape_cleanup_directory(f->at, name, NULL, &f->made);
		if (f->dir < 0 && (errno != EEXIST || i == 1000))
			die_for_file(f, name);
	}
	snprintf(f->path, sizeof f->path, "%.4000s/%s", tmp, name);
}

static FILE *create_run_file(struct folder *f, const char *name)
{
	int fd = tape_cleanup_file(f->dir, name, f->made, NULL);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file)
		die_for_file(f, name);
	return file;
}

static void close_run_file(const struct folder *f, FILE *file, const char *name)
{
	int bad = ferror(file);

	if (fclose(file) || bad)
		die_for_file(f, name);
}

static void remove_run_folder(struct folder *f)
{
	tape_cleanup_remove(f->made);
	close(f->dir);
	close(f->at);
}

/* ---- tapesim ---- */

static _Noreturn void exec_tapesim(const char *const *argv, int out, int err,
				   pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(127);
	execv(argv[0], (char *const *)(uintptr_t)argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Reads a pipe to its end, and adds a NUL. To be freed. */
static char *read_pipe(int fd)
{
	size_t n = 0, room = 65536;
	char *text = tape_must(malloc(room));
	ssize_t got;

	while ((got = read(fd, text + n, room - n - 1)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		n += (size_t)got;
		text = tape_must(tape_grow_array(text, &room, n + 2, 1));
	}
	text[n] = '\0';
	return text;
}

static const char *tapesim_path(void)
{
	static char path[4200];
	char self[4096], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	snprintf(path, sizeof path, "%s/tapesim", self);
	return path;
}

/*
 * Dies with the last error message of tapesim, without its name and that of a
 * temporary file.
 */
__attribute__((noreturn)) static void
die_for_tapesim(FILE *err, const char *path, int status)
{
	char line[2048] = "", shown[2048], *text = line;
	size_t n = strlen(path);

	if (WIFSIGNALED(status))
		tape_die(TAPE_FAILED, "%s: terminated by signal %d",
			 tapesim_path(), WTERMSIG(status));
	rewind(err);
	while (fgets(line, sizeof line, err))
		;
	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(text, "tapesim: ", 9))
		text += 9;
	if (strstr(path, "/tapeplace.") && !strncmp(text, path, n) &&
	    !strncmp(text + n, ": ", 2))
		text += n + 2;
	tape_die(TAPE_FAILED, "%s",
		 *text ? tape_clean(text, shown, sizeof shown)
		       : "tapesim failed");
}

/* The output of tapesim -j, to be freed. */
static char *run_tapesim(const struct place_machine *m, const char *path,
			 const char *hosts)
{
	const char **argv =
	    tape_must(calloc((size_t)m->models * 2 + 16, sizeof *argv));
	pid_t parent = getpid(), pid;
	int n = 0, out[2], status = 0;
	FILE *err = tape_must(tmpfile());
	char *text;

	argv[n++] = tapesim_path();
	argv[n++] = "-j";
	if (m->platform) {
		argv[n++] = "--platform";
		argv[n++] = m->platform;
	}
	for (int i = 0; i < m->models; i++) {
		argv[n++] = "-m";
		argv[n++] = m->model[i];
	}
	argv[n++] = "--hostfile";
	argv[n++] = hosts;
	argv[n++] = "--";
	argv[n++] = path;
	if (pipe2(out, O_CLOEXEC))
		tape_die(TAPE_FAILED, "%s: %s", argv[0], strerror(errno));
	fflush(NULL);
	pid = fork();
	if (!pid)
		exec_tapesim(argv, out[1], fileno(err), parent);
	close(out[1]);
	if (pid < 0)
		tape_die(TAPE_FAILED, "%s: %s", argv[0], strerror(errno));
	text = read_pipe(out[0]);
	close(out[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		die_for_tapesim(err, path, status);
	fclose(err);
	free(argv);
	return text;
}

static int64_t read_prediction(const char *text)
{
	static const char key[] = "\"predicted_ns\": ";
	const char *at = strstr(text, key);

	if (!at)
		tape_die(TAPE_FAILED, "%s: no prediction", tapesim_path());
	return (int64_t)tape_leading_number(at + sizeof key - 1, 10);
}

/*
 * Writes the host of a slot. Models need the whole position, since they
 * distinguish distances by its levels.
 */
static void write_host(const struct place_machine *m,
		       const struct place_slots *s, uint32_t slot, FILE *f)
{
	const struct place_slot *p = &s->slot[slot];

	if (!p->host)
		tape_die(TAPE_FAILED, "%s: no host at this position",
			 p->position);
	if (m->platform)
		fprintf(f, "%.*s\n", p->host_bytes, p->host);
	else
		fprintf(f, "%s\n", p->position);
}

int64_t place_predict_run(const struct place_machine *m, const char *path,
			  const struct place_slots *s, size_t ranks,
			  const uint32_t *slot_of)
{
	struct folder f;
	char name[4300], *text;
	int64_t ns;
	FILE *hosts;

	create_run_folder(&f);
	hosts = create_run_file(&f, "hosts");
	for (size_t r = 0; r < ranks; r++)
		write_host(m, s, slot_of[r], hosts);
	close_run_file(&f, hosts, "hosts");
	snprintf(name, sizeof name, "%s/hosts", f.path);
	text = run_tapesim(m, path, name);
	ns = read_prediction(text);
	free(text);
	remove_run_folder(&f);
	return ns;
}

/* ---- costs ---- */

static double measure_exchange(const struct place_machine *m,
			       const struct place_slots *s,
			       const struct place_node *node, long bytes)
{
	uint32_t n = node->to - node->from, half = n / 2;
	char name[4300], rank[32], *text;
	struct folder f;
	FILE *file, *all, *hosts;
	double ns;

	create_run_folder(&f);
	all = create_run_file(&f, "ranks");
	hosts = create_run_file(&f, "hosts");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = (i + half) % n, of = (i + n - half) % n;

		write_host(m, s, s->sorted[node->from + i], hosts);
		snprintf(rank, sizeof rank, "rank.%u", i);
		fprintf(all, "%s\n", rank);
		file = create_run_file(&f, rank);
		fprintf(file,
			"%u init\n%u irecv %u 1 %ld 6\n"
			"%u send %u 1 %ld 6\n%u wait %u %u 1\n"
			"%u finalize\n",
			i, i, of, bytes, i, to, bytes, i, of, i, i);
		close_run_file(&f, file, rank);
	}
	close_run_file(&f, all, "ranks");
	close_run_file(&f, hosts, "hosts");
	snprintf(name, sizeof name, "%s/hosts", f.path);
	text = run_tapesim(m, f.path, name);
	ns = (double)read_prediction(text);
	free(text);
	remove_run_folder(&f);
	return ns;
}

void place_predict_costs(const struct place_machine *m,
			 const struct place_slots *s, struct place_cost *c)
{
	c->byte = tape_must(calloc(s->n_levels + 1, sizeof *c->byte));
	c->message = tape_must(calloc(s->n_levels + 1, sizeof *c->message));
	for (uint32_t l = 0; l < s->n_levels; l++) {
		const struct place_node *most = NULL;

		for (size_t i = 0; i < s->n_nodes; i++) {
			const struct place_node *x = &s->node[i];

			if (x->level == l &&
			    (!most || x->to - x->from > most->to - most->from))
				most = x;
		}
		if (!most || most->to - most->from < 2)
			continue;
		c->message[l] = measure_exchange(m, s, most, 1);
		c->byte[l] =
		    (measure_exchange(m, s, most, LARGE) - c->message[l]) /
		    LARGE;
		if (!(c->byte[l] > 0))
			c->byte[l] = 0;
	}
}
