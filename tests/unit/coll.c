/*
 * Collectives from inside, against a simulation of each member's own program
 * as textbooks write it (member_steps.h): nothing of steps, or of what others
 * do. Then closed formulas.
 */
#include "coll_exits.h"
#include "member_steps.h"
#include "tap.h"

/* ---- trees, by who is whose child ---- */

static int parents[MOST];

static int level(int v)
{
	int l = 0;

	while ((2 << l) - 1 <= v)
		l++;
	return l;
}

static void is_child(int v, int u, int n)
{
	if (u < n)
		parents[u] = v;
}

static void make_chains(int n)
{
	int k = n / 2, next = 1;

	for (int i = 0; i < k; i++)
		for (int len = (n - 1) / k + (i < (n - 1) % k), j = 0; j < len;
		     j++, next++)
			parents[next] = j ? next - 1 : 0;
}

static void make_tree(enum tape_coll_way way, int n)
{
	if (way == TAPE_COLL_SMPI_CHAINS && n > 1)
		make_chains(n);
	for (int v = 0; v < n; v++) {
		if (way == TAPE_COLL_FLAT)
			parents[v] = 0;
		if (way == TAPE_COLL_CHAIN || way == TAPE_COLL_SMPI_CHAIN_0)
			is_child(v, v + 1, n);
		if (way == TAPE_COLL_SMPI_BINARY_0)
			is_child(v, 2 * v + 1, n), is_child(v, 2 * v + 2, n);
		if (way == TAPE_COLL_LEVELS) {
			is_child(v, v + (1 << level(v)), n);
			is_child(v, v + (2 << level(v)), n);
		}
		for (int bit = 1; bit < n; bit *= 2) {
			if (way == TAPE_COLL_BINOMIAL && bit > v)
				is_child(v, v + bit, n);
			if (way == TAPE_COLL_IN_ORDER && v % (2 * bit) == 0)
				is_child(v, v + bit, n);
		}
		for (int unit = 1; unit < n; unit *= 4)
			for (int i = 1; way == TAPE_COLL_KNOMIAL && i < 4 &&
					v % (4 * unit) == 0; i++)
				is_child(v, v + i * unit, n);
	}
}

/* How many are below v, and itself. */
static int weight(int v, int n)
{
	int w = 1;

	for (int u = v + 1; u < n; u++)
		w += parents[u] == v ? weight(u, n) : 0;
	return w;
}

/* first ones first; blocks: of all below */
static void tree(enum tape_coll_way way, int n, int root, int down,
		 uint64_t bytes, int blocks)
{
	make_tree(way, n);
	for (int v = 0; v < n; v++) {
		int me = (v + root) % n, up = (parents[v] + root) % n;
		uint64_t mine = bytes * (uint64_t)(blocks ? weight(v, n) : 1);

		if (down && v)
			recv(me, up);
		for (int i = 1; i < n; i++) {
			/* but that flat reductions begin with the last */
			int u = down || blocks || way != TAPE_COLL_FLAT
					? i : n - i;
			int it = (u + root) % n;

			if (u <= v || parents[u] != v)
				continue;
			if (down)
				send(me, it, bytes * (uint64_t)
					 (blocks ? weight(u, n) : 1));
			else
				recv(me, it);
		}
		if (!down && v)
			send(me, up, mine);
	}
}

/* ---- the others ---- */

static int core(int n)
{
	int k = 1;

	while (2 * k <= n)
		k *= 2;
	return k;
}

/* What number v of the core is to the communicator, extra ones even. */
static int real_of(int v, int extra)
{
	return v < extra ? 2 * v + 1 : v + extra;
}

/* bytes[] of each exchange with distance[] */
static void folded(int n, int steps, const int *distance,
		   const uint64_t *bytes, uint64_t in, uint64_t out, int share)
{
	int k = core(n), extra = n - k;

	for (int me = 0; me < n; me++) {
		int v = me < 2 * extra ? me / 2 : me - extra;
		int stands = me < 2 * extra && me % 2 == 0;

		if (me < 2 * extra && share)
			sendrecv(me, me ^ 1, me ^ 1, in / 2);
		if (stands)
			send(me, me + 1, share ? in / 2 : in);
		else if (me < 2 * extra)
			recv(me, me - 1);
		for (int i = 0; i < steps && !stands; i++) {
			int it = real_of(v ^ distance[i], extra);

			sendrecv(me, it, it, bytes[i]);
		}
		if (stands)
			recv(me, me + 1);
		else if (me < 2 * extra)
			send(me, me - 1, out);
	}
}

static void doubling(const struct tape_collective *c)
{
	int distance[32], steps = 0;
	uint64_t bytes[32];

	for (int d = 1; d < core(c->size); d *= 2, steps++) {
		distance[steps] = d;
		bytes[steps] = c->bytes * (uint64_t)
			       (c->op == TAPE_COLL_ALLGATHER ? d : 1);
	}
	folded(c->size, steps, distance, bytes, c->bytes, c->bytes, 0);
}

static void rabenseifner(const struct tape_collective *c, int share)
{
	int distance[64], steps = 0;
	uint64_t bytes[64], part = c->bytes;

	for (int d = 1; d < core(c->size); d *= 2, steps++) {
		distance[steps] = d;
		bytes[steps] = part /= 2;
	}
	for (int i = steps; i--; steps++) {
		distance[steps] = distance[i];
		bytes[steps] = bytes[i];
	}
	folded(c->size, steps, distance, bytes, c->bytes, c->bytes, share);
}

/* The blocks of members of the core from first to before last. */
static uint64_t window(int first, int last, int extra)
{
	uint64_t sum = 0;

	for (int v = first; v < last; v++)
		sum += v < extra ? 2 : 1;
	return sum;
}

static void halving(const struct tape_collective *c)
{
	int n = c->size, k = core(n), extra = n - k;
	uint64_t block = c->bytes / (uint64_t)n;

	for (int me = 0; me < n; me++) {
		int v = me < 2 * extra ? me / 2 : me - extra;
		int first = 0, last = k;

		if (me < 2 * extra && me % 2 == 0) {
			send(me, me + 1, c->bytes);
			recv(me, me + 1);
			continue;
		}
		if (me < 2 * extra)
			recv(me, me - 1);
		while (last - first > 1) {
			int middle = (first + last) / 2, low = v < middle;
			int half = middle - first;
			int it = real_of(low ? v + half : v - half, extra);

			sendrecv(me, it, it, block *
				 (low ? window(middle, last, extra)
				      : window(first, middle, extra)));
			first = low ? first : middle;
			last = low ? middle : last;
		}
		if (me < 2 * extra)
			send(me, me - 1, block);
	}
}

static void last_stand_back(int n)
{
	int k = core(n);

	for (int me = 0; me < n; me++) {
		if (me >= k) {
			sendrecv(me, me - k, me - k, 0);
			continue;
		}
		if (me + k < n)
			recv(me, me + k);
		for (int d = 1; d < k; d *= 2)
			sendrecv(me, me ^ d, me ^ d, 0);
		if (me + k < n)
			send(me, me + k, 0);
	}
}

static void bruck(const struct tape_collective *c)
{
	int n = c->size;

	for (int me = 0; me < n; me++)
		for (int d = 1; d < n; d *= 2) {
			int up = (me + d) % n, down = (me + n - d) % n;
			uint64_t blocks = 0;

			for (int i = 1; i < n; i++)
				blocks += i / d % 2 == 1;
			if (c->op == TAPE_COLL_ALLGATHER) {
				blocks = (uint64_t)(2 * d <= n ? d : n - d);
				sendrecv(me, down, up, c->bytes * blocks);
			} else {
				sendrecv(me, up, down, c->bytes * blocks);
			}
		}
}

static void ring(const struct tape_collective *c)
{
	int n = c->size, all = c->op == TAPE_COLL_ALLREDUCE ? 2 : 1;
	uint64_t bytes = c->op == TAPE_COLL_ALLGATHER
				 ? c->bytes : c->bytes / (uint64_t)n;

	for (int me = 0; me < n; me++)
		for (int i = 0; i < all * (n - 1); i++)
			sendrecv(me, (me + 1) % n, (me + n - 1) % n, bytes);
}

static void double_ring(int n)
{
	for (int me = 0; me < n; me++)
		for (int turn = 0; turn < 2; turn++) {
			if (me)
				recv(me, me - 1);
			send(me, (me + 1) % n, 0);
			if (!me)
				recv(me, n - 1);
		}
}

static void neighbours(const struct tape_collective *c)
{
	int n = c->size;

	for (int me = 0; me < n && n % 2 == 0; me++)
		for (int i = 0; i < n / 2; i++) {
			int right = (me % 2 == 0) == (i % 2 == 0);
			int it = (me + (right ? 1 : n - 1)) % n;

			sendrecv(me, it, it, i ? 2 * c->bytes : c->bytes);
		}
	if (n % 2)
		ring(c);
}

static void pairs(const struct tape_collective *c, int exclusive)
{
	int n = c->size;

	for (int me = 0; me < n; me++)
		for (int k = 1; k < n; k++)
			sendrecv(me, exclusive ? me ^ k : (me + k) % n,
				 exclusive ? me ^ k : (me + n - k) % n,
				 c->bytes);
}

/* All sends, then all receives; which comes first does not matter here. */
static void spread(const struct tape_collective *c, int up)
{
	int n = c->size;

	for (int me = 0; me < n; me++) {
		for (int it = up ? me + 1 : 0; it < n; it++)
			if (it != me)
				put(me, SEND, it, c->bytes);
		for (int it = 0; it < (up ? me : n); it++)
			if (it != me)
				recv(me, it);
	}
}

/* ---- one algorithm, both ways ---- */

static int is_tree(enum tape_coll_way way)
{
	return way >= TAPE_COLL_FLAT && way <= TAPE_COLL_KNOMIAL &&
	       way != TAPE_COLL_ARRIVAL;
}

static void tree_of(const struct tape_collective *c, enum tape_coll_way way)
{
	int blocks = c->op == TAPE_COLL_SCATTER || c->op == TAPE_COLL_GATHER;

	if (c->op != TAPE_COLL_BCAST && c->op != TAPE_COLL_SCATTER &&
	    c->op != TAPE_COLL_SCAN)
		tree(way, c->size, c->root, 0, c->bytes, blocks);
	if (c->op != TAPE_COLL_GATHER && c->op != TAPE_COLL_REDUCE)
		tree(way, c->size, c->root, 1, c->bytes, blocks);
}

static void tree_of_0(const struct tape_collective *c, enum tape_coll_way way)
{
	if (c->root) {
		send(c->root, 0, c->bytes);
		recv(0, c->root);
	}
	tree(way, c->size, 0, 1, c->bytes, 0);
}

/* What c's members do, by way: the programs. */
static void programs(const struct tape_collective *c, enum tape_coll_way way)
{
	start();
	if (c->size == 1)
		return;
	if (is_tree(way) || way == TAPE_COLL_SMPI_CHAINS)
		tree_of(c, way);
	else if (way == TAPE_COLL_SMPI_CHAIN_0 ||
		 way == TAPE_COLL_SMPI_BINARY_0)
		tree_of_0(c, way);
	else if (way == TAPE_COLL_DOUBLING)
		doubling(c);
	else if (way == TAPE_COLL_DOUBLING_LAST)
		last_stand_back(c->size);
	else if (way == TAPE_COLL_HALVING)
		halving(c);
	else if (way == TAPE_COLL_RABENSEIFNER || way == TAPE_COLL_SMPI_RAB)
		rabenseifner(c, way == TAPE_COLL_RABENSEIFNER);
	else if (way == TAPE_COLL_BRUCK)
		bruck(c);
	else if (way == TAPE_COLL_RING)
		ring(c);
	else if (way == TAPE_COLL_DOUBLE_RING)
		double_ring(c->size);
	else if (way == TAPE_COLL_NEIGHBOURS)
		neighbours(c);
	else if (way == TAPE_COLL_PAIRS || way == TAPE_COLL_SMPI_XOR)
		pairs(c, way == TAPE_COLL_SMPI_XOR);
	else if (way == TAPE_COLL_SPREAD || way == TAPE_COLL_SMPI_SCAN)
		spread(c, way == TAPE_COLL_SMPI_SCAN);
}

/* 0: the dates are the same */
static int differs(const struct tape_collective *c, enum tape_coll_way way)
{
	double entry[MOST], leave[MOST];

	make_up(c->size, entry);
	programs(c, way);
	for (int i = 0; i < c->size; i++)
		member[i].t = entry[i];
	if (!simulate(c->size) ||
	    tape_coll_exits(c, way, 0, &cost, entry, leave))
		return 1;
	for (int i = 0; i < c->size; i++)
		if (fabs(leave[i] - member[i].t) > 1e-9 * member[i].t) {
			printf("# member %d of %d, root %d: %.3f, not %.3f\n",
			       i, c->size, c->root, leave[i], member[i].t);
			return 1;
		}
	return 0;
}

static const struct {
	const char *name;
	enum tape_coll_way way;
	enum tape_coll_op op;
	int even;               /* powers of two only */
	int any_order;          /* of what comes at once: none that counts;
				 * 2: receives are posted early */
} cases[] = {
	{ "flat broadcast", TAPE_COLL_FLAT, TAPE_COLL_BCAST, 0, 0 },
	{ "flat scatter", TAPE_COLL_FLAT, TAPE_COLL_SCATTER, 0, 0 },
	{ "flat gather", TAPE_COLL_FLAT, TAPE_COLL_GATHER, 0, 0 },
	{ "flat reduction", TAPE_COLL_FLAT, TAPE_COLL_REDUCE, 0, 0 },
	{ "chain down", TAPE_COLL_CHAIN, TAPE_COLL_BCAST, 0, 0 },
	{ "chain up", TAPE_COLL_CHAIN, TAPE_COLL_REDUCE, 0, 0 },
	{ "scan", TAPE_COLL_CHAIN, TAPE_COLL_SCAN, 0, 0 },
	{ "chains up", TAPE_COLL_SMPI_CHAINS, TAPE_COLL_REDUCE, 0, 2 },
	{ "levels down", TAPE_COLL_LEVELS, TAPE_COLL_BCAST, 0, 0 },
	{ "levels up", TAPE_COLL_LEVELS, TAPE_COLL_REDUCE, 0, 0 },
	{ "binomial down", TAPE_COLL_BINOMIAL, TAPE_COLL_BCAST, 0, 0 },
	{ "binomial in order", TAPE_COLL_IN_ORDER, TAPE_COLL_BCAST, 0, 0 },
	{ "binomial in order, up", TAPE_COLL_IN_ORDER, TAPE_COLL_REDUCE, 0, 0 },
	{ "binomial barrier", TAPE_COLL_IN_ORDER, TAPE_COLL_BARRIER, 0, 0 },
	{ "binomial scatter", TAPE_COLL_IN_ORDER, TAPE_COLL_SCATTER, 0, 0 },
	{ "binomial gather", TAPE_COLL_IN_ORDER, TAPE_COLL_GATHER, 0, 0 },
	{ "in base 4", TAPE_COLL_KNOMIAL, TAPE_COLL_BCAST, 0, 0 },
	{ "chain of 0", TAPE_COLL_SMPI_CHAIN_0, TAPE_COLL_BCAST, 0, 0 },
	{ "binary of 0", TAPE_COLL_SMPI_BINARY_0, TAPE_COLL_BCAST, 0, 0 },
	{ "recursive doubling, barrier", TAPE_COLL_DOUBLING_LAST,
	  TAPE_COLL_BARRIER, 0, 0 },
	{ "recursive doubling", TAPE_COLL_DOUBLING, TAPE_COLL_ALLREDUCE, 0, 0 },
	{ "recursive doubling, blocks", TAPE_COLL_DOUBLING,
	  TAPE_COLL_ALLGATHER, 1, 0 },
	{ "recursive halving", TAPE_COLL_HALVING, TAPE_COLL_REDUCE_SCATTER,
	  0, 0 },
	{ "Rabenseifner", TAPE_COLL_RABENSEIFNER, TAPE_COLL_ALLREDUCE, 0, 0 },
	{ "Rabenseifner, whole", TAPE_COLL_SMPI_RAB, TAPE_COLL_ALLREDUCE,
	  0, 0 },
	{ "dissemination", TAPE_COLL_BRUCK, TAPE_COLL_BARRIER, 0, 0 },
	{ "Bruck, gather", TAPE_COLL_BRUCK, TAPE_COLL_ALLGATHER, 0, 0 },
	{ "Bruck, all to all", TAPE_COLL_BRUCK, TAPE_COLL_ALLTOALL, 0, 0 },
	{ "ring, gather", TAPE_COLL_RING, TAPE_COLL_ALLGATHER, 0, 0 },
	{ "ring, scatter", TAPE_COLL_RING, TAPE_COLL_REDUCE_SCATTER, 0, 0 },
	{ "ring, sum", TAPE_COLL_RING, TAPE_COLL_ALLREDUCE, 0, 0 },
	{ "double ring", TAPE_COLL_DOUBLE_RING, TAPE_COLL_BARRIER, 0, 0 },
	{ "neighbours", TAPE_COLL_NEIGHBOURS, TAPE_COLL_ALLGATHER, 0, 0 },
	{ "pairs", TAPE_COLL_PAIRS, TAPE_COLL_ALLTOALL, 0, 0 },
	{ "exclusive pairs", TAPE_COLL_SMPI_XOR, TAPE_COLL_ALLTOALL, 1, 0 },
	{ "at once", TAPE_COLL_SPREAD, TAPE_COLL_ALLTOALL, 0, 1 },
	{ "to those after", TAPE_COLL_SMPI_SCAN, TAPE_COLL_SCAN, 0, 1 },
};

static int has_root(enum tape_coll_op op)
{
	return op == TAPE_COLL_BCAST || op == TAPE_COLL_SCATTER ||
	       op == TAPE_COLL_GATHER || op == TAPE_COLL_REDUCE;
}

/* Sizes 1 to 40, any root; then from 0, where orders agree, taking time. */
static void one_case(size_t i)
{
	int wrong = 0, tried = 0;
	/* SMPI divides elements of 8 bytes, here among 32 members at most */
	uint64_t unit = cases[i].op == TAPE_COLL_BARRIER ? 0
			: cases[i].way == TAPE_COLL_SMPI_RAB ? 256 : 1;

	for (int n = 1; n <= MOST; n++) {
		struct tape_collective c = {
			.op = cases[i].op, .size = n,
			.bytes = unit * (uint64_t)(4096 * chance()) };

		if (cases[i].even && (n & (n - 1)))
			continue;
		eager = UINT64_MAX;
		take_ns = 0;
		if (has_root(c.op))
			c.root = (int)(n * chance());
		wrong += differs(&c, cases[i].way);
		c.root = 0;
		take_ns = cases[i].any_order == 1 ? 0 : 40;
		wrong += differs(&c, cases[i].way);
		eager = cases[i].any_order ? UINT64_MAX : 0;
		c.bytes += unit;
		wrong += differs(&c, cases[i].way);
		tried += 3;
	}
	ok(tried && !wrong, "%s: as its members' programs (%d runs, %d wrong)",
	   cases[i].name, tried, wrong);
}

/* ---- closed formulas ---- */

/* The last exit when all enter at 0 and each message takes 1000. */
static double last_exit(enum tape_coll_way way, enum tape_coll_op op, int n,
			uint64_t bytes)
{
	struct tape_collective c = { .op = op, .size = n, .bytes = bytes };
	double entry[MOST] = { 0 }, leave[MOST], last = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			base[i][j] = 1000;
	eager = UINT64_MAX;
	if (tape_coll_exits(&c, way, 0, &cost, entry, leave))
		return -1;
	for (int i = 0; i < n; i++)
		last = fmax(last, leave[i]);
	return last;
}

static void formulas(void)
{
	int wrong[8] = { 0 };

	take_ns = 0;
	per_byte = 0;
	for (int n = 2; n <= MOST; n++) {
		double up = ceil(log2(n)), down = floor(log2(n));
		double twice;
		int even = core(n) == n;

		wrong[0] += last_exit(TAPE_COLL_BINOMIAL, TAPE_COLL_BCAST, n,
				      8) != 1000 * (up > down ? down : up);
		wrong[1] += last_exit(TAPE_COLL_BRUCK, TAPE_COLL_BARRIER, n,
				      0) != 1000 * up;
		twice = last_exit(TAPE_COLL_DOUBLING, TAPE_COLL_ALLREDUCE, n,
				  8) / 1000 - down;
		wrong[2] += even ? twice != 0 : twice != 1 && twice != 2;
		wrong[3] += last_exit(TAPE_COLL_RING, TAPE_COLL_ALLGATHER, n,
				      8) != 1000 * (n - 1);
		wrong[4] += last_exit(TAPE_COLL_RING, TAPE_COLL_ALLREDUCE, n,
				      8) != 2000 * (n - 1);
		wrong[5] += last_exit(TAPE_COLL_DOUBLE_RING, TAPE_COLL_BARRIER,
				      n, 0) != 2000 * n;
		wrong[6] += last_exit(TAPE_COLL_PAIRS, TAPE_COLL_ALLTOALL, n,
				      8) != 1000 * (n - 1);
		take_ns = 10;
		wrong[7] += last_exit(TAPE_COLL_FLAT, TAPE_COLL_REDUCE, n,
				      8) != 1000 + 10 * (n - 1);
		take_ns = 0;
	}
	ok(!wrong[0], "binomial tree: log2(n) transits");
	ok(!wrong[1], "dissemination: log2(n), upwards");
	ok(!wrong[2], "recursive doubling: log2(n), 1 or 2 more otherwise");
	ok(!wrong[3], "ring, gather: n - 1");
	ok(!wrong[4], "ring, sum: 2 (n - 1)");
	ok(!wrong[5], "double ring: 2 n");
	ok(!wrong[6], "pairs: n - 1");
	ok(!wrong[7], "flat reduction: 1, and each is taken");
	/* 2 log2(n) beta + 2 (n - 1) / n L tau */
	per_byte = 1;
	ok(last_exit(TAPE_COLL_RABENSEIFNER, TAPE_COLL_ALLREDUCE, 16, 1600) ==
		   8000 + 3000, "Rabenseifner: bytes of all but its own twice");
	ok(last_exit(TAPE_COLL_BRUCK, TAPE_COLL_ALLGATHER, 13, 100) ==
		   4000 + 1200, "Bruck: each other's block once");
}

/* Maillet 1996, 6.2.3: the root takes what comes, in order of arrival. */
static void arrival(void)
{
	struct tape_collective c = { .op = TAPE_COLL_REDUCE, .size = MOST,
				     .root = 3, .bytes = 8 };
	double entry[MOST], leave[MOST], there[MOST], t;
	int wrong = 0;

	take_ns = 300;
	for (int k = 0; k < 20; k++) {
		make_up(MOST, entry);
		for (int i = 0; i < MOST; i++)
			there[i] = entry[i] + base[i][3] + 8 * per_byte;
		t = entry[3];
		for (int left = MOST - 1; left; left--) {
			int first = -1;

			for (int i = 0; i < MOST; i++)
				if (i != 3 && (first < 0 ||
					       there[i] < there[first]))
					first = i;
			t = fmax(t, there[first]) + take_ns;
			there[first] = INFINITY;
		}
		wrong += tape_coll_exits(&c, TAPE_COLL_ARRIVAL, 0, &cost,
					 entry, leave) != 0 ||
			 fabs(leave[3] - t) > 1e-9 * t ||
			 leave[0] != entry[0];
	}
	ok(!wrong, "all to one in the order of arrival");
}

/* k pieces over a chain: who has got one hands it on before the next. */
static void pieces(void)
{
	struct tape_collective c = { .op = TAPE_COLL_BCAST, .size = 5,
				     .bytes = 10 * 64 };
	double entry[MOST] = { 0 }, leave[MOST] = { 0 };

	take_ns = 0;
	per_byte = 0;
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
			base[i][j] = 1000;
	/* who sends is busy until it is there: 2 transits a piece */
	eager = 0;
	ok(!tape_coll_exits(&c, TAPE_COLL_CHAIN, 64, &cost, entry, leave) &&
	   leave[0] == 19000 && leave[1] == 20000 && leave[4] == 22000,
	   "pieces follow each other along a chain (%.0f)", leave[4]);
	eager = UINT64_MAX;
	ok(!tape_coll_exits(&c, TAPE_COLL_CHAIN, 64, &cost, entry, leave) &&
	   leave[0] == 0 && leave[4] == 4000,
	   "and nobody waits for eager ones");
}

static double quick(const void *of, int from, int to, uint64_t bytes,
		    int *together)
{
	(void)of, (void)from, (void)to, (void)bytes, (void)together;
	return 1;
}

/* As many messages as members squared are too many in the end. */
static void too_many(void)
{
	enum { N = 2048 };
	struct tape_collective c = { .op = TAPE_COLL_ALLTOALL, .size = N,
				     .bytes = 8 };
	const struct tape_coll_cost each = { quick, take, NULL, NULL };
	double *entry = calloc(N, sizeof *entry);
	double *leave = calloc(N, sizeof *leave);

	if (!entry || !leave)
		abort();
	leave[7] = 7;
	take_ns = 0;
	ok(tape_coll_exits(&c, TAPE_COLL_SPREAD, 0, &each, entry, leave) == 1 &&
	   leave[7] == 7, "all to all is too much for many members");
	ok(tape_coll_exits(&c, TAPE_COLL_UNKNOWN, 0, &each, entry, leave) ==
		   1 && leave[7] == 7, "what is not known is not played");
	ok(!tape_coll_exits(&c, TAPE_COLL_BRUCK, 0, &each, entry, leave) &&
	   leave[7] == 11, "and Bruck's algorithm is not too much");
	free(entry);
	free(leave);
}

struct told {
	int size;
	long n, own;
	uint64_t bytes;
};

static void tell(void *self, int from, int to, uint64_t bytes)
{
	struct told *t = self;

	t->n++;
	t->own += from == to || from < 0 || to < 0 || from >= t->size ||
		  to >= t->size;
	t->bytes += bytes;
}

/* Messages without dates: how many, and their bytes. */
static void only_messages(void)
{
	struct tape_collective c = {.op = TAPE_COLL_ALLTOALL, .size = 1000,
				    .bytes = 8};
	struct told all = {.size = 1000}, less = {.size = 2};
	int rc = tape_coll_messages(&c, TAPE_COLL_SPREAD, 0, tell, &all);

	ok(!rc && all.n == 999000 && !all.own && all.bytes == 8 * 999000,
	   "each of 1000 to each other: %ld messages", all.n);
	c.size = 2;
	c.op = TAPE_COLL_BCAST;
	c.bytes = UINT64_MAX;
	rc = tape_coll_messages(&c, TAPE_COLL_CHAIN, 1, tell, &less);
	ok(rc == 1 && less.n > 99 && less.n < 1000 && !less.own,
	   "endless: told %ld", less.n);
}

int main(int argc, char **argv)
{
	unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	printf("# seed %llu\n", seed);
	state = seed * 1000003;
	per_byte = 0.125;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		one_case(i);
	formulas();
	per_byte = 0.125;
	arrival();
	pieces();
	too_many();
	only_messages();
	return done();
}
