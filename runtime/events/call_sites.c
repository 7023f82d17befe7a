/*
 * Which call sites there are, and which are recorded; see call_sites.h. The
 * time that the first call at a site takes goes into the alpha of its event.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash_bits.h"
#include "hash_slots.h"
#include "blocks.h"
#include "buffer.h"
#include "call_sites.h"
#include "counters.h"
#include "define.h"
#include "error.h"
#include "flows.h"
#include "module.h"
#include "own_stack.h"
#include "python_caller.h"
#include "rate_limit.h"
#include "message.h"

/* A call site that is not recorded because of the file that it is in. */
#define UNWANTED UINT32_MAX

/* A call site that is known: the call, and where it is. */
struct site_key {
	uintptr_t address;
	uint32_t call;
};
struct known_site {
	struct site_key key; /* address 0: a free slot */
	uint32_t site;
	uint32_t unloads;  /* it was so after that many dlcloses */
	uint64_t where;    /* what it was then */
};

static int is_known(const struct known_site *k)
{
	return k->key.address != 0;
}

static struct site_key site_key(const void *own, const struct known_site *k)
{
	(void)own;
	return k->key;
}

static uint64_t hash_site_key(struct site_key k)
{
	return k.address ^ k.call;
}

static int is_same_site(struct site_key a, struct site_key b)
{
	return a.address == b.address && a.call == b.call;
}

TAPE_SLOTS_TYPE(known_sites, struct known_site)
TAPE_SLOTS(known_sites, struct known_site, const void *, struct site_key,
	   is_known, site_key, hash_site_key, is_same_site)

static struct known_sites known;
enum { KNOWN_AT_FIRST = 1024 };

/*
 * Call sites of Python are known by their name, and by the content of their
 * code objects. A program that makes such objects without end has as many as
 * this; then the name is found anew at each of its calls.
 */
enum { PYTHON_CONTENTS_MAX = 1 << 17 };
static uint32_t python_contents;

/* Is a call recorded that was made in that file, source or module? */
static int is_call_wanted(uint32_t call, const char *file)
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

	tape_buffer_stop(f, e == ENOSPC || e == EDQUOT || e == EFBIG
				  ? TAPE_END_FULL
				  : TAPE_END_ERROR);
}

static uint32_t number_site(uint32_t call)
{
	if (tape_process.sites + 1 >= TAPE_SITES_MAX)
		return 0;
	tape_site_calls[++tape_process.sites] = (uint16_t)call;
	return tape_process.sites;
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
	int announced; /* source file, function and line (offset) instead */
};

/* The line of a module that is known already: 1, else 0. */
static int copy_known_line(uintptr_t base, struct where *w)
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

TAPE_ON_OWN_STACK
/* The same for a call site that the program announced. */
static void describe_announced(struct where *w)
{
	const struct tape_announced *a = &tape_announced;
	char name[3072];

	snprintf(name, sizeof name, "%.*s", a->file_bytes, a->file);
	tape_escape(w->module, sizeof w->module, name);
	snprintf(name, sizeof name, "%.*s", a->function_bytes, a->function);
	tape_escape(w->symbol, sizeof w->symbol, name);
	*w->line = '\0';
	w->offset = (uintptr_t)a->line;
	w->announced = 1;
}

/* Not with the lock held: see tape_module_at. */
static void describe_address(uintptr_t address, struct where *w)
{
	struct tape_module m;
	Dl_info info;

	strcpy(w->module, "%");
	strcpy(w->symbol, "%");
	*w->line = '\0';
	w->offset = address;
	w->announced = 0;
	/* the address of a return may be the first byte after the function */
	if (tape_module_at(address - 1, &m))
		return;
	tape_python_add_module(&m);
	w->base = m.base;
	w->offset = address - m.base;
	if (copy_known_line(m.base, w)) {
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

/* Is a call recorded from there? */
static TAPE_APART int is_call_wanted_at(uint32_t call, const struct where *w)
{
	char path[sizeof w->module], *p = path;
	unsigned c;

	if (!*tape_process.config.files)
		return 1;
	for (const char *s = w->module; *s; s++)
		if (*s == '%' && sscanf(s + 1, "%2x", &c) == 1) {
			*p++ = (char)c;
			s += 2;
		} else if (*s != '%') {
			*p++ = *s;
		}
	*p = '\0';
	return is_call_wanted(call, path);
}

static TAPE_APART uint32_t define_address(uint32_t call, const struct where *w)
{
	uint32_t id = number_site(call);

	if (!id)
		return 0;
	if (w->announced)
		return tape_define("site %u %u %d %s %s\n", id, call,
				   (int)w->offset, w->module, w->symbol)
			       ? 0
			       : id;
	if (define_module(w))
		return 0;
	return tape_define("address %u %u %llx %s %s\n", id, call,
			   (unsigned long long)w->offset, w->module, w->symbol)
		       ? 0
		       : id;
}

/* The hash of where an address is. */
static uint64_t hash_of(const struct where *w)
{
	const char *s = w->announced ? w->module : w->line;

	return tape_hash_bytes(TAPE_HASH_START ^ w->offset, s, strlen(s));
}

/*
 * Its number; w NULL: 0 where it is new, or may be since a library was
 * unloaded. Else it is defined if it is new.
 */
static uint32_t number_address(uint32_t call, uintptr_t address,
			       const struct where *w)
{
	const struct site_key key = { address, call };
	struct known_site *k;
	uint64_t hash = w ? hash_of(w) : 0;
	uint32_t site = 0, unloads;

	tape_lock();
	unloads = tape_process.unloads;
	if (!known_sites_reserve(NULL, &known, KNOWN_AT_FIRST)) {
		k = known_sites_find(NULL, &known, key);
		if (is_known(k) && k->unloads == unloads)
			site = k->site;
		else if (w && is_known(k) && k->where == hash)
			site = k->site;
		else if (w)
			site = is_call_wanted_at(call, w)
				   ? define_address(call, w)
				   : UNWANTED;
		if (site) {
			known.used += !is_known(k);
			hash = w ? hash : k->where;
			*k = (struct known_site){ key, site, unloads, hash };
		}
	}
	tape_unlock();
	return site;
}

struct site_wanted {
	uint32_t call;
	uintptr_t address;
	struct tape_python_place python; /* that called; code NULL: none */
	uintptr_t key; /* the address; of an extension of Python what stands for
			* it, since many lines of Python call from there */
	uint32_t site;
};

/* The same for an instruction of Python: 0, or -1 if its name is unknown. */
static int describe_python(struct tape_python_place at, struct where *w)
{
	char file[3072], function[sizeof file];
	int line = tape_python_name_of(at, file, function, sizeof file);

	if (line < 0 || !*file)
		return -1;
	tape_escape(w->module, sizeof w->module, file);
	tape_escape(w->symbol, sizeof w->symbol, function);
	*w->line = '\0';
	w->offset = (uintptr_t)line;
	w->announced = 1;
	return 0;
}

/* The key of a call site of Python by its name, for one return address. */
static uintptr_t python_name_key(uintptr_t address, const struct where *w)
{
	uint64_t hash = tape_hash_bytes(hash_of(w), w->symbol,
					strlen(w->symbol));

	return (uintptr_t)tape_scramble_bits(hash ^ address) |
	       TAPE_PYTHON_KEY;
}

/* The content has that site, too. */
static void add_python_content(uint32_t call, uintptr_t key, uint32_t site,
			       const struct where *w)
{
	const struct site_key content = { key, call };
	struct known_site *k;

	tape_lock();
	if (python_contents < PYTHON_CONTENTS_MAX &&
	    !known_sites_reserve(NULL, &known, KNOWN_AT_FIRST)) {
		k = known_sites_find(NULL, &known, content);
		known.used += !is_known(k);
		python_contents += !is_known(k);
		*k = (struct known_site){ content, site, tape_process.unloads,
					  hash_of(w) };
	}
	tape_unlock();
}

static void define_first(void *wanted_)
{
	struct site_wanted *s = wanted_;
	uintptr_t known_as = s->address;
	struct where w;

	if (s->address == tape_announced.address) {
		describe_announced(&w);
	} else if (!s->python.code || describe_python(s->python, &w)) {
		describe_address(s->address, &w);
		/* its module may be the first extension of Python */
		if (s->key == s->address)
			s->key = tape_python_caller(s->address, &s->python);
		if (s->python.code)
			describe_python(s->python, &w);
	}
	if (s->python.code && w.announced)
		known_as = python_name_key(s->address, &w);
	s->site = number_address(s->call, known_as, &w);
	if (s->site && s->key != s->address)
		add_python_content(s->call, s->key, s->site, &w);
}
TAPE_ON_OWN_STACK_END

/*
 * A call that is only counted, in that tally or in a block that is skipped: 0,
 * or its site where it is recorded after all.
 */
static inline uint32_t not_recorded(struct tape_flow *f, uint32_t tally)
{
	uint64_t calls, what;

	if (tally & TAPE_SKIPPED) {
		tape_blocks_skip(f, 2 * (tally & ~TAPE_SKIPPED));
		return 0;
	}
	what = tape_tally(f, tally, &calls);
	if (tape_count(f, tally))
		return (uint32_t)(what / 2);
	f->timed = tally + 1;
	return 0;
}

/* Into the cache: as it is, not to be recorded (0), or to be counted. */
static uint32_t cache_site(struct tape_flow *f, uint32_t call,
			   uintptr_t address, uint32_t site)
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
	return not_recorded(f, count & ~TAPE_ONLY_COUNTED);
}

/*
 * Ticks that finding a caller in Python takes. Each event has it as a part of
 * its alpha: reading the clock twice would take as long.
 */
static uint32_t measure_python_ticks(uintptr_t address)
{
	enum { LOOPS = 4, TIMES = 8 };
	uint64_t least = UINT32_MAX, t;
	struct tape_python_place at;

	for (int k = 0; k < LOOPS; k++) {
		t = tape_tick();
		for (int i = 0; i < TIMES; i++)
			tape_python_find_caller(address, &at);
		t = tape_tick() - t;
		least = t < least ? t : least;
	}
	return (uint32_t)(least / TIMES);
}

/* The rest of find_site for a call that is wanted. */
static uint32_t find_wanted_site(struct tape_flow *f, struct site_wanted *s)
{
	uint32_t site;

	tape_counters_pause(f);
	s->site = number_address(s->call, s->key, NULL);
	if (!s->site) {
		tape_run_on_own_stack(define_first, s);
		if (s->python.code)
			f->python_ticks = measure_python_ticks(s->address);
	}
	site = s->site;
	if (site && site != UNWANTED)
		/* its first page fault is here, not in the event */
		((volatile struct tape_site_state *)f->sites)[site].seen =
			f->sites[site].seen;
	tape_counters_resume(f);
	return site;
}

static TAPE_COLD uint32_t find_site(struct tape_flow *f, struct site_wanted *s)
{
	uint64_t t0 = tape_tick();
	uint32_t site = UNWANTED;
	int e = errno;

	if (tape_flow_is_forked_copy(f))
		return 0;
	if (tape_process.config.wanted[s->call])
		site = find_wanted_site(f, s);
	if (!site) {
		tape_define_failed(f);
		f->lost++;
		errno = e;
		return 0;
	}
	if (site == UNWANTED)
		site = 0;
	site = cache_site(f, s->call, s->key, site);
	if (site)
		f->extra_before += tape_tick() - t0;
	errno = e;
	return site;
}

/* As tape_site_first where the cache has the site by its key. */
static inline int is_in_cache(struct tape_flow *f, uint32_t call,
			      uintptr_t key, uint32_t *site)
{
	uint32_t i = tape_site_place(call, key);

	if (!f->alive || f->cache[i].address != key ||
	    (f->cache[i].call & ~TAPE_ONLY_COUNTED) != call)
		return 0;
	*site = f->cache[i].call & TAPE_ONLY_COUNTED
			? not_recorded(f, f->cache[i].site)
			: f->cache[i].site;
	return 1;
}

uint32_t tape_site_first(struct tape_flow *f, uint32_t call, uintptr_t address)
{
	struct site_wanted s = { .call = call, .address = address,
				 .key = address };
	uint32_t site;

	if (is_in_cache(f, call, address, &site))
		return site;
	if (tape_process.config.wanted[call])
		s.key = tape_python_caller(address, &s.python);
	if (s.key != address && is_in_cache(f, call, s.key, &site)) {
		if (site)
			f->extra_before += f->python_ticks;
		return site;
	}
	return find_site(f, &s);
}

struct source_wanted {
	struct tape_site *source;
	uint32_t call, site;
};

TAPE_ON_OWN_STACK
static void write_source(void *wanted_)
{
	struct source_wanted *w = wanted_;
	struct tape_site *s = w->source;
	char file[3072], function[1024];

	w->site = number_site(w->call);
	tape_process.rerouted = 1;
	tape_escape(file, sizeof file, s->file);
	tape_escape(function, sizeof function, s->function);
	if (w->site && tape_define("site %u %u %d %s %s\n", w->site, w->call,
				   s->line, file, function))
		w->site = 0;
	if (w->site && !is_call_wanted(w->call, s->file))
		s->flags |= 1;
	__atomic_store_n(&s->id, w->site, __ATOMIC_RELEASE);
}
TAPE_ON_OWN_STACK_END

static TAPE_COLD uint32_t define_source(struct tape_flow *f,
					struct tape_site *s, uint32_t call)
{
	struct source_wanted w = { .source = s, .call = call };
	uint64_t t0 = tape_tick();
	uint32_t site;
	int e = errno;

	tape_counters_pause(f);
	tape_lock();
	w.site = s->id;
	if (!w.site)
		tape_run_on_own_stack(write_source, &w);
	site = w.site;
	tape_unlock();
	if (!site) {
		tape_define_failed(f);
		f->lost++;
	} else if (s->flags & 1) {
		site = 0;
	} else {
		((volatile struct tape_site_state *)f->sites)[site].seen =
			f->sites[site].seen;
		f->extra_before += tape_tick() - t0;
	}
	tape_counters_resume(f);
	errno = e;
	return site;
}

uint32_t tape_site_first_source(struct tape_flow *f, struct tape_site *s,
				uint32_t call)
{
	uint32_t site = __atomic_load_n(&s->id, __ATOMIC_ACQUIRE), count;

	if (tape_flow_is_forked_copy(f))
		return 0;
	if (!site)
		return define_source(f, s, call);
	if (s->flags & 1)
		return 0;
	count = f->sites[site].count;
	if (TAPE_LIKELY(!(count & TAPE_ONLY_COUNTED)))
		return site;
	return not_recorded(f, count & ~TAPE_ONLY_COUNTED);
}
