/*
 * Calls of flows in memory, then in a temporary file; see history.h. Both are
 * mapped once, one after the other, larger than they will be: the file grows
 * under the mapping, pointers into it hold. Room in it is allocated before it
 * is used: a full disk is an error, no signal. Pages of the file are released
 * repeatedly; an access reads them from the file again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "growing_array.h"
#include "history_state.h"

enum { STEP = 1 << 24 };
/* a flow with many blocks has larger ones: twice as large after so many */
enum { DOUBLED = 32 };
/* so many blocks are looked at one by one */
enum { LATEST = 4 };
/* so much of the file is used, or read, before its pages are released
 * (of which the kernel maps up to four times as many, those around them);
 * and two pages for each flow, of which one or two are always in use */
enum { IN_USE = 1 << 22 };
/* the address space taken, and what is tried where that is limited */
static const size_t most = (size_t)1 << 42, least = (size_t)1 << 28;
/* of which so many bytes, the first ones, are memory; or half of it */
static const size_t in_memory = (size_t)3 << 24;

/* A file that has no name, or loses it at once. */
static int open_temporary(void)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	if (snprintf(name, sizeof name, "%s/tape-XXXXXX", dir) >=
	    (int)sizeof name) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static void map_history(struct tape_history *h)
{
	void *p = MAP_FAILED;

	for (h->mapped = most; h->mapped >= least; h->mapped /= 4) {
		p = mmap(NULL, h->mapped, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE, h->file, 0);
		if (p != MAP_FAILED)
			break;
	}
	if (p == MAP_FAILED)
		return;
	h->map = p;
	h->memory = h->mapped / 2 < in_memory ? h->mapped / 2 : in_memory;
	h->grown = h->memory;
	if (mmap(p, h->grown, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) == MAP_FAILED) {
		/* what was there may be gone */
		munmap(h->map, h->mapped);
		h->map = NULL;
	}
}

struct tape_history *tape_history_new(size_t flows)
{
	struct tape_history *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->n = flows;
	h->page = (size_t)sysconf(_SC_PAGESIZE);
	h->block = BLOCK;
	h->flows = calloc(flows + 1, sizeof *h->flows);
	h->file = open_temporary();
	if (h->flows && h->file >= 0)
		map_history(h);
	if (h->map)
		return h;
	tape_history_free(h);
	return NULL;
}

void tape_history_clear(struct tape_history *h)
{
	for (size_t i = 0; h->flows && i < h->n; i++) {
		free(h->flows[i].open);
		free(h->flows[i].carried);
		free(h->flows[i].calls.blocks);
		free(h->flows[i].merged.blocks);
	}
	if (h->flows)
		memset(h->flows, 0, h->n * sizeof *h->flows);
	free(h->spare);
	h->spare = NULL;
	h->n_spare = 0;
	if (h->map)
		munmap(h->map, h->mapped);
	h->map = NULL;
	h->mapped = h->grown = h->used = 0;
	if (h->file >= 0)
		close(h->file);
	h->file = -1;
}

int tape_history_detach(struct tape_history *h)
{
	if (!h->map)
		return 0;
	h->is_copy = 1;
	return mmap(h->map + h->memory, h->mapped - h->memory,
		    PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, h->file,
		    (off_t)h->memory) == MAP_FAILED
		   ? -1
		   : 0;
}

size_t tape_history_file_bytes(const struct tape_history *h)
{
	return h->used > h->memory ? h->used - h->memory : 0;
}

void tape_history_free(struct tape_history *h)
{
	int error = errno;

	if (!h)
		return;
	tape_history_clear(h);
	free(h->flows);
	free(h);
	errno = error;
}

/* So many bytes more were, or may have been, looked at. */
static void count_used(struct tape_history *h, size_t bytes)
{
	h->in_use += bytes;
	if (h->in_use < IN_USE + h->n * 2 * h->page || h->is_copy)
		return;
	h->in_use = 0;
	if (h->used > h->memory)
		madvise(h->map + h->memory, h->used - h->memory,
			MADV_DONTNEED);
}

void tape_history_count_read(struct tape_history *h, const struct tape_sync *s)
{
	count_used(h, sizeof *s + s->n_spent * sizeof *s->spent);
}

void tape_history_count_jump(struct tape_history *h)
{
	count_used(h, h->page);
}

int tape_history_add_time(struct tape_history *h, size_t flow,
			  uint32_t activity, int64_t ns)
{
	struct flow *f = &h->flows[flow];
	struct tape_spent *open;

	if (ns <= 0)
		return 0;
	for (size_t i = f->n; i-- > 0;)
		if (f->open[i].activity == activity) {
			f->open[i].ns += ns;
			return 0;
		}
	open = tape_grow_array(f->open, &f->room, f->n + 1, sizeof *open);
	if (!open)
		return -1;
	f->open = open;
	f->open[f->n++] = (struct tape_spent){.activity = activity, .ns = ns};
	return 0;
}

/* So many bytes more of the file. */
static char *allocate_bytes(struct tape_history *h, size_t bytes)
{
	char *p;

	if (bytes > h->mapped - h->used) {
		errno = EFBIG;
		return NULL;
	}
	while (h->used + bytes > h->grown) {
		int rc = posix_fallocate(h->file, (off_t)h->grown, STEP);

		if (rc) {
			errno = rc;
			return NULL;
		}
		h->grown += STEP;
	}
	p = h->map + h->used;
	h->used += bytes;
	if (h->used > h->memory)
		count_used(h, bytes);
	return p;
}

/* How large the next block of a chain is that needs so many bytes of it. One
 * with data that can be released has small ones, which are used again. */
static size_t block_size(const struct tape_history *h, const struct chain *c,
			 size_t bytes)
{
	size_t block = h->block;

	for (size_t n = DOUBLED; !h->limit && block < LARGEST && n <= c->n;
	     n *= 2)
		block *= 2;
	return bytes > block ? bytes : block;
}

/* The next block of a chain, with room for so many bytes: 0 or -1. */
static int add_block(struct tape_history *h, struct chain *c, size_t wanted)
{
	struct block *grown = tape_grow_list(c->blocks, c->n, sizeof *grown);
	size_t bytes = block_size(h, c, wanted);
	char *at;

	if (!grown)
		return -1;
	c->blocks = grown;
	if (bytes == h->block && h->n_spare) {
		at = h->spare[--h->n_spare];
		memset(at, 0, bytes);
	} else {
		at = allocate_bytes(h, bytes);
	}
	if (!at)
		return -1;
	c->blocks[c->n++] =
	    (struct block){.at = at, .bytes = (uint32_t)bytes};
	h->held += bytes;
	c->next = at;
	c->end = at + bytes;
	return 0;
}

int tape_block_release(struct tape_history *h, const struct block *b)
{
	for (size_t k = 0; (k + 1) * h->block <= b->bytes; k++) {
		char **grown =
		    tape_grow_list(h->spare, h->n_spare, sizeof(char *));

		if (!grown)
			return -1;
		h->spare = grown;
		h->spare[h->n_spare++] = b->at + k * h->block;
	}
	h->held -= b->bytes;
	return 0;
}

struct tape_sync *tape_chain_add(struct tape_history *h, size_t flow,
				 struct chain *c, uint64_t event, size_t n)
{
	size_t bytes = sizeof(struct tape_sync) + n * sizeof(struct tape_spent);
	size_t all = bytes + sizeof(struct place);
	struct tape_sync *s;
	struct block *b;

	if ((size_t)(c->end - c->next) < all && add_block(h, c, all))
		return NULL;
	h->begun += !c->last && c == &h->flows[flow].calls;
	s = (struct tape_sync *)(void *)c->next;
	b = &c->blocks[c->n - 1];
	*tape_block_place(b, b->n++) = (struct place){
	    event & 0xffffffffffff, (uint16_t)((c->next - b->at) / 8)};
	c->next += bytes;
	c->end -= sizeof(struct place);
	s->before = c->last;
	s->flow = (uint32_t)flow;
	s->event = event & 0xffffffffffff;
	s->n_spent = (uint32_t)n;
	c->last = s;
	return s;
}

/* Returns 1 if the next call may need a block more. */
static int is_nearly_full(const struct chain *c)
{
	return c->n && c->end - c->next < 2 * (ptrdiff_t)sizeof *c->last;
}

struct tape_sync *tape_history_add_call(struct tape_history *h, size_t flow,
					uint64_t event, int64_t begun_ns)
{
	struct flow *f = &h->flows[flow];
	struct tape_sync *s;

	/* merging first frees blocks, which tape_chain_add uses again */
	if (h->merges && is_nearly_full(&f->calls) &&
	    tape_history_merge_oldest(h, flow, begun_ns))
		return NULL;
	s = tape_chain_add(h, flow, &f->calls, event, f->n);
	if (!s)
		return NULL;
	h->added++;
	s->begun_ns = begun_ns;
	if (f->n)
		memcpy(s->spent, f->open, f->n * sizeof *f->open);
	f->n = 0;
	return s;
}

struct tape_sync *tape_history_add_mark(struct tape_history *h, size_t flow,
					uint64_t event, int64_t ns)
{
	struct tape_sync *s = tape_history_add_call(h, flow, event, ns);

	if (!s)
		return NULL;
	s->ended_ns = ns;
	s->kind = TAPE_SYNC_MARK;
	s->window = tape_processor_ready_window(NULL);
	h->has_marks = 1;
	return s;
}

int tape_history_has_marks(const struct tape_history *h)
{
	return h->has_marks;
}

struct tape_sync *tape_history_copy_call(struct tape_history *h,
					 const struct tape_sync *one,
					 const struct tape_spent *spent)
{
	size_t n = (size_t)one->n_spent + one->n_why;
	struct tape_sync *s, *before;

	s = tape_chain_add(h, one->flow, &h->flows[one->flow].calls, one->event,
			   n);
	if (!s)
		return NULL;
	before = s->before;
	*s = *one;
	s->before = before;
	h->has_marks |= s->kind == TAPE_SYNC_MARK;
	if (n)
		memcpy(s->spent, spent, n * sizeof *spent);
	return s;
}

/* ---- letting go ---- */

void tape_history_limit(struct tape_history *h, size_t bytes)
{
	/* what will be dropped is not merged */
	h->merges = h->merges && !bytes;
	h->limit = bytes;
	h->full_at = bytes;
}

void tape_history_limit_here(struct tape_history *h)
{
	tape_history_limit(h, h->held);
}

int tape_history_is_full(const struct tape_history *h)
{
	return h->limit && h->held > h->full_at &&
	       h->held > 2 * BLOCK * h->begun;
}

int tape_history_has_dropped(const struct tape_history *h)
{
	return h->forgot;
}

void tape_history_pin_call(struct tape_history *h, const struct tape_sync *s)
{
	struct chain *c = &h->flows[s->flow].calls;
	const char *at = (const char *)s;

	for (size_t i = c->n; i-- > 0;)
		if (at >= c->blocks[i].at &&
		    at < c->blocks[i].at + c->blocks[i].bytes) {
			c->blocks[i].pinned = 1;
			return;
		}
}

/* Is something due of one of its calls? */
static int has_due(const struct block *b)
{
	size_t k = 0;

	while (k < b->n && !tape_block_call(b, k)->due)
		k++;
	return k < b->n;
}

/* Of a flow the newer half stays, what is pinned, and that something is due
 * of. */
static int forget_flow_calls(struct tape_history *h, struct chain *c)
{
	size_t kept = 0, gone = c->n / 2;

	for (size_t i = 0; i < c->n; i++) {
		struct block *b = &c->blocks[i];

		if (i >= gone || b->pinned || has_due(b)) {
			/* what was before it may have gone */
			if (i && i <= gone)
				tape_block_call(b, 0)->before = NULL;
			b->pinned = 0;
			c->blocks[kept++] = *b;
			continue;
		}
		if (tape_block_release(h, b))
			return -1;
	}
	c->n = kept;
	return 0;
}

/* Nothing is due of calls that were merged. */
static int forget_merged_calls(struct tape_history *h, struct chain *c)
{
	while (c->n)
		if (tape_block_release(h, &c->blocks[--c->n]))
			return -1;
	c->last = NULL;
	c->next = c->end = NULL;
	return 0;
}

int tape_history_drop_oldest(struct tape_history *h)
{
	int rc = 0;

	h->forgot = 1;
	h->merges = 0;
	for (size_t i = 0; !rc && i < h->n; i++) {
		rc = forget_merged_calls(h, &h->flows[i].merged);
		if (!rc)
			rc = forget_flow_calls(h, &h->flows[i].calls);
	}
	/* where all is pinned, not again at once */
	if (h->held + h->limit / 4 > h->full_at)
		h->full_at = h->held + h->limit / 4;
	return rc;
}

/* ---- looking back ---- */

void tape_history_renumber(struct tape_history *h, const uint32_t *now)
{
	for (size_t i = 0; i < h->n; i++) {
		struct flow *f = &h->flows[i];

		for (size_t k = 0; k < f->n; k++)
			f->open[k].activity = now[f->open[k].activity];
		for (struct tape_sync *s = f->calls.last; s; s = s->before) {
			tape_history_count_read(h, s);
			s->call = now[s->call];
			for (uint32_t k = 0; k < s->n_spent + s->n_why; k++)
				s->spent[k].activity =
				    now[s->spent[k].activity];
		}
	}
}

struct tape_sync *tape_history_last_call(const struct tape_history *h,
					 size_t flow)
{
	return h->flows[flow].calls.last;
}

size_t tape_history_open_times(const struct tape_history *h, size_t flow,
			       const struct tape_spent **list)
{
	*list = h->flows[flow].open;
	return h->flows[flow].n;
}

/*
 * Where of n, from first to last, one of that event is if all are as evenly
 * spread as they can be, which they most often are: there it is looked for
 * first.
 */
static size_t guess_index(uint64_t first, uint64_t last, size_t n,
			  uint64_t event)
{
	return event >= last || first >= last
		       ? n - 1
		       : (size_t)((double)(event - first) /
				  (double)(last - first) * (double)(n - 1));
}

/* How many calls of a block are of that event, or of one before. */
static size_t calls_up_to(const struct block *b, uint64_t event)
{
	const struct place *first = tape_block_place(b, 0);
	size_t low = 0, high = b->n, k;

	if (first->event > event)
		return 0;
	k = guess_index(first->event, tape_block_place(b, high - 1)->event,
			high, event);
	while (low < high) {
		if ((first - k)->event > event)
			high = k;
		else if (k + 1 == high || (first - k - 1)->event > event)
			return k + 1;
		else
			low = k + 1;
		k = low + (high - low) / 2;
	}
	return low;
}

static uint64_t first_event(const struct chain *c, size_t block)
{
	return tape_block_place(&c->blocks[block], 0)->event;
}

/* How many blocks of a chain begin with such a one. */
static size_t blocks_up_to(const struct chain *c, uint64_t event)
{
	size_t low = 0, high = c->n, k;

	if (!high || first_event(c, 0) > event)
		return 0;
	/* most often it is one of the last */
	for (; high > 0 && high + LATEST > c->n; high--)
		if (first_event(c, high - 1) <= event)
			return high;
	k = guess_index(first_event(c, 0), c->last->event, c->n, event);
	k = k < high ? k : high - 1;
	while (low < high) {
		if (first_event(c, k) > event)
			high = k;
		else if (k + 1 == high || first_event(c, k + 1) > event)
			return k + 1;
		else
			low = k + 1;
		k = low + (high - low) / 2;
	}
	return low;
}

static struct tape_sync *find_in_chain(const struct chain *c, uint64_t event)
{
	const struct block *b;
	size_t n;

	if (!c->last || c->last->event <= event)
		return c->last;
	n = blocks_up_to(c, event);
	if (!n)
		return NULL;
	b = &c->blocks[n - 1];
	return tape_block_call(b, calls_up_to(b, event) - 1);
}

struct tape_sync *tape_history_find_call(const struct tape_history *h,
					 size_t flow, uint64_t event)
{
	const struct flow *f = &h->flows[flow];
	struct tape_sync *s = find_in_chain(&f->calls, event);

	return s ? s : find_in_chain(&f->merged, event);
}

struct tape_sync *tape_history_next_call(const struct tape_history *h,
					 size_t flow,
					 struct tape_history_at *at)
{
	const struct chain *c = &h->flows[flow].calls;

	if (at->block < c->n && at->call == c->blocks[at->block].n) {
		at->block++;
		at->call = 0;
	}
	return at->block < c->n
		   ? tape_block_call(&c->blocks[at->block], at->call++)
		   : NULL;
}

size_t tape_history_flows(const struct tape_history *h)
{
	return h->n;
}
