/* Pictures for papers, as SVG. */
#ifndef TAPE_VIEW_PICTURE_H
#define TAPE_VIEW_PICTURE_H

#include <stdio.h>

#include "view.h"

enum { PICTURE_WIDTH = 1000, PICTURE_LEFT = 64, PICTURE_RIGHT = 16 };

/* Begin and end a picture of that height, in colours for white paper. */
void picture_open(FILE *f, double height);
void picture_close(FILE *f);

/* Writes a text at x, y. anchor: "start", "middle" or "end". */
__attribute__((format(printf, 5, 6))) void
picture_text(FILE *f, double x, double y, const char *anchor,
	     const char *format, ...);

/* Writes "12.3 ms" to text, n bytes. Returns text. */
char *picture_duration(double ns, char *text, size_t n);

/*
 * Draws a time axis at y from x0 to x1, which span ns from from_ns on, and grid
 * lines up to top.
 */
void picture_time_axis(FILE *f, double x0, double x1, double top, double y,
		       double ns, double from_ns);

/* timeline.c: a row for each flow with its calls, regions and messages. Several
 * bases are drawn below one another, on one scale. */
void picture_timeline(const struct view *v, const struct view_window *w,
		      FILE *f);

/* tables_picture.c: the matrix of messages between ranks. */
void picture_matrix(const struct view *v, FILE *f);

/* Histogram of the call times at the call sites whose name contains word. */
void picture_histogram(struct tape_trace *t, const char *word, FILE *f);

/* png.c: writes the n bytes of SVG to f as PNG, width pixels wide. Dies on
 * errors, or without librsvg. */
void picture_png(const char *svg, size_t n, int width, FILE *f);

#endif
