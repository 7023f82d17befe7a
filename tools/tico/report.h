/* The correction report: as a page of text, or as one JSON object. */
#ifndef TICO_REPORT_H
#define TICO_REPORT_H

#include "basis.h"

/* What the report is about; nothing here is changed. */
struct report {
	const struct basis *basis;
	const struct result *r;
	const struct tape_comm_model *model;
	const struct how *how;
	const char *output; /* name of the corrected trace */
};

void report_text(const struct report *p);
void report_json(const struct report *p);

#endif
