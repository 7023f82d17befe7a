/* The messages of a trace, one a line: JSON objects, or CSV. */
#include <inttypes.h>

#include "dump.h"
#include "json.h"
#include "tool.h"
#include "replay.h"
#include "place.h"

typedef void printer(const struct tape_trace *t, const struct tape_message *g);

static const char *const states[] = {
	[TAPE_MATCHED] = "matched",
	[TAPE_UNRECEIVED] = "unreceived",
	[TAPE_UNSENT] = "unsent",
};

/* ---- JSON ---- */

static void json_place(const struct tape_trace *t, const char *name,
		       const struct tape_where *p, int64_t ns)
{
	char site[TAPE_PLACE_BYTES];

	if (!p->event)
		return;
	printf(",\"%s\":{\"thread\":%d,\"event\":%" PRIu64 ",\"ns\":%" PRId64
	       ",\"call\":\"%s\",\"site\":", name, p->thread,
	       (uint64_t)p->event, ns,
	       tape_call_name(p->call));
	tape_place_text(tape_site_of(t, p->rank, p->site), site, sizeof site);
	tape_json_string(site);
	printf("}");
}

static void json_rank(const char *name, int32_t value)
{
	if (value >= 0)
		printf(",\"%s\":%d", name, value);
}

static void print_message_json(const struct tape_trace *t,
			       const struct tape_message *g)
{
	printf("{\"state\":\"%s\"", states[g->state]);
	json_rank("from", g->from);
	json_rank("to", g->to);
	if (g->state != TAPE_MATCHED)
		printf(",\"peer\":%d", g->peer);
	printf(",\"tag\":%d,\"bytes\":%" PRIu64, g->tag, g->bytes);
	if (g->ended.event)
		printf(",\"received\":%" PRIu64, g->received);
	printf(",\"comm\":\"%" PRIx64 "\"", g->comm);
	json_place(t, "sent", &g->sent, g->sent_ns);
	json_place(t, "posted", &g->posted, g->posted_ns);
	json_place(t, "ended", &g->ended, g->ended_ns);
	printf("}\n");
}

/* ---- CSV ---- */

static void csv_number(int has, int64_t value)
{
	if (has)
		printf("%" PRId64, value);
	putchar(',');
}

/* thread, event, date */
static void csv_place(const struct tape_where *p, int64_t ns)
{
	csv_number(p->event != 0, p->thread);
	csv_number(p->event != 0, (int64_t)p->event);
	csv_number(p->event != 0, ns);
}

/* call, site; the last field has no comma of its own */
static void csv_site(const struct tape_trace *t, const struct tape_where *p)
{
	char site[TAPE_PLACE_BYTES];

	putchar(',');
	if (p->event)
		fputs(tape_call_name(p->call), stdout);
	tape_place_text(tape_site_of(t, p->rank, p->site), site, sizeof site);
	dump_csv_word(p->event ? site : NULL);
}

static void print_message_csv(const struct tape_trace *t,
			      const struct tape_message *g)
{
	printf("%s,", states[g->state]);
	csv_number(g->from >= 0, g->from);
	csv_place(&g->sent, g->sent_ns);
	csv_number(g->to >= 0, g->to);
	csv_place(&g->posted, g->posted_ns);
	csv_place(&g->ended, g->ended_ns);
	printf("%" PRIu64 ",", g->bytes);
	if (g->ended.event)
		printf("%" PRIu64, g->received);
	printf(",%d,%" PRIx64 ",", g->tag, g->comm);
	if (g->state != TAPE_MATCHED)
		printf("%d", g->peer);
	csv_site(t, &g->sent);
	csv_site(t, &g->posted);
	putchar('\n');
}

/* ---- both ---- */

static void print_messages(struct tape_trace *t, printer *print)
{
	const struct tape_item *i;
	struct tape_replay *r;
	uint64_t n = 0, unknown;
	int rc;

	if (tape_replay_open(t, TAPE_REPLAY_EVENTS | TAPE_REPLAY_MESSAGES, &r))
		tape_die(TAPE_FAILED, "%s", tape_trace_error(t));
	while ((rc = tape_replay_next(r, &i)) == 1)
		if (i->kind == TAPE_ITEM_MESSAGE)
			print(t, i->message);
		else if (i->kind == TAPE_ITEM_END && !(++n & 0xffff))
			tape_progress(n, 0);
	tape_progress(n, 1);
	if (rc)
		tape_die_no_memory();
	for (size_t f = 0; f < tape_trace_flows(t); f++) {
		uint64_t lost;
		enum tape_end end = tape_replay_end(r, f, &lost);

		dump_flow_warn(t, f, end, lost);
	}
	unknown = tape_messages_unknown(tape_replay_messages(r));
	if (unknown)
		tape_warn("%s: %" PRIu64 " requests were completed whose "
			  "creation is not in the trace", tape_trace_path(t),
			  unknown);
	tape_replay_close(r);
}

void dump_messages_json(struct tape_trace *t, int unused)
{
	(void)unused;
	print_messages(t, print_message_json);
}

void dump_messages_csv(struct tape_trace *t, int unused)
{
	(void)unused;
	printf("state,from,from_thread,sent_event,sent_ns,to,to_thread,"
	       "posted_event,posted_ns,end_thread,end_event,end_ns,bytes,"
	       "received,tag,comm,peer,send_call,send_site,receive_call,"
	       "receive_site\n");
	print_messages(t, print_message_csv);
}
