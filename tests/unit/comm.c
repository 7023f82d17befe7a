/* Communication models from messages whose truth is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isolated_messages.h"
#include "comm_learner.h"
#include "tap.h"

static unsigned long long state;
static uint64_t key; /* of the next message */

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

static void sampler(void)
{
	struct tape_sampler s;
	double worst = 0;

	memset(&s, 0, sizeof s);
	ok(isnan(tape_sampler_quantile(&s, 0.5)), "no value, no quantile");
	tape_sampler_add(&s, 8);
	ok(tape_sampler_quantile(&s, 0) == 8 &&
		   tape_sampler_quantile(&s, 1) == 8, "of one value, itself");
	tape_sampler_add(&s, 2);
	tape_sampler_add(&s, 4);
	ok(tape_sampler_quantile(&s, 0.5) == 4 &&
		   tape_sampler_quantile(&s, 0.25) == 3 &&
		   tape_sampler_quantile(&s, 1) == 8,
	   "of three, the middle; between two, in proportion");
	memset(&s, 0, sizeof s);
	for (int i = 0; i < 100000; i++)
		tape_sampler_add(&s, uniform());
	for (int q = 0; q <= 10; q++)
		worst = fmax(worst, fabs(tape_sampler_quantile(&s, q / 10.0) -
					 q / 10.0));
	ok(s.seen == 100000 && s.n <= TAPE_SAMPLER_MOST && worst < 0.12,
	   "of many it keeps some, evenly (worst %.3f)", worst);
	memset(&s, 0, sizeof s);
	for (int i = 0; i < 100000; i++)
		tape_sampler_add(&s, i);
	/* three standard deviations of the median of 128 */
	ok(fabs(tape_sampler_quantile(&s, 0.5) - 50000) < 13000,
	   "of a rising stream, too (median %.0f)",
	   tape_sampler_quantile(&s, 0.5));
}

static struct tape_parcel parcel(enum tape_distance d, uint64_t bytes)
{
	return (struct tape_parcel){ .bytes = bytes, .distance = d };
}

static double transit(const struct tape_comm_model *m, enum tape_distance d,
		      uint64_t bytes)
{
	struct tape_parcel p = parcel(d, bytes);

	return tape_comm_transit(m, &p);
}

static double dc(const struct tape_comm_model *m, enum tape_distance d,
		 uint64_t bytes)
{
	struct tape_parcel p = parcel(d, bytes);

	return tape_comm_dc(m, &p);
}

static void learn(struct tape_comm_learner *l, enum tape_distance d,
		  uint64_t bytes, int64_t s, int64_t sr, int64_t er,
		  int arrived)
{
	struct tape_parcel p = parcel(d, bytes);

	tape_comm_learn(l, key++, &p, s, sr, er, arrived);
}

/* n messages of a size, posted before they can come. */
static void waiting(struct tape_comm_learner *l, enum tape_distance d,
		    uint64_t bytes, int64_t all, int n)
{
	for (int i = 0; i < n; i++)
		learn(l, d, bytes, 1000 * i, 1000 * i - 50, 1000 * i + all, 0);
}

/* A library that changes its protocol with the size: no line fits. */
static void steps(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_comm_model m;

	waiting(l, TAPE_SHM, 8, 300, 2000);
	waiting(l, TAPE_SHM, 200, 320, 1000);
	waiting(l, TAPE_SHM, 300, 900, 1000);
	waiting(l, TAPE_SHM, 3000, 1500, 500);
	waiting(l, TAPE_SHM, 60000, 1000000, 9);
	tape_comm_fit(l, &m);
	ok(fabs(transit(&m, TAPE_SHM, 8) - 300) < 1 &&
		   fabs(transit(&m, TAPE_SHM, 200) - 320) < 1 &&
		   fabs(transit(&m, TAPE_SHM, 300) - 900) < 1 &&
		   fabs(transit(&m, TAPE_NET, 3000) - 1500) < 1,
	   "each size class has its own transit");
	ok(transit(&m, TAPE_SHM, 60000) ==
		   m.line[TAPE_SHM][0].beta_ns +
			   m.line[TAPE_SHM][0].tau_ns * 60000,
	   "one with few messages keeps to the line");
	tape_comm_learner_free(l);
}

static void line(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_comm_model m;
	double worst = 0;

	/* transit 500 + 2 bytes, DC 70 */
	for (uint64_t b = 1; b < 5000; b *= 2) {
		waiting(l, TAPE_NET, b, 570 + 2 * (int64_t)b, 10);
		learn(l, TAPE_NET, b, 0, 90000, 90070, 1);
	}
	tape_comm_fit(l, &m);
	for (uint64_t b = 1; b < 5000; b = 3 * b + 1)
		worst = fmax(worst, fabs(transit(&m, TAPE_NET, b) -
					 500 - 2 * (double)b));
	ok(worst < 1e-6 && m.line[TAPE_NET][0].fitted,
	   "an exact line is found (worst error %g ns)", worst);
	ok(m.line[TAPE_NET][0].messages == 130,
	   "from all messages that waited");
	ok(dc(&m, TAPE_NET, 64) == 70, "DC is taken off");
	ok(!m.line[TAPE_SHM][0].fitted &&
		   transit(&m, TAPE_SHM, 100) ==
			   transit(&m, TAPE_NET, 100),
	   "a distance without messages takes another's");
	/* one slow size among many messages hardly bends the line */
	waiting(l, TAPE_NET, 1u << 20, 50 * (1 << 20), 2);
	tape_comm_fit(l, &m);
	ok(fabs(transit(&m, TAPE_NET, 8) - 516) < 60,
	   "two slow large messages leave the small ones right (%.0f)",
	   transit(&m, TAPE_NET, 8));
	tape_comm_learner_free(l);
}

static void selection(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_comm_model m;

	waiting(l, TAPE_SHM, 100, 400, 5);
	/* posted late: what still waits then is late itself */
	for (int i = 0; i < 50; i++)
		learn(l, TAPE_SHM, 100, 0, 5000, 9000, 0);
	/* received before it was sent: the clocks disagree */
	for (int i = 0; i < 50; i++)
		learn(l, TAPE_SHM, 100, 0, -900, -500, 0);
	tape_comm_fit(l, &m);
	ok(transit(&m, TAPE_SHM, 100) == 400,
	   "late receives and broken ones do not count (%.0f)",
	   transit(&m, TAPE_SHM, 100));
	tape_comm_learner_free(l);
	tape_comm_learner_free(NULL);
}

static void hand_over(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_comm_model m;

	tape_comm_fit(l, &m);
	ok(dc(&m, TAPE_SHM, 1000) == 0 &&
		   transit(&m, TAPE_SHM, 1000) == 0,
	   "no message at all: no time at all");
	for (int i = 0; i < 9; i++) {
		/* size classes 4 and 11, one value far off in each */
		learn(l, TAPE_SHM, 8, 0, 100, i ? 130 : 99100, 1);
		learn(l, TAPE_SHM, 1024, 0, 100, i ? 190 : 101, 1);
	}
	tape_comm_fit(l, &m);
	ok(dc(&m, TAPE_SHM, 15) == 30 &&
		   dc(&m, TAPE_SHM, 2047) == 90,
	   "the median of its size class");
	ok(dc(&m, TAPE_SHM, 0) == 30 &&
		   dc(&m, TAPE_SHM, 512) == 90 &&
		   dc(&m, TAPE_SHM, 16) == 30 &&
		   dc(&m, TAPE_SHM, UINT64_MAX) == 90,
	   "of the nearest where it has none");
	tape_comm_learner_free(l);
}

/* Large messages wait for their receivers: their time is their own. */
static void rendezvous(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_parcel p = parcel(TAPE_NET, 100000);
	struct tape_comm_model m;

	p.rendezvous = 1;
	waiting(l, TAPE_NET, 64, 2064, 100);
	tape_comm_fit(l, &m);
	ok(tape_comm_transit(&m, &p) == transit(&m, TAPE_NET, 100000) &&
		   !m.line[TAPE_NET][1].fitted,
	   "a rendezvous without samples takes the other messages' line");
	for (int i = 0; i < 20; i++)
		tape_comm_learn_rendezvous(l, key++, &p, 50000);
	tape_comm_learn_rendezvous(l, key++, &p, -5);
	tape_comm_fit(l, &m);
	ok(tape_comm_transit(&m, &p) == 50000 &&
		   m.line[TAPE_NET][1].messages == 20,
	   "one size of them: its median, a negative lag is none");
	p.bytes = 1000000;
	ok(fabs(tape_comm_transit(&m, &p) - 500000) < 1,
	   "others are in proportion");
	for (int i = 0; i < 40; i++)
		tape_comm_learn_rendezvous(l, key++, &p, 410000);
	tape_comm_fit(l, &m);
	p.bytes = 550000;
	ok(fabs(tape_comm_transit(&m, &p) - 230000) < 1,
	   "two sizes of them: a line");
	ok(fabs(transit(&m, TAPE_NET, 64) - 2064) < 1e-6 &&
		   m.line[TAPE_NET][0].rate == TAPE_RATE_PROTOCOL &&
		   fabs(transit(&m, TAPE_NET, 100064) - 2064 - 40000) < 1,
	   "of messages that do not wait it tells the rate, if nothing does");
	ok(tape_comm_dc(&m, &p) == 0, "it has no time to hand over");
	for (int i = 0; i < 500; i++)
		tape_comm_learn_sender(l, key++, &p, 90000);
	p.bytes = 30000;
	for (int i = 0; i < 20; i++)
		tape_comm_learn_sender(l, key++, &p, 22000);
	tape_comm_fit(l, &m);
	ok(tape_comm_transit(&m, &p) == 22000 &&
		   m.line[TAPE_NET][1].messages == 80,
	   "what senders tell counts where no receiver does");
	p.bytes = 550000;
	ok(fabs(tape_comm_transit(&m, &p) - 230000) < 1,
	   "and nowhere else (%g)", tape_comm_transit(&m, &p));
	tape_comm_learner_free(l);
}

/* What is seen of DC is that of cold caches, or of a busy machine. */
static void slow_dc(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_comm_model m;

	waiting(l, TAPE_SHM, 8, 400, 50);
	waiting(l, TAPE_SHM, 1000, 900, 50);
	for (int i = 0; i < 10; i++)
		learn(l, TAPE_SHM, 8, 0, 90000, 90000 + 5000 + i, 1);
	tape_comm_fit(l, &m);
	ok(transit(&m, TAPE_SHM, 8) >= 200 && transit(&m, TAPE_SHM, 8) <= 400,
	   "a DC of more than transit and DC does not make the transit 0 (%g)",
	   transit(&m, TAPE_SHM, 8));
	for (int i = 0; i < 10; i++)
		learn(l, TAPE_SHM, 1000, 0, 90000, 90000 + 60, 1);
	tape_comm_fit(l, &m);
	ok(transit(&m, TAPE_SHM, 1000) == 840, "one of less is taken off");
	ok(dc(&m, TAPE_SHM, 8) > 5000, "where it is asked for, it is as seen");
	tape_comm_learner_free(l);
}

static void meeting(struct tape_comm_learner *l, enum tape_distance d,
		    uint64_t bytes, double ns, int n)
{
	struct tape_parcel p = parcel(d, bytes);

	p.rendezvous = 1;
	for (int i = 0; i < n; i++)
		tape_comm_learn_rendezvous(l, key++, &p, ns);
}

/* What next to nothing tells, and what it does not. */
static void little(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_parcel p = parcel(TAPE_SHM, 1000000);
	const struct tape_comm_line *line;
	struct tape_comm_model m;

	/* 8 bytes each, on a busy machine */
	p.rendezvous = 1;
	meeting(l, TAPE_SHM, 8, 46608, 50);
	tape_comm_fit(l, &m);
	line = &m.line[TAPE_SHM][1];
	ok(fabs(tape_comm_transit(&m, &p) - 46608) < 1e-6 &&
		   line->tau_ns == 0 &&
		   line->rate == TAPE_RATE_NONE && line->classes == 1,
	   "rendezvous of 8 bytes tell no rate (%g ns/byte)", line->tau_ns);
	tape_comm_learner_free(l);

	/* three of two sizes: 10,013 ns/byte, were that a line */
	l = tape_comm_learner_new();
	meeting(l, TAPE_SHM, 8, 80000, 1);
	meeting(l, TAPE_SHM, 24, 240208, 2);
	tape_comm_fit(l, &m);
	line = &m.line[TAPE_SHM][1];
	ok(line->messages == 3 && line->rate == TAPE_RATE_NONE &&
		   line->beta_ns >= 80000 && line->beta_ns < 240208,
	   "three messages tell no rate, but are better than nothing");
	for (uint64_t b = 1; b < 5000; b *= 2)
		waiting(l, TAPE_SHM, b, 500 + (int64_t)b / 2, 30);
	tape_comm_fit(l, &m);
	ok(!m.line[TAPE_SHM][1].fitted &&
		   tape_comm_transit(&m, &p) == transit(&m, TAPE_SHM, 1000000),
	   "nor are they used where others are known");
	waiting(l, TAPE_NET, 8, 9000000, 3);
	tape_comm_fit(l, &m);
	ok(!m.line[TAPE_NET][0].fitted &&
		   transit(&m, TAPE_NET, 8) == transit(&m, TAPE_SHM, 8),
	   "three of another distance take the line of this one");
	tape_comm_learner_free(l);

	/* on a busy machine, who waits longer is not told by the size */
	l = tape_comm_learner_new();
	waiting(l, TAPE_SHM, 8, 7000, 300);
	waiting(l, TAPE_SHM, 100, 900000, 300);
	waiting(l, TAPE_SHM, 500, 400000, 300);
	waiting(l, TAPE_SHM, 2000, 12000000, 300);
	tape_comm_fit(l, &m);
	ok(m.line[TAPE_SHM][0].tau_ns == 0 &&
		   m.line[TAPE_SHM][0].rate == TAPE_RATE_NONE &&
		   transit(&m, TAPE_SHM, 500) == 400000,
	   "times of scheduling tell no rate (%g ns/byte)",
	   m.line[TAPE_SHM][0].tau_ns);
	tape_comm_learner_free(l);

	/* times that vary by half, and no rate: 300 to 900 ns of any size */
	for (int wrong = 0, i = 0; i <= 200; i++) {
		l = tape_comm_learner_new();
		for (uint64_t b = 8; b <= 16; b *= 2)
			for (int k = 0; k < 12; k++)
				waiting(l, TAPE_SHM, b,
					300 + (int64_t)(600 * uniform()), 1);
		tape_comm_fit(l, &m);
		wrong += m.line[TAPE_SHM][0].tau_ns > 0;
		tape_comm_learner_free(l);
		if (i == 200)
			ok(wrong < 20, "chance tells no rate (%d of 200 times)",
			   wrong);
	}
}

/*
 * 1000 ns + 1 ns/byte: a few small ones alone, all large ones with others under
 * way, so that most of them waited for those as well.
 */
static void together_only(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_parcel p = parcel(TAPE_NET, 1024);
	const struct tape_comm_line *line;
	struct tape_comm_model m;

	waiting(l, TAPE_NET, 8, 1008, 3);
	for (int i = 0; i < 18; i++)
		tape_comm_learn_overlapping(l, &p, 0, 2024 + i / 2 * 500);
	tape_comm_fit(l, &m);
	line = &m.line[TAPE_NET][0];
	ok(line->messages == 21 && line->classes == 2 &&
		   fabs(line->beta_ns - 1000) < 1e-6 &&
		   fabs(line->tau_ns - 1) < 1e-9,
	   "the quickest tell a rate where none was alone (%g + %g)",
	   line->beta_ns, line->tau_ns);
	waiting(l, TAPE_NET, 1024, 3000, 30);
	tape_comm_fit(l, &m);
	ok(line->messages == 33 && fabs(line->tau_ns - 1) > 0.9,
	   "and nothing where some were (%g)", line->tau_ns);
	tape_comm_learner_free(l);

	/* one that was followed closely by a second, and two far apart */
	for (int apart = 10; apart <= 1000; apart *= 100) {
		l = tape_comm_learner_new();
		waiting(l, TAPE_NET, 8, 1008, 12);
		for (int i = 0; i < 2; i++)
			tape_comm_learn_overlapping(l, &p, 0, 2024 + i * apart);
		tape_comm_fit(l, &m);
		line = &m.line[TAPE_NET][0];
		ok((line->rate == TAPE_RATE_FITTED) == (apart == 10),
		   "%d ns between two: %s", apart,
		   apart == 10 ? "a rate" : "none");
		tape_comm_learner_free(l);
	}
}

/* hpcc: eager messages of steps in the library, large ones at full speed. */
static void protocols(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	const struct tape_comm_line *line;
	struct tape_comm_model m;

	for (uint64_t b = 8; b <= 4096; b *= 2)
		waiting(l, TAPE_SHM, b, 300 + (int64_t)(b * 157 / 100), 100);
	tape_comm_fit(l, &m);
	line = m.line[TAPE_SHM];
	ok(fabs(line[0].tau_ns - 1.57) < 0.01 && line[0].suspect &&
		   line[0].off < 0.01 && line[0].classes == 10,
	   "a rate ten times slower than a copy is suspect (%g)",
	   line[0].tau_ns);
	for (uint64_t b = 65536; b <= 1u << 20; b *= 2)
		meeting(l, TAPE_SHM, b, 2000 + 0.09 * (double)b, 30);
	tape_comm_fit(l, &m);
	ok(fabs(line[1].tau_ns - 0.09) < 0.001 && !line[1].suspect &&
		   fabs(line[0].tau_ns - 0.09) < 0.001 &&
		   line[0].rate == TAPE_RATE_PROTOCOL &&
		   fabs(transit(&m, TAPE_SHM, 4096) - 300 - 1.57 * 4096) < 1,
	   "one ten times that of a rendezvous is not believed, what was seen "
	   "of a size is");
	tape_comm_learner_free(l);
}

/*
 * 64 messages are started together; each takes 400 ns and a link for 0.6 ns a
 * byte. Those who wait for them one by one see queues.
 */
static void together(int all)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_isolated *a = tape_isolated_new(2);
	struct tape_comm_model m;
	double now = 0;

	for (int turn = 0; turn < 400; turn++) {
		uint64_t bytes = 1000ull << turn % 6;
		double sent = now, free = now;

		for (int k = 0; k < 64; k++) {
			int64_t s = (int64_t)(sent + 50 * k), er;

			free = fmax(free, (double)s) + 0.6 * (double)bytes;
			er = (int64_t)(free + 400);
			if (all || tape_is_isolated(a, 1, 0, s))
				learn(l, TAPE_SHM, bytes, s, s - 20, er, 0);
			tape_isolated_add(a, 1, 0, er);
			now = (double)er + 100;
		}
	}
	tape_comm_fit(l, &m);
	if (all)
		ok(m.line[TAPE_SHM][0].tau_ns > 5,
		   "64 started together: their queue seems a rate (%.1f)",
		   m.line[TAPE_SHM][0].tau_ns);
	else
		ok(fabs(m.line[TAPE_SHM][0].tau_ns - 0.6) < 0.01 &&
			   fabs(m.line[TAPE_SHM][0].beta_ns - 400) < 20 &&
			   m.line[TAPE_SHM][0].messages == 400,
		   "those that were alone tell it (%.3f)",
		   m.line[TAPE_SHM][0].tau_ns);
	tape_isolated_free(a);
	tape_comm_learner_free(l);
}

/* What a processor that is taken away now and then makes of a message. */
static int64_t disturbed(double ns, int of_ten)
{
	return (int64_t)(uniform() * 10 < of_ten
				 ? ns * (1.5 + 1e4 * pow(uniform(), 3))
				 : ns);
}

/*
 * 400 ns + 0.5 ns/byte up to 255 bytes, 900 ns + 0.25 ns/byte above, of sizes
 * all over each class; most messages are disturbed, by half as much to
 * ten thousand times.
 */
static void envelope(int of_ten)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_comm_model m;
	double worst = 0;

	for (int i = 0; i < 20000; i++) {
		uint64_t bytes = (uint64_t)(16 * pow(256, uniform()));
		double ns = bytes < 256 ? 400 + 0.5 * (double)bytes
					: 900 + 0.25 * (double)bytes;

		waiting(l, TAPE_SHM, bytes, disturbed(ns + 0.5, of_ten), 1);
	}
	tape_comm_fit(l, &m);
	for (uint64_t bytes = 16; bytes < 4096; bytes += bytes / 8) {
		double ns = bytes < 256 ? 400 + 0.5 * (double)bytes
					: 900 + 0.25 * (double)bytes;

		worst = fmax(worst, fabs(transit(&m, TAPE_SHM, bytes) / ns -
					 1));
	}
	ok(worst < 0.12,
	   "%d of ten disturbed: the curve of the others, and where it breaks "
	   "(off by %.1f%%)", of_ten, 100 * worst);
	tape_comm_learner_free(l);
}

/* To and fro, 500 and 700 ns: a quarter of all take no more than 500. */
static void by_turns(void)
{
	struct tape_comm_learner *l = tape_comm_learner_new();
	struct tape_comm_model m;
	double in_turn = 0;

	for (int i = 0; i < 5000; i++)
		waiting(l, TAPE_SHM, 64, i % 2 ? 500 : 700, 1);
	for (int i = 0; i < TAPE_SAMPLER_MOST / 2; i++)
		in_turn += l->early[TAPE_SHM][7]->ns.value[i] < 600;
	in_turn /= TAPE_SAMPLER_MOST / 2;
	tape_comm_fit(l, &m);
	ok(in_turn > 0.35 && in_turn < 0.65 && transit(&m, TAPE_SHM, 64) == 500,
	   "messages of two kinds by turns: both are kept (%.2f)", in_turn);
	tape_comm_learner_free(l);
}

static double asked(void *context, const struct tape_parcel *p)
{
	return *(double *)context + (double)p->bytes + p->load_bytes +
	       1e6 * p->rendezvous;
}

/* Models that do not come from messages. */
static void given(void)
{
	struct tape_loggp p = { .latency_ns = 5000, .overhead_ns = 300,
				.per_byte_ns = 2 };
	struct tape_comm_model m = { 0 };
	struct tape_parcel q = parcel(TAPE_NET, 1000);
	double base = 7;

	tape_comm_loggp(&m, TAPE_NET, &p);
	ok(transit(&m, TAPE_NET, 1) == 5300 &&
		   transit(&m, TAPE_NET, 0) == 5300 &&
		   transit(&m, TAPE_NET, 1000) == 5300 + 999 * 2,
	   "LogGP: o + L + (k - 1) G");
	ok(dc(&m, TAPE_NET, 1000) == 300, "and o at the receiver");
	q.rendezvous = 1;
	ok(tape_comm_transit(&m, &q) == 5600 + 999 * 2,
	   "both in one of a rendezvous");
	ok(transit(&m, TAPE_SHM, 1000) == 0, "of that distance only");
	q.rendezvous = 0;
	q.load_bytes = 4000;
	m.load_rate[TAPE_NET] = 0.25;
	ok(tape_comm_transit(&m, &q) == 5300 + 999 * 2 + 1000,
	   "load adds its bytes times its rate");
	m.own_transit = asked;
	m.context = &base;
	ok(tape_comm_transit(&m, &q) == 5007, "a function in place of all");
}

/* ---- order ---- */

enum { MESSAGES = 20000 };

/* The i-th of some messages of all kinds. */
static void learn_ith(struct tape_comm_learner *l, int i)
{
	uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u;
	struct tape_parcel p = parcel(x >> 60 & 1 ? TAPE_NET : TAPE_CACHE,
				      x >> 40 & 0xfff);
	int64_t ns = 400 + (int64_t)(p.bytes + (x >> 20 & 0x3ff)), s = 1000 * i;

	if ((x >> 50 & 7) == 0) {
		p.rendezvous = 1;
		tape_comm_learn_rendezvous(l, (uint64_t)i, &p, (double)ns);
		tape_comm_learn_sender(l, (uint64_t)i, &p, (double)ns + 50);
	} else if ((x >> 50 & 7) == 1) {
		tape_comm_learn_overlapping(l, &p, s, s + ns);
	} else {
		tape_comm_learn(l, (uint64_t)i, &p, s,
				s + (int64_t)(x >> 30 & 0x7ff) - 1000, s + ns,
				(x >> 53 & 3) == 1);
	}
}

static void order(void)
{
	struct tape_comm_learner *l[3];
	static struct tape_comm_model m[3];

	for (int k = 0; k < 3; k++)
		l[k] = tape_comm_learner_new();
	for (int i = 0; i < MESSAGES; i++) {
		learn_ith(l[0], i);
		learn_ith(l[1], MESSAGES - 1 - i);
		/* 7919 is a prime that does not divide their number */
		learn_ith(l[2], (int)((long long)i * 7919 % MESSAGES));
	}
	for (int k = 0; k < 3; k++)
		tape_comm_fit(l[k], &m[k]);
	ok(!memcmp(&m[0], &m[1], sizeof *m) && !memcmp(&m[0], &m[2], sizeof *m),
	   "the same model of messages in any order");
	learn_ith(l[0], MESSAGES + 1);
	for (int k = 0; k < 3; k++)
		tape_comm_learner_free(l[k]);
}

int main(void)
{
	state = 2024;
	printf("# seed %llu\n", state);
	sampler();
	line();
	steps();
	selection();
	hand_over();
	rendezvous();
	slow_dc();
	little();
	together_only();
	protocols();
	together(1);
	together(0);
	envelope(0);
	envelope(5);
	envelope(6);
	by_turns();
	given();
	order();
	return done();
}
