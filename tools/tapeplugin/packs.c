/* Entries, in packs that are freed as a whole; see board_state.h. */
#include <stdlib.h>
#include <string.h>

#include "board_state.h"
#include "tool.h"

static size_t round_up(size_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

struct tape_pack *tape_pack_new(struct tape_board *b, size_t entries,
				size_t bytes)
{
	struct tape_pack *p;
	size_t head = sizeof *p + entries * sizeof *p->item;

	p = tape_must(malloc(head + bytes));
	*p = (struct tape_pack){
	    .b = b, .room = entries, .bytes = bytes, .data = (char *)p + head};
	atomic_init(&p->refs, 1);
	return p;
}

static void *add_entry(struct tape_pack *p, uint32_t level, uint32_t type,
		       size_t size)
{
	void *data = p->data + p->used;

	if (p->n == p->room || round_up(size) > p->bytes - p->used)
		tape_die(TAPE_FAILED, "a pack of entries is too small");
	p->item[p->n++] = (struct item){
	    .e = {.type = type, .level = level, .size = size, .data = data},
	    .pack = p};
	p->used += round_up(size);
	return data;
}

void *tape_pack_add(struct tape_pack *p, uint32_t level, unsigned type,
		    size_t bytes)
{
	return add_entry(p, level, board_known_type(level, type), bytes);
}

struct tape_pack *pack_new_entry(struct tape_board *b, uint32_t level,
				 uint32_t type, const void *data, size_t size)
{
	struct tape_pack *p = tape_pack_new(b, 1, round_up(size));
	void *to = add_entry(p, level, type, size);

	if (size)
		memcpy(to, data, size);
	return p;
}

void pack_release(struct tape_pack *p, long n)
{
	if (!n)
		return;
	if (atomic_fetch_sub_explicit(&p->refs, n, memory_order_acq_rel) != n)
		return;
	atomic_fetch_add_explicit(&p->b->freed, p->n, memory_order_relaxed);
	free(p);
}

static struct tape_pack *pack_of(const struct tape_entry *e)
{
	return ((const struct item *)(const void *)e)->pack;
}

void tape_entry_keep(const struct tape_entry *e)
{
	atomic_fetch_add_explicit(&pack_of(e)->refs, 1, memory_order_relaxed);
}

void tape_entry_drop(const struct tape_entry *e)
{
	pack_release(pack_of(e), 1);
}
