/* Arguments of slices; see args.h. */
#include <stdlib.h>
#include <string.h>

#include "hash_slots.h"
#include "args.h"
#include "json.h"
#include "ordered.h"
#include "place.h"
#include "tool.h"

enum { FIELDS = 16, SHOWN = 160, STRINGS_LEAST = 256 };

/* The meaning of a field. */
enum meaning { NUMBER, PEER, COMM, ARRIVED, HIDDEN };

struct field {
	struct tape_field f;
	enum meaning meaning;
};

struct string {
	const void *key;
	char *text;
};

TAPE_SLOTS_TYPE(strings, struct string)

struct args {
	const struct tape_export *x;
	const struct tape_trace *t;
	struct field field[TAPE_CLASS_COUNT][FIELDS];
	unsigned n[TAPE_CLASS_COUNT];
	char ***place;        /* by rank and call site */
	struct strings strings; /* by address */
};

static enum meaning meaning_of(const char *name)
{
	static const char *const peers[] = { "peer", "rpeer", "actual_peer",
					     "root" };
	static const char *const hidden[] = { "part",  "probe",  "sr",
					      "group", "region", "site",
					      "ticks" };

	for (size_t i = 0; i < sizeof peers / sizeof *peers; i++)
		if (!strcmp(name, peers[i]))
			return PEER;
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		if (!strcmp(name, hidden[i]))
			return HIDDEN;
	if (!strcmp(name, "comm"))
		return COMM;
	return strcmp(name, "arrived") ? NUMBER : ARRIVED;
}

struct args *args_new(const struct tape_export *x)
{
	struct args *a = tape_must(calloc(1, sizeof *a));
	struct tape_field f;

	a->x = x;
	a->t = tape_export_trace(x);
	a->place =
	    tape_must(calloc(tape_trace_ranks(a->t) + 1, sizeof *a->place));
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		for (unsigned i = 0; tape_class_field(c, i, &f); i++) {
			enum meaning m = meaning_of(f.name);

			if (m != HIDDEN && a->n[c] < FIELDS)
				a->field[c][a->n[c]++] = (struct field){ f, m };
		}
	return a;
}

void args_free(struct args *a)
{
	for (size_t r = 0; r < tape_trace_ranks(a->t); r++) {
		size_t n = tape_trace_rank(a->t, (int)r)->n_sites;

		for (size_t i = 0; a->place[r] && i < n; i++)
			free(a->place[r][i]);
		free(a->place[r]);
	}
	for (size_t i = 0; a->strings.list && i <= a->strings.mask; i++)
		free(a->strings.list[i].text);
	free(a->place);
	free(a->strings.list);
	free(a);
}

/* ---- strings ---- */

/* Returns name as JSON, cut between characters if it is too long. */
static char *make_json_string(const char *name)
{
	char cut[SHOWN], *text = NULL;
	size_t n;
	FILE *f;

	for (n = 0; name[n] && n < sizeof cut - 1; n++)
		;
	while (name[n] && n && ((unsigned char)name[n] & 0xc0) == 0x80)
		n--;
	memcpy(cut, name, n);
	cut[n] = '\0';
	f = open_memstream(&text, &n);
	if (f)
		tape_json_put(f, cut);
	if (!f || fclose(f))
		tape_die_no_memory();
	return text;
}

static int is_used(const struct string *s)
{
	return s->key != NULL;
}

static const void *get_key(const void *own, const struct string *s)
{
	(void)own;
	return s->key;
}

static uint64_t hash_address(const void *key)
{
	return (uintptr_t)key >> 3 ^ (uintptr_t)key >> 12;
}

static int is_equal_address(const void *a, const void *b)
{
	return a == b;
}

TAPE_SLOTS(strings, struct string, const void *, const void *, is_used, get_key,
	   hash_address, is_equal_address)

const char *args_json_string(struct args *a, const char *name)
{
	struct string *s;

	if (strings_reserve(NULL, &a->strings, STRINGS_LEAST))
		tape_die_no_memory();
	s = strings_find(NULL, &a->strings, name);
	if (s->key)
		return s->text;
	a->strings.used++;
	s->key = name;
	s->text = make_json_string(name);
	return s->text;
}

static const char *call_site_json(struct args *a, int rank, uint32_t site)
{
	const struct tape_rank_info *r = tape_trace_rank(a->t, rank);
	char text[TAPE_PLACE_BYTES], ***all = &a->place[rank];

	if (!site || site >= r->n_sites || !r->sites[site].call)
		return NULL;
	if (!*all)
		*all = calloc(r->n_sites + 1, sizeof **all);
	if (!*all)
		tape_die_no_memory();
	if (!(*all)[site])
		(*all)[site] = make_json_string(
		    tape_place_text(&r->sites[site], text, sizeof text));
	return (*all)[site];
}

/* ---- fields ---- */

static char *put_peer_rank(const struct args *a, char *p,
			   const struct tape_event *e,
			   const struct tape_comm_info *c, int64_t v)
{
	int rank;

	if (v == TAPE_PROC_NULL)
		return tape_text(p, "\"none\"");
	if (v == TAPE_ANY_SOURCE && !tape_trace_rank(a->t, e->rank)->tid)
		return tape_text(p, "\"any\"");
	rank = c ? tape_peer_rank(a->t, e->rank, c->index, (int32_t)v) : -1;
	return rank < 0 ? tape_text(p, "\"not in the trace\"")
			: tape_text_number(p, rank);
}

/* Returns 0 for the peer of a collective without root, or of all ranks. */
static int has_peer_to_show(const struct tape_event *e, const struct field *f,
			    int64_t v)
{
	return f->meaning != PEER || v >= 0 ||
	       (strcmp(f->f.name, "root") && e->class_ != TAPE_CLASS_EPOCH);
}

static char *put_field(struct args *a, char *p, const struct tape_event *e,
		       const struct field *f)
{
	static const char *const arrived[] = { "\"no\"", "\"yes\"" };
	const struct tape_comm_info *c = tape_export_comm(a->x, e);
	int64_t v = tape_field_get(&e->u, &f->f);

	if (!has_peer_to_show(e, f, v) || (f->meaning == ARRIVED && v > 1) ||
	    (f->meaning == COMM && !c))
		return p;
	if (p[-1] != '{')
		*p++ = ',';
	*p++ = '"';
	p = tape_text(p, f->f.name);
	p = tape_text(p, "\":");
	switch (f->meaning) {
	case PEER:
		return put_peer_rank(a, p, e, c, v);
	case COMM:
		return tape_text(p, args_json_string(a, c->name));
	case ARRIVED:
		return tape_text(p, arrived[v]);
	case NUMBER:
	case HIDDEN:
		break;
	}
	return f->f.is_signed ? tape_text_number(p, v)
			      : tape_text_unsigned(p, (uint64_t)v);
}

char *args_put_json(struct args *a, char *p, const struct tape_step *s)
{
	const struct tape_event *e = s->event;
	const char *at = call_site_json(
	    a, e->rank,
	    e->class_ == TAPE_CLASS_BLOCK ? e->u.block.site : e->site);

	*p++ = '{';
	for (unsigned i = 0;
	     e->class_ != TAPE_CLASS_BLOCK && i < a->n[e->class_]; i++)
		p = put_field(a, p, e, &a->field[e->class_][i]);
	if (s->calls != 1) {
		p = tape_text(p, p[-1] == '{' ? "\"calls\":" : ",\"calls\":");
		p = tape_text_unsigned(p, s->calls);
	}
	if (at) {
		p = tape_text(p, p[-1] == '{' ? "\"at\":" : ",\"at\":");
		p = tape_text(p, at);
	}
	*p++ = '}';
	return p;
}
