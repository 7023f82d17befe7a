/* Ends of sends meet their messages; see sends.h. */
#include "sends.h"

int tape_sends_add_end(struct tape_sends *s, uint64_t key, struct tape_sync *by,
		       struct tape_held_send *both)
{
	struct tape_held_send *h = tape_table_find(&s->table, key);

	if (h && h->posted) {
		*both = *h;
		both->by = by;
		tape_table_drop(&s->table, key);
		return by != NULL;
	}
	h = h ? h : tape_table_get(&s->table, key);
	if (!h)
		return -1;
	h->by = by;
	return 0;
}

int tape_sends_add_post(struct tape_sends *s, uint64_t key,
			const struct tape_held_send *by,
			struct tape_held_send *both)
{
	struct tape_held_send *h = tape_table_find(&s->table, key);

	if (h) {
		*both = *by;
		both->by = h->by;
		tape_table_drop(&s->table, key);
		return both->by != NULL;
	}
	h = tape_table_get(&s->table, key);
	if (!h)
		return -1;
	*h = *by;
	h->by = NULL;
	h->posted = 1;
	return 0;
}
