/* Windows and one-sided communication; see conform.h. */
#include "conform.h"

static void fences(void)
{
	int mine[8], got[4] = { 0 }, out[4] = { me, me + 1, me + 2, me + 3 };
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Group g;
	MPI_Info i;
	MPI_Win w;
	int n = 0;

	say("# fences\n");
	for (n = 0; n < 8; n++)
		mine[n] = 100 * me + n;
	rc("create", C(Win_create, mine, sizeof mine, sizeof(int),
		       MPI_INFO_NULL, W, &w));
	rc("name", C(Win_set_name, w, "eight numbers"));
	C(Win_get_name, w, name, &n);
	say("%s\n", name);
	rc("group", C(Win_get_group, w, &g));
	C(Group_size, g, &n);
	say("%d\n", n == size);
	C(Group_free, &g);
	rc("info", C(Win_get_info, w, &i));
	rc("info", C(Win_set_info, w, i));
	C(Info_free, &i);
	rc("fence", C(Win_fence, MPI_MODE_NOPRECEDE, w));
	rc("put", C(Put, out, 4, MPI_INT, right, 0, 4, MPI_INT, w));
	rc("fence", C(Win_fence, 0, w));
	ints("put here", mine, 8);
	rc("get", C(Get, got, 4, MPI_INT, left, 4, 4, MPI_INT, w));
	rc("fence", C(Win_fence, 0, w));
	ints("got", got, 4);
	rc("accumulate", C(Accumulate, out, 4, MPI_INT, 0, 4, 4, MPI_INT,
			   MPI_SUM, w));
	rc("fence", C(Win_fence, MPI_MODE_NOSUCCEED, w));
	ints("summed", mine, 8);
	rc("nobody", C(Win_fence, 0, w));
	rc("put to none", C(Put, out, 4, MPI_INT, MPI_PROC_NULL, 0, 4, MPI_INT,
			    w));
	rc("fence", C(Win_fence, 0, w));
	rc("free", C(Win_free, &w));
	say("%d\n", w == MPI_WIN_NULL);
}

static void locks(void)
{
	int one = 1, zero = 0, was = -1, *base, got = -1, sum = 0, unit;
	MPI_Request q[3];
	MPI_Aint bytes;
	MPI_Win w;
	void *p;

	say("# locks\n");
	rc("allocate", C(Win_allocate, 4 * sizeof(int), sizeof(int),
			 MPI_INFO_NULL, W, &base, &w));
	memset(base, 0, 4 * sizeof(int));
	C(Barrier, W);
	rc("lock", C(Win_lock, MPI_LOCK_EXCLUSIVE, 0, 0, w));
	rc("fetch", C(Fetch_and_op, &one, &was, MPI_INT, 0, 0, MPI_SUM, w));
	rc("flush", C(Win_flush, 0, w));
	rc("local", C(Win_flush_local, 0, w));
	rc("unlock", C(Win_unlock, 0, w));
	say("%d\n", was >= 0 && was < size);
	rc("lock all", C(Win_lock_all, 0, w));
	rc("get and add", C(Get_accumulate, &one, 1, MPI_INT, &got, 1, MPI_INT,
			    right, 1, 1, MPI_INT, MPI_SUM, w));
	rc("flush all", C(Win_flush_all, w));
	rc("local all", C(Win_flush_local_all, w));
	rc("sync", C(Win_sync, w));
	say("%d\n", got);
	rc("swap", C(Compare_and_swap, &one, &zero, &was, MPI_INT, right, 2,
		     w));
	C(Win_flush, right, w);
	rc("rput", C(Rput, &one, 1, MPI_INT, right, 3, 1, MPI_INT, w, &q[0]));
	rc("wait", C(Wait, &q[0], IGNORE));
	C(Win_flush, right, w);
	rc("rget", C(Rget, &got, 1, MPI_INT, right, 3, 1, MPI_INT, w, &q[0]));
	rc("racc", C(Raccumulate, &one, 1, MPI_INT, right, 3, 1, MPI_INT,
		     MPI_SUM, w, &q[1]));
	rc("rgacc", C(Rget_accumulate, &one, 1, MPI_INT, &sum, 1, MPI_INT,
		      right, 1, 1, MPI_INT, MPI_NO_OP, w, &q[2]));
	rc("waitall", C(Waitall, 3, q, MPI_STATUSES_IGNORE));
	rc("unlock all", C(Win_unlock_all, w));
	C(Barrier, W);
	say("%d\n", sum);
	C(Win_free, &w);

	say("# memory of others\n");
	rc("shared", C(Win_allocate_shared, sizeof(int), sizeof(int),
		       MPI_INFO_NULL, W, &base, &w));
	*base = me;
	C(Win_fence, 0, w);
	rc("query", C(Win_shared_query, w, left, &bytes, &unit, &p));
	say("%ld %d %d\n", (long)bytes, unit, *(int *)p);
	C(Win_fence, 0, w);
	C(Win_free, &w);
	rc("dynamic", C(Win_create_dynamic, MPI_INFO_NULL, W, &w));
	rc("attach", C(Win_attach, w, &one, sizeof one));
	rc("detach", C(Win_detach, w, &one));
	C(Win_free, &w);
}

static void pairs(void)
{
	int here = -1, out = me, flag = 0;
	MPI_Group all, before, after;
	MPI_Win w;

	say("# post, start, complete, wait\n");
	C(Comm_group, W, &all);
	C(Group_incl, all, 1, &left, &before);
	C(Group_incl, all, 1, &right, &after);
	C(Win_create, &here, sizeof here, sizeof here, MPI_INFO_NULL, W, &w);
	for (int i = 0; i < 3; i++) {
		rc("post", C(Win_post, before, 0, w));
		rc("start", C(Win_start, after, 0, w));
		C(Put, &out, 1, MPI_INT, right, 0, 1, MPI_INT, w);
		rc("complete", C(Win_complete, w));
		if (i < 2) {
			rc("wait", C(Win_wait, w));
		} else {
			for (flag = 0; !flag;)
				C(Win_test, w, &flag);
		}
		say("%d\n", here == left);
	}
	C(Win_free, &w);
	C(Group_free, &all);
	C(Group_free, &before);
	C(Group_free, &after);
}

static void failures(void)
{
	int x = 0;
	MPI_Win w, none;

	say("# errors\n");
	C(Comm_set_errhandler, W, MPI_ERRORS_RETURN);
	C(Win_create, &x, sizeof x, sizeof x, MPI_INFO_NULL, W, &w);
	C(Win_set_errhandler, w, MPI_ERRORS_RETURN);
	rc("put to nobody", C(Put, &x, 1, MPI_INT, size + 5, 0, 1, MPI_INT, w));
	rc("put less than nothing", C(Put, &x, -1, MPI_INT, 0, 0, 1, MPI_INT,
				      w));
	rc("unlock of what is not", C(Win_unlock, 0, w));
	rc("none", C(Win_fence, 0, MPI_WIN_NULL));
	rc("less room than none",
	   C(Win_create, &x, -5, 1, MPI_INFO_NULL, W, &none));
	C(Win_free, &w);
	C(Comm_set_errhandler, W, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
	start(&argc, &argv);
	fences();
	locks();
	pairs();
	failures();
	return finish(argc > 1 ? argv[1] : "counts");
}
