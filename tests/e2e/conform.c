/* Messages, collectives, communicators, errors; see conform.h. */
#include "conform.h"

/* ---- blocking ---- */

static void blocking(void)
{
	int a[4] = { me, me + 1, me + 2, me + 3 }, b[4] = { 0 }, room[512];
	int size_;
	void *detached;
	MPI_Status s;
	MPI_Request q;

	say("# blocking\n");
	blank(&s, 1);
	rc("send", C(Send, a, 4, MPI_INT, right, 1, W));
	rc("recv", C(Recv, b, 4, MPI_INT, left, 1, W, &s));
	status("recv", &s);
	ints("got", b, 4);
	C(Send, a, 2, MPI_INT, right, 2, W);
	rc("recv ignore", C(Recv, b, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W,
			    IGNORE));
	ints("got", b, 4);
	C(Send, a, 0, MPI_INT, right, 3, W);
	blank(&s, 1);
	C(Recv, b, 0, MPI_INT, MPI_ANY_SOURCE, 3, W, &s);
	status("empty", &s);
	C(Send, NULL, 0, MPI_DATATYPE_NULL == MPI_INT ? MPI_INT : MPI_CHAR,
	  right, 3, W);
	C(Recv, NULL, 0, MPI_CHAR, left, MPI_ANY_TAG, W, IGNORE);
	rc("send null", C(Send, a, 4, MPI_INT, MPI_PROC_NULL, 1, W));
	blank(&s, 1);
	rc("recv null", C(Recv, b, 4, MPI_INT, MPI_PROC_NULL, 1, W, &s));
	status("null", &s);

	C(Irecv, b, 4, MPI_INT, left, 4, W, &q);
	C(Ssend, a, 4, MPI_INT, right, 4, W);
	C(Wait, &q, IGNORE);
	C(Irecv, b, 4, MPI_INT, left, 5, W, &q);
	C(Barrier, W);
	C(Rsend, a, 4, MPI_INT, right, 5, W);
	blank(&s, 1);
	C(Wait, &q, &s);
	status("rsend", &s);
	C(Buffer_attach, room, (int)sizeof room);
	C(Bsend, a, 4, MPI_INT, right, 6, W);
	C(Recv, b, 4, MPI_INT, left, 6, W, &s);
	C(Buffer_detach, &detached, &size_);
	say("detached %d %d\n", detached == (void *)room, size_);

	blank(&s, 1);
	rc("sendrecv", C(Sendrecv, a, 3, MPI_INT, right, 7, b, 4, MPI_INT, left,
			 7, W, &s));
	status("sendrecv", &s);
	C(Sendrecv, a, 3, MPI_INT, right, 7, b, 4, MPI_INT, MPI_ANY_SOURCE,
	  MPI_ANY_TAG, W, IGNORE);
	blank(&s, 1);
	C(Sendrecv, a, 3, MPI_INT, MPI_PROC_NULL, 7, b, 4, MPI_INT,
	  MPI_PROC_NULL, MPI_ANY_TAG, W, &s);
	status("sendrecv null", &s);
	C(Sendrecv_replace, a, 4, MPI_INT, right, 8, left, 8, W, &s);
	status("replace", &s);
	ints("replaced", a, 4);
	rc("type size", C(Type_size, MPI_DOUBLE, &size_));
	say("double %d\n", size_);
}

static void derived(void)
{
	struct cell {
		char c;
		double d;
	} cells[4] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } }, got[4];
	int lengths[2] = { 1, 1 }, size_, v[12], w[12] = { 0 };
	MPI_Aint at[2] = { 0, offsetof(struct cell, d) };
	MPI_Datatype types[2] = { MPI_CHAR, MPI_DOUBLE }, t, cell, vector, empty;
	MPI_Status s;
	MPI_Request q;

	say("# derived\n");
	C(Type_create_struct, 2, lengths, at, types, &t);
	C(Type_create_resized, t, 0, sizeof(struct cell), &cell);
	C(Type_commit, &cell);
	C(Type_vector, 3, 2, 4, MPI_INT, &vector);
	C(Type_commit, &vector);
	C(Type_contiguous, 0, MPI_INT, &empty);
	C(Type_commit, &empty);
	C(Type_size, cell, &size_);
	say("cell %d\n", size_);
	memset(got, 0, sizeof got);
	blank(&s, 1);
	C(Sendrecv, cells, 4, cell, right, 1, got, 4, cell, left, 1, W, &s);
	status("cells", &s);
	say("%d %g %d %g\n", got[0].c, got[0].d, got[3].c, got[3].d);
	for (int i = 0; i < 12; i++)
		v[i] = 100 * me + i;
	C(Irecv, w, 1, vector, left, 2, W, &q);
	C(Send, v, 1, vector, right, 2, W);
	/* a type may go before its message has arrived */
	t = vector;
	C(Type_free, &t);
	blank(&s, 1);
	C(Wait, &q, &s);
	status("vector", &s);
	ints("vector", w, 12);
	blank(&s, 1);
	C(Sendrecv, v, 5, empty, right, 3, w, 5, empty, left, 3, W, &s);
	status("empty type", &s);
	C(Bcast, got, 3, cell, size - 1, W);
	C(Type_free, &cell);
	C(Type_free, &empty);
}

/* ---- requests ---- */

static void nonblocking(void)
{
	enum { N = 6 };
	int a[N], b[N], room[1024], n, index, flag, indices[2 * N], size_, sum;
	int big_n = 300000, *big = calloc((size_t)big_n, 2 * sizeof *big);
	void *detached;
	MPI_Request q[2 * N];
	MPI_Status s[2 * N];

	say("# nonblocking\n");
	for (int i = 0; i < N; i++)
		a[i] = 10 * me + i;
#define POST()                                                                 \
	do {                                                                   \
		memset(b, 0, sizeof b);                                        \
		for (int i = 0; i < N; i++)                                    \
			C(Irecv, &b[i], 1, MPI_INT, i & 1 ? MPI_ANY_SOURCE : left, \
			  i, W, &q[i]);                                        \
		C(Isend, &a[0], 1, MPI_INT, right, 0, W, &q[N]);               \
		C(Issend, &a[1], 1, MPI_INT, right, 1, W, &q[N + 1]);          \
		C(Ibsend, &a[2], 1, MPI_INT, right, 2, W, &q[N + 2]);          \
		C(Isend, &a[3], 1, MPI_INT, right, 3, W, &q[N + 3]);           \
		C(Isend, &a[4], 1, MPI_INT, right, 4, W, &q[N + 4]);           \
		C(Isend, &a[5], 1, MPI_INT, right, 5, W, &q[N + 5]);           \
		blank(s, 2 * N);                                               \
	} while (0)
	C(Buffer_attach, room, (int)sizeof room);
	POST();
	rc("waitall", C(Waitall, 2 * N, q, s));
	for (int i = 0; i < N; i++)
		status("waitall", &s[i]);
	for (int i = 0; i < 2 * N; i++)
		say("%d", q[i] == MPI_REQUEST_NULL);
	ints(" got", b, N);
	POST();
	rc("waitall ignore", C(Waitall, 2 * N, q, MPI_STATUSES_IGNORE));
	ints("got", b, N);
	rc("waitall of nulls", C(Waitall, 2 * N, q, s));
	for (int i = 0; i < 2 * N; i += 5)
		status("null", &s[i]);
	POST();
	for (int i = 0; i < N; i++) {
		C(Wait, &q[i], i & 2 ? IGNORE : &s[i]);
		status("wait", &s[i]);
	}
	for (int i = N; i < 2 * N; i++)
		C(Wait, &q[i], IGNORE);
	blank(s, 1);
	rc("wait null", C(Wait, &q[0], &s[0]));
	status("wait null", &s[0]);
	POST();
	for (sum = 0, n = 0; n < 2 * N; n++) {
		C(Waitany, 2 * N, q, &index, n & 1 ? IGNORE : &s[0]);
		sum += index;
	}
	say("waitany sum %d\n", sum);
	blank(s, 1);
	index = 7;
	rc("waitany none", C(Waitany, 2 * N, q, &index, &s[0]));
	say("index %d\n", index == MPI_UNDEFINED);
	status("waitany none", &s[0]);
	POST();
	for (sum = 0, n = 0; n < 2 * N; n += flag) {
		C(Waitsome, 2 * N, q, &flag, indices,
		  n & 1 ? MPI_STATUSES_IGNORE : s);
		for (int i = 0; i < flag; i++)
			sum += indices[i];
	}
	say("waitsome sum %d\n", sum);
	C(Waitsome, 2 * N, q, &flag, indices, s);
	say("waitsome none %d\n", flag == MPI_UNDEFINED);
	POST();
	for (int i = 0; i < 2 * N; i++)
		do
			C(Test, &q[i], &flag, i & 1 ? IGNORE : &s[i]);
		while (!flag);
	status("test", &s[2]);
	blank(s, 1);
	flag = 9;
	rc("test null", C(Test, &q[0], &flag, &s[0]));
	status("test null", &s[0]);
	say("flag %d\n", flag);
	POST();
	do
		C(Testall, 2 * N, q, &flag, s);
	while (!flag);
	status("testall", &s[3]);
	POST();
	do
		C(Testall, 2 * N, q, &flag, MPI_STATUSES_IGNORE);
	while (!flag);
	ints("testall", b, N);
	C(Testall, 2 * N, q, &flag, s);
	say("testall of nulls %d\n", flag);
	POST();
	for (sum = 0, n = 0; n < 2 * N; n += flag) {
		C(Testany, 2 * N, q, &index, &flag, n & 1 ? IGNORE : &s[0]);
		sum += flag ? index : 0;
	}
	say("testany sum %d\n", sum);
	C(Testany, 2 * N, q, &index, &flag, &s[0]);
	say("testany none %d %d\n", index == MPI_UNDEFINED, flag);
	POST();
	for (sum = 0, n = 0; n < 2 * N; n += flag) {
		C(Testsome, 2 * N, q, &flag, indices,
		  n & 1 ? MPI_STATUSES_IGNORE : s);
		for (int i = 0; i < flag; i++)
			sum += indices[i];
	}
	say("testsome sum %d\n", sum);
	C(Testsome, 2 * N, q, &flag, indices, s);
	say("testsome none %d\n", flag == MPI_UNDEFINED);
	C(Buffer_detach, &detached, &size_);

	/* nothing to wait for */
	rc("waitall 0", C(Waitall, 0, NULL, MPI_STATUSES_IGNORE));
	rc("waitall 0", C(Waitall, 0, q, s));
	index = 5;
	rc("waitany 0", C(Waitany, 0, NULL, &index, IGNORE));
	say("index %d\n", index == MPI_UNDEFINED);
	rc("waitsome 0", C(Waitsome, 0, NULL, &n, NULL, MPI_STATUSES_IGNORE));
	say("count %d\n", n == MPI_UNDEFINED);
	rc("testall 0", C(Testall, 0, NULL, &flag, MPI_STATUSES_IGNORE));
	say("flag %d\n", flag);
	rc("testany 0", C(Testany, 0, NULL, &index, &flag, IGNORE));
	say("flag %d index %d\n", flag, index == MPI_UNDEFINED);
	rc("testsome 0", C(Testsome, 0, NULL, &n, NULL, MPI_STATUSES_IGNORE));
	say("count %d\n", n == MPI_UNDEFINED);

	/* no one on the other side */
	C(Isend, a, 1, MPI_INT, MPI_PROC_NULL, 0, W, &q[0]);
	C(Irecv, b, 1, MPI_INT, MPI_PROC_NULL, 0, W, &q[1]);
	blank(s, 2);
	C(Waitall, 2, q, s);
	status("isend null", &s[0]);
	status("irecv null", &s[1]);
	/* the receive is waited for after a send that completed at once */
	C(Irecv, b, 1, MPI_INT, MPI_PROC_NULL, 0, W, &q[1]);
	C(Irecv, &b[1], 1, MPI_INT, left, 0, W, &q[2]);
	C(Isend, a, 1, MPI_INT, right, 0, W, &q[0]);
	C(Wait, &q[0], IGNORE);
	C(Wait, &q[2], IGNORE);
	C(Wait, &q[1], IGNORE);

	/* larger than any eager limit; ready mode */
	for (int i = 0; i < big_n; i++)
		big[i] = me + i;
	C(Irecv, big + big_n, big_n, MPI_INT, left, 1, W, &q[0]);
	C(Isend, big, big_n, MPI_INT, right, 1, W, &q[1]);
	blank(s, 2);
	C(Waitall, 2, q, s);
	status("big", &s[0]);
	say("big %d %d\n", big[big_n], big[2 * big_n - 1]);
	C(Irecv, b, 1, MPI_INT, left, 2, W, &q[0]);
	C(Barrier, W);
	C(Irsend, a, 1, MPI_INT, right, 2, W, &q[1]);
	C(Waitall, 2, q, s);
	status("irsend", &s[0]);

	/* forgotten requests, cancelled ones */
	C(Irecv, b, 1, MPI_INT, left, 3, W, &q[0]);
	C(Isend, a, 1, MPI_INT, right, 3, W, &q[1]);
	C(Request_free, &q[1]);
	say("freed %d\n", q[1] == MPI_REQUEST_NULL);
	C(Wait, &q[0], IGNORE);
	C(Irecv, &b[1], 1, MPI_INT, left, 4, W, &q[0]);
	C(Request_free, &q[0]);
	C(Send, a, 1, MPI_INT, right, 4, W);
	C(Barrier, W);
	C(Irecv, b, 1, MPI_INT, left, 5, W, &q[0]);
	rc("cancel", C(Cancel, &q[0]));
	blank(s, 1);
	C(Wait, &q[0], &s[0]);
	status("cancelled", &s[0]);
	C(Irecv, b, 1, MPI_INT, left, 5, W, &q[0]);
	C(Cancel, &q[0]);
	C(Waitall, 1, q, MPI_STATUSES_IGNORE);
	/* too late: the message is there */
	C(Irecv, b, 1, MPI_INT, left, 6, W, &q[0]);
	C(Sendrecv, a, 1, MPI_INT, right, 6, b + 1, 0, MPI_INT, MPI_PROC_NULL,
	  6, W, IGNORE);
	C(Barrier, W);
	do
		C(Request_get_status, q[0], &flag, IGNORE);
	while (!flag);
	C(Cancel, &q[0]);
	blank(s, 1);
	C(Wait, &q[0], &s[0]);
	status("not cancelled", &s[0]);
	free(big);
}

static void persistent(void)
{
	int a[5] = { me, me + 1, me + 2, me + 3, me + 4 }, b[5] = { 0 };
	int room[512], flag, index, n, indices[10], size_;
	void *detached;
	MPI_Request q[10], nulls[2];
	MPI_Status s[10];

	say("# persistent\n");
	C(Buffer_attach, room, (int)sizeof room);
	for (int i = 0; i < 5; i++)
		C(Recv_init, &b[i], 1, MPI_INT, i == 2 ? MPI_ANY_SOURCE : left,
		  i, W, &q[i]);
	C(Send_init, &a[0], 1, MPI_INT, right, 0, W, &q[5]);
	C(Bsend_init, &a[1], 1, MPI_INT, right, 1, W, &q[6]);
	C(Ssend_init, &a[2], 1, MPI_INT, right, 2, W, &q[7]);
	C(Rsend_init, &a[3], 1, MPI_INT, right, 3, W, &q[8]);
	C(Send_init, &a[4], 1, MPI_INT, right, 4, W, &q[9]);
	C(Send_init, a, 1, MPI_INT, MPI_PROC_NULL, 4, W, &nulls[0]);
	C(Recv_init, b, 1, MPI_INT, MPI_PROC_NULL, 4, W, &nulls[1]);

	/* inactive ones complete at once, with an empty status */
	blank(s, 10);
	rc("wait inactive", C(Wait, &q[0], &s[0]));
	status("wait inactive", &s[0]);
	C(Wait, &q[5], IGNORE);
	flag = 4;
	C(Test, &q[1], &flag, &s[1]);
	status("test inactive", &s[1]);
	say("flag %d\n", flag);
	C(Waitall, 10, q, s);
	status("waitall inactive", &s[9]);
	C(Waitany, 10, q, &index, &s[0]);
	say("waitany inactive %d\n", index == MPI_UNDEFINED);
	C(Waitsome, 10, q, &n, indices, s);
	say("waitsome inactive %d\n", n == MPI_UNDEFINED);
	C(Testall, 10, q, &flag, s);
	say("testall inactive %d\n", flag);
	C(Testany, 10, q, &index, &flag, IGNORE);
	say("testany inactive %d %d\n", flag, index == MPI_UNDEFINED);
	C(Testsome, 10, q, &n, indices, MPI_STATUSES_IGNORE);
	say("testsome inactive %d\n", n == MPI_UNDEFINED);

	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 5; i++)
			a[i] += 100;
		rc("startall", C(Startall, 5, q));
		C(Barrier, W); /* for the ready send */
		for (int i = 5; i < 10; i++)
			C(Start, &q[i]);
		C(Startall, 2, nulls);
		blank(s, 10);
		switch (round) {
		case 0:
			C(Waitall, 10, q, s);
			break;
		case 1:
			for (int i = 9; i >= 0; i--)
				C(Wait, &q[i], &s[i]);
			break;
		case 2:
			for (int i = 0; i < 10; i++)
				C(Waitany, 10, q, &index, IGNORE);
			C(Waitany, 10, q, &index, IGNORE);
			say("all done %d\n", index == MPI_UNDEFINED);
			break;
		case 3:
			for (int i = 0; i < 10; i++)
				do
					C(Test, &q[i], &flag, IGNORE);
				while (!flag);
		}
		status("persistent", &s[0]);
		ints("persistent", b, 5);
		C(Waitall, 2, nulls, s);
		status("null send", &s[0]);
		status("null recv", &s[1]);
		say("still there %d\n", q[0] != MPI_REQUEST_NULL);
	}
	rc("startall 0", C(Startall, 0, q));
	/* cancel, then start again */
	C(Start, &q[0]);
	C(Cancel, &q[0]);
	C(Wait, &q[0], &s[0]);
	status("cancelled", &s[0]);
	C(Barrier, W);
	C(Start, &q[0]);
	C(Start, &q[5]);
	C(Wait, &q[5], IGNORE);
	C(Wait, &q[0], &s[0]);
	status("again", &s[0]);
	/* freed while active: the message still comes */
	C(Start, &q[1]);
	C(Request_free, &q[1]);
	C(Start, &q[6]);
	C(Wait, &q[6], IGNORE);
	C(Barrier, W);
	for (int i = 0; i < 10; i++)
		if (i != 1)
			C(Request_free, &q[i]);
	C(Request_free, &nulls[0]);
	C(Request_free, &nulls[1]);
	C(Buffer_detach, &detached, &size_);
}

static void probes(void)
{
	int a[3] = { me, 5, 6 }, b[3] = { 0 }, flag;
	MPI_Status s;
	MPI_Message m;
	MPI_Request q;

	say("# probes\n");
	blank(&s, 1);
	C(Isend, a, 2, MPI_INT, right, 1, W, &q);
	rc("probe", C(Probe, left, 1, W, &s));
	status("probe", &s);
	C(Probe, MPI_ANY_SOURCE, MPI_ANY_TAG, W, IGNORE);
	do
		C(Iprobe, MPI_ANY_SOURCE, 1, W, &flag, &s);
	while (!flag);
	status("iprobe", &s);
	C(Iprobe, left, 1, W, &flag, IGNORE);
	say("again %d\n", flag);
	C(Recv, b, 3, MPI_INT, left, 1, W, &s);
	C(Wait, &q, IGNORE);
	flag = 3;
	C(Iprobe, left, 77, W, &flag, &s);
	say("nothing %d\n", flag);
	for (int i = 0; i < 100; i++)
		C(Iprobe, MPI_ANY_SOURCE, 78, W, &flag, IGNORE);
	blank(&s, 1);
	C(Probe, MPI_PROC_NULL, 1, W, &s);
	status("probe null", &s);
	C(Iprobe, MPI_PROC_NULL, 1, W, &flag, &s);
	say("iprobe null %d\n", flag);

	C(Isend, a, 3, MPI_INT, right, 2, W, &q);
	blank(&s, 1);
	C(Mprobe, MPI_ANY_SOURCE, 2, W, &m, &s);
	status("mprobe", &s);
	blank(&s, 1);
	rc("mrecv", C(Mrecv, b, 3, MPI_INT, &m, &s));
	status("mrecv", &s);
	say("message null %d\n", m == MPI_MESSAGE_NULL);
	C(Wait, &q, IGNORE);
	C(Isend, a, 3, MPI_INT, right, 3, W, &q);
	C(Mprobe, left, 3, W, &m, IGNORE);
	C(Mrecv, b, 3, MPI_INT, &m, IGNORE);
	C(Wait, &q, IGNORE);
	flag = 0;
	C(Improbe, MPI_ANY_SOURCE, 79, W, &flag, &m, &s);
	say("improbe nothing %d\n", flag);
	C(Isend, a, 3, MPI_INT, right, 4, W, &q);
	do
		C(Improbe, left, 4, W, &flag, &m, &s);
	while (!flag);
	status("improbe", &s);
	C(Wait, &q, IGNORE);
	C(Imrecv, b, 3, MPI_INT, &m, &q);
	blank(&s, 1);
	C(Wait, &q, &s);
	status("imrecv", &s);
	ints("imrecv", b, 3);
	C(Isend, a, 0, MPI_INT, right, 5, W, &q);
	do
		C(Improbe, left, 5, W, &flag, &m, IGNORE);
	while (!flag);
	C(Mrecv, NULL, 0, MPI_INT, &m, IGNORE);
	C(Wait, &q, IGNORE);
	C(Mprobe, MPI_PROC_NULL, 5, W, &m, &s);
	say("no proc %d\n", m == MPI_MESSAGE_NO_PROC);
	blank(&s, 1);
	C(Mrecv, b, 3, MPI_INT, &m, &s);
	status("mrecv null", &s);
	C(Improbe, MPI_PROC_NULL, 5, W, &flag, &m, &s);
	C(Imrecv, b, 3, MPI_INT, &m, &q);
	blank(&s, 1);
	C(Wait, &q, &s);
	status("imrecv null", &s);
	C(Barrier, W);
}

/* ---- collectives ---- */

enum { MAX = 64 };
static int in[MAX], out[MAX], counts_[MAX], displs[MAX];
static int few[MAX], bytes[MAX];
static MPI_Datatype types[MAX];

static void fresh(void)
{
	for (int i = 0; i < MAX; i++) {
		in[i] = 1000 * me + i;
		out[i] = -1;
		counts_[i] = 2;
		displs[i] = 2 * i;
		few[i] = i % 3;
		bytes[i] = 8 * i;
		types[i] = MPI_INT;
	}
}

/* What may not be looked at outside the root. */
#define JUNK ((MPI_Datatype)(uintptr_t)24)
#define JUNKS ((int *)(uintptr_t)8)
#define AT(root, value, other) (me == (root) ? (value) : (other))
#define SHOW(what) (ints(what, out, 8), fresh())

static void collectives(MPI_Comm c)
{
	int root = size - 1, r = 0;

	say("# collectives\n");
	fresh();
	C(Barrier, c);
	C(Bcast, in, 4, MPI_INT, root, c);
	ints("bcast", in, 4);
	fresh();
	C(Bcast, NULL, 0, MPI_INT, root, c);
	for (int k = 0; k < 2; k++, root = 0) {
		C(Gather, in, 2, MPI_INT, out, AT(root, 2, -7),
		  AT(root, MPI_INT, JUNK), root, c);
		SHOW("gather");
		C(Gather, AT(root, MPI_IN_PLACE, (void *)in),
		  AT(root, -3, 2), AT(root, JUNK, MPI_INT),
		  AT(root, out, NULL), AT(root, 2, 0),
		  AT(root, MPI_INT, MPI_DATATYPE_NULL), root, c);
		SHOW("gather in place");
		C(Gatherv, in, 2, MPI_INT, out, AT(root, counts_, JUNKS),
		  AT(root, displs, JUNKS), AT(root, MPI_INT, JUNK), root, c);
		SHOW("gatherv");
		C(Gatherv, AT(root, MPI_IN_PLACE, (void *)in), 2, MPI_INT,
		  AT(root, out, NULL), AT(root, counts_, NULL),
		  AT(root, displs, NULL), AT(root, MPI_INT, NULL), root, c);
		SHOW("gatherv in place");
		C(Scatter, AT(root, in, NULL), AT(root, 2, -9),
		  AT(root, MPI_INT, JUNK), out, 2, MPI_INT, root, c);
		SHOW("scatter");
		C(Scatter, in, 2, AT(root, MPI_INT, NULL),
		  AT(root, MPI_IN_PLACE, (void *)out), AT(root, -2, 2),
		  AT(root, JUNK, MPI_INT), root, c);
		SHOW("scatter in place");
		C(Scatterv, in, AT(root, counts_, JUNKS),
		  AT(root, displs, JUNKS), AT(root, MPI_INT, JUNK), out, 2,
		  MPI_INT, root, c);
		SHOW("scatterv");
		C(Reduce, in, AT(root, out, NULL), 3, MPI_INT, MPI_SUM, root,
		  c);
		SHOW("reduce");
		C(Reduce, AT(root, MPI_IN_PLACE, (void *)in),
		  AT(root, in, NULL), 3, MPI_INT, MPI_SUM, root, c);
		ints("reduce in place", in, 3);
		fresh();
	}
	C(Allgather, in, 2, MPI_INT, out, 2, MPI_INT, c);
	SHOW("allgather");
	C(Allgather, MPI_IN_PLACE, -1, JUNK, out, 2, MPI_INT, c);
	SHOW("allgather in place");
	C(Allgatherv, in, 2, MPI_INT, out, counts_, displs, MPI_INT, c);
	SHOW("allgatherv");
	C(Allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts_, displs,
	  MPI_INT, c);
	SHOW("allgatherv in place");
	C(Alltoall, in, 2, MPI_INT, out, 2, MPI_INT, c);
	SHOW("alltoall");
	C(Alltoall, MPI_IN_PLACE, 0, JUNK, in, 2, MPI_INT, c);
	ints("alltoall in place", in, 8);
	fresh();
	C(Alltoallv, in, counts_, displs, MPI_INT, out, counts_, displs,
	  MPI_INT, c);
	SHOW("alltoallv");
	C(Alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, counts_,
	  displs, MPI_INT, c);
	ints("alltoallv in place", in, 8);
	fresh();
	C(Alltoallw, in, counts_, bytes, types, out, counts_, bytes, types, c);
	SHOW("alltoallw");
	C(Alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, in, counts_, bytes, types,
	  c);
	ints("alltoallw in place", in, 8);
	fresh();
	C(Allreduce, in, out, 4, MPI_INT, MPI_MAX, c);
	SHOW("allreduce");
	C(Allreduce, MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, c);
	ints("allreduce in place", in, 4);
	fresh();
	C(Allreduce, NULL, NULL, 0, MPI_INT, MPI_SUM, c);
	C(Reduce_scatter, in, out, few, MPI_INT, MPI_SUM, c);
	SHOW("reduce_scatter");
	C(Reduce_scatter, MPI_IN_PLACE, in, few, MPI_INT, MPI_SUM, c);
	ints("reduce_scatter in place", in, 2);
	fresh();
	C(Reduce_scatter_block, in, out, 2, MPI_INT, MPI_SUM, c);
	SHOW("reduce_scatter_block");
	C(Reduce_scatter_block, MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, c);
	ints("reduce_scatter_block in place", in, 2);
	fresh();
	C(Scan, in, out, 2, MPI_INT, MPI_SUM, c);
	SHOW("scan");
	C(Scan, MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, c);
	ints("scan in place", in, 2);
	fresh();
	C(Exscan, in, out, 2, MPI_INT, MPI_SUM, c);
	C(Comm_rank, c, &r);
	if (r)
		ints("exscan", out, 2);
	fresh();
}

#define DONE(what)                                                             \
	do {                                                                   \
		C(Wait, &q, IGNORE);                                           \
		SHOW(what);                                                    \
	} while (0)

static void icollectives(MPI_Comm c)
{
	int root = size - 1, flag, r = 0;
	MPI_Request q, qs[3];
	MPI_Status s;

	say("# non-blocking collectives\n");
	fresh();
	rc("ibarrier", C(Ibarrier, c, &q));
	blank(&s, 1);
	C(Wait, &q, &s);
	C(Ibcast, in, 4, MPI_INT, root, c, &q);
	do
		C(Test, &q, &flag, &s);
	while (!flag);
	ints("ibcast", in, 4);
	fresh();
	C(Igather, in, 2, MPI_INT, out, AT(root, 2, -1),
	  AT(root, MPI_INT, JUNK), root, c, &q);
	DONE("igather");
	C(Igatherv, in, 2, MPI_INT, out, AT(root, counts_, JUNKS),
	  AT(root, displs, JUNKS), AT(root, MPI_INT, JUNK), root, c, &q);
	DONE("igatherv");
	C(Iscatter, in, AT(root, 2, -1), AT(root, MPI_INT, JUNK), out, 2,
	  MPI_INT, root, c, &q);
	DONE("iscatter");
	C(Iscatterv, in, AT(root, counts_, JUNKS), AT(root, displs, JUNKS),
	  AT(root, MPI_INT, JUNK), out, 2, MPI_INT, root, c, &q);
	DONE("iscatterv");
	C(Iallgather, in, 2, MPI_INT, out, 2, MPI_INT, c, &q);
	DONE("iallgather");
	C(Iallgather, MPI_IN_PLACE, 0, JUNK, out, 2, MPI_INT, c, &q);
	DONE("iallgather in place");
	C(Iallgatherv, in, 2, MPI_INT, out, counts_, displs, MPI_INT, c, &q);
	DONE("iallgatherv");
	C(Ialltoall, in, 2, MPI_INT, out, 2, MPI_INT, c, &q);
	DONE("ialltoall");
	C(Ialltoallv, in, counts_, displs, MPI_INT, out, counts_, displs,
	  MPI_INT, c, &q);
	DONE("ialltoallv");
	C(Ialltoallw, in, counts_, bytes, types, out, counts_, bytes, types, c,
	  &q);
	DONE("ialltoallw");
	C(Ireduce, in, AT(root, out, NULL), 3, MPI_INT, MPI_SUM, root, c, &q);
	DONE("ireduce");
	C(Iallreduce, in, out, 3, MPI_INT, MPI_SUM, c, &q);
	DONE("iallreduce");
	C(Ireduce_scatter, in, out, few, MPI_INT, MPI_SUM, c, &q);
	DONE("ireduce_scatter");
	C(Ireduce_scatter_block, in, out, 2, MPI_INT, MPI_SUM, c, &q);
	DONE("ireduce_scatter_block");
	C(Iscan, in, out, 2, MPI_INT, MPI_SUM, c, &q);
	DONE("iscan");
	C(Iexscan, in, out, 2, MPI_INT, MPI_SUM, c, &q);
	C(Comm_rank, c, &r);
	C(Wait, &q, IGNORE);
	if (r)
		ints("iexscan", out, 2);
	fresh();
	C(Iallreduce, in, out, 1, MPI_INT, MPI_SUM, c, &qs[0]);
	C(Iallreduce, in + 1, out + 1, 1, MPI_INT, MPI_SUM, c, &qs[1]);
	C(Ibarrier, c, &qs[2]);
	C(Waitall, 3, qs, MPI_STATUSES_IGNORE);
	SHOW("three at once");
}

/* ---- communicators ---- */

/* One message and one collective on c, then its name. */
static void use(const char *what, MPI_Comm c)
{
	int n = -1, r = -1, v, w = -1;
	MPI_Status s;

	if (c == MPI_COMM_NULL) {
		say("%s: null\n", what);
		return;
	}
	C(Comm_rank, c, &r);
	C(Comm_size, c, &n);
	v = 10 * me + r;
	blank(&s, 1);
	C(Sendrecv, &v, 1, MPI_INT, (r + 1) % n, 1, &w, 1, MPI_INT,
	  (r + n - 1) % n, 1, c, &s);
	C(Allreduce, MPI_IN_PLACE, &v, 1, MPI_INT, MPI_SUM, c);
	say("%s: rank %d of %d got %d from %d sum %d\n", what, r, n, w,
	    s.MPI_SOURCE, v);
}

static void communicators(void)
{
	MPI_Comm c, d, e, many[4];
	MPI_Group all, part;
	MPI_Request q, qs[2];
	MPI_Status s;
	MPI_Info info;
	int dims[1] = { size }, periods[1] = { 1 }, remain[1] = { 1 }, flag, i;
	int index[MAX], edges[2 * MAX], one = 1, sources[1], ranks[1] = { 0 };

	say("# communicators\n");
	rc("dup", C(Comm_dup, W, &c));
	use("dup", c);
	C(Comm_dup, c, &d);
	use("dup of dup", d);
	C(Comm_free, &d);
	say("freed %d\n", d == MPI_COMM_NULL);
	/* handles come back */
	for (i = 0; i < 20; i++) {
		C(Comm_split, c, i % 3 == me % 3 ? MPI_UNDEFINED : me & i & 1,
		  -me, &d);
		use("split", d);
		if (d != MPI_COMM_NULL)
			C(Comm_free, &d);
	}
	for (i = 0; i < 4; i++)
		C(Comm_dup, W, &many[i]);
	C(Comm_free, &many[1]);
	C(Comm_split, W, me > 0, 0, &many[1]);
	use("split again", many[1]);
	use("another", many[2]);
	for (i = 0; i < 4; i++)
		C(Comm_free, &many[i]);
	C(Comm_split_type, W, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &d);
	use("split_type", d);
	C(Comm_free, &d);
	C(Comm_split_type, W, MPI_UNDEFINED, me, MPI_INFO_NULL, &d);
	say("undefined %d\n", d == MPI_COMM_NULL);
	C(Info_create, &info);
	C(Comm_dup_with_info, W, info, &d);
	use("dup_with_info", d);
	C(Comm_free, &d);
	C(Info_free, &info);
	C(Comm_group, W, &all);
	C(Group_incl, all, 1, ranks, &part);
	C(Comm_create, W, part, &d);
	use("create", d);
	if (d != MPI_COMM_NULL)
		C(Comm_free, &d);
	if (!me) {
		C(Comm_create_group, W, part, 5, &d);
		use("create_group", d);
		C(Comm_free, &d);
	}
	C(Group_free, &part);
	C(Group_free, &all);

	rc("idup", C(Comm_idup, W, &d, &q));
	C(Wait, &q, &s);
	use("idup", d);
	C(Comm_idup, d, &e, &q);
	do
		C(Test, &q, &flag, IGNORE);
	while (!flag);
	use("idup of idup", e);
	C(Comm_free, &e);
	C(Comm_idup, d, &e, &qs[0]);
	C(Waitall, 1, qs, MPI_STATUSES_IGNORE);
	use("idup, waitall", e);
	C(Comm_free, &d);
	C(Comm_idup, e, &d, &qs[0]);
	qs[1] = MPI_REQUEST_NULL;
	C(Waitany, 2, qs, &i, IGNORE);
	use("idup, waitany", d);
	C(Comm_free, &d);
	C(Comm_free, &e);

	C(Cart_create, c, 1, dims, periods, 0, &d);
	use("cart", d);
	C(Cart_sub, d, remain, &e);
	use("cart_sub", e);
	C(Comm_free, &e);
	C(Comm_free, &d);
	periods[0] = 0;
	dims[0] = 1;
	C(Cart_create, c, 1, dims, periods, 0, &d);
	use("small cart", d);
	if (d != MPI_COMM_NULL)
		C(Comm_free, &d);
	for (i = 0; i < size; i++) {
		index[i] = i + 1;
		edges[i] = (i + 1) % size;
	}
	C(Graph_create, W, size, index, edges, 0, &d);
	use("graph", d);
	C(Comm_free, &d);
	C(Dist_graph_create, W, 1, &me, &one, &right, MPI_UNWEIGHTED,
	  MPI_INFO_NULL, 0, &d);
	use("dist_graph", d);
	C(Comm_free, &d);
	sources[0] = left;
	C(Dist_graph_create_adjacent, W, 1, sources, MPI_UNWEIGHTED, 1, &right,
	  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &d);
	use("dist_graph_adjacent", d);
	C(Comm_free, &d);

	/* two groups: a root that is one of the others */
	if (size > 1) {
		int v = me, sum[MAX] = { 0 }, n, junk[MAX];

		C(Comm_split, W, me & 1, me, &d);
		C(Intercomm_create, d, 0, W, 1 - (me & 1), 9, &e);
		C(Comm_remote_size, e, &n);
		C(Allgather, &v, 1, MPI_INT, sum, 1, MPI_INT, e);
		ints("inter allgather", sum, n);
		memset(junk, -1, sizeof junk);
		if (me & 1)
			C(Gather, &v, 1, MPI_INT, NULL, -1, JUNK, 0, e);
		else
			C(Gather, NULL, -1, JUNK, junk, 1, MPI_INT,
			  me ? MPI_PROC_NULL : MPI_ROOT, e);
		ints("inter gather", junk, n);
		if (me & 1)
			C(Bcast, &v, 1, MPI_INT, 0, e);
		else
			C(Bcast, &v, 1, MPI_INT, me ? MPI_PROC_NULL : MPI_ROOT,
			  e);
		say("inter bcast %d\n", v);
		for (i = 0; i < MAX; i++)
			index[i] = 0;
		C(Comm_size, d, &n);
		index[0] = 1;
		v = me + 1;
		C(Reduce_scatter, &v, sum, index, MPI_INT, MPI_SUM, e);
		C(Comm_rank, d, &i);
		if (!i)
			say("inter reduce_scatter %d\n", sum[0]);
		v = me;
		C(Comm_remote_size, e, &n);
		C(Comm_rank, d, &i);
		if (i < n) {
			C(Sendrecv, &v, 1, MPI_INT, i, 3, sum, 1, MPI_INT, i, 3,
			  e, &s);
			say("inter got %d from %d\n", sum[0], s.MPI_SOURCE);
		}
		C(Comm_free, &e);
		C(Comm_free, &d);
	}
	C(Comm_free, &c);
}

/* ---- call-backs that call MPI themselves ---- */

static int called, deleted;

static void talk(void)
{
	int a = 1, b = 0, n;
	MPI_Request q;

	MPI_Type_size(MPI_INT, &n);
	MPI_Sendrecv(&a, 1, MPI_INT, 0, 9, &b, 1, MPI_INT, 0, 9, MPI_COMM_SELF,
	   IGNORE);
	MPI_Irecv(&b, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &q);
	MPI_Send(&a, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
	MPI_Wait(&q, IGNORE);
	called++;
}

static void op(void *a, void *b, int *n, MPI_Datatype *t)
{
	int size_;

	MPI_Type_size(*t, &size_);
	talk();
	for (int i = 0; i < *n; i++)
		((int *)b)[i] += ((int *)a)[i];
}

static int copy(MPI_Comm c, int key, void *extra, void *value, void *to,
		int *flag)
{
	(void)c, (void)key, (void)extra;
	talk();
	*(void **)to = value;
	*flag = 1;
	return MPI_SUCCESS;
}

static int gone(MPI_Comm c, int key, void *value, void *extra)
{
	(void)c, (void)key, (void)value, (void)extra;
	talk();
	deleted++;
	return MPI_SUCCESS;
}

static void callbacks(void)
{
	int key, v[2] = { me, 1 }, w[2] = { 0 }, flag = 0, *got;
	MPI_Comm c, d;
	MPI_Op mine;
	MPI_Request q;

	say("# call-backs\n");
	C(Op_create, op, 1, &mine);
	C(Allreduce, v, w, 2, MPI_INT, mine, W);
	say("sum %d %d\n", w[0], w[1]);
	C(Reduce, v, w, 2, MPI_INT, mine, 0, W);
	C(Scan, v, w, 2, MPI_INT, mine, W);
	say("scan %d %d\n", w[0], w[1]);
	C(Iallreduce, v, w, 2, MPI_INT, mine, W, &q);
	C(Wait, &q, IGNORE);
	say("isum %d %d\n", w[0], w[1]);
	C(Reduce_scatter_block, MPI_IN_PLACE, memset(in, 0, sizeof in), 1,
	  MPI_INT, mine, W);
	C(Op_free, &mine);
	called = 0;
	C(Comm_dup, W, &c);
	C(Comm_create_keyval, copy, gone, &key, NULL);
	C(Comm_set_attr, c, key, v);
	C(Comm_dup, c, &d);
	C(Comm_get_attr, d, key, &got, &flag);
	say("copied %d %d\n", flag, flag && got == v);
	C(Comm_free, &d);
	C(Comm_delete_attr, c, key);
	C(Comm_free, &c);
	C(Comm_free_keyval, &key);
	say("called %d deleted %d\n", called, deleted);
}

/* ---- errors ---- */

static int failures;

static void handler(MPI_Comm *c, int *code, ...)
{
	int class_ = -1, same;
	va_list ap;
	const char *name;

	va_start(ap, code);
	/* there is none of MPICH */
	name = IS_OPEN_MPI ? va_arg(ap, const char *) : NULL;
	va_end(ap);
	MPI_Error_class(*code, &class_);
	same = *c == W ? 1 : *c == MPI_COMM_SELF ? 2 : 0;
	say("  handler: communicator %d class %d in %s\n", same, class_,
	    name ? name : "?");
	talk();
	failures++;
}

#define BAD(name, ...)                                                         \
	do {                                                                   \
		int before_ = failures;                                        \
		rc(#name, C(name, __VA_ARGS__));                               \
		say("  handled %d times\n", failures - before_);               \
	} while (0)

/* Pointers that MPICH follows before it has looked at them. */
#ifdef OPEN_MPI
#define UNCHECKED BAD
#else
#define UNCHECKED(...) (void)0
#endif

/* A message of four where one is expected. */
#define LONG(tag)                                                              \
	do {                                                                   \
		C(Irecv, b, 1, MPI_INT, left, tag, c, &q[0]);                  \
		C(Irecv, b + 4, 1, MPI_INT, left, (tag) + 1, c, &q[1]);        \
		C(Isend, a, 4, MPI_INT, right, tag, c, &q[2]);                 \
		C(Isend, a, 1, MPI_INT, right, (tag) + 1, c, &q[3]);           \
		MPI_Barrier(c);                                                \
		hit("Barrier");                                                \
		for (int k_ = 0; k_ < 4; k_++)                                 \
			do                                                     \
				C(Request_get_status, q[k_], &flag, IGNORE);  \
			while (!flag);                                         \
		blank(s, 4);                                                   \
	} while (0)
#define LEFT(what)                                                             \
	do {                                                                   \
		say(what);                                                     \
		for (int k_ = 0; k_ < 4; k_++) {                               \
			say(" %d:%d", q[k_] == MPI_REQUEST_NULL,               \
			    shown(s[k_].MPI_ERROR));                           \
			if (q[k_] != MPI_REQUEST_NULL)                         \
				C(Wait, &q[k_], IGNORE);                       \
		}                                                              \
		say("\n");                                                     \
	} while (0)

static void errors(MPI_Comm c)
{
	int a[4] = { 1, 2, 3, 4 }, b[8] = { 0 }, flag, n, index, indices[4];
	int dims[1] = { 1000 }, zero[1] = { 0 };
	void *detached;
	MPI_Request q[4] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL,
			     MPI_REQUEST_NULL, MPI_REQUEST_NULL }, one;
	MPI_Request none[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	MPI_Status s[4];
	MPI_Message m = MPI_MESSAGE_NULL;
	MPI_Comm d = MPI_COMM_NULL;
	MPI_Group g;

	blank(s, 4);
	BAD(Send, a, 1, MPI_INT, size, 1, c);
	BAD(Send, a, 1, MPI_INT, -17, 1, c);
	BAD(Send, a, 1, MPI_INT, right, -5, c);
	BAD(Send, a, -1, MPI_INT, right, 5, c);
	BAD(Send, a, 1, MPI_DATATYPE_NULL, right, 5, c);
	BAD(Send, a, 1, MPI_INT, right, 5, MPI_COMM_NULL);
	BAD(Bsend, a, 4, MPI_INT, right, 5, c);
	BAD(Ssend, a, 1, MPI_INT, size + 3, 5, c);
	BAD(Rsend, a, 1, MPI_INT, size + 3, 5, c);
	BAD(Recv, b, 1, MPI_INT, size, 1, c, &s[0]);
	BAD(Recv, b, -1, MPI_INT, left, 1, c, &s[0]);
	BAD(Recv, b, 1, MPI_INT, left, -9, c, &s[0]);
	BAD(Recv, b, 1, MPI_INT, left, 1, MPI_COMM_NULL, IGNORE);
	BAD(Recv, b, 1, MPI_DATATYPE_NULL, left, 1, c, IGNORE);
	BAD(Sendrecv, a, 1, MPI_INT, size, 1, b, 1, MPI_INT, left, 1, c, &s[0]);
	BAD(Sendrecv_replace, a, 1, MPI_INT, size, 1, left, 1, c, &s[0]);
	BAD(Isend, a, 1, MPI_INT, size, 1, c, &one);
	BAD(Isend, a, 1, MPI_INT, right, 1, c, NULL);
	BAD(Irecv, b, 1, MPI_INT, size, 1, c, &one);
	BAD(Send_init, a, 1, MPI_INT, size, 1, c, &one);
	BAD(Recv_init, b, 1, MPI_INT, size, 1, c, &one);
	BAD(Probe, size, 1, c, &s[0]);
	BAD(Iprobe, size, 1, c, &flag, &s[0]);
	BAD(Mprobe, size, 1, c, &m, &s[0]);
	BAD(Improbe, size, 1, c, &flag, &m, &s[0]);
	m = MPI_MESSAGE_NULL;
	BAD(Wait, NULL, &s[0]);
	BAD(Test, NULL, &flag, &s[0]);
	BAD(Test, &none[0], NULL, &s[0]);
	BAD(Waitall, 2, NULL, s);
	BAD(Waitall, -1, none, s);
	BAD(Waitany, 2, NULL, &index, s);
	BAD(Waitany, 2, none, NULL, s);
	BAD(Waitsome, 2, none, NULL, indices, s);
	BAD(Waitsome, 2, NULL, &n, indices, s);
	BAD(Testall, 2, NULL, &flag, s);
	BAD(Testany, 2, NULL, &index, &flag, s);
	BAD(Testsome, 2, NULL, &n, indices, s);
	BAD(Request_free, &none[0]);
	BAD(Request_free, NULL);
	BAD(Cancel, &none[0]);
	BAD(Cancel, NULL);
	BAD(Start, &none[0]);
	BAD(Start, NULL);
	BAD(Startall, 2, NULL);
	BAD(Startall, 2, none);
	BAD(Type_size, MPI_DATATYPE_NULL, &n);
	BAD(Type_size, MPI_INT, NULL);
	BAD(Buffer_attach, NULL, -1);
	BAD(Buffer_detach, NULL, &n);
	BAD(Buffer_detach, &detached, &n);
	BAD(Bcast, a, 1, MPI_INT, size, c);
	BAD(Bcast, a, 1, MPI_INT, 0, MPI_COMM_NULL);
	BAD(Bcast, a, -1, MPI_INT, 0, c);
	BAD(Barrier, MPI_COMM_NULL);
	BAD(Reduce, a, b, 1, MPI_INT, MPI_OP_NULL, 0, c);
	BAD(Allreduce, a, b, 1, MPI_INT, MPI_OP_NULL, c);
	BAD(Gather, a, 1, MPI_DATATYPE_NULL, b, 1, MPI_DATATYPE_NULL, 0, c);
	UNCHECKED(Scatterv, NULL, NULL, NULL, MPI_INT, b, -1, MPI_INT, 0, c);
	UNCHECKED(Allgatherv, a, 1, MPI_INT, b, NULL, NULL, MPI_INT, c);
	BAD(Ibcast, a, 1, MPI_INT, size, c, &one);
	BAD(Ibarrier, MPI_COMM_NULL, &one);
	BAD(Iallreduce, a, b, 1, MPI_INT, MPI_OP_NULL, c, &one);
	BAD(Comm_dup, MPI_COMM_NULL, &d);
	BAD(Comm_dup, c, NULL);
	BAD(Comm_idup, MPI_COMM_NULL, &d, &one);
	BAD(Comm_split, c, -7, 0, &d);
	BAD(Comm_split, MPI_COMM_NULL, 0, 0, &d);
	d = MPI_COMM_NULL;
	BAD(Comm_free, &d);
	d = MPI_COMM_WORLD;
	BAD(Comm_free, &d);
	BAD(Comm_create, c, MPI_GROUP_NULL, &d);
	C(Comm_group, c, &g);
	BAD(Comm_create, MPI_COMM_NULL, g, &d);
	C(Group_free, &g);
	BAD(Cart_create, c, 1, dims, zero, 0, &d);
	BAD(Cart_sub, c, zero, &d);
	BAD(Graph_create, c, -1, zero, zero, 0, &d);

	LONG(10);
	BAD(Wait, &q[0], &s[0]);
	LEFT("wait");
	LONG(20);
	BAD(Wait, &q[0], IGNORE);
	LEFT("wait, ignore");
	LONG(30);
	BAD(Waitall, 4, q, s);
	LEFT("waitall");
	LONG(40);
	BAD(Waitall, 4, q, MPI_STATUSES_IGNORE);
	LEFT("waitall, ignore");
	LONG(50);
	BAD(Waitany, 4, q, &index, &s[0]);
	say("index %d", index);
	LEFT(" waitany");
	LONG(60);
	BAD(Waitany, 1, q, &index, IGNORE);
	LEFT("waitany, ignore");
	LONG(70);
	BAD(Waitsome, 4, q, &n, indices, s);
	say("count %d", n);
	LEFT(" waitsome");
	LONG(80);
	BAD(Waitsome, 4, q, &n, indices, MPI_STATUSES_IGNORE);
	say("count %d", n);
	LEFT(" waitsome, ignore");
	LONG(90);
	BAD(Test, &q[0], &flag, &s[0]);
	say("flag %d", flag);
	LEFT(" test");
	LONG(100);
	BAD(Test, &q[0], &flag, IGNORE);
	LEFT("test, ignore");
	LONG(110);
	BAD(Testall, 4, q, &flag, s);
	LEFT("testall");
	LONG(120);
	BAD(Testall, 4, q, &flag, MPI_STATUSES_IGNORE);
	LEFT("testall, ignore");
	LONG(130);
	BAD(Testany, 4, q, &index, &flag, IGNORE);
	say("flag %d index %d", flag, index);
	LEFT(" testany");
	LONG(140);
	BAD(Testsome, 4, q, &n, indices, s);
	say("count %d", n);
	LEFT(" testsome");
	LONG(150);
	BAD(Testsome, 4, q, &n, indices, MPI_STATUSES_IGNORE);
	say("count %d", n);
	LEFT(" testsome, ignore");
	C(Isend, a, 4, MPI_INT, right, 160, c, &q[0]);
	BAD(Recv, b, 1, MPI_INT, left, 160, c, IGNORE);
	C(Wait, &q[0], IGNORE);
	C(Isend, a, 4, MPI_INT, right, 161, c, &q[0]);
	blank(s, 1);
	BAD(Recv, b, 1, MPI_INT, left, 161, c, &s[0]);
	status("truncated", &s[0]);
	C(Wait, &q[0], IGNORE);
	C(Isend, a, 4, MPI_INT, right, 162, c, &q[0]);
	BAD(Sendrecv, a, 0, MPI_INT, MPI_PROC_NULL, 1, b, 1, MPI_INT, left, 162,
	    c, &s[0]);
	C(Wait, &q[0], IGNORE);
	C(Isend, a, 4, MPI_INT, right, 163, c, &q[0]);
	C(Mprobe, left, 163, c, &m, IGNORE);
	BAD(Mrecv, b, 1, MPI_INT, &m, &s[0]);
	C(Wait, &q[0], IGNORE);
	C(Barrier, W);
}

static void all_errors(void)
{
	MPI_Errhandler mine;
	MPI_Comm c;

	say("# errors, returned\n");
	C(Comm_set_errhandler, W, MPI_ERRORS_RETURN);
	C(Comm_set_errhandler, MPI_COMM_SELF, MPI_ERRORS_RETURN);
	errors(W);
	say("# errors, handled\n");
	C(Comm_create_errhandler, handler, &mine);
	C(Comm_set_errhandler, W, mine);
	errors(W);
	say("# errors on another communicator\n");
	C(Comm_dup, W, &c);
	C(Comm_set_errhandler, c, mine);
	C(Comm_set_errhandler, W, MPI_ERRORS_RETURN);
	errors(c);
	C(Comm_free, &c);
	C(Errhandler_free, &mine);
	C(Comm_set_errhandler, W, MPI_ERRORS_ARE_FATAL);
	say("handled %d\n", failures);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	blocking();
	derived();
	nonblocking();
	persistent();
	probes();
	collectives(W);
	icollectives(W);
	communicators();
	callbacks();
	all_errors();
	hit("Pcontrol"), MPI_Pcontrol(1);
	hit("Pcontrol"), MPI_Pcontrol(2, "more", 3);
	return finish(argc > 1 ? argv[1] : "counts");
}
