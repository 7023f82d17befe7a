/* Programs and libraries of this process; see module.h. */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module.h"

struct search {
	uintptr_t address;
	struct tape_module *m;
};

/* The loadable segment of the object that holds these n bytes, or NULL. */
static const ElfW(Phdr) *segment(const struct dl_phdr_info *o, uintptr_t from,
				 size_t n)
{
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		uintptr_t start = o->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && from >= start &&
		    from - start < p->p_memsz &&
		    n <= p->p_memsz - (from - start))
			return p;
	}
	return NULL;
}

static int is_loaded(const struct dl_phdr_info *o, uintptr_t from, size_t n)
{
	return segment(o, from, n) != NULL;
}

static size_t pad_size(size_t n, size_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* The build-id among the n bytes of notes at p, as hexadecimal. */
static void read_notes(const char *p, size_t n, size_t align, char *id)
{
	ElfW(Nhdr) h;

	while (n >= sizeof h) {
		size_t name, bytes;

		memcpy(&h, p, sizeof h);
		if (h.n_namesz > n || h.n_descsz > n)
			return;
		name = pad_size(sizeof h + h.n_namesz, align);
		bytes = pad_size(name + h.n_descsz, align);
		if (name + h.n_descsz > n)
			return;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
		    !memcmp(p + sizeof h, "GNU", 4) &&
		    h.n_descsz <= TAPE_BUILD_ID_MAX) {
			for (size_t i = 0; i < h.n_descsz; i++)
				sprintf(id + 2 * i, "%02x",
					(unsigned char)p[name + i]);
			return;
		}
		if (bytes >= n)
			return;
		p += bytes;
		n -= bytes;
	}
}

static int inspect_object(struct dl_phdr_info *o, size_t size, void *arg)
{
	struct search *s = arg;
	const ElfW(Phdr) *of = segment(o, s->address, 1);

	(void)size;
	if (!of)
		return 0;
	s->m->base = o->dlpi_addr;
	s->m->from = o->dlpi_addr + of->p_vaddr;
	s->m->to = s->m->from + of->p_memsz;
	snprintf(s->m->path, sizeof s->m->path, "%s", o->dlpi_name);
	for (int i = 0; i < o->dlpi_phnum && !*s->m->build_id; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		uintptr_t at = o->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_NOTE && is_loaded(o, at, p->p_memsz))
			read_notes((const char *)at, p->p_memsz,
				   p->p_align == 8 ? 8 : 4, s->m->build_id);
	}
	return 1;
}

/*
 * The file mapped at address. The kernel knows it also where the loader has
 * no name (the program) or one relative to a directory long left.
 */
static int mapped_file(uintptr_t address, char *path, size_t n)
{
	static const char gone[] = " (deleted)";
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char *line = NULL, *name;
	size_t room = 0;
	ssize_t len;
	int found = 0;

	while (f && !found && (len = getline(&line, &room, f)) > 0) {
		if (sscanf(line, "%lx-%lx", &from, &to) != 2 ||
		    address < from || address >= to)
			continue;
		name = strchr(line, '/');
		if (!name)
			break;
		line[len - (line[len - 1] == '\n')] = '\0';
		len = (ssize_t)strlen(name);
		/* a file that replaced this file has another build-id */
		if ((size_t)len > sizeof gone &&
		    !strcmp(name + len + 1 - sizeof gone, gone))
			name[(size_t)len + 1 - sizeof gone] = '\0';
		found = snprintf(path, n, "%s", name) < (int)n;
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

struct bytes {
	uintptr_t address;
	size_t n;
	int constant;
};

static int look_at_bytes(struct dl_phdr_info *o, size_t size, void *arg)
{
	struct bytes *b = arg;
	const ElfW(Phdr) *p = segment(o, b->address, b->n);

	(void)size;
	if (p)
		b->constant = !(p->p_flags & PF_W);
	return p != NULL;
}

int tape_module_constant(uintptr_t address, size_t n)
{
	struct bytes b = { .address = address, .n = n };

	dl_iterate_phdr(look_at_bytes, &b);
	return b.constant;
}

int tape_module_at(uintptr_t address, struct tape_module *m)
{
	struct search s = { address, m };

	memset(m, 0, sizeof *m);
	return dl_iterate_phdr(inspect_object, &s) ? 0 : -1;
}

void tape_module_file(uintptr_t address, struct tape_module *m)
{
	struct stat st;
	ssize_t n;

	if (*m->path != '/' &&
	    !mapped_file(address, m->path, sizeof m->path) && !*m->path) {
		n = readlink("/proc/self/exe", m->path, sizeof m->path - 1);
		m->path[n > 0 ? n : 0] = '\0';
	}
#ifdef TAPE_MODULE_OF /* runtime/simulated/simulated.h */
	TAPE_MODULE_OF(m->path, sizeof m->path);
#endif
	if (!stat(m->path, &st)) {
		m->size = (uint64_t)st.st_size;
		m->mtime = st.st_mtime;
	}
}
