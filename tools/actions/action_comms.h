/*
 * Communicators, windows and files of a trace by one number for all ranks, and
 * tags that tell messages of communicators apart.
 */
#ifndef TAPE_ACTION_COMMS_H
#define TAPE_ACTION_COMMS_H

#include "table.h"
#include "tape_reader.h"

struct tape_action_comm {
	uint64_t id;
	int size; /* of both groups, those of group 0 first */
	int inter;
	int known;   /* all members are in the trace */
	int by_rank; /* member i is rank i of the world */
	const int *members;
	int *own; /* what members is, if it is ours */
	/* whom each sends to in neighbourhood collectives: of member i from
	 * to_first[i] to to_first[i + 1] */
	size_t *to_first;
	int *to;
};

/* What messages of one tag may be, beside those of the user. */
enum tape_action_tags {
	TAPE_TAGS_USER,
	TAPE_TAGS_NEIGHBOURS, /* of neighbourhood collectives */
	TAPE_TAGS_PARTS,      /* of messages in parts: of all with the tag */
	TAPE_TAGS_CHANNEL     /* of one of these; comm is the number of those */
};

struct tape_action_comms {
	const struct tape_trace *t;
	struct tape_action_comm *list; /* by number; 0 is the world */
	uint32_t n, room;
	uint32_t **number; /* by rank and index there */
	struct tape_table by_id, tags;
	uint32_t n_tags;
};

/* Returns 0 or TAPE_ENOMEM; to be freed either way. */
int tape_action_comms_read(struct tape_action_comms *c,
			   const struct tape_trace *t);
void tape_action_comms_free(struct tape_action_comms *c);

/* That of a rank's index; NULL: the trace has none. */
struct tape_action_comm *
tape_action_find_comm(const struct tape_action_comms *c, int rank,
		      uint32_t index);

/* Fills to_first and to: 0 or TAPE_ENOMEM. */
int tape_action_read_neighbours(struct tape_action_comms *c, uint32_t comm);

/*
 * The tag of messages of a kind in communicator number comm that have this one
 * there: other than all others. Negative: out of memory.
 */
int32_t tape_action_new_tag(struct tape_action_comms *c, uint32_t comm,
			    enum tape_action_tags kind, int32_t tag);

/* Of MPI_COMM_WORLD, tags below this are what they are. */
#define TAPE_OWN_TAGS (1 << 30)

static inline int32_t tape_action_comm_tag(struct tape_action_comms *c,
					   uint32_t comm, int32_t tag)
{
	if (!comm && tag >= 0 && tag < TAPE_OWN_TAGS)
		return tag;
	return tape_action_new_tag(c, comm, TAPE_TAGS_USER, tag);
}

#endif
