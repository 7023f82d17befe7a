/*
 * Communicators of the same members that ranks make in different orders, as
 * MPI lets them; four ranks. The tag of a message says on which it was sent.
 *
 *	twins orders     calls that no order binds
 *	twins threads N  threads that make and free their own, N times
 *	twins random S   sequences made up from seed S
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3 };

/* Open MPI 4.1 may come to a standstill with more that are begun at once. */
#ifdef OPEN_MPI
enum { MOST = 1 };
#else
enum { MOST = 3 };
#endif

static int me, size, rounds;
static MPI_Comm world[THREADS];

/* A message round the ring and a reduction; tag and number say which it is. */
static void use(MPI_Comm comm, int name)
{
	int out = name, in = -1, sum = 0, rank, n;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &n);
	MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % n, name, &in, 1, MPI_INT,
		     (rank + n - 1) % n, name, comm, MPI_STATUS_IGNORE);
	MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, comm);
	if (in != name || sum != n * name)
		printf("rank %d: %d and %d in place of %d and %d\n", me, in,
		       sum, name, n * name);
}

static MPI_Comm by_group(MPI_Comm parent, int tag)
{
	MPI_Group group;
	MPI_Comm comm;

	MPI_Comm_group(parent, &group);
	MPI_Comm_create_group(parent, group, tag, &comm);
	MPI_Group_free(&group);
	return comm;
}

/* Even ranks make s first, odd ones begin d first. */
static void orders(void)
{
	MPI_Comm s = MPI_COMM_NULL, d, e, t;
	MPI_Request q;

	if (me % 2)
		MPI_Comm_idup(MPI_COMM_WORLD, &d, &q);
	s = by_group(MPI_COMM_WORLD, 0);
	if (me % 2 == 0)
		MPI_Comm_idup(MPI_COMM_WORLD, &d, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	use(s, 100);
	use(d, 200);
	/* between d's beginning and its end: one from each */
	if (me % 2)
		MPI_Comm_idup(d, &e, &q);
	t = by_group(d, 3);
	if (me % 2 == 0)
		MPI_Comm_idup(d, &e, &q);
	use(t, 300);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	use(e, 400);
	MPI_Comm_free(&s);
	/* again of the same group and tag: the next of them */
	s = by_group(MPI_COMM_WORLD, 0);
	use(s, 500);
	MPI_Comm_free(&s);
	MPI_Comm_free(&d);
	MPI_Comm_free(&e);
	MPI_Comm_free(&t);
}

/* Each thread has a tag of one parent, and a parent of its own. */
static void *thread(void *number)
{
	int k = (int)(long)number;

	for (int i = 0; i < rounds; i++) {
		MPI_Comm a = by_group(MPI_COMM_WORLD, 10 + k), b, c, half;
		int side = me % 2;

		MPI_Comm_dup(world[k], &b);
		use(b, 1000 * k + i);
		use(a, 1000 * k + 500 + i);
		MPI_Comm_split(world[k], side, me, &half);
		MPI_Intercomm_create(half, 0, world[k], 1 - side, 20 + k, &c);
		MPI_Comm_free(&a);
		MPI_Comm_free(&half);
		MPI_Intercomm_merge(c, side, &a);
		use(a, 1000 * k + 250 + i);
		MPI_Comm_free(&a);
		MPI_Comm_free(&c);
		MPI_Comm_free(&b);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];

	for (long k = 0; k < THREADS; k++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &world[k]);
		pthread_create(&t[k], NULL, thread, (void *)k);
	}
	for (int k = 0; k < THREADS; k++)
		pthread_join(t[k], NULL);
}

/* The same numbers at all ranks. */
static unsigned draw(unsigned n)
{
	static unsigned long long x;

	if (!x)
		x = (unsigned)rounds * 2654435761ull + 88172645463325252ull;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned)(x >> 33) % n;
}

/*
 * Steps of one blocking call and up to MOST that only begin, in an order that
 * each rank chooses, where those of one parent keep theirs.
 */
static void step(int number)
{
	int parents[3], n = (int)draw(MOST) + 1, first = 100 * number, at;
	MPI_Comm from[3] = { MPI_COMM_WORLD, world[0], world[1] };
	MPI_Comm begun[3], made = MPI_COMM_NULL;
	MPI_Request q[3];
	int tag = (int)draw(2), of = (int)draw(3);

	for (int i = 0; i < n; i++)
		parents[i] = (int)draw(3);
	/* before or behind which of them the blocking one is, by rank */
	at = (me * 7 + number) % (n + 1);
	for (int i = 0; i <= n; i++) {
		if (i == at)
			made = by_group(from[of], tag);
		if (i < n)
			MPI_Comm_idup(from[parents[i]], &begun[i], &q[i]);
	}
	use(made, first);
	MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
	for (int i = n; i-- > 0;)
		use(begun[i], first + 1 + i);
	for (int i = 0; i < n; i++)
		MPI_Comm_free(&begun[i]);
	MPI_Comm_free(&made);
}

int main(int argc, char **argv)
{
	int threaded = argc > 1 && !strcmp(argv[1], "threads"), provided;

	rounds = argc > 2 ? atoi(argv[2]) : 0;
	MPI_Init_thread(&argc, &argv, threaded ? MPI_THREAD_MULTIPLE
					       : MPI_THREAD_SINGLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (threaded && provided < MPI_THREAD_MULTIPLE) {
		if (!me)
			puts("no threads");
	} else if (threaded) {
		threads();
	} else if (!strcmp(argv[1], "random")) {
		for (int k = 0; k < 2; k++)
			MPI_Comm_dup(MPI_COMM_WORLD, &world[k]);
		for (int i = 1; i <= 20; i++)
			step(i);
	} else {
		orders();
	}
	MPI_Finalize();
	return 0;
}
