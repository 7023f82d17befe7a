/*
 * The layout of records of a flow file: varints, chunk headers and the numbers
 * that records refer to. doc/trace-format.md describes the same in prose. The
 * codes of records are in records.tab, the fields of each event class in
 * classes.tab; mkcatalogue turns them into encoders, decoders and a skipper
 * built on the functions here (gen/tape_codec.h, gen/tape_skip.h).
 *
 * Everything is little-endian. Nothing here allocates or does I/O.
 */
#ifndef TAPE_RECORD_H
#define TAPE_RECORD_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tape_ids.h"

#define TAPE_FORMAT_VERSION 7u

/* A flow file is a sequence of chunks, each in a slot of TAPE_CHUNK_BYTES. */
#define TAPE_CHUNK_BYTES 65536u
#define TAPE_CHUNK_HEADER 128u
#define TAPE_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */

/* No record is longer than this; a chunk is sealed when less is left. */
#define TAPE_RECORD_MAX 160u

/*
 * A record begins with a code (enum tape_code), a varint. records.tab lists the
 * operands of each code. Code 0 is the end of the chunk. Codes from
 * TAPE_CODE_SITE on are events: (code - TAPE_CODE_SITE) / 2 is the call site.
 * If the lowest bit is set, the operands are those of the previous event at
 * that site.
 */

/*
 * Counters: TAPE_CODE_COUNTS has a varint with two bits for each counter; the
 * lowest two bits belong to counter 0. For each bit that is set a value
 * (zigzag) follows. The even bit stands for the count from the previous event
 * to the start of this event, the odd bit for the count within this event.
 * Missing counts are 0. An event may have several such records, of at most
 * TAPE_COUNTS_RECORD counters each; their counts add up.
 */
#define TAPE_COUNTERS_MAX 16u
#define TAPE_COUNTS_RECORD 7u
#define TAPE_COUNTS_RECORDS \
	((TAPE_COUNTERS_MAX + TAPE_COUNTS_RECORD - 1) / TAPE_COUNTS_RECORD)

/* The counts of one counter: before an event, and within the event. */
struct tape_count {
	int64_t before, inside;
};

/*
 * The kind of a block of events: the lowest two bits of the operand block of
 * TAPE_CODE_BLOCK. The higher bits are the number of its group.
 */
enum tape_block_kind {
	TAPE_BLOCK_SKIPPED = 0,
	TAPE_BLOCK_KEPT = 1,     /* recorded; this record follows its events */
	TAPE_BLOCK_REPEATED = 2, /* skipped; some steps ran more than once */
	TAPE_BLOCK_REPEATS = 3   /* the repeated steps of the same block */
};

/*
 * Steps in the life of a thread, of class pthread. Its creator is about to call
 * pthread_create, and has returned from it (which is 0: no thread was created,
 * or its name was freed meanwhile); the thread begins; another thread is about
 * to call pthread_join, and has returned from it (which is 0: it failed); the
 * thread ends.
 */
enum tape_thread_step {
	TAPE_THREAD_CREATES = 1,
	TAPE_THREAD_CREATED = 2,
	TAPE_THREAD_BEGINS = 3,
	TAPE_THREAD_JOINS = 4,
	TAPE_THREAD_JOINED = 5,
	TAPE_THREAD_ENDS = 6
};

/*
 * The part of a call that an event covers: message handlers of PVM may run
 * during the call (field part of classes.tab).
 */
enum tape_call_part {
	TAPE_PART_WHOLE = 0,
	TAPE_PART_BEGINNING = 1, /* up to the first handler */
	TAPE_PART_END = 2        /* since the last handler returned */
};

/* Why a flow ended; the operand of TAPE_CODE_END. */
enum tape_end {
	TAPE_END_NONE = 0, /* no end record: killed, or still running */
	TAPE_END_FINALIZE = 1,
	TAPE_END_EXIT = 2,  /* the process or thread ended before finalize */
	TAPE_END_ABORT = 3, /* MPI_Abort */
	TAPE_END_FULL = 4,  /* the disk, or the file size limit */
	TAPE_END_LIMIT = 5, /* the configured maximum size */
	TAPE_END_ERROR = 6  /* another failure, reported on stderr */
};

/*
 * The header of a chunk as it is in the file: fixed offsets.
 *
 *   0 u32 magic       4 u32 version    8 u32 rank       12 u32 thread
 *  16 u32 sequence   20 u32 used      24 u32 records    28 u32 slack
 *  32 u64 checksum   40 u64 start     48 u64 anchor_tick 56 u64 anchor_ns
 *  64 pending merged calls (failed tests, or packing):
 *     u64 count, u64 site, u64 start, u64 end, u64 inside   (to 104)
 * 104 u64 requests created before this chunk
 * 112 u64 count and u32 site of a second call site of the merged calls; of
 *     packing calls u64 bytes
 * 124 u32 tallies at the end of the slot
 *
 * used counts the bytes of records after the header; it, records and checksum
 * (XXH3, 64 bits, seed = sequence, over the used bytes) are 0 while the chunk
 * is open. start is the tick from which the first record's start counts.
 * anchor_tick and anchor_ns are the clock and CLOCK_MONOTONIC_RAW read
 * together when the chunk was opened, at most slack ticks apart.
 *
 * The last TAPE_CALL_BYTES of the slot are the call in progress (below). Tally k
 * is the k-th triple of words from there backwards. It belongs to a call site or
 * region that is only counted: u64 code of that site or region (as in
 * TAPE_CODE_COUNTED; 0: none), u64 calls so far, u64 ticks of these calls (0 for
 * a region).
 */
struct tape_chunk {
	uint32_t magic, version, rank, thread;
	uint32_t sequence, used, records, slack;
	uint64_t checksum, start, anchor_tick, anchor_ns;
	uint64_t poll_count, poll_site, poll_start, poll_end, poll_inside;
	uint64_t requests, also_count;
	uint32_t also_site, tallies;
};

/* Offsets that the runtime reads, or updates in place. */
enum {
	TAPE_CHUNK_ANCHOR_NS = 56,
	TAPE_CHUNK_POLL = 64,
	TAPE_CHUNK_ALSO = 112,
	TAPE_CHUNK_TALLIES = 124
};

/*
 * The call in progress of a flow, at the end of the slot of its open chunk;
 * before version 5 there is none. The writer stores position last: the offset
 * in the slot where the next record goes. A call is in progress only while its
 * position is the end of the records. start may be older than the last event
 * if the process was killed just before the call.
 *
 *   0 u32 position    4 u32 site       8 u64 start      16 i32 peer
 *  20 i32 tag        24 u32 comm      28 u32 n
 *  waits:       32 u64 requests[4]
 *  other calls: 32 i32 rpeer          36 i32 rtag       40 u64 amount
 *
 * peer is the rank that the call names, or the root of a collective. n is the
 * number of requests of a wait. requests are those among the first ones that
 * the wait found incomplete, 0 beyond. rpeer and rtag are the source and the
 * tag of the receive of a sendrecv. amount of a send is its size in bytes, 0 if
 * it is not known. amount of a collective is its count of elements.
 */
#define TAPE_CALL_BYTES 64u
#define TAPE_CHUNK_CALL (TAPE_CHUNK_BYTES - TAPE_CALL_BYTES)
enum {
	TAPE_CALL_POSITION = 0,
	TAPE_CALL_SITE = 4,
	TAPE_CALL_START = 8,
	TAPE_CALL_PEER = 16,
	TAPE_CALL_TAG = 20,
	TAPE_CALL_COMM = 24,
	TAPE_CALL_N = 28,
	TAPE_CALL_REQUESTS = 32,
	TAPE_CALL_RPEER = 32,
	TAPE_CALL_RTAG = 36,
	TAPE_CALL_AMOUNT = 40
};
#define TAPE_CALL_REQUESTS_MAX 4u

/* Maximum number of tallies of a chunk; offset of tally k in the slot. */
#define TAPE_TALLIES_MAX 512u
#define TAPE_TALLY_BYTES 24u
#define TAPE_TALLY_AT(k) (TAPE_CHUNK_CALL - TAPE_TALLY_BYTES * ((k) + 1))
enum { TAPE_TALLY_CALLS = 8, TAPE_TALLY_TICKS = 16 }; /* offsets in a tally */

/* Reads the header at p (TAPE_CHUNK_HEADER bytes). Checks nothing. */
void tape_chunk_get(const unsigned char *p, struct tape_chunk *c);

/* Writes a whole header to p; the magic is stored last. */
void tape_chunk_put(unsigned char *p, const struct tape_chunk *c);

/* The checksum of n bytes of records of the chunk with that sequence. */
uint64_t tape_chunk_checksum(const unsigned char *records, size_t n,
			     uint32_t sequence);

/* The same checksum of bytes added in parts. NULL: out of memory. */
struct tape_checksum *tape_checksum_new(void);
void tape_checksum_begin(struct tape_checksum *c, uint32_t sequence);
void tape_checksum_add(struct tape_checksum *c, const unsigned char *bytes,
		       size_t n);
uint64_t tape_checksum_end(const struct tape_checksum *c);
void tape_checksum_free(struct tape_checksum *c);

/* ---- fixed-width integers and varints ---- */

static inline uint32_t tape_get32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static inline uint64_t tape_get64(const unsigned char *p)
{
	return tape_get32(p) | (uint64_t)tape_get32(p + 4) << 32;
}

static inline void tape_put32(unsigned char *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof v);
}

static inline void tape_put64(unsigned char *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof v);
}

/* Writes v at p, 7 bits a byte, least first; returns the byte after it. */
static inline unsigned char *tape_put_varint(unsigned char *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	*p++ = (unsigned char)v;
	return p;
}

/*
 * Reads a varint in [p, end) into *v; returns the byte after it, or NULL when
 * the bytes end first or more than 64 bits come.
 */
static inline const unsigned char *
tape_get_varint(const unsigned char *p, const unsigned char *end, uint64_t *v)
{
	uint64_t r = 0;

	if (p < end && *p < 0x80) {
		*v = *p;
		return p + 1;
	}
	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		unsigned char b = *p++;

		if (shift == 63 && b > 1)
			return NULL;
		r |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80) {
			*v = r;
			return p;
		}
	}
	return NULL;
}

/* Signed 32-bit values with small magnitude become small varints. */
static inline uint64_t tape_zigzag(int32_t v)
{
	return ((uint32_t)v << 1) ^ (uint32_t)(v >> 31);
}

static inline int32_t tape_unzigzag(uint64_t v)
{
	return (int32_t)((uint32_t)(v >> 1) ^ (0u - (uint32_t)(v & 1)));
}

static inline uint64_t tape_zigzag64(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t tape_unzigzag64(uint64_t v)
{
	return (int64_t)((v >> 1) ^ (0u - (v & 1)));
}

/*
 * The counts of an event as records: writes that of counters from first on (at
 * most TAPE_COUNTS_RECORD of the n) at p; returns the byte after it, p where
 * all are 0. The first byte, the code, is stored in *code and not at p.
 */
unsigned char *tape_put_counts(unsigned char *p, unsigned char *code,
			       const struct tape_count *counts, uint32_t first,
			       uint32_t n);

/*
 * Reads such a record, from after its code, and adds its values to counts, n
 * of them. Returns the byte after it, or NULL: it does not end before end;
 * *unknown is then 1 where it has a counter that is not among the n.
 */
const unsigned char *tape_get_counts(const unsigned char *p,
				     const unsigned char *end,
				     struct tape_count *counts, uint32_t n,
				     int *unknown);

/*
 * A reference to a request, as written in a record of a flow: 0 is a request
 * whose creation was not recorded; even values are 2 x age in this flow (age
 * 1 = the youngest request that the flow created); odd values name another
 * flow: 2 x thread + 1, followed by a second varint, the number in that flow.
 *
 * A request's number is (thread << 40) + n, n = 1, 2, ... in creation order
 * of its flow: unique in its rank, never 0.
 */
#define TAPE_REQUEST_SHIFT 40
#define TAPE_REQUEST(thread, n) (((uint64_t)(thread) << TAPE_REQUEST_SHIFT) + (n))

#endif
