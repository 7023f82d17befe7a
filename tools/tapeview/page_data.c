/*
 * The data of a page: the length of a JSON header (4 bytes, little-endian), the
 * header, and columns of varints. The header has the lengths of the columns.
 * data.js reads the data.
 *
 * Columns: of each flow place, comm, bytes, rbytes, peer, tag, calls, region,
 * depth; then of each base and flow gap, length, gap and length of regions;
 * then of each base wait_flow, wait_at, wait_ns, wait_kind, wait_late,
 * piece_flow, piece_to, piece_ns; then of messages to_flow, to_event,
 * from_flow, from_event, bytes, tag; then of each base its bins, by flow, then
 * group from VIEW_SEND to VIEW_WAITING; then of each counter its curves, by
 * flow and bin.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "clock_bounds.h"
#include "growing_array.h"
#include "json.h"
#include "place.h"
#include "predicted.h"
#include "source.h"
#include "tool.h"
#include "view.h"
#include "view_levels.h"
#include "view_report.h"
#include "view_waits.h"
#include "waits.h"

static const struct view_base *shown_base(const struct view *v)
{
	return &v->base[v->bases - 1];
}

const char *view_base_name(const struct view_base *b)
{
	switch (tape_trace_base(b->t)) {
	case TAPE_BASE_LOCAL:
		return "raw";
	case TAPE_BASE_GLOBAL:
		return "global";
	case TAPE_BASE_COMPENSATED:
		return tape_predicted(b->t) ? "predicted" : "corrected";
	}
	return "?";
}

/* Writes a value of meta without its escapes. */
static void put_meta_text(FILE *f, const char *key, const char *value)
{
	size_t n = strlen(value ? value : "") + 1;
	char *text = view_alloc(n, 1);

	fprintf(f, ",\n\"%s\":", key);
	tape_json_put(f, tape_unescape_value(value, text, n));
	free(text);
}

static void put_run_summary(const struct view *v, FILE *f)
{
	static const char *const keys[] = {"program", "command", "date",
					   "library"};
	const struct tape_trace *t = shown_base(v)->t;
	const char *h;
	char text[2048];

	fprintf(f, "{\"format\":1");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		put_meta_text(f, keys[i], tape_trace_meta(t, keys[i], 0));
	fprintf(f, ",\n\"history\":[");
	for (size_t i = 0; (h = tape_trace_meta(t, "history", i)); i++) {
		fputs(i ? "," : "", f);
		tape_json_put(f, h);
	}
	fprintf(f, "],\n\"incomplete\":");
	view_incomplete_text(v, text, sizeof text);
	tape_json_put(f, text);
	fprintf(f, ",\n\"about\":");
	view_about_text(v, text, sizeof text);
	tape_json_put(f, text);
	fprintf(f, ",\n\"groups\":[");
	for (int g = 0; g < VIEW_GROUPS; g++) {
		fputs(g ? "," : "", f);
		tape_json_put(f, view_group_name((enum view_group)g));
	}
	fputs("]", f);
}

/* Writes the call sites with their totals, the regions and communicators. */
static void put_name_tables(const struct view *v, FILE *f)
{
	const struct view_names *k = v->names;
	char text[TAPE_PLACE_BYTES];

	fprintf(f, ",\n\"places\":[[\"?\",0,\"unknown\",0,0,0,0,0,0]");
	for (size_t i = 1; i < k->n_places; i++) {
		const struct view_place *p = &k->places[i];

		fprintf(f, ",\n[");
		tape_json_put(f, tape_call_name(p->site->call));
		fprintf(f, ",%d,", (int)view_group_of(p->site->call));
		tape_json_put(f, tape_place_text(p->site, text, sizeof text));
		fprintf(f,
			",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRId64
			",%" PRIu64 ",%" PRId64 "]",
			p->events, p->calls, p->ns, p->most_ns, p->bytes,
			v->late_ns[i]);
	}
	fprintf(f, "],\n\"regions\":[[\"?\",0,0,0,0]");
	for (size_t i = 1; i < k->n_regions; i++) {
		const struct view_region *r = &k->regions[i];

		fprintf(f, ",\n[");
		tape_json_put(f, r->name);
		fprintf(f, ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]",
			r->entries, r->inclusive_ns, r->exclusive_ns,
			r->most_ns);
	}
	fprintf(f, "],\n\"comms\":[\"\"");
	for (size_t i = 1; i < k->n_comms; i++) {
		char id[40];

		snprintf(id, sizeof id, "%" PRIx64, k->comms[i].id);
		fputs(",", f);
		tape_json_put(f, k->comms[i].name && *k->comms[i].name
				     ? k->comms[i].name
				     : id);
	}
	fputs("]", f);
}

static void put_flow_table(const struct view *v, FILE *f)
{
	const struct tape_trace *t = shown_base(v)->t;

	fprintf(f, ",\n\"flows\":[");
	for (size_t i = 0; i < v->flows; i++) {
		const struct view_flow *x = &v->flow[i];
		const struct tape_rank_info *r =
		    tape_trace_rank(t, x->info->rank);

		fprintf(f, "%s{\"rank\":%d,\"thread\":%d,\"host\":",
			i ? ",\n" : "\n", x->info->rank, x->info->thread);
		tape_json_put(f, r->host ? r->host : "?");
		view_put_position(r, f);
		fprintf(f,
			",\"before\":%" PRIu64 ",\"kept\":%" PRIu64
			",\"after\":%" PRIu64 ",\"spans\":%zu,\"late\":%" PRId64
			",\"tracing\":%.0f,\"end\":%d,\"ns\":[",
			x->before, x->kept, x->after, x->n_spans, x->late_ns,
			x->tracing_ns, (int)x->end);
		for (int g = 0; g < VIEW_GROUPS; g++)
			fprintf(f, "%s%" PRId64, g ? "," : "", x->group_ns[g]);
		fprintf(f, "]}");
	}
	fputs("]", f);
}

static size_t bins_used(const struct view_base *b)
{
	return view_bins_used(&b->bins, b->length_ns);
}

/* Returns 1 if some calls are not single events. */
static int needs_bins(const struct view *v)
{
	for (size_t i = 0; i < v->flows; i++)
		if (v->flow[i].before || v->flow[i].after)
			return 1;
	return 0;
}

static void put_base_table(const struct view *v, FILE *f)
{
	fprintf(f, ",\n\"bases\":[");
	for (int i = 0; i < v->bases; i++) {
		const struct view_base *b = &v->base[i];

		fprintf(f,
			"%s{\"name\":\"%s\",\"length\":%" PRId64
			",\"clocks\":%zu,\"apart\":%d,\"backward\":%" PRIu64
			",\"worst\":%" PRId64 ",\"bins\":%zu,\"width\":%.0f"
			",\"waits\":%" PRIu64
			",\"pieces\":%" PRIu64 ",\"ends\":[",
			i ? ",\n" : "\n", view_base_name(b), b->length_ns,
			tape_trace_domains(b->t), b->by_domain, b->backward,
			b->worst_ns, needs_bins(v) ? bins_used(b) : 0,
			(double)((uint64_t)1 << b->bins.shift),
			b->waits, b->pieces);
		for (size_t j = 0; j < v->flows; j++)
			fprintf(f, "%s%" PRId64 ",%" PRId64, j ? "," : "",
				b->flow[j].first_ns, b->flow[j].last_ns);
		fprintf(f, "]}");
	}
	fputs("]", f);
}

static void put_message_matrix(const struct view *v, FILE *f)
{
	const char *comma = "";

	fprintf(f,
		",\n\"messages\":{\"matched\":%" PRIu64 ",\"bytes\":%" PRIu64
		",\"unreceived\":%" PRIu64 ",\"unsent\":%" PRIu64
		",\"single\":%" PRIu64 ",\"ranks\":%zu,\"cells\":[",
		v->messages, v->bytes, v->unreceived, v->unsent, v->single,
		v->ranks_of_cell);
	for (size_t i = 0; i < v->n_cells * v->n_cells; i++) {
		const struct view_cell *c = &v->cells[i];

		if (!c->messages)
			continue;
		fprintf(f, "%s[%zu,%zu,%" PRIu64 ",%" PRIu64 ",%" PRId64 "]",
			comma, i / v->n_cells, i % v->n_cells, c->messages,
			c->bytes, c->late_ns);
		comma = ",";
	}
	fputs("]}", f);
}

/* ---- counters ---- */

static size_t curve_bins(const struct view *v)
{
	return view_bins_used(&v->curves.bins, shown_base(v)->length_ns);
}

static void put_counter_table(const struct view *v, FILE *f)
{
	fprintf(f, ",\n\"counters\":[");
	for (size_t i = 0; i < v->curves.n; i++) {
		fputs(i ? ",[" : "[", f);
		tape_json_put(f, v->curves.curve[i].info->name);
		fputs(",", f);
		tape_json_put(f, v->curves.curve[i].info->unit);
		fprintf(f, ",%.9g,%zu,%.0f]", v->curves.curve[i].most,
			curve_bins(v),
			(double)((uint64_t)1 << v->curves.bins.shift));
	}
	fputs("]", f);
}

/* ---- columns ---- */

struct columns {
	const struct view_column **s;
	size_t n, room;
};

static void add_column(struct columns *c, const struct view_column *s)
{
	c->s =
	    tape_must(tape_grow_array(c->s, &c->room, c->n + 1, sizeof *c->s));
	c->s[c->n++] = s;
}

static void collect_columns(const struct view *v, struct columns *c)
{
	for (size_t i = 0; i < v->flows; i++) {
		const struct view_flow *f = &v->flow[i];
		const struct view_column *s[] = {
		    &f->place, &f->comm,  &f->bytes,  &f->rbytes, &f->peer,
		    &f->tag,   &f->calls, &f->region, &f->depth};

		for (size_t j = 0; j < sizeof s / sizeof *s; j++)
			add_column(c, s[j]);
	}
	for (int b = 0; b < v->bases; b++)
		for (size_t i = 0; i < v->flows; i++) {
			const struct view_times *x = &v->base[b].flow[i];

			add_column(c, &x->gap);
			add_column(c, &x->length);
			add_column(c, &x->region_gap);
			add_column(c, &x->region_length);
		}
	for (int i = 0; i < v->bases; i++) {
		const struct view_base *b = &v->base[i];
		const struct view_column *s[] = {
		    &b->wait_flow, &b->wait_at,	   &b->wait_ns,	 &b->wait_kind,
		    &b->wait_late, &b->piece_flow, &b->piece_to, &b->piece_ns};

		for (size_t j = 0; j < sizeof s / sizeof *s; j++)
			add_column(c, s[j]);
	}
	add_column(c, &v->to_flow);
	add_column(c, &v->to_event);
	add_column(c, &v->from_flow);
	add_column(c, &v->from_event);
	add_column(c, &v->message_bytes);
	add_column(c, &v->message_tag);
}

static void append_bytes(struct view_column *s, const void *p, size_t n)
{
	view_column_reserve(s, n + 1);
	if (n)
		memcpy(s->p + s->n, p, n);
	s->n += n;
}

void view_write_data(struct view *v, struct view_column *s)
{
	struct view_column rates = {0};
	struct columns c = {0};
	unsigned char length[4];
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		tape_die_no_memory();
	collect_columns(v, &c);
	if (v->curves.n)
		view_curves_write(&v->curves, curve_bins(v), &rates);
	put_run_summary(v, f);
	put_base_table(v, f);
	put_name_tables(v, f);
	put_flow_table(v, f);
	view_put_levels(shown_base(v)->t, f);
	put_message_matrix(v, f);
	put_counter_table(v, f);
	view_put_clocks(v, f);
	if (v->source)
		view_put_source(v->names, v->source, f);
	view_put_efficiency(v, f);
	view_put_waits(v, f);
	fprintf(f, ",\n\"kinds\":[");
	for (int i = 0; i < TAPE_WAIT_KINDS; i++) {
		fputs(i ? "," : "", f);
		tape_json_put(f, tape_wait_name((enum tape_wait_kind)i));
	}
	fprintf(f, "],\n\"columns\":[");
	for (size_t i = 0; i < c.n; i++)
		fprintf(f, "%s%zu", i ? "," : "", c.s[i]->n);
	fprintf(f, "]}\n");
	if (fclose(f) || n > UINT32_MAX)
		tape_die_no_memory();
	tape_put32(length, (uint32_t)n);
	append_bytes(s, length, sizeof length);
	append_bytes(s, text, n);
	free(text);
	for (size_t i = 0; i < c.n; i++)
		append_bytes(s, c.s[i]->p, c.s[i]->n);
	free(c.s);
	for (int i = 0; needs_bins(v) && i < v->bases; i++)
		view_bins_write(&v->base[i].bins, bins_used(&v->base[i]), s);
	append_bytes(s, rates.p, rates.n);
	view_column_free(&rates);
}
