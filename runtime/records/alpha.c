/* The alpha of a class, as a rank defines it; see alpha.h. */
#include <math.h>

#include "alpha.h"
#include "core.h"
#include "define.h"

static const char *cost_key(void)
{
	return tape_process.again_until ? "alpha_end" : "alpha";
}

/* low and high are the interval of the sum, which is within it. */
static void define_cost(const char *class_, double before, double after,
			double least, double most, double low, double high)
{
	double sum = before + after;

	tape_define("%s %s %.1f %.1f %.1f %.1f %.1f %.1f\n", cost_key(), class_,
		    before, after, least, most, fmax(fmin(low, sum), 0),
		    fmax(high, sum));
}

void tape_alpha_pace(double chain, double independent)
{
	tape_define("pace %.1f %.1f\n", chain, independent);
}

void tape_alpha_reading(double reading)
{
	tape_define("%s reading %.1f 0\n", cost_key(), reading);
}

void tape_alpha_asking(const char *name, double cost)
{
	tape_define("%s %s %.1f 0\n", cost_key(), name, cost);
}

void tape_alpha(const char *class_, struct tape_cost cost, double reading)
{
	double before = fmin(cost.usual, reading);

	define_cost(class_, before, cost.usual - before,
		    fmax(cost.least - 2 * reading, 0), cost.slow, cost.low,
		    cost.high);
}

void tape_alpha_more(const char *name, struct tape_cost one,
		     struct tape_cost all, int n)
{
	double usual = fmax(all.usual - one.usual, 0) / n;
	double slow = fmax(all.slow - one.least, 0) / n;

	define_cost(name, 0, usual, fmax(all.least - one.slow, 0) / n, slow,
		    fmax(all.low - one.high, 0) / n,
		    fmax(all.high - one.low, 0) / n);
}

void tape_alpha_mark(const char *class_, struct tape_cost cost, double counting,
		     double reading)
{
	double ahead = fmin(counting, cost.usual);
	double half = (cost.usual - ahead) / 2;

	define_cost(class_, half + ahead, half, fmax(cost.least - reading, 0),
		    cost.slow, cost.low, cost.high);
}

void tape_alpha_skip(const char *name, struct tape_cost cost)
{
	define_cost(name, cost.usual, 0, cost.least, cost.slow, cost.low,
		    cost.high);
}
