/* Finds the request that a wait names; see action_lines.h. */
#include <stdlib.h>

#include "action_lines.h"
#include "growing_array.h"
#include "sort.h"

/* The oldest and the newest request of a key, as index + 1. */
struct chain {
	uint32_t head, tail;
};

static uint32_t new_node(struct tape_line_pending *p)
{
	struct tape_line_node *nodes;
	uint32_t i = p->spare;

	if (i) {
		p->spare = p->nodes[i - 1].next;
		return i;
	}
	if (p->n == UINT32_MAX)
		return 0;
	nodes = tape_grow_array(p->nodes, &p->room, (size_t)p->n + 1,
				sizeof *nodes);
	if (!nodes)
		return 0;
	p->nodes = nodes;
	return ++p->n;
}

int tape_line_add_pending(struct tape_line_pending *p, uint64_t key,
			  uint64_t request)
{
	struct chain *c;
	uint32_t i = new_node(p);

	p->first.bytes = sizeof *c;
	c = i ? tape_table_get(&p->first, key) : NULL;
	if (!c)
		return TAPE_ENOMEM;
	p->nodes[i - 1] = (struct tape_line_node){request, 0};
	if (c->head)
		p->nodes[c->tail - 1].next = i;
	else
		c->head = i;
	c->tail = i;
	p->count++;
	return 0;
}

uint64_t tape_line_take_oldest(struct tape_line_pending *p, uint64_t key)
{
	struct chain *c = tape_table_find(&p->first, key);
	struct tape_line_node *node;
	uint32_t i;

	if (!c)
		return 0;
	i = c->head;
	node = &p->nodes[i - 1];
	c->head = node->next;
	if (!c->head)
		tape_table_drop(&p->first, key);
	node->next = p->spare;
	p->spare = i;
	p->count--;
	return node->request;
}

static int compare_requests(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void tape_line_take_all(struct tape_line_pending *p, uint64_t *requests)
{
	const struct chain *c;
	uint64_t key;
	size_t at = 0, n = 0;

	while ((c = tape_table_each(&p->first, &at, &key)))
		for (uint32_t i = c->head; i; i = p->nodes[i - 1].next)
			requests[n++] = p->nodes[i - 1].request;
	tape_sort(requests, n, sizeof *requests, compare_requests);
	tape_table_free(&p->first);
	p->first = (struct tape_table){.bytes = sizeof *c};
	p->n = p->spare = 0;
	p->count = 0;
}

void tape_line_pending_free(struct tape_line_pending *p)
{
	tape_table_free(&p->first);
	free(p->nodes);
}
