/*
 * The alpha of a class, as a rank defines it: ticks that an event adds before
 * its call and after, and the least and the most that both may come to
 * (trace-format.md). The sum is never outside of these bounds: a trace in which
 * it is, is refused.
 */
#ifndef TAPE_ALPHA_H
#define TAPE_ALPHA_H

/*
 * Ticks: what something costs, by the quickest loops, mostly, by slow ones; and
 * the 95% interval of what it costs mostly.
 */
struct tape_cost {
	double least, usual, slow, low, high;
};

/*
 * How long fixed work took meanwhile: of operations that wait for each other,
 * and of independent ones.
 */
void tape_alpha_pace(double chain, double independent);

/*
 * What reading the clock takes, and the counters where events have any: what
 * was measured with two readings is known to one of them.
 */
void tape_alpha_reading(double reading);

/* What asking for a message takes, or of a request of a wait. */
void tape_alpha_asking(const char *name, double cost);

/*
 * The usual cost, and within which bounds it is. Of the total, one reading
 * counts before the call, since the date of the end is what the rest of the
 * flow follows from. A processor does as much as two readings and what is
 * between them beside the program's own work, or nothing of it: the lower bound
 * is the least cost less that. The upper one is that of the slow loops.
 */
void tape_alpha(const char *class_, struct tape_cost cost, double reading);

/*
 * What n of something add to an event, for each of them: one is the cost
 * without, all that with them. No reading of the clock is in it.
 */
void tape_alpha_more(const char *name, struct tape_cost one,
		     struct tape_cost all, int n);

/*
 * A mark's, which has one date: half of the cost lies on each side, but for the
 * counters, which are read ahead of it and take the ticks counting. They were
 * timed by themselves: what is more than the mark's whole cost is not theirs.
 */
void tape_alpha_mark(const char *class_, struct tape_cost cost, double counting,
		     double reading);

/* What an event of a block that is skipped costs (blocks.h). */
void tape_alpha_skip(const char *name, struct tape_cost cost);

#endif
