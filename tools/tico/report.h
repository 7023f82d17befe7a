/* The correction report: as a page of text, or as one JSON object. */
#ifndef TICO_REPORT_H
#define TICO_REPORT_H

#include "inputs.h"

/* What the report is about; nothing here is changed. */
struct report {
	const struct inputs *inputs;
	const struct result *r;
	const struct tape_comm_model *model;
	const struct how *how;
	const char *output; /* name of the corrected trace */
	const char *reference; /* name of the trace of --reference; or NULL */
};

/*
 * The setting that leaves a place out, where that pays; 0: it does not. text
 * holds REPORT_SETTING_BYTES. Calls that no other event depends on may go by
 * name. Of the others a limit makes the site that is called most often be
 * counted only: one between the rates with and without this one. A call made
 * once costs much because tracing starts or ends in it.
 */
enum { REPORT_SETTING_BYTES = 256 };
int report_advice(const struct report *p, const struct blame_place *b,
		  char *text);

/* "measured", "calibrated", or "": the trace does not say. */
const char *report_alpha(const struct report *p);

/* Does the trace say how wrong its alphas may be? */
int report_has_spread(const struct report *p);

void report_text(const struct report *p);
void report_json(const struct report *p);

#endif
