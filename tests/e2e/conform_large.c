/*
 * The calls for large counts, NAME_c, each with small ones: what they move and
 * return is what the ordinary calls do; see conform.h.
 */
#include "conform.h"

#define MAX 64 /* room for that many integers on each side */

static MPI_Count ones[MAX], zeros[MAX];
static MPI_Aint steps[MAX], bytes[MAX];
static MPI_Datatype types[MAX];
static int in[MAX], out[MAX];

/* Data of this rank, and nothing received yet. */
static void fill(void)
{
	for (int i = 0; i < MAX; i++) {
		in[i] = 100 * me + i;
		out[i] = -1 - me;
		ones[i] = 1;
		zeros[i] = 0;
		steps[i] = i;
		bytes[i] = i * (MPI_Aint)sizeof *in;
		types[i] = MPI_INT;
	}
}

/* What has come; the beginning of another call. */
static void got(const char *what)
{
	ints(what, out, 2 * size + 2);
	fill();
}

static void blocking(void)
{
	MPI_Count n = -1, elements = -1;
	static char room[4096];
	MPI_Request q;
	MPI_Status s;
	void *where;
	MPI_Count room_size;

	say("# blocking\n");
	C(Irecv_c, out, MAX, MPI_INT, left, 1, W, &q);
	C(Send_c, in, 3, MPI_INT, right, 1, W);
	C(Wait, &q, &s);
	C(Get_count_c, &s, MPI_INT, &n);
	C(Get_elements_c, &s, MPI_INT, &elements);
	say("count %d elements %d\n", (int)n, (int)elements);
	got("send");
	C(Isend_c, in, 4, MPI_INT, right, 2, W, &q);
	rc("recv", C(Recv_c, out, MAX, MPI_INT, left, 2, W, &s));
	C(Wait, &q, IGNORE);
	got("recv");
	C(Irecv, out, MAX, MPI_INT, left, 3, W, &q);
	C(Ssend_c, in, 2, MPI_INT, right, 3, W);
	C(Wait, &q, IGNORE);
	got("ssend");
	C(Irecv, out, MAX, MPI_INT, left, 4, W, &q);
	C(Barrier, W);
	C(Rsend_c, in, 2, MPI_INT, right, 4, W);
	C(Wait, &q, IGNORE);
	got("rsend");
	C(Buffer_attach_c, room, (MPI_Count)sizeof room);
	C(Bsend_c, in, 2, MPI_INT, right, 5, W);
	C(Recv, out, MAX, MPI_INT, left, 5, W, IGNORE);
	C(Buffer_detach_c, &where, &room_size);
	say("detached %d %d\n", where == (void *)room, (int)room_size);
	got("bsend");
	blank(&s, 1);
	C(Sendrecv_c, in, 2, MPI_INT, right, 6, out, MAX, MPI_INT, left, 6, W,
	  &s);
	status("sendrecv", &s);
	got("sendrecv");
	C(Sendrecv_replace_c, in, 2, MPI_INT, right, 7, left, 7, W, &s);
	memcpy(out, in, sizeof out);
	got("replace");
	rc("negative", C(Send_c, in, -1, MPI_INT, MPI_PROC_NULL, 1, W));
}

static void matched(void)
{
	MPI_Message m;
	MPI_Request q, sent;
	MPI_Status s;

	say("# matched\n");
	C(Isend, in, 2, MPI_INT, right, 1, W, &sent);
	C(Mprobe, left, 1, W, &m, IGNORE);
	blank(&s, 1);
	C(Mrecv_c, out, MAX, MPI_INT, &m, &s);
	status("mrecv", &s);
	C(Wait, &sent, IGNORE);
	C(Isend, in, 3, MPI_INT, right, 2, W, &sent);
	C(Mprobe, left, 2, W, &m, IGNORE);
	C(Imrecv_c, out, MAX, MPI_INT, &m, &q);
	blank(&s, 1);
	C(Wait, &q, &s);
	status("imrecv", &s);
	C(Wait, &sent, IGNORE);
	got("matched");
}

/* q of what was begun, or made to be started, completes. */
static void complete(const char *what, MPI_Request q, int start)
{
	if (start)
		C(Start, &q);
	C(Wait, &q, IGNORE);
	if (start)
		C(Request_free, &q);
	got(what);
}

#define SENDS(kind, tag)                                                       \
	do {                                                                   \
		MPI_Request q_, r_;                                            \
                                                                               \
		C(Irecv, out, MAX, MPI_INT, left, tag, W, &r_);                \
		C(Barrier, W);                                                 \
		C(I##kind##_c, in, 2, MPI_INT, right, tag, W, &q_);            \
		C(Wait, &q_, IGNORE);                                          \
		C(Wait, &r_, IGNORE);                                          \
		got("i" #kind);                                                \
	} while (0)

#define STARTED(kind, Kind, tag)                                               \
	do {                                                                   \
		MPI_Request q_[2];                                             \
                                                                               \
		C(Recv_init_c, out, MAX, MPI_INT, left, tag, W, &q_[0]);       \
		C(Kind##_init_c, in, 2, MPI_INT, right, tag, W, &q_[1]);       \
		for (int i_ = 0; i_ < 2; i_++) {                               \
			C(Start, &q_[0]);                                      \
			C(Barrier, W);                                         \
			C(Start, &q_[1]);                                      \
			C(Waitall, 2, q_, MPI_STATUSES_IGNORE);                \
		}                                                              \
		C(Request_free, &q_[0]);                                       \
		C(Request_free, &q_[1]);                                       \
		got(#kind "_init");                                            \
	} while (0)

static void nonblocking(void)
{
	static char room[4096];
	void *where;
	int room_size;
	MPI_Request q;

	say("# nonblocking\n");
	C(Buffer_attach, room, (int)sizeof room);
	SENDS(ssend, 1);
	SENDS(rsend, 2);
	SENDS(bsend, 3);
	STARTED(send, Send, 4);
	STARTED(ssend, Ssend, 5);
	STARTED(rsend, Rsend, 6);
	STARTED(bsend, Bsend, 7);
	C(Buffer_detach, &where, &room_size);
	C(Isendrecv_c, in, 2, MPI_INT, right, 8, out, MAX, MPI_INT, left, 8, W,
	  &q);
	/* of its status MPICH 4.0 leaves parts as they are */
	C(Wait, &q, IGNORE);
	got("isendrecv");
	C(Isendrecv_replace_c, in, 2, MPI_INT, right, 9, left, 9, W, &q);
	C(Wait, &q, IGNORE);
	memcpy(out, in, sizeof out);
	got("isendrecv_replace");
}

/* A collective in its three forms. */
#define FORMS(Name, name, ...)                                                 \
	do {                                                                   \
		MPI_Request q_;                                                \
                                                                               \
		C(Name##_c, __VA_ARGS__, c);                                   \
		got(#name);                                                    \
		C(I##name##_c, __VA_ARGS__, c, &q_);                           \
		complete("i" #name, q_, 0);                                    \
		C(Name##_init_c, __VA_ARGS__, c, MPI_INFO_NULL, &q_);          \
		complete(#name "_init", q_, 1);                                \
	} while (0)

static void collective(MPI_Comm c)
{
	say("# collective\n");
	fill();
	FORMS(Bcast, bcast, out, 2, MPI_INT, 0);
	FORMS(Gather, gather, in, 1, MPI_INT, out, 1, MPI_INT, 0);
	FORMS(Gatherv, gatherv, in, 1, MPI_INT, out, ones, steps, MPI_INT, 0);
	FORMS(Scatter, scatter, in, 1, MPI_INT, out, 1, MPI_INT, 0);
	FORMS(Scatterv, scatterv, in, ones, steps, MPI_INT, out, 1, MPI_INT, 0);
	FORMS(Allgather, allgather, in, 1, MPI_INT, out, 1, MPI_INT);
	FORMS(Allgatherv, allgatherv, in, 1, MPI_INT, out, ones, steps,
	      MPI_INT);
	FORMS(Alltoall, alltoall, in, 1, MPI_INT, out, 1, MPI_INT);
	FORMS(Alltoallv, alltoallv, in, ones, steps, MPI_INT, out, ones, steps,
	      MPI_INT);
	FORMS(Alltoallw, alltoallw, in, ones, bytes, types, out, ones, bytes,
	      types);
	FORMS(Reduce, reduce, in, out, 2, MPI_INT, MPI_SUM, 0);
	FORMS(Allreduce, allreduce, in, out, 2, MPI_INT, MPI_SUM);
	FORMS(Reduce_scatter, reduce_scatter, in, out, ones, MPI_INT, MPI_SUM);
	FORMS(Reduce_scatter_block, reduce_scatter_block, in, out, 1, MPI_INT,
	      MPI_SUM);
	FORMS(Scan, scan, in, out, 1, MPI_INT, MPI_SUM);
	FORMS(Exscan, exscan, in, out, 1, MPI_INT, MPI_SUM);
}

static void neighbours(void)
{
	int periodic = 1;
	MPI_Comm c;

	say("# neighbours\n");
	C(Cart_create, W, 1, &size, &periodic, 0, &c);
	fill();
	FORMS(Neighbor_allgather, neighbor_allgather, in, 1, MPI_INT, out, 1,
	      MPI_INT);
	FORMS(Neighbor_allgatherv, neighbor_allgatherv, in, 1, MPI_INT, out,
	      ones, steps, MPI_INT);
	FORMS(Neighbor_alltoall, neighbor_alltoall, in, 1, MPI_INT, out, 1,
	      MPI_INT);
	FORMS(Neighbor_alltoallv, neighbor_alltoallv, in, ones, steps, MPI_INT,
	      out, ones, steps, MPI_INT);
	FORMS(Neighbor_alltoallw, neighbor_alltoallw, in, ones, bytes, types,
	      out, ones, bytes, types);
	C(Comm_free, &c);
}

/* The type's size, extent and description; it goes. */
static void known(const char *what, MPI_Datatype t)
{
	MPI_Count n = -1, lb = -1, extent = -1, true_lb = -1, true_extent = -1;
	MPI_Count integers, addresses, counts, types_;
	int combiner;

	C(Type_size_c, t, &n);
	C(Type_get_extent_c, t, &lb, &extent);
	C(Type_get_true_extent_c, t, &true_lb, &true_extent);
	C(Type_get_envelope_c, t, &integers, &addresses, &counts, &types_,
	  &combiner);
	say("%s: %d in [%d %d) [%d %d): %d %d %d %d combiner %d\n", what,
	    (int)n, (int)lb, (int)extent, (int)true_lb, (int)true_extent,
	    (int)integers, (int)addresses, (int)counts, (int)types_, combiner);
	C(Type_free, &t);
}

static void derived(void)
{
	MPI_Count two[2] = {2, 2}, one[2] = {1, 1}, at[2] = {0, 8};
	MPI_Count whole[2] = {4, 6}, counts[8] = {0};
	int block = MPI_DISTRIBUTE_BLOCK, arg = MPI_DISTRIBUTE_DFLT_DARG;
	int integers[8] = {0};
	MPI_Aint addresses[8];
	MPI_Datatype t, inner[8];

	say("# derived\n");
	C(Type_contiguous_c, 3, MPI_INT, &t);
	C(Type_get_contents_c, t, 1, 0, 1, 1, integers, addresses, counts,
	  inner);
	say("contents %d %d\n", (int)counts[0], inner[0] == MPI_INT);
	known("contiguous", t);
	C(Type_vector_c, 3, 2, 4, MPI_INT, &t);
	known("vector", t);
	C(Type_create_hvector_c, 3, 2, 16, MPI_INT, &t);
	known("hvector", t);
	C(Type_indexed_c, 2, one, two, MPI_INT, &t);
	known("indexed", t);
	C(Type_create_hindexed_c, 2, one, at, MPI_INT, &t);
	known("hindexed", t);
	C(Type_create_indexed_block_c, 2, 1, at, MPI_INT, &t);
	known("indexed_block", t);
	C(Type_create_hindexed_block_c, 2, 1, at, MPI_INT, &t);
	known("hindexed_block", t);
	C(Type_create_struct_c, 2, one, at, types, &t);
	known("struct", t);
	C(Type_create_subarray_c, 2, whole, two, one, MPI_ORDER_C, MPI_INT, &t);
	known("subarray", t);
	C(Type_create_darray_c, size, me, 1, whole, &block, &arg, &size,
	  MPI_ORDER_C, MPI_INT, &t);
	known("darray", t);
	C(Type_create_resized_c, MPI_INT, 0, 16, &t);
	known("resized", t);
}

static void add(void *from, void *to, MPI_Count *n, MPI_Datatype *type)
{
	(void)type;
	for (MPI_Count i = 0; i < *n; i++)
		((int *)to)[i] += 2 * ((int *)from)[i];
}

static void packing(void)
{
	char room[256];
	MPI_Count n = -1, at = 0;
	MPI_Op op;

	say("# packing\n");
	C(Pack_size_c, 3, MPI_INT, W, &n);
	C(Pack_c, in, 3, MPI_INT, room, sizeof room, &at, W);
	say("packed %d %d\n", (int)n, (int)at);
	at = 0;
	C(Unpack_c, room, sizeof room, &at, out, 3, MPI_INT, W);
	got("unpacked");
	at = 0;
	C(Pack_external_size_c, "external32", 3, MPI_INT, &n);
	C(Pack_external_c, "external32", in, 3, MPI_INT, room, sizeof room,
	  &at);
	say("external %d %d\n", (int)n, (int)at);
	at = 0;
	C(Unpack_external_c, "external32", room, sizeof room, &at, out, 3,
	  MPI_INT);
	got("external");
	C(Reduce_local_c, in, out, 2, MPI_INT, MPI_SUM);
	got("reduce_local");
	C(Op_create_c, add, 1, &op);
	C(Allreduce, in, out, 2, MPI_INT, op, W);
	C(Op_free, &op);
	got("op");
}

static void windows(void)
{
	int *mine, *shared, sum[2] = {0};
	MPI_Aint n, unit;
	MPI_Request q;
	MPI_Win w;

	say("# windows\n");
	C(Win_create_c, out, sizeof out, sizeof *out, MPI_INFO_NULL, W, &w);
	C(Win_fence, 0, w);
	C(Put_c, in, 2, MPI_INT, right, 0, 2, MPI_INT, w);
	C(Accumulate_c, in, 1, MPI_INT, right, 2, 1, MPI_INT, MPI_SUM, w);
	C(Win_fence, 0, w);
	got("put");
	C(Win_fence, 0, w);
	C(Get_c, sum, 2, MPI_INT, right, 0, 2, MPI_INT, w);
	C(Win_fence, 0, w);
	ints("get", sum, 2);
	C(Win_lock_all, 0, w);
	C(Get_accumulate_c, in, 1, MPI_INT, sum, 1, MPI_INT, right, 0, 1,
	  MPI_INT, MPI_SUM, w);
	C(Win_flush, right, w);
	C(Rput_c, in, 1, MPI_INT, right, 1, 1, MPI_INT, w, &q);
	C(Wait, &q, IGNORE);
	C(Rget_c, sum, 1, MPI_INT, right, 3, 1, MPI_INT, w, &q);
	C(Wait, &q, IGNORE);
	C(Raccumulate_c, in, 1, MPI_INT, right, 4, 1, MPI_INT, MPI_SUM, w, &q);
	C(Wait, &q, IGNORE);
	C(Rget_accumulate_c, in, 1, MPI_INT, sum, 1, MPI_INT, right, 5, 1,
	  MPI_INT, MPI_SUM, w, &q);
	C(Wait, &q, IGNORE);
	C(Win_unlock_all, w);
	C(Barrier, W);
	got("request based");
	C(Win_free, &w);
	C(Win_allocate_c, 16, 4, MPI_INFO_NULL, W, &mine, &w);
	C(Win_free, &w);
	C(Win_allocate_shared_c, 16, 4, MPI_INFO_NULL, W, &mine, &w);
	C(Win_shared_query_c, w, 0, &n, &unit, &shared);
	say("shared %d %d\n", (int)n, (int)unit);
	C(Win_free, &w);
}

/* one call that reads or writes at the end of the file, in order */
#define AT_ONCE(...)                                                           \
	do {                                                                   \
		C(__VA_ARGS__);                                                \
		C(Barrier, W);                                                 \
	} while (0)

static void files(const char *name)
{
	MPI_Count extent = -1;
	MPI_Offset at = 8 * me;
	MPI_Request q;
	MPI_Status s;
	MPI_File f;

	say("# files\n");
	fill();
	C(File_open, W, name,
	  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
	  MPI_INFO_NULL, &f);
	C(File_get_type_extent_c, f, MPI_INT, &extent);
	say("extent %d\n", (int)extent);
	C(File_set_view, f, 8 * me, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	C(File_write_c, f, in, 2, MPI_INT, &s);
	C(File_seek, f, 0, MPI_SEEK_SET);
	C(File_read_c, f, out, 2, MPI_INT, &s);
	got("read");
	C(File_write_all_c, f, in, 2, MPI_INT, &s);
	C(File_seek, f, 0, MPI_SEEK_SET);
	C(File_read_all_c, f, out, 2, MPI_INT, &s);
	got("read_all");
	C(File_iwrite_c, f, in, 1, MPI_INT, &q);
	C(Wait, &q, IGNORE);
	C(File_iwrite_all_c, f, in, 1, MPI_INT, &q);
	C(Wait, &q, IGNORE);
	C(File_seek, f, 0, MPI_SEEK_SET);
	C(File_iread_c, f, out, 1, MPI_INT, &q);
	C(Wait, &q, IGNORE);
	C(File_iread_all_c, f, out + 1, 1, MPI_INT, &q);
	C(Wait, &q, IGNORE);
	got("iread");
	C(File_write_all_begin_c, f, in, 2, MPI_INT);
	C(File_write_all_end, f, in, &s);
	C(File_seek, f, 0, MPI_SEEK_SET);
	C(File_read_all_begin_c, f, out, 2, MPI_INT);
	C(File_read_all_end, f, out, &s);
	got("read_all_begin");

	C(File_set_view, f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	C(File_write_at_c, f, at, in, 2, MPI_INT, &s);
	C(File_read_at_c, f, at, out, 2, MPI_INT, &s);
	got("read_at");
	C(File_write_at_all_c, f, at, in, 2, MPI_INT, &s);
	C(File_read_at_all_c, f, at, out, 2, MPI_INT, &s);
	got("read_at_all");
	C(File_iwrite_at_c, f, at, in, 2, MPI_INT, &q);
	C(Wait, &q, IGNORE);
	C(File_iread_at_c, f, at, out, 2, MPI_INT, &q);
	C(Wait, &q, IGNORE);
	C(File_iwrite_at_all_c, f, at, in, 2, MPI_INT, &q);
	C(Wait, &q, IGNORE);
	C(File_iread_at_all_c, f, at, out, 2, MPI_INT, &q);
	C(Wait, &q, IGNORE);
	got("iread_at");
	C(File_write_at_all_begin_c, f, at, in, 2, MPI_INT);
	C(File_write_at_all_end, f, in, &s);
	C(File_read_at_all_begin_c, f, at, out, 2, MPI_INT);
	C(File_read_at_all_end, f, out, &s);
	got("read_at_all_begin");

	C(File_write_ordered_c, f, in, 1, MPI_INT, &s);
	C(File_write_ordered_begin_c, f, in, 1, MPI_INT);
	C(File_write_ordered_end, f, in, &s);
	C(File_seek_shared, f, 0, MPI_SEEK_SET);
	C(File_read_ordered_c, f, out, 1, MPI_INT, &s);
	C(File_read_ordered_begin_c, f, out, 1, MPI_INT);
	C(File_read_ordered_end, f, out, &s);
	got("ordered");
	C(File_seek_shared, f, 0, MPI_SEEK_SET);
	AT_ONCE(File_write_shared_c, f, in, 1, MPI_INT, &s);
	C(File_iwrite_shared_c, f, in, 1, MPI_INT, &q);
	C(Wait, &q, IGNORE);
	C(Barrier, W);
	C(File_seek_shared, f, 0, MPI_SEEK_SET);
	AT_ONCE(File_read_shared_c, f, out, 1, MPI_INT, &s);
	C(File_iread_shared_c, f, out, 1, MPI_INT, &q);
	C(Wait, &q, IGNORE);
	fill();
	C(File_close, &f);
}

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *unused)
{
	(void)type, (void)unused;
	*extent = 4;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	char name[4096];

	start(&argc, &argv);
	C(Comm_set_errhandler, W, MPI_ERRORS_RETURN);
	fill();
	blocking();
	matched();
	nonblocking();
	collective(W);
	neighbours();
	derived();
	packing();
	windows();
	snprintf(name, sizeof name, "%s.data", argv[1]);
	files(name);
	rc("datarep",
	   C(Register_datarep_c, "theirs", NULL, NULL, extent_of, NULL));
	return finish(argv[1]);
}
