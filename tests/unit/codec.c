/*
 * Records to bytes and back: varints at their limits, and the fields of every
 * class with random values, cut short at every byte.
 */
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "tap.h"
#include "tape_codec.h"
#include "tape_reader.h"
#include "tape_skip.h"

static unsigned long long state;

/* Small and large values alike: all lengths of varints. */
static uint64_t any(void)
{
	uint64_t v;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	v = state >> 32;
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	v = v << 32 | state >> 32;
	return v >> (state >> 26) % 64;
}

static int varint_back(uint64_t v, int bytes)
{
	unsigned char b[16];
	const unsigned char *end = tape_put_varint(b, v), *p;
	uint64_t is = ~v;

	p = tape_get_varint(b, end, &is);
	if (p != end || is != v || end - b != bytes)
		return 0;
	for (const unsigned char *cut = b; cut < end; cut++)
		if (tape_get_varint(b, cut, &is))
			return 0;
	return 1;
}

static void varints(void)
{
	const unsigned char over[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				       0xff, 0xff, 0xff, 0x02 };
	const unsigned char longer[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					 0x80, 0x80, 0x80, 0x80, 0x00 };
	uint64_t v;
	int good = varint_back(0, 1);

	for (int n = 1; n <= 9; n++) {
		uint64_t limit = (uint64_t)1 << 7 * n;

		good &= varint_back(limit - 1, n) && varint_back(limit, n + 1);
	}
	ok(good, "each length of a varint, and where the next one begins");
	ok(varint_back(UINT64_MAX, 10), "the largest has ten bytes");
	ok(!tape_get_varint(over, over + sizeof over, &v),
	   "65 bits are refused");
	ok(!tape_get_varint(longer, longer + sizeof longer, &v),
	   "eleven bytes are refused");
}

static void zigzags(void)
{
	const int32_t limits[] = { 0, -1, 1, -2, 63, -64, INT32_MAX,
				   INT32_MIN };
	int good = 1;

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		good &= tape_unzigzag(tape_zigzag(limits[i])) == limits[i] &&
			tape_zigzag(limits[i]) <= UINT32_MAX;
	ok(good, "signed values come back");
	ok(tape_zigzag(-1) == 1 && tape_zigzag(1) == 2 && tape_zigzag(63) < 128,
	   "small ones stay small");
}

static void fill(unsigned class_, union tape_fields *u)
{
	struct tape_field f;

	memset(u, 0, sizeof *u);
	for (unsigned i = 0; tape_class_field(class_, i, &f); i++) {
		uint64_t v = any();

		if (f.bytes == 4)
			v = f.is_signed ? (uint64_t)(int64_t)(int32_t)v
					: (uint32_t)v;
		tape_field_set(u, &f, (int64_t)v);
	}
}

static int equal(unsigned class_, const union tape_fields *a,
		 const union tape_fields *b)
{
	struct tape_field f;

	for (unsigned i = 0; tape_class_field(class_, i, &f); i++)
		if (tape_field_get(a, &f) != tape_field_get(b, &f))
			return 0;
	return 1;
}

/* 1 when a record of the class with these fields comes back. */
static int back(unsigned class_, const union tape_fields *a)
{
	unsigned char b[2 * TAPE_RECORD_MAX];
	union tape_fields c;
	const unsigned char *end = tape_encode_fields(class_, b, a, 0);

	memset(&c, 0x55, sizeof c);
	if (end - b > TAPE_RECORD_MAX)
		return 0;
	if (tape_decode_fields(class_, b, end, &c, 0) != end ||
	    !equal(class_, a, &c) || !tape_same_fields(class_, a, &c))
		return 0;
	for (const unsigned char *cut = b; cut < end; cut++)
		if (tape_decode_fields(class_, b, cut, &c, 0))
			return 0;
	/* operands left out: only what varies is written */
	c = *a;
	end = tape_encode_fields(class_, b, a, 1);
	return tape_decode_fields(class_, b, end, &c, 1) == end &&
	       equal(class_, a, &c);
}

/* The site of a class is its number. */
static int class_of(uint64_t site)
{
	return site < TAPE_CLASS_COUNT ? (int)site : -1;
}

/*
 * 1 when the records of an event with these fields, and of tests at a second
 * call site with them, are skipped to their end, and not when they are cut.
 */
static int skipped(unsigned class_, const union tape_fields *a, int same)
{
	unsigned char b[2 * TAPE_RECORD_MAX], *head, *end;
	uint64_t site = 2 * (uint64_t)class_ + (unsigned)same;
	uint64_t code = TAPE_CODE_SITE + site, what = 0;

	for (int also = 0; also < 2; also++) {
		if (also) {
			code = TAPE_CODE_ALSO;
			head = tape_put_varint(b, site);
		} else {
			head = tape_put_varint(b, any());
		}
		head = tape_put_varint(head, any());
		end = tape_encode_fields(class_, head, a, same);
		if (tape_skip_record(code, b, end, class_of, &what) != end ||
		    what != (also ? 0 : site - (unsigned)same))
			return 0;
		for (const unsigned char *cut = b; cut < end; cut++)
			if (tape_skip_record(code, b, cut, class_of, &what))
				return 0;
	}
	code = TAPE_CODE_SITE + 2 * TAPE_CLASS_COUNT; /* no such site */
	return !tape_skip_record(code, b, b + sizeof b, class_of, &what);
}

/* Changing an operand makes it another record; probe and sr are none. */
static int tells_apart(unsigned class_, const union tape_fields *a)
{
	struct tape_field f;

	for (unsigned i = 0; tape_class_field(class_, i, &f); i++) {
		union tape_fields b = *a;
		int64_t v = tape_field_get(a, &f);

		tape_field_set(&b, &f, v > 0 ? v - 1 : v + 1);
		if (tape_same_fields(class_, a, &b) !=
		    (!strcmp(f.name, "probe") || !strcmp(f.name, "sr"))) {
			printf("# %s %s\n", tape_class_name(class_), f.name);
			return 0;
		}
	}
	return 1;
}

static void classes(void)
{
	union tape_fields u;
	enum { CASES = 2000 };

	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++) {
		int bad = 0, confused = 0, unskipped = 0;

		for (int i = 0; i < CASES; i++) {
			fill(c, &u);
			bad += !back(c, &u);
			unskipped += !skipped(c, &u, 0) || !skipped(c, &u, 1);
			confused += !tells_apart(c, &u);
		}
		ok(!bad && !confused, "%s: %d records come back",
		   tape_class_name(c), CASES);
		ok(!unskipped, "%s: they are skipped to their end",
		   tape_class_name(c));
	}
}

/* 1 when counts come back from their records, n counters in all. */
static int counts_back(const struct tape_count *a, uint32_t n)
{
	unsigned char b[TAPE_COUNTS_RECORDS * TAPE_RECORD_MAX], *p = b, code;
	struct tape_count c[TAPE_COUNTERS_MAX] = { { 0, 0 } }, other[32];
	const unsigned char *q = b;
	int unknown;

	for (uint32_t k = 0; k < n; k += TAPE_COUNTS_RECORD) {
		unsigned char *end = tape_put_counts(p, &code, a, k, n);

		if (end == p)
			continue;
		*p = code;
		if (end - p > TAPE_RECORD_MAX || code != TAPE_CODE_COUNTS)
			return 0;
		for (const unsigned char *cut = p + 1; cut < end; cut++)
			if (tape_get_counts(p + 1, cut, other, n, &unknown) ||
			    unknown)
				return 0;
		p = end;
	}
	while (q < p) {
		q = tape_get_counts(q + 1, p, c, n, &unknown);
		if (!q || unknown)
			return 0;
	}
	return !memcmp(a, c, n * sizeof *a);
}

static void counts(void)
{
	struct tape_count a[TAPE_COUNTERS_MAX], sum = { 7, -7 };
	unsigned char b[16], code;
	int bad = 0, unknown;

	for (int i = 0; i < 2000; i++) {
		uint32_t n = 1 + (uint32_t)(any() % TAPE_COUNTERS_MAX);

		for (uint32_t k = 0; k < TAPE_COUNTERS_MAX; k++) {
			a[k].before = any() & 1 ? (int64_t)any() : 0;
			a[k].inside = any() & 1 ? -(int64_t)(any() >> 1) : 0;
		}
		bad += !counts_back(a, n);
	}
	ok(!bad, "counts come back, cut ones do not");
	for (uint32_t k = 0; k < TAPE_COUNTERS_MAX; k++)
		a[k] = (struct tape_count){ INT64_MIN, INT64_MAX };
	ok(counts_back(a, TAPE_COUNTERS_MAX), "so do the largest, all of them");
	memset(a, 0, sizeof a);
	ok(tape_put_counts(b, &code, a, 0, 3) == b, "zeros need no record");
	a[2].inside = 1;
	ok(tape_put_counts(b, &code, a, 0, 3) == b + 3 &&
		   !tape_get_counts(b + 1, b + 3, a, 2, &unknown) && unknown,
	   "a counter beyond the last is told");
	a[0] = (struct tape_count){ 5, 70 };
	ok(tape_put_counts(b, &code, a, 0, 1) == b + 5 &&
		   tape_get_counts(b + 1, b + 5, &sum, 1, &unknown) == b + 5 &&
		   sum.before == 12 && sum.inside == 63,
	   "several records add up");
}

static void chunks(void)
{
	struct tape_chunk c = { .magic = TAPE_CHUNK_MAGIC, .version = 1,
				.rank = 2, .thread = 3, .sequence = 4,
				.used = 5, .records = 6, .slack = 7,
				.checksum = 8, .start = UINT64_MAX,
				.anchor_tick = 10, .anchor_ns = 11,
				.poll_count = 12, .poll_site = 13,
				.poll_start = 14, .poll_end = 15,
				.poll_inside = 16, .requests = 17 }, d;
	unsigned char b[TAPE_CHUNK_HEADER];

	memset(&d, 0, sizeof d);
	memset(b, 0xaa, sizeof b);
	tape_chunk_put(b, &c);
	tape_chunk_get(b, &d);
	ok(!memcmp(&c, &d, sizeof c), "a chunk's header comes back");
	ok(tape_get32(b) == TAPE_CHUNK_MAGIC && b[0] == 'C' && b[3] == 'K',
	   "its magic is readable");
	ok(tape_chunk_checksum(b, 100, 1) != tape_chunk_checksum(b, 100, 2) &&
		   tape_chunk_checksum(b, 100, 1) !=
			   tape_chunk_checksum(b, 99, 1),
	   "the checksum knows sequence and length");
}

int main(void)
{
	state = 31415;
	printf("# seed %llu\n", state);
	varints();
	zigzags();
	classes();
	counts();
	chunks();
	return done();
}
