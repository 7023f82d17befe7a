/* Waits and the critical path; see view_waits.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "causes.h"
#include "growing_array.h"
#include "json.h"
#include "path.h"
#include "sort.h"
#include "table.h"
#include "tool.h"
#include "view_waits.h"

/* Limits: bytes of flows, segments of the path, lines of a table. */
enum { LONG = 32 << 20, PIECES = 200000, LINES = 100 };

/* The waits of one kind at one call site. */
struct sum {
	int64_t ns, late_ns;
	uint64_t n;
	uint32_t call, kind;
	int32_t late_rank; /* the rank that they waited for longest */
	uint32_t pad;
};

/* The same waits for one late rank. */
struct for_rank {
	int64_t ns;
};

struct wait_pass {
	struct view *v;
	struct view_base *b;
	const struct view_window *w;
	struct tape_analysis *a;
	struct tape_places *places;
	int first;
	struct tape_table sums, ranks;
	int64_t *last_ns; /* by flow: start of the last wait written */
	int64_t piece_ns;
};

int view_can_find_waits(const struct view_base *b)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < tape_trace_flows(b->t); i++)
		bytes += tape_trace_flow_bytes(b->t, i);
	return !b->by_domain && bytes <= LONG;
}

__attribute__((noreturn)) static void die_of_analysis(const struct wait_pass *y)
{
	tape_die(TAPE_FAILED, "%s", tape_analysis_error(y->a));
}

static void *get_table_entry(struct tape_table *t, uint64_t key)
{
	return tape_must(tape_table_get(t, key));
}

static int flow_rank(const struct wait_pass *y, size_t flow)
{
	return y->v->flow[flow].info->rank;
}

/* Returns the number of a waiting call's site in the tables of the page. */
static uint32_t page_call_site(const struct wait_pass *y, uint32_t call)
{
	const struct tape_site_info *s = tape_place_get(y->places, call)->site;
	const struct view_names *k = y->v->names;

	/* a linear search: called once for each line of a table */
	for (uint32_t i = 1; s && i < k->n_places; i++)
		if (!tape_place_order(k->places[i].site, s))
			return i;
	return 0;
}

static void add_wait_to_sums(struct wait_pass *y, const struct tape_waited *x)
{
	uint64_t key = ((uint64_t)x->call << 8 | x->kind) + 1;
	int late = flow_rank(y, x->late_flow);
	struct sum *s = get_table_entry(&y->sums, key);
	struct for_rank *r;

	s->call = x->call;
	s->kind = x->kind;
	s->ns += x->ns;
	s->n++;
	r = get_table_entry(&y->ranks, key << 24 | (uint32_t)late);
	r->ns += x->ns;
	if (r->ns > s->late_ns) {
		s->late_ns = r->ns;
		s->late_rank = late;
	}
	y->v->flow[x->flow].late_ns += x->ns;
	if (x->kind == TAPE_WAIT_LATE_SENDER)
		y->v->cells[(size_t)late / y->v->ranks_of_cell * y->v->n_cells +
			    (size_t)flow_rank(y, x->flow) / y->v->ranks_of_cell]
		    .late_ns += x->ns;
}

static void add_wait(struct wait_pass *y, const struct tape_waited *x)
{
	int64_t start = x->from_ns - *y->b->origin_ns;
	struct view_base *b = y->b;

	view_bins_add_time(&b->bins, x->flow, VIEW_WAITING, start,
			   start + x->ns);
	if (y->first)
		add_wait_to_sums(y, x);
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

/* ---- tables ---- */

static void put_activity(const struct wait_pass *y, FILE *f, uint32_t number)
{
	char text[TAPE_PLACE_BYTES];

	tape_json_put(f,
		      tape_activity_text(y->places, number, text, sizeof text));
}

static int order_wait_sums(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->call != y->call ? (x->call > y->call) - (x->call < y->call)
				  : (int)x->kind - (int)y->kind;
}

/* Returns the waits by call site and kind, the longest first. */
static struct sum *sorted_wait_sums(const struct wait_pass *y, size_t *n)
{
	struct sum *list = NULL;
	size_t at = 0, room = 0;
	const struct sum *s;
	uint64_t key;

	*n = 0;
	while ((s = tape_table_each(&y->sums, &at, &key))) {
		list = tape_must(
		    tape_grow_array(list, &room, *n + 1, sizeof *list));
		list[(*n)++] = *s;
	}
	if (*n)
		tape_sort(list, *n, sizeof *list, order_wait_sums);
	return list;
}

static void put_wait_rows(struct wait_pass *y, const struct tape_delays *d,
			  FILE *f)
{
	size_t n;
	struct sum *list = sorted_wait_sums(y, &n);

	fprintf(f, ",\n\"waits\":[");
	for (size_t i = 0; i < n; i++) {
		const struct sum *s = &list[i];
		uint32_t place = page_call_site(y, s->call);
		size_t k = 0;

		y->v->late_ns[place] += s->ns;
		if (i >= LINES)
			continue;
		fprintf(f, "%s[%" PRId64 ",%" PRIu64 ",", i ? ",\n" : "\n",
			s->ns, s->n);
		tape_json_put(f, tape_wait_name((enum tape_wait_kind)s->kind));
		fputs(",", f);
		put_activity(y, f, s->call);
		fprintf(f, ",%d,%" PRId64 ",", s->late_rank, s->late_ns);
		while (k < d->n_blames && d->blame[k].call != s->call)
			k++;
		if (k < d->n_blames) {
			fprintf(f, "%d,%.0f,", flow_rank(y, d->blame[k].flow),
				d->blame[k].ns);
			put_activity(y, f, d->blame[k].activity);
		} else {
			fputs("-1,0,\"\"", f);
		}
		fprintf(f, ",%" PRIu32 "]", place);
	}
	fputs("]", f);
	free(list);
}

static int64_t sum_all_waits(const struct wait_pass *y)
{
	const struct sum *s;
	int64_t ns = 0;
	size_t at = 0;
	uint64_t key;

	while ((s = tape_table_each(&y->sums, &at, &key)))
		ns += s->ns;
	return ns;
}

/*
 * What caused most of the waiting: ns, share of all waiting, what the ranks
 * did, the first of these ranks, and how many they are. Writes nothing where no
 * cause is known.
 */
static void put_main_cause(struct wait_pass *y, const struct tape_delays *d,
			   FILE *f)
{
	enum { RANKS = 6 };
	char text[TAPE_PLACE_BYTES + 20];
	struct tape_late_ranks r;
	size_t n;
	struct tape_cause *c = tape_must(tape_causes_list(d, &n));
	double all = (double)sum_all_waits(y);

	if (!n || all <= 0) {
		free(c);
		return;
	}
	if (tape_cause_ranks(d, c, y->b->t, &r))
		tape_die_no_memory();
	fprintf(f, ",\n\"cause\":[%.0f,%.6g,", c->ns, c->ns / all);
	tape_json_put(f, tape_cause_text(y->places, c->activity, text,
					 sizeof text));
	for (size_t i = 0; i < r.n && i < RANKS; i++)
		fprintf(f, "%s%d", i ? "," : ",[", r.rank[i]);
	fprintf(f, "],%zu]", r.n);
	free(r.rank);
	free(c);
}

static void put_cause_rows(struct wait_pass *y, const struct tape_delays *d,
			   FILE *f)
{
	fprintf(f, ",\n\"causes\":[");
	for (size_t i = 0; i < d->n && i < LINES; i++) {
		const struct tape_delay *c = &d->delay[i];

		fprintf(f, "%s[%.0f,%.0f,%d,", i ? ",\n" : "\n",
			c->direct_ns + c->spread_ns, c->direct_ns,
			flow_rank(y, c->flow));
		put_activity(y, f, c->activity);
		fputs("]", f);
	}
	fputs("]", f);
}

static void put_path_rows(struct wait_pass *y, const struct tape_path *p,
			  FILE *f)
{
	fprintf(f, ",\n\"path\":[");
	for (size_t i = 0; i < p->n && i < LINES; i++) {
		const struct tape_path_place *x = &p->place[i];

		fprintf(f, "%s[%" PRId64 ",%.0f,%" PRId64 ",", i ? ",\n" : "\n",
			x->path_ns, x->imbalance_ns, x->all_ns);
		put_activity(y, f, x->activity);
		fputs("]", f);
	}
	fputs("]", f);
}

static void put_wait_tables(struct wait_pass *y)
{
	struct tape_delays d = {0};
	struct tape_path p = {0};
	int known = tape_analysis_is_complete(y->a);
	size_t n = 0;
	FILE *f;

	if (!known)
		tape_warn("%s", tape_analysis_disk_is_full);
	if (known && tape_path_find(y->a, add_path_piece, y, &p))
		die_of_analysis(y);
	if (y->first) {
		f = open_memstream(&y->v->wait_tables, &n);
		if (!f || (known && tape_delays_find(y->a, &d)))
			tape_die_no_memory();
		put_wait_rows(y, &d, f);
		put_cause_rows(y, &d, f);
		put_main_cause(y, &d, f);
		put_path_rows(y, &p, f);
		if (fclose(f))
			tape_die_no_memory();
		tape_delays_free(&d);
	}
	tape_path_free(&p);
}

void view_find_waits(struct view *v, struct view_base *b,
		     const struct view_window *w)
{
	struct wait_pass *y = view_alloc(1, sizeof *y);
	const struct tape_found *f;
	unsigned long long items = 0;
	int rc;

	*y = (struct wait_pass){.v = v, .b = b, .w = w};
	y->first = b == &v->base[v->bases - 1];
	y->sums.bytes = sizeof(struct sum);
	y->ranks.bytes = sizeof(struct for_rank);
	y->last_ns = view_alloc(v->flows, sizeof *y->last_ns);
	if (tape_analysis_open(b->t, &y->a))
		die_of_analysis(y);
	y->places = tape_analysis_places(y->a);
	while ((rc = tape_analysis_next(y->a, &f)) == 1) {
		if (f->wait)
			add_wait(y, f->wait);
		if (!(++items & 0x1fffff))
			tape_progress(v->events + items / 2, 0);
	}
	if (rc)
		die_of_analysis(y);
	put_wait_tables(y);
	tape_analysis_close(y->a);
	tape_table_free(&y->sums);
	tape_table_free(&y->ranks);
	free(y->last_ns);
	free(y);
}
