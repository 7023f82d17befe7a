/* Waits and the critical path; see why.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "delay.h"
#include "json.h"
#include "path.h"
#include "sort.h"
#include "table.h"
#include "tool.h"
#include "why.h"

/* Bytes of flows, pieces of a path that are not too many; lines of a table. */
enum { LONG = 32 << 20, PIECES = 200000, LINES = 100 };

/* The waits of one kind at one call site. */
struct sum {
	int64_t ns, late_ns;
	uint64_t n;
	uint32_t call, kind;
	int32_t late_rank;   /* whom they waited for longest */
	uint32_t pad;
};

/* The same for one rank. */
struct for_rank {
	int64_t ns;
};

struct why {
	struct view *v;
	struct view_base *b;
	const struct view_window *w;
	struct tape_analysis *a;
	struct tape_places *places;
	int first;
	struct tape_table sums, ranks;
	int64_t *last_ns;    /* by flow: of the last wait in the columns */
	int64_t piece_ns;
};

int view_why_can(const struct view_base *b)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < tape_trace_flows(b->t); i++)
		bytes += tape_trace_flow_bytes(b->t, i);
	return !b->by_domain && bytes <= LONG;
}

__attribute__((noreturn)) static void fail(const struct why *y)
{
	tape_die(TAPE_FAILED, "%s", tape_analysis_error(y->a));
}

static void *record(struct tape_table *t, uint64_t key)
{
	void *p = tape_table_get(t, key);

	if (!p)
		tape_die(TAPE_FAILED, "out of memory");
	return p;
}

static int rank_of(const struct why *y, size_t flow)
{
	return y->v->flow[flow].info->rank;
}

/* The place of a call that waited, in the tables of the page. */
static uint32_t place_of(const struct why *y, uint32_t call)
{
	const struct tape_site_info *s = tape_place_get(y->places, call)->site;
	const struct view_names *k = y->v->names;

	/* once for each line of a table */
	for (uint32_t i = 1; s && i < k->n_places; i++)
		if (!tape_place_order(k->places[i].site, s))
			return i;
	return 0;
}

static void total(struct why *y, const struct tape_waited *x)
{
	uint64_t key = ((uint64_t)x->call << 8 | x->kind) + 1;
	int late = rank_of(y, x->late_flow);
	struct sum *s = record(&y->sums, key);
	struct for_rank *r;

	s->call = x->call;
	s->kind = x->kind;
	s->ns += x->ns;
	s->n++;
	r = record(&y->ranks, key << 24 | (uint32_t)late);
	r->ns += x->ns;
	if (r->ns > s->late_ns) {
		s->late_ns = r->ns;
		s->late_rank = late;
	}
	y->v->flow[x->flow].late_ns += x->ns;
	if (x->kind == TAPE_WAIT_LATE_SENDER)
		y->v->cells[(size_t)late / y->v->ranks_of_cell *
				    y->v->n_cells +
			    (size_t)rank_of(y, x->flow) / y->v->ranks_of_cell]
			.late_ns += x->ns;
}

static void waited(struct why *y, const struct tape_waited *x)
{
	int64_t start = x->from_ns - *y->b->origin_ns;
	struct view_base *b = y->b;

	view_bins_time(&b->bins, x->flow, VIEW_WAITING, start, start + x->ns);
	if (y->first)
		total(y, x);
	if (!y->v->flow[x->flow].kept || start > y->w->to_ns ||
	    start + x->ns < y->w->from_ns ||
	    (y->v->full && start > y->v->full_ns))
		return;
	b->waits++;
	view_put(&b->wait_flow, x->flow);
	view_put_signed(&b->wait_at, start - y->last_ns[x->flow]);
	view_put(&b->wait_ns, (uint64_t)x->ns);
	view_put(&b->wait_kind, x->kind);
	view_put(&b->wait_late, x->late_flow);
	y->last_ns[x->flow] = start;
}

static void piece(void *own, const struct tape_path_piece *p)
{
	struct why *y = own;
	struct view_base *b = y->b;
	int64_t to = p->to_ns - *b->origin_ns, ns = p->to_ns - p->from_ns;

	/* of too many those that can be seen without zooming far */
	if (ns < 0 || (b->pieces > PIECES && ns < b->length_ns / 20000))
		return;
	b->pieces++;
	view_put(&b->piece_flow, p->flow);
	view_put_signed(&b->piece_to, to - y->piece_ns);
	view_put(&b->piece_ns, (uint64_t)ns);
	y->piece_ns = to;
}

/* ---- tables ---- */

static void activity(const struct why *y, FILE *f, uint32_t number)
{
	char text[TAPE_PLACE_BYTES];

	tape_json_put(f, tape_activity_text(y->places, number, text,
					    sizeof text));
}

static int by_time(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->call != y->call ? (x->call > y->call) - (x->call < y->call)
				  : (int)x->kind - (int)y->kind;
}

/* The waits by call site and kind, the longest first. */
static struct sum *sorted(const struct why *y, size_t *n)
{
	struct sum *list = NULL;
	size_t at = 0, room = 0;
	const struct sum *s;
	uint64_t key;

	*n = 0;
	while ((s = tape_table_each(&y->sums, &at, &key))) {
		if (*n == room)
			list = view_grow(list, &room, sizeof *list);
		list[(*n)++] = *s;
	}
	if (*n)
		tape_sort(list, *n, sizeof *list, by_time);
	return list;
}

static void wait_rows(struct why *y, const struct tape_delays *d, FILE *f)
{
	size_t n;
	struct sum *list = sorted(y, &n);

	fprintf(f, ",\n\"waits\":[");
	for (size_t i = 0; i < n; i++) {
		const struct sum *s = &list[i];
		uint32_t place = place_of(y, s->call);
		size_t k = 0;

		y->v->late_ns[place] += s->ns;
		if (i >= LINES)
			continue;
		fprintf(f, "%s[%" PRId64 ",%" PRIu64 ",", i ? ",\n" : "\n",
			s->ns, s->n);
		tape_json_put(f, tape_wait_name((enum tape_wait_kind)s->kind));
		fputs(",", f);
		activity(y, f, s->call);
		fprintf(f, ",%d,%" PRId64 ",", s->late_rank, s->late_ns);
		while (k < d->n_blames && d->blame[k].call != s->call)
			k++;
		if (k < d->n_blames) {
			fprintf(f, "%d,%.0f,", rank_of(y, d->blame[k].flow),
				d->blame[k].ns);
			activity(y, f, d->blame[k].activity);
		} else {
			fputs("-1,0,\"\"", f);
		}
		fprintf(f, ",%" PRIu32 "]", place);
	}
	fputs("]", f);
	free(list);
}

static void cause_rows(struct why *y, const struct tape_delays *d, FILE *f)
{
	fprintf(f, ",\n\"causes\":[");
	for (size_t i = 0; i < d->n && i < LINES; i++) {
		const struct tape_delay *c = &d->delay[i];

		fprintf(f, "%s[%.0f,%.0f,%d,", i ? ",\n" : "\n",
			c->direct_ns + c->spread_ns, c->direct_ns,
			rank_of(y, c->flow));
		activity(y, f, c->activity);
		fputs("]", f);
	}
	fputs("]", f);
}

static void path_rows(struct why *y, const struct tape_path *p, FILE *f)
{
	fprintf(f, ",\n\"path\":[");
	for (size_t i = 0; i < p->n && i < LINES; i++) {
		const struct tape_path_place *x = &p->place[i];

		fprintf(f, "%s[%" PRId64 ",%.0f,%" PRId64 ",", i ? ",\n" : "\n",
			x->path_ns, x->imbalance_ns, x->all_ns);
		activity(y, f, x->activity);
		fputs("]", f);
	}
	fputs("]", f);
}

static void finish(struct why *y)
{
	struct tape_delays d = {0};
	struct tape_path p = {0};
	int known = tape_analysis_whole(y->a);
	size_t n = 0;
	FILE *f;

	if (!known)
		tape_warn("%s", tape_analysis_disk_is_full);
	if (known && tape_path_find(y->a, piece, y, &p))
		fail(y);
	if (y->first) {
		f = open_memstream(&y->v->why, &n);
		if (!f || (known && tape_delays_find(y->a, &d)))
			tape_die(TAPE_FAILED, "out of memory");
		wait_rows(y, &d, f);
		cause_rows(y, &d, f);
		path_rows(y, &p, f);
		if (fclose(f))
			tape_die(TAPE_FAILED, "out of memory");
		tape_delays_free(&d);
	}
	tape_path_free(&p);
}

void view_why_find(struct view *v, struct view_base *b,
		   const struct view_window *w)
{
	struct why *y = view_alloc(1, sizeof *y);
	const struct tape_found *f;
	unsigned long long items = 0;
	int rc;

	*y = (struct why){ .v = v, .b = b, .w = w };
	y->first = b == &v->base[v->bases - 1];
	y->sums.bytes = sizeof(struct sum);
	y->ranks.bytes = sizeof(struct for_rank);
	y->last_ns = view_alloc(v->flows, sizeof *y->last_ns);
	if (tape_analysis_open(b->t, &y->a))
		fail(y);
	y->places = tape_analysis_places(y->a);
	while ((rc = tape_analysis_next(y->a, &f)) == 1) {
		if (f->wait)
			waited(y, f->wait);
		if (!(++items & 0x1fffff))
			tape_progress(v->events + items / 2, 0);
	}
	if (rc)
		fail(y);
	finish(y);
	tape_analysis_close(y->a);
	tape_table_free(&y->sums);
	tape_table_free(&y->ranks);
	free(y->last_ns);
	free(y);
}
