/*
 * Every way to send and to receive a message, on 4 ranks. Each rank writes
 * what it sent to sent.RANK and what it received to got.RANK, from its own
 * knowledge and the statuses: "from to tag bytes", ranks of the world. Nearly
 * every message has a size of its own, so that one that is taken for another
 * shows. What one side only of is traced goes to off.RANK instead.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 20, ROUNDS = 50 };

static int me;
static FILE *sent, *got, *off;
static char out[ROOM], in[8][ROOM];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int log_to(FILE *f, int from, int to, int tag, int bytes)
{
	pthread_mutex_lock(&lock);
	fprintf(f, "%d %d %d %d\n", from, to, tag, bytes);
	pthread_mutex_unlock(&lock);
	return bytes;
}

/* Logs a send and says how many bytes it has; to: rank of the world. */
static int sends(int to, int tag, int bytes)
{
	return log_to(sent, me, to, tag, bytes);
}

static void gets(int from, const MPI_Status *s)
{
	int n;

	MPI_Get_count(s, MPI_BYTE, &n);
	log_to(got, from, me, s->MPI_TAG, n);
}

/* ---- between neighbours: everybody to the right ---- */

static int right, left;

static void receive(int tag)
{
	MPI_Status s;

	MPI_Recv(in[0], ROOM, MPI_BYTE, left, tag, MPI_COMM_WORLD, &s);
	gets(left, &s);
}

static void blocking(void)
{
	MPI_Request r;
	MPI_Status s;
	int n = 100 + me;

	MPI_Send(out, sends(right, 1, n), MPI_BYTE, right, 1, MPI_COMM_WORLD);
	receive(1);
	MPI_Bsend(out, sends(right, 2, n + 10), MPI_BYTE, right, 2,
		  MPI_COMM_WORLD);
	receive(MPI_ANY_TAG);
	MPI_Irecv(in[0], ROOM, MPI_BYTE, left, 3, MPI_COMM_WORLD, &r);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Rsend(out, sends(right, 3, n + 20), MPI_BYTE, right, 3,
		  MPI_COMM_WORLD);
	MPI_Wait(&r, &s);
	gets(left, &s);
	if (me % 2) {
		MPI_Ssend(out, sends(right, 4, n + 30), MPI_BYTE, right, 4,
			  MPI_COMM_WORLD);
		receive(4);
	} else {
		receive(4);
		MPI_Ssend(out, sends(right, 4, n + 30), MPI_BYTE, right, 4,
			  MPI_COMM_WORLD);
	}
	MPI_Sendrecv(out, sends(right, 5, n + 40), MPI_BYTE, right, 5, in[0],
		     ROOM, MPI_BYTE, left, 5, MPI_COMM_WORLD, &s);
	gets(left, &s);
	MPI_Sendrecv_replace(in[0], sends(right, 6, 77), MPI_BYTE, right, 6,
			     left, 6, MPI_COMM_WORLD, &s);
	gets(left, &s);
	/* to nobody, from nobody: no message */
	MPI_Send(out, 5, MPI_BYTE, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
	MPI_Sendrecv(out, 5, MPI_BYTE, MPI_PROC_NULL, 7, in[0], 5, MPI_BYTE,
		     MPI_PROC_NULL, 7, MPI_COMM_WORLD, &s);
}

/* Waits for a few receives from the left at once. */
static void wait_all(int n, MPI_Request *r)
{
	MPI_Status s[16];

	MPI_Waitall(n, r, s);
	for (int i = 0; i < n / 2; i++)
		gets(left, &s[i]);
}

static void nonblocking(void)
{
	static const int sizes[] = { 10, 60000, 20, 300000 };
	MPI_Request r[8];

	for (int i = 0; i < 4; i++)
		MPI_Irecv(in[i], ROOM, MPI_BYTE, left, 10, MPI_COMM_WORLD,
			  &r[i]);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Isend(out, sends(right, 10, sizes[0]), MPI_BYTE, right, 10,
		  MPI_COMM_WORLD, &r[4]);
	MPI_Issend(out, sends(right, 10, sizes[1]), MPI_BYTE, right, 10,
		   MPI_COMM_WORLD, &r[5]);
	MPI_Ibsend(out, sends(right, 10, sizes[2]), MPI_BYTE, right, 10,
		   MPI_COMM_WORLD, &r[6]);
	MPI_Irsend(out, sends(right, 10, sizes[3]), MPI_BYTE, right, 10,
		   MPI_COMM_WORLD, &r[7]);
	wait_all(8, r);
	/* let go of at once; it is received all the same */
	MPI_Isend(out, sends(right, 11, 12 + me), MPI_BYTE, right, 11,
		  MPI_COMM_WORLD, &r[0]);
	MPI_Request_free(&r[0]);
	receive(11);
}

static void persistent(void)
{
	MPI_Request r[4];
	MPI_Status s;

	MPI_Recv_init(in[0], ROOM, MPI_BYTE, left, 20, MPI_COMM_WORLD, &r[0]);
	MPI_Recv_init(in[1], ROOM, MPI_BYTE, MPI_ANY_SOURCE, 21,
		      MPI_COMM_WORLD, &r[1]);
	MPI_Send_init(out, 200 + me, MPI_BYTE, right, 20, MPI_COMM_WORLD,
		      &r[2]);
	MPI_Ssend_init(out, 210 + me, MPI_BYTE, right, 21, MPI_COMM_WORLD,
		       &r[3]);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Startall(4, r);
		sends(right, 20, 200 + me);
		sends(right, 21, 210 + me);
		wait_all(4, r);
	}
	MPI_Start(&r[0]);
	MPI_Cancel(&r[0]); /* no message of its own */
	MPI_Wait(&r[0], &s);
	for (int i = 0; i < 4; i++)
		MPI_Request_free(&r[i]);
}

static void matched_probes(void)
{
	MPI_Request r;
	MPI_Message m;
	MPI_Status s;
	int flag = 0;

	MPI_Isend(out, sends(right, 30, 300 + me), MPI_BYTE, right, 30,
		  MPI_COMM_WORLD, &r);
	MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &s);
	MPI_Mrecv(in[0], ROOM, MPI_BYTE, &m, &s);
	gets(left, &s);
	MPI_Wait(&r, &s);
	MPI_Isend(out, sends(right, 31, 70000 + me), MPI_BYTE, right, 31,
		  MPI_COMM_WORLD, &r);
	while (!flag)
		MPI_Improbe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &flag, &m, &s);
	{
		MPI_Request q;

		MPI_Imrecv(in[0], ROOM, MPI_BYTE, &m, &q);
		MPI_Wait(&q, &s);
		gets(left, &s);
	}
	MPI_Wait(&r, &s);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- order, from rank 0 to rank 1 ---- */

/* What was posted first gets the first message, whichever is waited for. */
static void behind_wildcards(void)
{
	MPI_Request r[5];
	MPI_Status s;

	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 1) {
		MPI_Irecv(in[0], ROOM, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
			  MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(in[1], ROOM, MPI_BYTE, 0, 40, MPI_COMM_WORLD, &r[1]);
		MPI_Irecv(in[2], ROOM, MPI_BYTE, 0, MPI_ANY_TAG,
			  MPI_COMM_WORLD, &r[2]);
		MPI_Irecv(in[3], ROOM, MPI_BYTE, MPI_ANY_SOURCE, 40,
			  MPI_COMM_WORLD, &r[3]);
		MPI_Irecv(in[4], ROOM, MPI_BYTE, 0, 40, MPI_COMM_WORLD, &r[4]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 5 && me == 0; i++)
		MPI_Send(out, sends(1, 40, 401 + i), MPI_BYTE, 1, 40,
			 MPI_COMM_WORLD);
	for (int i = 5; i-- && me == 1;) {
		MPI_Wait(&r[i], &s);
		gets(0, &s);
	}
}

/* The first is cancelled, the second too late; the message goes on. */
static void cancelled(void)
{
	MPI_Request r[2];
	MPI_Status s;
	int flag;

	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 1)
		for (int i = 0; i < 2; i++)
			MPI_Irecv(in[i], ROOM, MPI_BYTE, 0, 41, MPI_COMM_WORLD,
				  &r[i]);
	if (me == 1) {
		MPI_Cancel(&r[0]);
		MPI_Wait(&r[0], &s);
		MPI_Test_cancelled(&s, &flag);
		if (!flag)
			gets(0, &s);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 0)
		MPI_Send(out, sends(1, 41, 411), MPI_BYTE, 1, 41,
			 MPI_COMM_WORLD);
	if (me == 1) {
		MPI_Wait(&r[1], &s);
		gets(0, &s);
	}
}

/* Receives that are too short fail, and have taken their messages. */
static void truncated(void)
{
	MPI_Request r;
	MPI_Status s;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (me == 0) {
		MPI_Send(out, sends(1, 42, 420), MPI_BYTE, 1, 42,
			 MPI_COMM_WORLD);
		MPI_Send(out, sends(1, 42, 430), MPI_BYTE, 1, 42,
			 MPI_COMM_WORLD);
		MPI_Send(out, sends(1, 42, 440), MPI_BYTE, 1, 42,
			 MPI_COMM_WORLD);
	} else if (me == 1) {
		MPI_Recv(in[0], 10, MPI_BYTE, 0, 42, MPI_COMM_WORLD, &s);
		gets(0, &s); /* whatever the status says of its size */
		MPI_Irecv(in[0], 10, MPI_BYTE, MPI_ANY_SOURCE, 42,
			  MPI_COMM_WORLD, &r);
		MPI_Wait(&r, &s);
		gets(0, &s);
		MPI_Recv(in[0], ROOM, MPI_BYTE, 0, 42, MPI_COMM_WORLD, &s);
		gets(0, &s);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* ---- two groups: 0 and 3, 1 and 2 ---- */

/* Both directions have the same ranks and tags. */
static void between(MPI_Comm inter, int mine, int n)
{
	static const int world[2][2] = { { 0, 3 }, { 1, 2 } };
	MPI_Request r[4];
	MPI_Status s;

	for (int i = 0; i < 2; i++) {
		int other = world[!mine][i];

		MPI_Isend(out, sends(other, 50, n + 10 * me + other), MPI_BYTE,
			  i, 50, inter, &r[i]);
		MPI_Irecv(in[i], ROOM, MPI_BYTE, i ? MPI_ANY_SOURCE : 0, 50,
			  inter, &r[2 + i]);
	}
	for (int i = 0; i < 2; i++) {
		MPI_Wait(&r[3 - i], &s);
		gets(world[!mine][s.MPI_SOURCE], &s);
	}
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void intercommunicators(void)
{
	int mine = me == 1 || me == 2, root, values[4] = { me };
	MPI_Comm own, inter, copy, merged;
	MPI_Status s;

	MPI_Comm_split(MPI_COMM_WORLD, mine, me, &own);
	MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, mine ? 0 : 1, 9, &inter);
	between(inter, mine, 500);
	MPI_Comm_dup(inter, &copy);
	between(copy, mine, 5000);
	MPI_Barrier(inter);
	/* the root is rank 3, the second of its group */
	root = mine ? 1 : me == 3 ? MPI_ROOT : MPI_PROC_NULL;
	MPI_Bcast(values, 1, MPI_INT, root, inter);
	MPI_Gather(values, 1, MPI_INT, values, 1, MPI_INT, root, inter);
	MPI_Allgather(&me, 1, MPI_INT, values, 1, MPI_INT, copy);
	MPI_Intercomm_merge(inter, mine, &merged);
	MPI_Sendrecv(out, sends(right, 51, 510 + me), MPI_BYTE,
		     (int[]){ 0, 2, 3, 1 }[right], 51, in[0], ROOM, MPI_BYTE,
		     (int[]){ 0, 2, 3, 1 }[left], 51, merged, &s);
	gets(left, &s);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&own);
}

/* ---- threads ---- */

static void *exchange(void *argument)
{
	int tag = *(int *)argument;
	char *buffer = malloc(ROOM);
	MPI_Status s;

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Request r;

		MPI_Irecv(buffer, ROOM, MPI_BYTE, left, tag, MPI_COMM_WORLD,
			  &r);
		MPI_Send(out, sends(right, tag, 10 * tag + i), MPI_BYTE, right,
			 tag, MPI_COMM_WORLD);
		MPI_Wait(&r, &s);
		gets(left, &s);
	}
	free(buffer);
	return NULL;
}

/* A request that one thread makes another one completes. */
static MPI_Request handed;
static pthread_barrier_t handing;

static void *completes(void *unused)
{
	MPI_Status s;

	pthread_barrier_wait(&handing);
	MPI_Wait(&handed, &s);
	gets(left, &s);
	return unused;
}

static void threads(void)
{
	int tags[3] = { 60, 61, 62 };
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, exchange, &tags[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_init(&handing, NULL, 2);
	pthread_create(&t[0], NULL, completes, NULL);
	MPI_Irecv(in[0], ROOM, MPI_BYTE, MPI_ANY_SOURCE, 63, MPI_COMM_WORLD,
		  &handed);
	pthread_barrier_wait(&handing);
	MPI_Send(out, sends(right, 63, 630 + me), MPI_BYTE, right, 63,
		 MPI_COMM_WORLD);
	pthread_join(t[0], NULL);
}

/* ---- the other side is not traced ---- */

/* The last messages of all: rank 2 is off, 1 and 3 are not. */
static void one_side(void)
{
	MPI_Status s;

	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 2)
		MPI_Pcontrol(0);
	for (int i = 0; i < 3; i++) {
		if (me == 1)
			MPI_Send(out, 700, MPI_BYTE, 2, 70, MPI_COMM_WORLD);
		if (me == 2)
			MPI_Recv(in[0], ROOM, MPI_BYTE, 1, 70, MPI_COMM_WORLD,
				 &s);
	}
	if (me == 2)
		MPI_Send(out, 710, MPI_BYTE, 3, 71, MPI_COMM_WORLD);
	if (me == 3)
		MPI_Recv(in[0], ROOM, MPI_BYTE, MPI_ANY_SOURCE, 71,
			 MPI_COMM_WORLD, &s);
	if (me == 2)
		MPI_Pcontrol(1);
	if (me == 1)
		log_to(off, 1, 2, 70, 3 * 700);
	if (me == 3)
		log_to(off, 2, 3, 71, 710);
}

static FILE *file(const char *name)
{
	char path[32];
	FILE *f;

	snprintf(path, sizeof path, "%s.%d", name, me);
	f = fopen(path, "w");
	if (!f)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return f;
}

int main(int argc, char **argv)
{
	static char attached[4 * ROOM];
	int size, level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != 4)
		MPI_Abort(MPI_COMM_WORLD, 2);
	sent = file("sent"), got = file("got"), off = file("off");
	right = (me + 1) % 4, left = (me + 3) % 4;
	MPI_Buffer_attach(attached, sizeof attached);
	blocking();
	nonblocking();
	persistent();
	matched_probes();
	behind_wildcards();
	cancelled();
	truncated();
	intercommunicators();
	if (level == MPI_THREAD_MULTIPLE)
		threads();
	one_side();
	fclose(sent), fclose(got), fclose(off);
	MPI_Finalize();
	return 0;
}
