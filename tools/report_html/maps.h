/*
 * Density maps (Besnard and others 2013, section IV.D, figure 18): for every
 * call, how often, how long and with how many bytes each rank was in it, ranks
 * side by side in rows, so that what is uneven in space is seen.
 */
#ifndef REPORT_MAPS_H
#define REPORT_MAPS_H

#include "stat.h"

/* A map has no more cells than that; beyond it, a cell is the mean of some
 * ranks in a row. */
enum { MAPS_CELLS = 16384 };

struct map {
	const char *of; /* a call, or "all calls" */
	const char *what;
	enum sheet_unit unit; /* times in ns */
	double *value; /* of each cell; NAN: its ranks are not in the trace */
	double least, most, mean;
};

struct maps {
	struct map *map; /* those of one call one after the other */
	size_t n, room;
	int cells, columns, rows, per_cell;
};

/* columns 0: as is nearest to a square. */
struct maps *maps_new(const struct stats *s, int columns);
void maps_free(struct maps *m);

/* About as many columns as rows, and a divisor of cells where one is near. */
int maps_columns(int cells);

void maps_put_html(const struct maps *m, FILE *f);

/* ,"maps":{...} as a member of a JSON object. */
void maps_put_json(const struct maps *m, FILE *f);

#endif
