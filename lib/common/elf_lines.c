/*
 * Addresses to lines with libdw; see elf_lines.h. Units (compilations) are
 * found by a table of their own ranges, since not all compilers write
 * .debug_aranges; functions by a table for each unit that is asked about.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "growing_array.h"
#include "lower_bound.h"
#include "elf_lines.h"
#include "sort.h"

#ifdef TAPE_HAVE_DW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* Blocks within blocks; deeper ones are not looked into. */
enum { DEPTH_MAX = 256 };

/* A stretch of code, of a unit or of a function. */
struct range {
	Dwarf_Addr lo, hi;
	size_t unit;
	Dwarf_Die die;
};

struct ranges {
	struct range *list;
	size_t n;
	int sorted;
};

struct unit {
	Dwarf_Die lines;         /* has the line table */
	Dwarf_Die die;           /* has the functions: another with .dwo */
	int listed;              /* 1: outer functions, 2: all */
	struct ranges functions;
};

struct tape_lines {
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias;          /* added to addresses as linked */
	Dwarf *dwarf;            /* NULL: none */
	Dwarf_Addr dwarf_bias;
	struct unit *units;
	size_t n_units;
	struct ranges ranges;    /* of units */
};

/* ---- opening ---- */

int tape_lines_built_in(void)
{
	return 1;
}

/* A regular file, opened; devices and pipes are not even touched. */
static int open_regular(const char *path, struct stat *st)
{
	int fd;

	if (*path != '/' || stat(path, st) || !S_ISREG(st->st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int is_build(Dwfl_Module *module, const struct tape_module_info *m,
		    const struct stat *st)
{
	const unsigned char *bits;
	GElf_Addr at;
	int n = dwfl_module_build_id(module, &bits, &at);

	if (!*m->build_id)
		return n <= 0 && (uint64_t)st->st_size == m->size &&
		       st->st_mtime == m->mtime;
	if (n <= 0 || strlen(m->build_id) != 2 * (size_t)n)
		return 0;
	for (int i = 0; i < n; i++) {
		static const char hex[] = "0123456789abcdef";

		if (m->build_id[2 * i] != hex[bits[i] >> 4] ||
		    m->build_id[2 * i + 1] != hex[bits[i] & 15])
			return 0;
	}
	return 1;
}

/* What a compressed section says it takes; 0 for others. */
static uint64_t unpacked_section(Elf_Scn *section)
{
	GElf_Shdr header;
	GElf_Chdr packed;
	const unsigned char *p;
	Elf_Data *data;
	uint64_t n = 0;

	if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
		return 0;
	if (header.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &packed) ? packed.ch_size : 0;
	/* the older way: "ZLIB" and the size, big-endian */
	data = elf_rawdata(section, NULL);
	p = data ? data->d_buf : NULL;
	if (!p || data->d_size < 12 || memcmp(p, "ZLIB", 4))
		return 0;
	for (int i = 4; i < 12; i++)
		n = n << 8 | p[i];
	return n;
}

static uint64_t unpacked_bytes(Elf *elf)
{
	Elf_Scn *section = NULL;
	uint64_t sum = 0;

	while ((section = elf_nextscn(elf, section)))
		if (__builtin_add_overflow(sum, unpacked_section(section),
					   &sum))
			return UINT64_MAX;
	return sum;
}

static int add_range(struct ranges *r, Dwarf_Addr lo, Dwarf_Addr hi,
		     size_t unit, const Dwarf_Die *die)
{
	struct range *grown = tape_grow_list(r->list, r->n, sizeof *grown);

	if (!grown)
		return -1;
	r->list = grown;
	r->list[r->n++] = (struct range){ lo, hi, unit, *die };
	r->sorted = 0;
	return 0;
}

static int add_ranges(struct ranges *r, Dwarf_Die *die, size_t unit)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0)
		if (lo < hi && add_range(r, lo, hi, unit, die))
			return -1;
	return 0;
}

static int add_unit(struct tape_lines *l, Dwarf_CU *cu)
{
	struct unit *grown =
	    tape_grow_list(l->units, l->n_units, sizeof *grown);
	struct unit *u;
	Dwarf_Die split;

	if (!grown)
		return -1;
	l->units = grown;
	u = &grown[l->n_units];
	memset(u, 0, sizeof *u);
	if (dwarf_cu_info(cu, NULL, NULL, &u->lines, &split, NULL, NULL, NULL))
		return 0;
	u->die = split.addr ? split : u->lines;
	return add_ranges(&l->ranges, &u->lines, l->n_units++);
}

static enum tape_lines_status read_units(struct tape_lines *l)
{
	Dwarf_CU *cu = NULL;
	int rc;

	l->dwarf = dwfl_module_getdwarf(l->module, &l->dwarf_bias);
	if (!l->dwarf)
		return TAPE_LINES_NONE;
	while (!(rc = dwarf_get_units(l->dwarf, cu, &cu, NULL, NULL, NULL,
				      NULL)))
		if (add_unit(l, cu))
			break;
	return rc < 0 && !l->ranges.n ? TAPE_LINES_BROKEN : TAPE_LINES_OK;
}

/* Is there, below the folder of file, something else than a file? */
static int is_trap(const char *file, const char *below, const char *name)
{
	const char *slash = strrchr(file, '/');
	char path[PATH_MAX];
	struct stat st;

	if (!slash ||
	    snprintf(path, sizeof path, "%.*s/%s%s", (int)(slash - file), file,
		     below, name) >= (int)sizeof path)
		return 1;
	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

/* As elfutils does it, which would wait for the writer of a pipe. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name,
			  Dwarf_Addr base, const char *file, const char *link,
			  GElf_Word crc, char **found)
{
	if (link && (!file || strchr(link, '/') || is_trap(file, "", link) ||
		     is_trap(file, ".debug/", link)))
		return -1;
	return dwfl_standard_find_debuginfo(module, data, name, base, file,
					    link, crc, found);
}

enum tape_lines_status tape_lines_open(const struct tape_module_info *m,
				       struct tape_lines **out)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	enum tape_lines_status status = TAPE_LINES_BROKEN;
	struct tape_lines *l;
	struct stat st;
	int fd = -1;
	Elf *elf;

	*out = NULL;
	if (!m)
		return TAPE_LINES_UNKNOWN;
	l = calloc(1, sizeof *l);
	if (!l)
		return TAPE_LINES_BROKEN;
	fd = open_regular(m->path, &st);
	if (fd < 0) {
		status = TAPE_LINES_ABSENT;
		goto out;
	}
	l->dwfl = dwfl_begin(&callbacks);
	if (!l->dwfl)
		goto out;
	/* the module takes the descriptor if it takes the file */
	l->module = dwfl_report_offline(l->dwfl, m->path, m->path, fd);
	if (!l->module)
		goto out;
	fd = -1;
	dwfl_report_end(l->dwfl, NULL, NULL);
	elf = dwfl_module_getelf(l->module, &l->bias);
	if (!elf)
		goto out;
	if (!is_build(l->module, m, &st))
		status = TAPE_LINES_OTHER;
	else if (unpacked_bytes(elf) > tape_lines_room((uint64_t)st.st_size))
		status = TAPE_LINES_LARGE;
	else
		status = read_units(l);
out:
	if (fd >= 0)
		close(fd);
	if (status <= TAPE_LINES_NONE)
		*out = l;
	else
		tape_lines_close(l);
	return status;
}

void tape_lines_close(struct tape_lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n_units; i++)
		free(l->units[i].functions.list);
	free(l->units);
	free(l->ranges.list);
	if (l->dwfl)
		dwfl_end(l->dwfl);
	free(l);
}

/* ---- looking up ---- */

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* The last range to begin at or before pc, if pc is in it. */
static struct range *range_at(struct ranges *r, Dwarf_Addr pc)
{
	size_t i;

	if (r->n && !r->sorted)
		tape_sort(r->list, r->n, sizeof *r->list, by_start);
	r->sorted = 1;
	TAPE_LOWER_BOUND(i, r->n, r->list[i].lo <= pc);
	return i && pc < r->list[i - 1].hi ? &r->list[i - 1] : NULL;
}

/*
 * The functions below die with code of their own. Not all: those within
 * functions and classes (lambdas, for one) only where the others do not do.
 */
static void list_functions(struct unit *u, Dwarf_Die *die, int all, int depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(die, &child))
		return;
	do {
		int inner = all;

		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			add_ranges(&u->functions, &child, 0);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
			inner = 1;
			break;
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			break;
		default:
			inner = 0;
			break;
		}
		if (inner)
			list_functions(u, &child, all, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

static struct range *function_at(struct unit *u, Dwarf_Addr pc)
{
	struct range *r = NULL;

	while (!(r = range_at(&u->functions, pc)) && u->listed < 2) {
		u->functions.n = 0;
		free(u->functions.list);
		u->functions.list = NULL;
		list_functions(u, &u->die, u->listed++, 0);
	}
	return r;
}

/* The innermost inlined function of die that has pc, to *best. */
static void find_innermost_inline(Dwarf_Die *die, Dwarf_Addr pc,
				  Dwarf_Die *best, int depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(die, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_inlined_subroutine) {
			if (dwarf_haspc(&child, pc) <= 0)
				continue;
			*best = child;
		} else if (tag != DW_TAG_lexical_block ||
			   ((dwarf_hasattr(&child, DW_AT_ranges) ||
			     dwarf_hasattr(&child, DW_AT_low_pc)) &&
			    dwarf_haspc(&child, pc) <= 0)) {
			continue;
		}
		find_innermost_inline(&child, pc, best, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

/* The symbol that address is within, or "". */
static const char *symbol_at(struct tape_lines *l, GElf_Addr address)
{
	GElf_Off offset;
	GElf_Sym sym;
	const char *name = dwfl_module_addrinfo(l->module, address, &offset,
						&sym, NULL, NULL, NULL);

	return name && (!sym.st_size || offset < sym.st_size) ? name : "";
}

static int is_cxx(const char *name)
{
	return name && !strncmp(name, "_Z", 2);
}

/*
 * C++ names as the linker knows them, others as they are in the source.
 * Compilers leave the former out where no other unit can see the function: if
 * it was not inlined, its symbol has it.
 */
static const char *find_function_name(struct tape_lines *l, Dwarf_Die *die,
				      int inlined, GElf_Addr address)
{
	Dwarf_Attribute a;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		name = dwarf_formstring(&a);
	if (!name && !inlined)
		name = symbol_at(l, address);
	if (!is_cxx(name))
		name = dwarf_diename(die);
	return name ? name : "";
}

void tape_lines_find(struct tape_lines *l, uint64_t address,
		     struct tape_line *p)
{
	Dwarf_Addr pc = address + l->bias - l->dwarf_bias;
	struct range *r = range_at(&l->ranges, pc);
	struct unit *u = r ? &l->units[r->unit] : NULL;
	const char *file;
	Dwarf_Line *line;
	Dwarf_Die die;
	int n;

	*p = (struct tape_line){ "", 0, "" };
	if (u && (line = dwarf_getsrc_die(&u->lines, pc)) &&
	    !dwarf_lineno(line, &n) && n > 0 &&
	    (file = dwarf_linesrc(line, NULL, NULL))) {
		p->file = file;
		p->line = n;
	}
	if (u && (r = function_at(u, pc))) {
		die = r->die;
		find_innermost_inline(&r->die, pc, &die, 0);
		p->function = find_function_name(
		    l, &die, die.addr != r->die.addr, address + l->bias);
	}
	if (!*p->function)
		p->function = symbol_at(l, address + l->bias);
}

#else

int tape_lines_built_in(void)
{
	return 0;
}

enum tape_lines_status tape_lines_open(const struct tape_module_info *m,
				       struct tape_lines **l)
{
	(void)m;
	*l = NULL;
	return TAPE_LINES_BROKEN;
}

void tape_lines_close(struct tape_lines *l)
{
	(void)l;
}

void tape_lines_find(struct tape_lines *l, uint64_t address,
		     struct tape_line *p)
{
	(void)l;
	(void)address;
	*p = (struct tape_line){ "", 0, "" };
}

#endif
