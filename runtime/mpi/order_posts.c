/*
 * Pending receives of any source, by handle, and room for the handles and
 * statuses of a call; see order_layer.h. A table of slots, at most half full,
 * with linear probing; a removed entry is filled by those behind it.
 */
#include <string.h>
#include <sys/mman.h>

#include "order_layer.h"
#include "request.h"

static struct tape_order_room room;
static size_t room_bytes;

static void *map_bytes(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

const struct tape_order_room *tape_order_room(int n)
{
	size_t count = n > 0 ? (size_t)n : 1;
	size_t need = count * (sizeof(MPI_Status) + sizeof(MPI_Request));
	void *p;

	if (need > room_bytes) {
		p = map_bytes(2 * need + 4096);
		if (!p)
			return NULL;
		if (room_bytes)
			munmap(room.statuses, room_bytes);
		room.statuses = p;
		room_bytes = 2 * need + 4096;
	}
	room.handles = (MPI_Request *)(void *)(room.statuses + count);
	return &room;
}

/* The slot of that handle, or the free slot where it belongs. */
static size_t find_slot(const struct tape_order_posts *all, uintptr_t handle)
{
	size_t last = all->n_slots - 1;
	size_t i = tape_handle_hash(handle) * 2654435769u & last;

	while (all->slots[i].handle && all->slots[i].handle != handle)
		i = (i + 1) & last;
	return i;
}

static int grow_table(struct tape_order_posts *all)
{
	struct tape_order_posts new = {.n = all->n};

	new.n_slots = all->n_slots ? 2 * all->n_slots : 256;
	new.slots = map_bytes(new.n_slots * sizeof *new.slots);
	if (!new.slots)
		return -1;
	for (size_t i = 0; i < all->n_slots; i++) {
		const struct tape_order_post *p = &all->slots[i];

		if (p->handle)
			new.slots[find_slot(&new, p->handle)] = *p;
	}
	if (all->slots)
		munmap(all->slots, all->n_slots * sizeof *all->slots);
	*all = new;
	return 0;
}

int tape_order_add_post(struct tape_order_posts *all,
			const struct tape_order_post *p)
{
	size_t i;

	if (2 * all->n >= all->n_slots && grow_table(all))
		return -1;
	i = find_slot(all, p->handle);
	all->n += !all->slots[i].handle;
	all->slots[i] = *p;
	return 0;
}

int tape_order_find_post(const struct tape_order_posts *all, MPI_Request handle,
			 struct tape_order_post *p)
{
	size_t i;

	if (!all->n || handle == MPI_REQUEST_NULL)
		return 0;
	i = find_slot(all, tape_handle(handle));
	if (!all->slots[i].handle)
		return 0;
	*p = all->slots[i];
	return 1;
}

int tape_order_take_post(struct tape_order_posts *all, MPI_Request handle,
			 struct tape_order_post *p)
{
	size_t i, last = all->n_slots - 1;

	if (!tape_order_find_post(all, handle, p))
		return 0;
	all->n--;
	i = find_slot(all, p->handle);
	all->slots[i].handle = 0;
	for (i = (i + 1) & last; all->slots[i].handle; i = (i + 1) & last) {
		struct tape_order_post moved = all->slots[i];

		all->slots[i].handle = 0;
		all->slots[find_slot(all, moved.handle)] = moved;
	}
	return 1;
}
