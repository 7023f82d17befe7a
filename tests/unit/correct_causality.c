/* Dates that contradict each other, each kind counted, and by how much. */
#include "tap.h"
#include "causality.h"
#include "item_state.h"

static struct causality fresh(void)
{
	return (struct causality){
	    .least_ns = {1000, 1000, 1000, 1000, 1000, 1000}};
}

static int is(const struct violations *v, uint64_t n, int64_t worst)
{
	return v->n == n && v->worst_ns == worst;
}

static void flows(void)
{
	struct causality c = fresh();
	struct violations all;

	causality_check_order(&c, 100, 100, 100);
	causality_check_order(&c, 100, 120, 150);
	all = causality_sum_after(&c);
	ok(is(&all, 0, 0), "a flow that goes on");
	causality_check_order(&c, 150, 149, 160);
	causality_check_order(&c, 160, 153, 150);
	ok(is(&c.order, 2, 7), "it goes back, twice, by 7 at most");
	ok(is(&c.inside, 1, 3), "a call ends 3 before its start");
	all = causality_sum_after(&c);
	ok(is(&all, 3, 7), "three in all");
}

static void messages(void)
{
	struct causality c = fresh();

	causality_add_message(&c, TAPE_SHM, (struct dates){0, 0},
			      (struct dates){5000, 1000});
	ok(is(&c.messages, 0, 0), "it takes the least time there is");
	causality_add_message(&c, TAPE_SHM, (struct dates){0, 0},
			      (struct dates){5000, 990});
	ok(is(&c.messages, 1, 10), "10 less than that");
	causality_add_message(&c, TAPE_SHM, (struct dates){0, 0},
			      (struct dates){400, 399});
	ok(is(&c.messages, 2, 10), "1 less than it took, which was less");
	causality_add_message(&c, TAPE_NET, (struct dates){0, 0},
			      (struct dates){5000, 990});
	ok(is(&c.messages, 3, 10), "those after it are measured as ever");
	ok(is(&c.before, 0, 0), "as measured nothing was wrong");
	causality_add_message(&c, TAPE_NET, (struct dates){100, 0},
			      (struct dates){70, 0});
	ok(is(&c.before, 1, 30) && is(&c.messages, 3, 10),
	   "clocks that disagree: the least time is none");
	ok(c.n_messages == 5, "five were looked at");
}

/* The later one as measured may be the earlier one as approximated. */
static void approximated(void)
{
	static const struct tape_delay p[] = {
		{ 10, 5, 310 }, { 400, 395, 700 }, { 0, -5, 300 } };
	struct tape_rounds *r = tape_rounds_new(sizeof(struct collective_state),
						sizeof(struct member_state));
	struct tape_round *q = tape_rounds_get(r, 5, 0, 3, 3);
	const struct tape_delay *ta = &collective_state(q)->latest_ta;

	engine_add_entry(q, 0, 1000, 990, &p[0]);
	engine_add_entry(q, 2, 1300, 900, &p[1]);
	ok(!engine_add_entry(q, 2, 9999, 9999, &p[2]),
	   "a second time: ignored");
	ok((double)q->base_ns + ta->p == 990 &&
	       (double)q->base_ns + ta->lo == 995 &&
	       (double)q->base_ns + ta->hi == 690 &&
	       collective_state(q)->latest_written_ns == 990,
	   "the later one as measured is the earlier one as approximated");
	engine_add_entry(q, 1, 1100, 1100, &p[2]);
	ok((double)q->base_ns + ta->p == 1100 &&
	       collective_state(q)->latest_written_ns == 1100,
	   "all have");
	tape_rounds_free(r);
}

/* Entries of members 0 to 3 at 100 to 400, each 10 earlier as written. */
static struct tape_round *entered(struct tape_rounds *r)
{
	static const struct tape_delay p = { 10, 10, 10 };
	struct tape_round *q = tape_rounds_get(r, 7, 0, 4, 4);

	for (int i = 0; i < 4; i++)
		engine_add_entry(q, i, 100 * (i + 1), 100 * (i + 1) - 10, &p);
	return q;
}

/* When the end was measured, and by how much the clocks may err. */
static int64_t measured_end = 1000, slack;

static int is_refuted(const void *q, int member)
{
	return ((const struct tape_round *)q)->start_ns[member] >
	       measured_end + slack;
}

/* By how much an end at 0 comes before the entry it depends on. */
static int64_t waits_for(const struct tape_round *q, enum tape_shape shape,
			 int rank, int root)
{
	static const int sources[] = { 0, 2 };
	struct tape_request r = { .shape = shape, .rank = rank, .root = root,
				  .size = 4, .first = 0, .last = 4,
				  .sources = sources, .n_sources = 2 };
	struct causality c = fresh();

	causality_add_exit(&c, q, &r, (struct dates){measured_end, 0},
			   is_refuted, q);
	return c.meetings.worst_ns;
}

static void collectives(void)
{
	struct tape_rounds *r = tape_rounds_new(sizeof(struct collective_state),
						sizeof(struct member_state));
	struct tape_round *q = entered(r);

	ok(waits_for(q, TAPE_SHAPE_ALL, 0, -1) == 390, "all: the last one");
	ok(waits_for(q, TAPE_SHAPE_FROM, 3, 1) == 190, "from: the root");
	ok(waits_for(q, TAPE_SHAPE_FROM, 3, 0) == 90, "member 0, too");
	ok(waits_for(q, TAPE_SHAPE_TO, 1, 1) == 390, "to: the root, for all");
	ok(waits_for(q, TAPE_SHAPE_TO, 0, 1) == 0, "but nobody else");
	ok(waits_for(q, TAPE_SHAPE_SCAN, 2, -1) == 190, "scan: those below");
	ok(waits_for(q, TAPE_SHAPE_SCAN, 0, -1) == 0, "whom the first lacks");
	ok(waits_for(q, TAPE_SHAPE_NEAR, 3, -1) == 290, "near: the sources");
	/* at 1000 all have entered */
	measured_end = 250;
	ok(waits_for(q, TAPE_SHAPE_ALL, 0, -1) == 190 &&
		   waits_for(q, TAPE_SHAPE_TO, 1, 1) == 190 &&
		   waits_for(q, TAPE_SHAPE_FROM, 3, 1) == 190,
	   "not those that entered behind it");
	ok(waits_for(q, TAPE_SHAPE_FROM, 3, 2) == 0 &&
		   waits_for(q, TAPE_SHAPE_NEAR, 3, -1) == 90,
	   "whoever they are");
	slack = 50;
	ok(waits_for(q, TAPE_SHAPE_ALL, 0, -1) == 290 &&
		   waits_for(q, TAPE_SHAPE_FROM, 3, 2) == 290,
	   "unless the clocks err by that much");
	tape_rounds_free(r);
}

int main(void)
{
	flows();
	messages();
	approximated();
	collectives();
	return done();
}
