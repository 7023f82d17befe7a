/* An open hash table of requests by number; see requests.h. */
#include <stdlib.h>

#include "tool.h"
#include "requests.h"

struct requests {
	struct request *table; /* number 0: free */
	uint64_t mask, used;
};

static struct request *room_for(uint64_t n)
{
	struct request *table = calloc(n, sizeof *table);

	if (!table)
		tape_die(TAPE_FAILED, "out of memory");
	return table;
}

struct requests *requests_new(void)
{
	struct requests *s = calloc(1, sizeof *s);

	if (!s)
		tape_die(TAPE_FAILED, "out of memory");
	s->mask = 63;
	s->table = room_for(s->mask + 1);
	return s;
}

void requests_free(struct requests *s)
{
	if (!s)
		return;
	free(s->table);
	free(s);
}

/*
 * Numbers of one thread follow each other, so neighbours never collide; those
 * of threads differ above bit 40.
 */
static uint64_t home(const struct requests *s, uint64_t number)
{
	return (number ^ number >> 37) & s->mask;
}

static struct request *find(struct requests *s, uint64_t number)
{
	uint64_t i = home(s, number);

	while (s->table[i].number && s->table[i].number != number)
		i = (i + 1) & s->mask;
	return &s->table[i];
}

static void grow(struct requests *s)
{
	uint64_t n = s->mask + 1;
	struct request *old = s->table;

	s->table = room_for(2 * n);
	s->mask = 2 * n - 1;
	for (uint64_t i = 0; i < n; i++)
		if (old[i].number)
			*find(s, old[i].number) = old[i];
	free(old);
}

void requests_add(struct requests *s, const struct request *r)
{
	struct request *at;

	if (2 * s->used > s->mask)
		grow(s);
	at = find(s, r->number);
	s->used += !at->number;
	*at = *r;
}

struct request *requests_find(struct requests *s, uint64_t number)
{
	struct request *r = number ? find(s, number) : NULL;

	return r && r->number ? r : NULL;
}

void requests_drop(struct requests *s, struct request *r)
{
	uint64_t hole = (uint64_t)(r - s->table), i = hole;

	/* what was pushed behind the hole moves up, so that no search ends
	 * at it (Knuth, The Art of Computer Programming 3, 6.4, Algorithm R) */
	for (;;) {
		i = (i + 1) & s->mask;
		if (!s->table[i].number)
			break;
		if (((i - home(s, s->table[i].number)) & s->mask) >=
		    ((i - hole) & s->mask)) {
			s->table[hole] = s->table[i];
			hole = i;
		}
	}
	s->table[hole].number = 0;
	s->used--;
}
