/*
 * The companion files of a .prv: .pcf, the meaning of types and values of
 * events; .row, the names of nodes and threads. Also the numbers that they use.
 */
#ifndef PARAVER_LEGEND_H
#define PARAVER_LEGEND_H

#include "export.h"

/* Types of events that Paraver's configurations know. */
enum {
	PARAVER_POINT_TO_POINT = 50000001,
	PARAVER_COLLECTIVE = 50000002,
	PARAVER_OTHER = 50000003,
	PARAVER_ONE_SIDED = 50000004,
	PARAVER_IO = 50000005,
	PARAVER_BYTES_SENT = 50100001,
	PARAVER_BYTES_RECEIVED = 50100002,
	PARAVER_ROOT = 50100003,
	PARAVER_COMMUNICATOR = 50100004,
	PARAVER_REGION = 60000019,
	PARAVER_SITE = 70000001,   /* Tape's own type: the call site */
	PARAVER_COUNTER = 42000000 /* plus the number of the counter */
};

/* States of a thread in Paraver. */
enum { PARAVER_RUNNING = 1 };
int paraver_state(enum tape_doing d);

/* Return the type and the value of a call's events. */
int paraver_type(unsigned call, unsigned class_);
unsigned paraver_value(unsigned call);

/* Numbers of nodes, call sites and regions in Paraver. */
struct paraver_numbers {
	const struct tape_trace *t;
	int *node;	 /* by rank: the number of its host, from 1 */
	uint32_t *first; /* by rank: value of its call site or region 0 */
	int nodes;
};

struct paraver_numbers paraver_numbers_new(const struct tape_trace *t);
void paraver_numbers_free(struct paraver_numbers *n);

void paraver_write_pcf(FILE *f, const struct paraver_numbers *n);
void paraver_write_row(FILE *f, const struct paraver_numbers *n);

#endif
