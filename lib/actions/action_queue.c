/* See action_queue.h. */
#include <stdlib.h>
#include <string.h>

#include "action_queue.h"
#include "growing_array.h"

static int grow_queue(struct tape_action_queue *q)
{
	uint64_t room = q->room ? 2 * q->room : 32;
	struct tape_action_slot *slots = calloc(room, sizeof *slots);

	if (!slots)
		return TAPE_ENOMEM;
	for (uint64_t i = 0; i < q->room; i++) {
		uint64_t number = q->first + i;

		slots[number & (room - 1)] = *tape_action_queue_at(q, number);
	}
	free(q->slots);
	q->slots = slots;
	q->room = room;
	return 0;
}

/* The action delivered last keeps its slot. */
struct tape_action_slot *tape_action_queue_add(struct tape_action_queue *q)
{
	struct tape_action_slot *s;

	if (q->last + 1 - q->first >= q->room && grow_queue(q))
		return NULL;
	s = tape_action_queue_at(q, ++q->last);
	memset(&s->a, 0, sizeof s->a);
	s->a.root = -1;
	s->unknown = s->wild = s->gone = 0;
	s->held = 0;
	return s;
}

int tape_action_reserve_waits(struct tape_action_slot *s, size_t n)
{
	uint64_t *list =
	    tape_grow_array(s->waits, &s->waits_room, n, sizeof *list);

	if (!list)
		return TAPE_ENOMEM;
	s->a.waits = s->waits = list;
	return 0;
}

int tape_action_reserve_group(struct tape_action_slot *s, size_t n)
{
	int32_t *list =
	    tape_grow_array(s->group, &s->group_room, n, sizeof *list);

	if (!list)
		return TAPE_ENOMEM;
	s->a.group = s->group = list;
	return 0;
}

int tape_action_queue_take(struct tape_action_queue *q,
			   const struct tape_action **a)
{
	while (q->first < q->last) {
		struct tape_action_slot *s =
		    tape_action_queue_at(q, q->first + 1);

		if (s->unknown)
			return 0;
		q->first++;
		if (s->gone)
			continue;
		*a = &s->a;
		return 1;
	}
	return 0;
}

void tape_action_queue_free(struct tape_action_queue *q)
{
	for (uint64_t i = 0; i < q->room; i++) {
		free(q->slots[i].waits);
		free(q->slots[i].group);
	}
	free(q->slots);
}
