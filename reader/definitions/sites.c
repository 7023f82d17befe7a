/*
 * Call sites: their lines in rank.R, the builds of programs and libraries
 * that addresses are of, and the file `sites`, which says where in the source
 * they are.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "sort.h"
#include "tape_follow.h"
#include "trace.h"

/* A module of that path and build, the trace's; NULL: no room for it. */
static const struct tape_module_info *
intern_module(struct tape_trace *t, const struct tape_module_info *m)
{
	struct tape_module_info **grown, *fresh;

	for (size_t i = t->n_modules; i-- > 0;) {
		const struct tape_module_info *k = t->modules[i];

		if (k->path == m->path && k->build_id == m->build_id &&
		    k->size == m->size && k->mtime == m->mtime)
			return k;
	}
	if (t->n_modules == TAPE_MODULES_MAX)
		return NULL;
	grown = tape_grow_list(t->modules, t->n_modules, sizeof *grown);
	if (!grown)
		return NULL;
	t->modules = grown;
	fresh = malloc(sizeof *fresh);
	if (!fresh)
		return NULL;
	*fresh = *m;
	t->modules[t->n_modules++] = fresh;
	return fresh;
}

/* "PATH BUILDID SIZE MTIME" */
static int parse_module(struct tape_trace *t, const struct tape_text *x,
			char *rest, const struct tape_module_info **m)
{
	char *path = tape_text_word(&rest), *id = tape_text_word(&rest);
	struct tape_module_info new = { 0 };

	if (!path || !id ||
	    tape_text_u64(tape_text_word(&rest), 10, &new.size) ||
	    tape_text_i64(tape_text_word(&rest), &new.mtime))
		return bad_line(t, x, "bad module");
	new.path = tape_intern_string(t, tape_text_unescape(path));
	new.build_id = tape_intern_string(t, tape_text_unescape(id));
	if (!new.path || !new.build_id)
		return tape_trace_no_memory(t);
	*m = intern_module(t, &new);
	return 0;
}

int tape_trace_read_module(struct tape_trace *t, struct tape_rank *r,
			   const struct tape_text *x, char *rest)
{
	const struct tape_module_info *m, **grown;
	size_t i;
	int rc = parse_module(t, x, rest, &m);

	if (rc || !m)
		return rc;
	/* from here on, addresses in that path belong to that build */
	for (i = 0; i < r->n_modules && r->modules[i]->path != m->path; i++)
		;
	if (i == r->n_modules) {
		grown = tape_grow_list(r->modules, r->n_modules, sizeof *grown);
		if (!grown)
			return tape_trace_no_memory(t);
		r->modules = grown;
		r->n_modules++;
	}
	r->modules[i] = m;
	return 0;
}

/* A line "site" (of a source file) or "address". */
int tape_trace_read_site(struct tape_trace *t, struct tape_rank *r,
			 const struct tape_text *x, char *rest, int address)
{
	uint64_t id, call, offset = 0;
	int64_t line = 0;
	struct tape_site_info *s;
	const char *by = tape_trace_meta(t, "version", 0);
	char *file, *function;

	if (tape_text_u64(tape_text_word(&rest), 10, &id) ||
	    !is_plausible_id(x, id) ||
	    tape_text_u64(tape_text_word(&rest), 10, &call) ||
	    (address ? tape_text_u64(tape_text_word(&rest), 16, &offset)
		     : tape_text_i64(tape_text_word(&rest), &line)) ||
	    line < 0 || line > INT_MAX || !(file = tape_text_word(&rest)))
		return bad_line(t, x, "bad call site");
	if (!tape_call_known(call))
		return !by || !strcmp(by, TAPE_VERSION)
			   ? bad_line(t, x, "bad call site")
			   : tape_trace_fail(t, TAPE_EVERSION,
					     "%s: line "
					     "%d: Tape %s wrote it, this "
					     "is %s: it does not know "
					     "call %llu",
					     x->path, x->line, by, TAPE_VERSION,
					     (unsigned long long)call);
	function = tape_text_word(&rest);
	s = tape_reserve_id(t, r->sites, &r->info.n_sites, id, sizeof *s);
	if (!s)
		return tape_trace_no_memory(t);
	r->sites = s;
	s += id;
	if (s->call)
		return bad_line(t, x, "a call site defined twice");
	if (id > r->top_site)
		r->top_site = (uint32_t)id;
	s->id = (uint32_t)id;
	s->call = (uint16_t)call;
	s->line = (int)line;
	s->address = offset;
	function = function ? tape_text_unescape(function) : "";
	s->function = tape_intern_string(t, function);
	*(address ? &s->module : &s->file) =
	    tape_intern_string(t, tape_text_unescape(file));
	if (!s->function || !(s->file || s->module))
		return tape_trace_no_memory(t);
	if (address) {
		s->symbol = s->function;
		for (size_t i = r->n_modules; i-- > 0 && !s->from;)
			if (r->modules[i]->path == s->module)
				s->from = r->modules[i];
	}
	return 0;
}

/* ---- the file sites ---- */

struct place {
	const struct tape_module_info *from;
	uint64_t address;
	const char *file, *function;
	int line;
};

struct places {
	const struct tape_module_info **modules; /* by their number there */
	struct place *list;
	size_t n_modules, n;
};

static int by_address(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int add_module(struct tape_trace *t, const struct tape_text *x,
		      char *rest, struct places *p)
{
	const struct tape_module_info *m, **grown;
	uint64_t index;
	int rc;

	if (tape_text_u64(tape_text_word(&rest), 10, &index) ||
	    index != p->n_modules)
		return bad_line(t, x, "bad module");
	rc = parse_module(t, x, rest, &m);
	if (rc)
		return rc;
	grown = tape_grow_list(p->modules, p->n_modules, sizeof *grown);
	if (!grown)
		return tape_trace_no_memory(t);
	p->modules = grown;
	p->modules[p->n_modules++] = m;
	return 0;
}

static int add_site_place(struct tape_trace *t, const struct tape_text *x,
			  char *rest, struct places *p)
{
	struct place new = { 0 }, *grown;
	uint64_t index;
	int64_t line;
	char *file, *function;

	if (tape_text_u64(tape_text_word(&rest), 10, &index) ||
	    index >= p->n_modules ||
	    tape_text_u64(tape_text_word(&rest), 16, &new.address) ||
	    tape_text_i64(tape_text_word(&rest), &line) || line < 0 ||
	    line > INT_MAX || !(file = tape_text_word(&rest)) ||
	    !(function = tape_text_word(&rest)))
		return bad_line(t, x, "bad place");
	new.from = p->modules[index];
	new.line = (int)line;
	new.file = tape_intern_string(t, tape_text_unescape(file));
	new.function = tape_intern_string(t, tape_text_unescape(function));
	grown = tape_grow_list(p->list, p->n, sizeof *grown);
	if (grown)
		p->list = grown;
	if (!grown || !new.file || !new.function)
		return tape_trace_no_memory(t);
	p->list[p->n++] = new;
	return 0;
}

static void set_site_source(struct tape_site_info *s, const char *file,
			    int line, const char *function)
{
	if (*file) {
		s->file = file;
		s->line = line;
	}
	if (*function)
		s->function = function;
}

/* Tells every rank's sites. */
static void resolve_sites(struct tape_trace *t, struct places *p)
{
	if (p->n)
		tape_sort(p->list, p->n, sizeof *p->list, by_address);
	for (size_t r = 0; p->n && r < t->n_ranks; r++)
		for (size_t i = 0; i < tape_trace_sites(t, (int)r); i++) {
			struct tape_site_info *s = &t->ranks[r].sites[i];
			struct place key = { s->from, s->address, "", "", 0 };
			const struct place *found;

			if (!s->from)
				continue;
			found = tape_search(&key, p->list, p->n, sizeof key,
					    by_address);
			if (found)
				set_site_source(s, found->file, found->line,
						found->function);
		}
}

int tape_trace_read_sites(struct tape_trace *t)
{
	struct places p = { 0 };
	struct tape_text x;
	char *line;
	int rc;

	rc = tape_text_open(t, "sites", 1, &x);
	if (rc)
		return rc < 0 ? rc : 0;
	if (!tape_text_line(&x, &line) || strcmp(line, "tape-sites 1"))
		rc = bad_line(t, &x, "not the call sites of a trace");
	while (!rc && tape_text_line(&x, &line)) {
		char *rest = line, *key = tape_text_word(&rest);

		if (key && !strcmp(key, "module"))
			rc = add_module(t, &x, rest, &p);
		else if (key && !strcmp(key, "place"))
			rc = add_site_place(t, &x, rest, &p);
	}
	if (!rc)
		resolve_sites(t, &p);
	t->resolved = 1;
	tape_text_close(&x);
	free(p.modules);
	free(p.list);
	return rc;
}

int tape_trace_resolved(const struct tape_trace *t)
{
	return t->resolved;
}

int tape_trace_resolve(struct tape_trace *t, int rank, uint32_t site,
		       const char *file, int line, const char *function)
{
	if (rank < 0 || (size_t)rank >= t->n_ranks ||
	    site >= t->ranks[rank].info.n_sites || line < 0 ||
	    !t->ranks[rank].sites[site].module)
		return tape_trace_fail(t, TAPE_ERANGE,
				       "rank %d has no address %u", rank,
				       site);
	file = tape_intern_string(t, file);
	function = tape_intern_string(t, function);
	if (!file || !function)
		return tape_trace_no_memory(t);
	set_site_source(&t->ranks[rank].sites[site], file, line, function);
	return 0;
}
