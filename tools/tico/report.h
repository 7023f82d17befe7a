/* The correction report: as a page of text, or as one JSON object. */
#ifndef TICO_REPORT_H
#define TICO_REPORT_H

#include "engine.h"
#include "machine.h"

/* What the report is about; nothing here is changed. */
struct report {
	const struct tape_trace *t;
	const struct result *r;
	const struct tape_comm_model *model;
	const struct eager *eager;
	const struct how *how;
	const struct tape_machine *said; /* of the machine, by options */
	const char *file;   /* of option -m, or NULL */
	const char *output; /* name of the corrected trace */
};

/* The model in one line: the fitted one, or the first piece of what is said. */
struct tape_comm_line report_line(const struct report *p, int distance,
				  int rendezvous);

/* What the model is, as lines of text or as a member of a JSON object. */
void report_model(const struct report *p);
void report_model_json(const struct report *p);

void report_text(const struct report *p);
void report_json(const struct report *p);

#endif
