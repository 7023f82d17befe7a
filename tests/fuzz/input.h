/*
 * One fuzz input holds several files. A marker, the bytes 0xf5 0xfa and a
 * letter, begins each part; the byte before the first marker is the options:
 *
 *	m meta   0 rank.0   1 rank.1   c clocks   p sites
 *	a flow.0.0   b flow.1.0   t flow.0.1   s the next slot of that flow
 *
 * A part of a flow is the used bytes of one slot: the padding to 65536 bytes
 * is added here, so that inputs of several chunks stay small. Checksums and
 * the numbers that link chunks would stop a fuzzer at the door: the options
 * say which of them are put right before the reader sees the bytes.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "tape_reader.h"

enum {
	FUZZ_SEAL = 1,   /* magic, version, rank, sequence, checksum */
	FUZZ_CHAIN = 2,  /* record counts, and what continues a chunk */
	FUZZ_PAD = 4,    /* the last slot is whole too */
	FUZZ_GLOBAL = 8, /* what is not given is global, of three pieces */
	FUZZ_BARE = 16,  /* whole traces: no file that the input leaves out */
	FUZZ_WINDOW = 32 /* analyse target: a part of the time is exported */
};

#define FUZZ_PARTS 32
#define FUZZ_SLOTS 8

struct fuzz_part {
	char kind; /* 0 for the options */
	const unsigned char *p;
	size_t n;
};

struct fuzz_flow {
	size_t n; /* bytes in use */
	unsigned char bytes[FUZZ_SLOTS * TAPE_CHUNK_BYTES];
};

/* Cuts an input into parts (at most FUZZ_PARTS); returns their number. */
size_t fuzz_split(const unsigned char *data, size_t n,
		  struct fuzz_part parts[FUZZ_PARTS]);

/* The options of an input. */
unsigned fuzz_options(const struct fuzz_part *options);

/*
 * Makes the bytes of a flow file from part i and the slots that follow it.
 * Returns the index of the first part that is not of this flow.
 */
size_t fuzz_make_flow(const struct fuzz_part *parts, size_t n, size_t i,
		      unsigned options, unsigned rank, unsigned thread,
		      struct fuzz_flow *flow);

/* FUZZ_CHAIN: reads the flow with t, putting right what links its chunks. */
void fuzz_chain(struct tape_trace *t, struct fuzz_flow *flow);

/* What libFuzzer and replay.c call. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#endif
