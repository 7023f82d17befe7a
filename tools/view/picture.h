/* Pictures for papers, as SVG. */
#ifndef TAPE_VIEW_PICTURE_H
#define TAPE_VIEW_PICTURE_H

#include <stdio.h>

#include "view.h"

enum { PICTURE_WIDTH = 1000, PICTURE_LEFT = 64, PICTURE_RIGHT = 16 };

/* Begins and ends a picture of that height; its colours, for white paper. */
void picture_open(FILE *f, double height);
void picture_close(FILE *f);

/* A text at x, y; anchor start, middle or end. */
__attribute__((format(printf, 5, 6))) void
picture_text(FILE *f, double x, double y, const char *anchor,
	     const char *format, ...);

/* "12.3 ms" in text. Returns text. */
char *picture_duration(double ns, char *text, size_t n);

/*
 * Marks below y from x0 to x1, which are from ns to ns apart, and lines up to
 * top.
 */
void picture_time_axis(FILE *f, double x0, double x1, double top, double y,
		       double ns, double from_ns);

/* timeline.c: rows of ranks, their calls, regions and messages; bases below
 * one another on one scale. */
void picture_timeline(const struct view *v, const struct view_window *w,
		      FILE *f);

/* tables_picture.c: who sends how much to whom. */
void picture_matrix(const struct view *v, FILE *f);

/* How long the calls of call sites took that have word in their name. */
void picture_histogram(struct tape_trace *t, const char *word, FILE *f);

/* png.c: the picture of n bytes of SVG, so many pixels wide, to f. Dies. */
void picture_png(const char *svg, size_t n, int width, FILE *f);

#endif
