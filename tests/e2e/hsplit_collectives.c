/*
 * Random calls of tape_hbcast, tape_hreduce, tape_hallreduce and tape_hbarrier:
 * each process's buffer is, byte for byte, what MPI's own call leaves, gaps of
 * types and buffers that are not used included. Data are whole numbers.
 *
 *	mpirun -np 12 hsplit_collectives SEED CASES COUNTERS
 *
 * The variable HOST is the name of this process's host. COUNTERS is a file of
 * zeros, by which barriers are checked. Prints the levels of MPI_COMM_WORLD and
 * "CASES cases, N wrong".
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "tape_hsplit.h"

enum { BYTES = 1 << 16, BUFFER_AT = 4096, COUNTERS = 1 << 16, LEVELS = 32 };

static int me, size, wrong, is_up;
static long which; /* the case */

/* The library's; MPI has asked before. */
int gethostname(char *name, size_t n)
{
	struct utsname u;

	uname(&u);
	snprintf(name, n, "%s", is_up ? getenv("HOST") : u.nodename);
	return 0;
}

static uint64_t state;

static int below(int n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (int)((state * 0x2545f4914f6cdd1du) >> 33) % n;
}

static void fail(const char *what)
{
	if (wrong++ < 3)
		printf("case %ld, rank %d: %s\n", which, me, what);
}

/* ---- types and operations ---- */

/* Where the ints of an element are, and how far elements are apart. */
static const struct layout {
	int at[2], n, extent;
} layouts[] = {
    {{0}, 1, 4}, {{0, 12}, 2, 20}, {{-8, 4}, 2, 16}, {{12, 0}, 2, 8}};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static MPI_Datatype types[LAYOUTS];
static MPI_Op add[LAYOUTS], then;

static void add_elements(const struct layout *l, char *in, char *to, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < l->n; k++) {
			unsigned *a = (void *)(in + i * l->extent + l->at[k]);
			unsigned *b = (void *)(to + i * l->extent + l->at[k]);

			*b += *a;
		}
}

#define ADD(k)                                                                 \
	static void add##k(void *in, void *to, int *n, MPI_Datatype *t)        \
	{                                                                      \
		(void)t;                                                       \
		add_elements(&layouts[k], in, to, *n);                         \
	}
ADD(0)
ADD(1)
ADD(2)
ADD(3)

/* Takes the later of two, in the order of ranks, and keeps the other's sum. */
static void one_then_other(void *in, void *to, int *n, MPI_Datatype *t)
{
	unsigned *a = in, *b = to;

	(void)t;
	for (int i = 0; i < *n; i++)
		b[i] = 3 * a[i] + b[i];
}

static void make_types(void)
{
	MPI_User_function *f[] = {add0, add1, add2, add3};

	for (int k = 0; k < LAYOUTS; k++) {
		const struct layout *l = &layouts[k];
		MPI_Aint at[2] = {l->at[0], l->at[1]};
		int ones[2] = {1, 1};
		MPI_Datatype bare;

		MPI_Type_create_hindexed(l->n, ones, at, MPI_INT, &bare);
		MPI_Type_create_resized(bare, k == 2 ? -8 : 0, l->extent,
					&types[k]);
		MPI_Type_commit(&types[k]);
		MPI_Type_free(&bare);
		MPI_Op_create(f[k], 1, &add[k]);
	}
	MPI_Op_create(one_then_other, 0, &then);
}

/* ---- calls ---- */

static char sent[BYTES], ours[BYTES], theirs[BYTES];
static char *const send = sent + BUFFER_AT, *const our = ours + BUFFER_AT,
		   *const their = theirs + BUFFER_AT;

static void fill(void)
{
	uint64_t s = state + 977u * (unsigned)me;

	for (int i = 0; i < BYTES; i++) {
		s = s * 6364136223846793005u + 1442695040888963407u;
		sent[i] = (char)(s >> 56);
		ours[i] = theirs[i] = (char)(s >> 48);
	}
}

static void choose(int *count, MPI_Datatype *type, MPI_Op *op)
{
	static const int counts[] = {0, 1, 2, 7, 100, 2000};
	const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BXOR, MPI_MIN, then};
	int k = below(LAYOUTS + 1);

	*count = counts[below(6)];
	*type = k < LAYOUTS ? types[k] : MPI_INT;
	*op = k < LAYOUTS ? add[k] : ops[below(5)];
}

static void broadcast(MPI_Comm comm, tape_hierarchy h, int root)
{
	MPI_Datatype type;
	MPI_Op op;
	int count;

	choose(&count, &type, &op);
	if (MPI_Bcast(their, count, type, root, comm) ||
	    tape_hbcast(our, count, type, root, h))
		fail("a broadcast's error");
	if (memcmp(ours, theirs, BYTES) != 0)
		fail("a broadcast");
}

static void reduce(MPI_Comm comm, tape_hierarchy h, int root)
{
	int in_place = below(2), rank, count;
	const void *a = send, *b = send;
	MPI_Datatype type;
	MPI_Op op;

	choose(&count, &type, &op);
	MPI_Comm_rank(comm, &rank);
#ifdef MPICH_VERSION
	/* 4.0's own reads at the address MPI_IN_PLACE if there is much */
	in_place = in_place && root == 0;
#endif
	if (in_place && rank == root)
		a = b = MPI_IN_PLACE;
	if (MPI_Reduce(a, their, count, type, op, root, comm) ||
	    tape_hreduce(b, our, count, type, op, root, h))
		fail("a reduction's error");
	if (memcmp(ours, theirs, BYTES) != 0)
		fail("a reduction");
}

static void allreduce(MPI_Comm comm, tape_hierarchy h)
{
	const void *from = below(2) ? MPI_IN_PLACE : send;
	MPI_Datatype type;
	MPI_Op op;
	int count;

	choose(&count, &type, &op);
	if (MPI_Allreduce(from, their, count, type, op, comm) ||
	    tape_hallreduce(from, our, count, type, op, h))
		fail("a reduction's error, to all");
	if (memcmp(ours, theirs, BYTES) != 0)
		fail("a reduction to all");
}

/* Nobody leaves before all members have come. */
static void barrier(tape_hierarchy h, atomic_int *come, int members)
{
	atomic_fetch_add(come, 1);
	if (tape_hbarrier(h))
		fail("a barrier's error");
	if (atomic_load(come) != members)
		fail("a barrier");
}

/* ---- errors ---- */

static MPI_Comm raised_for;
static int raised, code;

static void handler(MPI_Comm *comm, int *error, ...)
{
	raised++;
	raised_for = *comm;
	MPI_Error_class(*error, &code);
}

static void raises(int rc, int class, MPI_Comm comm, const char *what)
{
	int got = MPI_SUCCESS;

	if (rc)
		MPI_Error_class(rc, &got);
	if (got != class || code != class || raised != 1 || raised_for != comm)
		fail(what);
	raised = 0;
}

static void errors(MPI_Comm comm, tape_hierarchy h)
{
	int members;

	MPI_Comm_size(comm, &members);
	raises(tape_hbcast(our, 1, MPI_INT, members, h), MPI_ERR_ROOT, comm,
	       "a root that is none");
	raises(tape_hbcast(our, -1, MPI_INT, 0, h), MPI_ERR_COUNT, comm,
	       "a negative count");
	raises(tape_hallreduce(send, our, 1, MPI_INT, MPI_OP_NULL, h),
	       MPI_ERR_OP, comm, "no operation");
	raises(tape_hbcast(our, 1, MPI_DATATYPE_NULL, 0, h), MPI_ERR_TYPE, comm,
	       "no type");
	/* what is wrong of it is not the same to all libraries */
	MPI_Allreduce(send, their, 1, MPI_DATATYPE_NULL, MPI_SUM, comm);
	raised = 0;
	raises(tape_hallreduce(send, our, 1, MPI_DATATYPE_NULL, MPI_SUM, h),
	       code, comm, "no type to add");
	raises(tape_hbarrier(NULL), MPI_ERR_ARG, MPI_COMM_WORLD,
	       "no hierarchy");
}

/* ---- cases ---- */

static void choose_comm(MPI_Comm *comm, int *part)
{
	int bits = below(1 << 30);

	*part = 0;
	switch (below(3)) {
	case 0: /* backwards */
		MPI_Comm_split(MPI_COMM_WORLD, 0, -me, comm);
		return;
	case 1: /* some, and the rest */
		*part = bits >> me & 1;
		MPI_Comm_split(MPI_COMM_WORLD, *part, me, comm);
		return;
	default:
		MPI_Comm_dup(MPI_COMM_WORLD, comm);
		return;
	}
}

static void one_case(atomic_int *come)
{
	static const char *const wanted[] = {"Machine", "L3", "Core", "none"};
	MPI_Info info = MPI_INFO_NULL;
	tape_hierarchy h;
	MPI_Comm comm;
	int members, part;

	choose_comm(&comm, &part);
	MPI_Comm_size(comm, &members);
	if (below(4) == 0) {
		MPI_Info_create(&info);
		MPI_Info_set(info, "mpi_hw_resource_type", wanted[below(4)]);
	}
	if (tape_hierarchy_create(comm, info, &h))
		fail("no hierarchy");
	if (info != MPI_INFO_NULL)
		MPI_Info_free(&info);
	for (int i = 0; i < 6; i++) {
		int what = below(4), r = below(1 << 20);
		int root = i % 2 ? r % members : 0;

		/* the next numbers are the same everywhere */
		fill();
		if (what == 0)
			broadcast(comm, h, root);
		else if (what == 1)
			reduce(comm, h, root);
		else if (what == 2)
			allreduce(comm, h);
		else
			barrier(h, &come[2 * i + part], members);
	}
	if (which % 10 == 0)
		errors(comm, h);
	if (tape_hierarchy_free(&h) || h)
		fail("it is not freed");
	MPI_Comm_free(&comm);
}

static void print_levels(void)
{
	MPI_Comm level[LEVELS];
	int n, most;

	tape_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, LEVELS, level, NULL, &n);
	MPI_Reduce(&n, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
	while (n)
		MPI_Comm_free(&level[--n]);
	if (me == 0)
		printf("%d levels\n", most);
}

int main(int argc, char **argv)
{
	MPI_Errhandler counting;
	atomic_int *come;
	uint64_t seed;
	int fd, all;

	MPI_Init(&argc, &argv);
	is_up = getenv("HOST") != NULL;
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	fd = argc == 4 ? open(argv[3], O_RDWR) : -1;
	come = mmap(NULL, COUNTERS * sizeof *come, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	if (come == MAP_FAILED) {
		fprintf(stderr, "hsplit_collectives SEED CASES COUNTERS\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	seed = strtoull(argv[1], NULL, 10);
	MPI_Comm_create_errhandler(handler, &counting);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, counting);
	MPI_Errhandler_free(&counting);
	make_types();
	print_levels();
	for (which = 0; which < atol(argv[2]) && which < COUNTERS / 12;
	     which++) {
		state = (seed + (uint64_t)which) * 7919 + 1;
		for (int i = 0; i < 4; i++)
			below(2);
		one_case(come + 12 * which);
	}
	for (int k = 0; k < LAYOUTS; k++) {
		MPI_Type_free(&types[k]);
		MPI_Op_free(&add[k]);
	}
	MPI_Op_free(&then);
	MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (me == 0)
		printf("%ld cases, %d wrong\n", which, all);
	MPI_Finalize();
	return 0;
}
