/* Events that are dropped while the stream is full; see dropped_events.h. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropped_requests.h"
#include "dropped_events.h"
#include "publish.h"
#include "rate_limit.h"
#include "window.h"

/* Bytes of dropped records after which the stream is tested for space. */
enum { STEP = 8192 };

struct tape_gap {
	unsigned char chunk[TAPE_CHUNK_BYTES];
	unsigned char *filed, *filed_p;	 /* the open chunk in the file */
	uint32_t records;		 /* in that, */
	uint64_t last, events, requests; /* and the offset of the flow */
	uint64_t chunk_events;
	uint64_t over; /* end of the last event in the gap */
	int tid;
	uint32_t depth; /* regions that the trace knows open */
	struct tape_open open[TAPE_REGION_DEPTH];
};

/* Number of open regions, without the region of a marker in progress. */
static uint32_t depth_now(const struct tape_flow *f)
{
	int64_t depth = (int64_t)f->depth - f->blocks.step;

	return depth < 0		   ? 0
	       : depth > TAPE_REGION_DEPTH ? TAPE_REGION_DEPTH
					   : (uint32_t)depth;
}

static void put_gap_mark(struct tape_flow *f, enum tape_code code, uint64_t gap,
			 const uint32_t *what)
{
	unsigned char *q, first;

	q = tape_code_rest(f->p, code, &first);
	q = tape_put_varint(q, gap);
	if (what)
		q = tape_put_varint(q, *what);
	tape_publish(f, q, first);
}

void tape_gap_continue(struct tape_flow *f)
{
	f->p = tape_chunk_limit(f) - STEP;
	f->records = 0;
}

int tape_gap_begin(struct tape_flow *f)
{
	struct tape_gap *g;

	g = mmap(NULL, sizeof *g, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (g == MAP_FAILED)
		return -1;
	/* the limit leaves room for it */
	put_gap_mark(f, TAPE_CODE_OFF, 0, NULL);
	g->filed = f->chunk;
	g->filed_p = f->p;
	g->records = f->records;
	g->last = f->last;
	g->events = f->events;
	g->chunk_events = f->chunk_events;
	g->requests = f->requests;
	g->tid = gettid();
	g->depth = depth_now(f);
	memcpy(g->open, f->open, g->depth * sizeof *g->open);
	tape_tallies_move(f, f->chunk, g->chunk);
	tape_process.gapped = 1;
	f->gap = g;
	f->chunk = g->chunk;
	tape_gap_continue(f);
	return 0;
}

/* Resets the flow to the begin of the gap, but keeps its tallies. */
static void restore_flow(struct tape_flow *f)
{
	struct tape_gap *g = f->gap;

	tape_tallies_move(f, g->chunk, g->filed);
	f->chunk = g->filed;
	f->p = g->filed_p;
	f->records = g->records;
	g->over = f->last;
	f->last = g->last;
	f->dropped += f->events - g->events;
	f->events = g->events;
	f->chunk_events = g->chunk_events;
}

void tape_gap_leave(struct tape_flow *f)
{
	restore_flow(f);
	/* without memory the numbers of requests would be wrong: none is used
	 * then that is as old */
	tape_gap_requests(f, f->gap->requests);
	/* what these were last time is not in the trace */
	for (uint32_t i = 1; i <= tape_process.sites; i++)
		f->sites[i].seen = 0;
}

/* Puts markers for the regions that were left or entered in the gap. */
static void mark_changed_regions(struct tape_flow *f, const struct tape_gap *g)
{
	uint32_t depth = depth_now(f), same = 0;

	while (same < depth && same < g->depth &&
	       f->open[same].id == g->open[same].id &&
	       f->open[same].marked == g->open[same].marked)
		same++;
	for (uint32_t i = g->depth; i > same; i--)
		if (g->open[i - 1].marked) {
			put_gap_mark(f, TAPE_CODE_LEAVE, 0, &g->open[i - 1].id);
			f->dropped--;
			f->events++;
		}
	for (uint32_t i = same; i < depth; i++)
		if (f->open[i].marked) {
			put_gap_mark(f, TAPE_CODE_ENTER, 0, &f->open[i].id);
			f->dropped--;
			f->events++;
		}
}

void tape_gap_put_marks(struct tape_flow *f)
{
	struct tape_gap *g = f->gap;
	uint32_t tid = (uint32_t)gettid();

	put_gap_mark(f, TAPE_CODE_ON, g->over - g->last, NULL);
	f->last = g->over;
	if (g->tid != (int)tid) {
		put_gap_mark(f, TAPE_CODE_THREAD, 0, &tid);
		f->dropped--;
		f->events++;
	}
	mark_changed_regions(f, g);
	tape_gap_discard(f);
}

void tape_gap_discard(struct tape_flow *f)
{
	munmap(f->gap, sizeof *f->gap);
	f->gap = NULL;
}

void tape_gap_end(struct tape_flow *f, int ours)
{
	struct tape_gap *g = f->gap;

	if (!g)
		return;
	/* the pending run is dropped, too */
	f->events += f->poll_count != 0;
	f->poll_count = f->also_count = 0;
	restore_flow(f);
	f->gap = NULL;
	if (ours)
		munmap(g, sizeof *g);
}
