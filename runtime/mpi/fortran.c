/*
 * What the wrappers for Fortran need besides their bodies (fortran.h): the
 * library's functions, room, translations that take a loop.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "abi.h"
#include "communicators.h"
#include "fortran.h"
#include "message.h"
#include "order_layer.h"
#include "spawn_call.h"
#include "virtual.h"

__thread struct fortran_call *tape_fortran_now;
void *tape_fortran_found[TAPE_CALL_COUNT][2];
#ifndef OPEN_MPI
__thread int tape_fortran_inside;
#endif

void *tape_fortran_room(struct tape_flow *f, uint64_t bytes)
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

MPI_Datatype *tape_fortran_types(struct tape_flow *f, MPI_Fint comm,
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
	to = tape_fortran_room(f, ((uint64_t)n + (uint64_t)other + 1) *
					  sizeof *to);
	if (!to)
		return NULL;
	to += second ? other : 0;
	for (int i = 0; i < n && fortran_buffer(buffer) != MPI_IN_PLACE; i++)
		to[i] = PMPI_Type_f2c(types[i]);
	return to;
}

const char *tape_fortran_text(const char *text, size_t length, char *to)
{
	size_t n = length < FORTRAN_TEXT ? length : FORTRAN_TEXT - 1;

	while (n && text[n - 1] == ' ')
		n--;
	memcpy(to, text, n);
	to[n] = '\0';
	return to;
}

/* In any of the objects loaded so far, also those that dlopen hides. */
static void *find_symbol(const char *name)
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

/*
 * In the library's Fortran part, which is next to its C part. A program that
 * was linked with this library before it may do without it, since all names
 * that it needs are here.
 */
static void *find_in_siblings(const char *name, int interface)
{
	static const char *const part[2] = { TAPE_FORTRAN_PART,
					     TAPE_FORTRAN_PART_F08 };
	const char *slash, *suffix;
	Dl_info info;
	void *object;
	char *path;

	if (!dladdr((void *)(uintptr_t)PMPI_Init, &info) || !info.dli_fname)
		return NULL;
	slash = strrchr(info.dli_fname, '/');
	suffix = strstr(slash ? slash : info.dli_fname, ".so");
	if (!suffix)
		return NULL;
	if (asprintf(&path, "%.*s%s%s",
		     slash ? (int)(slash + 1 - info.dli_fname) : 0,
		     info.dli_fname, part[interface], suffix) < 0)
		return NULL;
	/* for good: the program is to find it whenever it calls */
	object = dlopen(path, RTLD_LAZY);
	free(path);
	return object ? dlsym(object, name) : NULL;
}

void *tape_fortran_find(struct tape_flow *f, struct fortran_call *h,
			unsigned call, const char *name)
{
	uint64_t t0 = tape_tick();
	char real[96];
	int e = errno;

	snprintf(real, sizeof real, "p%s%s", name,
		 h->interface ? "_f08_" : "_");
	/* the next one, of a layer or of the library; where that stands before
	 * us it is known by its profiling name only */
	h->real = dlsym(RTLD_NEXT, real + 1);
	if (!h->real)
		h->real = dlsym(RTLD_DEFAULT, real);
	if (!h->real)
		h->real = find_symbol(real);
	if (!h->real)
		h->real = find_in_siblings(real, h->interface);
	h->real = tape_virtual_fortran(call, h->interface, h->real);
	h->real = tape_spawn_fortran(call, h->interface, h->real);
	if (h->real)
		h->real = tape_order_fortran(call, h->interface, h->real);
	__atomic_store_n(&tape_fortran_found[call][h->interface], h->real,
			 __ATOMIC_RELAXED);
	if (f)
		f->extra_before += tape_tick() - t0;
	errno = e;
	return h->real;
}

void tape_fortran_missing(void *ierror, const char *name)
{
	tape_say("the MPI library has no %s for Fortran", name);
	if (ierror)
		*(MPI_Fint *)ierror = MPI_ERR_OTHER;
}

int tape_fortran_enter(struct fortran_call *h, struct tape_rare *c,
		       unsigned call, const char *name, const void *address,
		       const void *frame)
{
	struct tape_flow *f = tape_current;

	if (TAPE_UNLIKELY(!f))
		f = tape_flow_acquire(frame);
	if (TAPE_UNLIKELY(!fortran_find(f, h, call, name)))
		return -1;
	address = tape_announced_or(call, address);
	c->site = f ? tape_site_here(f, call, address) : 0;
	if (TAPE_UNLIKELY(!c->site))
		return 0;
	fortran_begin(f, h);
	c->flow = f;
	c->entry = h->entry;
	return 1;
}

void tape_fortran_start(struct fortran_call *h)
{
	fortran_start(h);
}

void tape_fortran_stopped(struct fortran_call *h, void *ierror, MPI_Fint rc)
{
	fortran_stopped(h, ierror, rc);
}
