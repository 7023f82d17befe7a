/* Files; see conform.h. The file is removed at the end. */
#include "conform.h"

static const char *path;
static int room[8], out[4];

static int block(void)
{
	return 16 * me;
}

/* Open MPI leaves the other fields as they happen to be. */
static void moved(const char *what, const MPI_Status *s)
{
	int n = -1;

	C(Get_count, s, MPI_INT, &n);
	say("%s: count %d\n", what, n);
}

/* The kinds of both directions, alike but for their names. */
#define EACH(fh, rw, buf)                                                      \
	do {                                                                   \
		MPI_Status s_;                                                 \
		MPI_Request q_;                                                \
                                                                               \
		blank(&s_, 1);                                                 \
		rc(#rw "_at", C(File_##rw##_at, fh, block(), buf, 4, MPI_INT,  \
				&s_));                                         \
		moved(#rw, &s_);                                               \
		rc("seek", C(File_seek, fh, block(), MPI_SEEK_SET));           \
		rc(#rw, C(File_##rw, fh, buf, 4, MPI_INT, IGNORE));            \
		C(File_seek, fh, block(), MPI_SEEK_SET);                       \
		rc(#rw "_all", C(File_##rw##_all, fh, buf, 4, MPI_INT, &s_));  \
		moved(#rw, &s_);                                               \
		rc(#rw "_at_all", C(File_##rw##_at_all, fh, block(), buf, 4,   \
				    MPI_INT, IGNORE));                         \
		rc("shared", C(File_seek_shared, fh, 0, MPI_SEEK_SET));        \
		rc(#rw "_ordered", C(File_##rw##_ordered, fh, buf, 4, MPI_INT, \
				     &s_));                                    \
		C(File_seek_shared, fh, 0, MPI_SEEK_SET);                      \
		rc(#rw "_ordered_begin", C(File_##rw##_ordered_begin, fh, buf, \
					   4, MPI_INT));                       \
		rc("end", C(File_##rw##_ordered_end, fh, buf, &s_));           \
		moved(#rw, &s_);                                               \
		C(File_seek, fh, block(), MPI_SEEK_SET);                       \
		rc(#rw "_all_begin", C(File_##rw##_all_begin, fh, buf, 4,      \
				       MPI_INT));                              \
		rc("end", C(File_##rw##_all_end, fh, buf, IGNORE));            \
		rc(#rw "_at_all_begin", C(File_##rw##_at_all_begin, fh,        \
					  block(), buf, 4, MPI_INT));          \
		rc("end", C(File_##rw##_at_all_end, fh, buf, IGNORE));         \
		rc("i" #rw "_at", C(File_i##rw##_at, fh, block(), buf, 4,      \
				    MPI_INT, &q_));                            \
		rc("wait", C(Wait, &q_, &s_));                                 \
		moved(#rw, &s_);                                               \
		C(File_seek, fh, block(), MPI_SEEK_SET);                       \
		rc("i" #rw, C(File_i##rw, fh, buf, 4, MPI_INT, &q_));          \
		C(Wait, &q_, IGNORE);                                          \
		C(File_seek, fh, block(), MPI_SEEK_SET);                       \
		rc("i" #rw "_all", C(File_i##rw##_all, fh, buf, 4, MPI_INT,    \
				     &q_));                                    \
		C(Wait, &q_, IGNORE);                                          \
		rc("i" #rw "_at_all", C(File_i##rw##_at_all, fh, block(), buf, \
					4, MPI_INT, &q_));                     \
		C(Wait, &q_, IGNORE);                                          \
	} while (0)

static void transfers(MPI_File fh)
{
	MPI_Offset at = -1, disp = -1;
	MPI_Request q;

	say("# writing\n");
	for (int i = 0; i < 4; i++)
		out[i] = 10 * me + i;
	EACH(fh, write, out);
	rc("sync", C(File_sync, fh));
	C(Barrier, W);
	say("# reading\n");
	EACH(fh, read, room);
	ints("read", room, 4);
	C(File_seek, fh, 8, MPI_SEEK_SET);
	rc("position", C(File_get_position, fh, &at));
	rc("byte", C(File_get_byte_offset, fh, at, &disp));
	say("%ld %ld\n", (long)at, (long)disp);
	C(Barrier, W);
	/* which of them comes first is open: all write the same */
	out[0] = 77;
	C(File_seek_shared, fh, 0, MPI_SEEK_SET);
	rc("write shared", C(File_write_shared, fh, out, 1, MPI_INT, IGNORE));
	rc("iwrite shared", C(File_iwrite_shared, fh, out, 1, MPI_INT, &q));
	C(Wait, &q, IGNORE);
	C(Barrier, W);
	rc("shared position", C(File_get_position_shared, fh, &at));
	say("%ld\n", (long)at);
	C(Barrier, W);
	C(File_seek_shared, fh, 0, MPI_SEEK_SET);
	rc("read shared", C(File_read_shared, fh, room, 1, MPI_INT, IGNORE));
	say("%d\n", room[0]);
	rc("iread shared", C(File_iread_shared, fh, room, 1, MPI_INT, &q));
	C(Wait, &q, IGNORE);
	say("%d\n", room[0]);
	C(Barrier, W);
}

static int extent(MPI_Datatype t, MPI_Aint *n, void *x)
{
	(void)x;
	return MPI_Type_get_extent(t, n, n);
}

static void properties(MPI_File fh)
{
	int mode = 0, flag = 7, n = 0;
	char rep[MPI_MAX_DATAREP_STRING];
	MPI_Datatype etype, type;
	MPI_Offset bytes = -1;
	MPI_Aint size_ = -1;
	MPI_Group g;
	MPI_Info i;

	say("# properties\n");
	rc("preallocate", C(File_preallocate, fh, 64 * size));
	rc("size", C(File_set_size, fh, 16 * size));
	rc("size", C(File_get_size, fh, &bytes));
	say("%ld\n", (long)bytes);
	rc("mode", C(File_get_amode, fh, &mode));
	say("%d\n", mode);
	rc("group", C(File_get_group, fh, &g));
	C(Group_size, g, &n);
	C(Group_free, &g);
	rc("info", C(File_get_info, fh, &i));
	rc("info", C(File_set_info, fh, i));
	C(Info_free, &i);
	rc("atomic", C(File_set_atomicity, fh, 0));
	rc("atomic", C(File_get_atomicity, fh, &flag));
	rc("view", C(File_set_view, fh, 0, MPI_BYTE, MPI_BYTE, "native",
		     MPI_INFO_NULL));
	rc("view", C(File_get_view, fh, &bytes, &etype, &type, rep));
	rc("extent", C(File_get_type_extent, fh, MPI_INT, &size_));
	say("%d %d %s %ld\n", n, flag, rep, (long)size_);
	rc("representation", C(Register_datarep, "ours", MPI_CONVERSION_FN_NULL,
			       MPI_CONVERSION_FN_NULL, extent, NULL));
}

static int handled;
static void on_file(MPI_File *f, int *code, ...)
{
	(void)f, (void)code, handled++;
}

static void failures(MPI_File fh)
{
	MPI_Errhandler h;
	MPI_File none;

	say("# errors\n");
	rc("no such", C(File_open, MPI_COMM_SELF, "/nonexistent/file",
			MPI_MODE_RDONLY, MPI_INFO_NULL, &none));
	rc("less than nothing", C(File_read_at, fh, 0, room, -1, MPI_INT,
				  IGNORE));
	C(File_create_errhandler, on_file, &h);
	C(File_set_errhandler, fh, h);
	rc("call", C(File_call_errhandler, fh, MPI_ERR_FILE));
	C(Errhandler_free, &h);
	say("%d\n", handled);
	rc("nothing to delete", C(File_delete, "/nonexistent/file",
				  MPI_INFO_NULL));
}

int main(int argc, char **argv)
{
	char name[4096];
	MPI_File fh = MPI_FILE_NULL;

	start(&argc, &argv);
	/* the same file, so that the name in the log is the same */
	snprintf(name, sizeof name, "%s", "conform.data");
	path = name;
	say("# files\n");
	rc("open", C(File_open, W, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
		     MPI_INFO_NULL, &fh));
	properties(fh);
	transfers(fh);
	failures(fh);
	rc("close", C(File_close, &fh));
	C(Barrier, W);
	if (!me)
		rc("delete", C(File_delete, path, MPI_INFO_NULL));
	return finish(argc > 1 ? argv[1] : "counts");
}
