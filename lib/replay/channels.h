/*
 * Channels of which not every message is in the trace any more: those that a
 * call site used until it was only counted. Messages are matched by their
 * order, so what else comes on such a channel must not be matched: it would
 * get partners of those that are missing.
 *
 * What a call site uses later is not known; what it used last is (the fields
 * of its last event): its communicator and tag, with any partner.
 */
#ifndef TAPE_PARTIAL_H
#define TAPE_PARTIAL_H

#include <stddef.h>

#include "tape_reader.h"

enum tape_channel_kind {
	TAPE_CHANNEL_SEND = 1,
	TAPE_CHANNEL_RECV = 2,
	TAPE_CHANNEL_COLL = 4
};

/* comm 0: any; tag TAPE_ANY_TAG: any. */
struct tape_channel {
	uint32_t kinds, comm;
	int32_t tag;
};

/* Of one rank. Zeroed it is empty; the owner frees list. */
struct tape_channels {
	struct tape_channel *list;
	size_t n;
};

/* Adds the channels of what an event of class counted is about. */
int tape_channels_add(struct tape_channels *p, const struct tape_event *e);

/* Returns 1 if the list has the channel. Collectives ignore tag. */
int tape_channels_has(const struct tape_channels *p,
		      enum tape_channel_kind kind, uint32_t comm,
		      int32_t tag);

#endif
