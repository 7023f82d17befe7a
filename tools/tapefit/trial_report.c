/* Prints the verdict on a communication model; see trial.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "json.h"
#include "trial.h"

static const char *const protocols[2] = { "eager", "rendezvous" };

static const char *decision_word(enum tape_decision d)
{
	switch (d) {
	case TAPE_UNDECIDED:
		break;
	case TAPE_ACCEPTED:
		return "accept";
	case TAPE_REJECTED:
		return "reject";
	}
	return "undecided";
}

static uint64_t least_bytes(int size)
{
	return size ? (uint64_t)1 << (size - 1) : 0;
}

static uint64_t most_bytes(int size)
{
	return size ? least_bytes(size) - 1 + least_bytes(size) : 0;
}

const char *trial_name(int distance, int rendezvous, int size, char *text)
{
	const char *protocol = protocols[rendezvous];

	if (size < 2)
		snprintf(text, TRIAL_NAME, "%s %s, %d byte%s",
			 tape_distance_name[distance], protocol, size,
			 size ? "" : "s");
	else
		snprintf(text, TRIAL_NAME,
			 "%s %s, %" PRIu64 " to %" PRIu64 " bytes",
			 tape_distance_name[distance], protocol,
			 least_bytes(size), most_bytes(size));
	return text;
}

/*
 * The error of the model's mean or quantile in percent of the measured transit;
 * NAN if it is undefined.
 */
static double percent_off(const struct tape_verdict_class *c)
{
	if (c->claim.quantile > 0)
		return 100 * c->quantile_ns /
		       fabs(c->model.mean + c->quantile_ns);
	return 100 * c->mean_ns / fabs(c->time.mean - c->dc_ns);
}

/*
 * The next class with messages from *at on, its distance *d, protocol *r and
 * size *s; NULL at the end. *at is one number for all three.
 */
static const struct tape_verdict_class *
next_class(const struct tape_verdict *v, int *at, int *d, int *r, int *s)
{
	for (; *at < TAPE_DISTANCES * 2 * TAPE_SIZE_CLASSES; ++*at) {
		*d = *at / (2 * TAPE_SIZE_CLASSES);
		*r = *at / TAPE_SIZE_CLASSES % 2;
		*s = *at % TAPE_SIZE_CLASSES;
		if (v->c[*d][*r][*s].residual.n) {
			++*at;
			return &v->c[*d][*r][*s];
		}
	}
	return NULL;
}

/* ---- text ---- */

static void text_messages(const struct trial *t)
{
	printf("messages           %12" PRIu64
	       "  had arrived when their receive began\n"
	       "%31" PRIu64 "  with unknown arrival state\n",
	       t->arrived, t->unknown);
	printf("  waited for       %12" PRIu64
	       "  excluded: after the same gap other messages had\n"
	       "%33sarrived, so only slow ones are waited for\n",
	       t->late, "");
	if (!trial_all_given(t))
		printf("%31" PRIu64 "  to which the model is fitted\n",
		       t->fitted);
	printf("%31" PRIu64 "  tested\n", t->tested);
	if (t->slack_ns > 0)
		printf("clocks to          %12.3f us: the possible error of a "
		       "transit\n",
		       t->slack_ns / 1e3);
}

static void text_range(const char *name, const struct tape_moments *m,
		       double less)
{
	printf("  %-22s%11.3f:%.3f:%.3f us", name, (m->least - less) / 1e3,
	       (m->mean - less) / 1e3, (m->most - less) / 1e3);
}

static void text_mean(const struct tape_verdict_class *c)
{
	double s = sqrt(tape_moments_variance(&c->residual));

	printf("  mean residual         %+11.3f us, %+.2f%% of the transit\n"
	       "  s of residuals        %11.3f us\n",
	       c->mean_ns / 1e3, percent_off(c), s / 1e3);
	printf("  t (without skewness)  %11.3f (%.3f)\n", c->t, c->t_even);
}

static void text_share(const struct tape_verdict_class *c)
{
	double q = 100 * c->claim.quantile;

	printf("  %2.0f%% quantile of residuals%+8.3f us, %+.2f%% of the "
	       "transit\n",
	       q, c->quantile_ns / 1e3, percent_off(c));
	printf("  no slower than model  %11.1f%% (%.0f%% by the model",
	       100 * c->share, q);
	if (c->claim.fitted)
		printf(", fitted to %" PRIu64, c->claim.fitted);
	printf(")\n  t                     %11.3f\n", c->t);
}

static void text_class(const struct tape_verdict_class *c, int rendezvous,
		       const char *name)
{
	if (c->decision == TAPE_UNDECIDED) {
		printf("\n%s: %" PRIu64 " message%s, too few\n", name,
		       c->residual.n, c->residual.n == 1 ? "" : "s");
		return;
	}
	printf("\n%s: %" PRIu64 " messages\n", name, c->residual.n);
	text_range("transit, min:mean:max", &c->time, c->dc_ns);
	if (c->dc_seen || c->dc_ns > 0)
		printf(" (less %.3f us, DC)", c->dc_ns / 1e3);
	else if (!rendezvous && !(c->claim.quantile > 0))
		printf(" (with DC)");
	putchar('\n');
	text_range("model, min:mean:max", &c->model, 0);
	putchar('\n');
	if (c->claim.quantile > 0)
		text_share(c);
	else
		text_mean(c);
	printf("  k (degrees of freedom)%11.3f (%.0f)\n", c->k, c->freedom);
	printf("  alone (p)             %11s (%.3g)\n"
	       "  as one of all (p)     %11s (%.3g)\n",
	       decision_word(c->alone), c->p, decision_word(c->decision),
	       c->p_all);
}

static void text_verdict(const struct trial *t)
{
	const struct tape_verdict *v = &t->verdict;
	const struct tape_verdict_class *c, *worst = NULL;
	char name[TRIAL_NAME] = "";
	int at = 0, d, r, s;

	while ((c = next_class(v, &at, &d, &r, &s))) {
		if (c->decision == TAPE_UNDECIDED ||
		    (worst &&
		     !(fabs(percent_off(c)) > fabs(percent_off(worst)))))
			continue;
		worst = c;
		trial_name(d, r, s, name);
	}
	printf("\nthe model          %12s", decision_word(v->decision));
	if (!worst) {
		printf("  no class has more than %d messages\n",
		       TAPE_VERDICT_FEW);
		return;
	}
	printf("  %d of %d classes rejected (of true models, any in %g%%)\n"
	       "%33sfarthest off: %+.2f%%, %s\n",
	       v->rejected, v->classes, 100 * TRIAL_LEVEL, "",
	       percent_off(worst), name);
}

void trial_text(const struct trial *t, const struct inputs *b)
{
	const struct tape_verdict_class *c;
	char name[TRIAL_NAME];
	int at = 0, d, r, s;

	inputs_print_model(b, t->model);
	text_messages(t);
	while ((c = next_class(&t->verdict, &at, &d, &r, &s)))
		text_class(c, r, trial_name(d, r, s, name));
	text_verdict(t);
}

/* ---- JSON ---- */

static void json_value(const char *name, double v)
{
	printf(",\"%s\":", name);
	tape_json_number(v);
}

static void json_range(const char *name, const struct tape_moments *m,
		       double less)
{
	printf(",\"%s\":[%.17g,%.17g,%.17g]", name, m->least - less,
	       m->mean - less, m->most - less);
}

static void json_class(const struct trial *t,
		       const struct tape_verdict_class *c, int d, int r, int s)
{
	printf("{\"distance\":\"%s\",\"protocol\":\"%s\",\"given\":%s,"
	       "\"bytes\":[%" PRIu64 ",%" PRIu64 "],\"messages\":%" PRIu64,
	       tape_distance_name[d], protocols[r],
	       t->given[d][r] ? "true" : "false", least_bytes(s), most_bytes(s),
	       c->residual.n);
	if (c->decision != TAPE_UNDECIDED) {
		json_range("transit_ns", &c->time, c->dc_ns);
		json_range("model_ns", &c->model, 0);
		json_value("dc_ns", c->dc_ns);
		printf(",\"dc_messages\":%" PRIu64, c->dc_seen);
		json_value("mean_ns", c->mean_ns);
		json_value("percent", percent_off(c));
		if (c->claim.quantile > 0) {
			json_value("quantile", c->claim.quantile);
			json_value("quantile_ns", c->quantile_ns);
			json_value("share", c->share);
			printf(",\"fitted\":%" PRIu64, c->claim.fitted);
		}
		json_value("s_ns", sqrt(tape_moments_variance(&c->residual)));
		json_value("freedom", c->freedom);
		json_value("k", c->k);
		json_value("t", c->t);
		json_value("t_even", c->t_even);
		json_value("p", c->p);
		json_value("p_all", c->p_all);
		printf(",\"alone\":\"%s\"", decision_word(c->alone));
	}
	printf(",\"decision\":\"%s\"}", decision_word(c->decision));
}

void trial_json(const struct trial *t, const struct inputs *b)
{
	const struct tape_verdict_class *c;
	const char *comma = "";
	int at = 0, d, r, s;

	putchar('{');
	inputs_print_model_json(b, t->model);
	printf(",\"given\":%s,\"level\":%g,\"decision\":\"%s\""
	       ",\"rejected\":%d",
	       trial_all_given(t) ? "true" : "false", TRIAL_LEVEL,
	       decision_word(t->verdict.decision), t->verdict.rejected);
	printf(",\"messages\":{\"arrived\":%" PRIu64 ",\"unknown\":%" PRIu64
	       ",\"late\":%" PRIu64 ",\"fitted\":%" PRIu64
	       ",\"tested\":%" PRIu64 "},\"clocks_ns\":%.17g,\"classes\":[",
	       t->arrived, t->unknown, t->late, t->fitted, t->tested,
	       t->slack_ns);
	while ((c = next_class(&t->verdict, &at, &d, &r, &s))) {
		printf("%s", comma);
		json_class(t, c, d, r, s);
		comma = ",";
	}
	printf("]}\n");
}
