/*
 * The calls that spawn; see spawn.h. The root adds two variables to the info
 * "env", which Open MPI hands to what it spawns. Whatever is in the way, the
 * call goes to the library as the program made it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "next.h"
#pragma GCC diagnostic pop

#include "communicators.h"
#include "define.h"
#include "gather_protocol.h"
#include "own_stack.h"
#include "message.h"
#include "sink.h"
#include "spawn_call.h"

extern char **environ;

/* A call that spawns, at one of its processes. */
struct spawning {
	MPI_Comm comm;
	int root, n;
	const MPI_Info *infos; /* at the root */
	uint64_t id; /* of the intercommunicator; 0: it is not linked */
	MPI_Info *own; /* n of them, in place of infos; NULL: none */
	char *path;    /* the file of the spawn; NULL: none */
};

/* Where the calls went before. */
static struct {
	__typeof__(tape_next.to_MPI_Comm_spawn) spawn;
	__typeof__(tape_next.to_MPI_Comm_spawn_multiple) multiple;
	void *fortran[2][2]; /* by call and interface */
} below;

TAPE_ON_OWN_STACK

/* Once in a process; the program may spawn thousands. */
static void say_why(const char *what, const char *why)
{
	static int said;

	if (!said++)
		tape_say("MPI_Comm_spawn: %s: %s; with taperun after the "
			 "launcher, spawned processes are not traced",
			 what, why);
}

#ifdef OPEN_MPI

/*
 * Those that this job has from the one that spawned it. A variable of this
 * process comes first, and counts.
 */
static void copy_settings(FILE *f)
{
	const char *path = secure_getenv(TAPE_SPAWNED);
	FILE *in = path ? fopen(path, "re") : NULL;
	char *line = NULL;
	size_t room = 0;

	while (in && getline(&line, &room, in) > 0)
		if (!strncmp(line, "setting ", 8))
			fputs(line, f);
	free(line);
	if (in)
		fclose(in);
}

/* Is it about this process alone, or the secret of a connection? */
static int is_private_variable(const char *name, size_t n)
{
	static const char *const own[] = { TAPE_SPAWNED, TAPE_GATHER_VARIABLE,
					   "TAPE_FIRST", "TAPE_RUN",
					   "TAPE_PARTITIONED", "TAPE_COMMAND" };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (strlen(own[i]) == n && !strncmp(name, own[i], n))
			return 1;
	return 0;
}

/* 0, or -1 without memory. */
static int put_setting(FILE *f, const char *name, size_t n, const char *value)
{
	size_t room = 3 * strlen(value) + 5;
	char *word = malloc(room);

	if (word)
		fprintf(f, "setting %.*s %s\n", (int)n, name,
			tape_escape(word, room, value));
	free(word);
	return word ? 0 : -1;
}

/* A file's name, by which the new processes find it wherever they are. */
static int put_file(FILE *f, const char *name, const char *path)
{
	char *whole = realpath(path, NULL);
	int rc = put_setting(f, name, strlen(name), whole ? whole : path);

	free(whole);
	return rc;
}

/* The settings, as what the new job is to read them from. */
static int put_settings(FILE *f)
{
	static const char *const files[] = { "TAPE_CONF", "TAPE_NETWORK" };
	int rc = 0;

	for (int i = 0; i < 2; i++)
		if (secure_getenv(files[i]))
			rc |= put_file(f, files[i], secure_getenv(files[i]));
	for (char **e = environ; *e; e++) {
		const char *eq = strchr(*e, '=');
		size_t n = eq ? (size_t)(eq - *e) : 0;

		if (n && !strncmp(*e, "TAPE_", 5) &&
		    !is_private_variable(*e, n))
			rc |= put_setting(f, *e, n, eq + 1);
	}
	copy_settings(f);
	if (!secure_getenv("TAPE_CONF") && !access("tape.conf", F_OK))
		rc |= put_file(f, "TAPE_CONF", "tape.conf");
	return rc;
}

static int write_file(const struct spawning *s, const char *path)
{
	char word[3 * sizeof tape_process.dir + 2];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
			    O_NOFOLLOW, 0666), bad;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		return -1;
	fprintf(f, TAPE_SPAWN_FIRST "\nid %llx\ntrace %s\n",
		(unsigned long long)s->id,
		tape_escape(word, sizeof word, tape_process.dir));
	bad = put_settings(f) | ferror(f);
	return fclose(f) || bad ? -1 : 0;
}

/* "name=ours[:theirs]", and a line's end if there is more. */
struct variables {
	char text[MPI_MAX_INFO_VAL];
	size_t n;
	int failed;
};

static void add_variable(struct variables *v, const char *name, size_t length,
			 const char *value)
{
	int n = snprintf(v->text + v->n, sizeof v->text - v->n, "%s%.*s%s",
			 v->n ? "\n" : "", (int)length, name, value);

	if (n < 0 || (size_t)n >= sizeof v->text - v->n)
		v->failed = 1;
	else
		v->n += (size_t)n;
}

static const char preload[] = "LD_PRELOAD=";

/* LD_PRELOAD, if Tape is in it: not where the program was linked with Tape. */
static const char *own_preload(void)
{
	const char *value = secure_getenv("LD_PRELOAD");

	return value && strstr(value, "/libtape-") ? value : NULL;
}

/* Variables that the program passes itself stay; its preloads follow ours. */
static void add_caller_variables(struct variables *v, char *theirs,
				 int *preloaded)
{
	const char *ours = own_preload();
	char *line, value[MPI_MAX_INFO_VAL + 1];
	size_t n = sizeof preload - 1;

	while ((line = strsep(&theirs, "\n"))) {
		if (ours && !strncmp(line, preload, n)) {
			if (snprintf(value, sizeof value, "%s:%s", ours,
				     line + n) >= (int)sizeof value)
				v->failed = 1;
			add_variable(v, preload, n, value);
			*preloaded = 1;
		} else if (*line) {
			add_variable(v, "", 0, line);
		}
	}
}

static int make_info(MPI_Info theirs, const char *path, MPI_Info *info)
{
	char text[MPI_MAX_INFO_VAL + 1] = "";
	struct variables v = { .n = 0 };
	const char *asan = secure_getenv("ASAN_OPTIONS");
	int flag = 0, preloaded = 0;

	if (theirs == MPI_INFO_NULL)
		PMPI_Info_create(info);
	else if (theirs && PMPI_Info_dup(theirs, info) == MPI_SUCCESS)
		PMPI_Info_get(*info, "env", MPI_MAX_INFO_VAL - 1, text, &flag);
	if (*info == MPI_INFO_NULL)
		return -1;
	if (flag)
		add_caller_variables(&v, text, &preloaded);
	if (!preloaded && own_preload())
		add_variable(&v, preload, sizeof preload - 1, own_preload());
	/* as taperun sets it (launcher.c) */
	if (own_preload() && asan && strstr(asan, "link_order=0"))
		add_variable(&v, "ASAN_OPTIONS=", 13, asan);
	add_variable(&v, TAPE_SPAWNED "=", sizeof TAPE_SPAWNED, path);
	return v.failed ||
		       PMPI_Info_set(*info, "env", v.text) != MPI_SUCCESS
		   ? -1
		   : 0;
}

static void free_own(struct spawning *s)
{
	for (int i = 0; s->own && i < s->n; i++)
		if (s->own[i] != MPI_INFO_NULL)
			PMPI_Info_free(&s->own[i]);
	free(s->own);
	s->own = NULL;
}

static void forget_file(struct spawning *s)
{
	if (s->path)
		unlink(s->path);
	free(s->path);
	s->path = NULL;
}

/* The infos of the call, with ours added. 0, or -1. */
static int make_infos(struct spawning *s)
{
	int rc = 0;

	s->own = malloc((size_t)s->n * sizeof *s->own);
	for (int i = 0; s->own && i < s->n; i++)
		s->own[i] = MPI_INFO_NULL;
	for (int i = 0; s->own && !rc && i < s->n; i++)
		rc = make_info(s->infos[i], s->path, &s->own[i]);
	if (s->own && !rc)
		return 0;
	free_own(s);
	return -1;
}

static void make_link(void *spawning)
{
	struct spawning *s = spawning;

	if (!tape_sink_has_files()) {
		say_why("the trace", "it does not write files of its own");
		return;
	}
	if (asprintf(&s->path, "%s/spawn.%llx", tape_process.dir,
		     (unsigned long long)s->id) < 0) {
		s->path = NULL;
		say_why("the trace", strerror(ENOMEM));
		return;
	}
	errno = 0;
	if (write_file(s, s->path))
		say_why(s->path, strerror(errno));
	else if (make_infos(s))
		say_why(s->path, errno == ENOMEM
					 ? strerror(ENOMEM)
					 : "this name and that of Tape's "
					   "library are too long for an info");
	else
		return;
	forget_file(s);
}

/*
 * The trace has which processes a communicator came with. Where that cannot be
 * written the tracer says so itself, as of all definitions.
 */
static TAPE_APART void report_spawn(struct spawning *s, const char *command)
{
	char word[384];

	if (s->own)
		tape_define("spawn %llx %s\n", (unsigned long long)s->id,
			    tape_escape(word, sizeof word, command));
	free_own(s);
	free(s->path);
}

#else

static void make_link(void *spawning)
{
	(void)spawning;
}

static void free_own(struct spawning *s)
{
	(void)s;
}

static void forget_file(struct spawning *s)
{
	(void)s;
}

static TAPE_APART void report_spawn(struct spawning *s, const char *command)
{
	const char *value = secure_getenv("LD_PRELOAD");

	(void)s, (void)command;
	if (value && strstr(value, "/libtape-"))
		say_why("MPICH", "it passes no variables to spawned processes, "
				 "so their trace is not linked to this trace");
}

#endif
TAPE_ON_OWN_STACK_END

/* Ahead of the real call. */
static void begin_spawn(struct spawning *s)
{
	int e = errno;

	if (tape_process.state != TAPE_RUNNING || !s->infos || s->n <= 0)
		return;
	s->id = tape_comm_spawning(s->comm, s->root);
	if (s->id)
		tape_run_on_own_stack(make_link, s);
	errno = e;
}

/* Behind it. */
static void end_spawn(struct spawning *s, int rc, const char *command)
{
	int e = errno;

	if (s->id && rc == MPI_SUCCESS) {
		report_spawn(s, command);
	} else {
		free_own(s);
		forget_file(s);
	}
	errno = e;
}

static int spawn_one(const char *command, char **argv, int maxprocs,
		     MPI_Info info, int root, MPI_Comm comm,
		     MPI_Comm *intercomm, int *codes)
{
	struct spawning s = { .comm = comm, .root = root, .n = 1,
			      .infos = &info };
	int rc;

	begin_spawn(&s);
	rc = below.spawn(command, argv, maxprocs,
				     s.own ? *s.own : info, root, comm,
				     intercomm, codes);
	end_spawn(&s, rc, command);
	return rc;
}

static int spawn_multiple(int count, char **commands, char ***argvs,
			  const int *processes, const MPI_Info *infos, int root,
			  MPI_Comm comm, MPI_Comm *intercomm, int *codes)
{
	struct spawning s = { .comm = comm, .root = root, .n = count,
			      .infos = infos };
	int rc;

	begin_spawn(&s);
	rc = below.multiple(count, commands, argvs, processes,
			    s.own ? s.own : infos, root, comm, intercomm,
			    codes);
	end_spawn(&s, rc, s.id ? *commands : NULL);
	return rc;
}

void tape_spawn_put(void)
{
	below.spawn = tape_next.to_MPI_Comm_spawn;
	below.multiple = tape_next.to_MPI_Comm_spawn_multiple;
	tape_next.to_MPI_Comm_spawn = spawn_one;
	tape_next.to_MPI_Comm_spawn_multiple = spawn_multiple;
}

/* ---- Fortran ---- */

#ifdef OPEN_MPI

/* The infos of a call as C has them; of n at the root, else of none. */
static void prepare_fortran(struct spawning *s, const MPI_Fint *infos,
			    MPI_Fint **own)
{
	MPI_Info *all = NULL;

	*own = NULL;
	if (tape_process.state == TAPE_RUNNING && s->n > 0 &&
	    tape_comm_spawning(s->comm, s->root))
		all = malloc((size_t)s->n * (sizeof *all + sizeof **own));
	if (!all)
		return;
	for (int i = 0; i < s->n; i++)
		all[i] = PMPI_Info_f2c(infos[i]);
	s->infos = all;
	begin_spawn(s);
	if (s->own)
		*own = (MPI_Fint *)(void *)(all + s->n);
	for (int i = 0; s->own && i < s->n; i++)
		(*own)[i] = PMPI_Info_c2f(s->own[i]);
}

static void finish_fortran(struct spawning *s, int rc, const char *command,
			   size_t length)
{
	char text[256];

	if (length >= sizeof text)
		length = sizeof text - 1;
	while (length && command[length - 1] == ' ')
		length--;
	memcpy(text, command, length);
	text[length] = '\0';
	end_spawn(s, rc, text);
	free((void *)s->infos);
}

typedef void fortran_spawn(void *command, void *argv, void *processes,
			   void *info, void *root, void *comm, void *intercomm,
			   void *codes, void *ierror, size_t length0,
			   size_t length1);

static void spawn_fortran(int interface, void *command, void *argv,
			  void *processes, void *info, void *root, void *comm,
			  void *intercomm, void *codes, void *ierror,
			  size_t length0, size_t length1)
{
	struct spawning s = { .comm = PMPI_Comm_f2c(*(MPI_Fint *)comm),
			      .root = *(MPI_Fint *)root, .n = 1 };
	MPI_Fint rc = MPI_SUCCESS, *own;

	prepare_fortran(&s, info, &own);
	((fortran_spawn *)below.fortran[0][interface])(
	    command, argv, processes, own ? own : info, root, comm, intercomm,
	    codes, &rc, length0, length1);
	finish_fortran(&s, rc, command, length0);
	if (ierror)
		*(MPI_Fint *)ierror = rc;
}

typedef void fortran_multiple(void *count, void *commands, void *argvs,
			      void *processes, void *infos, void *root,
			      void *comm, void *intercomm, void *codes,
			      void *ierror, size_t length0, size_t length1);

static void multiple_fortran(int interface, void *count, void *commands,
			     void *argvs, void *processes, void *infos,
			     void *root, void *comm, void *intercomm,
			     void *codes, void *ierror, size_t length0,
			     size_t length1)
{
	struct spawning s = { .comm = PMPI_Comm_f2c(*(MPI_Fint *)comm),
			      .root = *(MPI_Fint *)root,
			      .n = *(MPI_Fint *)count };
	MPI_Fint rc = MPI_SUCCESS, *own;

	prepare_fortran(&s, infos, &own);
	((fortran_multiple *)below.fortran[1][interface])(
	    count, commands, argvs, processes, own ? own : infos, root, comm,
	    intercomm, codes, &rc, length0, length1);
	finish_fortran(&s, rc, commands, length0);
	if (ierror)
		*(MPI_Fint *)ierror = rc;
}

/* Each with the interface that it is called by. */
#define BY_INTERFACE(i)                                                        \
	static void spawn_fortran_##i(void *a, void *b, void *c, void *d,      \
				      void *e, void *f, void *g, void *h,      \
				      void *k, size_t m, size_t n)             \
	{                                                                      \
		spawn_fortran(i, a, b, c, d, e, f, g, h, k, m, n);             \
	}                                                                      \
	static void multiple_fortran_##i(void *a, void *b, void *c, void *d,   \
					 void *e, void *f, void *g, void *h,   \
					 void *k, void *l, size_t m, size_t n) \
	{                                                                      \
		multiple_fortran(i, a, b, c, d, e, f, g, h, k, l, m, n);       \
	}
BY_INTERFACE(0)
BY_INTERFACE(1)

void *tape_spawn_fortran(unsigned call, int interface, void *real)
{
	int is_multiple = call == TAPE_CALL_MPI_Comm_spawn_multiple;

	if (!real || (!is_multiple && call != TAPE_CALL_MPI_Comm_spawn))
		return real;
	below.fortran[is_multiple][interface] = real;
	if (is_multiple)
		return interface ? (void *)multiple_fortran_1
				 : (void *)multiple_fortran_0;
	return interface ? (void *)spawn_fortran_1 : (void *)spawn_fortran_0;
}

#else

/* its functions for Fortran call those for C by their public names */
void *tape_spawn_fortran(unsigned call, int interface, void *real)
{
	(void)call, (void)interface;
	return real;
}

#endif
