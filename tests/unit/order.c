/*
 * The order of matching against the same events, sorted: by their starts, but
 * blocking receives of a rank with several flows by their ends. Flows are drawn
 * so that no two dates are the same.
 */
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "order.h"
#include "output.h"
#include "tap.h"
#include "writer.h"

/* Flows of ranks 0, 1 and 2: the one of rank 1 is alone. */
enum { FLOWS = 5, EACH = 3000 };
static const int rank_of[FLOWS] = { 0, 0, 1, 2, 2 };
static const int thread_of[FLOWS] = { 0, 1, 0, 0, 7 };

static const struct {
	uint32_t site;
	unsigned call, class_;
} calls[] = { { 1, TAPE_CALL_MPI_Send, TAPE_CLASS_SEND },
	      { 2, TAPE_CALL_MPI_Recv, TAPE_CLASS_RECV },
	      { 3, TAPE_CALL_MPI_Sendrecv, TAPE_CLASS_SENDRECV },
	      { 4, TAPE_CALL_MPI_Probe, TAPE_CLASS_PROBE } };
enum { CALLS = sizeof calls / sizeof *calls };

static struct drawn {
	int64_t key, start_ns;
	size_t flow;
} drawn[FLOWS * EACH];
static size_t n_drawn;

static uint64_t state = 20260418;

static int64_t below(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((state >> 20) % n);
}

/* Dates of flow i leave the rest i when divided by FLOWS. */
static void draw_flow(struct tape_output *o, size_t i)
{
	struct tape_flow_writer *w =
		tape_flow_writer_open(o, rank_of[i], thread_of[i], 0);
	int64_t now = (int64_t)i;

	for (int k = 0; k < EACH; k++) {
		int which = (int)below(CALLS);
		struct tape_event e = { .call = (uint16_t)calls[which].call,
					.class_ = (uint16_t)calls[which].class_,
					.site = calls[which].site, .polls = 1 };

		e.start_ns = now += FLOWS * (1 + below(40));
		e.end_ns = now += FLOWS * (1 + below(below(9) ? 40 : 4000));
		tape_flow_writer_put(w, &e);
		drawn[n_drawn++] = (struct drawn){
			.key = e.class_ == TAPE_CLASS_RECV && rank_of[i] != 1
				       ? e.end_ns
				       : e.start_ns,
			.start_ns = e.start_ns, .flow = i };
	}
	tape_flow_writer_close(w, TAPE_END_FINALIZE, 0);
}

static void draw(void)
{
	static const char meta[] = "tape-trace 1\nranks 3\nbase global\n"
				   "domain 0 d h\nclock 0 0 0 1 0 0\n";
	struct tape_output *o = tape_output_begin(folder_path("t", NULL));
	char name[16], text[400];

	folder_write(tape_output_path(o, "meta"), meta, strlen(meta));
	for (int r = 0; r < 3; r++) {
		int at = snprintf(text, sizeof text, "tape-rank 1\nrank %d\n"
				  "host h\npid 1\ndomain 0\n", r);

		for (size_t c = 0; c < CALLS; c++)
			at += snprintf(text + at, sizeof text - (size_t)at,
				       "site %u %u 1 x.c main\n", calls[c].site,
				       calls[c].call);
		snprintf(name, sizeof name, "rank.%d", r);
		folder_write(tape_output_path(o, name), text, strlen(text));
	}
	for (size_t i = 0; i < FLOWS; i++)
		draw_flow(o, i);
	tape_output_commit(o);
}

static int by_key(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

int main(void)
{
	const struct tape_event *e;
	struct tape_order *order;
	struct tape_trace *t;
	size_t n = 0, wrong = 0, held = 0;
	int rc;

	printf("# seed %llu\n", (unsigned long long)state);
	folder_make();
	draw();
	qsort(drawn, n_drawn, sizeof *drawn, by_key);
	if (tape_trace_open(folder_path("t", NULL), &t) ||
	    tape_order_open(t, &order)) {
		printf("# %s\n", tape_trace_error(t));
		return 1;
	}
	while ((rc = tape_order_next(order, &e)) == 1 && n < n_drawn) {
		wrong += e->start_ns != drawn[n].start_ns ||
			 e->flow != drawn[n].flow;
		held += drawn[n].key != drawn[n].start_ns;
		n++;
	}
	ok(!rc && n == n_drawn, "all %zu events come, and no more", n_drawn);
	ok(!wrong && held > n_drawn / 8, "in the order of their turns, %zu of "
	   "them at their ends", held);
	ok(tape_order_next(order, &e) == 0, "and it stays at the end");
	tape_order_close(order);
	tape_order_close(NULL);
	tape_trace_close(t);
	folder_remove();
	return done();
}
