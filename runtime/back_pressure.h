/*
 * The setting stream = node: an analyser on this host consumes the trace while
 * it is written (catalogue/live_file.h), so that what is not yet consumed of a
 * flow stays below the setting stream_bytes. Looked at only where a flow needs
 * a new window.
 */
#ifndef TAPE_BACK_PRESSURE_H
#define TAPE_BACK_PRESSURE_H

#include "core.h"

enum tape_back {
	TAPE_BACK_GO,	/* there is room, or nobody asks for any */
	TAPE_BACK_FULL, /* there is none: only with stream_full = drop */
	TAPE_BACK_STOP	/* nobody consumes: with stream_lost = stop */
};

/* The files of the process are open: is there a way to consume them? */
void tape_back_start(struct tape_flow *f);

/*
 * The flow needs so many bytes more. With stream_full = wait it sleeps until
 * there is room, or nobody can tell when there will be. errno is kept.
 */
enum tape_back tape_back_reserve(struct tape_flow *f, uint64_t bytes);

#endif
