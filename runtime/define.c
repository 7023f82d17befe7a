/*
 * Definitions of this rank: call sites, communicators, regions. Each is a line
 * of rank.R, written when it is first met and before an event uses it; the
 * time it takes goes into that event's alpha.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "core.h"
#include "error.h"
#include "module.h"
#include "tape.h"

/* Known call sites by address; chained by open addressing. */
struct known_site {
	uintptr_t address;
	uint32_t call, site;
	uint32_t unloads;  /* it was so after that many dlcloses */
	uint64_t where;    /* what it was then */
};
static struct known_site *known;
static uint32_t known_size, known_count;

char *tape_escape(char *to, size_t n, const char *word)
{
	static const char hex[] = "0123456789abcdef";
	size_t i = 0;

	if (!word || !*word)
		word = "";
	for (; *word && i + 4 < n; word++) {
		unsigned char c = (unsigned char)*word;

		if (c > ' ' && c != '%' && c != 0x7f) {
			to[i++] = (char)c;
			continue;
		}
		to[i++] = '%';
		to[i++] = hex[c >> 4];
		to[i++] = hex[c & 15];
	}
	if (!i)
		to[i++] = '%';
	to[i] = '\0';
	return to;
}

static const char *define_path(char *path, size_t n)
{
	snprintf(path, n, "%s/rank.%d", tape_process.dir, tape_process.rank);
	return path;
}

int tape_define(const char *format, ...)
{
	char text[8192];
	va_list ap;
	ssize_t done;
	int n, fd, e = errno;
	char path[sizeof tape_process.dir + 64];
	struct tape_hold hold;

	if (tape_process.defines.fd < 0)
		return TAPE_EIO;
	va_start(ap, format);
	n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof text)
		return TAPE_ERANGE;
	fd = tape_file_descriptor(&tape_process.defines,
				  define_path(path, sizeof path));
	tape_hold(&hold);
	done = fd < 0 ? -1 : write(fd, text, (size_t)n);
	if (done != n) {
		tape_process.define_error = done < 0 ? errno : ENOSPC;
		/* never half a line */
		if (fd >= 0)
			(void)!ftruncate(fd, (off_t)tape_process.defines_bytes);
	} else {
		tape_process.defines_bytes += (uint64_t)n;
	}
	tape_release(&hold);
	errno = e;
	return done == n ? 0 : TAPE_EIO;
}

int tape_define_open(const char *domain_index, char *error, size_t n)
{
	char path[sizeof tape_process.dir + 64], host[256] = "", word[1024];

	int rc = tape_file_create(&tape_process.defines,
				  define_path(path, sizeof path),
				  O_WRONLY | O_APPEND);

	tape_process.define_error = errno;
	gethostname(host, sizeof host - 1);
	tape_escape(word, sizeof word, host);
	if (!rc)
		rc = tape_define("tape-rank 1\nrank %d\nhost %s\npid %ld\n"
				 "domain %s\n", tape_process.rank, word,
				 (long)getpid(), domain_index);
	if (rc)
		snprintf(error, n, "cannot write %.800s: %s", path,
			 strerror(tape_process.define_error));
	return rc;
}

/* A call of a group that is switched off is not recorded. */
static int wanted(uint32_t call)
{
	uint32_t group = TAPE_GROUP_LOCAL;

	if (call >= 120 && call < 160 && call != TAPE_CALL_MPI_Buffer_attach &&
	    call != TAPE_CALL_MPI_Buffer_detach)
		group = TAPE_GROUP_P2P;
	else if (call == TAPE_CALL_MPI_Mrecv || call == TAPE_CALL_MPI_Imrecv)
		group = TAPE_GROUP_P2P;
	else if (call >= 160 && call < 170)
		group = TAPE_GROUP_PROBE;
	else if (call >= 170 && call < 200)
		group = TAPE_GROUP_COMPLETION;
	else if (call >= 200 && call < 250)
		group = TAPE_GROUP_COLLECTIVE;
	else if (call >= 250 && call < 270)
		group = TAPE_GROUP_COMMUNICATOR;
	else if (call >= 101 && call < 105)
		return 1;
	return (tape_process.config.groups & group) != 0;
}

/* Stops the tracing of this thread: a definition could not be kept. */
static uint32_t give_up(struct tape_flow *f)
{
	int e = tape_process.define_error;

	tape_flow_stop(f, e == ENOSPC || e == EDQUOT || e == EFBIG
				  ? TAPE_END_FULL
				  : TAPE_END_ERROR);
	return 0;
}

static uint32_t number_site(void)
{
	return tape_process.sites + 1 < TAPE_SITES_MAX ? ++tape_process.sites
						       : 0;
}

/* The slot of a call site, or the one where it belongs. */
static struct known_site *slot_of(uint32_t call, uintptr_t address)
{
	uint32_t at = (uint32_t)(address ^ call) & (known_size - 1);

	while (known[at].address &&
	       (known[at].address != address || known[at].call != call))
		at = (at + 1) & (known_size - 1);
	return &known[at];
}

static int grow(void)
{
	uint32_t n = known_size;
	struct known_site *old = known, *fresh;

	fresh = calloc(n ? 2 * n : 1024, sizeof *fresh);
	if (!fresh)
		return TAPE_ENOMEM;
	known = fresh;
	known_size = n ? 2 * n : 1024;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].address)
			*slot_of(old[i].call, old[i].address) = old[i];
	free(old);
	return 0;
}

/* Modules as the last line on each path says, and where they were then. */
static struct known_module {
	struct known_module *next;
	char *line;
	uintptr_t base;
	uint32_t unloads;
} *known_modules;

/* Where an address is, escaped: what its definition says. */
struct where {
	char module[3072], symbol[4000];
	char line[3072 + 256]; /* of the module; "" for none */
	size_t path_bytes;     /* of line, the blank after it included */
	uintptr_t base, offset;
};

/* The line of a module that is known already: 1, else 0. */
static int recall(uintptr_t base, struct where *w)
{
	const struct known_module *k;

	tape_lock();
	for (k = known_modules; k; k = k->next)
		if (k->base == base && k->unloads == tape_process.unloads)
			break;
	if (k)
		strcpy(w->line, k->line);
	tape_unlock();
	return k != NULL;
}

/* Not with the lock held: see tape_module_at. */
static void describe(uintptr_t address, struct where *w)
{
	struct tape_module m;
	Dl_info info;

	strcpy(w->module, "%");
	strcpy(w->symbol, "%");
	*w->line = '\0';
	w->offset = address;
	/* the address of a return may be the first byte after the function */
	if (tape_module_at(address - 1, &m))
		return;
	w->base = m.base;
	w->offset = address - m.base;
	if (recall(m.base, w)) {
		snprintf(w->module, sizeof w->module, "%.*s",
			 (int)strcspn(w->line, " "), w->line);
	} else {
		tape_module_file(address - 1, &m);
		tape_escape(w->module, sizeof w->module, m.path);
		snprintf(w->line, sizeof w->line, "%s %s %llu %lld", w->module,
			 *m.build_id ? m.build_id : "%",
			 (unsigned long long)m.size, (long long)m.mtime);
	}
	w->path_bytes = strlen(w->module) + 1;
	if (dladdr((void *)(address - 1), &info))
		tape_escape(w->symbol, sizeof w->symbol, info.dli_sname);
}

/* Writes the module's line unless the last one on its path said the same. */
static int define_module(const struct where *w)
{
	struct known_module *k = known_modules;
	char *line;

	if (!*w->line)
		return 0;
	while (k && strncmp(k->line, w->line, w->path_bytes))
		k = k->next;
	if (!k || strcmp(k->line, w->line)) {
		if (tape_define("module %s\n", w->line))
			return TAPE_EIO;
		line = strdup(w->line);
		if (line && !k && (k = calloc(1, sizeof *k))) {
			k->next = known_modules;
			known_modules = k;
		}
		if (!line || !k) {
			free(line); /* it will be written again: no harm */
			return 0;
		}
		free(k->line);
		k->line = line;
	}
	k->base = w->base;
	k->unloads = tape_process.unloads;
	return 0;
}

static uint32_t define_address(uint32_t call, const struct where *w)
{
	uint32_t id = number_site();

	if (!id || define_module(w))
		return 0;
	return tape_define("address %u %u %llx %s %s\n", id, call,
			   (unsigned long long)w->offset, w->module, w->symbol)
		       ? 0
		       : id;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo), of where an address is. */
static uint64_t hash_of(const struct where *w)
{
	uint64_t h = 0xcbf29ce484222325u ^ w->offset;

	for (const char *s = w->line; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return h;
}

/*
 * Its number; w NULL: 0 where it is new, or may be since a library was
 * unloaded. Else it is defined if it is new.
 */
static uint32_t number_address(uint32_t call, uintptr_t address,
			       const struct where *w)
{
	struct known_site *k;
	uint64_t hash = w ? hash_of(w) : 0;
	uint32_t site = 0, unloads;

	tape_lock();
	unloads = tape_process.unloads;
	if (2 * known_count < known_size || !grow()) {
		k = slot_of(call, address);
		if (k->address && k->unloads == unloads)
			site = k->site;
		else if (w && k->address && k->where == hash)
			site = k->site;
		else if (w)
			site = define_address(call, w);
		if (site) {
			known_count += !k->address;
			hash = w ? hash : k->where;
			*k = (struct known_site){ address, call, site, unloads,
						  hash };
		}
	}
	tape_unlock();
	return site;
}

static TAPE_COLD uint32_t define_first(uint32_t call, uintptr_t address)
{
	struct where w;

	describe(address, &w);
	return number_address(call, address, &w);
}

uint32_t tape_site_first(struct tape_flow *f, uint32_t call, uintptr_t address)
{
	uint32_t i, site = 0;
	uint64_t t0 = tape_tick();
	int e = errno;

	if (wanted(call)) {
		tape_counters_pause(f);
		site = number_address(call, address, NULL);
		if (!site)
			site = define_first(call, address);
		if (!site) {
			site = give_up(f);
			errno = e;
			return site;
		}
		/* its first page fault happens here, not in the event */
		((volatile struct tape_site_state *)f->sites)[site].seen =
			f->sites[site].seen;
		tape_counters_resume(f);
	}
	i = (uint32_t)(address ^ address >> 8 ^ call) % TAPE_SITE_CACHE;
	f->cache[i].address = address;
	f->cache[i].call = call;
	f->cache[i].site = site;
	if (site)
		f->extra_before += tape_tick() - t0;
	errno = e;
	return site;
}

uint32_t tape_site_first_source(struct tape_flow *f, struct tape_site *s,
				uint32_t call)
{
	char file[3072], function[1024];
	uint64_t t0 = tape_tick();
	uint32_t site;
	int e = errno;

	tape_counters_pause(f);
	tape_lock();
	site = s->id;
	if (!site) {
		site = number_site();
		tape_escape(file, sizeof file, s->file);
		tape_escape(function, sizeof function, s->function);
		if (site && tape_define("site %u %u %d %s %s\n", site, call,
					s->line, file, function))
			site = 0;
		if (site && !wanted(call))
			s->flags |= 1;
		__atomic_store_n(&s->id, site, __ATOMIC_RELEASE);
	}
	tape_unlock();
	if (!site) {
		give_up(f);
	} else if (s->flags & 1) {
		site = 0;
	} else {
		((volatile struct tape_site_state *)f->sites)[site].seen =
			f->sites[site].seen;
		tape_counters_resume(f);
		f->extra_before += tape_tick() - t0;
	}
	errno = e;
	return site;
}

/* ---- regions ---- */

#define REGIONS_MAX 65535u
static char **region_names;

/* The number of a region, by content; 0 when it could not be defined. */
static uint32_t region(const char *name)
{
	char word[2048];
	char **grown;
	uint32_t id = 0;

	tape_lock();
	for (uint32_t i = 0; i < tape_process.regions && !id; i++)
		if (!strcmp(region_names[i], name))
			id = i + 1;
	if (id)
		goto out;
	if (tape_process.regions == REGIONS_MAX) {
		id = REGIONS_MAX;
		goto out;
	}
	if (tape_process.regions == REGIONS_MAX - 1)
		name = "(other)";
	grown = realloc(region_names,
			(tape_process.regions + 1) * sizeof *grown);
	if (!grown)
		goto out;
	region_names = grown;
	grown[tape_process.regions] = strdup(name);
	if (grown[tape_process.regions] &&
	    !tape_define("region %u %s\n", tape_process.regions + 1,
			 tape_escape(word, sizeof word, name)))
		id = ++tape_process.regions;
out:
	tape_unlock();
	return id;
}

TAPE_EXPORT void tape_enter(const char *name)
{
	struct tape_flow *f = tape_flow_now();
	struct tape_region *r;
	uint64_t t0;
	int e;

	if (!f || !name || !(tape_process.config.groups & TAPE_GROUP_REGION))
		return;
	r = &f->region_cache[(uintptr_t)name / 4 % TAPE_REGION_CACHE];
	if (TAPE_UNLIKELY(r->name != name || strcmp(r->copy, name))) {
		t0 = tape_tick();
		e = errno;
		tape_counters_pause(f);
		r->id = region(name);
		if (!r->id) {
			give_up(f);
			errno = e;
			return;
		}
		r->name = name;
		snprintf(r->copy, sizeof r->copy, "%s", name);
		tape_counters_resume(f);
		f->extra_before += tape_tick() - t0;
		errno = e;
	}
	/* neither end of a deeper one is recorded: which it was is not kept */
	if (f->depth++ >= TAPE_REGION_DEPTH)
		return;
	f->regions_open[f->depth - 1] = r->id;
	tape_buffer_mark(f, TAPE_CODE_ENTER, r->id);
}
