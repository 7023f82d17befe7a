/* See unpack.h. */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "tape_reader.h"
#include "tool.h"
#include "unpack.h"
#include "waits.h"

static const struct plug_record *record_at(const char *data)
{
	return (const void *)data;
}

static int is_entry(const struct plug_record *r)
{
	return r->kind >= TAPE_BOARD_EVENT && r->kind < TAPE_BOARD_TICK;
}

/* Returns 1 for a record about the level as a whole. */
static int is_level_record(const struct plug_record *r)
{
	return r->kind == PLUG_BEGIN || r->kind == TAPE_BOARD_TICK ||
	       r->kind == TAPE_BOARD_END;
}

/*
 * Length of the record at data, of which bytes are there. Returns 0 if the
 * record is damaged.
 */
static size_t record_length(const char *data, size_t bytes)
{
	size_t n =
	    bytes >= sizeof(struct plug_record) ? record_at(data)->bytes : 0;

	return n >= sizeof(struct plug_record) && n <= bytes && n % 8 == 0 ? n
									   : 0;
}

/* ---- texts ---- */

/* The level's number of a place, by key. Stores the text of a new place. */
static uint32_t number_place(struct unpack_places *p, uint64_t key,
			     const char *text)
{
	uint64_t *n;

	p->number.bytes = sizeof *n;
	n = tape_must(tape_table_get(&p->number, key ? key : 1));
	if (*n)
		return (uint32_t)*n;
	/* 0 is no place */
	p->text = tape_must(tape_grow_list(p->text, p->n, sizeof *p->text));
	p->text[p->n] = tape_must(strdup(text));
	*n = ++p->n;
	return p->n;
}

static void store_place(struct unpack *u, const char *data)
{
	const struct plug_text *t = (const void *)data;
	const char *text = data + sizeof *t;
	struct unpack_place *p;

	if (t->number >= u->n_places) {
		size_t n = t->number + 64u + u->n_places / 2;

		u->place = tape_must(realloc(u->place, n * sizeof *p));
		memset(u->place + u->n_places, 0,
		       (n - u->n_places) * sizeof *p);
		u->n_places = n;
	}
	p = &u->place[t->number];
	if (p->text)
		return;
	p->number = t->number;
	if (u->feeders > 1) {
		p->number = number_place(u->places, t->key, text);
		p->text = u->places->text[p->number - 1];
	} else {
		p->text = tape_must(strdup(text));
	}
}

/*
 * Replaces a place number of the ring by that of the level. Returns the text of
 * the place.
 */
static const char *resolve_place(const struct unpack *u, uint32_t *number)
{
	const struct unpack_place *p =
	    *number < u->n_places ? &u->place[*number] : NULL;

	if (!p || !p->text)
		return "";
	*number = p->number;
	return p->text;
}

/* The number that a record has in place of a pointer to a name. */
static unsigned name_number(const char *name)
{
	return (unsigned)(uintptr_t)name;
}

/* ---- entries ---- */

static void complete_event(const struct unpack *u, struct tape_ks_event *e)
{
	e->call = tape_call_name(name_number(e->call));
	e->site_text = resolve_place(u, &e->site);
	e->region_text = e->region ? resolve_place(u, &e->region) : "";
}

static void complete_message(const struct unpack *u, struct tape_ks_message *m)
{
	m->send_text = m->send_site ? resolve_place(u, &m->send_site) : "";
	m->recv_text = m->recv_site ? resolve_place(u, &m->recv_site) : "";
	m->send_region_text =
	    m->send_region ? resolve_place(u, &m->send_region) : "";
	m->recv_region_text =
	    m->recv_region ? resolve_place(u, &m->recv_region) : "";
}

static void complete_wait(const struct unpack *u, struct tape_ks_wait *w)
{
	w->kind = tape_wait_name((enum tape_wait_kind)name_number(w->kind));
	w->site_text = resolve_place(u, &w->site);
	w->late_text = resolve_place(u, &w->late_site);
}

static void complete_round(struct tape_ks_round *q)
{
	q->call = tape_call_name(name_number(q->call));
	q->member = (const void *)(q + 1);
}

static void complete_entry(const struct unpack *u, unsigned kind, void *to)
{
	struct tape_ks_region *r = to;

	switch ((enum tape_board_type)kind) {
	case TAPE_BOARD_EVENT:
		complete_event(u, to);
		break;
	case TAPE_BOARD_MESSAGE:
		complete_message(u, to);
		break;
	case TAPE_BOARD_ROUND:
		complete_round(to);
		break;
	case TAPE_BOARD_WAIT:
		complete_wait(u, to);
		break;
	case TAPE_BOARD_REGION:
	case TAPE_BOARD_PHASE:
		r->text = resolve_place(u, &r->region);
		break;
	case TAPE_BOARD_TICK:
	case TAPE_BOARD_END:
	case TAPE_BOARD_TYPES:
		break;
	}
}

/* Unpacks n entries and the texts between them. */
static void unpack_entries(struct unpack *u, struct tape_board *b,
			   const char *data, size_t bytes, size_t n)
{
	struct tape_pack *p = n ? tape_pack_new(b, n, bytes) : NULL;

	for (size_t at = 0, k; at < bytes; at += k) {
		const struct plug_record *r = record_at(data + at);
		size_t size = r->bytes - sizeof *r;
		void *to;

		k = r->bytes;
		if (is_entry(r)) {
			to = tape_pack_add(p, u->level, r->kind, size);
			memcpy(to, r + 1, size);
			complete_entry(u, r->kind, to);
		} else if (r->kind == PLUG_TEXT) {
			store_place(u, (const char *)(r + 1));
		}
	}
	if (p)
		tape_board_submit(b, p);
}

static void read_begin(struct unpack *u, const char *data)
{
	const struct plug_begin *g = (const void *)data;

	if (u->about.name)
		return; /* a repeated beginning is ignored */
	u->feeders = g->feeders;
	u->own = g->own;
	u->about =
	    (struct tape_level){.number = u->level,
				.ranks = g->ranks,
				.name = tape_must(strdup(data + sizeof *g))};
}

size_t unpack_records(struct unpack *u, struct tape_board *b, const char *data,
		      size_t bytes, unsigned *kind, const void **what)
{
	const struct plug_record *r;
	size_t at = 0, n = 0, k;

	*kind = 0;
	while ((k = record_length(data + at, bytes - at))) {
		r = record_at(data + at);
		n += (size_t)is_entry(r);
		*kind = is_level_record(r) ? r->kind : 0;
		if (*kind)
			break;
		at += k;
	}
	unpack_entries(u, b, data, at, n);
	if (!*kind)
		return bytes;
	*what = data + at + sizeof *r;
	if (*kind == PLUG_BEGIN)
		read_begin(u, *what);
	return at + k;
}

void unpack_free(struct unpack *u)
{
	for (size_t i = 0; u->feeders <= 1 && i < u->n_places; i++)
		free(u->place[i].text);
	free(u->place);
	free((char *)(uintptr_t)u->about.name);
	free(u->whole);
}

void unpack_places_free(struct unpack_places *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		free(p->text[i]);
	free(p->text);
	tape_table_free(&p->number);
}
