/* Hashes and pseudo-random numbers, against the published values of FNV-1a and
 * splitmix64. */
#include <inttypes.h>
#include <string.h>

#include "hash_bits.h"
#include "tap.h"

/* Of the authors of FNV, test suite of draft-eastlake-fnv. */
static void test_hash_of_bytes(void)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} truth[] = {
	    {"", UINT64_C(0xcbf29ce484222325)},
	    {"a", UINT64_C(0xaf63dc4c8601ec8c)},
	    {"foobar", UINT64_C(0x85944171f73967e8)},
	};

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		const char *s = truth[i].text;
		uint64_t h = tape_hash_bytes(TAPE_HASH_START, s, strlen(s));

		ok(h == truth[i].hash, "\"%s\": %" PRIx64, s, h);
		h = tape_hash_bytes(TAPE_HASH_START, s, strlen(s) / 2);
		h = tape_hash_bytes(h, s + strlen(s) / 2,
				    strlen(s) - strlen(s) / 2);
		ok(h == truth[i].hash, "the same in two parts");
	}
}

/* Rosetta Code, "Pseudo-random numbers/Splitmix64", seed 1234567. */
static void test_random_numbers(void)
{
	static const uint64_t truth[] = {
	    UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
	    UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
	    UINT64_C(16408922859458223821),
	};
	uint64_t state = 1234567;

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		uint64_t x = tape_next_random(&state);

		ok(x == truth[i], "number %zu: %" PRIu64, i, x);
	}
}

/* The inverse of the factor, found by Newton's method, gives x back. */
static void test_spread_bits(void)
{
	uint64_t inverse = 1, x = 1;
	int wrong = 0;

	for (int i = 0; i < 6; i++)
		inverse *= 2 - TAPE_GOLDEN * inverse;
	for (int i = 0; i < 1000; i++, x = x * 5 + 1)
		wrong += tape_spread_bits(x) * inverse != x;
	ok(!wrong, "spread bits tell numbers apart: %d wrong", wrong);
}

int main(void)
{
	test_hash_of_bytes();
	test_random_numbers();
	test_spread_bits();
	return done();
}
