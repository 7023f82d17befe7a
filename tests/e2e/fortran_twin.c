/*
 * The calls of fortran.F90 in C, in the same order with the same operands: the
 * two traces must hold the same records. Prints nothing; fortran.F90 checks
 * the results.
 */
#include <mpi.h>
#include <stddef.h>

enum { MANY = 40 };

static int me, other;
static MPI_Comm w;

#define N MPI_STATUS_IGNORE
#define NS MPI_STATUSES_IGNORE
#define I MPI_INT

static void point_to_point(void)
{
	int a[100], b[100], n;
	char room[10000];
	void *detached;
	MPI_Status st;

	if (me == 0) {
		MPI_Send(a, 10, I, 1, 1, w);
		MPI_Buffer_attach(room, 10000);
		MPI_Bsend(a, 2, MPI_DOUBLE, 1, 2, w);
		MPI_Buffer_detach(&detached, &n);
		MPI_Ssend(a, 3, I, 1, 3, w);
		MPI_Send(a, 4, I, 1, 4, w);
		MPI_Barrier(w);
		MPI_Rsend(a, 5, I, 1, 5, w);
		MPI_Send(a, 1, I, MPI_PROC_NULL, 6, w);
	} else {
		MPI_Recv(b, 100, I, 0, 1, w, &st);
		MPI_Get_count(&st, I, &n);
		MPI_Recv(b, 2, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, w, &st);
		MPI_Recv(b, 100, I, 0, 3, w, N);
		MPI_Recv(b, 100, I, 0, MPI_ANY_TAG, w, N);
		MPI_Barrier(w);
		MPI_Recv(b, 100, I, 0, 5, w, &st);
		MPI_Recv(b, 1, I, MPI_PROC_NULL, 6, w, &st);
	}
	MPI_Sendrecv(a, 7, I, other, 7, b, 8, I, other, 7, w, &st);
	MPI_Sendrecv_replace(a, 9, I, other, 8, other, 8, w, N);
}

static void waits(int *a, int *b)
{
	MPI_Request r[MANY];
	MPI_Status st, ss[MANY];
	int i, n, where[MANY];

	MPI_Irecv(b, 4, I, other, 10, w, &r[0]);
	MPI_Isend(a, 3, I, other, 10, w, &r[1]);
	MPI_Wait(&r[0], &st);
	MPI_Wait(&r[1], N);
	MPI_Wait(&r[0], &st);
	for (i = 0; i < MANY / 2; i++)
		MPI_Irecv(&b[i], 1, I, other, i + 1, w, &r[i]);
	for (i = 0; i < MANY / 2; i++)
		MPI_Issend(&a[i], 1, I, other, i + 1, w, &r[MANY / 2 + i]);
	MPI_Waitall(MANY, r, ss);
	MPI_Irecv(b, 1, I, other, 11, w, &r[0]);
	MPI_Isend(a, 1, I, other, 11, w, &r[1]);
	MPI_Waitall(2, r, NS);

	r[0] = r[1] = r[3] = MPI_REQUEST_NULL;
	MPI_Irecv(b, 1, I, other, 12, w, &r[2]);
	MPI_Send(a, 1, I, other, 12, w);
	MPI_Waitany(4, r, &i, &st);
	MPI_Waitany(4, r, &i, N);
	for (i = 1; i < 4; i++)
		MPI_Irecv(b, 1, I, MPI_PROC_NULL, i + 1, w, &r[i]);
	MPI_Waitsome(4, r, &n, where, ss);
	MPI_Waitsome(4, r, &n, where, NS);
}

static void tests(int *a, int *b)
{
	MPI_Request r[3], one;
	MPI_Status st, ss[3];
	int i, n, where[3], flag;

	MPI_Irecv(b, 1, I, other, 13, w, &one);
	MPI_Test(&one, &flag, &st);
	MPI_Barrier(w);
	MPI_Ssend(a, 1, I, MPI_PROC_NULL, 13, w);
	r[0] = one;
	MPI_Testany(1, r, &i, &flag, &st);
	MPI_Testall(1, r, &flag, ss);
	MPI_Testsome(1, r, &n, where, ss);
	MPI_Barrier(w);
	MPI_Isend(a, 1, I, other, 13, w, &r[1]);
	MPI_Waitall(2, r, NS);
	for (i = 0; i < 3; i++)
		MPI_Irecv(b, 1, I, MPI_PROC_NULL, i + 1, w, &r[i]);
	MPI_Testany(3, r, &i, &flag, N);
	MPI_Testsome(3, r, &n, where, ss);
	MPI_Testall(3, r, &flag, NS);
	MPI_Irecv(b, 1, I, other, 14, w, &one);
	MPI_Cancel(&one);
	MPI_Wait(&one, &st);
	MPI_Test_cancelled(&st, &flag);
	MPI_Isend(a, 1, I, MPI_PROC_NULL, 14, w, &one);
	MPI_Request_free(&one);
	MPI_Request_get_status(one, &flag, &st);
}

static void persistent(void)
{
	MPI_Request r[2];
	MPI_Status ss[2];
	int a[5], b[5], flag;

	MPI_Send_init(a, 5, I, other, 20, w, &r[0]);
	MPI_Recv_init(b, 5, I, other, 20, w, &r[1]);
	for (int i = 1; i <= 3; i++) {
		if (i == 2) {
			MPI_Start(&r[1]);
			MPI_Start(&r[0]);
		} else {
			MPI_Startall(2, r);
		}
		MPI_Waitall(2, r, ss);
	}
	MPI_Test(&r[0], &flag, N);
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

static void probes(void)
{
	int a[6], n, flag;
	MPI_Message m;
	MPI_Request r;
	MPI_Status st;

	MPI_Iprobe(other, 30, w, &flag, N);
	MPI_Barrier(w);
	if (me == 0) {
		MPI_Send(a, 6, I, 1, 30, w);
		MPI_Send(a, 5, I, 1, 31, w);
		MPI_Send(a, 4, I, 1, 32, w);
	}
	MPI_Improbe(other, 33, w, &flag, &m, &st);
	MPI_Barrier(w);
	if (me == 1) {
		MPI_Probe(0, 30, w, &st);
		MPI_Get_count(&st, I, &n);
		MPI_Recv(a, 6, I, 0, 30, w, N);
		MPI_Mprobe(0, MPI_ANY_TAG, w, &m, &st);
		MPI_Mrecv(a, 6, I, &m, N);
		MPI_Mprobe(0, 32, w, &m, N);
		MPI_Imrecv(a, 6, I, &m, &r);
		MPI_Wait(&r, &st);
	}
}

static void nothing(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)n, (void)type;
}

static void collectives(void)
{
	int a[4] = { 0 }, b[8] = { 0 }, c[2] = { 2, 2 }, d[2] = { 0, 2 };
	int z[2] = { 0, 8 }, flag;
	MPI_Datatype t[2] = { I, I };
	MPI_Op o;
	MPI_Request r[3];

	MPI_Bcast(b, 3, I, 1, w);
	MPI_Gather(a, 2, I, b, 2, I, 0, w);
	MPI_Gatherv(a, 2, I, b, c, d, I, 1, w);
	MPI_Scatter(b, 1, I, a, 1, I, 1, w);
	MPI_Scatterv(b, c, d, I, a, 2, I, 0, w);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, I, w);
	MPI_Allgatherv(a, 2, I, b, c, d, I, w);
	MPI_Alltoall(a, 1, I, b, 1, I, w);
	MPI_Alltoall(MPI_IN_PLACE, 0, I, b, 1, I, w);
	MPI_Alltoallv(a, c, d, I, b, c, d, I, w);
	MPI_Alltoallw(a, c, z, t, b, c, z, t, w);
	MPI_Alltoallw(MPI_IN_PLACE, c, z, t, b, c, z, t, w);
	MPI_Reduce(me ? b : MPI_IN_PLACE, me ? a : b, 4, I, MPI_SUM, 0, w);
	MPI_Allreduce(MPI_IN_PLACE, a, 4, I, MPI_MAX, w);
	MPI_Reduce_scatter(b, a, c, I, MPI_SUM, w);
	MPI_Reduce_scatter_block(b, a, 2, I, MPI_SUM, w);
	MPI_Scan(b, a, 2, I, MPI_SUM, w);
	MPI_Exscan(b, a, 2, I, MPI_SUM, w);
	MPI_Op_create(nothing, 1, &o);
	MPI_Op_commutative(o, &flag);
	MPI_Allreduce(b, a, 4, I, o, w);
	MPI_Op_free(&o);
	MPI_Ibarrier(w, &r[0]);
	MPI_Ibcast(a, 4, I, 0, w, &r[1]);
	MPI_Iallreduce(MPI_IN_PLACE, b, 8, I, MPI_SUM, w, &r[2]);
	MPI_Waitall(3, r, NS);
}

static void types(void)
{
	int a[2], length[2] = { 2, 3 }, size, position = 0;
	double x[3];
	MPI_Aint at[2], lb, extent;
	MPI_Datatype t[2] = { I, MPI_DOUBLE }, both;
	char packed[100];

	MPI_Get_address(a, &at[0]);
	MPI_Get_address(x, &at[1]);
	MPI_Type_create_struct(2, length, at, t, &both);
	MPI_Type_commit(&both);
	MPI_Type_size(both, &size);
	MPI_Bcast(MPI_BOTTOM, 1, both, 1, w);
	if (me == 0)
		MPI_Send(MPI_BOTTOM, 1, both, 1, 40, w);
	else
		MPI_Recv(MPI_BOTTOM, 1, both, 0, 40, w, N);
	MPI_Type_free(&both);
	MPI_Type_vector(2, 1, 2, MPI_FLOAT, &both);
	MPI_Type_get_extent(both, &lb, &extent);
	MPI_Type_free(&both);
	MPI_Pack(a, 2, I, packed, 100, &position, w);
}

static void neighbours(MPI_Comm c)
{
	int one = 1, zero = 0, two = 2, coords[2], periods[1], from, to;
	int x[1], y[2], ones[2] = { 1, 1 };
	MPI_Aint z[2] = { 0, 4 };
	MPI_Datatype t[2] = { I, I };
	MPI_Comm d, g;

	MPI_Cart_create(c, 1, &two, &one, 0, &g);
	MPI_Cart_get(g, 1, coords, periods, &coords[1]);
	MPI_Cart_shift(g, 0, 1, &from, &to);
	MPI_Neighbor_allgather(x, 1, I, y, 1, I, g);
	MPI_Neighbor_alltoallw(y, ones, z, t, coords, ones, z, t, g);
	MPI_Cart_sub(g, &zero, &d);
	MPI_Comm_rank(d, &from);
	MPI_Comm_free(&d);
	MPI_Comm_free(&g);
}

static void communicators(void)
{
	MPI_Comm c, d;
	MPI_Group all, part;
	MPI_Request r;
	int n, flag, zero = 0;
	char name[MPI_MAX_OBJECT_NAME];

	MPI_Comm_dup(w, &c);
	MPI_Comm_set_name(c, "copy of all");
	MPI_Comm_get_name(c, name, &n);
	MPI_Comm_split(c, me, 0, &d);
	MPI_Comm_size(d, &n);
	MPI_Barrier(d);
	MPI_Comm_free(&d);
	MPI_Comm_split(c, MPI_UNDEFINED, 0, &d);
	MPI_Comm_group(w, &all);
	MPI_Group_incl(all, 1, &zero, &part);
	MPI_Comm_create(w, part, &d);
	if (me == 0)
		MPI_Comm_free(&d);
	MPI_Group_free(&part);
	MPI_Group_free(&all);
	MPI_Comm_idup(c, &d, &r);
	MPI_Wait(&r, N);
	MPI_Barrier(d);
	MPI_Comm_compare(c, d, &n);
	MPI_Comm_test_inter(d, &flag);
	MPI_Comm_free(&d);
	neighbours(c);
	MPI_Comm_free(&c);
}

static void windows_and_files(void)
{
	int a[4] = { 1 }, b[4], n;
	MPI_Win v;
	MPI_File f;
	MPI_Status st;

	MPI_Win_create(a, 16, 4, MPI_INFO_NULL, w, &v);
	MPI_Win_set_name(v, "ours");
	MPI_Win_fence(0, v);
	MPI_Get(b, 2, I, other, 1, 2, I, v);
	MPI_Win_fence(0, v);
	MPI_Win_lock(MPI_LOCK_SHARED, other, 0, v);
	MPI_Win_unlock(other, v);
	MPI_Win_free(&v);
	MPI_File_open(w, "numbers", MPI_MODE_CREATE | MPI_MODE_RDWR,
		      MPI_INFO_NULL, &f);
	MPI_File_write_at(f, 16 * me, a, 4, I, &st);
	MPI_Get_count(&st, I, &n);
	MPI_File_read_at_all(f, 16 * me, b, 3, I, N);
	MPI_File_close(&f);
	MPI_Barrier(w);
	if (me == 0)
		MPI_File_delete("numbers", MPI_INFO_NULL);
}

static void texts_and_attributes(void)
{
	MPI_Info i;
	char value[21], text[MPI_MAX_ERROR_STRING];
	char host[MPI_MAX_PROCESSOR_NAME];
	int n, flag, key, *bound;

	MPI_Info_create(&i);
	MPI_Info_set(i, "key", "a value");
	MPI_Info_get(i, "key", 20, value, &flag);
	MPI_Info_get(i, "none", 20, value, &flag);
	MPI_Info_free(&i);
	MPI_Error_string(MPI_ERR_TAG, text, &n);
	MPI_Get_processor_name(host, &n);
	MPI_Comm_get_attr(w, MPI_TAG_UB, &bound, &flag);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN,
			       &key, NULL);
	MPI_Comm_set_attr(w, key, &key);
	MPI_Comm_get_attr(w, key, &bound, &flag);
	MPI_Comm_delete_attr(w, key);
	MPI_Comm_free_keyval(&key);
}

static void errors(void)
{
	int a[10], class, e;
	MPI_Request none = MPI_REQUEST_NULL;
	MPI_Status st;

	MPI_Comm_set_errhandler(w, MPI_ERRORS_RETURN);
	e = MPI_Send(a, 1, I, 99, 50, w);
	MPI_Error_class(e, &class);
	e = MPI_Send(a, -1, I, other, 50, w);
	MPI_Error_class(e, &class);
	MPI_Barrier(w);
	if (me == 0) {
		MPI_Send(a, 10, I, 1, 51, w);
	} else {
		e = MPI_Recv(a, 4, I, 0, 51, w, &st);
		MPI_Error_class(e, &class);
	}
	e = MPI_Waitall(-1, &none, NS);
	MPI_Error_class(e, &class);
	MPI_Comm_set_errhandler(w, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
	int a[MANY] = { 0 }, b[MANY] = { 0 }, flag;

	MPI_Init(&argc, &argv);
	w = MPI_COMM_WORLD;
	MPI_Comm_rank(w, &me);
	other = 1 - me;
	MPI_Wtime();
	MPI_Wtick();
	point_to_point();
	waits(a, b);
	tests(a, b);
	persistent();
	probes();
	collectives();
	types();
	communicators();
	windows_and_files();
	texts_and_attributes();
	errors();
	MPI_Pcontrol(0);
	MPI_Barrier(w);
	MPI_Pcontrol(1);
	MPI_Initialized(&flag);
	MPI_Finalize();
	MPI_Finalized(&flag);
	return 0;
}
