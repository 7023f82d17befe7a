/*
 * Rounds of clock sampling; see sample.h.
 *
 * The rounds of a pair come in batches, spread over its time: what disturbs
 * one batch, such as another process on its processor, has mostly gone by the
 * next. Between batches, before their turn and after it, ranks sleep: on a
 * machine with fewer processors than ranks who waits busily takes the
 * processor from who is sampled.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "sample.h"
#include "sink.h"

/* At the start and at the end, on a stack that is large enough. */
TAPE_ON_OWN_STACK

enum { TAG_ROUND = 1, TAG_RESULT };
enum { BATCHES = 10, SETTLED = 3, NEAR = 30 };
enum { FEWEST = 10 }; /* rounds, however long they take */
enum { POLLS = 16, AWAKE_NS = 100000 }; /* looks at the clock every so many */

/*
 * Both messages of a round are as long as each other, two words, so that they
 * take as long: with one word there and two back the estimate was 20 ns off.
 * The answer has two dates; the question has in its first word ROUND, or DONE
 * when it is the last one, or for how long to sleep before the next, us.
 */
enum { MESSAGE = 2 };
#define ROUND UINT64_C(0)
#define DONE UINT64_MAX

struct round {
	uint64_t s_ref, r_j, s_j, r_ref;
};
enum { WORDS = sizeof(struct round) / sizeof(uint64_t) };

/* What has been found out about a pair. */
struct progress {
	uint64_t least;     /* round trip so far, ticks */
	uint32_t near;      /* rounds that come near it */
	uint32_t unchanged; /* batches since it became clearly less */
};

static void sleep_us(uint64_t us)
{
	struct timespec t = { (time_t)(us / 1000000),
			      (long)(us % 1000000) * 1000 };

	nanosleep(&t, NULL);
}

/* Waits for a request without keeping the processor, or until MPI fails. */
static void wait_asleep(MPI_Request *request)
{
	int done = 0;

	for (uint64_t us = 10;; us = us < 200 ? 2 * us : us) {
		if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) || done)
			return;
		sleep_us(us);
	}
}

/*
 * Waits for a message that is on its way: awake, since waking up takes longer
 * than most networks. Who sends it may need this very processor, though, or
 * wait for one: then asleep in short turns, as the kernel lets a sleeper have a
 * processor sooner than one that is always busy.
 */
static void receive_awake(MPI_Comm comm, int from, uint64_t *words)
{
	MPI_Request request;
	uint64_t start = tape_raw_ns();
	int done = 0;

	PMPI_Irecv(words, MESSAGE, MPI_UINT64_T, from, TAG_ROUND, comm,
		   &request);
	for (int k = 1; !PMPI_Test(&request, &done, MPI_STATUS_IGNORE) && !done;
	     k++)
		if (k % POLLS == 0 && tape_raw_ns() - start > AWAKE_NS)
			sleep_us(20);
}

static void receive_asleep(MPI_Comm comm, int from, int tag, uint64_t *words,
			   int n)
{
	MPI_Request request;

	PMPI_Irecv(words, n, MPI_UINT64_T, from, tag, comm, &request);
	wait_asleep(&request);
}

static void meet_asleep(MPI_Comm comm)
{
	MPI_Request request;

	PMPI_Ibarrier(comm, &request);
	wait_asleep(&request);
}

static void send_words(MPI_Comm comm, int to, int tag, const uint64_t *words,
		       int n)
{
	PMPI_Send(words, n, MPI_UINT64_T, to, tag, comm);
}

static void ask_for(MPI_Comm comm, int peer, uint64_t what)
{
	const uint64_t question[MESSAGE] = { what };

	send_words(comm, peer, TAG_ROUND, question, MESSAGE);
}

static uint64_t get_round_trip(const struct round *k)
{
	return k->r_ref - k->s_ref - (k->s_j - k->r_j);
}

/*
 * No more is to be expected of a pair: the least round trip, which is the width
 * of the guaranteed interval, has not shrunk by more than 2% for three batches,
 * and thirty rounds are within 5% of it, so that it is the network's own and no
 * stroke of luck with a single one.
 */
static int has_settled(struct progress *p, const struct round *rounds,
		       uint32_t n, uint32_t first)
{
	uint64_t before = p->least;

	for (uint32_t i = first; i < n; i++)
		if (get_round_trip(&rounds[i]) < p->least)
			p->least = get_round_trip(&rounds[i]);
	p->near = 0;
	for (uint32_t i = 0; i < n; i++)
		p->near +=
		    get_round_trip(&rounds[i]) <= p->least + p->least / 20;
	p->unchanged = p->least < before - before / 50 ? 0 : p->unchanged + 1;
	return p->unchanged >= SETTLED && p->near >= NEAR;
}

static void exchange_round(MPI_Comm comm, int peer, struct round *k)
{
	uint64_t answer[MESSAGE] = { 0 };

	k->s_ref = tape_tick();
	ask_for(comm, peer, ROUND);
	receive_awake(comm, peer, answer);
	k->r_ref = tape_tick();
	k->r_j = answer[0];
	k->s_j = answer[1];
}

/*
 * Samples peer: at most n rounds. Returns how many. The time is real, whatever
 * the clock is that is sampled.
 */
static uint32_t sample_peer(MPI_Comm comm, int peer, struct round *rounds,
			    uint32_t n)
{
	uint64_t budget = 1000000ull * tape_process.config.sample_ms;
	uint32_t each = (n + BATCHES - 1) / BATCHES, done = 0;
	struct progress p = { UINT64_MAX, 0, 0 };
	uint64_t ignored[MESSAGE], start, now;

	/* the first exchange only finds out that the other one is there */
	if (n) {
		ask_for(comm, peer, ROUND);
		receive_asleep(comm, peer, TAG_ROUND, ignored, MESSAGE);
	}
	start = now = tape_raw_ns();
	for (uint64_t b = 1; done < n && (b <= BATCHES || done < FEWEST); b++) {
		uint64_t end = start + budget * b / BATCHES;
		uint32_t first = done;

		do
			exchange_round(comm, peer, &rounds[done++]);
		while ((now = tape_raw_ns()) < end && done < n &&
		       done - first < each);
		if (has_settled(&p, rounds, done, first) || done == n)
			break;
		if (now < end && b < BATCHES) {
			ask_for(comm, peer, (end - now) / 1000 + 1);
			sleep_us((end - now) / 1000 + 1);
		}
		if (now >= start + budget && done >= FEWEST)
			break;
	}
	ask_for(comm, peer, DONE);
	return done;
}

static void answer_peer(MPI_Comm comm, int peer)
{
	uint64_t question[MESSAGE] = { DONE }, answer[MESSAGE];

	receive_asleep(comm, peer, TAG_ROUND, question, MESSAGE);
	while (question[0] != DONE) {
		if (question[0] == ROUND) {
			answer[0] = tape_tick();
			answer[1] = tape_tick();
			send_words(comm, peer, TAG_ROUND, answer, MESSAGE);
		} else {
			sleep_us(question[0]);
		}
		question[0] = DONE; /* where MPI fails */
		receive_awake(comm, peer, question);
	}
}

static void write_rounds(FILE *out, int after, const struct tape_pair *pair,
			 const struct round *rounds, uint32_t n)
{
	char by[16] = "";

	if (pair->by)
		snprintf(by, sizeof by, " %d", pair->by);
	for (uint32_t i = 0; out && i < n; i++)
		fprintf(out, "sample %s %d %llu %llu %llu %llu%s\n",
			after ? "after" : "before", pair->domain,
			(unsigned long long)rounds[i].s_ref,
			(unsigned long long)rounds[i].r_j,
			(unsigned long long)rounds[i].s_j,
			(unsigned long long)rounds[i].r_ref, by);
}

/* The rounds of one pair to the reference. */
static void send_rounds(MPI_Comm comm, int reference,
			const struct round *rounds, uint32_t n)
{
	uint64_t word = n;

	send_words(comm, reference, TAG_RESULT, &word, 1);
	if (n)
		send_words(comm, reference, TAG_RESULT,
			   (const uint64_t *)rounds, (int)n * WORDS);
}

static uint32_t receive_rounds(MPI_Comm comm, int from, struct round *rounds)
{
	uint64_t n = 0;

	receive_asleep(comm, from, TAG_RESULT, &n, 1);
	if (n)
		receive_asleep(comm, from, TAG_RESULT, (uint64_t *)rounds,
			       (int)n * WORDS);
	return (uint32_t)n;
}

/* What this rank asked: the rounds of one pair after the other. */
struct asked {
	struct round *rounds;
	uint32_t n;
};

/* All rounds to the reference's file, pair by pair. */
static void collect_rounds(MPI_Comm comm, const struct tape_pair *pairs, int n,
			   int reference, int after, struct asked *asked)
{
	struct round *room = NULL;
	struct tape_hold hold;
	FILE *out = NULL;
	uint64_t from;
	int rank;

	PMPI_Comm_rank(comm, &rank);
	if (rank == reference) {
		int fd = tape_sink_open("clocks", O_RDWR | O_CREAT | O_APPEND);

		out = fd < 0 ? NULL : fdopen(fd, "a");
		room = malloc(tape_process.config.rounds * sizeof *room);
	}
	for (int i = 0; i < n; i++) {
		const struct round *rounds = asked[i].rounds;
		uint32_t got = asked[i].n;

		if (pairs[i].asks != rank && rank != reference)
			continue;
		if (rank != reference) {
			send_rounds(comm, reference, rounds, got);
			continue;
		}
		if (pairs[i].asks != rank) {
			got = receive_rounds(comm, pairs[i].asks, room);
			rounds = room;
		}
		tape_hold(&hold);
		write_rounds(out, after, &pairs[i], rounds, got);
		if (out)
			fflush(out);
		tape_release(&hold);
	}
	free(room);
	if (!out)
		return;
	from = tape_sink_has_files() ? tape_process.clocks_bytes : 0;
	tape_sink_file(TAPE_FRAME_CLOCKS, fileno(out), from,
		       tape_process.clocks_bytes);
	tape_process.clocks_bytes +=
	    (uint64_t)lseek(fileno(out), 0, SEEK_END) - from;
	fclose(out);
}

/* Samples with the others as the tree says; asked receives the rounds. */
static void sample_pairs(MPI_Comm comm, const struct tape_pair *pairs, int n,
			 struct asked *asked)
{
	uint32_t most = tape_process.config.rounds;
	int rank;

	PMPI_Comm_rank(comm, &rank);
	for (int i = 0; i < n; i++) {
		struct asked *a = &asked[i];

		if (pairs[i].asks == rank) {
			a->rounds = malloc(most * sizeof *a->rounds);
			a->n = sample_peer(comm, pairs[i].answers, a->rounds,
					   a->rounds ? most : 0);
		} else if (pairs[i].answers == rank) {
			answer_peer(comm, pairs[i].asks);
		}
	}
}

void tape_sample(MPI_Comm comm, const struct tape_pair *pairs, int n_domains,
		 int reference, int after)
{
	int n = n_domains - 1, ok;
	struct asked *asked;

	if (n < 1)
		return;
	asked = calloc((size_t)n, sizeof *asked);
	ok = asked != NULL;
	PMPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, comm);
	if (ok) {
		meet_asleep(comm);
		sample_pairs(comm, pairs, n, asked);
		collect_rounds(comm, pairs, n, reference, after, asked);
		meet_asleep(comm);
	}
	for (int i = 0; asked && i < n; i++)
		free(asked[i].rounds);
	free(asked);
}
TAPE_ON_OWN_STACK_END
