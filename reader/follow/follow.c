/*
 * Traces that are still being written; see tape_follow.h.
 *
 * A record counts once its first byte is not 0, and a chunk once its header has
 * a length: what these cover was written before. They are looked for, and
 * only then is the rest read, again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "number_text.h"
#include "follow_state.h"

/* A flow whose next event a caller waits for. */
enum { UNDER_WAY, LAST_LOOK, OVER };

/* ---- waiting ---- */

/* What was written before its writer ended may have come since: once more. */
static int wait_for_progress(struct tape_follow *w, unsigned char *state,
			     size_t flow)
{
	if (*state == LAST_LOOK)
		*state = OVER;
	if (*state == OVER)
		return 0;
	if (!w->by.wait || w->by.wait(w->by.self, flow))
		*state = LAST_LOOK;
	return 1;
}

int tape_follow_wait(struct tape_trace *t, size_t flow)
{
	return t->follow &&
	       wait_for_progress(t->follow, &t->follow->state[flow], flow);
}

void tape_follow_consumed(const struct tape_trace *t, size_t flow,
			  uint64_t bytes)
{
	if (t->follow && t->follow->by.consumed && bytes)
		t->follow->by.consumed(t->follow->by.self, flow, bytes);
}

/* ---- records ---- */

/* Is there something at that offset of the open chunk, or is it sealed? */
static int has_more(struct tape_flow *f, size_t at)
{
	unsigned char head[TAPE_CHUNK_HEADER], one = 0;

	if (tape_flow_fetch(f, f->at, head, sizeof head) !=
	    (ssize_t)sizeof head)
		return tape_flow_fail(f, TAPE_ETRUNCATED,
				      "the file became shorter");
	if (tape_get32(head + 20))
		return 1;
	if (at < TAPE_CHUNK_BYTES &&
	    tape_flow_fetch(f, f->at + at, &one, 1) < 0)
		return tape_flow_fail(f, TAPE_EIO, "%s",
				      tape_file_error_text(errno));
	return one != 0;
}

ssize_t tape_follow_settle(struct tape_flow *f, unsigned char *slot, ssize_t n)
{
	uint32_t used;

	if (!f->t->follow || n < (ssize_t)TAPE_CHUNK_HEADER)
		return n;
	do {
		used = tape_get32(slot + 20);
		memcpy(f->seen, slot, (size_t)n);
		f->n_seen = (size_t)n;
		n = tape_flow_fetch(f, f->at, slot, TAPE_CHUNK_BYTES);
	} while (n >= (ssize_t)TAPE_CHUNK_HEADER && !used &&
		 tape_get32(slot + 20));
	return n;
}

/* The chunk as it is now; at bytes of it were read before. */
static int reload_chunk(struct tape_flow *f, size_t at)
{
	unsigned char slot[TAPE_CHUNK_BYTES];
	uint32_t sequence = f->head.sequence;
	ssize_t got = tape_flow_fetch(f, f->at, slot, sizeof slot);

	got = tape_follow_settle(f, slot, got);
	if (got < (ssize_t)TAPE_CHUNK_HEADER || (size_t)got < at)
		return tape_flow_fail(f, TAPE_ETRUNCATED,
				      "the file became shorter");
	tape_chunk_get(slot, &f->head);
	if (f->head.sequence != sequence ||
	    f->head.used > TAPE_CHUNK_BYTES - TAPE_CHUNK_HEADER ||
	    f->head.tallies > TAPE_TALLIES_MAX)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "the header of chunk %u has changed",
				      sequence);
	if (tape_flow_check(f, slot, (size_t)got))
		return f->error;
	if (f->have < at)
		return tape_flow_fail(f, TAPE_EFORMAT, "chunk %u was truncated",
				      sequence);
	memcpy(f->chunk + at, slot + at, f->have - at);
	tape_flow_set_window(f, f->have);
	return 0;
}

int tape_follow_more(struct tape_flow *f)
{
	size_t at = (size_t)(f->p - f->chunk);
	int rc, more;

	for (;;) {
		more = has_more(f, at);
		if (more < 0)
			return more;
		if (!more && tape_follow_wait(f->t, f->index))
			continue;
		rc = reload_chunk(f, at);
		return rc ? rc : more;
	}
}

/* ---- definitions ---- */

/* What that rank defined since; *more is set if there is something. */
static int read_new_definitions(struct tape_trace *t, int rank, int *more)
{
	size_t before = t->ranks[rank].read_bytes;
	int rc = tape_trace_read_rank(t, rank);

	*more |= t->ranks[rank].read_bytes != before;
	return rc;
}

static void report_definitions(const struct tape_follow *w, int more)
{
	if (more && w->by.defined)
		w->by.defined(w->by.self);
}

int tape_trace_catch_up(struct tape_trace *t)
{
	int rc = 0, more = 0;

	for (size_t r = 0; t->follow && !rc && r < t->n_ranks; r++)
		if (t->ranks[r].info.host) /* or when it is opened */
			rc = read_new_definitions(t, (int)r, &more);
	if (!rc)
		report_definitions(t->follow, more);
	return rc;
}

int tape_follow_read_all(struct tape_flow *f)
{
	int rc = tape_trace_catch_up(f->t);

	return rc ? tape_flow_fail(f, rc, "%s", f->t->error) : 0;
}

int tape_follow_read_own(struct tape_flow *f)
{
	int more = 0,
	    rc = read_new_definitions(f->t, f->rank->info.rank, &more);

	if (rc)
		return tape_flow_fail(f, rc, "%s", f->t->error);
	report_definitions(f->t->follow, more);
	return 0;
}

/* Of many ranks room for all sites that may come would be too much. */
static int grow_site_states(struct tape_flow *f, uint64_t site)
{
	size_t n = f->n_sites;
	struct tape_site_state *grown =
	    tape_reserve_id(NULL, f->sites, &n, site, sizeof *grown);

	if (!grown)
		return tape_flow_no_memory(f);
	f->sites = grown;
	f->n_sites = n;
	return 0;
}

int tape_follow_site(struct tape_flow *f, uint64_t site)
{
	const struct tape_site_info *s;

	if (!f->t->follow || site >= f->rank->info.n_sites ||
	    (site >= f->n_sites && grow_site_states(f, site)))
		return 0;
	if (f->sites[site].call)
		return 1;
	if (!f->rank->sites[site].call && tape_follow_read_all(f))
		return 0;
	s = &f->rank->sites[site]; /* definitions that came may have moved it */
	f->sites[site].call = s->call;
	f->sites[site].class_ = (uint8_t)tape_call_class(s->call);
	return s->call != 0;
}

void tape_follow_region(struct tape_flow *f, uint64_t region)
{
	if (f->t->follow && region < f->rank->info.n_regions &&
	    !f->rank->regions[region])
		tape_follow_read_all(f);
}

void tape_follow_group(struct tape_flow *f, unsigned class_,
		       const union tape_fields *u)
{
	uint32_t group;

	memcpy(&group, (const char *)u + f->t->at[class_].group, sizeof group);
	if (group >= f->rank->info.n_groups || group <= f->top_group)
		return;
	/* of a long one some lines may have been read, and not the others */
	if (!tape_follow_read_own(f))
		f->top_group = group;
}

/* ---- the beginning ---- */

/* Ids of a rank; memory that is not used costs nothing but its addresses. */
static size_t max_ids_per_rank(const struct tape_trace *t)
{
	size_t n = ((size_t)TAPE_FOLLOW_IDS << 12) / t->n_ranks;

	return n > TAPE_FOLLOW_IDS ? TAPE_FOLLOW_IDS : n < 1024 ? 1024 : n;
}

int tape_follow_reserve(struct tape_trace *t)
{
	struct tape_follow *w = t->follow;
	struct tape_rank *r = t->ranks;
	size_t ids = max_ids_per_rank(t), bytes;
	char *at;

	/* all at once: what malloc gives bit by bit it writes to */
	bytes = ids * (sizeof *r->sites + sizeof *r->comms +
		       sizeof *r->regions + sizeof *r->groups + 1);
	bytes = (bytes + 63) / 64 * 64;
	w->room_bytes = bytes * t->n_ranks + 1;
	at = mmap(NULL, w->room_bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	w->settled = calloc(t->n_ranks + 1, sizeof(unsigned char *));
	if (at == MAP_FAILED || !w->settled)
		return tape_trace_no_memory(t);
	w->room = at;
	w->ids = ids;
	for (size_t i = 0; i < t->n_ranks; i++, r++, at = w->room + i * bytes) {
		r->info.n_sites = r->info.n_comms = ids;
		r->info.n_regions = r->info.n_groups = ids;
		r->sites = (struct tape_site_info *)(void *)at;
		r->comms = (struct tape_comm_info *)(void *)(r->sites + ids);
		r->regions = (char **)(void *)(r->comms + ids);
		r->groups =
		    (struct tape_group_info *)(void *)(r->regions + ids);
		w->settled[i] = (unsigned char *)(r->groups + ids);
	}
	return 0;
}

int tape_follow_owns_array(const struct tape_trace *t, const void *p)
{
	const struct tape_follow *w = t ? t->follow : NULL;

	return w && w->room && (const char *)p >= w->room &&
	       (const char *)p < w->room + w->room_bytes;
}

int tape_follow_has_record(const struct tape_trace *t, int rank, int thread)
{
	unsigned char b[TAPE_CHUNK_HEADER + 1] = {0};
	char name[64];
	int fd;

	snprintf(name, sizeof name, "flow.%d.%d", rank, thread);
	fd = tape_open_file(t->dir, name, NULL);
	if (fd < 0)
		return 0;
	if (pread(fd, b, sizeof b, 0) < 4)
		b[0] = 0;
	close(fd);
	return tape_get32(b) && b[TAPE_CHUNK_HEADER];
}

/*
 * How many ranks there will be, of meta; 0: it does not say, or is no meta of
 * this version, which who reads it will say. -1: it is not there yet.
 */
static long read_rank_count(struct tape_trace *t, int *known)
{
	struct tape_text x;
	char *line;
	long ranks = -1;

	*known = 1;
	if (tape_text_open(t, "meta", 1, &x))
		return -1;
	if (tape_text_line(&x, &line)) {
		*known = !strcmp(line, "tape-trace 1");
		ranks = 0;
	}
	while (*known && tape_text_line(&x, &line)) {
		if (!strncmp(line, "ranks ", 6))
			ranks = (long)tape_leading_number(line + 6, 10);
		/* who reads it will say so, too */
		if (!strncmp(line, "layout ", 7))
			*known = 0;
	}
	tape_text_close(&x);
	return ranks;
}

static int has_begun(struct tape_trace *t)
{
	int known;
	long n = read_rank_count(t, &known);

	if (!known)
		return 1;
	if (n < 0 || !tape_follow_has_record(t, 0, 0))
		return 0;
	for (long r = 1; r < n && r < TAPE_IDS_MAX; r++)
		if (!tape_follow_has_record(t, (int)r, 0))
			return 0;
	return 1;
}

int tape_follow_wait_for_dir(struct tape_trace *t)
{
	int why = errno, again;

	again = t->follow &&
		wait_for_progress(t->follow, &t->follow->began, SIZE_MAX);
	errno = why;
	return again;
}

int tape_follow_begin(struct tape_trace *t)
{
	while (!has_begun(t) &&
	       wait_for_progress(t->follow, &t->follow->began, SIZE_MAX))
		;
	return 0;
}

/* Threads of a rank that may come: fewer where there are many ranks. */
static int max_threads_per_rank(const struct tape_trace *t)
{
	size_t n = TAPE_FOLLOW_FLOWS / (t->n_ranks + 1);

	return n > TAPE_FOLLOW_THREADS ? TAPE_FOLLOW_THREADS : n ? (int)n : 1;
}

static int add_future_flow(struct tape_trace *t, struct tape_flow_info *list,
			   size_t *n, int rank, int thread)
{
	char path[4600];

	snprintf(path, sizeof path, "%s/flow.%d.%d", t->path, rank, thread);
	list[*n] = (struct tape_flow_info){rank, thread, strdup(path)};
	return list[(*n)++].file ? 0 : -1;
}

int tape_follow_add_flows(struct tape_trace *t)
{
	int threads = max_threads_per_rank(t), rc = 0;
	size_t room = t->n_ranks * (size_t)threads + t->n_flows + 1;
	struct tape_flow_info *all = calloc(room, sizeof *all);
	size_t at = 0, n = 0;

	t->follow->state = calloc(room, 1);
	/* the existing flows, and a slot for each flow that may appear */
	for (size_t r = 0; all && !rc && r < t->n_ranks; r++) {
		for (int i = 0; !rc && i < threads; i++) {
			if (at < t->n_flows && t->flows[at].rank == (int)r &&
			    t->flows[at].thread == i)
				all[n++] = t->flows[at++];
			else
				rc = add_future_flow(t, all, &n, (int)r, i);
		}
		while (at < t->n_flows && t->flows[at].rank == (int)r)
			all[n++] = t->flows[at++];
	}
	if (all) {
		free(t->flows);
		t->flows = all;
		t->n_flows = n;
	}
	return all && !rc && t->follow->state ? 0 : tape_trace_no_memory(t);
}

int tape_trace_set_damage(struct tape_trace *t, size_t flow, const char *text,
			  int nothing)
{
	struct tape_damage *d = flow < t->n_flows ? &t->damage[flow] : NULL;

	if (!d)
		return TAPE_ERANGE;
	if (d->text)
		return 0;
	d->text = strdup(text);
	d->nothing = nothing;
	return d->text ? 0 : TAPE_ENOMEM;
}

int tape_trace_followed(const struct tape_trace *t)
{
	return t->follow != NULL;
}

int tape_trace_begun(struct tape_trace *t, size_t flow)
{
	const struct tape_flow_info *f = tape_trace_flow(t, flow);

	return f && (!t->follow || t->follow->state[flow] == OVER ||
		     tape_follow_has_record(t, f->rank, f->thread));
}

int tape_trace_await_task(struct tape_trace *t)
{
	/* the last one comes last */
	if (!t->follow || !t->n_ranks || t->ranks[t->n_ranks - 1].info.host)
		return 0;
	return wait_for_progress(t->follow, &t->follow->tasks, SIZE_MAX);
}

/* The clock of a task that has come; it was sampled before its first event. */
static int place_new_clock(struct tape_trace *t, uint32_t domain)
{
	int rc;

	if (!t->follow->clock)
		return 0;
	t->n_samples = 0;
	rc = tape_trace_read_clocks(t);
	return rc ? rc : t->follow->clock(t->follow->clock_self, domain);
}

void tape_trace_on_clock(struct tape_trace *t,
			 int (*clock)(void *self, uint32_t domain), void *self)
{
	if (!t->follow)
		return;
	t->follow->clock = clock;
	t->follow->clock_self = self;
}

int tape_follow_open(struct tape_trace *t, size_t flow)
{
	const struct tape_following *by = &t->follow->by;
	int rank = t->flows[flow].rank, rc;
	size_t domains = t->n_domains;

	while (!tape_trace_begun(t, flow))
		if (!tape_follow_wait(t, flow))
			return 1;
	if (t->ranks[rank].info.host)
		return 0;
	rc = tape_trace_new_task(t, rank);
	if (!rc && t->n_domains > domains)
		rc = place_new_clock(t, (uint32_t)domains);
	if (!rc && by->defined)
		by->defined(by->self);
	return rc;
}

void tape_follow_free(struct tape_trace *t)
{
	if (!t->follow)
		return;
	if (t->follow->room)
		munmap(t->follow->room, t->follow->room_bytes);
	tape_follow_free_comms(t->follow);
	free(t->follow->settled);
	free(t->follow->state);
	free(t->follow);
}

int tape_trace_follow_at(int dir, const char *path,
			 const struct tape_following *f,
			 struct tape_trace **out)
{
	struct tape_follow *w = calloc(1, sizeof *w);

	*out = NULL;
	if (!w)
		return TAPE_ENOMEM;
	w->by = *f;
	return tape_trace_open_by(dir, path, w, out);
}

int tape_trace_follow(const char *path, const struct tape_following *f,
		      struct tape_trace **out)
{
	return tape_trace_follow_at(-1, path, f, out);
}
