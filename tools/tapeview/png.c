/* SVG to PNG, by librsvg and cairo if available; see picture.h. */
#include "picture.h"
#include "tool.h"

#ifdef TAPE_HAVE_RSVG
#include <librsvg/rsvg.h>

static cairo_status_t write_png_bytes(void *f, const unsigned char *p,
				      unsigned n)
{
	return fwrite(p, 1, n, f) == n ? CAIRO_STATUS_SUCCESS
				       : CAIRO_STATUS_WRITE_ERROR;
}

void picture_png(const char *svg, size_t n, int width, FILE *f)
{
	GError *error = NULL;
	RsvgHandle *h = rsvg_handle_new_from_data((const guint8 *)svg, n,
						  &error);
	cairo_surface_t *s;
	double wide, high;
	cairo_t *c;
	int bad;

	if (!h || !rsvg_handle_get_intrinsic_size_in_pixels(h, &wide, &high))
		tape_die(TAPE_FAILED, "librsvg: %s",
			 error ? error->message : "the picture has no size");
	s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width,
				       (int)(high * width / wide));
	c = cairo_create(s);
	bad = !rsvg_handle_render_document(
		h, c, &(RsvgRectangle){ 0, 0, width, high * width / wide },
		&error);
	if (bad || cairo_surface_write_to_png_stream(s, write_png_bytes, f) !=
		       CAIRO_STATUS_SUCCESS)
		tape_die(TAPE_FAILED, "cannot write the picture%s%s",
			 error ? ": " : "", error ? error->message : "");
	cairo_destroy(c);
	cairo_surface_destroy(s);
	g_object_unref(h);
}
#else
void picture_png(const char *svg, size_t n, int width, FILE *f)
{
	(void)svg;
	(void)n;
	(void)width;
	(void)f;
	tape_die(TAPE_FAILED, "--png: tapeview was built without librsvg; "
		 "install librsvg2-dev and build it again, or use --svg");
}
#endif
