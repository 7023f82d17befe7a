/*
 * Past the functions of PVM's Fortran library to their callers; see stubs.h.
 * Which functions these are the program's symbols say, read once; how far above
 * a wrapper's frame such a function keeps its address of return is the same
 * each time it makes the same call, and asked for once, of the unwinder that
 * programs in Fortran come with.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include "message.h"
#include "stubs.h"

#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIP
#pragma weak _Unwind_GetCFA

struct tape_pvm_stubs tape_pvm_stubs = { 0, UINTPTR_MAX };

/* The functions; more are not looked at. */
#define STUBS_MAX 256
static struct {
	uintptr_t from, bytes;
} stubs[STUBS_MAX];
static unsigned n_stubs;

/*
 * Addresses that wrappers return to, and how far above the wrapper's frame the
 * next one is; 0: it is no function of those, or nobody knows.
 */
#define KNOWN_MAX 512u
static struct known {
	uintptr_t address, above;
} known[KNOWN_MAX];
static unsigned n_known;

/* ---- the program's symbols; its file may hold anything ---- */

struct image {
	const char *bytes;
	uint64_t n;
};

/* Copies n bytes at that offset, for they need not be aligned; or 0. */
static int read_bytes(const struct image *f, uint64_t offset, void *to,
		      size_t n)
{
	if (offset > f->n || n > f->n - offset)
		return 0;
	memcpy(to, f->bytes + offset, n);
	return 1;
}

static int is_stub(const struct image *f, const ElfW(Shdr) *names,
		   const ElfW(Sym) *s)
{
	char name[32] = "";
	uint64_t at = names->sh_offset + s->st_name;

	if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || !s->st_shndx ||
	    !s->st_size || s->st_name >= names->sh_size ||
	    !read_bytes(f, at, name,
			at < f->n && f->n - at < sizeof name ? f->n - at
							     : sizeof name))
		return 0;
	name[sizeof name - 1] = '\0';
	return !strncmp(name, "pvmf", 4) && name[strlen(name) - 1] == '_';
}

static void read_symbols(const struct image *f, const ElfW(Shdr) *table,
			 const ElfW(Shdr) *names, uintptr_t base)
{
	ElfW(Sym) s;

	for (uint64_t i = 0; i < table->sh_size / sizeof s &&
			     n_stubs < STUBS_MAX; i++) {
		if (!read_bytes(f, table->sh_offset + i * sizeof s, &s,
				sizeof s))
			return;
		if (!is_stub(f, names, &s))
			continue;
		stubs[n_stubs].from = base + s.st_value;
		stubs[n_stubs++].bytes = s.st_size;
	}
}

static void read_sections(const struct image *f, uintptr_t base)
{
	ElfW(Ehdr) e;
	ElfW(Shdr) table, names;

	if (!read_bytes(f, 0, &e, sizeof e) ||
	    memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_shentsize != sizeof table)
		return;
	for (unsigned i = 0; i < e.e_shnum; i++)
		if (read_bytes(f, e.e_shoff + i * sizeof table, &table,
			       sizeof table) &&
		    table.sh_type == SHT_SYMTAB && table.sh_link < e.e_shnum &&
		    read_bytes(f, e.e_shoff + table.sh_link * sizeof names,
			       &names, sizeof names))
			read_symbols(f, &table, &names, base);
}

/* The program comes first. */
static int base_of_program(struct dl_phdr_info *o, size_t size, void *base)
{
	(void)size;
	*(uintptr_t *)base = o->dlpi_addr;
	return 1;
}

static void read_program(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uintptr_t base = 0;
	struct stat st;
	void *p;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_size > 0) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			 0);
		if (p != MAP_FAILED) {
			dl_iterate_phdr(base_of_program, &base);
			read_sections(&(struct image){ p,
						       (uint64_t)st.st_size },
				      base);
			munmap(p, (size_t)st.st_size);
		}
	}
	close(fd);
}

/* With the lock held: what is first written decides. */
static void find_stubs(void)
{
	uintptr_t from = UINTPTR_MAX, to = 0;

	read_program();
	for (unsigned i = 0; i < n_stubs; i++) {
		if (stubs[i].from < from)
			from = stubs[i].from;
		if (stubs[i].from + stubs[i].bytes > to)
			to = stubs[i].from + stubs[i].bytes;
	}
	/* a call may be the last instruction: it returns after it */
	tape_pvm_stubs.from = from;
	__atomic_store_n(&tape_pvm_stubs.bytes, n_stubs ? to - from + 1 : 0,
			 __ATOMIC_RELEASE);
}

/* ---- frames ---- */

struct walk {
	uintptr_t address; /* where the wrapper returns to */
	uintptr_t slot;    /* where its caller's address of return is kept */
	uintptr_t outer;   /* and that address */
	int next;
};

/* The unwinder gives each frame with the stack pointer in it. */
static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *c, void *arg)
{
	struct walk *w = arg;

	if (w->next) {
		w->slot = _Unwind_GetCFA(c) - sizeof w->outer;
		w->outer = _Unwind_GetIP(c);
		return _URC_NORMAL_STOP;
	}
	w->next = _Unwind_GetIP(c) == w->address;
	return _URC_NO_REASON;
}

static uintptr_t find_return_slot(uintptr_t address, uintptr_t frame)
{
	struct walk w = { .address = address };
	unsigned i = 0;

	/* the address of a return may be the first byte after the function */
	while (i < n_stubs && address - 1 - stubs[i].from >= stubs[i].bytes)
		i++;
	if (i == n_stubs || !_Unwind_Backtrace || !_Unwind_GetIP ||
	    !_Unwind_GetCFA)
		return 0;
	_Unwind_Backtrace(visit_frame, &w);
	return w.slot > frame && *(uintptr_t *)w.slot == w.outer
		       ? w.slot - frame
		       : 0;
}

static struct known *find_known(uintptr_t address)
{
	unsigned i = (unsigned)(address ^ address >> 9) % KNOWN_MAX;
	uintptr_t there;

	for (;; i = (i + 1) % KNOWN_MAX) {
		there = __atomic_load_n(&known[i].address, __ATOMIC_ACQUIRE);
		if (!there || there == address)
			return &known[i];
	}
}

static TAPE_COLD uintptr_t learn_stub(uintptr_t address, uintptr_t frame)
{
	uintptr_t above = 0;
	struct known *k;
	int e = errno;

	tape_lock();
	if (tape_pvm_stubs.bytes == UINTPTR_MAX)
		find_stubs();
	tape_unlock();
	/* not with the lock held: the unwinder has one of its own */
	if (address - tape_pvm_stubs.from < tape_pvm_stubs.bytes)
		above = find_return_slot(address, frame);
	tape_lock();
	k = find_known(address);
	if (tape_pvm_stubs.bytes && !k->address && n_known < KNOWN_MAX / 2) {
		n_known++;
		k->above = above;
		__atomic_store_n(&k->address, address, __ATOMIC_RELEASE);
	}
	tape_unlock();
	errno = e;
	return above;
}

const void *tape_pvm_past_stub(const void *address, const void *frame)
{
	uintptr_t a = (uintptr_t)address, f = (uintptr_t)frame;
	const struct known *k = find_known(a);
	uintptr_t above = k->address ? k->above : learn_stub(a, f);

	return above ? *(const void *const *)(f + above) : address;
}
