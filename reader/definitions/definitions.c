/* The definitions of a trace: meta and rank files. */
#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "growing_array.h"
#include "position.h"
#include "tape_files.h"
#include "trace.h"

/* ---- meta ---- */

static int add_meta(struct tape_trace *t, const char *key, const char *value)
{
	struct tape_meta_line *m =
	    tape_grow_list(t->meta, t->n_meta, sizeof *m);

	if (!m)
		return -1;
	t->meta = m;
	m += t->n_meta;
	m->key = strdup(key);
	m->value = strdup(value ? value : "");
	if (!m->key || !m->value) {
		free(m->key);
		free(m->value);
		return -1;
	}
	t->n_meta++;
	return 0;
}

const struct tape_domain *tape_trace_find_domain(const struct tape_trace *t,
						 const char *name)
{
	for (size_t i = 0; i < t->n_domains; i++)
		if (!strcmp(t->domains[i].info.name, name))
			return &t->domains[i];
	return NULL;
}

/* A line of meta, its value split into words; the line is kept. */
static int copy_meta_value(struct tape_trace *t, const char *key,
			   const char *value, char **copy)
{
	*copy = strdup(value);
	return *copy && !add_meta(t, key, value) ? 0 : tape_trace_no_memory(t);
}

int tape_trace_add_domain(struct tape_trace *t, const struct tape_text *x,
			  const char *value)
{
	uint64_t index;
	char *copy, *rest, *w, *name;
	struct tape_domain *d;
	int rc = copy_meta_value(t, "domain", value, &copy);

	if (rc)
		goto out;
	rest = copy;
	w = tape_text_word(&rest);
	name = tape_text_word(&rest);
	if (tape_text_u64(w, 10, &index) || index != t->n_domains || !name) {
		rc = bad_line(t, x, "bad clock domain");
		goto out;
	}
	d = tape_grow_list(t->domains, t->n_domains, sizeof *d);
	if (d)
		t->domains = d;
	name = d ? strdup(tape_text_unescape(name)) : NULL;
	if (!name) {
		rc = tape_trace_no_memory(t);
		goto out;
	}
	d += t->n_domains++;
	memset(d, 0, sizeof *d);
	d->info.index = (uint32_t)index;
	d->info.name = name;
out:
	free(copy);
	return rc;
}

static int add_piece(struct tape_trace *t, const struct tape_text *x,
		     char *rest)
{
	struct tape_clock_piece p, *grown;
	struct tape_domain *d;
	uint64_t index;

	if (tape_text_u64(tape_text_word(&rest), 10, &index) ||
	    index >= t->n_domains ||
	    tape_text_u64(tape_text_word(&rest), 10, &p.tick0) ||
	    tape_text_i64(tape_text_word(&rest), &p.ns0) ||
	    tape_text_double(tape_text_word(&rest), &p.rate) ||
	    tape_text_i64(tape_text_word(&rest), &p.lo_ns) ||
	    tape_text_i64(tape_text_word(&rest), &p.hi_ns) || p.rate <= 0 ||
	    p.rate > 1e9)
		return bad_line(t, x, "bad clock line");
	d = &t->domains[index];
	if (d->info.n_pieces &&
	    d->pieces[d->info.n_pieces - 1].tick0 >= p.tick0)
		return bad_line(t, x, "clock lines out of order");
	grown = tape_grow_list(d->pieces, d->info.n_pieces, sizeof *grown);
	if (!grown)
		return tape_trace_no_memory(t);
	d->pieces = grown;
	d->pieces[d->info.n_pieces++] = p;
	d->info.pieces = d->pieces;
	return 0;
}

static int read_base(struct tape_trace *t, const struct tape_text *x,
		     const char *value)
{
	if (!strcmp(value, "local"))
		t->base = TAPE_BASE_LOCAL;
	else if (!strcmp(value, "global"))
		t->base = TAPE_BASE_GLOBAL;
	else if (!strcmp(value, "compensated"))
		t->base = TAPE_BASE_COMPENSATED;
	else
		return bad_line(t, x, "unknown time base");
	return 0;
}

/* Memory is proportional to the ranks: many of them must have left files. */
static int is_rank_count_plausible(const struct tape_trace *t, uint64_t ranks)
{
	DIR *dir = ranks > TAPE_RANKS_FREE ? tape_trace_list(t) : NULL;
	const struct dirent *e;
	uint64_t n = 0;

	/* a container holds many of them */
	while (dir && (e = readdir(dir)))
		n += strncmp(e->d_name, TAPE_CONTAINER_PREFIX, 5) ? 1 : 4096;
	if (dir)
		closedir(dir);
	return ranks <= TAPE_RANKS_FREE || ranks / 16 <= n;
}

int tape_trace_make_ranks(struct tape_trace *t, size_t n)
{
	t->ranks = calloc(n, sizeof *t->ranks);
	if (!t->ranks)
		return tape_trace_no_memory(t);
	t->n_ranks = n;
	return 0;
}

int tape_trace_set_ranks(struct tape_trace *t, const struct tape_text *x,
			 const char *value)
{
	char *copy, *rest;
	uint64_t n;
	int rc = copy_meta_value(t, "ranks", value, &copy);

	rest = copy;
	if (!rc &&
	    (t->n_ranks || tape_text_u64(tape_text_word(&rest), 10, &n) || !n ||
	     n > TAPE_IDS_MAX || !is_rank_count_plausible(t, n)))
		rc = bad_line(t, x, "bad number of ranks");
	free(copy);
	return rc ? rc : tape_trace_make_ranks(t, n);
}

static int read_class(struct tape_trace *t, const struct tape_text *x,
		      const char *line)
{
	const char *what = "", *by = tape_trace_meta(t, "version", 0);
	int rc = tape_layout_line(&t->layout, line, &what);

	switch (rc) {
	case TAPE_EFORMAT:
		return bad_line(t, x, "bad class");
	case TAPE_EVERSION:
		return tape_trace_fail(t, rc,
				       "%s: line %d: Tape %s wrote it, "
				       "this is %s: the class has %s",
				       x->path, x->line, by ? by : "?",
				       TAPE_VERSION, what);
	case TAPE_ENOMEM:
		return tape_trace_no_memory(t);
	default:
		return 0;
	}
}

/* Makes the layout of flows of format 1, whose traces do not list classes. */
static int make_first_layout(struct tape_trace *t)
{
	const char *what;
	int rc = 0;

	for (unsigned c = 0; !rc && c < TAPE_CLASS_COUNT; c++)
		rc = tape_layout_line(&t->first_layout,
				      tape_class_first_layout(c), &what);
	return rc ? tape_trace_no_memory(t) : 0;
}

/* The writer's version, from what is left of the lines of a meta file. */
static const char *find_writer_version(struct tape_text *x, char *by, size_t n)
{
	char *line = NULL;

	while (tape_text_line(x, &line) && strncmp(line, "version ", 8))
		;
	snprintf(by, n, "%s",
		 line && !strncmp(line, "version ", 8) ? line + 8 : "?");
	return by;
}

/* Lines with a meaning here; others are kept for tape_trace_meta. */
static int read_meta_line(struct tape_trace *t, const struct tape_text *x,
			  const char *key, char *rest)
{
	int rc;

	if (!strcmp(key, "ranks"))
		return tape_trace_set_ranks(t, x, rest ? rest : "");
	if (!strcmp(key, "domain"))
		return tape_trace_add_domain(t, x, rest ? rest : "");
	if (!strcmp(key, "class") && (rc = read_class(t, x, rest ? rest : "")))
		return rc;
	/* a clock may have thousands of pieces, which nobody reads as text */
	if (!strcmp(key, "clock"))
		return add_piece(t, x, rest);
	if (add_meta(t, key, rest))
		return tape_trace_no_memory(t);
	if (!strcmp(key, "stream"))
		t->streamed = 1;
	if (!strcmp(key, "alpha"))
		t->alpha_measured = rest && !strcmp(rest, "measured");
	return strcmp(key, "base") ? 0 : read_base(t, x, rest ? rest : "");
}

int tape_trace_read_meta(struct tape_trace *t)
{
	struct tape_text x;
	char *line, by[64];
	int rc;

	rc = tape_text_open(t, "meta", 0, &x);
	if (rc)
		return rc;
	if (!tape_text_line(&x, &line) || strncmp(line, "tape-trace ", 11) ||
	    line[11 + strspn(line + 11, "0123456789")])
		rc = bad_line(t, &x, "not a Tape trace");
	else if (strcmp(line + 11, "1"))
		rc = tape_trace_fail(t, TAPE_EVERSION,
				     "%s: written by Tape %s, which is newer "
				     "than this version, %s",
				     x.path,
				     find_writer_version(&x, by, sizeof by),
				     TAPE_VERSION);
	else if (strncmp(x.bytes + x.at, "ranks ", 6) &&
		 !strstr(x.bytes + x.at, "\nranks "))
		rc = tape_trace_find_tasks(t, &x);
	while (!rc && tape_text_line(&x, &line)) {
		char *rest = line, *key = tape_text_word(&rest);

		if (key)
			rc = read_meta_line(t, &x, key, rest);
	}
	if (!rc && !tape_trace_meta(t, "class", 0))
		rc = make_first_layout(t);
	if (!rc && !t->n_ranks)
		rc = tape_trace_fail(t, TAPE_EFORMAT,
				     "%s: the number of ranks is missing",
				     x.path);
	if (!rc && !t->n_domains)
		rc = tape_trace_fail(t, TAPE_EFORMAT, "%s: no clock domain",
				     x.path);
	for (size_t i = 0; !rc && i < t->n_domains; i++)
		if ((t->base == TAPE_BASE_LOCAL) ==
		    (t->domains[i].info.n_pieces != 0))
			rc = tape_trace_fail(
			    t, TAPE_EFORMAT,
			    "%s: clock domain %zu has %s "
			    "clock line",
			    x.path, i, t->base == TAPE_BASE_LOCAL ? "a" : "no");
	tape_text_close(&x);
	return rc;
}

/* ---- rank files ---- */

void *tape_reserve_id(const struct tape_trace *t, void *array, size_t *n,
		      uint64_t id, size_t size)
{
	int is_room = tape_follow_owns_array(t, array);
	size_t want = *n ? *n : 4;
	char *p = array;

	if (id < *n)
		return array;
	while (want <= id)
		want *= 2;
	p = realloc(is_room ? NULL : array, want * size);
	if (!p)
		return NULL;
	if (is_room)
		memcpy(p, array, *n * size);
	memset(p + *n * size, 0, (want - *n) * size);
	*n = want;
	return p;
}

static int read_comm(struct tape_trace *t, struct tape_rank *r,
		     const struct tape_text *x, char *rest)
{
	uint64_t index, id, size, rank;
	struct tape_comm_info *c;
	char *name;

	if (tape_text_u64(tape_text_word(&rest), 10, &index) ||
	    !is_plausible_id(x, index) ||
	    tape_text_u64(tape_text_word(&rest), 16, &id) || !id ||
	    tape_text_u64(tape_text_word(&rest), 10, &size) ||
	    (!size && !r->info.tid) || size > TAPE_IDS_MAX ||
	    tape_text_u64(tape_text_word(&rest), 10, &rank) ||
	    rank >= TAPE_IDS_MAX)
		return bad_line(t, x, "bad communicator");
	if (!size) /* whoever uses it */
		size = t->n_ranks;
	c = tape_reserve_id(t, r->comms, &r->info.n_comms, index, sizeof *c);
	if (!c)
		return tape_trace_no_memory(t);
	r->comms = c;
	c += index;
	if (c->index)
		return bad_line(t, x, "a communicator defined twice");
	name = tape_text_word(&rest);
	if (index > r->top_comm)
		r->top_comm = (uint32_t)index;
	c->index = (uint32_t)index;
	c->id = id;
	c->size = (int)size;
	c->rank = (int)rank;
	c->side = -1;
	c->own_size = c->size;
	c->name = strdup(name ? tape_text_unescape(name) : "");
	return c->name ? 0 : tape_trace_no_memory(t);
}

/* A later name of a communicator. */
static int read_name(struct tape_trace *t, struct tape_rank *r,
		     const struct tape_text *x, char *rest)
{
	uint64_t index;
	char *name, *copy;

	if (tape_text_u64(tape_text_word(&rest), 10, &index) ||
	    index >= r->info.n_comms || !r->comms[index].index ||
	    !(name = tape_text_word(&rest)))
		return bad_line(t, x, "bad name of a communicator");
	copy = strdup(tape_text_unescape(name));
	if (!copy)
		return tape_trace_no_memory(t);
	free((char *)r->comms[index].name);
	r->comms[index].name = copy;
	return 0;
}

static int read_region(struct tape_trace *t, struct tape_rank *r,
		       const struct tape_text *x, char *rest)
{
	uint64_t id;
	char **s, *name;

	if (tape_text_u64(tape_text_word(&rest), 10, &id) ||
	    !is_plausible_id(x, id) || !(name = tape_text_word(&rest)))
		return bad_line(t, x, "bad region");
	s = tape_reserve_id(t, r->regions, &r->info.n_regions, id, sizeof *s);
	if (!s)
		return tape_trace_no_memory(t);
	r->regions = s;
	if (s[id])
		return bad_line(t, x, "a region defined twice");
	if (id > r->top_region)
		r->top_region = (uint32_t)id;
	s[id] = strdup(tape_text_unescape(name));
	return s[id] ? 0 : tape_trace_no_memory(t);
}

static int read_counter(struct tape_trace *t, struct tape_rank *r,
			const struct tape_text *x, char *rest)
{
	struct tape_counter_info *c;
	char *name, *unit, *where;
	uint64_t index;
	int64_t own;

	if (tape_text_u64(tape_text_word(&rest), 10, &index) ||
	    index != r->info.n_counters || index >= TAPE_COUNTERS_MAX ||
	    !(name = tape_text_word(&rest)) ||
	    !(unit = tape_text_word(&rest)) ||
	    !(where = tape_text_word(&rest)) ||
	    tape_text_i64(tape_text_word(&rest), &own))
		return bad_line(t, x, "bad counter");
	c = tape_grow_list(r->counters, index, sizeof *c);
	if (!c)
		return tape_trace_no_memory(t);
	r->counters = c;
	c += index;
	memset(c, 0, sizeof *c);
	r->info.n_counters++;
	c->name = strdup(tape_text_unescape(name));
	c->unit = strdup(tape_text_unescape(unit));
	c->at_regions = !strcmp(where, "regions");
	c->own = own;
	return c->name && c->unit ? 0 : tape_trace_no_memory(t);
}

/* At the start of the run and again at its end: the difference counts. */
static int read_asleep(struct tape_trace *t, struct tape_rank *r,
		       const struct tape_text *x, char *rest)
{
	int64_t ns;

	if (tape_text_i64(tape_text_word(&rest), &ns))
		return bad_line(t, x, "bad time asleep");
	if (!r->has_slept)
		r->slept_0 = ns;
	r->has_slept = 1;
	if (__builtin_sub_overflow(ns, r->slept_0, &r->info.slept_ns) ||
	    r->info.slept_ns < 0)
		r->info.slept_ns = 0;
	return 0;
}

static int read_rank_line(struct tape_trace *t, struct tape_rank *r,
			  const struct tape_text *x, const char *key,
			  char *rest)
{
	uint64_t n;

	if (!strcmp(key, "site"))
		return tape_trace_read_site(t, r, x, rest, 0);
	if (!strcmp(key, "address"))
		return tape_trace_read_site(t, r, x, rest, 1);
	if (!strcmp(key, "module"))
		return tape_trace_read_module(t, r, x, rest);
	if (!strcmp(key, "comm"))
		return read_comm(t, r, x, rest);
	if (!strcmp(key, "inter"))
		return tape_trace_read_inter(t, r, x, rest);
	if (!strcmp(key, "sources"))
		return tape_trace_read_sources(t, r, x, rest);
	if (!strcmp(key, "group"))
		return tape_trace_read_group(t, r, x, rest);
	if (!strcmp(key, "started"))
		return tape_trace_read_spawned(t, r, x, rest);
	if (!strcmp(key, "vm_host"))
		return tape_trace_read_vm_host(t, r, x, rest);
	if (!strcmp(key, "name"))
		return read_name(t, r, x, rest);
	if (!strcmp(key, "region"))
		return read_region(t, r, x, rest);
	if (!strcmp(key, "alpha") || !strcmp(key, "alpha_end"))
		return tape_trace_read_alpha(t, r, x, rest,
					     !strcmp(key, "alpha_end"));
	if (!strcmp(key, "processor"))
		return tape_trace_read_processor(t, r, x, rest);
	if (!strcmp(key, "processors"))
		return tape_trace_read_processors(t, r, x, rest);
	if (!strcmp(key, "pace"))
		return tape_trace_read_pace(t, r, x, rest);
	if (!strcmp(key, "counter"))
		return read_counter(t, r, x, rest);
	if (!strcmp(key, "asleep"))
		return read_asleep(t, r, x, rest);
	if (!strcmp(key, "rank")) {
		if (tape_text_u64(tape_text_word(&rest), 10, &n) ||
		    n != (uint64_t)r->info.rank)
			return bad_line(t, x,
					"the rank number in the file differs "
					"from the file name");
	} else if (!strcmp(key, "host")) {
		char *w = tape_text_word(&rest);

		if (r->info.host || !w)
			return bad_line(t, x, "bad host");
		r->info.host = strdup(tape_text_unescape(w));
	} else if (!strcmp(key, "position")) {
		char *w = tape_text_word(&rest);

		if (r->info.position || !w || !tape_position_valid(w))
			return bad_line(t, x, "bad position");
		r->info.position = strdup(w);
	} else if (!strcmp(key, "note")) {
		if (!r->info.note)
			r->info.note = strdup(rest ? rest : "");
	} else if (!strcmp(key, "pid")) {
		if (tape_text_u64(tape_text_word(&rest), 10, &n) || n > INT_MAX)
			return bad_line(t, x, "bad pid");
		r->info.pid = (long)n;
	} else if (!strcmp(key, "domain")) {
		return tape_trace_read_domain(t, r, x, rest);
	} else if (!strcmp(key, "tid")) {
		return tape_trace_read_tid(t, x, rest, &r->info.tid);
	} else if (!strcmp(key, "parent")) {
		return tape_trace_read_tid(t, x, rest, &r->info.parent);
	} else if (!strcmp(key, "spawned")) {
		if (r->info.spawned_by >= 0 ||
		    tape_text_u64(tape_text_word(&rest), 10, &n) ||
		    n >= (uint64_t)r->info.rank ||
		    tape_text_u64(tape_text_word(&rest), 16,
				  &r->info.spawned_in))
			return bad_line(t, x, "bad spawn");
		r->info.spawned_by = (int)n;
	} else if (!strcmp(key, "former")) {
		if (r->info.former >= 0 ||
		    tape_text_u64(tape_text_word(&rest), 10, &n) ||
		    n >= (uint64_t)r->info.rank)
			return bad_line(t, x, "bad former rank");
		r->info.former = (int)n;
	} else if (!strcmp(key, "tick_hz")) {
		if (tape_text_double(tape_text_word(&rest), &r->tick_hz) ||
		    r->tick_hz < 1 || r->tick_hz > 1e12)
			return bad_line(t, x, "bad tick_hz");
	}
	return 0;
}

/* That of a trace which does not say: of its host alone. */
static char *host_position(const char *host)
{
	char position[TAPE_POSITION_MAX] = TAPE_LEVEL_CLUSTER;

	tape_position_add(position, TAPE_LEVEL_MACHINE, host);
	return strdup(position);
}

/* Frees the unused space after the end of an array that has grown. */
static void *shrink_array(void *array, size_t n, size_t size)
{
	void *p = array ? realloc(array, n * size) : NULL;

	return p ? p : array;
}

/* All of a rank is known; what names its ids stays as it is. */
static void shrink_rank(struct tape_rank *r)
{
	struct tape_rank_info *i = &r->info;

	while (i->n_sites > 1 && !r->sites[i->n_sites - 1].call)
		i->n_sites--;
	while (i->n_comms > 1 && !r->comms[i->n_comms - 1].index)
		i->n_comms--;
	r->sites = shrink_array(r->sites, i->n_sites, sizeof *r->sites);
	r->comms = shrink_array(r->comms, i->n_comms, sizeof *r->comms);
}

/* What its file has beyond what was read before. */
static int read_new_lines(struct tape_trace *t, struct tape_rank *r)
{
	char name[32], *line;
	struct tape_text x;
	int rc;

	snprintf(name, sizeof name, "rank.%d", r->info.rank);
	rc = tape_text_open_from(t, name, 1, r->read_bytes, r->read_lines, &x);
	if (rc < 0)
		return rc;
	/* a rank that never got here has no file, or an empty one, and no
	 * flow */
	if (!rc && !x.before && x.n &&
	    (!tape_text_line(&x, &line) || strcmp(line, "tape-rank 1")))
		rc = bad_line(t, &x, "not the definitions of a rank");
	while (!rc && tape_text_line(&x, &line)) {
		char *rest = line, *key = tape_text_word(&rest);

		if (key)
			rc = read_rank_line(t, r, &x, key, rest);
	}
	r->read_bytes += x.at;
	r->read_lines = x.line;
	tape_text_close(&x);
	return rc < 0 ? rc : 0;
}

int tape_trace_read_rank(struct tape_trace *t, int rank)
{
	struct tape_rank *r = &t->ranks[rank];
	int rc;

	r->info.rank = rank;
	if (!r->read_bytes)
		r->info.former = r->info.spawned_by = -1;
	rc = r->to_come ? 0 : read_new_lines(t, r);
	if (!t->follow)
		shrink_rank(r);
	if (r->info.host && !r->info.position)
		r->info.position = host_position(r->info.host);
	r->info.sites = r->sites;
	r->info.comms = r->comms;
	r->info.regions = (const char *const *)r->regions;
	r->info.groups = r->groups;
	r->info.counters = r->counters;
	r->info.alphas = r->alphas;
	return rc;
}
