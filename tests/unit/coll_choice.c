/*
 * What libraries choose: that each choice can be played, and special cases as
 * they are in the sources of Open MPI and SimGrid.
 */
#include "coll_exits.h"
#include "member_steps.h"
#include "tap.h"

static enum tape_coll_way chosen(enum tape_coll_library l, enum tape_coll_op op,
				 int n, uint64_t bytes)
{
	struct tape_collective c = { .library = l, .op = op, .size = n,
				     .bytes = bytes };
	uint64_t piece;

	return tape_coll_choose(&c, &piece);
}

static int asked, known, wrong;

/* One size of one operation of a library. */
static void ask(const struct tape_collective *c, const double *entry)
{
	double leave[MOST];
	uint64_t piece;
	enum tape_coll_way way = tape_coll_choose(c, &piece);
	int rc;

	asked++;
	if (way == TAPE_COLL_UNKNOWN)
		return;
	known++;
	rc = tape_coll_exits(c, way, piece, &cost, entry, leave);
	wrong += rc < 0;
	for (int k = 0; !rc && k < c->size; k++)
		wrong += !(leave[k] >= entry[k]);
}

/* Whatever is chosen can be played, or is too much. */
static void choices(void)
{
	static const int sizes[] = { 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33, 40 };
	struct tape_collective c = { .bytes = 1 };
	double entry[MOST];

	take_ns = 5;
	eager = 4000;
	make_up(MOST, entry);
	for (int l = 0; l < TAPE_COLL_LIBRARIES; l++)
		for (int op = 0; op < TAPE_COLL_OPS; op++)
			for (size_t i = 0; i < 12; i++)
				for (c.bytes = 1; c.bytes <= 1 << 22;
				     c.bytes *= 2) {
					c.library = (enum tape_coll_library)l;
					c.op = (enum tape_coll_op)op;
					c.size = sizes[i];
					ask(&c, entry);
				}
	ok(!wrong, "each choice can be played, nobody leaves before entering");
	ok(known > asked * 8 / 10, "most choices are known (%d of %d)", known,
	   asked);
}

static const struct {
	const char *what;
	enum tape_coll_library library;
	enum tape_coll_op op;
	int size;
	uint64_t bytes;
	enum tape_coll_way way;
} facts[] = {
	{ "a barrier of 100", TAPE_COLL_OPEN_MPI, TAPE_COLL_BARRIER, 100, 0,
	  TAPE_COLL_BRUCK },
	{ "blocks of 16", TAPE_COLL_OPEN_MPI, TAPE_COLL_ALLGATHER, 16, 8,
	  TAPE_COLL_DOUBLING },
	{ "blocks of 17: no power of two", TAPE_COLL_OPEN_MPI,
	  TAPE_COLL_ALLGATHER, 17, 8, TAPE_COLL_BRUCK },
	{ "a number of 4: too few for a ring", TAPE_COLL_OPEN_MPI,
	  TAPE_COLL_ALLREDUCE, 4, 8, TAPE_COLL_DOUBLING },
	{ "the same in SMPI", TAPE_COLL_SMPI, TAPE_COLL_ALLREDUCE, 4, 8,
	  TAPE_COLL_TWO_PARTS },
	{ "a long vector of 8", TAPE_COLL_OPEN_MPI, TAPE_COLL_ALLREDUCE, 8,
	  1 << 20, TAPE_COLL_RABENSEIFNER },
	{ "butterflies are not known", TAPE_COLL_OPEN_MPI,
	  TAPE_COLL_REDUCE_SCATTER, 64, 1 << 20, TAPE_COLL_UNKNOWN },
};

int main(int argc, char **argv)
{
	unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	printf("# seed %llu\n", seed);
	state = seed * 1000003;
	per_byte = 0.125;
	choices();
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		ok(chosen(facts[i].library, facts[i].op, facts[i].size,
			  facts[i].bytes) == facts[i].way, "%s", facts[i].what);
	return done();
}
