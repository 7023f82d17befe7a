/* What begins the phases of a run; see phases.h. */
#ifndef STAT_PHASE_DETECT_H
#define STAT_PHASE_DETECT_H

#include "sums.h"

enum marker_kind {
	MARKER_NONE,
	MARKER_CONTROL,	  /* MPI_Pcontrol, tape_on */
	MARKER_OUTERMOST, /* any region that is in none */
	MARKER_PLACE	  /* a call site or region */
};

struct marker {
	enum marker_kind kind;
	uint32_t place;
	uint64_t times; /* the most of a flow */
};

/* wanted as for stat_phases_table. */
struct marker stat_find_marker(const struct stats *s, const char *wanted);

#endif
