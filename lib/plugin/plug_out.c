/* Writes records to the slots of a ring; see plug_ring.h. */
#include <string.h>

#include "plug.h"

/*
 * Waits for a free slot. Returns 0, or -1 if the plug-in has exited or was
 * stopped.
 */
static int open_slot(struct plug_out *o)
{
	if (o->plug->gone || plug_wait(o->plug, &o->ring->space))
		return -1;
	o->slot = &o->ring->slot[o->filled % PLUG_SLOTS];
	o->used = 0;
	return 0;
}

static void pass_slot(struct plug_out *o, uint32_t more)
{
	o->slot->bytes = o->used;
	o->slot->more = more;
	o->slot = NULL;
	atomic_store(&o->ring->filled, ++o->filled);
	sem_post(&o->plug->s->work);
}

void plug_flush(struct plug_out *o)
{
	if (o->slot && o->used)
		pass_slot(o, 0);
}

static size_t record_size(size_t payload)
{
	return sizeof(struct plug_record) + (payload + 7) / 8 * 8;
}

void *plug_put(struct plug_out *o, unsigned kind, size_t bytes)
{
	size_t n = record_size(bytes);
	char *at;

	if (o->slot && n > PLUG_SLOT_BYTES - o->used)
		pass_slot(o, 0);
	if (!o->slot && open_slot(o))
		return NULL;
	at = o->slot->data + o->used;
	*(struct plug_record *)(void *)at =
	    (struct plug_record){.bytes = (uint32_t)n, .kind = kind};
	o->used += (uint32_t)n;
	return at + sizeof(struct plug_record);
}

/* Writes bytes of a record that needs several slots. */
static int put_bytes(struct plug_out *o, const char *data, size_t n)
{
	while (n) {
		size_t k;

		if (o->slot && o->used == PLUG_SLOT_BYTES)
			pass_slot(o, 1);
		if (!o->slot && open_slot(o))
			return -1;
		k = PLUG_SLOT_BYTES - o->used;
		k = k < n ? k : n;
		memcpy(o->slot->data + o->used, data, k);
		o->used += (uint32_t)k;
		data += k;
		n -= k;
	}
	return 0;
}

void plug_put_long(struct plug_out *o, unsigned kind, const void *data,
		   size_t bytes)
{
	static const char zeros[8];
	size_t n = record_size(bytes);
	struct plug_record r = {.bytes = (uint32_t)n, .kind = kind};
	void *to;

	if (n <= PLUG_SLOT_BYTES) {
		to = plug_put(o, kind, bytes);
		if (to)
			memcpy(to, data, bytes);
		return;
	}
	if (n > UINT32_MAX)
		return; /* of a collective with 60 million members */
	plug_flush(o);
	if (put_bytes(o, (const char *)&r, sizeof r) ||
	    put_bytes(o, data, bytes) ||
	    put_bytes(o, zeros, n - sizeof r - bytes))
		return;
	plug_flush(o);
}
