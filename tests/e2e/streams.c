/*
 * Streams between the programs of a job; streams.sh says who does what:
 *
 *	streams NAME map PARTITION POLICY|SEED|own ...   prints the ranks
 *	streams NAME write PARTITION BLOCKS BYTES BALANCE [BUFFERS]
 *	streams NAME read PARTITION BYTES BALANCE [BUFFERS]
 *	streams NAME slow|drop|patient PARTITION ...
 *
 * Each block says who wrote it and which of his it is, and what is in it
 *follows from that: the reader checks every word and the order.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tape_stream.h>

static int rank, size, bad;

#define CHECK(x)                                                               \
	do {                                                                   \
		if (!(x)) {                                                    \
			printf("wrong: %s, line %d\n", #x, __LINE__);          \
			bad = 1;                                               \
		}                                                              \
	} while (0)

static uint64_t word(uint64_t writer, uint64_t n, uint64_t i)
{
	uint64_t z = (writer << 48 ^ n << 24 ^ i) * 0x2545f4914f6cdd1dULL;

	return z ^ z >> 29;
}

/* Words of block n: between two and as many as fit, not all alike. */
static size_t words_of(uint64_t writer, uint64_t n, size_t most)
{
	return most <= 2 ? most : 2 + word(writer, n, 7) % (most - 1);
}

static size_t fill(uint64_t *w, uint64_t n, size_t most)
{
	size_t words = words_of((uint64_t)rank, n, most);

	w[0] = (uint64_t)rank;
	w[1] = n;
	for (size_t i = 2; i < words; i++)
		w[i] = word((uint64_t)rank, n, i);
	return 8 * words;
}

static void verify(const uint64_t *w, long bytes, size_t most, int from,
		   int64_t *last)
{
	size_t words = words_of(w[0], w[1], most);

	CHECK((uint64_t)from == w[0]);
	CHECK((size_t)bytes == 8 * words);
	CHECK((int64_t)w[1] > last[from]);
	last[from] = (int64_t)w[1];
	for (size_t i = 2; i < words; i++)
		if (w[i] != word(w[0], w[1], i)) {
			CHECK(!"content");
			return;
		}
}

static enum tape_balance balance(const char *s)
{
	return !strcmp(s, "none")     ? TAPE_BALANCE_NONE
	       : !strcmp(s, "random") ? TAPE_BALANCE_RANDOM
				      : TAPE_BALANCE_ROUND_ROBIN;
}

static int own(int source, int sources, int targets, void *of)
{
	(void)sources;
	CHECK(of == &rank);
	return source == 1 ? -1 : source * source % targets;
}

static void print_map(const char *name, tape_map *map)
{
	char line[4096];
	int n = 0;

	for (int i = 0; i < tape_map_size(map); i++)
		n += sprintf(line + n, " %d", tape_map_get(map, i));
	line[n] = '\0';
	printf("%s %d:%s\n", name, rank, line);
}

/* Pairs of words: a partition, and how. */
static void map_all(const char *name, char **what)
{
	tape_map *map = tape_map_create();

	for (; what[0] && what[1]; what += 2) {
		int p = tape_partition_find(what[0]), rc;

		CHECK(!strcmp(tape_partition_name(p), what[0]));
		if (!strcmp(what[1], "rr"))
			rc =
			    tape_map_partition(map, p, TAPE_MAP_ROUND_ROBIN, 0);
		else if (!strcmp(what[1], "fixed"))
			rc = tape_map_partition(map, p, TAPE_MAP_FIXED, 0);
		else if (!strcmp(what[1], "own"))
			rc = tape_map_with(map, p, own, &rank);
		else
			rc = tape_map_partition(map, p, TAPE_MAP_RANDOM,
						strtoull(what[1], NULL, 10));
		CHECK(!rc);
	}
	print_map(name, map);
	tape_map_clear(map);
	CHECK(tape_map_size(map) == 0);
	CHECK(tape_map_get(map, 0) == TAPE_STREAM_EINVAL);
	tape_map_free(map);
}

static tape_stream *open_to(const char *partition, const char *mode,
			    size_t block, const char *how, int buffers,
			    int drop)
{
	struct tape_stream_options o = {block, buffers, balance(how), drop, 5};
	tape_map *map = tape_map_create();
	tape_stream *s;

	CHECK(!tape_map_partition(map, tape_partition_find(partition),
				  TAPE_MAP_ROUND_ROBIN, 0));
	CHECK(!tape_stream_open_map(&s, map, mode, &o));
	tape_map_free(map);
	return s;
}

/* As many as there are ranks in both: everybody is connected to everybody. */
static tape_stream *open_all(const char *partition, const char *mode,
			     size_t block, const char *how, int buffers)
{
	struct tape_stream_options o = {block, buffers, balance(how), 0, 5};
	int p = tape_partition_find(partition);
	tape_map *map = tape_map_create();
	tape_stream *s;

	for (int i = 0; i < tape_partition_size(p); i++)
		CHECK(!tape_map_rank(map, tape_partition_rank(p, i)));
	CHECK(!tape_stream_open_map(&s, map, mode, &o));
	tape_map_free(map);
	return s;
}

static void write_all(tape_stream *s, uint64_t blocks, size_t block)
{
	struct tape_stream_counts c;
	uint64_t *w = malloc(block), bytes = 0;

	for (uint64_t n = 0; n < blocks; n++) {
		size_t b = fill(w, n, block / 8);

		CHECK(tape_stream_write(s, w, b, 0) == (long)b);
		bytes += b;
	}
	tape_stream_count(s, &c);
	CHECK(c.blocks == blocks && c.bytes == bytes && !c.dropped_blocks);
	CHECK(!tape_stream_close(s));
	printf("wrote %d: %llu blocks %llu bytes\n", rank,
	       (unsigned long long)blocks, (unsigned long long)bytes);
	free(w);
}

static void read_all(tape_stream *s, size_t block, int flags)
{
	uint64_t *w = malloc(block), blocks = 0, bytes = 0;
	int64_t *last = malloc((size_t)size * sizeof *last);
	struct tape_stream_counts c;
	int from = -1;
	long n;

	for (int i = 0; i < size; i++)
		last[i] = -1;
	while ((n = tape_stream_read(s, w, block, &from, flags))) {
		if (n == TAPE_STREAM_EAGAIN) {
			CHECK(flags);
			continue;
		}
		CHECK(n > 0);
		if (n < 0)
			break;
		verify(w, n, block / 8, from, last);
		blocks++;
		bytes += (uint64_t)n;
	}
	CHECK(!tape_stream_read(s, w, block, NULL, 0));
	tape_stream_count(s, &c);
	CHECK(c.blocks == blocks && c.bytes == bytes);
	CHECK(!tape_stream_close(s));
	printf("read %d: %llu blocks %llu bytes\n", rank,
	       (unsigned long long)blocks, (unsigned long long)bytes);
	free(last);
	free(w);
}

/* How much goes before the reader, who is asleep, takes anything? */
static void patient(const char *partition, size_t block, int buffers)
{
	tape_stream *s = open_to(partition, "w", block, "rr", buffers, 0);
	struct tape_stream_counts c;
	uint64_t *w = malloc(block), n = 0;
	long rc;

	for (;;) {
		size_t b = fill(w, n, block / 8);

		rc = tape_stream_write(s, w, b, TAPE_STREAM_NONBLOCK);
		if (rc == TAPE_STREAM_EAGAIN)
			break;
		CHECK(rc == (long)b);
		n++;
	}
	printf("went: %llu\n", (unsigned long long)n);
	/* and the rest waits */
	for (uint64_t i = 0; i < 20; i++, n++) {
		size_t b = fill(w, n, block / 8);

		CHECK(tape_stream_write(s, w, b, 0) == (long)b);
	}
	tape_stream_count(s, &c);
	CHECK(c.waited_ns > 0 && c.blocks == n);
	CHECK(!tape_stream_close(s));
	printf("wrote %d: %llu blocks\n", rank, (unsigned long long)n);
	free(w);
}

static void drop(const char *partition, size_t block, int buffers)
{
	tape_stream *s = open_to(partition, "w", block, "rr", buffers, 1);
	struct tape_stream_counts c;
	uint64_t *w = malloc(block), went = 0, lost = 0, lost_bytes = 0;

	for (uint64_t n = 0; n < 1000; n++) {
		size_t b = fill(w, n, block / 8);
		long rc = tape_stream_write(s, w, b, 0);

		CHECK(rc == 0 || rc == (long)b);
		went += rc > 0;
		lost += rc == 0;
		lost_bytes += rc ? 0 : b;
		if (n % 100 == 99)
			usleep(1000);
	}
	tape_stream_count(s, &c);
	CHECK(c.blocks == went && c.dropped_blocks == lost &&
	      c.dropped_bytes == lost_bytes && c.waited_ns == 0);
	CHECK(!tape_stream_close(s));
	printf("wrote %d: %llu blocks dropped %llu\n", rank,
	       (unsigned long long)went, (unsigned long long)lost);
	free(w);
}

/* Both write more than buffers hold, and read what the other one wrote. */
static void both_ways(const char *partition, size_t block)
{
	tape_stream *s = open_to(partition, "rw", block, "rr", 2, 0);
	uint64_t *w = malloc(block), *r = malloc(block), n = 0, got = 0;
	int64_t *last = malloc((size_t)size * sizeof *last);
	int from;

	for (int i = 0; i < size; i++)
		last[i] = -1;
	while (n < 50 || got < 50) {
		size_t b = fill(w, n, block / 8);
		long rc;

		if (n < 50 &&
		    tape_stream_write(s, w, b, TAPE_STREAM_NONBLOCK) == (long)b)
			n++;
		rc = tape_stream_read(s, r, block, &from, TAPE_STREAM_NONBLOCK);
		if (rc == TAPE_STREAM_EAGAIN)
			continue;
		verify(r, rc, block / 8, from, last);
		got++;
	}
	CHECK(!tape_stream_close(s));
	printf("both %d: %llu blocks\n", rank, (unsigned long long)got);
	free(w);
	free(r);
	free(last);
}

/* Opened and closed again and again, with a block each and with none. */
static void again(const char *partition, const char *mode, int times)
{
	for (int i = 0; i < times; i++) {
		tape_stream *s = open_to(partition, mode, 4096, "rr", 3, 0);
		uint64_t w[512];
		long n;

		if (*mode == 'w' && i % 3) {
			w[0] = (uint64_t)i;
			CHECK(tape_stream_write(s, w, 8, 0) == 8);
		}
		if (*mode == 'r' && i % 2) { /* else close throws it away */
			n = tape_stream_read(s, w, 4096, NULL, 0);
			CHECK(i % 3 ? n == 8 && w[0] == (uint64_t)i : n == 0);
		}
		CHECK(!tape_stream_close(s));
	}
	printf("again %d: %d\n", rank, times);
}

/* Both ends see that they do not fit. */
static void misfits(const char *partition, int first)
{
	int other = tape_partition_rank(tape_partition_find(partition), 0);
	struct tape_stream_options o = {first ? 4096 : 8192, 0, 0, 0, 0};
	unsigned char b[4096] = {1};
	tape_stream *s;
	tape_map *map = tape_map_create();
	void *room;

	CHECK(tape_stream_open(&s, other, first ? "w" : "r", &o) ==
		  TAPE_STREAM_EMISMATCH &&
	      !s);
	CHECK(tape_stream_open(&s, other, "r", NULL) == TAPE_STREAM_EMISMATCH &&
	      !s);
	CHECK(tape_stream_open(&s, other, "x", NULL) == TAPE_STREAM_EINVAL);
	CHECK(tape_stream_open(&s, size, "r", NULL) == TAPE_STREAM_EINVAL);
	CHECK(tape_stream_open(&s, -1, "r", NULL) == TAPE_STREAM_EINVAL);
	o = (struct tape_stream_options){4096, -1, 0, 0, 0};
	CHECK(tape_stream_open(&s, other, "w", &o) == TAPE_STREAM_EINVAL);
	CHECK(tape_map_partition(map, tape_partition_mine(), 0, 0) ==
	      TAPE_STREAM_EINVAL);
	CHECK(tape_map_partition(map, 99, 0, 0) == TAPE_STREAM_EINVAL);
	CHECK(tape_map_rank(map, size) == TAPE_STREAM_EINVAL);
	CHECK(tape_partition_find("nobody") == TAPE_STREAM_EINVAL);
	CHECK(!tape_partition_name(99) && !tape_partition_size(-1));
	/* nobody is connected: it is over at once */
	CHECK(!tape_stream_open_map(&s, map, "rw", NULL));
	CHECK(tape_stream_write(s, b, 8, 0) == TAPE_STREAM_EINVAL);
	CHECK(tape_stream_read(s, b, 1 << 20, NULL, 0) == 0);
	CHECK(!tape_stream_close(s));
	tape_map_free(map);
	/* one fits */
	o = (struct tape_stream_options){4096, 1, 0, 0, 0};
	CHECK(!tape_stream_open(&s, other, first ? "w" : "r", &o));
	if (first) {
		CHECK(tape_stream_write(s, b, 4097, 0) == TAPE_STREAM_EINVAL);
		CHECK(tape_stream_write(s, b, 0, 0) == TAPE_STREAM_EINVAL);
		CHECK(tape_stream_read(s, b, 4096, NULL, 0) ==
		      TAPE_STREAM_EMODE);
		CHECK(tape_stream_put(s, 3) == TAPE_STREAM_EINVAL);
		CHECK(tape_stream_room(s, &room, 0) == 1);
		CHECK(tape_stream_room(s, &room, 0) == TAPE_STREAM_EINVAL);
		memset(room, 7, 4096);
		CHECK(!tape_stream_put(s, 4096));
	} else {
		const void *block;

		CHECK(tape_stream_write(s, b, 1, 0) == TAPE_STREAM_EMODE);
		CHECK(tape_stream_read(s, b, 4095, NULL, 0) ==
		      TAPE_STREAM_EINVAL);
		CHECK(tape_stream_done(s) == TAPE_STREAM_EINVAL);
		CHECK(tape_stream_look(s, &block, NULL, 0) == 4096);
		CHECK(((const unsigned char *)block)[4095] == 7);
		CHECK(tape_stream_look(s, &block, NULL, 0) ==
		      TAPE_STREAM_EINVAL);
		CHECK(!tape_stream_done(s));
	}
	CHECK(!tape_stream_close(s));
	printf("misfits %d\n", rank);
}

int main(int argc, char **argv)
{
	const char *name = argv[1], *what = argv[2], *to = argv[3];
	size_t block = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
	const char *how = argc > 5 ? argv[5] : "rr";
	int buffers = argc > 6 ? atoi(argv[6]) : 0;
	uint64_t blocks = argc > 7 ? strtoul(argv[7], NULL, 10) : 0;

	CHECK(tape_stream_start(name) == TAPE_STREAM_ESTATE);
	MPI_Init(&argc, &argv);
	CHECK(tape_partition_count() == TAPE_STREAM_ESTATE);
	CHECK(!tape_stream_start(name));
	CHECK(!tape_stream_start(name));
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	CHECK(!strcmp(tape_partition_name(tape_partition_mine()), name));
	if (!strcmp(what, "map"))
		map_all(name, argv + 3);
	else if (!strcmp(what, "write"))
		write_all(open_all(to, "w", block, how, buffers), blocks,
			  block ? block : 1 << 20);
	else if (!strcmp(what, "read"))
		read_all(open_all(to, "r", block, how, buffers),
			 block ? block : 1 << 20, (int)blocks);
	else if (!strcmp(what, "patient"))
		patient(to, block, buffers);
	else if (!strcmp(what, "drop"))
		drop(to, block, buffers);
	else if (!strcmp(what, "both"))
		both_ways(to, block);
	else if (!strcmp(what, "again"))
		again(to, how, 400);
	else if (!strcmp(what, "misfits"))
		misfits(to, tape_partition_mine() == 0);
	else if (!strcmp(what, "slow")) {
		tape_stream *s = open_to(to, "r", block, "rr", buffers, 0);

		usleep(700000);
		read_all(s, block, 0);
	}
	CHECK(!tape_stream_stop());
	CHECK(tape_stream_stop() == TAPE_STREAM_ESTATE);
	MPI_Finalize();
	return bad;
}
