/*
 * The wrappers that Fortran programs call: generated functions around the
 * bodies that C has (hooks.h, special.h), whose seams lead here to real_NAME
 * (fortran.h) instead of PMPI_NAME.
 */
#define TAPE_FORTRAN 1
#define TAPE_REAL(name) real_##name
#define TAPE_WRAP_ENTRY(f) fortran_now->entry
#define TAPE_WRAP_START(f) (void)(f)
#define TAPE_WRAP_STOP(f) a.start = fortran_now->start, a.end = fortran_now->end

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>

#include "fortran.h"
#include "hooks.h"

/* The same function by the names that other compilers or options make. */
#define FORTRAN_ALIAS(function, name)                                          \
	__asm__(".globl " name "\n\t.type " name ", @function\n\t"             \
		".set " name ", " #function);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "tape_real_fortran.h"
#include "onesided.h"
#include "special.h"
#include "tape.h"
#include "tape_wrap_fortran.h"
#pragma GCC diagnostic pop

static void *fortran_room(struct tape_flow *f, uint64_t bytes)
{
	uint64_t t0, grown = 2 * bytes + 65536;
	void *p;

	if (TAPE_LIKELY(bytes <= f->room_bytes))
		return f->room;
	t0 = tape_tick();
	p = mmap(NULL, grown, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (f->room)
		munmap(f->room, f->room_bytes);
	f->room = p;
	f->room_bytes = grown;
	f->extra_before += tape_tick() - t0;
	return p;
}

static MPI_Datatype *fortran_types(struct tape_flow *f, MPI_Fint comm,
				   unsigned shape, int second, void *buffer,
				   const MPI_Fint *types)
{
	MPI_Comm c = PMPI_Comm_f2c(comm);
	const struct tape_comm_cache *k = NULL;
	int n = 0, other = 0;
	MPI_Datatype *to;

	if (c && c != MPI_COMM_NULL)
		k = tape_comm(f, c, &f->extra_before);
	if (k && shape == TAPE_SHAPE_NEAR)
		n = second ? k->in : k->out, other = second ? k->out : k->in;
	else if (k)
		n = other = k->size;
	to = fortran_room(f, ((uint64_t)n + (uint64_t)other + 1) * sizeof *to);
	if (!to)
		return NULL;
	to += second ? other : 0;
	for (int i = 0; i < n && fortran_buffer(buffer) != MPI_IN_PLACE; i++)
		to[i] = PMPI_Type_f2c(types[i]);
	return to;
}

static const char *fortran_text(const char *text, size_t length, char *to)
{
	size_t n = length < FORTRAN_TEXT ? length : FORTRAN_TEXT - 1;

	while (n && text[n - 1] == ' ')
		n--;
	memcpy(to, text, n);
	to[n] = '\0';
	return to;
}

/* In any of the objects loaded so far, also those that dlopen hides. */
static void *look_everywhere(const char *name)
{
	struct link_map *map = NULL;
	void *self = dlopen(NULL, RTLD_LAZY), *found = NULL, *object;

	if (!self || dlinfo(self, RTLD_DI_LINKMAP, &map))
		return NULL;
	while (map && map->l_prev)
		map = map->l_prev;
	for (; map && !found; map = map->l_next) {
		object = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
		if (!object)
			continue;
		found = dlsym(object, name);
		dlclose(object);
	}
	dlclose(self);
	return found;
}

static void *fortran_look(struct tape_flow *f, struct fortran_call *h,
			  unsigned call)
{
	uint64_t t0 = tape_tick();
	char name[96];

	snprintf(name, sizeof name, "p%s%s", fortran_names[call],
		 h->interface ? "_f08_" : "_");
	h->real = dlsym(RTLD_DEFAULT, name);
	/* one without a profiling name stands behind ours in line */
	if (!h->real)
		h->real = dlsym(RTLD_NEXT, name + 1);
	if (!h->real)
		h->real = look_everywhere(name);
	__atomic_store_n(&fortran_found[call][h->interface], h->real,
			 __ATOMIC_RELAXED);
	if (f)
		f->extra_before += tape_tick() - t0;
	return h->real;
}

static void fortran_missing(void *ierror, const char *name)
{
	tape_say("the MPI library has no %s for Fortran", name);
	if (ierror)
		*(MPI_Fint *)ierror = MPI_ERR_OTHER;
}

/* Level 0 switches tracing off, any other level on. */
static void pcontrol(void *level, int interface)
{
	struct fortran_call h = { .interface = interface };

	if (fortran_int(level))
		tape_on();
	else
		tape_off();
	if (fortran_find(NULL, &h, TAPE_CALL_MPI_Pcontrol))
		((void (*)(void *))h.real)(level);
}

TAPE_EXPORT void mpi_pcontrol_(void *level)
{
	pcontrol(level, 0);
}
FORTRAN_ALIAS(mpi_pcontrol_, "mpi_pcontrol")
FORTRAN_ALIAS(mpi_pcontrol_, "mpi_pcontrol__")
FORTRAN_ALIAS(mpi_pcontrol_, "MPI_PCONTROL")

TAPE_EXPORT void mpi_pcontrol_f08_(void *level)
{
	pcontrol(level, 1);
}

/* With baseptr of TYPE(C_PTR); the arguments are the same addresses. */
#define FORTRAN_CPTR(name, NAME)                                               \
	FORTRAN_ALIAS(name##_, #name "_cptr_")                                 \
	FORTRAN_ALIAS(name##_, #name "_cptr")                                  \
	FORTRAN_ALIAS(name##_, #name "_cptr__")                                \
	FORTRAN_ALIAS(name##_, #NAME "_CPTR")
FORTRAN_CPTR(mpi_alloc_mem, MPI_ALLOC_MEM)
FORTRAN_CPTR(mpi_win_allocate, MPI_WIN_ALLOCATE)
FORTRAN_CPTR(mpi_win_allocate_shared, MPI_WIN_ALLOCATE_SHARED)
FORTRAN_CPTR(mpi_win_shared_query, MPI_WIN_SHARED_QUERY)
