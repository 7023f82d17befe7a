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
	const struct check *raw, *now; /* of recorded and of new timestamps */
	const struct refine_result *followed; /* NULL: one clock */
	uint64_t refuted;      /* messages that contradict all lines */
	struct tape_not_recorded *missing;
	const char *output;
	int64_t date_ns;       /* timestamp of instant 0 */
	const char *file;      /* of coefficients, or NULL */
	double age_s, age_limit_s; /* of those */
};

void report_text(const struct report *r);
void report_json(const struct report *r);

/* The interval of true minus corrected timestamps of a clock, ns. */
void report_interval(const struct clock *c, double instant, double *lo_ns,
		     double *hi_ns);

/* The hull of these intervals over the run. */
void report_widest(const struct clocks *k, size_t i, double *lo_ns,
		   double *hi_ns);

/* The largest error of a difference of timestamps of two clocks, ns. */
double report_epsilon(const struct clocks *k);

/* The result in words, without the full stop (clock_advice.c). */
void report_verdict(const struct report *r, char *text, size_t size);

/* The kind of clock i, and advice; "" for a good reference. */
void report_diagnosis(const struct report *r, size_t i, char *text,
		      size_t size);

/* Rate of clock i relative to the reference, s/s, from end to end. */
double report_drift(const struct clocks *k, size_t i);

/* The sources of its track in words: "before+after+messages". */
const char *report_source(const struct clock *c, char text[64]);

const char *report_shape(enum tape_clock_shape shape);

#endif
