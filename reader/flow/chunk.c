/*
 * The bytes of a flow, a chunk at a time. Read with pread, not mapped: a file
 * that shrinks under a reader is an error, not a signal. The file is open only
 * while a chunk is read, so a merge of thousands of flows needs only one
 * descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "flow.h"
#include "in_container.h"

/* Upper bound in bytes for an event record and its continuation record. */
enum { MARGIN = 1024 };

/* Notes the damage for all; the first reader of the flow is enough. */
static int keep_damage(const struct tape_flow *f, int code)
{
	struct tape_damage *d = &f->t->damage[f->index];

	if (code == TAPE_ENOMEM || d->text)
		return code;
	d->text = strdup(f->text);
	d->nothing = f->last_ns == INT64_MIN;
	return d->text ? code : TAPE_ENOMEM;
}

int tape_flow_fail(struct tape_flow *f, int code, const char *format, ...)
{
	enum { SENTENCE = 512 };
	char what[200];
	va_list ap;
	uint64_t at = tape_flow_bytes(f);

	va_start(ap, format);
	vsnprintf(what, sizeof what, format, ap);
	va_end(ap);
	if (!f->text)
		f->text = malloc(SENTENCE);
	if (!f->text)
		return f->error = TAPE_ENOMEM;
	snprintf(f->text, SENTENCE, "%.260s: offset %llu: %s", f->name,
		 (unsigned long long)at, what);
	return f->error = f->memory ? code : keep_damage(f, code);
}

int tape_flow_no_memory(struct tape_flow *f)
{
	return tape_flow_fail(f, TAPE_ENOMEM, "%s",
			      tape_error_text(TAPE_ENOMEM));
}

ssize_t tape_flow_fetch(struct tape_flow *f, uint64_t at, unsigned char *to,
			size_t n)
{
	struct tape_part_file file;
	ssize_t got;

	if (f->memory) {
		if (at >= f->memory_n)
			return 0;
		if (n > f->memory_n - at)
			n = f->memory_n - at;
		memcpy(to, f->memory + at, n);
		return (ssize_t)n;
	}
	if (tape_part_open(f->t, tape_file_name(f->name), &file))
		return -1;
	got = tape_part_read(&file, to, n, at);
	tape_part_close(&file);
	return got;
}

void tape_flow_set_window(struct tape_flow *f, size_t n)
{
	f->end = f->near = f->chunk + n;
	if (f->base + n < f->have)
		f->near -= MARGIN;
}

int tape_flow_window(struct tape_flow *f)
{
	size_t kept = (size_t)(f->end - f->p), n;
	ssize_t got;

	memmove(f->chunk, f->p, kept);
	f->base += (size_t)(f->p - f->chunk);
	f->p = f->chunk;
	n = f->have - f->base - kept;
	if (n > f->room - kept)
		n = f->room - kept;
	got = tape_flow_fetch(f, f->at + f->base + kept, f->chunk + kept, n);
	if (got < 0)
		return tape_flow_fail(f, TAPE_EIO, "%s",
				      tape_file_error_text(errno));
	if ((size_t)got < n)
		return tape_flow_fail(f, TAPE_ETRUNCATED,
				      "the file became shorter");
	tape_flow_set_window(f, kept + n);
	return 0;
}

int tape_flow_end_chunk(struct tape_flow *f)
{
	if (!f->is_open && f->sequence && f->records != f->head.records)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "chunk %u holds %u records, its header "
				      "says %u", f->head.sequence, f->records,
				      f->head.records);
	return 0;
}

uint64_t tape_flow_bytes(const struct tape_flow *f)
{
	return f->p ? f->at + f->base + (uint64_t)(f->p - f->chunk) : f->at;
}

/* Is the header the one that belongs here? */
static int check_header(struct tape_flow *f)
{
	const struct tape_chunk *c = &f->head;

	const char *by = tape_trace_meta(f->t, "version", 0);

	/* version 1 is version 2 without class lines in meta; neither has
	 * blocks (TAPE_CODE_BLOCK) */
	if (!c->version || c->version > TAPE_FORMAT_VERSION)
		return tape_flow_fail(f, TAPE_EVERSION,
				      "format %u, of Tape %s: this is Tape %s, "
				      "which reads a newer version's traces up "
				      "to format %u", c->version,
				      by ? by : "?", TAPE_VERSION,
				      TAPE_FORMAT_VERSION);
	f->layout = c->version == 1 && f->t->first_layout ? f->t->first_layout
							  : f->t->layout;
	if (c->sequence != f->sequence ||
	    c->rank != (uint32_t)f->rank->info.rank || c->thread != f->thread)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "this is chunk %u of rank %u thread %u, "
				      "not chunk %u of rank %d thread %u",
				      c->sequence, c->rank, c->thread,
				      f->sequence, f->rank->info.rank,
				      f->thread);
	if (c->used > TAPE_CHUNK_BYTES - TAPE_CHUNK_HEADER)
		return tape_flow_fail(f, TAPE_EFORMAT, "chunk %u is too long",
				      f->sequence);
	if (c->tallies > TAPE_TALLIES_MAX)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "chunk %u has too many tallies",
				      f->sequence);
	if (c->requests != f->requests || (f->sequence && c->start != f->last))
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "chunk %u does not continue the one "
				      "before it", f->sequence);
	return 0;
}

/* Those at the end of the slot; before version 4 they had no ticks. */
static void keep_tallies(struct tape_flow *f, const unsigned char *end)
{
	size_t bytes = f->head.version > 3 ? TAPE_TALLY_BYTES : 16;

	end -= f->head.version > 4 ? TAPE_CALL_BYTES : 0;

	memset(f->tail, 0, TAIL_BYTES);
	for (uint32_t k = 1; k <= f->n_tail; k++)
		memcpy(f->tail + TAIL_BYTES - k * TAPE_TALLY_BYTES,
		       end - k * bytes, bytes);
}

int tape_flow_check(struct tape_flow *f, const unsigned char *slot, size_t got)
{
	const struct tape_chunk *c = &f->head;

	f->is_open = !c->used;
	f->has_call = f->is_open && got == TAPE_CHUNK_BYTES && c->version > 4;
	if (f->has_call)
		memcpy(f->call, slot + TAPE_CHUNK_CALL, TAPE_CALL_BYTES);
	f->n_tail = got == TAPE_CHUNK_BYTES ? c->tallies : 0;
	if (f->n_tail) {
		if (!f->tail && !(f->tail = malloc(TAIL_BYTES)))
			return tape_flow_no_memory(f);
		keep_tallies(f, slot + TAPE_CHUNK_BYTES);
	}
	if (f->is_open) {
		/* its writer had the whole slot */
		f->cut = got < TAPE_CHUNK_BYTES;
		f->have = got;
		return 0;
	}
	f->have = TAPE_CHUNK_HEADER + c->used;
	if (f->have > got)
		return tape_flow_fail(f, TAPE_ETRUNCATED,
				      "the file ends within chunk %u",
				      f->sequence);
	if (tape_chunk_checksum(slot + TAPE_CHUNK_HEADER, c->used,
				c->sequence) != c->checksum)
		return tape_flow_fail(f, TAPE_ECHECKSUM,
				      "checksum mismatch in chunk %u",
				      f->sequence);
	return 0;
}

/* The window has room for so much, or all that it may have. */
static int grow_window(struct tape_flow *f, size_t n)
{
	n = n < f->most ? n : f->most;
	if (n <= f->room)
		return 0;
	free(f->chunk);
	f->room = 0;
	f->chunk = malloc(n);
	if (!f->chunk)
		return tape_flow_no_memory(f);
	f->room = n;
	return 0;
}

int tape_flow_load(struct tape_flow *f)
{
	unsigned char whole[TAPE_CHUNK_BYTES];
	int windows = f->most < TAPE_CHUNK_BYTES;
	unsigned char *slot;
	ssize_t got;

	if (f->finished)
		return 0;
	if (tape_flow_end_chunk(f))
		return f->error;
	if (f->is_open) {
		/* nothing follows a chunk that was never sealed */
		f->finished = 1;
		return f->cut ? tape_flow_fail(f, TAPE_ETRUNCATED,
					       "the file ends within chunk %u",
					       f->head.sequence)
			      : 0;
	}
	f->at = (uint64_t)f->sequence * TAPE_CHUNK_BYTES;
	f->p = f->near = f->end = NULL;
	f->base = 0;
	tape_follow_consumed(f->t, f->index, f->at);
	if (!windows && grow_window(f, TAPE_CHUNK_BYTES))
		return f->error;
	slot = windows ? whole : f->chunk;
again:
	got = tape_flow_fetch(f, f->at, slot, TAPE_CHUNK_BYTES);
	if (got < 0)
		return tape_flow_fail(f, TAPE_EIO, "%s",
				      tape_file_error_text(errno));
	if (!got || (got >= 4 && !tape_get32(slot))) {
		if (tape_follow_wait(f->t, f->index))
			goto again;
		f->finished = 1;
		return 0;
	}
	if (got >= 4 && tape_get32(slot) != TAPE_CHUNK_MAGIC)
		return tape_flow_fail(f, TAPE_EFORMAT,
				      "no chunk header at this offset");
	if (got < (ssize_t)TAPE_CHUNK_HEADER)
		return tape_flow_fail(f, TAPE_ETRUNCATED,
				      "the file ends within the header of "
				      "chunk %u", f->sequence);
	got = tape_follow_settle(f, slot, got);
	if (got < (ssize_t)TAPE_CHUNK_HEADER)
		return tape_flow_fail(f, TAPE_ETRUNCATED,
				      "the file became shorter");
	tape_chunk_get(slot, &f->head);
	if (check_header(f) || grow_window(f, (size_t)got))
		return f->error;
	f->p = f->chunk + TAPE_CHUNK_HEADER;
	if (tape_flow_check(f, slot, (size_t)got))
		return f->error;
	if (slot == whole)
		memcpy(f->chunk, whole, f->have < f->room ? f->have : f->room);
	tape_flow_set_window(f, f->have < f->room ? f->have : f->room);
	f->last = f->head.start;
	f->records = 0;
	f->sequence++;
	return 1;
}
