/* Opens a trace directory; see tape_reader.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "growing_array.h"
#include "lower_bound.h"
#include "error.h"
#include "sort.h"
#include "tape_follow.h"
#include "trace.h"

int tape_trace_fail(struct tape_trace *t, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(t->error, sizeof t->error, format, ap);
	va_end(ap);
	return code;
}

int tape_trace_no_memory(struct tape_trace *t)
{
	return tape_trace_fail(t, TAPE_ENOMEM, "%s",
			       tape_error_text(TAPE_ENOMEM));
}

static int compare_flow_files(const void *a, const void *b)
{
	const struct tape_flow_info *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

DIR *tape_trace_list(const struct tape_trace *t)
{
	/* its own descriptor: a listing moves it */
	int fd = openat(t->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

static int add_flow(struct tape_trace *t, uint32_t rank, uint32_t thread)
{
	struct tape_flow_info *f =
	    tape_grow_list(t->flows, t->n_flows, sizeof *f);
	char path[4600];

	if (f)
		t->flows = f;
	snprintf(path, sizeof path, "%s/flow.%u.%u", t->path, rank, thread);
	if (!f || !(t->flows[t->n_flows].file = strdup(path)))
		return tape_trace_no_memory(t);
	t->flows[t->n_flows].rank = (int)rank;
	t->flows[t->n_flows++].thread = (int)thread;
	return 0;
}

static int list_container_flows(struct tape_trace *t)
{
	uint32_t rank, thread;
	size_t i = 0;
	int rc = 0;

	while (!rc && tape_parts_flow(t, &i, &rank, &thread))
		rc = add_flow(t, rank, thread);
	return rc;
}

/* Finds the files flow.R.T of the directory. */
static int list_flow_files(struct tape_trace *t)
{
	DIR *dir = tape_trace_list(t);
	struct dirent *e;
	int rc = 0;

	if (!dir)
		return tape_trace_fail(t, TAPE_EIO, "%s: %s", t->path,
				       strerror(errno));
	while (!rc && (e = readdir(dir))) {
		unsigned rank, thread;
		char name[64];

		if (sscanf(e->d_name, "flow.%9u.%9u", &rank, &thread) != 2)
			continue;
		snprintf(name, sizeof name, "flow.%u.%u", rank, thread);
		if (strcmp(name, e->d_name))
			continue;
		if (rank >= t->n_ranks || thread > 1000000) {
			rc = tape_trace_fail(t, TAPE_EFORMAT,
					     "%s/%s: this rank is not in meta",
					     t->path, e->d_name);
			break;
		}
		rc = add_flow(t, rank, thread);
	}
	closedir(dir);
	if (t->n_flows)
		tape_sort(t->flows, t->n_flows, sizeof *t->flows,
			  compare_flow_files);
	return rc;
}

/* Everything that a trace holds except its events. */
static int read_definitions(struct tape_trace *t)
{
	int rc = t->follow ? tape_follow_begin(t) : 0;

	if (!rc)
		rc = tape_trace_read_meta(t);
	if (!rc)
		rc = tape_parts_read(t);
	if (!rc && t->follow)
		rc = tape_follow_reserve(t);
	for (size_t r = 0; !rc && r < t->n_ranks; r++)
		rc = tape_trace_read_rank(t, (int)r);
	if (!rc)
		rc = tape_trace_sort_tasks(t);
	if (!rc)
		rc = tape_trace_read_sites(t);
	if (!rc)
		rc = t->follow ? tape_follow_share_members(t)
			       : tape_trace_share_members(t);
	if (!rc)
		rc = tape_trace_read_clocks(t);
	if (!rc)
		rc = t->in_containers ? list_container_flows(t)
				      : list_flow_files(t);
	if (!rc && t->follow)
		rc = tape_follow_add_flows(t);
	if (!rc)
		rc = tape_trace_anchor(t);
	if (!rc && !(t->damage = calloc(t->n_flows + 1, sizeof *t->damage)))
		rc = tape_trace_no_memory(t);
	return rc;
}

static void find_class_fields(struct tape_trace *t)
{
	struct tape_field field;

	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++) {
		t->at[c] = (struct tape_class_at){ -1, -1, -1, -1 };
		for (unsigned i = 0; tape_class_field(c, i, &field); i++) {
			if (!strcmp(field.name, "comm"))
				t->at[c].comm = (int16_t)field.offset;
			if (!strcmp(field.name, "probe"))
				t->at[c].probe = (int16_t)field.offset;
			if (t->follow && !strcmp(field.name, "group"))
				t->at[c].group = (int16_t)field.offset;
			if (t->follow && !strcmp(field.name, "newcomm"))
				t->at[c].newcomm = (int16_t)field.offset;
		}
	}
}

int tape_trace_open_by(int dir, const char *path, struct tape_follow *follow,
		       struct tape_trace **out)
{
	struct tape_trace *t = calloc(1, sizeof *t);

	*out = t;
	if (!t) {
		free(follow);
		return TAPE_ENOMEM;
	}
	t->follow = follow;
	t->streamed = follow != NULL;
	t->dir = -1;
	find_class_fields(t);
	t->path = strdup(path);
	if (!t->path)
		return tape_trace_no_memory(t);
	if (strlen(path) >= 4000)
		return tape_trace_fail(t, TAPE_ERANGE, "the name is too long");
	do
		t->dir = dir < 0
			     ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			     : fcntl(dir, F_DUPFD_CLOEXEC, 0);
	while (t->dir < 0 && errno == ENOENT && tape_follow_wait_for_dir(t));
	if (t->dir < 0)
		return tape_trace_fail(t, TAPE_EIO, "%s: %s", path,
				       strerror(errno));
	return read_definitions(t);
}

int tape_trace_open_at(int dir, const char *path, struct tape_trace **t)
{
	return tape_trace_open_by(dir, path, NULL, t);
}

int tape_trace_open(const char *path, struct tape_trace **t)
{
	return tape_trace_open_at(-1, path, t);
}

int tape_trace_file(const struct tape_trace *t, const char *name)
{
	return tape_open_file(t->dir, name, NULL);
}

/* There is room for n; the highest one is top. */
static size_t used_ids(size_t n, uint32_t top)
{
	return n <= top ? n : (size_t)top + 1;
}

size_t tape_trace_sites(const struct tape_trace *t, int rank)
{
	const struct tape_rank *r = &t->ranks[rank];

	return used_ids(r->info.n_sites, r->top_site);
}

size_t tape_trace_regions(const struct tape_trace *t, int rank)
{
	const struct tape_rank *r = &t->ranks[rank];

	return used_ids(r->info.n_regions, r->top_region);
}

static void free_array(const struct tape_trace *t, void *array)
{
	if (!tape_follow_owns_array(t, array))
		free(array);
}

static void free_rank(const struct tape_trace *t, struct tape_rank *r)
{
	for (size_t i = 0; i < used_ids(r->info.n_comms, r->top_comm); i++) {
		free((char *)r->comms[i].name);
		free((int *)r->comms[i].sources);
	}
	for (size_t i = 0; i < used_ids(r->info.n_groups, r->top_group); i++)
		free((int *)r->groups[i].ranks);
	free_array(t, r->groups);
	tape_trace_free_vm_hosts(r);
	for (size_t i = 0; i < used_ids(r->info.n_regions, r->top_region); i++)
		free(r->regions[i]);
	free(r->modules);
	for (uint32_t i = 0; i < r->info.n_counters; i++) {
		free((char *)r->counters[i].name);
		free((char *)r->counters[i].unit);
	}
	free(r->counters);
	free(r->region_costs);
	free(r->site_costs);
	free(r->alphas);
	free(r->processors);
	free_array(t, r->sites);
	free_array(t, r->comms);
	free_array(t, r->regions);
	free((char *)r->info.host);
	free((char *)r->info.position);
	free((char *)r->info.note);
}

void tape_trace_close(struct tape_trace *t)
{
	if (!t)
		return;
	for (size_t r = 0; r < t->n_ranks; r++)
		free_rank(t, &t->ranks[r]);
	for (size_t i = 0; i < t->n_meta; i++) {
		free(t->meta[i].key);
		free(t->meta[i].value);
	}
	for (size_t i = 0; i < t->n_domains; i++) {
		free((char *)t->domains[i].info.name);
		free(t->domains[i].pieces);
	}
	for (size_t i = 0; i < t->n_flows; i++)
		free((char *)t->flows[i].file);
	for (size_t i = 0; t->damage && i < t->n_flows; i++)
		free(t->damage[i].text);
	free(t->damage);
	free(t->layout);
	free(t->first_layout);
	for (size_t i = 0; i < t->n_members; i++)
		free(t->members[i]);
	for (size_t i = 0; i < t->n_modules; i++)
		free(t->modules[i]);
	tape_strings_free(&t->strings);
	tape_follow_free(t);
	tape_parts_free(t);
	free(t->modules);
	free(t->members);
	free(t->ranks);
	free(t->meta);
	free(t->domains);
	free(t->samples);
	free(t->tasks);
	free(t->flows);
	if (t->dir >= 0)
		close(t->dir);
	free(t->path);
	free(t);
}

const char *tape_trace_error(const struct tape_trace *t)
{
	return t ? t->error : tape_error_text(TAPE_ENOMEM);
}

const char *tape_trace_path(const struct tape_trace *t)
{
	return t->path;
}

enum tape_base tape_trace_base(const struct tape_trace *t)
{
	return t->base;
}

const char *tape_trace_meta(const struct tape_trace *t, const char *key,
			    size_t n)
{
	for (size_t i = 0; i < t->n_meta; i++)
		if (!strcmp(t->meta[i].key, key) && !n--)
			return t->meta[i].value;
	return NULL;
}

size_t tape_trace_ranks(const struct tape_trace *t)
{
	return t->n_ranks;
}

const struct tape_rank_info *tape_trace_rank(const struct tape_trace *t,
					     int rank)
{
	return rank >= 0 && (size_t)rank < t->n_ranks ? &t->ranks[rank].info
						      : NULL;
}

size_t tape_trace_domains(const struct tape_trace *t)
{
	return t->n_domains;
}

const struct tape_domain_info *tape_trace_domain(const struct tape_trace *t,
						 uint32_t index)
{
	return index < t->n_domains ? &t->domains[index].info : NULL;
}

double tape_trace_tick_ns(const struct tape_trace *t, uint32_t domain)
{
	return domain < t->n_domains ? t->domains[domain].local_rate : 1;
}

const struct tape_sample *tape_trace_samples(const struct tape_trace *t,
					     size_t *n)
{
	*n = t->n_samples;
	return t->samples;
}

size_t tape_trace_flows(const struct tape_trace *t)
{
	return t->n_flows;
}

const struct tape_flow_info *tape_trace_flow(const struct tape_trace *t,
					     size_t flow)
{
	return flow < t->n_flows ? &t->flows[flow] : NULL;
}

const char *tape_trace_damage(const struct tape_trace *t, size_t flow,
			      int *nothing)
{
	const struct tape_damage *d = flow < t->n_flows ? &t->damage[flow]
							: NULL;

	if (nothing)
		*nothing = d && d->nothing;
	return d ? d->text : NULL;
}

/* The piece that holds a tick. */
static size_t find_clock_piece(const struct tape_domain_info *d, uint64_t tick)
{
	size_t i;

	TAPE_LOWER_BOUND(i, d->n_pieces, d->pieces[i].tick0 <= tick);
	return i ? i - 1 : 0;
}

int64_t tape_trace_date(const struct tape_trace *t, uint32_t domain,
			uint64_t tick)
{
	const struct tape_domain_info *d = tape_trace_domain(t, domain);

	if (!d || !d->n_pieces)
		return (int64_t)tick;
	return tape_piece_timestamp(&d->pieces[find_clock_piece(d, tick)],
				    tick);
}

/* Part of the way from a to b, rounded up, or down if that is set. */
static int64_t interpolate_bound(int64_t a, int64_t b, double part, int down)
{
	double v = (double)a + ((double)b - (double)a) * part;

	if (a == b)
		return a;
	if (part > 0 && (down ? b == INT64_MIN : b == INT64_MAX))
		return b;
	if (a == INT64_MIN || a == INT64_MAX)
		return a;
	v = down ? floor(v) : ceil(v);
	return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

void tape_trace_interval(const struct tape_trace *t, uint32_t domain,
			 uint64_t tick, int64_t *lo_ns, int64_t *hi_ns)
{
	const struct tape_domain_info *d = tape_trace_domain(t, domain);
	const struct tape_clock_piece *p;
	double part = 0;
	size_t i;

	*lo_ns = INT64_MIN;
	*hi_ns = INT64_MAX;
	if (!d || !d->n_pieces)
		return;
	i = find_clock_piece(d, tick);
	p = &d->pieces[i];
	*lo_ns = p->lo_ns;
	*hi_ns = p->hi_ns;
	if (i + 1 == d->n_pieces || tick <= p->tick0)
		return;
	part = (double)(tick - p->tick0) / (double)(p[1].tick0 - p->tick0);
	*lo_ns = interpolate_bound(p->lo_ns, p[1].lo_ns, part, 1);
	*hi_ns = interpolate_bound(p->hi_ns, p[1].hi_ns, part, 0);
}

void tape_event_intervals(const struct tape_trace *t,
			  const struct tape_event *e,
			  struct tape_interval *start,
			  struct tape_interval *end)
{
	const struct tape_rank_info *r = tape_trace_rank(t, e->rank);
	uint32_t domain = r ? r->domain : UINT32_MAX;

	tape_trace_interval(t, domain, e->start_tick, &start->lo_ns,
			    &start->hi_ns);
	tape_trace_interval(t, domain, e->end_tick, &end->lo_ns, &end->hi_ns);
}
