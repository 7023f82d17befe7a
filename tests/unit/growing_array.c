/*
 * Growing arrays: each element is a function of its index, so that the truth
 * needs no second array; the room is counted by hand.
 */
#include <stdint.h>

#include "growing_array.h"
#include "tap.h"

enum { MOST = 10000 };

struct element {
	uint32_t a, b, c;
};

static struct element make_element(size_t i)
{
	uint32_t k = (uint32_t)i;

	return (struct element){k, 2654435761u * k, ~k};
}

static size_t count_wrong_elements(const struct element *list, size_t n)
{
	size_t wrong = 0;

	for (size_t i = 0; i < n; i++) {
		struct element e = make_element(i);

		wrong +=
		    list[i].a != e.a || list[i].b != e.b || list[i].c != e.c;
	}
	return wrong;
}

/* Appends elements one by one; all earlier ones are compared at each move. */
static void test_array_one_by_one(void)
{
	struct element *list = NULL;
	size_t room = 0, before = 0, moves = 0, wrong = 0, small = 0;

	for (size_t n = 0; n < MOST; n++) {
		list = tape_grow_array(list, &room, n + 1, sizeof *list);
		small += !list || room < n + 1;
		if (room != before) {
			small += room < 2 * before;
			wrong += count_wrong_elements(list, n);
			moves++;
		}
		before = room;
		list[n] = make_element(n);
	}
	wrong += count_wrong_elements(list, MOST);
	ok(!wrong && !small,
	   "%d elements one by one: %zu wrong, %zu without room", MOST, wrong,
	   small);
	ok(moves <= 14 && room < 2 * MOST,
	   "the room doubles: %zu reallocations, room for %zu", moves, room);
	free(list);
}

/* Asks for 0 to MOST elements at once, in a new array each time. */
static void test_array_at_once(void)
{
	size_t wrong = 0, small = 0;

	for (size_t n = 0; n <= MOST; n += 1 + n / 50) {
		struct element *list = NULL, *same;
		size_t room = 0, was;

		list = tape_grow_array(list, &room, n, sizeof *list);
		small += !list || room < n;
		for (size_t i = 0; i < n; i++)
			list[i] = make_element(i);
		was = room;
		same = tape_grow_array(list, &room, was, sizeof *list);
		wrong += same != list || room != was;
		list = tape_grow_array(list, &room, 3 * n + 50, sizeof *list);
		small += room < 3 * n + 50;
		wrong += count_wrong_elements(list, n);
		free(list);
	}
	ok(!wrong && !small,
	   "0 to %d elements at once: %zu wrong, %zu without room", MOST, wrong,
	   small);
}

/* Appends elements one by one, then removes some and appends again. */
static void test_list(void)
{
	struct element *list = NULL;
	size_t wrong = 0;

	for (size_t n = 0; n < MOST; n++) {
		list = tape_grow_list(list, n, sizeof *list);
		if (!(n & (n - 1)))
			wrong += count_wrong_elements(list, n);
		list[n] = make_element(n);
	}
	wrong += count_wrong_elements(list, MOST);
	for (size_t n = MOST; n-- > 0;) {
		if (n % 7)
			continue;
		list = tape_grow_list(list, n, sizeof *list);
		list[n] = make_element(n);
		wrong += n < 200 && count_wrong_elements(list, n + 1);
	}
	ok(!wrong, "a list of %d elements, also shortened: %zu wrong", MOST,
	   wrong);
	free(list);
}

/* More bytes than an object can have are refused; the array stays valid. */
static void test_refusals(void)
{
	enum { KEPT = 5, BYTES = sizeof(struct element) };
	/* times BYTES, most of them wrap around to a small number */
	const size_t most[] = {SIZE_MAX,
			       SIZE_MAX / 2 + 2,
			       SIZE_MAX / BYTES,
			       SIZE_MAX / BYTES + 1,
			       SIZE_MAX / BYTES + 2,
			       SIZE_MAX / 2 / BYTES + 1};
	struct element *list = NULL;
	size_t room = 0, was, wrong = 0;

	list = tape_grow_array(list, &room, KEPT, BYTES);
	for (size_t i = 0; i < KEPT; i++)
		list[i] = make_element(i);
	was = room;
	for (size_t i = 0; i < sizeof most / sizeof *most; i++)
		wrong += tape_grow_array(list, &room, most[i], BYTES) != NULL ||
			 room != was || count_wrong_elements(list, KEPT);
	ok(!wrong, "too many elements are refused: %zu wrong", wrong);
	/* a room whose double is 0 in a size_t */
	room = was = SIZE_MAX / 2 + 1;
	ok(!tape_grow_array(list, &room, room + 1, 1) && room == was &&
	       !count_wrong_elements(list, KEPT),
	   "a room that cannot double is refused, and is as before");
	for (size_t n = SIZE_MAX / 2 + 1; n > SIZE_MAX / 4 / BYTES; n /= 2)
		wrong += tape_grow_list(list, n, BYTES) != NULL;
	ok(!wrong && !count_wrong_elements(list, KEPT),
	   "a list that cannot double is refused");
	free(list);
}

int main(void)
{
	test_array_one_by_one();
	test_array_at_once();
	test_list();
	test_refusals();
	return done();
}
