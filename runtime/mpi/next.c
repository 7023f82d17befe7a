/* What the wrappers in C call; see next.h. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TAPE_NEXT_TABLE 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "next.h"
#include "say.h"
#pragma GCC diagnostic pop

#include "core.h"

/* At the start and at the end, on a stack that is large enough. */
TAPE_APART_ONLY

enum { CALLS = sizeof next_calls / sizeof *next_calls };
_Static_assert(sizeof tape_next == CALLS * sizeof(void *),
	       "the table is an array of addresses");

/* What has definitions before ours; of which calls, in the table's order. */
static struct {
	char path[1024];
	int library; /* it is the MPI library: wrongly linked */
	int n;
	unsigned char has[CALLS];
} before;
static int looked, reached, reported;
static pid_t own_pid;

int tape_next_waits;

struct tape_asks tape_asks = {PMPI_Irecv, PMPI_Send,	PMPI_Isend, PMPI_Iprobe,
			      PMPI_Probe, PMPI_Improbe, PMPI_Mprobe};

/* The table without layers, and with them. */
static struct tape_next library_alone, with_layers;

/* Where an object is loaded. */
struct range {
	uintptr_t inside, begin, end;
};

static int note_range(struct dl_phdr_info *info, size_t n, void *of)
{
	struct range *r = of;
	uintptr_t begin = UINTPTR_MAX, end = 0;

	(void)n;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		begin = at < begin ? at : begin;
		end = at + p->p_memsz > end ? at + p->p_memsz : end;
	}
	if (r->inside < begin || r->inside >= end)
		return 0;
	r->begin = begin;
	r->end = end;
	return 1;
}

static struct range range_of(const void *address)
{
	struct range r = { .inside = (uintptr_t)address };

	if (!dl_iterate_phdr(note_range, &r))
		r.begin = r.end = 0;
	return r;
}

static int is_in(const struct range *r, const void *p)
{
	return (uintptr_t)p >= r->begin && (uintptr_t)p < r->end;
}

/* The definition of call i that the program's own call finds is before ours. */
static void note_before(int i, void *found, const struct range *library)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	/* a program that is not position-independent may have a place for the
	 * address of a function that is elsewhere */
	if (!dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    (symbol && symbol->st_shndx == SHN_UNDEF))
		return;
	if (!before.n) {
		before.library = is_in(library, found);
		snprintf(before.path, sizeof before.path, "%s",
			 info.dli_fname && *info.dli_fname
				 ? info.dli_fname
				 : program_invocation_name);
	}
	before.has[i] = 1;
	before.n++;
}

/* Is there a layer over that function for Fortran? */
static int is_layered(const char *name)
{
	char profiling[64];
	struct range library;
	void *next = dlsym(RTLD_NEXT, name);

	snprintf(profiling, sizeof profiling, "p%s", name);
	library = range_of(dlsym(RTLD_NEXT, profiling));
	return next && library.end && !is_in(&library, next);
}

/*
 * When the program starts, or calls MPI_Init from a constructor that comes
 * first: what lies behind, and what before. A library whose functions have two
 * addresses, for MPI_ and PMPI_, is no layer.
 */
__attribute__((constructor)) static void find_next(void)
{
	struct range ours = range_of(&tape_next);
	struct range library = range_of(dlsym(RTLD_NEXT, "PMPI_Init"));
	void *next, *first;

	if (looked++)
		return;
	own_pid = getpid();
	library_alone = tape_next;
	for (int i = 0; i < CALLS; i++) {
		next = dlsym(RTLD_NEXT, next_calls[i].name);
		if (next && !is_in(&library, next))
			memcpy((char *)&tape_next + (size_t)i * sizeof next,
			       &next, sizeof next);
		first = dlsym(RTLD_DEFAULT, next_calls[i].name);
		if (first && !is_in(&ours, first))
			note_before(i, first, &library);
	}
	with_layers = tape_next;
#define DIFFERS(call) (with_layers.to_##call != library_alone.to_##call)
	tape_next_waits = DIFFERS(MPI_Recv) || DIFFERS(MPI_Probe) ||
			  DIFFERS(MPI_Mprobe) || DIFFERS(MPI_Sendrecv) ||
			  is_layered("mpi_recv_") || is_layered("mpi_probe_") ||
			  is_layered("mpi_mprobe_") ||
			  is_layered("mpi_sendrecv_") ||
			  is_layered("mpi_recv_f08_");
}

void tape_next_alone(int alone)
{
	tape_next = alone ? library_alone : with_layers;
}

void tape_next_put(void (*put)(void))
{
	find_next();
	put();
	with_layers = tape_next;
}

void tape_next_reached(void)
{
	find_next();
	reached = 1;
}

/* Has a call that it takes come here, or was none to be recorded anyway? */
static int hands_on(void)
{
	unsigned char taken[TAPE_CALL_COUNT] = { 0 };
	int wanted = 0;

	for (int i = 0; i < CALLS; i++)
		if (before.has[i]) {
			taken[next_calls[i].call] = 1;
			wanted |= tape_process.config
					  .wanted[next_calls[i].call];
		}
	for (uint32_t s = 1; s <= tape_process.sites; s++)
		if (taken[tape_site_call(s)])
			return 1;
	return !wanted;
}

/* "MPI_Send, MPI_Recv and 3 more" */
static const char *names(char *to, size_t n)
{
	size_t used = 0;
	int named = 0;

	for (int i = 0; i < CALLS && named < 2; i++)
		if (before.has[i])
			used += (size_t)snprintf(to + used, n - used, "%s%s",
						 named++ ? ", " : "",
						 next_calls[i].name);
	if (before.n > named)
		snprintf(to + used, n - used, " and %d more",
			 before.n - named);
	return to;
}

void tape_next_report(void)
{
	char text[160];

	if (reported || !before.n)
		return;
	reported = 1;
	if (tape_process.rerouted && before.library)
		return;
	if (tape_process.rerouted)
		tape_say("%s has %s of its own: what tapecc compiled calls "
			 "past that", before.path, names(text, sizeof text));
	else if (!reached || !hands_on())
		tape_say("%s stands before Tape with %s of its own and hands "
			 "no call on: what goes there is not traced",
			 before.path, names(text, sizeof text));
}

/* Of a process whose MPI_Init did not come here; its rank is not known. */
__attribute__((destructor)) static void at_end(void)
{
	const char *rank = secure_getenv("OMPI_COMM_WORLD_RANK");
	int used = 0;

	if (!rank)
		rank = secure_getenv("PMI_RANK");
	if (reached || !before.n || getpid() != own_pid ||
	    (rank && strcmp(rank, "0")) ||
	    PMPI_Initialized(&used) != MPI_SUCCESS || !used)
		return;
	tape_next_report();
}
TAPE_APART_END
