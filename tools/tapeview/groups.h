/* Groups of calls, one for each colour. Time outside calls is computing. */
#ifndef TAPE_VIEW_GROUPS_H
#define TAPE_VIEW_GROUPS_H

enum view_group {
	VIEW_COMPUTING,
	VIEW_SEND,
	VIEW_RECEIVE,
	VIEW_WAIT, /* and tests and probes */
	VIEW_COLLECTIVE,
	VIEW_ONE_SIDED,
	VIEW_FILES,
	VIEW_LIFE, /* MPI_Init, MPI_Finalize and similar calls */
	VIEW_OTHER,
	VIEW_GROUPS,
	/* not a group of calls: the waiting part of a call */
	VIEW_WAITING = VIEW_GROUPS
};

const char *view_group_name(enum view_group g);

/* The group of a call of tape_ids.h. */
enum view_group view_group_of(unsigned call);

#endif
