/*
 * The alpha of a class, as a rank defines it: ticks that an event adds before
 * and after its call, and the minimum and maximum of their sum
 * (trace-format.md). The reader rejects a trace whose sum is outside of these
 * bounds.
 */
#ifndef TAPE_ALPHA_H
#define TAPE_ALPHA_H

/*
 * A cost in ticks: in the fastest loops, in most loops, in slow loops; and the
 * 95% interval of the usual cost.
 */
struct tape_cost {
	double least, usual, slow, low, high;
};

/*
 * Defines how long fixed work took during the calibration: a chain of dependent
 * operations, and independent operations.
 */
void tape_alpha_pace(double chain, double independent);

/*
 * Defines the cost of reading the clock, and the counters where events have
 * any. A cost that is measured between two readings is uncertain by one
 * reading.
 */
void tape_alpha_reading(double reading);

/* Defines the cost of testing for a message, or a request of a wait. */
void tape_alpha_asking(const char *name, double cost);

/*
 * The usual cost, and within which bounds it is. Of the total, one reading
 * counts before the call, since the date of the end is what the rest of the
 * flow follows from. A processor does as much as two readings and what is
 * between them while the program's own work goes on, or nothing of it: the
 * lower bound is the least cost less that. The upper one is that of the slow
 * loops.
 */
void tape_alpha(const char *class_, struct tape_cost cost, double reading);

/*
 * Defines what each of n items adds to an event: one is the cost without the
 * items, all the cost with them. It includes no reading of the clock.
 */
void tape_alpha_more(const char *name, struct tape_cost one,
		     struct tape_cost all, int n);

/*
 * The alpha of a marker, which has one timestamp: half of the cost lies on each
 * side, but for the counters, which are read ahead of it and take the ticks
 * counting. They were timed by themselves: what is more than the mark's whole
 * cost is not theirs.
 */
void tape_alpha_mark(const char *class_, struct tape_cost cost, double counting,
		     double reading);

/* Defines the cost of an event of a skipped block (blocks.h). */
void tape_alpha_skip(const char *name, struct tape_cost cost);

#endif
