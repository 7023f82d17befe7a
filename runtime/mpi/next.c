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
#include "message.h"
#pragma GCC diagnostic pop

#include "core.h"

/* At the start and at the end, on a stack that is large enough. */
TAPE_ON_OWN_STACK

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
static struct range {
	uintptr_t inside, begin, end; /* where an object is loaded */
} library;
static pid_t own_pid;

int tape_next_has_receives;

struct tape_probe_calls tape_probe_calls = {
    PMPI_Irecv, PMPI_Send,    PMPI_Isend, PMPI_Iprobe,
    PMPI_Probe, PMPI_Improbe, PMPI_Mprobe};

/* The table without layers, and with them. */
static struct tape_next library_alone, with_layers;

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

static struct range find_range(const void *address)
{
	struct range r = { .inside = (uintptr_t)address };

	if (!dl_iterate_phdr(note_range, &r))
		r.begin = r.end = 0;
	return r;
}

static int is_in_range(const struct range *r, const void *p)
{
	return (uintptr_t)p >= r->begin && (uintptr_t)p < r->end;
}

/* The definition of call i that the program's own call finds is before ours. */
static void note_before(int i, void *found)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	/* a program that is not position-independent may have a place for the
	 * address of a function that is elsewhere */
	if (!dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    (symbol && symbol->st_shndx == SHN_UNDEF))
		return;
	if (!before.n) {
		before.library = is_in_range(&library, found);
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
	struct range fortran;
	void *next = dlsym(RTLD_NEXT, name);

	snprintf(profiling, sizeof profiling, "p%s", name);
	fortran = find_range(dlsym(RTLD_NEXT, profiling));
	return next && fortran.end && !is_in_range(&fortran, next);
}

/* Where the MPI library is: after this one or, linked wrongly, before. */
static void find_library(void)
{
	void *init = dlsym(RTLD_NEXT, "PMPI_Init");

	library = find_range(init ? init : dlsym(RTLD_DEFAULT, "PMPI_Init"));
}

/*
 * When the program starts, or calls MPI_Init from a constructor that comes
 * first: what lies after, and what before. A library whose functions have two
 * addresses, for MPI_ and PMPI_, is no layer.
 */
__attribute__((constructor)) static void find_next(void)
{
	struct range ours = find_range(&tape_next);
	void *next, *first;

	if (looked++)
		return;
	own_pid = getpid();
	find_library();
	library_alone = tape_next;
	for (int i = 0; i < CALLS; i++) {
		next = dlsym(RTLD_NEXT, next_calls[i].name);
		if (next && !is_in_range(&library, next))
			memcpy((char *)&tape_next + (size_t)i * sizeof next,
			       &next, sizeof next);
		first = dlsym(RTLD_DEFAULT, next_calls[i].name);
		if (first && !is_in_range(&ours, first))
			note_before(i, first);
	}
	with_layers = tape_next;
#define DIFFERS(call) (with_layers.to_##call != library_alone.to_##call)
	tape_next_has_receives =
	    DIFFERS(MPI_Recv) || DIFFERS(MPI_Probe) || DIFFERS(MPI_Mprobe) ||
	    DIFFERS(MPI_Sendrecv) || is_layered("mpi_recv_") ||
	    is_layered("mpi_probe_") || is_layered("mpi_mprobe_") ||
	    is_layered("mpi_sendrecv_") || is_layered("mpi_recv_f08_");
}

void tape_next_bypass_layers(int alone)
{
	tape_next = alone ? library_alone : with_layers;
}

void tape_next_replace(void (*put)(void))
{
	find_next();
	put();
	with_layers = tape_next;
}

const char *tape_next_name(unsigned call)
{
	for (int i = 0; i < CALLS; i++)
		if (next_calls[i].call == call)
			return next_calls[i].name;
	return "another call";
}

void tape_next_set_reached(void)
{
	find_next();
	reached = 1;
}

/* Has a call that it takes come here, or was none to be recorded anyway? */
static int forwards_calls(void)
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
static const char *format_call_names(const unsigned char *has, int n_has,
				     char *to, size_t n)
{
	size_t used = 0;
	int named = 0;

	for (int i = 0; i < CALLS && named < 2; i++)
		if (has[i])
			used += (size_t)snprintf(to + used, n - used, "%s%s",
						 named++ ? ", " : "",
						 next_calls[i].name);
	if (n_has > named)
		snprintf(to + used, n - used, " and %d more", n_has - named);
	return to;
}

/* Calls of one object that go to the library and not to Tape. */
struct past {
	char path[1024];
	int n;
	unsigned char has[CALLS];
};

/* The symbol name of an object has been bound to address. */
static void note_bound(struct past *p, const char *name, uintptr_t address)
{
	if (strncmp(name, "MPI_", 4) || !is_in_range(&library, (void *)address))
		return;
	for (int i = 0; i < CALLS; i++)
		if (!p->has[i] && !strcmp(name, next_calls[i].name)) {
			p->has[i] = 1;
			p->n++;
		}
}

/* The tables of an object that the dynamic linker has filled. */
struct tables {
	const ElfW(Rela) *calls, *data;
	size_t calls_bytes, data_bytes;
	const ElfW(Sym) *symbols;
	const char *strings;
};

static void read_dynamic(const ElfW(Dyn) *d, struct tables *t)
{
	for (; d->d_tag != DT_NULL; d++)
		switch (d->d_tag) {
		case DT_JMPREL:
			t->calls = (const void *)d->d_un.d_ptr;
			break;
		case DT_PLTRELSZ:
			t->calls_bytes = d->d_un.d_val;
			break;
		case DT_RELA:
			t->data = (const void *)d->d_un.d_ptr;
			break;
		case DT_RELASZ:
			t->data_bytes = d->d_un.d_val;
			break;
		case DT_SYMTAB:
			t->symbols = (const void *)d->d_un.d_ptr;
			break;
		case DT_STRTAB:
			t->strings = (const void *)d->d_un.d_ptr;
			break;
		}
}

/*
 * Where a place for an address holds one of the library's, the object has
 * called that, or would: the linker fills places at the first call, or all.
 */
static void note_table(const struct tables *t, const ElfW(Rela) * r,
		       size_t bytes, uintptr_t base, struct past *p)
{
	for (size_t i = 0; r && i < bytes / sizeof *r; i++) {
		size_t symbol = r[i].r_info >> 32;

		if (symbol)
			note_bound(p, t->strings + t->symbols[symbol].st_name,
				   *(uintptr_t *)(base + r[i].r_offset));
	}
}

/* The MPI library has parts that call each other, also by these names. */
static int is_of_mpi(const char *path)
{
	const char *name = strrchr(path, '/');

	return !strncmp(name ? name + 1 : path, "libmpi", 6);
}

static int note_object(struct dl_phdr_info *info, size_t n, void *of)
{
	struct past *p = of;
	struct tables t = { 0 };

	(void)n;
	if (sizeof(void *) != 8 || is_of_mpi(info->dlpi_name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			read_dynamic((const void *)(info->dlpi_addr +
						    info->dlpi_phdr[i].p_vaddr),
				     &t);
	/* the C library has made addresses of what stands in the table */
	if ((uintptr_t)t.symbols < info->dlpi_addr || !t.strings || !t.symbols)
		return 0;
	note_table(&t, t.calls, t.calls_bytes, info->dlpi_addr, p);
	note_table(&t, t.data, t.data_bytes, info->dlpi_addr, p);
	if (!p->n)
		return 0;
	snprintf(p->path, sizeof p->path, "%s",
		 *info->dlpi_name ? info->dlpi_name
				  : program_invocation_name);
	return 1;
}

/*
 * The MPI library comes before Tape: calls that tapecc has rerouted are
 * recorded, others are not.
 */
static void report_untraced_calls(void)
{
	struct past p = { .n = 0 };
	char text[160];

	if (dl_iterate_phdr(note_object, &p))
		tape_say("calls in the parts of %s that tapecc did not compile "
			 "are not recorded (%s): the link line names the MPI "
			 "library before Tape's",
			 p.path,
			 format_call_names(p.has, p.n, text, sizeof text));
}

void tape_next_report(void)
{
	char text[160];

	if (reported || !before.n)
		return;
	reported = 1;
	format_call_names(before.has, before.n, text, sizeof text);
	if (tape_process.rerouted && before.library)
		report_untraced_calls();
	else if (tape_process.rerouted)
		tape_say("%s defines %s itself. Its wrapper does not see calls "
			 "in sources compiled with tapecc; Tape records them",
			 before.path, text);
	else if (!reached || !forwards_calls())
		tape_say("%s defines %s and is loaded before Tape. It does not "
			 "forward calls to Tape, so these calls are not traced",
			 before.path, text);
}

/* Of a process whose MPI_Init did not come here; its rank is not known. */
__attribute__((destructor)) static void report_unreached(void)
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
TAPE_ON_OWN_STACK_END
