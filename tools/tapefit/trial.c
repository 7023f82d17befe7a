/* Selects the messages of the test; see trial.h. */
#include <math.h>
#include <stdlib.h>

#include "tool.h"
#include "trial.h"

int trial_all_given(const struct trial *t)
{
	int all = 1;

	for (int d = 0; d < TAPE_DISTANCES; d++)
		all &= t->given[d][0] && t->given[d][1];
	return all;
}

void trial_free(struct trial *t)
{
	free(t);
}

/*
 * Divides the messages in two halves, independent of their times and of
 * alternating patterns: by the parity of the bits of the send's timestamp.
 */
static int is_fitting_half(int64_t s_ns)
{
	return __builtin_parityll((unsigned long long)s_ns);
}

static int is_given(const struct trial *t, const struct tape_parcel *p)
{
	return t->given[p->distance][p->rendezvous];
}

static int may_learn(const void *self, const struct tape_parcel *p,
		     int64_t s_ns)
{
	const struct trial *t = self;

	return !t->testing && (is_given(t, p) || is_fitting_half(s_ns));
}

/* Stores every stride-th message; when full, drops half and doubles stride. */
static void keep_point(struct trial *t, const struct trial_point *p)
{
	if (t->tested % t->stride)
		return;
	if (t->points == TRIAL_POINTS) {
		for (size_t i = 0; i < TRIAL_POINTS / 2; i++)
			t->point[i] = t->point[2 * i];
		t->points /= 2;
		t->stride *= 2;
		if (t->tested % t->stride)
			return;
	}
	t->point[t->points++] = *p;
}

/* DC is that of the trace, as subtracted in the fit. */
static struct tape_verdict_claim claim_of(const struct trial *t,
					  const struct tape_parcel *p)
{
	const struct tape_comm_class *c =
		&t->model->class_[p->distance][p->rendezvous]
				 [tape_size_class(p->bytes)];

	return (struct tape_verdict_claim){
	    .quantile = t->quantile[p->distance][p->rendezvous],
	    .dc_ns = c->dc_ns,
	    .fitted = is_given(t, p) ? 0 : c->n};
}

static void test_message(struct trial *t, const struct received *m)
{
	struct trial_point p = {
		.parcel = m->parcel, .er_ns = m->er_ns,
		.time_ns = (double)(m->er_ns - m->go_ns),
		.model_ns = isnan(m->model_ns)
				    ? tape_comm_transit(t->model, &m->parcel)
				    : m->model_ns };

	struct tape_verdict_claim claim = claim_of(t, &p.parcel);

	if (claim.quantile > 0)
		tape_verdict_quantile(&t->verdict, &p.parcel, p.time_ns,
				      p.model_ns, &claim);
	else
		tape_verdict_time(&t->verdict, &p.parcel, p.time_ns,
				  p.model_ns);
	t->slack_ns = fmax(t->slack_ns, m->slack_ns);
	keep_point(t, &p);
	t->tested++;
}

/* The first pass: stores the least gaps and times. */
static void store_least_times(struct trial *t, const struct received *m)
{
	double *least = &t->gap_ns[m->parcel.distance][m->parcel.rendezvous]
				  [tape_size_class(m->parcel.bytes)];
	double *time = &t->least_ns[m->parcel.distance];

	if (m->arrived == 1)
		*least = fmin(*least, (double)(m->sr_ns - m->go_ns));
	else if (!m->arrived && !m->parcel.rendezvous && m->er_ns >= m->go_ns)
		*time = fmin(*time, (double)(m->er_ns - m->go_ns));
}

/*
 * Returns 1 if the message may have been waited for only because it was slow. A
 * model is fitted to receives that began before any message of the distance had
 * arrived (comm.h), and is tested on the same kind.
 */
static int is_biased(const struct trial *t, const struct received *m)
{
	const struct tape_parcel *p = &m->parcel;
	double gap = (double)(m->sr_ns - m->go_ns);

	if (gap >= t->gap_ns[p->distance][p->rendezvous]
			    [tape_size_class(p->bytes)])
		return 1;
	return !p->rendezvous && t->quantile[p->distance][0] > 0 &&
	       gap > t->least_ns[p->distance];
}

static void watch_message(void *self, const struct received *m)
{
	struct trial *t = self;

	if (!t->testing) {
		store_least_times(t, m);
		return;
	}
	if (m->arrived == 2) {
		t->unknown++;
	} else if (m->arrived) {
		t->arrived++;
		/* a call that also sends may take longer */
		if (!m->parcel.rendezvous && !m->sends)
			tape_verdict_dc(&t->verdict, &m->parcel,
					(double)(m->er_ns - m->sr_ns));
	} else if (is_biased(t, m)) {
		t->late++;
	} else if (!is_given(t, &m->parcel) && is_fitting_half(m->s_ns)) {
		t->fitted++;
	} else {
		test_message(t, m);
	}
}

struct trial *trial_new(const struct tape_comm_model *model,
			const struct tape_comm_model *said)
{
	struct trial *t = tape_must(calloc(1, sizeof *t));

	t->model = model;
	t->watcher = (struct watcher){t, watch_message, may_learn, NULL};
	t->stride = 1;
	tape_verdict_reset(&t->verdict);
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		/* classes of the run have lines of their own
		 * (tape_machine_inherit) */
		int base = (int)tape_transport((enum tape_distance)d);

		t->least_ns[d] = INFINITY;
		for (int r = 0; r < 2; r++) {
			t->given[d][r] = !said || said->transit[d][r].n ||
					 said->transit[base][r].n;
			t->quantile[d][r] = !t->given[d][r] ? TAPE_COMM_QUICK
					    : said ? said->quantile[d]
						   : 0;
			for (int s = 0; s < TAPE_SIZE_CLASSES; s++)
				t->gap_ns[d][r][s] = INFINITY;
		}
	}
	return t;
}

void trial_begin_test(struct trial *t)
{
	t->testing = 1;
	t->watcher.model = t->model;
}
