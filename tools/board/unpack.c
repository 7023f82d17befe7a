/* Records to entries; see unpack.h. */
#include <stdlib.h>
#include <string.h>

#include "tape_reader.h"
#include "tool.h"
#include "unpack.h"
#include "waits.h"

static const struct plug_record *record(const char *data)
{
	return (const void *)data;
}

static int is_entry(const struct plug_record *r)
{
	return r->kind >= TAPE_BOARD_EVENT && r->kind < TAPE_BOARD_END;
}

/* Bytes of the record at data, of which there are so many; 0: damaged. */
static size_t length(const char *data, size_t bytes)
{
	size_t n =
	    bytes >= sizeof(struct plug_record) ? record(data)->bytes : 0;

	return n >= sizeof(struct plug_record) && n <= bytes && n % 8 == 0 ? n
									   : 0;
}

/* ---- texts ---- */

static void define(struct unpack *u, const char *data)
{
	const struct plug_text *t = (const void *)data;

	if (t->number >= u->texts) {
		size_t n = t->number + 64u + u->texts / 2;

		u->text = tape_must(realloc(u->text, n * sizeof *u->text));
		memset(u->text + u->texts, 0, (n - u->texts) * sizeof *u->text);
		u->texts = n;
	}
	if (!u->text[t->number])
		u->text[t->number] = tape_must(strdup(data + sizeof *t));
}

static const char *site(const struct unpack *u, uint32_t number)
{
	return number < u->texts && u->text[number] ? u->text[number] : "";
}

/* What stands where the pointer to a name belongs. */
static unsigned named(const char *name)
{
	return (unsigned)(uintptr_t)name;
}

/* ---- entries ---- */

static void event(const struct unpack *u, struct tape_ks_event *e)
{
	e->call = tape_call_name(named(e->call));
	e->site_text = site(u, e->site);
	e->region_text = e->region ? site(u, e->region) : "";
}

static void message(const struct unpack *u, struct tape_ks_message *m)
{
	m->send_text = m->send_site ? site(u, m->send_site) : "";
	m->recv_text = m->recv_site ? site(u, m->recv_site) : "";
	m->send_region_text = m->send_region ? site(u, m->send_region) : "";
	m->recv_region_text = m->recv_region ? site(u, m->recv_region) : "";
}

static void wait(const struct unpack *u, struct tape_ks_wait *w)
{
	w->kind = tape_wait_name((enum tape_wait_kind)named(w->kind));
	w->site_text = site(u, w->site);
	w->late_text = site(u, w->late_site);
}

static void round_(struct tape_ks_round *q)
{
	q->call = tape_call_name(named(q->call));
	q->member = (const void *)(q + 1);
}

static void finish(const struct unpack *u, unsigned kind, void *to)
{
	struct tape_ks_region *r = to;

	switch ((enum tape_board_type)kind) {
	case TAPE_BOARD_EVENT:
		event(u, to);
		break;
	case TAPE_BOARD_MESSAGE:
		message(u, to);
		break;
	case TAPE_BOARD_ROUND:
		round_(to);
		break;
	case TAPE_BOARD_WAIT:
		wait(u, to);
		break;
	case TAPE_BOARD_REGION:
	case TAPE_BOARD_PHASE:
		r->text = site(u, r->region);
		break;
	case TAPE_BOARD_TICK:
	case TAPE_BOARD_END:
	case TAPE_BOARD_TYPES:
		break;
	}
}

/* Entries and texts up to n bytes: room was made for so many. */
static void entries(struct unpack *u, struct tape_board *b, const char *data,
		    size_t bytes, size_t n)
{
	struct tape_pack *p = n ? tape_pack_new(b, n, bytes) : NULL;

	for (size_t at = 0, k; at < bytes; at += k) {
		const struct plug_record *r = record(data + at);
		size_t size = r->bytes - sizeof *r;
		void *to;

		k = r->bytes;
		if (is_entry(r)) {
			to = tape_pack_add(p, u->level, r->kind, size);
			memcpy(to, r + 1, size);
			finish(u, r->kind, to);
		} else if (r->kind == PLUG_TEXT) {
			define(u, (const char *)(r + 1));
		}
	}
	if (p)
		tape_board_give(b, p);
}

static void begin(struct unpack *u, const char *data)
{
	const struct plug_begin *g = (const void *)data;

	u->about =
	    (struct tape_level){.number = u->level,
				.ranks = g->ranks,
				.name = tape_must(strdup(data + sizeof *g))};
}

size_t unpack_some(struct unpack *u, struct tape_board *b, const char *data,
		   size_t bytes, int *begins, int *ends,
		   struct tape_ks_end *end)
{
	const struct plug_record *r;
	size_t at = 0, n = 0, k;

	*begins = *ends = 0;
	while ((k = length(data + at, bytes - at))) {
		r = record(data + at);
		n += (size_t)is_entry(r);
		*begins = r->kind == PLUG_BEGIN;
		*ends = r->kind == TAPE_BOARD_END;
		if (*begins || *ends)
			break;
		at += k;
	}
	entries(u, b, data, at, n);
	if (*begins)
		begin(u, data + at + sizeof *r);
	if (*ends)
		memcpy(end, data + at + sizeof *r, sizeof *end);
	return *begins || *ends ? at + k : bytes;
}

void unpack_free(struct unpack *u)
{
	for (size_t i = 0; i < u->texts; i++)
		free(u->text[i]);
	free(u->text);
	free((char *)(uintptr_t)u->about.name);
	free(u->whole);
}
