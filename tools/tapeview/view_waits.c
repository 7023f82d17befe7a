/* Waits and the critical path; see view_waits.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "growing_array.h"
#include "json.h"
#include "sort.h"
#include "sums.h"
#include "tool.h"
#include "view_waits.h"

/* Limits: segments of the path, lines of a table. */
enum { PIECES = 200000, LINES = 100 };

/* ---- one by one ---- */

struct wait_pass {
	struct view *v;
	struct view_base *b;
	const struct view_window *w;
	int64_t *last_ns; /* by flow: start of the last wait written */
	int64_t piece_ns;
};

static void add_wait(void *own, const struct tape_found *f)
{
	struct wait_pass *y = own;
	const struct tape_waited *x = f->wait;
	struct view_base *b = y->b;
	int64_t start;

	if (!x || b->by_domain)
		return;
	start = x->from_ns - *b->origin_ns;
	view_bins_add_time(&b->bins, x->flow, VIEW_WAITING, start,
			   start + x->ns);
	if (!y->v->flow[x->flow].kept || start > y->w->to_ns ||
	    start + x->ns < y->w->from_ns ||
	    (y->v->is_full && start > y->v->full_ns))
		return;
	b->waits++;
	view_put(&b->wait_flow, x->flow);
	view_put_signed(&b->wait_at, start - y->last_ns[x->flow]);
	view_put(&b->wait_ns, (uint64_t)x->ns);
	view_put(&b->wait_kind, x->kind);
	view_put(&b->wait_late, x->late_flow);
	y->last_ns[x->flow] = start;
}

static void add_path_piece(void *own, const struct tape_path_piece *p)
{
	struct wait_pass *y = own;
	struct view_base *b = y->b;
	int64_t to = p->to_ns - *b->origin_ns, ns = p->to_ns - p->from_ns;

	/* of too many segments, only those visible without much zoom */
	if (ns < 0 || (b->pieces > PIECES && ns < b->length_ns / 20000))
		return;
	b->pieces++;
	view_put(&b->piece_flow, p->flow);
	view_put_signed(&b->piece_to, to - y->piece_ns);
	view_put(&b->piece_ns, (uint64_t)ns);
	y->piece_ns = to;
}

void view_find_waits(struct view *v, struct view_base *b,
		     const struct view_window *w)
{
	struct stats_reading *r = stats_open(b->t, v->bases > 1);
	struct wait_pass y = {.v = v, .b = b, .w = w};
	struct tape_path path = {0};
	struct tape_analysis *a;

	y.last_ns = view_alloc(v->flows, sizeof *y.last_ns);
	a = stats_watch(r, add_wait, &y);
	while (stats_step(r))
		;
	b->stats = stats_close(r);
	if (!b->by_domain && stats_has_history(b->stats) &&
	    tape_path_find(a, add_path_piece, &y, &path))
		tape_die_no_memory();
	tape_analysis_clear_history(a);
	tape_path_free(&path);
	free(y.last_ns);
}

/* ---- tables ---- */

/* The waits of one kind at one call site. */
struct wait_sum {
	double ns, late_ns;
	uint64_t n;
	uint32_t call, kind;
	int32_t late_rank; /* the rank that they waited for longest */
	uint32_t pad;
};

static int flow_rank(const struct view *v, size_t flow)
{
	return v->flow[flow].info->rank;
}

/* Returns the number of a waiting call's site in the tables of the page. */
static uint32_t page_call_site(const struct view *v, const struct stats *s,
			       uint32_t call)
{
	const struct tape_site_info *site =
	    tape_place_get(s->places, call)->site;

	/* a linear search: called once for each line of a table */
	for (uint32_t i = 1; site && i < v->names->n_places; i++)
		if (!tape_place_order(v->names->places[i].site, site))
			return i;
	return 0;
}

static void add_to_sums(struct tape_table *sums, struct tape_table *by_rank,
			const struct stats_waits *w, int late)
{
	uint64_t key = ((uint64_t)w->call << 8 | w->kind) + 1;
	struct wait_sum *s = tape_must(tape_table_get(sums, key));
	double *ns = tape_must(
	    tape_table_get(by_rank, key << 24 | (uint32_t)late));

	s->call = w->call;
	s->kind = w->kind;
	s->ns += w->ns;
	s->n += w->n;
	*ns += w->ns;
	if (*ns > s->late_ns) {
		s->late_ns = *ns;
		s->late_rank = late;
	}
}

static int order_wait_sums(const void *a, const void *b)
{
	const struct wait_sum *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->call != y->call ? (x->call > y->call) - (x->call < y->call)
				  : (int)x->kind - (int)y->kind;
}

/* Returns the waits by call site and kind, the longest first. */
static struct wait_sum *sum_waits(const struct view *v, const struct stats *s,
				  size_t *n)
{
	struct tape_table sums = {.bytes = sizeof(struct wait_sum)};
	struct tape_table by_rank = {.bytes = sizeof(double)};
	const struct stats_waits *w;
	const struct wait_sum *one;
	struct wait_sum *list = NULL;
	size_t at = 0, room = 0;
	uint64_t key;

	while ((w = tape_table_each(&s->waits, &at, &key)))
		add_to_sums(&sums, &by_rank, w, flow_rank(v, w->late_flow));
	*n = at = 0;
	while ((one = tape_table_each(&sums, &at, &key))) {
		list = tape_must(
		    tape_grow_array(list, &room, *n + 1, sizeof *list));
		list[(*n)++] = *one;
	}
	if (*n)
		tape_sort(list, *n, sizeof *list, order_wait_sums);
	tape_table_free(&sums);
	tape_table_free(&by_rank);
	return list;
}

void view_sum_waits(struct view *v, const struct stats *s)
{
	const struct stats_pair *p;
	struct wait_sum *list;
	size_t n, at = 0;
	uint64_t key;

	for (size_t i = 0; i < v->flows; i++)
		v->flow[i].late_ns = (int64_t)s->flow[i].waiting_ns;
	while ((p = tape_table_each(&s->pairs, &at, &key)))
		v->cells[(size_t)p->from / v->ranks_of_cell * v->n_cells +
			 (size_t)p->to / v->ranks_of_cell]
		    .late_ns += (int64_t)p->late_ns;
	list = sum_waits(v, s, &n);
	for (size_t i = 0; i < n; i++)
		v->late_ns[page_call_site(v, s, list[i].call)] +=
		    (int64_t)list[i].ns;
	free(list);
}

static void put_activity(const struct stats *s, FILE *f, uint32_t number)
{
	char text[TAPE_PLACE_BYTES];

	tape_json_put(f,
		      tape_activity_text(s->places, number, text, sizeof text));
}

static void put_wait_rows(const struct view *v, const struct stats *s, FILE *f)
{
	const struct tape_delays *d = &s->delays;
	size_t n;
	struct wait_sum *list = sum_waits(v, s, &n);

	fprintf(f, ",\n\"waits\":[");
	for (size_t i = 0; i < n && i < LINES; i++) {
		size_t k = 0;

		fprintf(f, "%s[%.0f,%" PRIu64 ",", i ? ",\n" : "\n",
			list[i].ns, list[i].n);
		tape_json_put(
		    f, tape_wait_name((enum tape_wait_kind)list[i].kind));
		fputs(",", f);
		put_activity(s, f, list[i].call);
		fprintf(f, ",%d,%.0f,", list[i].late_rank, list[i].late_ns);
		while (k < d->n_blames && d->blame[k].call != list[i].call)
			k++;
		if (k < d->n_blames) {
			fprintf(f, "%d,%.0f,", flow_rank(v, d->blame[k].flow),
				d->blame[k].ns);
			put_activity(s, f, d->blame[k].activity);
		} else {
			fputs("-1,0,\"\"", f);
		}
		fprintf(f, ",%" PRIu32 "]",
			page_call_site(v, s, list[i].call));
	}
	fputs("]", f);
	free(list);
}

static void put_cause_rows(const struct view *v, const struct stats *s, FILE *f)
{
	fprintf(f, ",\n\"causes\":[");
	for (size_t i = 0; i < s->delays.n && i < LINES; i++) {
		const struct tape_delay *c = &s->delays.delay[i];

		fprintf(f, "%s[%.0f,%.0f,%d,", i ? ",\n" : "\n",
			c->direct_ns + c->spread_ns, c->direct_ns,
			flow_rank(v, c->flow));
		put_activity(s, f, c->activity);
		fputs("]", f);
	}
	fputs("]", f);
}

static void put_path_rows(const struct stats *s, FILE *f)
{
	fprintf(f, ",\n\"path\":[");
	for (size_t i = 0; i < s->path.n && i < LINES; i++) {
		const struct tape_path_place *x = &s->path.place[i];

		fprintf(f, "%s[%" PRId64 ",%.0f,%" PRId64 ",", i ? ",\n" : "\n",
			x->path_ns, x->imbalance_ns, x->all_ns);
		put_activity(s, f, x->activity);
		fputs("]", f);
	}
	fputs("]", f);
}

void view_put_waits(const struct view *v, FILE *f)
{
	const struct stats *s = v->base[v->bases - 1].stats;

	if (!s->comparable)
		return;
	put_wait_rows(v, s, f);
	put_cause_rows(v, s, f);
	put_path_rows(s, f);
}
