/*
 * Looks up the addresses of a trace, module by module, each in a child
 * process: the files are whatever the trace says. See resolve.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "growing_array.h"
#include "hash_bits.h"
#include "demangle.h"
#include "elf_lines.h"
#include "output_cleanup.h"
#include "sort.h"
#include "table.h"
#include "tape_follow.h"
#include "tool.h"
#include "resolve.h"
#include "writer.h"

/* Time for one file and for all, seconds; the longest names that are kept. */
enum {
	SECONDS_MAX = 60, SECONDS_ALL = 300,
	NAME_BYTES_MAX = 1000, FILE_BYTES_MAX = 4096
};

/* One address of one rank. */
struct entry {
	const struct tape_site_info *site;
	int rank;
};

/* What a child says of one address, followed by both strings. */
struct answer {
	uint64_t index; /* of its first entry */
	int32_t line;
	uint32_t file_bytes, function_bytes;
};

/* The entries of one module, and what became of them. */
struct module {
	const struct entry *list;
	size_t n;
	unsigned seconds; /* that it may take */
	enum tape_lines_status status;
	size_t places, missing; /* different addresses, and without a line */
};

static int by_module(const struct tape_site_info *a,
		     const struct tape_site_info *b)
{
	uintptr_t x = (uintptr_t)a->from, y = (uintptr_t)b->from;

	/* those without a build-id are distinguished by their path */
	if (!x && !y) {
		x = (uintptr_t)a->module;
		y = (uintptr_t)b->module;
	}
	return x < y ? -1 : x > y;
}

static int by_address(const void *a, const void *b)
{
	const struct tape_site_info *x = ((const struct entry *)a)->site;
	const struct tape_site_info *y = ((const struct entry *)b)->site;
	int d = by_module(x, y);

	if (!d)
		d = (x->address > y->address) - (x->address < y->address);
	return d;
}

/* Is entry i of the module the first one with its address? */
static int is_first_of_address(const struct module *m, size_t i)
{
	return !i || m->list[i].site->address != m->list[i - 1].site->address;
}

/* ---- the child ---- */

static void write_answer(FILE *out, size_t i, const struct tape_line *p)
{
	char function[NAME_BYTES_MAX];
	struct answer a = { .index = i, .line = p->line };

	tape_demangle(p->function, function, sizeof function);
	a.file_bytes = (uint32_t)strlen(p->file);
	a.function_bytes = (uint32_t)strlen(function);
	if (a.file_bytes > FILE_BYTES_MAX)
		a.file_bytes = 0;
	fwrite(&a, sizeof a, 1, out);
	fwrite(p->file, 1, a.file_bytes, out);
	fwrite(function, 1, a.function_bytes, out);
}

/*
 * What the file needs beyond what the process has. Not where the sanitizers
 * map terabytes for themselves.
 */
static void limit_memory(const struct tape_module_info *from)
{
	unsigned long pages = 0;
	struct rlimit l;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	if (!pages || pages > 1ul << 32 || getrlimit(RLIMIT_AS, &l))
		return;
	l.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) +
		     tape_lines_room(from ? from->size : 0);
	if (l.rlim_max == RLIM_INFINITY || l.rlim_cur < l.rlim_max)
		setrlimit(RLIMIT_AS, &l);
}

__attribute__((noreturn)) static void run_lookup_child(const struct module *m,
						       int fd)
{
	FILE *out = fdopen(fd, "w");
	struct tape_lines *l;
	enum tape_lines_status status;

	tape_cleanup_reset();
	/* what it does with a hostile file is nobody's core dump */
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	limit_memory(m->list[0].site->from);
	signal(SIGALRM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	alarm(m->seconds);
	status = tape_lines_open(m->list[0].site->from, &l);
	for (size_t i = 0; out && i < m->n; i++) {
		const struct tape_site_info *s = m->list[i].site;
		struct tape_line p = { "", 0, "" };

		if (!is_first_of_address(m, i))
			continue;
		/* the call is what ends at the return address */
		if (l)
			tape_lines_find(l, s->address - 1, &p);
		if (!*p.function && s->symbol)
			p.function = s->symbol;
		write_answer(out, i, &p);
	}
	_exit(out && !fflush(out) ? (int)status : (int)TAPE_LINES_BROKEN);
}

/* ---- the parent ---- */

static int read_word(FILE *in, char *word, uint32_t n, uint32_t most)
{
	if (n > most || fread(word, 1, n, in) != n)
		return -1;
	word[n] = '\0';
	return strlen(word) == n ? 0 : -1;
}

static void read_answers(struct tape_trace *t, struct module *m, FILE *in)
{
	char file[FILE_BYTES_MAX + 1], function[NAME_BYTES_MAX + 1];
	struct answer a;

	while (fread(&a, sizeof a, 1, in) == 1) {
		if (a.index >= m->n ||
		    read_word(in, file, a.file_bytes, FILE_BYTES_MAX) ||
		    read_word(in, function, a.function_bytes, NAME_BYTES_MAX))
			return;
		m->missing -= *file != '\0';
		for (size_t i = (size_t)a.index;
		     i < m->n &&
		     (i == (size_t)a.index || !is_first_of_address(m, i));
		     i++)
			if (tape_trace_resolve(t, m->list[i].rank,
					       m->list[i].site->id, file,
					       a.line, function))
				tape_die(TAPE_FAILED, "%s",
					 tape_trace_error(t));
	}
}

static void look_up_module(struct tape_trace *t, struct module *m)
{
	int fds[2], status = 0;
	FILE *in;
	pid_t pid;

	for (size_t i = 0; i < m->n; i++)
		m->places += (size_t)is_first_of_address(m, i);
	m->missing = m->places;
	if (pipe(fds))
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	if (!pid) {
		close(fds[0]);
		run_lookup_child(m, fds[1]);
	}
	close(fds[1]);
	in = tape_must(fdopen(fds[0], "r"));
	read_answers(t, m, in);
	fclose(in);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	m->status = TAPE_LINES_BROKEN;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		m->status = TAPE_LINES_SLOW;
	if (WIFEXITED(status) && WEXITSTATUS(status) < TAPE_LINES_BROKEN)
		m->status = (enum tape_lines_status)WEXITSTATUS(status);
}

/* Why there are no lines, and what to do. */
static const char *const reasons[] = {
    [TAPE_LINES_OK] = "compile all of the program with -g",
    [TAPE_LINES_NONE] = "it has no debug information; compile it with -g, "
			"or install its debug symbols",
    [TAPE_LINES_ABSENT] = "no such file on this host; correct the trace on a "
			  "host where the program ran",
    [TAPE_LINES_OTHER] = "the file has changed since the run; run it again, or "
			 "restore the file that ran",
    [TAPE_LINES_UNKNOWN] = "the trace has no build identifier of the file",
    [TAPE_LINES_LARGE] = "its debug information takes more than a GiB of "
			 "memory and 16 times its size; store it "
			 "uncompressed",
    [TAPE_LINES_SLOW] = "reading the debug information takes too long",
    [TAPE_LINES_BROKEN] = "the debug information cannot be read",
};

static void warn_unresolved(const struct module *m)
{
	const char *path = m->list[0].site->module;

	if (!m->missing || !path || !*path) /* no path: code made at run time */
		return;
	if (m->missing < m->places)
		tape_warn("%s: no lines for %zu of %zu call sites: %s", path,
			  m->missing, m->places, reasons[m->status]);
	else
		tape_warn("%s: no line%s for %zu call site%s: %s", path,
			  m->places > 1 ? "s" : "", m->places,
			  m->places > 1 ? "s" : "", reasons[m->status]);
}

/* The sites of t that are addresses without a line, by module. */
static struct entry *list_unresolved_sites(const struct tape_trace *t,
					   size_t *n)
{
	size_t room = 1;
	struct entry *list;

	for (size_t r = 0; r < tape_trace_ranks(t); r++)
		room += tape_trace_sites(t, (int)r);
	list = tape_must(malloc(room * sizeof *list));
	*n = 0;
	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		const struct tape_rank_info *rank = tape_trace_rank(t, (int)r);

		for (size_t i = 1; i < tape_trace_sites(t, (int)r); i++)
			if (rank->sites[i].module && !rank->sites[i].file)
				list[(*n)++] = (struct entry){
					&rank->sites[i], (int)r };
	}
	tape_sort(list, *n, sizeof *list, by_address);
	return list;
}

static void report_module(void *unused, const struct module *m)
{
	(void)unused;
	warn_unresolved(m);
}

static void skip_report(void *unused, const struct module *m)
{
	(void)unused;
	(void)m;
}

/*
 * The n sites of the list, sorted, module by module. found gets each module,
 * and self.
 */
static void look_up_modules(struct tape_trace *t, const struct entry *list,
			    size_t n,
			    void (*found)(void *self, const struct module *m),
			    void *self)
{
	time_t start = time(NULL);
	size_t end;
	long left;

	for (size_t i = 0; i < n; i = end) {
		struct module m = { .list = &list[i] };

		for (end = i; end < n &&
			      !by_module(list[i].site, list[end].site); end++)
			;
		m.n = end - i;
		left = SECONDS_ALL - (long)(time(NULL) - start);
		m.seconds = left < 1		 ? 1
			    : left > SECONDS_MAX ? SECONDS_MAX
						 : (unsigned)left;
		look_up_module(t, &m);
		found(self, &m);
	}
}

static void say_not_built_in(void)
{
	tape_warn("no lines for call sites: this Tape was built without libdw "
		  "(libdw-dev)");
}

void tape_resolve(struct tape_trace *t)
{
	int quiet = tape_trace_resolved(t);
	size_t n;
	struct entry *list = list_unresolved_sites(t, &n);

	if (n && !quiet && !tape_lines_built_in()) {
		say_not_built_in();
		quiet = 1;
	}
	look_up_modules(t, list, n, quiet ? skip_report : report_module, NULL);
	free(list);
}

/* ---- as they come ---- */

/*
 * The first site with an address, and the turn in which it was looked up. Its
 * place in memory changes when more sites come.
 */
struct tried {
	int rank;
	uint32_t id; /* of the site; 0: there is none yet */
	uint64_t turn;
};

/* What is known of the sites of one module that came so far. */
struct sum {
	struct tape_site_info first; /* a copy */
	struct module m;	     /* without its list */
};

/* Numbers of sites that are left out in a row, at most. */
enum { GAP = 256 };

struct tape_resolver {
	struct tape_trace *t;
	size_t *next; /* site of each rank */
	size_t ranks;
	struct tape_table tried;
	struct entry *list;
	size_t n, room;
	uint64_t turn;
	struct sum *sums; /* by module */
	size_t n_sums;
	int quiet;
};

struct tape_resolver *tape_resolver_new(struct tape_trace *t)
{
	struct tape_resolver *r = tape_must(calloc(1, sizeof *r));

	r->t = t;
	r->ranks = tape_trace_ranks(t);
	r->next = tape_must(calloc(r->ranks + 1, sizeof *r->next));
	for (size_t i = 0; i < r->ranks; i++)
		r->next[i] = 1;
	r->tried.bytes = sizeof(struct tried);
	r->quiet = tape_trace_resolved(t);
	return r;
}

static void queue_site(struct tape_resolver *r,
		       const struct tape_site_info *site, int rank)
{
	r->list = tape_must(
	    tape_grow_array(r->list, &r->room, r->n + 1, sizeof *r->list));
	r->list[r->n++] = (struct entry){site, rank};
}

static const struct tape_site_info *tried_site(const struct tape_resolver *r,
					       const struct tried *p)
{
	return &tape_trace_rank(r->t, p->rank)->sites[p->id];
}

/* Returns what is known of the site's address, maybe new. */
static const struct tried *tried_of(struct tape_resolver *r,
				    const struct tape_site_info *site, int rank)
{
	uintptr_t of =
	    site->from ? (uintptr_t)site->from : (uintptr_t)site->module;
	uint64_t key =
	    tape_spread_bits(site->address + 1) ^ of * 0xc2b2ae3d27d4eb4fu;
	struct entry one = {site, 0}, other = {NULL, 0};
	struct tried *p;

	for (;; key++) {
		p = tape_must(tape_table_get(&r->tried, key ? key : ++key));
		if (!p->id) {
			*p = (struct tried){rank, site->id, r->turn};
			return p;
		}
		other.site = tried_site(r, p);
		if (!by_address(&one, &other))
			return p;
	}
}

static void add_or_copy_site(struct tape_resolver *r,
			     const struct tape_site_info *site, int rank)
{
	const struct tape_site_info *of;
	const struct tried *p;

	if (!site->module || site->file)
		return;
	p = tried_of(r, site, rank);
	of = tried_site(r, p);
	if (p->turn == r->turn)
		queue_site(r, site, rank);
	else if (of->file &&
		 tape_trace_resolve(r->t, rank, site->id, of->file, of->line,
				    of->function ? of->function : ""))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(r->t));
}

/* What is to be said of a module is said once, when all of its sites came. */
static void add_up(void *self, const struct module *m)
{
	struct tape_resolver *r = self;
	size_t i = 0;

	while (i < r->n_sums &&
	       by_module(&r->sums[i].first, m->list[0].site))
		i++;
	if (i == r->n_sums) {
		r->sums = tape_must(
		    realloc(r->sums, (r->n_sums + 1) * sizeof *r->sums));
		r->sums[r->n_sums++] = (struct sum){*m->list[0].site, *m};
		return;
	}
	r->sums[i].m.places += m->places;
	r->sums[i].m.missing += m->missing;
	if (m->missing)
		r->sums[i].m.status = m->status;
}

void tape_resolver_more(struct tape_resolver *r)
{
	r->n = 0;
	r->turn++;
	for (size_t i = 0; i < r->ranks; i++) {
		const struct tape_rank_info *rank =
		    tape_trace_rank(r->t, (int)i);
		size_t gap = 0, k = r->next[i];

		for (; k < rank->n_sites && gap < GAP; k++) {
			gap = rank->sites[k].call ? 0 : gap + 1;
			if (!gap)
				add_or_copy_site(r, &rank->sites[k], (int)i);
			if (!gap && k == r->next[i])
				r->next[i]++;
		}
	}
	if (!r->n)
		return;
	if (!r->quiet && !tape_lines_built_in()) {
		say_not_built_in();
		r->quiet = 1;
	}
	tape_sort(r->list, r->n, sizeof *r->list, by_address);
	look_up_modules(r->t, r->list, r->n, r->quiet ? skip_report : add_up,
			r);
}

void tape_resolver_quiet(struct tape_resolver *r)
{
	r->quiet = 1;
}

void tape_resolver_free(struct tape_resolver *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_sums; i++) {
		struct entry first = {&r->sums[i].first, 0};

		r->sums[i].m.list = &first;
		warn_unresolved(&r->sums[i].m);
	}
	tape_table_free(&r->tried);
	free(r->sums);
	free(r->next);
	free(r->list);
	free(r);
}

/* ---- keeping ---- */

static int by_build(const void *a, const void *b)
{
	const struct tape_site_info *x = *(void *const *)a;
	const struct tape_site_info *y = *(void *const *)b;
	int d = strcmp(x->from->path, y->from->path);

	if (!d)
		d = strcmp(x->from->build_id, y->from->build_id);
	if (!d)
		d = (x->from->size > y->from->size) -
		    (x->from->size < y->from->size);
	if (!d)
		d = (x->from->mtime > y->from->mtime) -
		    (x->from->mtime < y->from->mtime);
	return d ? d
		 : (x->address > y->address) - (x->address < y->address);
}

/* Lines of all sites, in order, each place once. */
static void write_places(FILE *f, const struct tape_site_info **list, size_t n)
{
	size_t modules = 0;

	fputs("tape-sites 1\n", f);
	for (size_t i = 0; i < n; i++) {
		const struct tape_site_info *s = list[i];

		if (!i || list[i - 1]->from != s->from) {
			fprintf(f, "module %zu", modules++);
			tape_write_module(f, s->from);
		} else if (list[i - 1]->address == s->address) {
			continue;
		}
		if (!s->file && (!s->function || !*s->function))
			continue;
		fprintf(f, "place %zu %" PRIx64 " %d", modules - 1, s->address,
			s->file ? s->line : 0);
		tape_write_word(f, s->file);
		tape_write_word(f, s->function);
		fputc('\n', f);
	}
}

void tape_resolve_write(struct tape_output *o, const struct tape_trace *t)
{
	const struct tape_site_info **list;
	size_t n = 0;
	FILE *f;

	for (size_t r = 0; r < tape_trace_ranks(t); r++)
		n += tape_trace_rank(t, (int)r)->n_sites;
	list = tape_must(malloc((n + 1) * sizeof *list));
	n = 0;
	for (size_t r = 0; r < tape_trace_ranks(t); r++) {
		const struct tape_rank_info *rank = tape_trace_rank(t, (int)r);

		for (size_t i = 1; i < rank->n_sites; i++)
			if (rank->sites[i].from)
				list[n++] = &rank->sites[i];
	}
	if (n) {
		tape_sort(list, n, sizeof *list, by_build);
		f = tape_output_stream(o, "sites");
		write_places(f, list, n);
		tape_output_end(o, f, "sites");
	}
	free(list);
}
