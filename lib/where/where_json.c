/* The answer as one JSON object; the members are in tapewhere(1). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "damage.h"
#include "json.h"
#include "place.h"
#include "where.h"

static const char *get_state_name(enum where_state state)
{
	switch (state) {
	case WHERE_ABSENT: return "absent";
	case WHERE_UNKNOWN: return "unknown";
	case WHERE_ENDED: return "ended";
	case WHERE_OUTSIDE: return "outside";
	case WHERE_UNSENT: return "unsent";
	case WHERE_TESTING: return "testing";
	case WHERE_IN_CALL: return "in_call";
	}
	return "unknown";
}

static void print_ranks(const char *name, const int *rank, size_t n)
{
	printf("\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		printf("%s%d", i ? "," : "", rank[i]);
	printf("]");
}

static const char *get_boolean(int is_true)
{
	return is_true ? "true" : "false";
}

static void print_call(const struct wait_graph *g, const struct where_flow *f)
{
	const struct tape_call_in_progress *c = &f->call;
	int32_t peer = c->class_ == TAPE_CLASS_SENDRECV ? c->rpeer : c->peer;
	int32_t tag = c->class_ == TAPE_CLASS_SENDRECV ? c->rtag : c->tag;
	char text[WHERE_TEXT_BYTES];

	printf(",\"peer\":%d,\"tag\":%d,\"comm\":\"%" PRIx64 "\"",
	       wait_graph_peer(g->s, f, peer), tag,
	       where_comm_id(g->s, f->rank, c->comm));
	printf(",\"requests\":%u,\"stable\":%s,\"waits_for\":", c->n,
	       get_boolean(f->is_stable));
	tape_json_string(where_target_text(g, f, text, sizeof text));
}

static void print_flow(const struct wait_graph *g, const struct where_flow *f)
{
	const struct where_states *s = g->s;
	int in_call = f->state == WHERE_IN_CALL;
	unsigned call = in_call ? f->call.call : f->last_call;
	uint32_t site = in_call ? f->call.site : f->last_site;
	int64_t ns = in_call ? f->call.start_ns : f->last_end_ns;
	char text[WHERE_TEXT_BYTES];

	printf("{\"rank\":%d,\"thread\":%d,\"state\":\"%s\",\"call\":",
	       f->rank, f->thread, get_state_name(f->state));
	if (call)
		tape_json_string(tape_call_name(call));
	else
		printf("null");
	printf(",\"place\":");
	tape_json_string(tape_place_text(tape_site_of(s->t, f->rank, site),
					 text, sizeof text));
	printf(",\"since_s\":");
	tape_json_number(call ? (double)(ns - f->init_ns) / 1e9 : NAN);
	printf(",\"for_s\":");
	tape_json_number(where_is_timed(s, f->rank) && call
				 ? (double)(s->now_ns - ns) / 1e9
				 : NAN);
	if (in_call)
		print_call(g, f);
	printf("}");
}

static void print_cycles(const struct wait_graph *g)
{
	printf(",\"deadlocks\":[");
	for (size_t i = 0; i < g->n_cycles; i++) {
		printf("%s{", i ? "," : "");
		print_ranks("ranks", g->cycle[i].rank, g->cycle[i].n);
		printf(",\"certain\":%s,\"unless_threads\":%s}",
		       get_boolean(g->cycle[i].is_certain),
		       get_boolean(g->cycle[i].may_have_threads));
	}
	printf("],\"waiting_for_ended\":[");
	for (size_t i = 0; i < g->n_lost; i++)
		printf("%s{\"rank\":%d,\"ended\":%d,\"certain\":%s}",
		       i ? "," : "", g->lost[i].rank, g->lost[i].ended,
		       get_boolean(g->lost[i].is_certain));
	printf("]");
}

static void print_rounds(const struct wait_graph *g)
{
	size_t n = 0;

	printf(",\"different_collectives\":[");
	for (size_t i = 0; i < g->n_rounds; i++)
		if (g->round[i].odd[0] >= 0)
			printf("%s[%d,%d]", n++ ? "," : "", g->round[i].odd[0],
			       g->round[i].odd[1]);
	printf("],\"collectives\":[");
	for (size_t i = 0; i < g->n_rounds; i++) {
		const struct wait_round *r = &g->round[i];

		printf("%s{\"comm\":\"%" PRIx64 "\",\"inside\":%zu,",
		       i ? "," : "", r->comm, r->n_inside);
		print_ranks("missing", r->missing, r->n_missing);
		printf("}");
	}
	printf("]");
}

static void print_culprits(const struct wait_graph *g)
{
	printf(",\"culprits\":[");
	for (size_t i = 0; i < g->n_culprits; i++)
		printf("%s{\"rank\":%d,\"waiting\":%zu,\"may_wait\":%zu}",
		       i ? "," : "", g->culprit[i].rank,
		       g->culprit[i].n_waiting, g->culprit[i].n_perhaps);
	printf("],\"unreceived\":[");
	for (size_t i = 0; i < g->s->n_sends; i++) {
		const struct where_send *m = &g->s->send[i];

		printf("%s{\"from\":%d,\"to\":%d,\"tag\":%d,\"comm\":\"%" PRIx64
		       "\",\"count\":%" PRIu64 "}",
		       i ? "," : "", m->from, m->to, m->tag, m->comm, m->count);
	}
	printf("]");
}

void where_print_json(const struct wait_graph *g)
{
	const struct where_states *s = g->s;

	printf("{\"trace\":");
	tape_json_string(tape_trace_path(s->t));
	printf(",\"ranks\":%zu,\"running\":%s,\"complete\":%s", s->n_ranks,
	       get_boolean(s->is_running), get_boolean(!s->is_partial));
	print_cycles(g);
	print_rounds(g);
	print_culprits(g);
	printf(",\"threads\":[");
	for (size_t i = 0; i < s->n_flows; i++) {
		printf("%s", i ? "," : "");
		print_flow(g, &s->flow[i]);
	}
	printf("]");
	tape_damage_json(s->t);
	printf("}\n");
}
