/*
 * Numbers the communicators, windows and files of a trace, one number for all
 * ranks. Assigns tags that distinguish the messages of different communicators.
 */
#ifndef TAPE_ACTION_COMMS_H
#define TAPE_ACTION_COMMS_H

#include "table.h"
#include "tape_reader.h"

struct tape_action_comm {
	uint64_t id;
	int size; /* of both groups, group 0 first */
	int inter;
	int known;   /* all members are in the trace */
	int by_rank; /* member i is rank i of the world */
	const int *members;
	int *own; /* owned copy that members points to, or NULL */
	/*
	 * Destinations in neighbourhood collectives: those of member i are
	 * to[to_first[i]] to to[to_first[i + 1] - 1].
	 */
	size_t *to_first;
	int *to;
};

/* Kinds of messages that have tags of their own. */
enum tape_action_tags {
	TAPE_TAGS_USER,
	TAPE_TAGS_NEIGHBOURS, /* of neighbourhood collectives */
	TAPE_TAGS_PARTS,      /* of partitioned messages: all with one tag */
	/* one partitioned message; comm is the number of its PARTS tag */
	TAPE_TAGS_CHANNEL
};

struct tape_action_comms {
	const struct tape_trace *t;
	struct tape_action_comm *list; /* by number; 0 is the world */
	uint32_t n;
	size_t room;
	uint32_t **number; /* by rank and the rank's index: number + 1 */
	struct tape_table by_id, tags;
	uint32_t n_tags;
};

/*
 * Reads all communicators of t. Returns 0 or TAPE_ENOMEM. *c must be freed in
 * both cases.
 */
int tape_action_comms_read(struct tape_action_comms *c,
			   const struct tape_trace *t);
void tape_action_comms_free(struct tape_action_comms *c);

/*
 * Finds a communicator by a rank's index of it. Returns NULL if the trace has
 * none.
 */
struct tape_action_comm *
tape_action_find_comm(const struct tape_action_comms *c, int rank,
		      uint32_t index);

/* Fills to_first and to of a communicator, once. Returns 0 or TAPE_ENOMEM. */
int tape_action_read_neighbours(struct tape_action_comms *c, uint32_t comm);

/*
 * Returns the tag for messages that have the given kind, communicator number
 * and tag. Different from all other tags. Negative: out of memory, or too many
 * tags.
 */
int32_t tape_action_new_tag(struct tape_action_comms *c, uint32_t comm,
			    enum tape_action_tags kind, int32_t tag);

/* Tags of MPI_COMM_WORLD below this limit are unchanged. */
#define TAPE_OWN_TAGS (1 << 30)

static inline int32_t tape_action_comm_tag(struct tape_action_comms *c,
					   uint32_t comm, int32_t tag)
{
	if (!comm && tag >= 0 && tag < TAPE_OWN_TAGS)
		return tag;
	return tape_action_new_tag(c, comm, TAPE_TAGS_USER, tag);
}

#endif
