/* The alpha of a class, as a rank defines it; see alpha.h. */
#include <math.h>

#include "alpha.h"
#include "core.h"
#include "define.h"

static void define(const char *class_, double before, double after,
		   double least, double most)
{
	tape_define("alpha %s %.1f %.1f %.1f %.1f\n", class_, before, after,
		    least, most);
}

void tape_alpha_reading(double reading)
{
	tape_define("alpha reading %.1f 0\n", reading);
}

void tape_alpha(const char *class_, struct tape_cost cost, double reading)
{
	double before = fmin(cost.usual, reading);

	define(class_, before, cost.usual - before,
	       fmax(cost.least - 2 * reading, 0), cost.slow);
}

void tape_alpha_more(const char *name, struct tape_cost one,
		     struct tape_cost all, int n)
{
	double usual = fmax(all.usual - one.usual, 0) / n;
	double slow = fmax(all.slow - one.least, 0) / n;

	define(name, 0, usual, fmax(all.least - one.slow, 0) / n, slow);
}

void tape_alpha_mark(const char *class_, struct tape_cost cost, double counting,
		     double reading)
{
	double ahead = fmin(counting, cost.usual);
	double half = (cost.usual - ahead) / 2;

	define(class_, half + ahead, half, fmax(cost.least - reading, 0),
	       cost.slow);
}

void tape_alpha_skip(const char *name, struct tape_cost cost)
{
	define(name, cost.usual, 0, cost.least, cost.slow);
}
