/* Small pictures, a colour for each cell, inside of a page. */
#ifndef REPORT_GIF_H
#define REPORT_GIF_H

#include <stdio.h>

/* Shades from 1, the least, to GIF_MOST; 0 cannot be seen. */
enum { GIF_MOST = 127 };

/*
 * Writes width x height cells, row by row, as an address for an image (data:).
 * Both are up to 65535.
 */
void gif_write(FILE *f, const unsigned char *cell, int width, int height);

/* The shade of a share, 0 to 1; and its colour as red, green, blue. */
unsigned char gif_shade(double share);
void gif_colour(unsigned char shade, unsigned char rgb[3]);

#endif
