/* Lines by their key, sorted to be printed; see unmatched.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hash_slots.h"
#include "hash_bits.h"
#include "json.h"
#include "place.h"
#include "sort.h"
#include "tool.h"
#include "unmatched.h"

/* Lines of the table that a page of text shows. */
#define SHOWN 20

TAPE_SLOTS_TYPE(lines, struct tape_unmatched_line)

struct tape_unmatched {
	struct lines lines;
	uint64_t sends, receives;
};

/* Slots at first. */
enum { LEAST = 64 };

static int compare_unmatched(const struct tape_unmatched_line *a,
			     const struct tape_unmatched_line *b)
{
	const int64_t x[] = { a->where.rank, b->where.rank, a->is_send,
			      b->is_send, a->where.site, b->where.site,
			      a->where.call, b->where.call, a->where.comm,
			      b->where.comm, a->peer, b->peer, a->tag, b->tag };

	for (size_t i = 0; i < sizeof x / sizeof *x; i += 2)
		if (x[i] != x[i + 1])
			return x[i] < x[i + 1] ? -1 : 1;
	return 0;
}

static int is_used(const struct tape_unmatched_line *one)
{
	return one->count != 0;
}

static const struct tape_unmatched_line *
get_key(const void *own, const struct tape_unmatched_line *one)
{
	(void)own;
	return one;
}

static uint64_t hash_line(const struct tape_unmatched_line *one)
{
	uint64_t h = (uint64_t)(uint32_t)one->where.rank << 32 |
		     one->where.site;

	h ^= tape_spread_bits((uint64_t)(uint32_t)one->peer << 32 |
			      (uint32_t)one->tag);
	return ((h ^ h >> 29) * 0xd6e8feb86659fd93u) >> 20;
}

static int is_equal_line(const struct tape_unmatched_line *a,
			 const struct tape_unmatched_line *b)
{
	return !compare_unmatched(a, b);
}

TAPE_SLOTS(lines, struct tape_unmatched_line, const void *,
	   const struct tape_unmatched_line *, is_used, get_key, hash_line,
	   is_equal_line)

struct tape_unmatched *tape_unmatched_new(void)
{
	struct tape_unmatched *u = calloc(1, sizeof *u);

	if (!u)
		return NULL;
	if (lines_reserve(NULL, &u->lines, LEAST)) {
		free(u);
		return NULL;
	}
	return u;
}

void tape_unmatched_free(struct tape_unmatched *u)
{
	if (u)
		free(u->lines.list);
	free(u);
}

int tape_unmatched_add(struct tape_unmatched *u,
		       const struct tape_unmatched_line *one)
{
	struct tape_unmatched_line *at;

	if (lines_reserve(NULL, &u->lines, LEAST))
		return TAPE_ENOMEM;
	at = lines_find(NULL, &u->lines, one);
	if (!at->count) {
		*at = *one;
		at->count = at->bytes = 0;
		u->lines.used++;
	}
	at->count += one->count;
	at->bytes += one->bytes;
	*(one->is_send ? &u->sends : &u->receives) += one->count;
	return 0;
}

int tape_unmatched_slots(struct tape_unmatched *u, const struct tape_match *m)
{
	uint32_t at = 0, slot;
	int rc = 0;

	while (!rc && (slot = tape_match_each(m, &at)) != TAPE_NO_SLOT) {
		const struct tape_slot *s = tape_match_slot(m, slot);
		int is_send = s->queued == 1;
		const struct tape_match_side *side = is_send ? s->send
							     : s->recv;

		struct tape_unmatched_line l = {
			.where = side->begun, .is_send = is_send,
			.peer = is_send ? s->key.dst : s->key.src,
			.tag = s->key.tag, .count = 1, .bytes = side->bytes
		};

		if (s->queued)
			rc = tape_unmatched_add(u, &l);
	}
	return rc;
}

const struct tape_unmatched_line *
tape_unmatched_each(const struct tape_unmatched *u, uint64_t *at)
{
	while (*at <= u->lines.mask)
		if (u->lines.list[(*at)++].count)
			return &u->lines.list[*at - 1];
	return NULL;
}

uint64_t tape_unmatched_sends(const struct tape_unmatched *u)
{
	return u->sends;
}

uint64_t tape_unmatched_receives(const struct tape_unmatched *u)
{
	return u->receives;
}

/* ---- printing ---- */

static int by_count(const void *a, const void *b)
{
	const struct tape_unmatched_line *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return compare_unmatched(x, y);
}

struct tape_unmatched_line *tape_unmatched_list(const struct tape_unmatched *u,
						size_t *n)
{
	struct tape_unmatched_line *list =
	    calloc(u->lines.used + 1, sizeof *list);
	const struct tape_unmatched_line *l;
	uint64_t at = 0;

	*n = 0;
	while (list && (l = tape_unmatched_each(u, &at)))
		list[(*n)++] = *l;
	if (list)
		tape_sort(list, *n, sizeof *list, by_count);
	return list;
}

static const struct tape_comm_info *
find_location_comm(const struct tape_trace *t, const struct tape_where *p)
{
	const struct tape_rank_info *r = tape_trace_rank(t, p->rank);

	return r && p->comm < r->n_comms && r->comms[p->comm].index
		       ? &r->comms[p->comm]
		       : NULL;
}

static int line_peer_rank(const struct tape_trace *t,
			  const struct tape_unmatched_line *l)
{
	return tape_peer_rank(t, l->where.rank, l->where.comm, l->peer);
}

/*
 * The world's rank, a bare number in brackets that of another group, a task
 * that was not traced as PVM's console shows it, or any.
 */
static const char *peer_text(const struct tape_trace *t,
			     const struct tape_unmatched_line *l, char *text,
			     size_t n)
{
	const struct tape_rank_info *r = tape_trace_rank(t, l->where.rank);
	int world = line_peer_rank(t, l);

	if (l->peer == TAPE_ANY_SOURCE)
		snprintf(text, n, "any");
	else if (world >= 0)
		snprintf(text, n, "%d", world);
	else if (r && r->tid)
		snprintf(text, n, "t%x", (unsigned)l->peer);
	else
		snprintf(text, n, "(%d)", l->peer);
	return text;
}

static const char *tag_text(int32_t tag, char *text, size_t n)
{
	if (tag == TAPE_ANY_TAG)
		snprintf(text, n, "any");
	else
		snprintf(text, n, "%d", tag);
	return text;
}

void tape_unmatched_sentence(const struct tape_unmatched_line *l,
			     const struct tape_trace *t, char *text,
			     size_t size)
{
	char peer[16], tag[16], site[TAPE_PLACE_BYTES];
	const char *plural = l->count == 1 ? "" : "s";

	peer_text(t, l, peer, sizeof peer);
	tag_text(l->tag, tag, sizeof tag);
	tape_place_text(tape_site_of(t, l->where.rank, l->where.site), site,
			sizeof site);
	if (l->is_send)
		snprintf(text, size,
			 "%" PRIu64 " message%s from rank %d to rank %s (tag "
			 "%s, %s %s) %s never received",
			 l->count, plural, l->where.rank, peer, tag,
			 tape_call_name(l->where.call), site,
			 l->count == 1 ? "was" : "were");
	else
		snprintf(text, size,
			 "%" PRIu64 " receive%s of rank %d from rank %s (tag "
			 "%s, %s %s) never found a message",
			 l->count, plural, l->where.rank, peer, tag,
			 tape_call_name(l->where.call), site);
}

void tape_unmatched_text(const struct tape_unmatched *u,
			 const struct tape_trace *t, FILE *f)
{
	char peer[16], tag[16], site[TAPE_PLACE_BYTES];
	struct tape_unmatched_line *list;
	size_t n;

	if (!u->lines.used)
		return;
	list = tape_must(tape_unmatched_list(u, &n));
	fprintf(f, "\n   unmatched          bytes  rank    to  from         "
		"tag              comm  call and call site\n");
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		const struct tape_unmatched_line *l = &list[i];
		const struct tape_comm_info *c =
		    find_location_comm(t, &l->where);

		peer_text(t, l, peer, sizeof peer);
		tape_place_text(tape_site_of(t, l->where.rank, l->where.site),
			       site, sizeof site);
		fprintf(f, "%12" PRIu64 " %14" PRIu64 " %5d %5s %5s %11s %16"
			PRIx64 "  %s %s\n", l->count, l->bytes, l->where.rank,
			l->is_send ? peer : "", l->is_send ? "" : peer,
			tag_text(l->tag, tag, sizeof tag), c ? c->id : 0,
			tape_call_name(l->where.call), site);
	}
	if (n > SHOWN)
		fprintf(f, "and %zu more such lines\n", n - SHOWN);
	free(list);
}

void tape_unmatched_json(const struct tape_unmatched *u,
			 const struct tape_trace *t, FILE *f)
{
	char site[TAPE_PLACE_BYTES];
	size_t n;
	struct tape_unmatched_line *list =
	    tape_must(tape_unmatched_list(u, &n));

	fputs("[", f);
	for (size_t i = 0; i < n; i++) {
		const struct tape_unmatched_line *l = &list[i];
		const struct tape_comm_info *c =
		    find_location_comm(t, &l->where);
		int world = line_peer_rank(t, l);

		tape_place_text(tape_site_of(t, l->where.rank, l->where.site),
			       site, sizeof site);
		fprintf(f,
			"%s{\"is\":\"%s\",\"count\":%" PRIu64
			",\"bytes\":%" PRIu64
			",\"rank\":%d,\"comm\":\"%" PRIx64
			"\",\"peer\":%d,\"tag\":%d,\"call\":\"%s\",\"site\":",
			i ? "," : "", l->is_send ? "send" : "receive",
			l->count, l->bytes, l->where.rank, c ? c->id : 0,
			l->peer, l->tag, tape_call_name(l->where.call));
		tape_json_put(f, site);
		if (world >= 0)
			fprintf(f, ",\"peer_world\":%d", world);
		fputs("}", f);
	}
	fputs("]", f);
	free(list);
}
