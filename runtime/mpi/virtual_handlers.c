/*
 * What the program is called back with, which is to name MPI_COMM_WORLD and not
 * what stands for it. An error handler has no state of its own, so there is a
 * function for each of the program's; a program has few. Beyond that they get
 * the partition's handle, which is as good but is another one.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>

#include "virtual.h"

enum { HANDLERS = 64, KEYVALS = 256 };

__thread int tape_virtual_by_fortran;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- error handlers ---- */

static void *theirs_in_c[HANDLERS], *theirs_in_fortran[HANDLERS];

/* What libraries add: the name of a function that failed, and a zero. */
static void call_handler(int i, MPI_Comm *comm, int *code, va_list *more)
{
	MPI_Comm_errhandler_function *f =
	    (MPI_Comm_errhandler_function *)theirs_in_c[i];
	void *first = va_arg(*more, void *), *second = va_arg(*more, void *);
	MPI_Comm world = MPI_COMM_WORLD;

	f(*comm == tape_virtual_world ? &world : comm, code, first, second);
}

static void call_fortran_handler(int i, MPI_Fint *comm, MPI_Fint *code,
				 void *first, void *second)
{
	MPI_Fint outside = tape_virtual_program_comm(*comm);

	((void (*)(MPI_Fint *, MPI_Fint *, void *,
		   void *))theirs_in_fortran[i])(&outside, code, first, second);
}

#define ALL(X)                                                                 \
	EIGHT(X, 0)                                                            \
	EIGHT(X, 1)                                                            \
	EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5) EIGHT(X, 6)            \
	    EIGHT(X, 7)
#define EIGHT(X, n)                                                            \
	X(n, 0) X(n, 1) X(n, 2) X(n, 3) X(n, 4) X(n, 5) X(n, 6) X(n, 7)

#define FUNCTIONS(n, m)                                                        \
	static void told_##n##m(MPI_Comm *comm, int *code, ...)                \
	{                                                                      \
		va_list more;                                                  \
                                                                               \
		va_start(more, code);                                          \
		call_handler(8 * n + m, comm, code, &more);                    \
		va_end(more);                                                  \
	}                                                                      \
	static void told_fortran_##n##m(MPI_Fint *comm, MPI_Fint *code,        \
					void *first, void *second)             \
	{                                                                      \
		call_fortran_handler(8 * n + m, comm, code, first, second);    \
	}
ALL(FUNCTIONS)

#define IN_C(n, m) told_##n##m,
#define IN_FORTRAN(n, m) (fortran_function *)told_fortran_##n##m,
static MPI_Comm_errhandler_function *const ours_in_c[HANDLERS] = {ALL(IN_C)};
static fortran_function *const ours_in_fortran[HANDLERS] = {ALL(IN_FORTRAN)};

/* Its place in the table, or -1. */
static int find_handler_index(void **table, void *theirs)
{
	int found = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; found < 0 && i < HANDLERS; i++)
		if (!table[i] || table[i] == theirs) {
			table[i] = theirs;
			found = i;
		}
	pthread_mutex_unlock(&lock);
	return found;
}

MPI_Comm_errhandler_function *
tape_virtual_handler(MPI_Comm_errhandler_function *theirs)
{
	int i = theirs && !tape_virtual_by_fortran
		    ? find_handler_index(theirs_in_c, (void *)theirs)
		    : -1;

	return i < 0 ? theirs : ours_in_c[i];
}

fortran_function *tape_virtual_fortran_handler(fortran_function *theirs)
{
	int i =
	    theirs ? find_handler_index(theirs_in_fortran, (void *)theirs) : -1;

	return i < 0 ? theirs : ours_in_fortran[i];
}

/* ---- attributes ---- */

static struct tape_virtual_keyval keyvals[KEYVALS];
static int n_keyvals;

static MPI_Comm get_program_comm(MPI_Comm comm)
{
	return comm == tape_virtual_world ? MPI_COMM_WORLD : comm;
}

static int copy_attribute(MPI_Comm comm, int key, void *extra, void *in,
			  void *out, int *flag)
{
	const struct tape_virtual_keyval *k = extra;

	return k->copy(get_program_comm(comm), key, k->extra, in, out, flag);
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
	const struct tape_virtual_keyval *k = extra;

	return k->delete (get_program_comm(comm), key, value, k->extra);
}

static int is_own_copy(const struct tape_virtual_keyval *k)
{
	return k->copy && k->copy != MPI_COMM_NULL_COPY_FN &&
	       k->copy != MPI_COMM_DUP_FN;
}

static int is_own_delete(const struct tape_virtual_keyval *k)
{
	return k->delete &&k->delete != MPI_COMM_NULL_DELETE_FN;
}

static struct tape_virtual_keyval *
add_keyval(const struct tape_virtual_keyval *k)
{
	struct tape_virtual_keyval *found = NULL;

	pthread_mutex_lock(&lock);
	for (int i = 0; !found && i < n_keyvals; i++)
		if (keyvals[i].copy == k->copy &&
		    keyvals[i].delete == k->delete &&keyvals[i].extra ==
			k->extra)
			found = &keyvals[i];
	if (!found && n_keyvals < KEYVALS) {
		found = &keyvals[n_keyvals++];
		*found = *k;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void tape_virtual_keyval(struct tape_virtual_keyval *k)
{
	struct tape_virtual_keyval *kept;

	if (tape_virtual_by_fortran || (!is_own_copy(k) && !is_own_delete(k)))
		return;
	kept = add_keyval(k);
	if (!kept)
		return;
	if (is_own_copy(k))
		k->copy = copy_attribute;
	if (is_own_delete(k))
		k->delete = delete_attribute;
	k->extra = kept;
}
