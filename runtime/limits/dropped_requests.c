/* Numbers of requests in a trace with gaps; see gap_requests.h. */
#include <string.h>
#include <sys/mman.h>

#include "lower_bound.h"
#include "dropped_requests.h"

/* Beyond, what was created between the two oldest gaps is forgotten. */
enum { MOST = 1024 };

/* from < n <= to were created in the gap; dropped is the sum up to it. */
struct tape_gaps {
	uint32_t n;
	struct range {
		uint64_t from, to, dropped;
	} gap[MOST];
};

uint64_t tape_requests_known(const struct tape_flow *f)
{
	const struct tape_gaps *g = f->gaps;

	return f->requests - (g && g->n ? g->gap[g->n - 1].dropped : 0);
}

static uint64_t renumber_request(const struct tape_gaps *g, uint64_t n)
{
	size_t i;

	TAPE_LOWER_BOUND(i, g->n, g->gap[i].from < n);
	if (!i)
		return n;
	return n <= g->gap[i - 1].to ? 0 : n - g->gap[i - 1].dropped;
}

uint64_t tape_request_known(const struct tape_flow *f, uint64_t thread,
			    uint64_t n)
{
	if (thread == (uint64_t)f->thread)
		return f->gaps ? renumber_request(f->gaps, n) : n;
	for (f = tape_process.flows; f; f = f->next)
		if (thread == (uint64_t)f->thread && (f->gaps || f->gap))
			return 0;
	return n;
}

int tape_gap_requests(struct tape_flow *f, uint64_t since)
{
	struct tape_gaps *g = f->gaps;
	uint64_t dropped;

	if (since == f->requests)
		return 0;
	if (!g) {
		g = mmap(NULL, sizeof *g, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (g == MAP_FAILED)
			return -1;
		f->gaps = g;
	}
	if (g->n == MOST) {
		g->gap[1].from = g->gap[0].from;
		memmove(g->gap, g->gap + 1, --g->n * sizeof *g->gap);
	}
	dropped = g->n ? g->gap[g->n - 1].dropped : 0;
	g->gap[g->n++] =
	    (struct range){since, f->requests, dropped + f->requests - since};
	return 0;
}

void tape_gap_requests_free(struct tape_flow *f)
{
	if (f->gaps)
		munmap(f->gaps, sizeof *f->gaps);
	f->gaps = NULL;
}
