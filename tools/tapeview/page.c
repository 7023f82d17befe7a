/* Writes a page; see page.h. Its parts are embedded by module.mk. */
#include <stdlib.h>
#include <string.h>

#ifdef TAPE_HAVE_ZLIB
#include <zlib.h>
#endif

#include "base64.h"
#include "page.h"
#include "page_parts.h"
#include "svg.h"
#include "tool.h"

/* Level of deflate: twice as fast as the default, 3% larger. */
enum { LEVEL = 4 };

void view_page_pack(struct view_page *p, struct view *v)
{
	struct view_column s = {0};

	view_write_data(v, &s);
	*p = (struct view_page){ .data = s.p, .n = s.n };
#ifdef TAPE_HAVE_ZLIB
	uLongf n = compressBound(s.n);

	p->data = view_alloc(n, 1);
	if (compress2(p->data, &n, s.p, s.n, LEVEL) != Z_OK)
		tape_die_no_memory();
	p->n = n;
	p->deflated = 1;
	view_column_free(&s);
#endif
	p->bytes = p->n / 3 * 4 + p->n / 4096 + sizeof view_part_style +
		   sizeof view_part_body + sizeof view_part_script + 8192;
}

void view_page_free(struct view_page *p)
{
	free(p->data);
	p->data = NULL;
}

static void write_page_part(const unsigned char *p, size_t n, FILE *f)
{
	fwrite(p, 1, n, f);
}

void view_page_write(const struct view_page *p, const struct view *v, FILE *f)
{
	char incomplete[2048], about[2048];

	view_incomplete_text(v, incomplete, sizeof incomplete);
	view_about_text(v, about, sizeof about);
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      /* nothing is loaded, whatever names the trace has */
	      "<meta http-equiv=\"Content-Security-Policy\" content=\""
	      "default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'; img-src data:\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, "
	      "initial-scale=1\">\n<title>",
	      f);
	tape_svg_text(f, about);
	fputs("</title>\n<style>\n", f);
	write_page_part(view_part_style, sizeof view_part_style, f);
	fputs("</style>\n</head>\n<body>\n", f);
	if (*incomplete) {
		fputs("<p id=\"incomplete\">", f);
		tape_svg_text(f, incomplete);
		fputs("</p>\n", f);
	}
	fputs("<p id=\"about\">", f);
	tape_svg_text(f, about);
	fputs("</p>\n", f);
	write_page_part(view_part_body, sizeof view_part_body, f);
	fprintf(f, "<script type=\"application/octet-stream\" id=\"data\" "
		"data-coding=\"%s\">\n", p->deflated ? "deflate" : "");
	tape_base64(f, p->data, p->n);
	fputs("</script>\n<script>\n", f);
	write_page_part(view_part_script, sizeof view_part_script, f);
	fputs("</script>\n</body>\n</html>\n", f);
}
