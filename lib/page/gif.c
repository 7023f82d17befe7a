/*
 * See gif.h. The format is GIF89a without compression: a clear code resets the
 * table of the decoder before codes become longer than a byte.
 */
#include <math.h>
#include <stdlib.h>

#include "base64.h"
#include "gif.h"
#include "tool.h"

enum { BITS = 7, CLEAR = 1 << BITS, END, BEFORE_CLEAR = 100, BLOCK = 255 };

unsigned char gif_shade(double share)
{
	return (unsigned char)(1 +
			       lrint(fmin(fmax(share, 0), 1) * (GIF_MOST - 1)));
}

/* From dark blue over green to yellow: a lighter colour is a higher value, also
 * for colour-blind readers. */
void gif_colour(unsigned char shade, unsigned char rgb[3])
{
	static const double at[5][3] = {{44, 46, 130},
					{34, 110, 160},
					{45, 160, 135},
					{150, 200, 70},
					{253, 231, 40}};
	double x = 4.0 * (shade ? shade - 1 : 0) / (GIF_MOST - 1);
	int i = x >= 4 ? 3 : (int)x;

	for (int k = 0; k < 3; k++)
		rgb[k] = (unsigned char)lrint(
		    at[i][k] + (x - i) * (at[i + 1][k] - at[i][k]));
}

struct bytes {
	unsigned char *p;
	size_t n;
};

static void put_gif_byte(struct bytes *b, int v)
{
	b->p[b->n++] = (unsigned char)v;
}

static void put_gif_word(struct bytes *b, int v)
{
	put_gif_byte(b, v & 255);
	put_gif_byte(b, v >> 8);
}

static void put_gif_text(struct bytes *b, const char *s)
{
	while (*s)
		put_gif_byte(b, *s++);
}

static void put_gif_header(struct bytes *b, int width, int height)
{
	unsigned char rgb[3];

	put_gif_text(b, "GIF89a");
	put_gif_word(b, width);
	put_gif_word(b, height);
	put_gif_byte(b, 0xf0 | (BITS - 1)); /* a table of 128 colours */
	put_gif_word(b, 0);
	for (int i = 0; i <= GIF_MOST; i++) {
		gif_colour((unsigned char)i, rgb);
		for (int k = 0; k < 3; k++)
			put_gif_byte(b, rgb[k]);
	}
	put_gif_byte(b, 0x21); /* colour 0 is transparent */
	put_gif_byte(b, 0xf9);
	put_gif_byte(b, 4);
	put_gif_byte(b, 1);
	put_gif_word(b, 0);
	put_gif_word(b, 0);
	put_gif_byte(b, 0x2c);
	put_gif_word(b, 0);
	put_gif_word(b, 0);
	put_gif_word(b, width);
	put_gif_word(b, height);
	put_gif_byte(b, 0);
	put_gif_byte(b, BITS);
}

void gif_write(FILE *f, const unsigned char *cell, int width, int height)
{
	size_t n = (size_t)width * (size_t)height;
	size_t codes = n + n / BEFORE_CLEAR + 2, room = codes + codes / 64;
	struct bytes c = {tape_must(malloc(codes)), 0};
	struct bytes b = {tape_must(malloc(room + 1024)), 0};

	for (size_t i = 0; i < n; i++) {
		if (i % BEFORE_CLEAR == 0)
			put_gif_byte(&c, CLEAR);
		put_gif_byte(&c, cell[i] & GIF_MOST);
	}
	put_gif_byte(&c, END);
	put_gif_header(&b, width, height);
	for (size_t i = 0; i < c.n; i++) {
		if (i % BLOCK == 0)
			put_gif_byte(&b,
				     c.n - i < BLOCK ? (int)(c.n - i) : BLOCK);
		put_gif_byte(&b, c.p[i]);
	}
	put_gif_byte(&b, 0);
	put_gif_byte(&b, 0x3b);
	fputs("data:image/gif;base64,", f);
	tape_base64(f, b.p, b.n);
	free(c.p);
	free(b.p);
}
