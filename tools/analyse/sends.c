/* Ends of sends meet their messages; see sends.h. */
#include "sends.h"

int tape_sends_ended(struct tape_sends *s, uint64_t key, struct tape_sync *by,
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

int tape_sends_posted(struct tape_sends *s, uint64_t key, uint32_t receiver,
		      int64_t posted_ns, struct tape_held_send *both)
{
	struct tape_held_send *h = tape_table_find(&s->table, key);
	int ended = h != NULL;

	h = h ? h : tape_table_get(&s->table, key);
	if (!h)
		return -1;
	h->posted_ns = posted_ns;
	h->receiver = receiver;
	h->posted = 1;
	if (!ended)
		return 0;
	*both = *h;
	tape_table_drop(&s->table, key);
	return both->by != NULL;
}

void tape_sends_pin(const struct tape_sends *s, struct tape_history *h)
{
	const struct tape_held_send *one;
	size_t at = 0;
	uint64_t key;

	while ((one = tape_table_each(&s->table, &at, &key)))
		if (one->by)
			tape_history_pin(h, one->by);
}
