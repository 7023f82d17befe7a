/*
 * Matching: the order of MPI for each key, whatever is in flight of others;
 * against queues kept in the simplest way. Rounds of collectives.
 */
#include <stdlib.h>
#include <string.h>

#include "match.h"
#include "tap.h"

/* What a tool keeps with a side. */
struct kept {
	uint64_t number;
};

static struct kept *kept_of(struct tape_slot *s, unsigned side)
{
	return (struct kept *)((side == 1 ? s->send : s->recv) + 1);
}

static unsigned long long state;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)((state >> 33) % n);
}

static const struct tape_match_key one = { .comm = 1, .src = 0, .dst = 1,
					   .tag = 7 };
static const struct tape_where nowhere;

static void order(void)
{
	struct tape_match *m = tape_match_new(sizeof(struct kept));
	uint32_t a, b, c;
	uint64_t sends, recvs;

	ok(tape_match_peek(m, &one) == TAPE_NO_SLOT, "nothing there at first");
	a = tape_match_send(m, &one);
	b = tape_match_send(m, &one);
	ok(a != b && tape_match_peek(m, &one) == a, "the oldest send is seen");
	tape_match_slot(m, a)->send->bytes = 11;
	ok(tape_match_post(m, &one) == a &&
		   tape_match_slot(m, a)->send->bytes == 11 &&
		   tape_is_posted(tape_match_slot(m, a)),
	   "the first receive takes the first send");
	ok(tape_match_peek(m, &one) == b, "and the second is seen then");
	tape_match_left(m, &sends, &recvs);
	ok(sends == 1 && recvs == 0, "one send is left");
	ok(tape_match_post(m, &one) == b, "the second takes the second");
	c = tape_match_post(m, &one);
	tape_match_left(m, &sends, &recvs);
	ok(sends == 0 && recvs == 1 && !tape_is_sent(tape_match_slot(m, c)),
	   "a receive comes first");
	ok(tape_match_peek(m, &one) == TAPE_NO_SLOT,
	   "a posted receive is no message");
	ok(tape_match_send(m, &one) == c, "its send finds it");
	tape_match_done(m, a, 1);
	ok(tape_match_post(m, &one) != a, "one side holds the slot");
	tape_match_done(m, a, 2);
	ok(tape_match_post(m, &one) == a, "both have let go: it is used again");
	ok(!tape_match_slot(m, a)->send->bytes, "and is empty");
	tape_match_free(m);
	tape_match_free(NULL);
}

static void keys(void)
{
	struct tape_match_key k[5] = { one, one, one, one, one };
	struct tape_match *m = tape_match_new(sizeof(struct kept));
	uint32_t s = tape_match_send(m, &one);
	int taken = 0;

	k[0].comm = 2;
	k[1].src = 1;
	k[2].dst = 0;
	k[3].tag = -7;
	k[4].way = 1;
	for (int i = 0; i < 5; i++)
		taken += tape_match_post(m, &k[i]) == s;
	ok(!taken, "communicator, source, destination, tag and way are equal");
	tape_match_free(m);
}

static void cancel(void)
{
	struct tape_match *m = tape_match_new(sizeof(struct kept));
	uint32_t r[4];
	uint64_t sends, recvs;

	for (int i = 0; i < 4; i++)
		r[i] = tape_match_post(m, &one);
	tape_match_cancel(m, r[1], 2, &nowhere); /* in the middle */
	tape_match_cancel(m, r[3], 2, &nowhere); /* the last */
	tape_match_left(m, &sends, &recvs);
	ok(recvs == 2, "two of four are left");
	r[3] = tape_match_post(m, &one);
	ok(tape_match_send(m, &one) == r[0] &&
		   tape_match_send(m, &one) == r[2] &&
		   tape_match_send(m, &one) == r[3],
	   "the others keep their order, and a later one follows them");
	r[0] = tape_match_post(m, &one);
	tape_match_cancel(m, r[0], 2, &nowhere);
	tape_match_left(m, &sends, &recvs);
	ok(recvs == 0 && tape_match_peek(m, &one) == TAPE_NO_SLOT,
	   "the only one: the key is forgotten");
	tape_match_send(m, &one);
	tape_match_cancel(m, r[0], 2, &nowhere);
	tape_match_left(m, &sends, &recvs);
	ok(sends == 1, "cancelling what is not posted does nothing");
	tape_match_free(m);
}

/* The send was seen before the receive it does not belong to was cancelled. */
static void cancel_late(void)
{
	struct tape_match *m = tape_match_new(sizeof(struct kept));
	uint32_t r[2], s;
	uint64_t sends, recvs;

	r[0] = tape_match_post(m, &one);
	s = tape_match_send(m, &one);
	tape_match_slot(m, s)->send->bytes = 5;
	tape_match_send(m, &one);
	tape_match_cancel(m, r[0], 2, &nowhere);
	ok(tape_match_peek(m, &one) == s &&
		   !tape_is_posted(tape_match_slot(m, s)),
	   "the send is first in its queue again");
	ok(tape_match_post(m, &one) == s &&
		   tape_match_slot(m, s)->send->bytes == 5,
	   "and for the next receive");
	tape_match_post(m, &one);
	r[0] = tape_match_post(m, &one);
	r[1] = tape_match_post(m, &one);
	s = tape_match_send(m, &one);
	tape_match_slot(m, s)->send->bytes = 6;
	tape_match_done(m, s, 1);
	tape_match_cancel(m, r[0], 2, &nowhere);
	ok(tape_is_sent(tape_match_slot(m, r[1])) &&
		   tape_match_slot(m, r[1])->send->bytes == 6,
	   "the next receive was posted already: it has the send");
	tape_match_left(m, &sends, &recvs);
	ok(!sends && !recvs, "nothing is left");
	r[0] = tape_match_post(m, &one);
	s = tape_match_send(m, &one);
	tape_match_cancel(m, r[0], 2, &nowhere);
	ok(tape_match_peek(m, &one) == s, "alone, it makes its queue anew");
	tape_match_free(m);
}

/* A send is cancelled: the receive it had, if any, is for the next one. */
static void cancel_send(void)
{
	struct tape_match *m = tape_match_new(sizeof(struct kept));
	struct tape_where other = { .event = 5 };
	uint32_t r, s[2];
	uint64_t sends, recvs, now, most;

	s[0] = tape_match_send(m, &one);
	s[1] = tape_match_send(m, &one);
	tape_match_done(m, s[0], 1);
	tape_match_cancel(m, s[0], 1, &other);
	tape_match_left(m, &sends, &recvs);
	ok(sends == 2, "another's slot is not touched");
	tape_match_cancel(m, s[0], 1, &nowhere);
	ok(tape_match_post(m, &one) == s[1], "the first send is gone");
	tape_match_done(m, s[1], 1);
	tape_match_done(m, s[1], 2);
	r = tape_match_post(m, &one);
	s[0] = tape_match_send(m, &one);
	tape_match_cancel(m, s[0], 1, &nowhere);
	tape_match_left(m, &sends, &recvs);
	ok(!sends && recvs == 1 && tape_match_send(m, &one) == r,
	   "its receive takes the next");
	s[1] = tape_match_send(m, &one);
	tape_match_slot(m, s[1])->send->bytes = 9;
	tape_match_done(m, s[1], 1);
	tape_match_cancel(m, r, 1, &nowhere);
	ok(tape_match_slot(m, r)->send->bytes == 9,
	   "or the one that waits already");
	tape_match_done(m, r, 2);
	tape_match_held(m, &now, &most);
	ok(!now && most == 2, "no slot is in use");
	r = tape_match_post(m, &one);
	tape_match_send(m, &one);
	tape_match_done(m, r, 2);
	s[1] = tape_match_send(m, &one);
	tape_match_done(m, s[1], 1);
	tape_match_cancel(m, r, 1, &nowhere);
	tape_match_held(m, &now, &most);
	ok(!now, "nor where the receive and the next send were over before");
	tape_match_free(m);
}

static void each(void)
{
	struct tape_match *m = tape_match_new(sizeof(struct kept));
	uint32_t at = 0, s, sum = 0, n = 0;
	int alive[3];

	for (int i = 0; i < 3; i++)
		alive[i] = (int)tape_match_send(m, &one);
	tape_match_post(m, &one);
	tape_match_done(m, (uint32_t)alive[0], 1);
	tape_match_done(m, (uint32_t)alive[0], 2);
	while ((s = tape_match_each(m, &at)) != TAPE_NO_SLOT) {
		sum += s;
		n++;
	}
	ok(n == 2 && (int)sum == alive[1] + alive[2],
	   "every slot in use is seen once");
	tape_match_free(m);
}

/* The k-th send and the k-th receive of a key, for many keys at once. */
enum { KEYS = 3000, STEPS = 300000 };

static struct simple {
	unsigned n[3], ended;   /* of each side so far; of matched pairs */
	uint32_t slot[3][8];    /* not yet matched, at most 8 */
} simple[KEYS];

static struct tape_match_key key_of(unsigned k)
{
	/* keys that differ in one thing only share much of the table */
	return (struct tape_match_key){ .comm = 1 + k % 2,
					.src = (int32_t)(k / 2 % 3),
					.dst = (int32_t)(k / 6 % 5),
					.tag = (int32_t)(k / 30) - 1 };
}

static int step(struct tape_match *m)
{
	unsigned k = below(KEYS), side = 1 + below(2), other = 3 - side;
	struct simple *s = &simple[k];
	struct tape_match_key key = key_of(k);
	uint32_t slot;

	if (s->n[side] >= s->n[other] + 8)
		return 0;
	slot = side == 1 ? tape_match_send(m, &key) : tape_match_post(m, &key);
	if (s->n[side]++ >= s->n[other]) {
		s->slot[side][(s->n[side] - 1) % 8] = slot;
		kept_of(tape_match_slot(m, slot), side)->number = k;
		return 0;
	}
	if (slot != s->slot[other][(s->n[side] - 1) % 8] ||
	    kept_of(tape_match_slot(m, slot), other)->number != k ||
	    kept_of(tape_match_slot(m, slot), side)->number)
		return 1;
	tape_match_done(m, slot, 1);
	tape_match_done(m, slot, 2);
	return 0;
}

static void many(void)
{
	struct tape_match *m = tape_match_new(sizeof(struct kept));
	uint64_t sends, recvs, s = 0, r = 0;
	uint32_t highest;
	int wrong = 0;

	for (int i = 0; i < STEPS; i++)
		wrong += step(m);
	for (int k = 0; k < KEYS; k++) {
		const unsigned *n = simple[k].n;

		s += n[1] > n[2] ? n[1] - n[2] : 0;
		r += n[2] > n[1] ? n[2] - n[1] : 0;
	}
	ok(!wrong, "%d steps over %d keys: every pair is right", STEPS, KEYS);
	tape_match_left(m, &sends, &recvs);
	ok(sends == s && recvs == r, "%d sends and %d receives are left",
	   (int)s, (int)r);
	highest = tape_match_send(m, &one);
	ok(highest < 4 * 8 * KEYS, "slots are used again (%u)", highest);
	tape_match_free(m);
}

int main(void)
{
	state = 99;
	printf("# seed %llu\n", state);
	order();
	keys();
	cancel();
	cancel_late();
	cancel_send();
	each();
	many();
	return done();
}
