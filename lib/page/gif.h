/* Small pictures inside a page, a colour for each cell. */
#ifndef REPORT_GIF_H
#define REPORT_GIF_H

#include <stdio.h>

/* Shades are 1, the lowest, to GIF_MOST. Shade 0 is transparent. */
enum { GIF_MOST = 127 };

/*
 * Writes width x height cells (shades, row by row) as a data: URL of an image.
 * Width and height are at most 65535.
 */
void gif_write(FILE *f, const unsigned char *cell, int width, int height);

/* gif_shade returns the shade of a share, which is clamped to 0 .. 1.
 * gif_colour sets the red, green and blue of a shade. */
unsigned char gif_shade(double share);
void gif_colour(unsigned char shade, unsigned char rgb[3]);

#endif
