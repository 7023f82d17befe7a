/*
 * A program that has an accident. Its calls are counted in FILE.RANK.
 *
 *	survive MODE FILE [ARGUMENT...]
 *
 * What the modes do stands in the table at the end.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "survive.h"

/* One round of messages: 6 calls. */
static long round_of(long i)
{
	int right = (me + 1) % size, left = (me + size - 1) % size, flag;
	long mine = i + me, got = 0, sum = 0;
	MPI_Request q[2];

	C(Irecv, &got, 1, MPI_LONG, left, (int)(i % 20000), W, &q[0]);
	C(Isend, &mine, 1, MPI_LONG, right, (int)(i % 20000), W, &q[1]);
	C(Waitall, 2, q, MPI_STATUSES_IGNORE);
	C(Iprobe, left, 20001, W, &flag, IGNORE);
	C(Iprobe, left, 20002, W, &flag, IGNORE);
	C(Allreduce, &got, &sum, 1, MPI_LONG, MPI_SUM, W);
	return sum;
}

static void work(long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++)
		sum += round_of(i);
	if (!me)
		printf("sum %ld\n", sum);
	fflush(stdout);
}

/* ---- who ends when ---- */

static int open_file(const char *what, int rank)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s.%s.%d", file, what, rank);
	fd = open(path, O_RDWR | O_CREAT, 0666);
	check(fd >= 0, path);
	return fd;
}

/*
 * All ranks have come here. Whoever has an accident then leaves nobody in a
 * call that it would have had to make, and nobody with something to print. It
 * is no call of MPI, which some may leave while others are in it.
 */
static void meet(void)
{
	struct stat s;

	for (int r = 0; r < size; r++) {
		int fd = open_file("met", r);

		check(r != me || write(fd, "", 1) == 1, "met");
		while (!fstat(fd, &s) && !s.st_size)
			usleep(1000);
		close(fd);
	}
}

/*
 * The last rank ends before the others begin to: mpirun ends all when it sees
 * that one has ended, wherever they are.
 */
static void settle(void)
{
	int fd = open_file("last", 0);

	if (me == size - 1)
		check(!flock(fd, LOCK_EX), "lock");
	work(50);
	meet();
	if (me < size - 1) /* which ends with its process */
		check(!flock(fd, LOCK_SH), "lock");
}

/* ---- ends ---- */

static void plain(void)
{
	work(number(0));
	finish();
}

static void killed(void)
{
	work(50);
	meet();
	if (me == size - 1) {
		alone(number(1));
		raise((int)number(0));
	}
	/* the others wait for whom they will not hear of again */
	work(50);
	finish();
}

/* Dies with failed probes that are not in a record yet. */
static void killed_polling(void)
{
	int flag;

	work(50);
	meet();
	if (me == size - 1) {
		for (int i = 0; i < 1000; i++)
			C(Iprobe, 0, 77, W, &flag, IGNORE);
		raise(SIGKILL);
	}
	work(50);
	finish();
}

/* Until somebody kills it. */
static void endless(void)
{
	FILE *f;
	char path[4096];

	work(10);
	snprintf(path, sizeof path, "%s.pid.%d", file, me);
	f = fopen(path, "w");
	check(f && fprintf(f, "%ld\n", (long)getpid()) > 0 && !fclose(f), path);
	for (;;) {
		alone(1000);
		usleep(5000); /* what is left to be compared stays small */
	}
}

static void aborted(void)
{
	work(50);
	meet();
	if (me == size - 1) {
		++*count;
		MPI_Abort(W, (int)number(0));
	}
	work(50);
}

static void without_finalize(void)
{
	settle();
	exit((int)number(0));
}

static void quick_exit_(void)
{
	settle();
	_exit((int)number(0));
}

static void bad_pointer(void)
{
	work(50);
	meet();
	if (me == size - 1)
		*(volatile int *)(uintptr_t)number(0) = 1;
	work(50);
	finish();
}

/* An orderly end by a handler that calls exit, wherever it strikes. */
static void on_term(int signal_)
{
	(void)signal_;
	exit(17);
}

static void handled(void)
{
	signal(SIGTERM, on_term);
	settle();
	raise(SIGTERM);
}

/* ---- children ---- */

static void wait_for(pid_t child)
{
	int status = -1;

	check(child > 0 && waitpid(child, &status, 0) == child, "child");
	printf("rank %d: child ended with %d %d\n", me, WIFEXITED(status),
	       WEXITSTATUS(status));
	fflush(stdout);
	MPI_Barrier(W);
	++*count;
}

static void forks(void)
{
	pid_t child;
	int bytes;

	work(50);
	fflush(stdout);
	if (!(child = fork()))
		exit(3);
	wait_for(child);
	/* a call that needs nobody works in a child too: not the trace's */
	if (!(child = fork())) {
		for (int i = 0; i < 10000; i++)
			MPI_Type_size(MPI_INT, &bytes);
		_exit(bytes);
	}
	wait_for(child);
	if (!(child = fork())) {
		execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
		_exit(6);
	}
	wait_for(child);
	if (!(child = fork()))
		raise(SIGKILL);
	wait_for(child);
	check(!system("exit 0"), "system");
	work(number(0));
	finish();
}

/* ---- descriptors ---- */

/* Closes every regular file: the library's sockets have to stay. */
static int close_files(void)
{
	struct stat s;
	int n = 0;

	for (int fd = 3; fd < 65536; fd++)
		if (!fstat(fd, &s) && S_ISREG(s.st_mode))
			n += !close(fd);
	return n;
}

/*
 * Closes all files and opens one of its own on every number that was Tape's.
 * None of them may be written to or closed by anyone else.
 */
static void closes(void)
{
	enum { FIRST = 3, LAST = 1020 };
	static char taken[LAST + 1];
	char path[4096];
	struct stat mine, s;
	int fd;

	work(50);
	close_files();
	snprintf(path, sizeof path, "%s.own.%d", file, me);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	check(fd >= 0 && !fstat(fd, &mine), path);
	for (int i = FIRST; i <= LAST; i++)
		if (fcntl(i, F_GETFD) < 0)
			taken[i] = dup2(fd, i) == i;
	work(1000);
	alone(number(0));
	finish();
	check(!fstat(fd, &s) && !s.st_size, "written to");
	for (int i = FIRST; i <= LAST; i++)
		if (taken[i])
			check(!fstat(i, &s) && s.st_ino == mine.st_ino,
			      "closed or replaced");
}

/* Its own files get the numbers 1 and 2, as they were closed. */
static void silent(void)
{
	char path[4096], text[16] = "";
	int fd;

	close(1);
	close(2);
	snprintf(path, sizeof path, "%s.one.%d", file, me);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	check(fd == 1, "not 1");
	snprintf(path, sizeof path, "%s.two.%d", file, me);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	check(fd == 2, "not 2");
	alone(number(0));
	check(write(1, "one", 3) == 3 && write(2, "two", 3) == 3, "write");
	finish();
	check(pread(1, text, 9, 0) == 3 && !memcmp(text, "one", 3), "one");
	check(pread(2, text, 9, 0) == 3 && !memcmp(text, "two", 3), "two");
}

static void limited(void)
{
	struct rlimit l = { (rlim_t)number(0), (rlim_t)number(0) };

	check(!setrlimit(RLIMIT_FSIZE, &l), "setrlimit");
	alone(number(1));
	work(50);
	finish();
}

/* Nobody reads its standard error any more: a write to it would be fatal. */
static void unheard(void)
{
	int end[2];

	check(!pipe(end) && dup2(end[1], 2) == 2, "pipe");
	close(end[0]);
	close(end[1]);
	alone(number(0));
	finish();
}

/* ---- elsewhere ---- */

static jmp_buf back;

static void jump(MPI_Comm *c, int *code, ...)
{
	(void)c, (void)code;
	longjmp(back, 1);
}

static void jump_out(int signal_)
{
	(void)signal_;
	siglongjmp(back, 1);
}

/* Leaves calls by longjmp: these are not recorded; those after them are. */
static void jumps(void)
{
	MPI_Errhandler h;
	volatile int jumped = 0;
	int flag;

	work(50);
	MPI_Comm_create_errhandler(jump, &h);
	MPI_Comm_set_errhandler(W, h);
	for (volatile int i = 0; i < 3; i++)
		if (!setjmp(back)) {
			MPI_Send(NULL, 1, MPI_INT, size + 1, 0, W);
			check(0, "no error");
		} else {
			jumped++;
			C(Iprobe, MPI_ANY_SOURCE, 20003, W, &flag, IGNORE);
		}
	signal(SIGALRM, jump_out);
	if (!sigsetjmp(back, 1)) {
		alarm(1);
		MPI_Recv(&flag, 1, MPI_INT, me, 20004, W, IGNORE);
		check(0, "a message");
	} else {
		jumped++;
	}
	MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
	printf("rank %d: jumped %d times\n", me, jumped);
	C(Barrier, MPI_COMM_SELF);
	work(50);
	finish();
}

static void moves(void)
{
	check(!chdir(args[0]), args[0]);
	work(50);
	alone(number(1));
	finish();
}

static const struct mode {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "plain", plain },              /* ROUNDS */
	{ "kill", killed },              /* SIGNAL CALLS */
	{ "poll", killed_polling },
	{ "endless", endless },          /* PID-FILE */
	{ "abort", aborted },            /* STATUS */
	{ "exit", without_finalize },    /* STATUS */
	{ "_exit", quick_exit_ },        /* STATUS */
	{ "segv", bad_pointer },         /* ADDRESS */
	{ "handler", handled },
	{ "fork", forks },               /* ROUNDS */
	{ "close", closes },             /* CALLS */
	{ "silent", silent },            /* CALLS */
	{ "pipe", unheard },             /* CALLS */
	{ "limit", limited },            /* BYTES CALLS */
	{ "jump", jumps },
	{ "chdir", moves },              /* DIRECTORY CALLS */
};

int main(int argc, char **argv)
{
	const struct mode *m = modes;
	const char *before = getenv("CHDIR_FIRST"), *own = getenv("OWN_FIRST");
	struct stat s;

	count = &dummy;
	if (argc < 3)
		return 2;
	file = argv[2];
	args = argv + 3;
	while (strcmp(m->name, argv[1]))
		if (++m == modes + sizeof modes / sizeof *modes)
			return 2;
	if (before)
		check(!chdir(before), before);
	/* it was started without a standard error: the number is free */
	if (own)
		check(open("/dev/null", O_WRONLY) == 1 &&
		      open(own, O_WRONLY | O_CREAT | O_EXCL, 0666) == 2, own);
	begin();
	m->run();
	return own && (fstat(2, &s) || s.st_size) ? 98 : 0;
}
