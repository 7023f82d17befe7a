/*
 * Definitions of this rank, and which call sites are recorded. Each is a line
 * of rank.R, written when it is first met and before an event uses it; the
 * time it takes goes into that event's alpha. Regions are in region.c.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "core.h"
#include "error.h"

/* A call site that is not recorded because of the file that it is in. */
#define UNWANTED UINT32_MAX

/* Known call sites by address; chained by open addressing. */
static struct {
	uintptr_t address;
	uint32_t call, site;
} *known;
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

/* Is a call recorded that was made in that file, source or module? */
static int wanted(uint32_t call, const char *file)
{
	const struct tape_config *c = &tape_process.config;
	enum tape_verdict v;

	if (!c->wanted[call])
		return 0;
	if (!*c->files || tape_filter_is_always(call))
		return 1;
	v = tape_list_file(c->files, file, &tape_process.file_hits);
	return v == TAPE_UNSAID ? tape_list_changes(c->files) : v == TAPE_IN;
}

void tape_define_failed(struct tape_flow *f)
{
	int e = tape_process.define_error;

	tape_flow_stop(f, e == ENOSPC || e == EDQUOT || e == EFBIG
				  ? TAPE_END_FULL
				  : TAPE_END_ERROR);
}

/* Of each site its call: address space, pages come as sites are used. */
static uint16_t calls_of[TAPE_SITES_MAX];

static uint32_t number_site(uint32_t call)
{
	if (tape_process.sites + 1 >= TAPE_SITES_MAX)
		return 0;
	calls_of[++tape_process.sites] = (uint16_t)call;
	return tape_process.sites;
}

unsigned tape_site_call(uint64_t site)
{
	return calls_of[site];
}

static int grow(void)
{
	uint32_t size = known_size ? 2 * known_size : 1024;
	void *fresh = calloc(size, sizeof *known), *old = known;
	uint32_t n = known_size;

	if (!fresh)
		return TAPE_ENOMEM;
	known = fresh;
	known_size = size;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at;
		struct {
			uintptr_t address;
			uint32_t call, site;
		} *o = old;

		if (!o[i].address)
			continue;
		at = (uint32_t)(o[i].address ^ o[i].call) & (size - 1);
		while (known[at].address)
			at = (at + 1) & (size - 1);
		known[at].address = o[i].address;
		known[at].call = o[i].call;
		known[at].site = o[i].site;
	}
	free(old);
	return 0;
}

static uint32_t define_address(uint32_t call, uintptr_t address)
{
	char module[3072] = "%", name[1024] = "%", exe[4096];
	const char *file = "";
	uintptr_t offset = address;
	Dl_info info;
	struct link_map *map = NULL;
	uint32_t id;

	/* the address of a return may be the first byte after the function */
	if (dladdr1((void *)(address - 1), &info, (void **)&map,
		    RTLD_DL_LINKMAP)) {
		file = info.dli_fname;
		if (map && !*map->l_name) {
			ssize_t n = readlink("/proc/self/exe", exe,
					     sizeof exe - 1);

			if (n > 0) {
				exe[n] = '\0';
				file = exe;
			}
		}
		offset = address - (map ? map->l_addr : 0);
		tape_escape(module, sizeof module, file);
		tape_escape(name, sizeof name, info.dli_sname);
	}
	if (!wanted(call, file))
		return UNWANTED;
	if (!(id = number_site(call)))
		return 0;
	return tape_define("address %u %u %llx %s %s\n", id, call,
			   (unsigned long long)offset, module, name)
		       ? 0
		       : id;
}

/* The number of the site, 0: it could not be defined, or UNWANTED. */
static uint32_t look_up(uint32_t call, uintptr_t address)
{
	uint32_t site = 0, at;

	tape_lock();
	if (2 * known_count < known_size || !grow()) {
		at = (uint32_t)(address ^ call) & (known_size - 1);
		while (known[at].address && (known[at].address != address ||
					     known[at].call != call))
			at = (at + 1) & (known_size - 1);
		site = known[at].site;
		if (!known[at].address &&
		    (site = define_address(call, address))) {
			known[at].address = address;
			known[at].call = call;
			known[at].site = site;
			known_count++;
		}
	}
	tape_unlock();
	return site;
}

/* Into the cache: as it is, not to be recorded (0), or to be counted. */
static uint32_t remember(struct tape_flow *f, uint32_t call, uintptr_t address,
			 uint32_t site)
{
	uint32_t i = tape_site_place(call, address), count = 0;

	if (site)
		count = f->sites[site].count & TAPE_ONLY_COUNTED
				? f->sites[site].count
				: 0;
	f->cache[i].address = address;
	f->cache[i].call = call | (count & TAPE_ONLY_COUNTED);
	f->cache[i].site = count ? count & ~TAPE_ONLY_COUNTED : site;
	if (!count)
		return site;
	tape_count(f, count & ~TAPE_ONLY_COUNTED);
	return 0;
}

static TAPE_COLD uint32_t find_site(struct tape_flow *f, uint32_t call,
				    uintptr_t address)
{
	uint64_t t0 = tape_tick();
	uint32_t site = UNWANTED;
	int e = errno;

	if (tape_process.config.wanted[call])
		site = look_up(call, address);
	if (!site) {
		tape_define_failed(f);
		errno = e;
		return 0;
	}
	if (site == UNWANTED)
		site = 0;
	else /* its first page fault happens here, not in the event */
		((volatile struct tape_site_state *)f->sites)[site].seen =
			f->sites[site].seen;
	site = remember(f, call, address, site);
	if (site)
		f->extra_before += tape_tick() - t0;
	errno = e;
	return site;
}

uint32_t tape_site_first(struct tape_flow *f, uint32_t call, uintptr_t address)
{
	uint32_t i = tape_site_place(call, address);

	if (f->cache[i].address != address ||
	    f->cache[i].call != (call | TAPE_ONLY_COUNTED))
		return find_site(f, call, address);
	tape_count(f, f->cache[i].site);
	return 0;
}

static TAPE_COLD uint32_t define_source(struct tape_flow *f,
					struct tape_site *s, uint32_t call)
{
	char file[3072], function[1024];
	uint64_t t0 = tape_tick();
	uint32_t site;
	int e = errno;

	tape_lock();
	site = s->id;
	if (!site) {
		site = number_site(call);
		tape_escape(file, sizeof file, s->file);
		tape_escape(function, sizeof function, s->function);
		if (site && tape_define("site %u %u %d %s %s\n", site, call,
					s->line, file, function))
			site = 0;
		if (site && !wanted(call, s->file))
			s->flags |= 1;
		__atomic_store_n(&s->id, site, __ATOMIC_RELEASE);
	}
	tape_unlock();
	if (!site) {
		tape_define_failed(f);
	} else if (s->flags & 1) {
		site = 0;
	} else {
		((volatile struct tape_site_state *)f->sites)[site].seen =
			f->sites[site].seen;
		f->extra_before += tape_tick() - t0;
	}
	errno = e;
	return site;
}

uint32_t tape_site_first_source(struct tape_flow *f, struct tape_site *s,
				uint32_t call)
{
	uint32_t site = __atomic_load_n(&s->id, __ATOMIC_ACQUIRE), count;

	if (!site)
		return define_source(f, s, call);
	if (s->flags & 1)
		return 0;
	count = f->sites[site].count;
	if (TAPE_LIKELY(!(count & TAPE_ONLY_COUNTED)))
		return site;
	tape_count(f, count & ~TAPE_ONLY_COUNTED);
	return 0;
}
