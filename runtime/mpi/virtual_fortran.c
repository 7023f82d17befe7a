/*
 * The program's own world in Fortran; virtual.h. MPICH's functions call those
 * for C, which have translated the handle by then; what they do by themselves,
 * attributes and handlers, needs this as well.
 */
#include <pthread.h>

#include "virtual.h"

void *tape_virtual_fortran_below[TAPE_CALL_COUNT][2];

static inline void *fortran_virtual_comm(void *comm, MPI_Fint *room)
{
	if (*(const MPI_Fint *)comm != tape_virtual_fortran_real)
		return comm;
	*room = tape_virtual_fortran_world;
	return room;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-function-type"
#include "tape_virtual_fortran.h"

typedef void fortran_3(void *, void *, void *);
typedef void fortran_5(void *, void *, void *, void *, void *);

/* ---- attributes that MPI defines ---- */

/* The keys of Fortran are those of C, or in MPICH one more. */
static int key_in_c(const void *key)
{
	int k = *(const MPI_Fint *)key;

#ifndef OPEN_MPI
	if (tape_virtual_predefined(k - 1))
		return k - 1;
#endif
	return k;
}

static void put_value(void *value, int wide, int n)
{
	if (wide)
		*(MPI_Aint *)value = n;
	else
		*(MPI_Fint *)value = n;
}

/* wide: the value is an address, as of MPI_COMM_GET_ATTR. */
static void get_attr(fortran_5 *get, int wide, void *comm, void *key,
		     void *value, void *flag, void *ierror)
{
	MPI_Fint room, own = MPI_SUCCESS, real = tape_virtual_fortran_real;
	int k = key_in_c(key), is_world = *(MPI_Fint *)comm == real;

	get(fortran_virtual_comm(comm, &room), key, value, flag, &own);
	if (own == MPI_SUCCESS && tape_virtual_predefined(k)) {
		if (!*(MPI_Fint *)flag && (k != MPI_LASTUSEDCODE || is_world) &&
		    tape_virtual_has_attributes(
			PMPI_Comm_f2c(*(MPI_Fint *)comm)))
			get(&real, key, value, flag, &own);
		if (own == MPI_SUCCESS && *(MPI_Fint *)flag) {
			if (k == MPI_UNIVERSE_SIZE)
				put_value(value, wide, tape_virtual_universe);
			else if (k == MPI_APPNUM)
				put_value(value, wide, tape_virtual_app);
		}
	}
	if (ierror)
		*(MPI_Fint *)ierror = own;
}

/* ---- call-backs of attributes ---- */

typedef void fortran_copy(MPI_Fint *, MPI_Fint *, void *, void *, void *,
			  void *, MPI_Fint *);
typedef void fortran_delete(MPI_Fint *, MPI_Fint *, void *, void *, MPI_Fint *);

/*
 * Open MPI keeps the value of the extra state, which call-backs get the address
 * of a copy of; MPICH keeps the address of the program's variable.
 */
enum { KEYVALS = 256 };
static struct keyval {
	fortran_copy *copy;
	fortran_delete *delete;
	void *where;
	MPI_Aint extra;
	MPI_Fint narrow_extra;
	MPI_Aint place; /* in the table: our own extra state */
	MPI_Fint narrow_place;
} keyvals[KEYVALS];
static int n_keyvals;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct keyval *find_or_add_keyval(const struct keyval *k)
{
	struct keyval *found = NULL;

	pthread_mutex_lock(&lock);
	for (int i = 0; !found && i < n_keyvals; i++)
		if (keyvals[i].copy == k->copy &&
		    keyvals[i].delete == k->delete &&keyvals[i].where ==
			k->where &&
		    keyvals[i].extra == k->extra)
			found = &keyvals[i];
	if (!found && n_keyvals < KEYVALS) {
		found = &keyvals[n_keyvals];
		*found = *k;
		found->place = found->narrow_place = n_keyvals++;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void *get_program_extra(struct keyval *k, int wide)
{
	if (k->where)
		return k->where;
	return wide ? (void *)&k->extra : (void *)&k->narrow_extra;
}

/* wide: an address, else an INTEGER, of MPI-1. */
static void call_copy(int wide, struct keyval k, MPI_Fint comm, MPI_Fint *key,
		      void *in, void *out, void *flag, MPI_Fint *ierror)
{
	comm = tape_virtual_program_comm(comm);
	k.copy(&comm, key, get_program_extra(&k, wide), in, out, flag, ierror);
}

static void call_delete(int wide, struct keyval k, MPI_Fint comm, MPI_Fint *key,
			void *value, MPI_Fint *ierror)
{
	comm = tape_virtual_program_comm(comm);
	k.delete(&comm, key, value, get_program_extra(&k, wide), ierror);
}

static void copy_wide(MPI_Fint *comm, MPI_Fint *key, void *extra, void *in,
		      void *out, void *flag, MPI_Fint *ierror)
{
	call_copy(1, keyvals[*(MPI_Aint *)extra], *comm, key, in, out, flag,
		  ierror);
}

static void delete_wide(MPI_Fint *comm, MPI_Fint *key, void *value, void *extra,
			MPI_Fint *ierror)
{
	call_delete(1, keyvals[*(MPI_Aint *)extra], *comm, key, value, ierror);
}

static void copy_narrow(MPI_Fint *comm, MPI_Fint *key, void *extra, void *in,
			void *out, void *flag, MPI_Fint *ierror)
{
	call_copy(0, keyvals[*(MPI_Fint *)extra], *comm, key, in, out, flag,
		  ierror);
}

static void delete_narrow(MPI_Fint *comm, MPI_Fint *key, void *value,
			  void *extra, MPI_Fint *ierror)
{
	call_delete(0, keyvals[*(MPI_Fint *)extra], *comm, key, value, ierror);
}

static void create_keyval(fortran_5 *create, int wide, void *copy, void *delete,
			  void *keyval, void *extra, void *ierror)
{
	struct keyval k = {.copy = (fortran_copy *)copy,
			   .delete = (fortran_delete *)delete},
		      *kept;

#ifdef OPEN_MPI
	k.extra = wide ? *(MPI_Aint *)extra : *(MPI_Fint *)extra;
	k.narrow_extra = (MPI_Fint)k.extra;
#else
	k.where = extra;
#endif
	kept = find_or_add_keyval(&k);
	tape_virtual_by_fortran++;
	if (!kept)
		create(copy, delete, keyval, extra, ierror);
	else if (wide)
		create((void *)copy_wide, (void *)delete_wide, keyval,
		       &kept->place, ierror);
	else
		create((void *)copy_narrow, (void *)delete_narrow, keyval,
		       &kept->narrow_place, ierror);
	tape_virtual_by_fortran--;
}

/* ---- handlers ---- */

static void create_handler(fortran_3 *create, void *function, void *handler,
			   void *ierror)
{
	tape_virtual_by_fortran++;
	create(
	    (void *)tape_virtual_fortran_handler((fortran_function *)function),
	    handler, ierror);
	tape_virtual_by_fortran--;
}

/* Errors of calls without a communicator are those of the real one. */
static void set_handler(fortran_3 *set, void *comm, void *handler, void *ierror)
{
	MPI_Fint room, own = MPI_SUCCESS, real = tape_virtual_fortran_real;
	void *to = fortran_virtual_comm(comm, &room);

	set(to, handler, &own);
	if (own == MPI_SUCCESS && to != comm &&
	    tape_virtual_fortran_world != real)
		set(&real, handler, &own);
	if (ierror)
		*(MPI_Fint *)ierror = own;
}

/* ---- the table ---- */

#define BELOW(call, interface)                                                 \
	tape_virtual_fortran_below[TAPE_CALL_##call][interface]

#define GET_ATTR(call, wide, i)                                                \
	static void special##i##_##call(void *comm, void *key, void *value,    \
					void *flag, void *ierror)              \
	{                                                                      \
		get_attr((fortran_5 *)BELOW(call, i), wide, comm, key, value,  \
			 flag, ierror);                                        \
	}
#define CREATE_KEYVAL(call, wide, i)                                           \
	static void special##i##_##call(                                       \
	    void *copy, void *delete, void *keyval, void *extra, void *ierror) \
	{                                                                      \
		create_keyval((fortran_5 *)BELOW(call, i), wide, copy, delete, \
			      keyval, extra, ierror);                          \
	}
#define CREATE_HANDLER(call, wide, i)                                          \
	static void special##i##_##call(void *function, void *handler,         \
					void *ierror)                          \
	{                                                                      \
		create_handler((fortran_3 *)BELOW(call, i), function, handler, \
			       ierror);                                        \
	}
#define SET_HANDLER(call, wide, i)                                             \
	static void special##i##_##call(void *comm, void *handler,             \
					void *ierror)                          \
	{                                                                      \
		set_handler((fortran_3 *)BELOW(call, i), comm, handler,        \
			    ierror);                                           \
	}
#define SPECIAL(X)                                                             \
	X(MPI_Comm_get_attr, GET_ATTR, 1)                                      \
	X(MPI_Attr_get, GET_ATTR, 0)                                           \
	X(MPI_Comm_create_keyval, CREATE_KEYVAL, 1)                            \
	X(MPI_Keyval_create, CREATE_KEYVAL, 0)                                 \
	X(MPI_Comm_create_errhandler, CREATE_HANDLER, 0)                       \
	X(MPI_Errhandler_create, CREATE_HANDLER, 0)                            \
	X(MPI_Comm_set_errhandler, SET_HANDLER, 0)                             \
	X(MPI_Errhandler_set, SET_HANDLER, 0)
#define DEFINE(call, kind, wide) kind(call, wide, 0) kind(call, wide, 1)
SPECIAL(DEFINE)

static fortran_function *special(unsigned call, int interface)
{
	switch (call) {
#define CASE(call_, kind, wide)                                                \
	case TAPE_CALL_##call_:                                                \
		return interface ? (fortran_function *)special1_##call_        \
				 : (fortran_function *)special0_##call_;
		SPECIAL(CASE)
	}
	return NULL;
}

void *tape_virtual_fortran(unsigned call, int interface, void *real)
{
	fortran_function *f = special(call, interface);

	if (!f)
		f = generated[call][interface];
#ifndef OPEN_MPI
	if (call == TAPE_CALL_MPI_Abort) /* see virtual.c */
		f = NULL;
#endif
	if (!f || !real || !tape_virtual_wanted())
		return real;
	tape_virtual_fortran_below[call][interface] = real;
	return (void *)f;
}
#pragma GCC diagnostic pop
