/* What a program file uses; see program_file.h. The file is untrusted input. */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program_file.h"

/* A mapped file. */
struct image {
	const unsigned char *bytes;
	size_t n;
};

/* n bytes at that offset, or NULL. */
static const void *bytes_at(const struct image *f, uint64_t offset, uint64_t n)
{
	return offset <= f->n && n <= f->n - offset ? f->bytes + offset : NULL;
}

static const char *text_at(const struct image *f, uint64_t offset)
{
	const char *s = bytes_at(f, offset, 1);

	return s && memchr(s, 0, f->n - offset) ? s : NULL;
}

static int is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

int tape_program_find(const char *name, char *path, size_t n)
{
	const char *dir = getenv("PATH");

	if (strchr(name, '/'))
		return (size_t)snprintf(path, n, "%s", name) >= n ||
		       !is_program(path);
	for (dir = dir ? dir : "/bin:/usr/bin"; dir;) {
		int length = (int)strcspn(dir, ":");

		/* an empty entry is the current directory */
		if ((size_t)snprintf(path, n, "%.*s%s%s", length, dir,
				     length ? "/" : "./", name) < n &&
		    is_program(path))
			return 0;
		dir = dir[length] ? dir + length + 1 : NULL;
	}
	return -1;
}

/* Copies, for nothing says that a table is aligned. 0: there is no entry i. */
static int read_program_header(const struct image *f, const ElfW(Ehdr) * e,
			       uint32_t i, ElfW(Phdr) * p)
{
	const void *from = bytes_at(f, e->e_phoff + i * sizeof *p, sizeof *p);

	if (i >= e->e_phnum)
		from = NULL;
	if (from)
		memcpy(p, from, sizeof *p);
	return from != NULL;
}

static int find_segment(const struct image *f, const ElfW(Ehdr) * e,
			uint32_t type, ElfW(Phdr) * p)
{
	for (uint32_t i = 0; read_program_header(f, e, i, p); i++)
		if (p->p_type == type)
			return 1;
	return 0;
}

/* Where the address is in the file; beyond it if it is nowhere. */
static uint64_t offset_of(const struct image *f, const ElfW(Ehdr) *e,
			  uint64_t address)
{
	ElfW(Phdr) p;

	for (uint32_t i = 0; read_program_header(f, e, i, &p); i++)
		if (p.p_type == PT_LOAD && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz)
			return address - p.p_vaddr + p.p_offset;
	return UINT64_MAX;
}

/* The families of what the dynamic section names. */
static unsigned find_needed_families(const struct image *f,
				     const ElfW(Ehdr) * e)
{
	uint64_t names = UINT64_MAX;
	unsigned found = 0;
	ElfW(Phdr) p;
	ElfW(Dyn) d;

	if (!find_segment(f, e, PT_DYNAMIC, &p))
		return 0;
	/* once for where the names are, once for the names */
	for (int naming = 0; naming < 2; naming++)
		for (uint64_t i = 0; i < p.p_filesz / sizeof d; i++) {
			const void *from =
			    bytes_at(f, p.p_offset + i * sizeof d, sizeof d);
			const char *name;

			if (!from)
				break;
			memcpy(&d, from, sizeof d);
			if (d.d_tag == DT_STRTAB)
				names = offset_of(f, e, d.d_un.d_ptr);
			if (!naming || d.d_tag != DT_NEEDED ||
			    names > f->n || d.d_un.d_val > f->n)
				continue;
			name = text_at(f, names + d.d_un.d_val);
			found |= name ? tape_family_of_library(name) : 0u;
		}
	return found;
}

/* Starts "loader --list path" with the list in a pipe; its process. */
static pid_t start_list(const char *loader, const char *path, int *from)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		unsetenv("LD_PRELOAD");
		execl(loader, loader, "--list", path, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	*from = ends[0];
	if (pid < 0)
		close(ends[0]);
	return pid;
}

/* The families of all that the loader would load: the first word of a line. */
static unsigned find_loaded_families(const char *loader, const char *path)
{
	char line[2 * PATH_MAX], name[256];
	unsigned found = 0;
	int from = -1;
	pid_t pid = start_list(loader, path, &from);
	FILE *list = pid > 0 ? fdopen(from, "r") : NULL;

	while (list && fgets(line, sizeof line, list))
		if (sscanf(line, " %255s", name) == 1)
			found |= tape_family_of_library(name);
	if (list)
		fclose(list);
	else if (pid > 0)
		close(from);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return found;
}

static struct tape_program examine_image(const struct image *f,
					 const char *path)
{
	struct tape_program u = { TAPE_PROGRAM_OTHER, TAPE_FAMILY_NONE };
	const ElfW(Ehdr) *e = bytes_at(f, 0, sizeof *e);
	const char *loader;
	unsigned found;
	ElfW(Phdr) p;

	if (f->n > 2 && !memcmp(f->bytes, "#!", 2))
		u.kind = TAPE_PROGRAM_SCRIPT;
	if (!e || memcmp(e->e_ident, ELFMAG, SELFMAG) ||
	    e->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64
							 : ELFCLASS32) ||
	    e->e_phentsize != sizeof p)
		return u;
	loader =
	    find_segment(f, e, PT_INTERP, &p) ? text_at(f, p.p_offset) : NULL;
	u.kind = loader ? TAPE_PROGRAM_DYNAMIC : TAPE_PROGRAM_STATIC;
	if (loader) {
		found = find_needed_families(f, e);
		u.family = (enum tape_family)(
		    found ? found : find_loaded_families(loader, path));
	}
	return u;
}

struct tape_program tape_program_look(const char *path)
{
	struct tape_program u = { TAPE_PROGRAM_OTHER, TAPE_FAMILY_NONE };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *map = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			   0);
	if (map != MAP_FAILED) {
		struct image f = { map, (size_t)st.st_size };

		u = examine_image(&f, path);
		munmap(map, f.n);
	}
	if (fd >= 0)
		close(fd);
	return u;
}
