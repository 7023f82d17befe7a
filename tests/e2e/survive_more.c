/*
 * Accidents that reach into the tracer itself: control that leaves a call,
 * copies of the process, files that shrink, small stacks. Its calls are counted
 * in FILE.RANK.
 *
 *	survive_more MODE FILE [ARGUMENT...]
 *
 * What the modes do stands in the table at the end. With KILL_AT=N in the
 * environment the process dies at the N-th call that MPI_Init makes by the name
 * PMPI_Type_size or PMPI_Wait: the program defines them, too.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "survive.h"

pid_t _Fork(void);

/* ---- in MPI_Init ---- */

static void strike(void)
{
	static long calls;
	const char *at = getenv("KILL_AT");

	if (at && ++calls == atol(at))
		raise(SIGKILL);
}

int PMPI_Type_size(MPI_Datatype type, int *bytes)
{
	static int (*real)(MPI_Datatype, int *);

	strike();
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "PMPI_Type_size");
	return real(type, bytes);
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
	static int (*real)(MPI_Request *, MPI_Status *);

	strike();
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "PMPI_Wait");
	return real(request, status);
}

static void plain(void)
{
	alone(number(0));
	finish();
}

/* ---- control that leaves a call ---- */

static jmp_buf back;
static long ignored; /* calls that are part of another one */

static void jump(MPI_Comm *c, int *code, ...)
{
	char text[MPI_MAX_ERROR_STRING];
	int n;

	(void)c;
	MPI_Error_string(*code, text, &n);
	longjmp(back, 1);
}

static void handle_by(MPI_Comm_errhandler_function *function)
{
	MPI_Errhandler h;

	C(Comm_create_errhandler, function, &h);
	C(Comm_set_errhandler, W, h);
}

/*
 * In a frame so much deeper that nothing in it touches what a frame further up
 * has left behind.
 */
static __attribute__((noinline)) void deeper(size_t room, long calls)
{
	volatile char *hole = alloca(room);

	hole[0] = 1;
	for (long i = 0; i < calls; i++)
		C(Barrier, MPI_COMM_SELF);
}

static __attribute__((noinline)) void fail(size_t room)
{
	volatile char *hole = alloca(room);

	hole[0] = 1;
	MPI_Send(NULL, 1, MPI_INT, size + 1, 0, W);
	check(0, "no error");
}

static void leave_by_jump(void)
{
	handle_by(jump);
	for (volatile int i = 0; i < 4; i++)
		if (!setjmp(back))
			fail(i % 2 ? 16 : 5000);
		else
			deeper(i / 2 ? 64 : 20000, 250);
	printf("left\n");
	C(Comm_set_errhandler, W, MPI_ERRORS_ARE_FATAL);
	finish();
}

/* The handler comes back to itself: the call that it is in goes on. */
static void stay(MPI_Comm *c, int *code, ...)
{
	jmp_buf here;
	int bytes;

	(void)c, (void)code;
	for (volatile int i = 0; i < 3; i++)
		if (!setjmp(here))
			longjmp(here, 1);
		else
			MPI_Type_size(MPI_INT, &bytes);
}

static void jump_inside(void)
{
	handle_by(stay);
	for (int i = 0; i < 100; i++)
		C(Send, NULL, 1, MPI_INT, size + 1, 0, W);
	C(Comm_set_errhandler, W, MPI_ERRORS_ARE_FATAL);
	alone(100);
	finish();
}

static char *high, *low; /* stacks, above and below that of the thread */
enum { STACK = 256 * 1024 };

static void interrupt(int signal_)
{
	int bytes;

	(void)signal_;
	MPI_Type_size(MPI_INT, &bytes);
	ignored++;
}

static void add(void *in, void *out, int *n, MPI_Datatype *type)
{
	(void)n, (void)type;
	*(int *)out += *(int *)in;
	raise(SIGUSR1);
}

static void *on_a_stack_of_its_own(void *unused)
{
	struct sigaction s = { .sa_handler = interrupt,
			       .sa_flags = SA_ONSTACK };
	int one = 1, sum = 1;
	stack_t stack = { .ss_sp = high, .ss_size = STACK };
	MPI_Op op;

	(void)unused;
	C(Op_create, add, 1, &op);
	sigaction(SIGUSR1, &s, NULL);
	for (int i = 0; i < 200; i++) {
		if (i == 100)
			stack.ss_sp = low;
		if (i % 100 == 0)
			check(!sigaltstack(&stack, NULL), "sigaltstack");
		C(Reduce_local, &one, &sum, 1, MPI_INT, op);
	}
	check(sum == 201 && ignored == 200, "the operation");
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	C(Op_free, &op);
	return NULL;
}

/* What a handler on another stack calls is inside of what it interrupts. */
static void other_stack(void)
{
	char *all = mmap(NULL, 3 * STACK, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t a;
	pthread_t t;

	check(all != MAP_FAILED, "mmap");
	low = all;
	high = all + 2 * STACK;
	pthread_attr_init(&a);
	pthread_attr_setstack(&a, all + STACK, STACK);
	check(!pthread_create(&t, &a, on_a_stack_of_its_own, NULL) &&
	      !pthread_join(t, NULL), "thread");
	alone(100);
	finish();
}

static ucontext_t mine, others;

static void coroutine(void)
{
	for (volatile int i = 0; i < 2; i++) {
		if (!setjmp(back))
			fail(16);
		deeper(i ? 64 : 20000, 500);
		swapcontext(&others, &mine);
	}
}

static void coroutines(void)
{
	handle_by(jump);
	getcontext(&others);
	others.uc_stack.ss_sp = malloc(STACK);
	others.uc_stack.ss_size = STACK;
	others.uc_link = &mine;
	makecontext(&others, coroutine, 0);
	for (int i = 0; i < 3; i++) {
		swapcontext(&mine, &others);
		alone(100);
	}
	C(Comm_set_errhandler, W, MPI_ERRORS_ARE_FATAL);
	finish();
}

/* ---- copies of the process ---- */

static void child_calls(void)
{
	int bytes, n;

	for (int i = 0; i < 1000; i++)
		MPI_Type_size(MPI_INT, &bytes);
	MPI_Comm_size(MPI_COMM_SELF, &n); /* a call site of its own */
	_exit(bytes + n);
}

static void reap(pid_t child)
{
	int status = -1;

	check(child > 0 && waitpid(child, &status, 0) == child, "child");
	printf("child ended with %d %d\n", WIFEXITED(status),
	       WEXITSTATUS(status));
	fflush(stdout);
	alone(number(0));
}

/* Nobody is told that there is a child. */
static void silent_forks(void)
{
	pid_t child;
	int bytes;

	alone(10);
	C(Type_size, MPI_INT, &bytes);
	child = (pid_t)syscall(SYS_fork);
	if (!child)
		child_calls();
	reap(child);
	child = _Fork();
	if (!child)
		child_calls();
	reap(child);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child)
		child_calls();
	reap(child);
	child = vfork();
	if (!child)
		_exit(7);
	reap(child);
	finish();
}

/* The process that goes on is another one, and the first one is gone. */
static void becomes_a_daemon(void)
{
	char path[4096];
	FILE *f;

	alone(100);
	check(!daemon(1, 1), "daemon");
	for (int i = 0; i < 50; i++) {
		alone(number(0) / 50);
		usleep(1000); /* until its parent is gone */
	}
	/* Open MPI does not come to an end there, MPICH complains */
	snprintf(path, sizeof path, "%s.done", file);
	f = fopen(path, "w");
	check(f && !fclose(f), path);
}

/* ---- files that shrink, and the program's own handlers ---- */


static void cut(int thread)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/flow.%d.%d", args[0], me, thread);
	/* without Tape there is none */
	check(!truncate(path, 4096) || errno == ENOENT, path);
}

static void shrinks(void)
{
	alone(1000);
	cut(0);
	alone(number(1));
	finish();
}

static volatile int calls[2], was_cut; /* of each thread */

/* Until its flow was cut, and a chunk or two from there on. */
static void *shrink_in_thread(void *mine)
{
	volatile int *n = mine;
	int bytes;

	for (int more = 100000; more; more -= was_cut, ++*n)
		MPI_Type_size(MPI_INT, &bytes);
	return NULL;
}

static void shrinks_in_threads(void)
{
	pthread_t t[2];

	alone(1000);
	for (int i = 0; i < 2; i++)
		check(!pthread_create(&t[i], NULL, shrink_in_thread,
				      (void *)&calls[i]), "");
	/* More than once: a flow that is being given room does not notice. */
	for (int again = 0; again < 3; again++) {
		int at[2] = { calls[0] + 1000, calls[1] + 1000 };

		while (calls[0] < at[0] || calls[1] < at[1])
			usleep(1000);
		for (int i = 0; i < 3; i++)
			cut(i);
	}
	was_cut = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	alone(1000);
	finish();
}

static sigjmp_buf out;
static volatile char *bad;  /* a page that its file does not have */
static volatile int right;  /* its handler was called as it is to be */

static void own_handler(int n, siginfo_t *info, void *context)
{
	char here;
	uintptr_t at = (uintptr_t)&here - (uintptr_t)high;

	(void)context;
	right = n == SIGBUS && info->si_addr == (void *)bad && at < STACK;
	siglongjmp(out, 1);
}

static void bad_page(void)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s.short.%d", file, me);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	check(fd >= 0, path);
	bad = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(bad != MAP_FAILED, "mmap");
	close(fd);
	unlink(path);
}

/* What the handler is said to be, by those who ask. */
static const char *is_now(const struct sigaction *s)
{
	return s->sa_handler == SIG_DFL	      ? "default"
	       : s->sa_handler == SIG_IGN     ? "ignored"
	       : s->sa_sigaction == own_handler ? "its own"
					      : "another";
}

static void own_bus_handler(void)
{
	struct sigaction s = { .sa_sigaction = own_handler,
			       .sa_flags = SA_SIGINFO | SA_ONSTACK }, was;
	stack_t stack = { .ss_size = STACK };

	bad_page();
	high = malloc(STACK);
	stack.ss_sp = high;
	check(high && !sigaltstack(&stack, NULL), "sigaltstack");
	check(!sigaction(SIGBUS, NULL, &was), "sigaction");
	printf("at first %s\n", is_now(&was));
	check(!sigaction(SIGBUS, &s, &was), "sigaction");
	printf("was %s %x\n", is_now(&was), was.sa_flags & 0x5fffffff);
	check(!sigaction(SIGBUS, NULL, &was), "sigaction");
	printf("now %s %x\n", is_now(&was), was.sa_flags & 0x5fffffff);
	for (volatile int i = 0; i < 2; i++) {
		if (!sigsetjmp(out, 1))
			*bad = 1;
		printf("handled %d\n", right);
		right = 0;
		alone(1000);
		cut(0);
		alone(number(1));
	}
	printf("by signal(): %d\n", signal(SIGBUS, SIG_IGN) ==
					    (void (*)(int))own_handler);
	raise(SIGBUS);
	printf("by signal(): %d\n", signal(SIGBUS, SIG_DFL) == SIG_IGN);
	alone(10);
	finish();
}

/* Dies of a fault of its own, by what signal() was told. */
static void own_bus_death(void)
{
	bad_page();
	alone(1000);
	signal(SIGBUS, SIG_DFL);
	alone(1000);
	cut(0);
	alone(10);
	fflush(stdout);
	if (number(1))
		raise(SIGBUS);
	*bad = 1;
	check(0, "alive");
}

/* ---- signals that interrupt system calls ---- */

static void tick(int signal_)
{
	(void)signal_;
	ignored++;
}

static void interrupted(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { 0 };
	struct sigaction s = { .sa_handler = tick };

	sigaction(SIGALRM, &s, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	alone(number(0));
	setitimer(ITIMER_REAL, &never, NULL);
	check(ignored > 0, "no signals");
	finish();
}

/* ---- refused ---- */

static void refused(void)
{
	struct rlimit l = { 100, 100 };

	alone(100);
	check(!setrlimit(RLIMIT_FSIZE, &l), "setrlimit");
	for (int i = 0; i < 50; i++)
		C(Barrier, MPI_COMM_SELF); /* a call site that is new */
	alone(100);
	finish();
}

static void *one_call(void *unused)
{
	int bytes;

	(void)unused;
	C(Type_size, MPI_INT, &bytes);
	return NULL;
}

/* A thread whose flow cannot be made: there is a file of that name. */
static void refused_thread(void)
{
	char path[4096];
	pthread_t t;

	alone(100);
	snprintf(path, sizeof path, "%s/flow.%d.1", args[0], me);
	close(open(path, O_WRONLY | O_CREAT, 0666));
	check(!pthread_create(&t, NULL, one_call, NULL) &&
	      !pthread_join(t, NULL), "thread");
	finish();
}

static const struct mode {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "plain", plain },              /* CALLS */
	{ "left", leave_by_jump },
	{ "inside", jump_inside },
	{ "stack", other_stack },
	{ "coroutine", coroutines },
	{ "fork", silent_forks },        /* CALLS */
	{ "daemon", becomes_a_daemon },  /* CALLS */
	{ "cut", shrinks },              /* TRACE CALLS */
	{ "threads", shrinks_in_threads }, /* TRACE */
	{ "handler", own_bus_handler },  /* TRACE CALLS */
	{ "death", own_bus_death },      /* TRACE RAISE */
	{ "interrupted", interrupted },  /* CALLS */
	{ "refused", refused },
	{ "thread", refused_thread },    /* TRACE */
};

int main(int argc, char **argv)
{
	const struct mode *m = modes;

	count = &dummy;
	if (argc < 3)
		return 2;
	file = argv[2];
	args = argv + 3;
	while (strcmp(m->name, argv[1]))
		if (++m == modes + sizeof modes / sizeof *modes)
			return 2;
	begin();
	m->run();
	return 0;
}
