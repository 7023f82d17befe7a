/* Student's t distribution; see student.h. */
#include <math.h>

#include "student.h"

enum { HALVINGS = 64 };

/* Probability of being between -t and t, where t = sqrt(degrees) tan(angle). */
static double central_probability(double angle, int degrees)
{
	const double c = cos(angle) * cos(angle);
	const int odd = degrees & 1;
	double term = odd ? cos(angle) : 1, sum = degrees > 1 ? term : 0;

	for (int k = odd ? 3 : 2; k <= degrees - 2; k += 2) {
		term *= c * (k - 1) / k;
		sum += term;
	}
	sum *= sin(angle);
	return odd ? 2 / M_PI * (angle + sum) : sum;
}

double tape_student_quantile(double p, int degrees)
{
	double from = 0, to = M_PI / 2;

	if (degrees < 1 || !(p > 0 && p < 1))
		return NAN;
	for (int i = 0; i < HALVINGS; i++) {
		double angle = (from + to) / 2;

		if (central_probability(angle, degrees) < p)
			from = angle;
		else
			to = angle;
	}
	return sqrt(degrees) * tan((from + to) / 2);
}

void tape_sample_add(struct tape_sample_sums *s, double v)
{
	double off = v - s->mean;

	s->mean += off / ++s->n;
	s->squares += off * (v - s->mean);
	s->least = s->n == 1 || v < s->least ? v : s->least;
	s->most = s->n == 1 || v > s->most ? v : s->most;
}

double tape_sample_half_width(const struct tape_sample_sums *s, double p)
{
	if (s->n < 2)
		return NAN;
	return tape_student_quantile(p, s->n - 1) *
	       sqrt(s->squares / (s->n - 1) / s->n);
}
