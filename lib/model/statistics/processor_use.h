/*
 * What a thread did in a part of the time between two readings of the kernel's
 * counts: it ran on a processor, was ready and waited for one, or was blocked
 * (sleep, input, output, locks). The counts are of the whole time, so that the
 * part is known within bounds only. With X, the time in one of these states,
 * and T, all of the time between the readings:
 *
 *	max(0, X - (T - part)) <= X in the part <= min(part, X)
 *
 * This holds whatever the thread did in the rest.
 */
#ifndef TAPE_PROCESSOR_USE_H
#define TAPE_PROCESSOR_USE_H

enum tape_processor_state {
	TAPE_PROCESSOR_RUNS,
	TAPE_PROCESSOR_READY,
	TAPE_PROCESSOR_BLOCKED,
	TAPE_PROCESSOR_STATES
};

/* Differences of two readings, ns. */
struct tape_processor_window {
	double ns, cpu_ns;
	double waited_ns; /* NAN: the kernel does not tell */
	int voluntary;	  /* it gave its processor up */
	double error_ns;  /* by how much each may be wrong */
};

/* Bounds, ns. */
struct tape_processor_use {
	double from_ns[TAPE_PROCESSOR_STATES], to_ns[TAPE_PROCESSOR_STATES];
};

/*
 * Bounds of the time in each state in a part of the window, part_ns long. A
 * thread that never gave its processor up waited whenever it did not run.
 */
struct tape_processor_use
tape_processor_use(const struct tape_processor_window *w, double part_ns);

/* Bounds of a time in which threads were ready without a processor, ns. */
struct tape_ready {
	double from_ns, to_ns;
};

/* The same of a window that is ns long, with the errors of its counts. */
struct tape_ready_window {
	double ns;
	float from_ns, to_ns;
};

/* w NULL: the window is of unknown length, and so is its waiting. */
struct tape_ready_window
tape_processor_ready_window(const struct tape_processor_window *w);

/* Adds the bounds of a part of w to sum: those of tape_processor_use. */
void tape_processor_add_ready(struct tape_ready *sum,
			      const struct tape_ready_window *w,
			      double part_ns);

/*
 * Bounds, in *r, of what remains of a delay of delay_ns, by which a thread took
 * longer than another one, for a processor: the time that the late one was
 * ready without one, less that of the other, but not less than 0 nor more than
 * the delay. With a processor for each the delay would be the rest.
 */
void tape_processor_bound_delay(struct tape_ready *r, double delay_ns,
				const struct tape_ready *late,
				const struct tape_ready *other);

#endif
