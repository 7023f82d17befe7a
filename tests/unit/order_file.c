/*
 * Order files: what is written is read again, and what is damaged is refused.
 * Truth: the decisions that were written; bytes written by hand.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "order_file.h"
#include "record.h"
#include "tap.h"

static unsigned char bytes[4096];

static int same_decision(const struct tape_order_decision *a,
			 const struct tape_order_decision *b)
{
	return a->kind == b->kind && a->call == b->call &&
	       a->source == b->source && a->tag == b->tag &&
	       a->number == b->number && a->other_call == b->other_call &&
	       a->other_number == b->other_number;
}

static void round_trip(void)
{
	static const struct tape_order_decision all[] = {
	    {.kind = TAPE_DECISION_RECEIVED,
	     .call = 124,
	     .source = 5,
	     .tag = 7},
	    {.kind = TAPE_DECISION_FAILED, .call = 161, .number = UINT64_MAX},
	    {.kind = TAPE_DECISION_FOUND,
	     .call = TAPE_CALL_COUNT - 1,
	     .source = -2,
	     .tag = -1},
	    {.kind = TAPE_DECISION_TRUE, .call = 174},
	    {.kind = TAPE_DECISION_ANY, .call = 171, .number = INT_MAX},
	    {.kind = TAPE_DECISION_SOME, .call = 177, .number = 1},
	    {.kind = TAPE_DECISION_MATCHED,
	     .number = 1ull << 40,
	     .source = INT_MAX,
	     .tag = INT_MAX},
	    {.kind = TAPE_DECISION_CANCELLED, .number = 3},
	    {.kind = TAPE_DECISION_FREED, .number = 0},
	    {.kind = TAPE_DECISION_FINISHED, .number = 4},
	    {.kind = TAPE_DECISION_ANY_NUMBERED,
	     .call = 171,
	     .number = UINT64_MAX},
	    {.kind = TAPE_DECISION_SOME_NUMBERED, .call = 177, .number = 0},
	    {.kind = TAPE_DECISION_FAILED_BOTH,
	     .call = TAPE_CALL_COUNT - 1,
	     .number = UINT64_MAX,
	     .other_call = TAPE_CALL_COUNT - 2,
	     .other_number = UINT64_MAX},
	};
	enum { N = sizeof all / sizeof *all };
	const unsigned char *p = bytes;
	struct tape_order_decision d;
	unsigned char *to = bytes;
	size_t longest = 0;
	int n = 0;

	for (int i = 0; i < N; i++) {
		unsigned char *next = tape_order_write(to, &all[i]);

		longest = (size_t)(next - to) > longest ? (size_t)(next - to)
							: longest;
		to = next;
	}
	while (n < N && tape_order_read(&p, to, &d) == 1 &&
	       same_decision(&d, &all[n]))
		n++;
	ok(n == N && p == to && !tape_order_read(&p, to, &d),
	   "decisions are read as they were written");
	ok(longest <= TAPE_ORDER_DECISION, "none is longer than its room");
	*to = 0;
	ok(!tape_order_read(&p, to + 1, &d), "a zero byte is the end");
}

static void test_indices(void)
{
	struct tape_order_decision d = {
	    .kind = TAPE_DECISION_SOME, .call = 177, .number = 4};
	const unsigned char *p = bytes, *at;
	unsigned char *to = tape_order_write(bytes, &d);
	uint64_t sum = 0, v = 0;

	to = tape_put_varint(to, 3);
	to = tape_put_varint(to, INT_MAX);
	to = tape_put_varint(to, 0);
	memset(&d, 0, sizeof d);
	ok(tape_order_read(&p, to, &d) == 1 && p == to && d.number == 4,
	   "indices belong to their decision");
	at = d.indices;
	for (int i = 0; i < 3; i++) {
		at = tape_get_varint(at, to, &v);
		sum += v;
	}
	ok(at == to && sum == 3ull + INT_MAX, "and follow it");
	p = bytes;
	ok(tape_order_read(&p, to - 1, &d) == TAPE_EFORMAT && p == bytes,
	   "a missing index is an error at the decision");
	d = (struct tape_order_decision){
	    .kind = TAPE_DECISION_SOME_NUMBERED, .call = 177, .number = 2};
	to = tape_put_varint(tape_order_write(bytes, &d), UINT64_MAX);
	ok(tape_order_read(&p, to, &d) == 1 && p == to,
	   "a number of a request may be large");
	p = bytes;
	ok(tape_order_read(&p, to - 1, &d) == TAPE_EFORMAT,
	   "a missing one is an error, too");
}

static int is_refused(const char *text, size_t n)
{
	const unsigned char *p = (const unsigned char *)text;
	struct tape_order_decision d;

	return tape_order_read(&p, p + n, &d) == TAPE_EFORMAT &&
	       p == (const unsigned char *)text;
}

static void test_damage(void)
{
	ok(is_refused("\x63", 1), "an unknown kind");
	ok(is_refused("\x01\x7c\x0a", 3), "a missing tag");
	ok(is_refused("\x04\xff\xff\x03", 4), "an unknown call");
	ok(is_refused("\x05\x7c\xff\xff\xff\xff\x1f", 7), "too large an index");
	ok(is_refused("\x06\x7c\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12),
	   "more indices than bytes");
}

/* Random bytes: no reading beyond the end. */
static void random_bytes(void)
{
	unsigned seed = 1;
	int inside = 1;

	printf("# seed %u\n", seed);
	for (int i = 0; i < 20000; i++) {
		size_t n = (size_t)(rand_r(&seed) % 40);
		unsigned char *copy = malloc(n + 1);
		const unsigned char *p = copy;
		struct tape_order_decision d;

		for (size_t k = 0; k < n; k++)
			copy[k] = (unsigned char)(rand_r(&seed) % 12 << 4 >>
						  rand_r(&seed) % 5);
		while (tape_order_read(&p, copy + n, &d) == 1)
			inside &= p <= copy + n;
		free(copy);
	}
	ok(inside, "random bytes are read within their bounds");
}

static void headers(void)
{
	int rank = 0, ranks = 0;

	tape_order_write_header(bytes, INT_MAX / 4, 70000);
	ok(!tape_order_read_header(bytes, TAPE_ORDER_HEADER, &rank, &ranks) &&
	       rank == INT_MAX / 4 && ranks == 70000,
	   "a header is read as it was written");
	ok(tape_order_read_header(bytes, TAPE_ORDER_HEADER - 1, &rank,
				  &ranks) == TAPE_EFORMAT,
	   "a header that is cut");
	bytes[strlen("tape-order ")] = '2';
	ok(tape_order_read_header(bytes, TAPE_ORDER_HEADER, &rank, &ranks) ==
	       TAPE_EVERSION,
	   "a newer version");
	*bytes = 'T';
	ok(tape_order_read_header(bytes, TAPE_ORDER_HEADER, &rank, &ranks) ==
	       TAPE_EFORMAT,
	   "another file");
}

int main(void)
{
	round_trip();
	test_indices();
	test_damage();
	random_bytes();
	headers();
	return done();
}
