/* Races as JSON; the members are in taperaces(1). */
#include <inttypes.h>
#include <stdio.h>

#include "damage.h"
#include "json.h"
#include "place.h"
#include "race_sums.h"

static void print_message(const char *name, const struct race_message *m)
{
	printf(",\"%s\":", name);
	if (m->from < 0) {
		printf("null");
		return;
	}
	printf("{\"rank\":%d,\"tag\":%" PRId32 ",\"sent_ns\":", m->from,
	       m->tag);
	if (m->sent_ns == INT64_MIN)
		printf("null}");
	else
		printf("%" PRId64 "}", m->sent_ns);
}

static void print_classes(const struct race_sums *s, uint64_t open,
			  uint64_t turned)
{
	if (s->is_classified)
		printf(",\"open\":%" PRIu64 ",\"turned\":%" PRIu64, open,
		       turned);
}

static void print_site(const struct race_sums *s, const struct race_site *r)
{
	char place[TAPE_PLACE_BYTES];

	printf("{\"call\":");
	tape_json_string(tape_call_name(r->site->call));
	printf(",\"place\":");
	tape_json_string(tape_place_text(r->site, place, sizeof place));
	printf(",\"ranks\":[");
	for (size_t i = 0; i < r->n_ranks; i++)
		printf("%s%d", i ? "," : "", r->rank[i]);
	printf("],\"calls\":%" PRIu64 ",\"racing\":%" PRIu64
	       ",\"first\":%" PRIu64,
	       r->calls, r->racing, r->first);
	print_classes(s, r->open, r->turned);
	if (r->has_example) {
		printf(",\"example\":{\"rank\":%d,\"start_ns\":%" PRId64
		       ",\"first\":%s",
		       r->call.rank, r->call.start_ns,
		       r->is_first ? "true" : "false");
		print_message("took", &r->call.took);
		print_message("rival", &r->rival);
		printf("}");
	}
	printf("}");
}

void race_print_json(const struct race_sums *s)
{
	printf("{\"trace\":");
	tape_json_string(tape_trace_path(s->t));
	printf(",\"ranks\":%zu,\"calls\":%" PRIu64 ",\"racing\":%" PRIu64
	       ",\"first\":%" PRIu64,
	       tape_ranks_there(s->t), s->calls, s->racing, s->first);
	print_classes(s, s->open, s->turned);
	printf(",\"not_compared\":%" PRIu64 ",\"ranks_not_compared\":%" PRIu64
	       ",\"sites\":[",
	       s->limits.forgotten, s->limits.ranks);
	for (size_t i = 0; i < s->n_sites; i++) {
		printf("%s", i ? "," : "");
		print_site(s, &s->site[i]);
	}
	printf("]");
	tape_damage_json(s->t);
	printf("}\n");
}
