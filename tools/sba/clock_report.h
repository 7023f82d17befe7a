/* The clock report: text or JSON on standard output. */
#ifndef SBA_REPORT_H
#define SBA_REPORT_H

#include "check.h"
#include "clocks.h"
#include "refine_by_messages.h"
#include "hosts.h"

struct report {
	const struct tape_trace *t;
	const struct clocks *k;
	struct hosts hosts;
	const struct check *raw, *now; /* dates as recorded, and the new ones */
	const struct refine_result *followed; /* NULL: one clock */
	uint64_t refuted;      /* messages that no straight lines allow */
	struct tape_not_recorded *missing;
	const char *output;
	int64_t date_ns;       /* of instant 0 */
	const char *file;      /* of coefficients, or NULL */
	double age_s, age_limit_s; /* of those */
};

void report_text(const struct report *r);
void report_json(const struct report *r);

/* What may be added to dates of clock i at an instant. */
void report_interval(const struct clock *c, double instant, double *lo_ns,
		     double *hi_ns);

/* The same where it is widest. */
void report_widest(const struct clocks *k, size_t i, double *lo_ns,
		   double *hi_ns);

/* The dates of two clocks differ by no more, ns. */
double report_epsilon(const struct clocks *k);

/* Sentences (clock_advice.c), without the full stop: what all is good for ...
 */
void report_verdict(const struct report *r, char *text, size_t size);

/* ... and what kind of clock that is, what to do; "" for a good reference. */
void report_diagnosis(const struct report *r, size_t i, char *text,
		      size_t size);

/* Rate of clock i against the reference, s/s, from end to end. */
double report_drift(const struct clocks *k, size_t i);

/* A word for where its track comes from: "before+after+messages". */
const char *report_source(const struct clock *c, char text[64]);

const char *report_shape(enum tape_clock_shape shape);

#endif
