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
	TAPE_BACK_GO,	/* there is space, or there is no limit */
	TAPE_BACK_FULL, /* no space: only with stream_full = drop */
	TAPE_BACK_STOP	/* no analyser: only with stream_lost = stop */
};

/* Called when the files of the process are open. */
void tape_back_start(struct tape_flow *f);

/*
 * Asks for space for bytes more of the flow. With stream_full = wait it sleeps
 * until the analyser has consumed enough, or can be waited for no longer.
 * Preserves errno.
 */
enum tape_back tape_back_reserve(struct tape_flow *f, uint64_t bytes);

#endif
