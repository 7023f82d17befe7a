/* The trace as a stream; see sink.h. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "own_stack.h"
#include "sink.h"

TAPE_ON_OWN_STACK

/* Maximum age of data that is not yet passed on, while events arrive. */
enum { LATE_NS = 100000000 };

void tape_sink_text(enum tape_frame_kind kind, uint64_t at, const void *text,
		    uint64_t bytes)
{
	const struct tape_frame head = {kind, 0, at, bytes};

	if (tape_process.sink)
		tape_process.sink->put(&head, text);
}

int tape_sink_open(const char *name, int flags)
{
	return tape_sink_has_files()
		   ? tape_file_open(tape_process.dir, name, flags)
		   : memfd_create(name, MFD_CLOEXEC);
}

void tape_sink_file(enum tape_frame_kind kind, int fd, uint64_t from,
		    uint64_t at)
{
	char text[4096];
	ssize_t n;

	while (tape_process.sink &&
	       (n = TEMP_FAILURE_RETRY(
		    pread(fd, text, sizeof text, (off_t)from))) > 0) {
		tape_sink_text(kind, at, text, (uint64_t)n);
		from += (uint64_t)n;
		at += (uint64_t)n;
	}
}

/* Of the open chunk, in the file. */
static uint64_t get_chunk_offset(const struct tape_flow *f)
{
	return (uint64_t)f->sequence * TAPE_CHUNK_BYTES;
}

/* Records of the open chunk from what was sent up to end, offsets in it. */
static void send_records(struct tape_flow *f, uint64_t end)
{
	uint64_t from = f->sent ? f->sent : TAPE_CHUNK_HEADER;
	const struct tape_frame head = {TAPE_FRAME_RECORDS, (uint32_t)f->thread,
					get_chunk_offset(f) + from, end - from};

	if (end > from)
		tape_process.sink->put(&head, f->chunk + from);
}

static void send_header(struct tape_flow *f)
{
	const struct tape_frame head = {TAPE_FRAME_CHUNK, (uint32_t)f->thread,
					get_chunk_offset(f), TAPE_CHUNK_HEADER};

	tape_process.sink->put(&head, f->chunk);
}

void tape_sink_chunk(struct tape_flow *f, int last)
{
	if (!tape_process.sink)
		return;
	send_records(f, last ? (uint64_t)(f->p - f->chunk) : TAPE_CHUNK_BYTES);
	send_header(f);
	f->sent = 0;
	f->paced = NULL;
}

void tape_sink_begin(struct tape_flow *f)
{
	if (!tape_process.sink)
		return;
	tape_process.sink->hurry();
	/* and comes by with its first events */
	f->handed_ns = 0;
	if (f->limit && !f->filed && !f->gap)
		f->limit = f->p;
}

/* The open chunk as far as it is. */
static void send_part(void *flow)
{
	struct tape_flow *f = flow;
	uint64_t upto = (uint64_t)(f->p - f->chunk);

	if (upto > TAPE_CHUNK_HEADER && upto != f->sent) {
		send_records(f, upto);
		if (!f->sent)
			send_header(f);
		f->sent = upto;
	}
	tape_process.sink->hurry();
}

TAPE_ON_OWN_STACK_END

/*
 * The flow comes by again after as many bytes as it would write in the time at
 * the rate that it has had since: seldom events take this way each time.
 */
void tape_sink_pace(struct tape_flow *f)
{
	uint64_t now, step = 1;

	/* its limit says something else, or the chunk is the calibration's, or
	 * what is not kept */
	if (!f->limit || f->filed || f->gap)
		return;
	now = tape_raw_ns();
	if (f->paced && now > f->paced_ns) {
		uint64_t bytes = (uint64_t)(f->p - f->paced);

		step += bytes * LATE_NS / (now - f->paced_ns);
	}
	f->paced = f->p;
	f->paced_ns = now;
	if (now - f->handed_ns >= LATE_NS &&
	    f->p > f->chunk + TAPE_CHUNK_HEADER) {
		f->handed_ns = now;
		tape_run_on_own_stack(send_part, f);
	}
	if ((uint64_t)(f->limit - f->p) > step && f->limit > f->p)
		f->limit = f->p + step;
}
