/* Tasks for several processes; see crew.h. */
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "tool.h"

/* Bytes that are given at once. */
enum { PIECE = 1 << 20 };

static void put(struct tape_peers *p, int to, unsigned kind, const void *data,
		size_t bytes)
{
	if (tape_peers_put(p, to, kind, data, bytes))
		tape_die(TAPE_FAILED, "out of memory");
}

static void put_others(struct tape_peers *p, unsigned kind, const void *data,
		       size_t bytes)
{
	for (int i = 0; i < p->n; i++)
		if (i != p->me)
			put(p, i, kind, data, bytes);
}

static void swap(struct tape_peers *p)
{
	if (p->swap(p))
		tape_die(TAPE_FAILED, "out of memory");
}

/* ---- giving ---- */

static void add_total(struct tape_peers *p, const void *data)
{
	uint64_t total[2];

	memcpy(total, data, sizeof total);
	p->all_bytes += total[0];
	p->all_events += total[1];
}

uint64_t stats_bytes(const struct tape_peers *p)
{
	return p->bytes + p->all_bytes;
}

uint64_t stats_events(const struct tape_peers *p)
{
	return p->events + p->all_events;
}

/* Gives what there is. Has anybody more? */
static int pass(struct tape_peers *p, uint32_t more, stats_taker *take,
		void *own)
{
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	uint32_t theirs;

	put_others(p, STATS_MORE, &more, sizeof more);
	swap(p);
	while ((data = tape_peers_next(p, &at, &kind, &bytes)))
		if (kind == STATS_MORE) {
			memcpy(&theirs, data, sizeof theirs);
			more |= theirs;
		} else if (kind == STATS_TOTAL) {
			add_total(p, data);
		} else {
			take(own, at.from, kind, data, bytes);
		}
	return more != 0;
}

static void takes_nothing(void *own, int from, unsigned kind, const void *data,
			  size_t bytes)
{
	(void)own;
	(void)from;
	(void)kind;
	(void)data;
	(void)bytes;
}

void stats_send(struct tape_peers *p, int to, enum stats_record kind,
		const void *data, size_t bytes, stats_taker *take, void *own)
{
	if (p->out[to].n > PIECE)
		pass(p, 1, take, own);
	put(p, to, kind, data, bytes);
}

void stats_sent(struct tape_peers *p, stats_taker *take, void *own)
{
	while (pass(p, 0, take, own))
		;
}

void stats_give(struct tape_peers *p, enum stats_record kind, const void *data,
		size_t bytes)
{
	stats_send(p, 0, kind, data, bytes, takes_nothing, NULL);
}

void stats_given(struct tape_peers *p, stats_taker *take, void *own)
{
	uint64_t total[2] = {p->bytes + p->out[0].n, p->events};

	if (p->me) {
		/* since it said so last */
		total[0] -= p->all_bytes;
		total[1] -= p->all_events;
		p->all_bytes += total[0];
		p->all_events += total[1];
		put(p, 0, STATS_TOTAL, total, sizeof total);
	}
	stats_sent(p, take ? take : takes_nothing, own);
	p->busy = 0;
}

/* ---- asking ---- */

static void ask(struct tape_peers *p, const struct stats_request *q,
		const char *path)
{
	p->busy = q->task != STATS_DISMISS;
	put_others(p, STATS_REQUEST, q, sizeof *q);
	put_others(p, STATS_PATH, path, strlen(path) + 1);
	swap(p);
}

void stats_ask(struct stats *s, enum stats_task task,
	       const struct marker *marker, uint64_t lines)
{
	struct stats_request q = {.task = task,
				  .which = s->which,
				  .lines = lines,
				  .from_ns = s->from_ns};

	if (marker)
		q.marker = *marker;
	ask(s->peers, &q, "");
	if (tape_peers_deal(s->peers, s->t))
		tape_die(TAPE_FAILED, "out of memory");
}

void stats_dismiss(struct tape_peers *p)
{
	struct stats_request q = {.task = STATS_DISMISS};

	ask(p, &q, "");
}

/* ---- reading ---- */

/* Where a rank's address is in the source. */
struct site {
	uint32_t rank, site;
	int32_t line;
	uint32_t file; /* bytes of its name; that of the function follows */
};

/* What process 0 found of the addresses. */
static void put_sites(struct tape_peers *p, const struct tape_trace *t)
{
	for (size_t i = 0; i < tape_trace_ranks(t); i++) {
		const struct tape_rank_info *r = tape_trace_rank(t, (int)i);

		for (size_t k = 1; k < r->n_sites; k++) {
			const struct tape_site_info *x = &r->sites[k];
			char text[8192];
			struct site s = {(uint32_t)i, (uint32_t)k, x->line, 0};
			size_t f = x->file ? strlen(x->file) + 1 : 0;
			size_t g = x->function ? strlen(x->function) + 1 : 1;

			if (!x->module || !f || sizeof s + f + g > sizeof text)
				continue;
			s.file = (uint32_t)f;
			memcpy(text, &s, sizeof s);
			memcpy(text + sizeof s, x->file, f);
			memcpy(text + sizeof s + f,
			       x->function ? x->function : "", g);
			put_others(p, STATS_SITE, text, sizeof s + f + g);
		}
	}
}

static void set_site(struct tape_trace *t, const void *data)
{
	const char *text = data;
	struct site s;

	memcpy(&s, data, sizeof s);
	text += sizeof s;
	tape_trace_resolve(t, (int)s.rank, s.site, text, s.line, text + s.file);
}

/* All say what is wrong; process 0 dies of the first of it. */
static int agree(struct tape_peers *p, const char *wrong, struct tape_trace *t)
{
	struct tape_peers_at at = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	int bad = *wrong;

	put_others(p, STATS_STATUS, wrong, strlen(wrong) + 1);
	swap(p);
	while ((data = tape_peers_next(p, &at, &kind, &bytes))) {
		if (kind == STATS_SITE && t)
			set_site(t, data);
		if (kind != STATS_STATUS || !*(const char *)data)
			continue;
		bad = 1;
		p->busy = 0;
		if (!p->me)
			tape_die(TAPE_FAILED, "process %d of %d: %s", at.from,
				 p->n, (const char *)data);
	}
	return bad;
}

/* All have the trace: reads it. */
static struct stats *read_all(struct tape_trace *t, int errors, uint32_t which,
			      struct tape_peers *p)
{
	struct stats_reading *r;
	struct stats *s;

	if (tape_peers_deal(p, t))
		tape_die(TAPE_FAILED, "out of memory");
	r = stats_open_part(t, errors, p);
	while (stats_step(r))
		;
	s = stats_close(r);
	s->which = which;
	return s;
}

struct stats *stats_read_with(struct tape_trace *t, int errors,
			      struct tape_peers *p)
{
	struct stats_request q = {.task = STATS_READ,
				  .errors = errors,
				  .ranks = tape_trace_ranks(t),
				  .flows = tape_trace_flows(t)};

	if (!p)
		return stats_read(t, errors);
	q.which = p->traces++;
	ask(p, &q, tape_trace_path(t));
	put_sites(p, t);
	agree(p, "", NULL);
	return read_all(t, errors, q.which, p);
}

/* ---- serving ---- */

struct served {
	struct tape_trace *t;
	struct stats *s;
};

static struct stats *serve_read(struct tape_peers *p,
				const struct stats_request *q, const char *path)
{
	char wrong[1000] = "";
	struct tape_trace *t;

	if (tape_trace_open(path, &t))
		strncpy(wrong, tape_trace_error(t), sizeof wrong - 1);
	else if (tape_trace_ranks(t) != q->ranks ||
		 tape_trace_flows(t) != q->flows)
		snprintf(wrong, sizeof wrong,
			 "%s is another trace than that "
			 "of process 0, or not all of it is there",
			 path);
	if (agree(p, wrong, *wrong ? NULL : t)) {
		tape_trace_close(t);
		return NULL;
	}
	return read_all(t, q->errors, q->which, p);
}

static int serve_one(struct tape_peers *p, struct stats **list, size_t n)
{
	struct tape_peers_at at = {0};
	struct stats_request q = {0};
	const void *data;
	unsigned kind;
	size_t bytes;
	char *path = NULL;

	swap(p);
	while ((data = tape_peers_next(p, &at, &kind, &bytes)))
		if (kind == STATS_REQUEST)
			memcpy(&q, data, sizeof q);
		else if (kind == STATS_PATH && !path)
			path = tape_must(strdup(data));
	if (q.task == STATS_READ && q.which < n)
		list[q.which] = serve_read(p, &q, path);
	free(path);
	if (q.task != STATS_PHASES && q.task != STATS_COUNTERS)
		return q.task == STATS_READ;
	if (q.which >= n || !list[q.which] ||
	    tape_peers_deal(p, list[q.which]->t))
		tape_die(TAPE_FAILED, "out of memory");
	if (q.task == STATS_PHASES)
		stats_serve_phases(list[q.which], &q);
	else
		stats_serve_counters(list[q.which]);
	return 1;
}

void stats_serve(struct tape_peers *p)
{
	enum { TRACES = 4 };
	struct stats *list[TRACES] = {NULL};

	while (serve_one(p, list, TRACES))
		;
	for (size_t i = 0; i < TRACES; i++) {
		struct tape_trace *t = list[i] ? list[i]->t : NULL;

		stats_free(list[i]);
		tape_trace_close(t);
	}
}
