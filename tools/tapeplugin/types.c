/*
 * Types of entries by level and name, and their subscribers; see board_state.h.
 */
#include <stdlib.h>
#include <string.h>

#include "growing_array.h"
#include "hash_bits.h"
#include "board_state.h"
#include "tool.h"

static const char *const known[TAPE_BOARD_TYPES] = {
    [TAPE_BOARD_EVENT] = "event",   [TAPE_BOARD_MESSAGE] = "message",
    [TAPE_BOARD_ROUND] = "round",   [TAPE_BOARD_WAIT] = "wait",
    [TAPE_BOARD_REGION] = "region", [TAPE_BOARD_PHASE] = "phase",
    [TAPE_BOARD_TICK] = "tick",	    [TAPE_BOARD_END] = "end",
};

/* The hash of both; 0 is no key. */
static uint64_t hash_type(uint32_t level, const char *name)
{
	uint64_t h = tape_hash_bytes(
	    (TAPE_HASH_START ^ level) * TAPE_HASH_FACTOR, name, strlen(name));

	return h ? h : 1;
}

uint32_t board_find_type(struct tape_board *b, uint32_t level, const char *name)
{
	uint64_t key = hash_type(level, name);
	uint32_t *id;

	if (level > b->levels)
		return 0;
	for (;; key = key + 1 ? key + 1 : 1) {
		const struct board_type *t;

		id = tape_must(tape_table_get(&b->by_name, key));
		t = &b->type[*id];
		if (!*id || (t->level == level && !strcmp(t->name, name)))
			break;
	}
	if (*id)
		return *id;
	b->type = tape_must(tape_grow_array(
	    b->type, &b->types_room, (size_t)b->types + 1, sizeof *b->type));
	*id = b->types;
	b->type[b->types] = (struct board_type){
	    .level = level, .name = tape_must(strdup(name))};
	return b->types++;
}

/* The predefined types get the numbers of board_known_type. */
void board_types_init(struct tape_board *b)
{
	b->by_name.bytes = 8;
	b->types_room = 64;
	b->type = tape_must(malloc(b->types_room * sizeof *b->type));
	b->type[b->types++] = (struct board_type){0};
	for (uint32_t l = 0; l <= b->levels; l++)
		for (unsigned k = 1; k < TAPE_BOARD_TYPES; k++)
			board_find_type(b, l, known[k]);
}

void board_types_free(struct tape_board *b)
{
	for (uint32_t i = 0; i < b->types; i++) {
		free(b->type[i].name);
		free(b->type[i].want);
	}
	free(b->type);
	tape_table_free(&b->by_name);
}

/* Reports the subscribed types of a level to the watcher. */
static void notify_wants(struct tape_board *b, uint32_t level)
{
	uint32_t wants = 0;

	for (unsigned k = 1; k < TAPE_BOARD_TYPES; k++)
		if (b->type[board_known_type(level, k)].wants)
			wants |= 1u << k;
	if (b->wants)
		b->wants(b->wants_self, level, wants);
}

void board_subscribe(struct tape_ks *ks)
{
	for (unsigned i = 0; i < ks->n; i++) {
		struct board_type *t = &ks->b->type[ks->type[i]];

		t->want = tape_must(tape_grow_array(
		    t->want, &t->want_room, t->wants + 1, sizeof *t->want));
		t->want[t->wants++] = (struct board_want){ks, i};
	}
	notify_wants(ks->b, ks->level);
}

void board_unsubscribe(struct tape_ks *ks)
{
	for (unsigned i = 0; i < ks->n; i++) {
		struct board_type *t = &ks->b->type[ks->type[i]];
		size_t k = 0;

		while (t->want[k].ks != ks)
			k++;
		t->wants--;
		memmove(t->want + k, t->want + k + 1,
			(t->wants - k) * sizeof *t->want);
	}
	notify_wants(ks->b, ks->level);
}
