/*
 * What a model file says about a machine: times of messages, eager limits. The
 * format is described in doc/models.md.
 *
 *	struct tape_machine m;
 *
 *	tape_machine_read("cluster.model", &m);
 *	tape_machine_give(&m, &model);
 *
 * A struct of its owner's, with nothing to free.
 */
#ifndef TAPE_MACHINE_H
#define TAPE_MACHINE_H

#include <stdio.h>

#include "comm.h"
#include "distances.h"

struct tape_machine {
	/* only what is said here holds: curves with pieces, */
	struct tape_comm_model model;
	/* loads of which a rate is said, */
	int has_load[TAPE_DISTANCES];
	/* and limits, in bytes; -1: not said */
	int64_t limit_bytes[TAPE_DISTANCES];
};

/* "self", "l3", "package", "shm", "switch", "net": in model files and reports;
 * the transports of them also in meta. */
extern const char *const tape_distance_name[TAPE_DISTANCES];

/* Says nothing. */
void tape_machine_nothing(struct tape_machine *m);

/*
 * Reads a model file. Dies with one sentence, which names the file and the
 * line, if there is no such file or something in it is wrong.
 */
void tape_machine_read(const char *path, struct tape_machine *m);

/* What m says, all says from now on, too, and instead. */
void tape_machine_add(const struct tape_machine *m, struct tape_machine *all);

/*
 * What m says of a wider distance of the same transport holds for each one that
 * the run has, as far as m says nothing of it.
 */
void tape_machine_inherit(struct tape_machine *m,
			  const struct tape_distances *x);

/* Writes the lines of a model file that says the same; errors are f's. */
void tape_machine_write(const struct tape_machine *m, FILE *f);

/*
 * Puts what m says in place of what model says. What it says of a nearer
 * distance of the same transport holds where neither was said or fitted.
 */
void tape_machine_give(const struct tape_machine *m,
		       struct tape_comm_model *model);

#endif
