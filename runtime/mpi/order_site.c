/* Where the program made its call; see order_site.h. */
#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "module.h"
#include "order_site.h"
#include "own_stack.h"

TAPE_ON_OWN_STACK

enum { FRAMES = 24, SYMBOLS = 64, SECTIONS = 4096, NAME = 128 };

static char text[NAME + 320];
static struct tape_module module;

static int read_at(int fd, void *to, size_t n, uint64_t at)
{
	return pread(fd, to, n, (off_t)at) == (ssize_t)n ? 0 : -1;
}

/* Finds the table of all symbols and the names that belong to the table. */
static int find_symbols(int fd, ElfW(Shdr) * symbols, ElfW(Shdr) * names)
{
	ElfW(Ehdr) e;

	if (read_at(fd, &e, sizeof e, 0) ||
	    memcmp(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_shentsize != sizeof *symbols || e.e_shnum > SECTIONS)
		return -1;
	for (unsigned i = 0; i < e.e_shnum; i++)
		if (!read_at(fd, symbols, sizeof *symbols,
			     e.e_shoff + i * sizeof *symbols) &&
		    symbols->sh_type == SHT_SYMTAB)
			return read_at(fd, names, sizeof *names,
				       e.e_shoff +
					   symbols->sh_link * sizeof *names);
	return -1;
}

/* Copies the name of the function at an address of the file; "": unknown. */
static void find_function(int fd, uint64_t address, char *name)
{
	ElfW(Sym) s[SYMBOLS];
	ElfW(Shdr) symbols, names;
	uint64_t n;

	*name = '\0';
	if (find_symbols(fd, &symbols, &names))
		return;
	n = symbols.sh_size / sizeof *s;
	for (uint64_t i = 0; i < n; i += SYMBOLS) {
		size_t k = n - i < SYMBOLS ? (size_t)(n - i) : SYMBOLS;

		if (read_at(fd, s, k * sizeof *s,
			    symbols.sh_offset + i * sizeof *s))
			return;
		while (k--) {
			if ((s[k].st_info & 15) != STT_FUNC ||
			    address < s[k].st_value ||
			    address - s[k].st_value >= s[k].st_size)
				continue;
			if (pread(fd, name, NAME - 1,
				  (off_t)(names.sh_offset + s[k].st_name)) < 0)
				*name = '\0';
			return;
		}
	}
}

static const char *find_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void describe_frame(uintptr_t address)
{
	char name[NAME] = "";
	int fd;

	tape_module_file(address, &module);
	fd = open(module.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0) {
		find_function(fd, address - module.base, name);
		close(fd);
	}
	name[NAME - 1] = '\0';
	snprintf(text, sizeof text, "%s%s%.255s+0x%llx", name,
		 *name ? ", " : "", find_last_part(module.path),
		 (unsigned long long)(address + 1 - module.base));
}

/* The first frame that is neither the tracer's nor the MPI library's. */
static void find_site(void *unused)
{
	void *frame[FRAMES];
	int e = errno, n = backtrace(frame, FRAMES);
	uintptr_t own = 0;

	(void)unused;
	strcpy(text, "unknown");
	if (!tape_module_at((uintptr_t)find_site, &module))
		own = module.base;
	for (int i = 0; i < n; i++) {
		/* within the call instruction */
		uintptr_t address = (uintptr_t)frame[i] - 1;

		if (tape_module_at(address, &module) || module.base == own ||
		    !strncmp(find_last_part(module.path), "libmpi", 6))
			continue;
		describe_frame(address);
		break;
	}
	errno = e;
}

const char *tape_order_site(void)
{
	tape_run_on_own_stack(find_site, NULL);
	return text;
}
TAPE_ON_OWN_STACK_END
