/* An input's parts, and flow files made from them; see input.h. */
#include <string.h>

#include "flow.h"
#include "input.h"

static int is_marker(const unsigned char *p, const unsigned char *end)
{
	return end - p >= 3 && p[0] == 0xf5 && p[1] == 0xfa && p[2] &&
	       strchr("m01cabtsp", p[2]);
}

size_t fuzz_split(const unsigned char *data, size_t n,
		  struct fuzz_part parts[FUZZ_PARTS])
{
	const unsigned char *p = data, *end = data + n;
	struct fuzz_part *part = parts;

	*part = (struct fuzz_part){ 0, p, 0 };
	while (p < end) {
		if (is_marker(p, end) && part + 1 < parts + FUZZ_PARTS) {
			*++part = (struct fuzz_part){ (char)p[2], p + 3, 0 };
			p += 3;
		} else {
			part->n++;
			p++;
		}
	}
	return (size_t)(part - parts) + 1;
}

unsigned fuzz_options(const struct fuzz_part *options)
{
	return options->n ? *options->p : FUZZ_SEAL | FUZZ_CHAIN;
}

/* What the checks before the records ask for; used == 0 stays an open chunk. */
static void seal(unsigned char *slot, size_t n, unsigned rank, unsigned thread,
		 uint32_t sequence)
{
	struct tape_chunk c;

	if (n < TAPE_CHUNK_HEADER)
		return;
	tape_chunk_get(slot, &c);
	c.magic = TAPE_CHUNK_MAGIC;
	c.version = TAPE_FORMAT_VERSION;
	c.rank = rank;
	c.thread = thread;
	c.sequence = sequence;
	if (c.used) {
		c.used = (uint32_t)(n - TAPE_CHUNK_HEADER);
		c.checksum = tape_chunk_checksum(slot + TAPE_CHUNK_HEADER,
						 c.used, sequence);
	}
	tape_chunk_put(slot, &c);
}

size_t fuzz_make_flow(const struct fuzz_part *parts, size_t n, size_t i,
		      unsigned options, unsigned rank, unsigned thread,
		      struct fuzz_flow *flow)
{
	uint32_t slots = 0;

	flow->n = 0;
	do {
		unsigned char *slot = flow->bytes + slots * TAPE_CHUNK_BYTES;
		size_t used = parts[i].n;

		if (slots == FUZZ_SLOTS)
			continue;
		if (used > TAPE_CHUNK_BYTES)
			used = TAPE_CHUNK_BYTES;
		memcpy(slot, parts[i].p, used);
		memset(slot + used, 0, TAPE_CHUNK_BYTES - used);
		if (options & FUZZ_SEAL)
			seal(slot, used, rank, thread, slots);
		flow->n = slots++ * TAPE_CHUNK_BYTES + used;
	} while (++i < n && parts[i].kind == 's');
	if (options & FUZZ_PAD)
		flow->n = slots * TAPE_CHUNK_BYTES;
	return i;
}

/* Puts one link right; 0 when the flow's error is of another kind. */
static int mend(const struct tape_flow *f, struct fuzz_flow *flow)
{
	unsigned char *next = flow->bytes + f->sequence * TAPE_CHUNK_BYTES;

	if (f->error != TAPE_EFORMAT)
		return 0;
	if (f->p == f->end && f->p && !f->is_open && f->sequence &&
	    f->records != f->head.records) {
		tape_put32(next - TAPE_CHUNK_BYTES + 24, f->records);
		return 1;
	}
	if (f->p || f->sequence >= FUZZ_SLOTS ||
	    f->head.sequence != f->sequence ||
	    (f->head.requests == f->requests && f->head.start == f->last))
		return 0;
	tape_put64(next + 40, f->sequence ? f->last : f->head.start);
	tape_put64(next + 104, f->requests);
	return 1;
}

void fuzz_chain(struct tape_trace *t, struct fuzz_flow *flow)
{
	const struct tape_event *e;
	struct tape_flow *f;
	int again = 1;

	for (int i = 0; again && i < 2 * FUZZ_SLOTS + 1; i++) {
		if (tape_flow_memory(t, flow->bytes, flow->n, &f))
			return;
		while (tape_flow_next(f, &e) == 1)
			;
		again = mend(f, flow);
		tape_flow_close(f);
	}
}
