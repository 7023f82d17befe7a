/* The constants of SMPI, found in times that were made of known ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "smpi_fit.h"
#include "tap.h"

enum { SIZES = 100, SAMPLES = 30 };

static unsigned long long state;

static double uniform(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* A machine: lines of the transfer between the ends, and overheads, in ns. */
struct truth {
	int n;
	double from[6], ns[6], rate[6];
	double os, os_rate, or, or_rate, ois;
	int64_t eager;
};

static double line_of(const struct truth *t, double bytes)
{
	int k = 0;

	while (k + 1 < t->n && t->from[k + 1] <= bytes)
		k++;
	return t->ns[k] + t->rate[k] * bytes;
}

static double call_send(const struct truth *t, double bytes)
{
	return t->os + t->os_rate * bytes;
}

static double call_receive(const struct truth *t, double bytes)
{
	return t->or +t->or_rate * bytes;
}

static double whole(const struct truth *t, double bytes)
{
	double ns = line_of(t, bytes);

	if (bytes <= (double)t->eager)
		ns += call_send(t, bytes) + call_receive(t, bytes);
	return ns;
}

struct measured {
	struct tape_smpi_size size[SIZES];
	double ns[SIZES][SAMPLES];
	size_t m;
};

/* Four sizes in each power of two, and those on both sides of the limit. */
static void measure(const struct truth *t, double noise, struct measured *m)
{
	double bytes = 0;

	m->m = 0;
	while (bytes <= 4194304) {
		struct tape_smpi_size *z = &m->size[m->m];
		double next = bytes < 4 ? bytes + 1
					: bytes + exp2(floor(log2(bytes)) - 2);

		*z = (struct tape_smpi_size){
		    .bytes = bytes,
		    .ns = m->ns[m->m],
		    .n = SAMPLES,
		    .send_ns = call_send(t, bytes),
		    .receive_ns =
			bytes <= (double)t->eager ? call_receive(t, bytes) : -1,
		    .isend_ns = t->ois};
		for (int i = 0; i < SAMPLES; i++)
			m->ns[m->m][i] =
			    whole(t, bytes) * (1 + noise * (uniform() - 0.5));
		m->m++;
		if (bytes < (double)t->eager && next > (double)t->eager)
			next = (double)t->eager;
		else if (bytes >= (double)t->eager && bytes <= (double)t->eager)
			next = (double)t->eager + 1;
		else if (bytes > (double)t->eager &&
			 bytes < (double)t->eager + 2)
			next = exp2(ceil(log2(bytes + 1)));
		bytes = next;
	}
}

/*
 * SimGrid's own rule, written anew: the factor is that of the last threshold
 * that is less than the size; its messages have 16 bytes more.
 */
static double rule(const struct tape_smpi *s, double bytes)
{
	double lat = 1, bw = 1, os = 0, or = 0;

	for (int k = 0; k < s->factors.n; k++) {
		double above = k ? s->factors.piece[k].from_bytes + 15 : 0;

		if (bytes + 16 <= above)
			break;
		lat = s->factors.piece[k].constant;
		bw = s->factors.piece[k].rate;
	}
	for (int k = 0; k < s->os.n; k++)
		if (!k || bytes > s->os.piece[k].from_bytes - 1)
			os = s->os.piece[k].constant +
			     s->os.piece[k].rate * bytes;
	for (int k = 0; k < s->or.n; k++)
		if (!k || bytes > s->or.piece[k].from_bytes - 1)
			or = s->or.piece[k].constant + s->or
				      .piece[k]
				      .rate *
					  bytes;
	if (bytes > (double)s->eager_bytes)
		os = or = 0;
	return os + or +s->latency_s * lat + (bytes + 16) / (s->bandwidth * bw);
}

/* The largest relative error away from breaks, of all bytes with a step. */
static double worst_of(const struct truth *t, const struct tape_smpi *s,
		       double *formula)
{
	double worst = 0;

	*formula = 0;
	for (double x = 0; x < 4194304; x = floor(x * 1.03) + 1) {
		double is = 1e-9 * whole(t, x), got = rule(s, x);
		int near = 0;

		*formula =
		    fmax(*formula, fabs(tape_smpi_message_s(s, x) / got - 1));
		for (int k = 1; k < t->n; k++)
			near |= x >= t->from[k] / 1.3 && x < t->from[k] * 1.3 &&
				t->from[k] != (double)t->eager + 1;
		if (!near)
			worst = fmax(worst, fabs(log(got / is)));
	}
	return worst;
}

/* Shared memory, made up: two pieces below the limit, some above. */
static struct truth make_truth(int pieces)
{
	struct truth t = {.n = pieces,
			  .eager = 4040 + (int)(60000 * uniform() * uniform()),
			  .os = 50 + 50 * uniform(),
			  .os_rate = 0.05 * uniform(),
			  .or = 40 + 60 * uniform(),
			  .or_rate = 0.02 * uniform(),
			  .ois = 100 + 100 * uniform()};
	const double from[] = {0, 512, (double)t.eager + 1, 262144, 1048576};
	double at = 300 + 3000 * uniform(), rate = 0.2 + uniform();

	for (int k = 0; k < pieces; k++) {
		if (k) {
			at = line_of(&t, from[k]) * (k % 2 ? 1 : 1.7);
			rate *= k % 2 ? 0.3 : 1.2;
		}
		/* faster than its share: a constant below zero */
		if (k == 4)
			rate = 1.5 * at / from[k];
		t.n = k + 1;
		t.from[k] = from[k];
		t.rate[k] = rate;
		t.ns[k] = at - rate * from[k];
	}
	return t;
}

static void finds(int pieces, double noise, int cases)
{
	struct measured *m = malloc(sizeof *m);
	struct tape_smpi s;
	double worst = 0, formula = 0, f;
	int bad = 0, right = 0;

	for (int i = 0; i < cases; i++) {
		struct truth t = make_truth(pieces);
		int found = 1;

		measure(&t, noise, m);
		bad += tape_smpi_fit(m->size, m->m, NULL, 0, t.eager, &s) != 0;
		worst = fmax(worst, worst_of(&t, &s, &f));
		formula = fmax(formula, f);
		for (int k = 0; k < s.factors.n; k++) {
			const struct tape_smpi_piece *p = &s.factors.piece[k];

			bad += p->constant < 0 || !(p->rate > 0) ||
			       (k && !(p->from_bytes > p[-1].from_bytes)) ||
			       p->from_bytes != floor(p->from_bytes);
			found += k && p->constant > 0;
		}
		/* the limit always begins one */
		right += found == (pieces < 3	? pieces + 1
				   : pieces < 5 ? pieces
						: 4);
	}
	free(m);
	ok(!bad && worst < 0.05 + noise / 2 && formula < 1e-9 &&
	       right >= cases * (noise > 0.05 ? 5 : 8) / 10,
	   "%d pieces, noise %g: number right in %d of %d, off by %.1f%% at "
	   "most",
	   pieces, noise, right, cases, 100 * expm1(worst));
}

static void corners(void)
{
	struct tape_smpi s = {.eager_bytes = 77};
	double ns[] = {100, 105, 102}, slow[] = {5000};
	struct tape_smpi_size one = {0, ns, 3, 90, 80, -1, 0};
	struct tape_smpi_size two[] = {{0, ns, 3, -1, -1, -1, 0},
				       {1000, slow, 1, -1, -1, -1, 0}};
	int rc;

	rc = tape_smpi_fit(&one, 0, NULL, 0, 0, &s);
	ok(rc == TAPE_EFEW && s.eager_bytes == 77,
	   "no size, no constants");
	rc = tape_smpi_fit(&one, 1, NULL, 0, 4, &s);
	ok(!rc && fabs(tape_smpi_message_s(&s, 0) / 102e-9 - 1) < 0.01,
	   "overheads longer than the message: %g ns for 102",
	   1e9 * tape_smpi_message_s(&s, 0));
	ok(s.os.n == 1 && s.os.piece[0].constant > s.or.piece[0].constant &&
							   s.ois.n == 0 &&
							   s.eager_bytes == 4,
	   "they are scaled down, and what was not measured is nothing");
	rc = tape_smpi_fit(two, 2, NULL, 0, 0, &s);
	ok(!rc && fabs(tape_smpi_message_s(&s, 0) / 102e-9 - 1) < 0.01 &&
	       fabs(tape_smpi_message_s(&s, 1000) / 5e-6 - 1) < 0.01,
	   "one size on each side of the limit: %g and %g",
	   tape_smpi_message_s(&s, 0), tape_smpi_message_s(&s, 1000));
}

/* Another route with the same factors is found where it fits exactly. */
static void routes(void)
{
	struct truth t = make_truth(4), far = t;
	struct measured *m = malloc(sizeof *m);
	struct tape_smpi s;
	double lat = 7, bw = 8;

	measure(&t, 0, m);
	tape_smpi_fit(m->size, m->m, NULL, 0, t.eager, &s);
	tape_smpi_route(&s, NULL, 0, &lat, &bw);
	ok(lat == 7 && bw == 8, "no size: as it was");
	for (int k = 0; k < t.n; k++) {
		far.ns[k] =
		    10 * (t.ns[k] - 16 * t.rate[k]) + 16 * 3 * t.rate[k];
		far.rate[k] = 3 * t.rate[k];
	}
	measure(&far, 0, m);
	tape_smpi_route(&s, m->size, m->m, &lat, &bw);
	ok(fabs(lat / s.latency_s / 10 - 1) < 0.05 &&
	       fabs(s.bandwidth / bw / 3 - 1) < 0.05,
	   "10 times the latency, a third of the bandwidth: %.3f, %.3f",
	   lat / s.latency_s, s.bandwidth / bw);
	free(m);
}

/* Two messages that share one and a half times the bandwidth. */
static void crossing(void)
{
	struct truth t = make_truth(4);
	struct measured *m = malloc(sizeof *m);
	struct tape_smpi s;
	double found;

	measure(&t, 0, m);
	tape_smpi_fit(m->size, m->m, NULL, 0, t.eager, &s);
	ok(tape_smpi_capacity(&s, m->size, m->m) == 2,
	   "no exchange was measured: nothing is taken of one another");
	for (size_t i = 0; i < m->m; i++) {
		struct tape_smpi_size *z = &m->size[i];
		double moving = t.rate[3] * z->bytes;

		if (z->bytes >= t.from[3])
			z->exchange_ns = t.ois + t.ns[3] + 2 * moving / 1.5;
	}
	found = tape_smpi_capacity(&s, m->size, m->m);
	ok(fabs(found - 1.5) < 0.03, "1.5 is found as %.3f", found);
	free(m);
}

/* A jump that is known to be at 257 bytes; sizes around it are 256 and 320. */
static void jumps(void)
{
	struct truth t = { .n = 2, .from = { 0, 257 }, .ns = { 300, 500 },
			   .rate = { 0.3, 0.3 }, .eager = 4040 };
	struct measured *m = malloc(sizeof *m);
	double at = 257, before, after;
	struct tape_smpi s;

	measure(&t, 0, m);
	tape_smpi_fit(m->size, m->m, &at, 1, t.eager, &s);
	before = 1e9 * tape_smpi_message_s(&s, 256) / whole(&t, 256);
	after = 1e9 * tape_smpi_message_s(&s, 257) / whole(&t, 257);
	ok(fabs(before - 1) < 0.01 && fabs(after - 1) < 0.01,
	   "a known jump is where it is: %.3f, %.3f", before, after);
	free(m);
}

int main(void)
{
	const char *seed = getenv("SMPI_SEED");

	state = seed ? strtoull(seed, NULL, 10) : 2010;
	printf("# seed %llu\n", state);
	for (int pieces = 1; pieces <= 5; pieces++) {
		finds(pieces, 0, 20);
		finds(pieces, 0.02, 20);
		finds(pieces, 0.1, 20);
	}
	corners();
	routes();
	crossing();
	jumps();
	return done();
}
