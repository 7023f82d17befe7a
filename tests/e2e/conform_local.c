/*
 * Calls that no other process takes part in: inquiry, datatypes, groups,
 * attributes, errors, info, handles between languages; see conform.h.
 */
/* mpi.h is to declare also what was removed from MPI */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include "conform.h"

static void inquiry(void)
{
	int flag = 7, level = 7, n = 0, sub = 0, at = 0;
	char name[MPI_MAX_LIBRARY_VERSION_STRING];
	int a[4] = { 1, 2, 3, 4 }, b[4] = { 0 };
	MPI_Count big = 0;
	MPI_Aint where = 0, size_ = 0;
	char packed[64];
	MPI_Status s;
	void *room;

	say("# inquiry\n");
	rc("initialized", C(Initialized, &flag));
	say("%d\n", flag);
	rc("finalized", C(Finalized, &flag));
	say("%d\n", flag);
	rc("main", C(Is_thread_main, &flag));
	rc("thread", C(Query_thread, &level));
	say("%d %d\n", flag, level);
	say("time %d %d\n", C(Wtime) >= 0, C(Wtick) > 0);
	rc("name", C(Get_processor_name, name, &n));
	say("%d\n", n == (int)strlen(name));
	rc("version", C(Get_version, &n, &sub));
	say("%d.%d\n", n, sub);
	rc("library", C(Get_library_version, name, &n));
	say("%.*s\n", n, name);
	rc("alloc", C(Alloc_mem, 64, MPI_INFO_NULL, &room));
	memset(room, 1, 64);
	rc("free", C(Free_mem, room));
	rc("address", C(Get_address, a, &where));
	say("%d\n", where == (MPI_Aint)a);
	where = C(Aint_add, where, 4);
	say("%d\n", where == (MPI_Aint)(a + 1));
	where = C(Aint_diff, where, (MPI_Aint)a);
	say("%ld\n", (long)where);
	blank(&s, 1);
	rc("set cancelled", C(Status_set_cancelled, &s, 1));
	rc("set elements", C(Status_set_elements, &s, MPI_INT, 3));
	status("made up", &s);
	rc("set elements x", C(Status_set_elements_x, &s, MPI_INT, 5));
	rc("elements x", C(Get_elements_x, &s, MPI_INT, &big));
	say("%ld\n", (long)big);
	rc("pack size", C(Pack_size, 4, MPI_INT, W, &n));
	rc("pack", C(Pack, a, 4, MPI_INT, packed, 64, &at, W));
	say("%d %d\n", n, at);
	at = 0;
	rc("unpack", C(Unpack, packed, 64, &at, b, 4, MPI_INT, W));
	ints("unpacked", b, 4);
	rc("external size", C(Pack_external_size, "external32", 4, MPI_INT,
			      &size_));
	where = 0;
	rc("pack external", C(Pack_external, "external32", a, 4, MPI_INT,
			      packed, 64, &where));
	say("%ld %ld\n", (long)size_, (long)where);
	where = 0;
	memset(b, 0, sizeof b);
	rc("unpack external", C(Unpack_external, "external32", packed, 64,
				&where, b, 4, MPI_INT));
	ints("unpacked", b, 4);
	rc("reduce local", C(Reduce_local, a, b, 4, MPI_INT, MPI_SUM));
	ints("reduced", b, 4);
}

static void add(void *a, void *b, int *n, MPI_Datatype *t)
{
	(void)t;
	for (int i = 0; i < *n; i++)
		((int *)b)[i] += ((int *)a)[i];
}

static int query(void *x, MPI_Status *s)
{
	MPI_Status_set_elements(s, MPI_INT, *(int *)x);
	MPI_Status_set_cancelled(s, 0);
	s->MPI_SOURCE = 3;
	s->MPI_TAG = 4;
	return MPI_SUCCESS;
}

static int let_go(void *x)
{
	++*(int *)x;
	return MPI_SUCCESS;
}

static int give_up(void *x, int complete)
{
	*(int *)x += complete ? 10 : 20;
	return MPI_SUCCESS;
}

static void ops(void)
{
	int one = 1, sum = 0, x = 2, flag = 7;
	MPI_Request q;
	MPI_Status s;
	MPI_Op op;

	say("# ops and requests of one's own\n");
	rc("op create", C(Op_create, add, 1, &op));
	rc("commutative", C(Op_commutative, op, &flag));
	C(Allreduce, &one, &sum, 1, MPI_INT, op, W);
	say("%d %d\n", flag, sum);
	rc("op free", C(Op_free, &op));
	rc("start", C(Grequest_start, query, let_go, give_up, &x, &q));
	blank(&s, 1);
	rc("status", C(Request_get_status, q, &flag, &s));
	say("%d\n", flag);
	rc("complete", C(Grequest_complete, q));
	rc("status", C(Request_get_status, q, &flag, &s));
	say("%d\n", flag);
	status("query", &s);
	rc("wait", C(Wait, &q, &s));
	status("done", &s);
	say("%d\n", x);
	C(Grequest_start, query, let_go, give_up, &x, &q);
	rc("cancel", C(Cancel, &q));
	C(Grequest_complete, q);
	rc("free", C(Request_free, &q));
	say("%d\n", x);
}

static void show(const char *what, MPI_Datatype *t)
{
	MPI_Aint lb, extent;
	MPI_Count xlb, xextent, size_;
	int n[4];

	rc(what, C(Type_commit, t));
	C(Type_get_extent, *t, &lb, &extent);
	say("extent %ld %ld", (long)lb, (long)extent);
	C(Type_get_true_extent, *t, &lb, &extent);
	say(" true %ld %ld", (long)lb, (long)extent);
	C(Type_get_extent_x, *t, &xlb, &xextent);
	say(" x %ld %ld", (long)xlb, (long)xextent);
	C(Type_get_true_extent_x, *t, &xlb, &xextent);
	C(Type_size_x, *t, &size_);
	C(Type_get_envelope, *t, &n[0], &n[1], &n[2], &n[3]);
	say(" true %ld %ld size %ld made of %d %d %d\n", (long)xlb,
	    (long)xextent, (long)size_, n[0], n[1], n[2]);
	rc("free", C(Type_free, t));
}

static void types(void)
{
	int lengths[2] = { 1, 2 }, at[2] = { 0, 3 }, sizes[2] = { 4, 6 };
	int parts[2] = { 2, 3 }, from[2] = { 1, 1 }, grid[2] = { 1, 1 };
	int cyclic[2] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC };
	int dargs[2] = { MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG };
	int numbers[8], n = 0;
	MPI_Aint far[2] = { 0, 32 }, addresses[4];
	MPI_Datatype two[2] = { MPI_INT, MPI_DOUBLE }, t, u, inner[4];
	char name[MPI_MAX_OBJECT_NAME];

	say("# datatypes\n");
	C(Type_contiguous, 3, MPI_INT, &t), show("contiguous", &t);
	C(Type_vector, 2, 1, 3, MPI_INT, &t), show("vector", &t);
	C(Type_create_hvector, 2, 1, 40, MPI_INT, &t), show("hvector", &t);
	C(Type_indexed, 2, lengths, at, MPI_INT, &t), show("indexed", &t);
	C(Type_create_hindexed, 2, lengths, far, MPI_INT, &t);
	show("hindexed", &t);
	C(Type_create_indexed_block, 2, 2, at, MPI_INT, &t), show("block", &t);
	C(Type_create_hindexed_block, 2, 2, far, MPI_INT, &t);
	show("hblock", &t);
	C(Type_create_struct, 2, lengths, far, two, &t), show("struct", &t);
	C(Type_create_subarray, 2, sizes, parts, from, MPI_ORDER_C, MPI_INT,
	  &t);
	show("subarray", &t);
	C(Type_create_darray, 1, 0, 2, sizes, cyclic, dargs, grid, MPI_ORDER_C,
	  MPI_INT, &t);
	show("darray", &t);
	C(Type_create_resized, MPI_INT, -4, 16, &t), show("resized", &t);
	rc("real", C(Type_create_f90_real, 6, 30, &t));
	rc("complex", C(Type_create_f90_complex, 6, 30, &t));
	rc("integer", C(Type_create_f90_integer, 6, &t));
	rc("match", C(Type_match_size, MPI_TYPECLASS_REAL, 8, &t));
	C(Type_size, t, &n);
	say("%d\n", n);
	C(Type_vector, 2, 1, 3, MPI_INT, &t);
	rc("dup", C(Type_dup, t, &u));
	rc("set name", C(Type_set_name, u, "two apart"));
	rc("name", C(Type_get_name, u, name, &n));
	say("%s %d\n", name, n);
	rc("contents", C(Type_get_contents, t, 3, 0, 1, numbers, addresses,
			 inner));
	ints("contents", numbers, 3);
	C(Type_free, &t);
	C(Type_free, &u);
}

static void groups(void)
{
	int none = MPI_PROC_NULL, n = 0, first[1] = { 0 }, to[1] = { 7 };
	int ranges[1][3] = { { 0, size - 1, 1 } };
	MPI_Group all, some, rest, g;

	say("# groups\n");
	rc("group", C(Comm_group, W, &all));
	rc("incl", C(Group_incl, all, 1, first, &some));
	rc("excl", C(Group_excl, all, 1, first, &rest));
	C(Group_size, rest, &n);
	say("%d\n", n == size - 1);
	C(Group_rank, some, &n);
	say("%d\n", n == (me ? MPI_UNDEFINED : 0));
	rc("translate", C(Group_translate_ranks, some, 1, first, all, to));
	say("%d\n", to[0]);
	C(Group_translate_ranks, some, 1, &none, all, to);
	C(Group_union, some, rest, &g);
	C(Group_compare, all, g, &n);
	say("%d\n", n == MPI_IDENT);
	C(Group_free, &g);
	C(Group_intersection, all, some, &g);
	C(Group_size, g, &n);
	say("%d\n", n);
	C(Group_free, &g);
	C(Group_difference, all, some, &g);
	C(Group_free, &g);
	C(Group_range_incl, all, 1, ranges, &g);
	C(Group_free, &g);
	rc("range", C(Group_range_excl, all, 1, ranges, &g));
	say("%d\n", g == MPI_GROUP_EMPTY);
	C(Group_free, &some);
	if (rest != MPI_GROUP_EMPTY)
		C(Group_free, &rest);
	C(Group_free, &all);
}

/* Each kind of object alike. */
#define ATTRIBUTES(Object, KIND, h)                                            \
	do {                                                                   \
		int key_, flag_ = 7, *v_ = NULL, there_ = 5;                   \
                                                                               \
		rc(#Object " key", C(Object##_create_keyval,                   \
				     MPI_##KIND##_NULL_COPY_FN,                \
				     MPI_##KIND##_NULL_DELETE_FN, &key_,       \
				     NULL));                                   \
		rc("set", C(Object##_set_attr, h, key_, &there_));             \
		rc("get", C(Object##_get_attr, h, key_, &v_, &flag_));         \
		say("%d %d\n", flag_, v_ ? *v_ : -1);                          \
		rc("delete", C(Object##_delete_attr, h, key_));                \
		rc("free", C(Object##_free_keyval, &key_));                    \
	} while (0)

static void attributes(void)
{
	int key, flag = 7, *v = NULL, there = 6;
	MPI_Datatype t;
	MPI_Win w;

	say("# attributes\n");
	ATTRIBUTES(Comm, COMM, W);
	C(Type_contiguous, 2, MPI_INT, &t);
	ATTRIBUTES(Type, TYPE, t);
	C(Type_free, &t);
	C(Win_create, NULL, 0, 1, MPI_INFO_NULL, W, &w);
	ATTRIBUTES(Win, WIN, w);
	C(Win_free, &w);
	rc("old key", C(Keyval_create, MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN,
			&key, NULL));
	rc("put", C(Attr_put, W, key, &there));
	rc("get", C(Attr_get, W, key, &v, &flag));
	say("%d %d\n", flag, v ? *v : -1);
	rc("delete", C(Attr_delete, W, key));
	rc("free", C(Keyval_free, &key));
}

static int handled;
static void on_comm(MPI_Comm *c, int *code, ...)
{
	(void)c, (void)code, handled++;
}

static void on_win(MPI_Win *w, int *code, ...)
{
	(void)w, (void)code, handled += 10;
}

static void on_file(MPI_File *f, int *code, ...)
{
	(void)f, (void)code, handled += 100;
}

static void errors(void)
{
	char string[MPI_MAX_ERROR_STRING] = "";
	int class_ = 0, code = 0, n = 0;
	MPI_Errhandler h, old;
	MPI_File f;
	MPI_Win w;

	say("# errors\n");
	rc("string", C(Error_string, MPI_ERR_TAG, string, &n));
	say("%s\n", string);
	rc("class", C(Add_error_class, &class_));
	rc("code", C(Add_error_code, class_, &code));
	rc("text", C(Add_error_string, code, "one of ours"));
	C(Error_string, code, string, &n);
	say("%s\n", string);
	C(Comm_create_errhandler, on_comm, &h);
	C(Comm_get_errhandler, W, &old);
	C(Comm_set_errhandler, W, h);
	rc("call", C(Comm_call_errhandler, W, code));
	C(Comm_set_errhandler, W, old);
	C(Errhandler_free, &h);
	C(Errhandler_free, &old);
	C(Win_create, NULL, 0, 1, MPI_INFO_NULL, W, &w);
	C(Win_create_errhandler, on_win, &h);
	C(Win_get_errhandler, w, &old);
	C(Win_set_errhandler, w, h);
	rc("call", C(Win_call_errhandler, w, code));
	C(Errhandler_free, &h);
	C(Errhandler_free, &old);
	C(Win_free, &w);
	C(File_create_errhandler, on_file, &h);
	C(File_get_errhandler, MPI_FILE_NULL, &old);
	C(File_set_errhandler, MPI_FILE_NULL, h);
	rc("no such file", C(File_open, MPI_COMM_SELF, "/nonexistent/file",
			     MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	C(File_set_errhandler, MPI_FILE_NULL, old);
	C(Errhandler_free, &h);
	C(Errhandler_free, &old);
	say("handled %d\n", handled);
}

static void info(void)
{
	MPI_Info i, j;
	char text_[32] = "";
	int n = 0, flag = 7;

	say("# info\n");
	rc("create", C(Info_create, &i));
	rc("set", C(Info_set, i, "key", "value"));
	rc("dup", C(Info_dup, i, &j));
	rc("get", C(Info_get, j, "key", 31, text_, &flag));
	say("%s %d\n", text_, flag);
	rc("length", C(Info_get_valuelen, j, "key", &n, &flag));
	rc("keys", C(Info_get_nkeys, j, &n));
	rc("nth", C(Info_get_nthkey, j, 0, text_));
	say("%s %d\n", text_, n);
	rc("delete", C(Info_delete, j, "key"));
	rc("free", C(Info_free, &i));
	rc("free", C(Info_free, &j));
}

/* There and back again. */
#define BOTH_WAYS(Object, h)                                                   \
	do {                                                                   \
		MPI_Fint f_ = C(Object##_c2f, h);                              \
                                                                               \
		say(#Object " %d\n", C(Object##_f2c, f_) == (h));              \
	} while (0)

static void handles(void)
{
	MPI_Fint f[sizeof(MPI_Status) / sizeof(MPI_Fint)] = { 0 };
	MPI_Status s, back;

	say("# handles\n");
	BOTH_WAYS(Comm, W);
	BOTH_WAYS(Type, MPI_INT);
	BOTH_WAYS(Group, MPI_GROUP_EMPTY);
	BOTH_WAYS(Op, MPI_SUM);
	BOTH_WAYS(Info, MPI_INFO_NULL);
	BOTH_WAYS(Request, MPI_REQUEST_NULL);
	BOTH_WAYS(Message, MPI_MESSAGE_NO_PROC);
	BOTH_WAYS(Errhandler, MPI_ERRORS_RETURN);
	BOTH_WAYS(Win, MPI_WIN_NULL);
	BOTH_WAYS(File, MPI_FILE_NULL);
	blank(&s, 1);
	blank(&back, 1);
	rc("c2f", C(Status_c2f, &s, f));
	rc("f2c", C(Status_f2c, f, &back));
	say("%d %d\n", back.MPI_SOURCE, back.MPI_TAG);
}

static void topologies(void)
{
	int dims[2] = { 0, 0 }, periods[2] = { 1, 0 }, at[2] = { 9, 9 };
	int from = 9, to = 9, n = 9, m = 9, r = 9;
	int *index = malloc((size_t)size * sizeof *index);
	int *edges = malloc((size_t)size * sizeof *edges), near[4], weights[4];
	MPI_Comm c;

	say("# topologies\n");
	rc("dims", C(Dims_create, size, 2, dims));
	C(Cart_create, W, 2, dims, periods, 0, &c);
	C(Topo_test, c, &n);
	say("%d\n", n == MPI_CART);
	C(Cartdim_get, c, &n);
	C(Cart_get, c, 2, dims, periods, at);
	ints("cart", at, n);
	C(Cart_rank, c, at, &r);
	C(Cart_coords, c, r, 2, at);
	C(Cart_shift, c, 0, 1, &from, &to);
	C(Cart_map, W, 2, dims, periods, &n);
	say("%d %d %d %d\n", r, from, to, n);
	C(Comm_free, &c);
	for (int i = 0; i < size; i++)
		index[i] = i + 1, edges[i] = (i + 1) % size;
	C(Graph_create, W, size, index, edges, 0, &c);
	C(Graphdims_get, c, &n, &m);
	C(Graph_get, c, size, size, index, edges);
	say("%d %d %d\n", n, m, edges[0]);
	C(Graph_neighbors_count, c, me, &n);
	C(Graph_neighbors, c, me, 4, near);
	ints("near", near, n);
	C(Graph_map, W, size, index, edges, &n);
	C(Comm_free, &c);
	C(Dist_graph_create_adjacent, W, 1, &left, MPI_UNWEIGHTED, 1, &right,
	  MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c);
	C(Dist_graph_neighbors_count, c, &n, &m, &r);
	say("%d %d %d\n", n, m, r);
	rc("neighbours", C(Dist_graph_neighbors, c, 1, &from, weights, 1, &to,
			   weights));
	say("%d %d\n", from == left, to == right);
	C(Comm_free, &c);
	free(index);
	free(edges);
}

static void comms(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Info i;
	MPI_Comm c;
	int n = 9;

	say("# communicators\n");
	C(Comm_dup, W, &c);
	rc("compare", C(Comm_compare, W, c, &n));
	say("%d\n", n == MPI_CONGRUENT);
	C(Comm_test_inter, c, &n);
	say("%d\n", n);
	rc("set name", C(Comm_set_name, c, "ours alone"));
	rc("get name", C(Comm_get_name, c, name, &n));
	say("%s %d\n", name, n);
	C(Info_create, &i);
	rc("set info", C(Comm_set_info, c, i));
	C(Info_free, &i);
	rc("get info", C(Comm_get_info, c, &i));
	C(Info_free, &i);
	C(Comm_free, &c);
}

static void on_old(MPI_Comm *c, int *code, ...) { (void)c, (void)code; }

static void old(void)
{
	int lengths[2] = { 1, 2 };
	MPI_Aint far[2] = { 0, 32 }, n = 0;
	MPI_Datatype two[2] = { MPI_INT, MPI_DOUBLE }, t;
	MPI_Errhandler h, was;

	say("# of MPI-1\n");
	rc("address", C(Address, lengths, &n));
	say("%d\n", n == (MPI_Aint)lengths);
	rc("create", C(Errhandler_create, on_old, &h));
	rc("get", C(Errhandler_get, W, &was));
	rc("set", C(Errhandler_set, W, h));
	rc("set", C(Errhandler_set, W, was));
	rc("hindexed", C(Type_hindexed, 2, lengths, far, MPI_INT, &t));
	C(Type_extent, t, &n);
	say("%ld", (long)n);
	C(Type_lb, t, &n);
	say(" %ld", (long)n);
	C(Type_ub, t, &n);
	say(" %ld\n", (long)n);
	rc("hvector", C(Type_hvector, 2, 1, 40, MPI_INT, &t));
	rc("struct", C(Type_struct, 2, lengths, far, two, &t));
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	inquiry();
	ops();
	types();
	groups();
	attributes();
	errors();
	info();
	handles();
	topologies();
	comms();
	old();
	return finish(argc > 1 ? argv[1] : "counts");
}
