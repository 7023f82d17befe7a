/*
 * What a trace tells of a model does not depend on the order in which the
 * flows are looked at: of all of the trace, and of its beginning only; by
 * messages alone, by those that were under way together, and by collectives.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm_learner.h"
#include "folder.h"
#include "output.h"
#include "tap.h"
#include "engine.h"
#include "tape_ids.h"
#include "writer.h"

enum { RANKS = 5, STEPS = 400, EACH = 20 };
enum { SEND = 1, RECV, ALLREDUCE, SITES };

static const unsigned site_call[SITES] = {
	[SEND] = TAPE_CALL_MPI_Send,
	[RECV] = TAPE_CALL_MPI_Recv,
	[ALLREDUCE] = TAPE_CALL_MPI_Allreduce,
};

static uint64_t state = 2718;
static struct tape_flow_writer *writer[RANKS];
static int64_t now[RANKS];
static int64_t quickest[TAPE_DISTANCES]; /* the time of one, of those made */

static int64_t below(int64_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (int64_t)(state >> 33) % n;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void put(int rank, int site, struct tape_event e, int64_t start,
		int64_t end)
{
	e.site = (uint32_t)site;
	e.call = (uint16_t)site_call[site];
	e.class_ = (uint16_t)tape_call_class(e.call);
	e.rank = rank;
	e.polls = 1;
	e.start_ns = e.sr_ns = start;
	e.end_ns = end;
	e.inside_ns = end - start;
	tape_flow_writer_put(writer[rank], &e);
	now[rank] = end;
}

/* Now and then somebody waits for it much longer than it takes. */
static void message(int from, int to)
{
	enum tape_distance far = from / 2 == to / 2 ? TAPE_SHM : TAPE_NET;
	uint64_t bytes = (uint64_t)below(4000);
	int64_t sent = now[from] + 1 + below(900);
	int64_t asked = now[to] + 1 + below(900);
	int64_t there = sent + 400 + (int64_t)bytes / 2 + below(100) +
			(below(8) ? 0 : below(5000));
	struct tape_event s = { .u.send = { .peer = to, .tag = 7, .comm = 1,
					    .bytes = bytes } };
	struct tape_event r = { .u.recv = { .peer = from, .tag = 7, .comm = 1,
					    .bytes = bytes,
					    .actual_peer = from,
					    .actual_tag = 7,
					    .arrived = there <= asked } };

	put(from, SEND, s, sent, sent + 50);
	put(to, RECV, r, asked, later(there, asked + 30));
	if (now[to] - sent < quickest[far])
		quickest[far] = now[to] - sent;
}

static void allreduce(void)
{
	int64_t entered[RANKS], last = 0;
	struct tape_event e = { .u.coll = { .comm = 1, .root = -1, .bytes = 8,
					    .rbytes = 8 } };

	for (int i = 0; i < RANKS; i++) {
		entered[i] = now[i] + 1 + below(500);
		last = later(last, entered[i]);
	}
	for (int i = 0; i < RANKS; i++)
		put(i, ALLREDUCE, e, entered[i], last + 1500 + below(300));
}

static void definitions(struct tape_output *o)
{
	static const char meta[] =
		"tape-trace 1\nranks 5\nbase global\ndomain 0 d h\n"
		"clock 0 0 0 1 0 0\nlibrary Open%20MPI%20v4.1.4\n";
	char name[16], text[400];

	folder_write(tape_output_path(o, "meta"), meta, strlen(meta));
	for (int r = 0; r < RANKS; r++) {
		int at = snprintf(text, sizeof text,
				  "tape-rank 1\nrank %d\nhost h%d\npid 1\n"
				  "domain 0\n", r, r / 2);

		for (size_t c = 1; c < SITES; c++)
			at += snprintf(text + at, sizeof text - (size_t)at,
				       "site %zu %u 1 x.c main\n", c,
				       site_call[c]);
		snprintf(text + at, sizeof text - (size_t)at,
			 "comm 1 1 5 %d world\n", r);
		snprintf(name, sizeof name, "rank.%d", r);
		folder_write(tape_output_path(o, name), text, strlen(text));
	}
}

static struct tape_trace *make(const char *name)
{
	struct tape_output *o = tape_output_begin(folder_path(name, NULL));
	struct tape_trace *t;

	for (int d = 0; d < TAPE_DISTANCES; d++)
		quickest[d] = INT64_MAX;
	definitions(o);
	for (int r = 0; r < RANKS; r++)
		writer[r] = tape_flow_writer_open(o, r, 0, 0);
	for (int k = 0; k < STEPS; k++) {
		for (int i = 0; i < EACH; i++) {
			int from = (int)below(RANKS);

			message(from, (from + 1 + (int)below(RANKS - 1)) %
					      RANKS);
		}
		allreduce();
	}
	for (int r = 0; r < RANKS; r++)
		tape_flow_writer_close(writer[r], TAPE_END_FINALIZE, 0);
	tape_output_commit(o);
	if (tape_trace_open(folder_path(name, NULL), &t)) {
		printf("# %s\n", tape_trace_error(t));
		exit(1);
	}
	return t;
}

/* Everything that is fitted, and how much there was to fit it to. */
struct learnt {
	struct tape_comm_model model;
	struct tape_max_transit longest;
	struct sample sample;
	int64_t quickest[TAPE_DISTANCES];
};

static void learn(struct tape_trace *t, uint64_t most, int backwards,
		  struct learnt *l)
{
	struct tape_comm_learner *of = tape_comm_learner_new();
	struct tape_max_transit_seen *seen = calloc(1, sizeof *seen);
	struct eager eager = { .known = 1 };
	struct how how = { .longest_ns = INFINITY, .seen = seen,
			   .backwards = backwards };
	struct result r;

	memset(l, 0, sizeof *l);
	for (int d = 0; d < TAPE_DISTANCES; d++)
		eager.bytes[d] = 4096;
	l->sample = (struct sample){ .most = most, .each = most / 10 };
	engine_run(t, &eager, of, NULL, &how, &l->sample, NULL, &r);
	tape_comm_fit(of, &l->model);
	tape_max_transit_fit(seen, &l->longest);
	memcpy(l->quickest, r.causality.least_ns, sizeof l->quickest);
	tape_comm_learner_free(of);
	free(seen);
	result_free(&r);
}

static void orders(struct tape_trace *t, uint64_t most, const char *what)
{
	static struct learnt a, b;
	uint64_t sent = 0;

	learn(t, most, 0, &a);
	learn(t, most, 1, &b);
	for (int d = 0; d < TAPE_DISTANCES; d++)
		for (int c = 0; c < TAPE_SIZE_CLASSES; c++)
			sent += a.sample.sent[d][c];
	ok(!memcmp(&a.model, &b.model, sizeof a.model),
	   "%s: the same model in both orders", what);
	ok(!memcmp(&a.longest, &b.longest, sizeof a.longest),
	   "%s: the same longest transits", what);
	ok(!memcmp(&a.sample, &b.sample, sizeof a.sample),
	   "%s: of the same messages", what);
	ok(!memcmp(a.quickest, b.quickest, sizeof a.quickest) &&
		   (most ? a.quickest[TAPE_NET] >= quickest[TAPE_NET] &&
				   a.quickest[TAPE_NET] < INT64_MAX
			 : !memcmp(a.quickest, quickest, sizeof quickest)),
	   "%s: the time of the quickest", what);
	ok(most ? sent > most / 4 && sent < most : sent == STEPS * EACH,
	   "%s: %llu of %d messages", what, (unsigned long long)sent,
	   STEPS * EACH);
	ok(a.model.line[TAPE_NET][0].messages > 200 &&
		   a.model.line[TAPE_SHM][0].messages > 50,
	   "%s: many tell something", what);
}

int main(void)
{
	struct tape_trace *t;

	printf("# seed %llu\n", (unsigned long long)state);
	folder_make();
	t = make("order");
	orders(t, 0, "all");
	orders(t, 4000, "the beginning");
	tape_trace_close(t);
	folder_remove();
	return done();
}
