/*
 * Density maps (Besnard and others 2013, section IV.D, figure 18). For every
 * call they show the number, time and bytes of each rank. Ranks are laid out in
 * rows, so that an imbalance shows as a pattern.
 */
#ifndef REPORT_MAPS_H
#define REPORT_MAPS_H

#include "stat.h"

/* Limit of the cells of a map. With more ranks, a cell is the mean of several
 * successive ranks. */
enum { MAPS_CELLS = 16384 };

struct map {
	const char *of;	      /* a call, or "all of a rank's time" */
	const char *what;     /* "hits", "time", "waiting", "bytes", ... */
	enum sheet_unit unit; /* times in ns */
	double *value; /* by cell; NAN: none of its ranks is in the trace */
	double least, most, mean;
};

struct maps {
	struct map *map; /* the maps of a call follow each other */
	size_t n, room;
	int cells, columns, rows, per_cell;
};

/* columns 0: about as many columns as rows. Dies when out of memory. */
struct maps *maps_new(const struct stats *s, int columns);
void maps_free(struct maps *m);

/* Returns a number of columns for that many cells: about as many columns as
 * rows, and a divisor of cells if one is near. */
int maps_columns(int cells);

void maps_put_html(const struct maps *m, FILE *f);

/* Writes ,"maps":{...} as a member of a JSON object. */
void maps_put_json(const struct maps *m, FILE *f);

#endif
