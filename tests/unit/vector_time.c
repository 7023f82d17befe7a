/*
 * Vector times against happens-before of drawn events: an event happens before
 * another if a path of events of one rank and of messages leads there. Seed 3.
 */
#include <stdlib.h>

#include "tap.h"
#include "vector_time.h"

enum { RANKS = 4, EVENTS = 120 };

int main(void)
{
	static int before[EVENTS][EVENTS], rank[EVENTS], last[RANKS];
	static uint32_t number[EVENTS], calls[RANKS];
	struct vector_time *at[EVENTS], *now[RANKS] = {NULL};
	int wrong = 0, ordered = 0;
	uint32_t limit[RANKS] = {1, 1, 1, 1};

	srand(3);
	for (int r = 0; r < RANKS; r++)
		last[r] = -1;
	for (int e = 0; e < EVENTS; e++) {
		int r = rand() % RANKS, from = rand() % RANKS;
		int of[2] = {last[r], rand() % 2 ? last[from] : -1};

		/* it follows the last one of its rank, perhaps another's */
		for (int k = 0; k < 2; k++) {
			if (of[k] < 0)
				continue;
			before[of[k]][e] = 1;
			for (int i = 0; i < e; i++)
				before[i][e] |= before[i][of[k]];
			vector_time_merge(&now[r], at[of[k]]);
		}
		rank[e] = r;
		number[e] = ++calls[r];
		vector_time_raise(&now[r], (size_t)r, number[e]);
		at[e] = vector_time_keep(now[r]);
		last[r] = e;
	}
	for (int a = 0; a < EVENTS; a++)
		for (int b = a + 1; b < EVENTS; b++) {
			wrong += (vector_time_get(at[b], (size_t)rank[a]) >=
				  number[a]) != before[a][b];
			ordered += before[a][b];
		}
	ok(!wrong, "%d of %d pairs are ordered otherwise", wrong,
	   EVENTS * (EVENTS - 1) / 2);
	ok(ordered > 0 && ordered < EVENTS * (EVENTS - 1) / 2,
	   "some pairs are ordered, some are not");
	ok(!vector_time_is_below(at[EVENTS - 1], limit, RANKS) &&
	       vector_time_is_below(NULL, limit, RANKS),
	   "below a limit: of the last event, of none");
	for (int e = 0; e < EVENTS; e++)
		vector_time_drop(at[e]);
	for (int r = 0; r < RANKS; r++)
		vector_time_drop(now[r]);
	return done();
}
