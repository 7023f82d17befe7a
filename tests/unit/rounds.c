/* Collectives under way: who entered, and that nothing is kept of the rest. */
#include "rounds.h"
#include "tap.h"

int main(void)
{
	struct tape_rounds *r = tape_rounds_new(8, 16);
	struct tape_round *q = tape_rounds_get(r, 5, 0, 3, 3), *other;

	other = tape_rounds_get(r, 5, 1, 3, 3);
	ok(q && other && q != other && tape_rounds_get(r, 5, 0, 3, 3) == q,
	   "a round is found again, the next one is another");
	ok(!((uint64_t *)q->own)[0] && !((uint64_t *)q->own)[1 + 2 * 3 - 1],
	   "what is the tool's is zeroed, to the last rank");
	ok(tape_round_enter(q, 0, 1000) && tape_round_enter(q, 2, 1300),
	   "two enter");
	ok(!tape_round_enter(q, 2, 9999), "a second time: no");
	ok(!tape_round_enter(q, 3, 9999) && !tape_round_enter(q, -1, 9999),
	   "nor who is no member");
	ok(q->entered == 2 && q->latest_ns == 1300 && q->latest == 2 &&
		   q->base_ns == 1000, "the first of them, and the latest");
	ok(tape_round_enter(q, 1, 900) && q->entered == 3 &&
		   q->latest_ns == 1300 && q->base_ns == 1000 &&
		   q->start_ns[1] == 900, "all have");
	for (int i = 0; i < 3; i++)
		tape_round_leave(r, q);
	ok(tape_rounds_left(r) == 1, "the last to leave frees it");
	ok(!tape_rounds_get(r, 5, 2, 0, 0), "no members: no round");
	/* many at once, left in another order */
	for (uint64_t k = 0; k < 1000; k++)
		tape_rounds_get(r, 1 + k % 3, k, 1, 1);
	ok(tape_rounds_left(r) == 1001, "a thousand more");
	for (uint64_t k = 0; k < 1000; k++) {
		uint64_t j = k * 7 % 1000;

		tape_round_leave(r, tape_rounds_get(r, 1 + j % 3, j, 1, 1));
	}
	ok(tape_rounds_left(r) == 1 && tape_rounds_get(r, 5, 1, 3, 3) == other,
	   "all gone but the first");
	q = tape_rounds_get(r, 9, 0, 4, 2);
	tape_round_leave(r, q);
	tape_round_leave(r, q);
	ok(tape_rounds_left(r) == 1, "members without a trace need not leave");
	tape_rounds_free(r);
	tape_rounds_free(NULL);
	return done();
}
