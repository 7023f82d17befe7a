/* Writes a page; see page.h. Its parts are embedded by module.mk. */
#include <stdlib.h>
#include <string.h>

#ifdef TAPE_HAVE_ZLIB
#include <zlib.h>
#endif

#include "base64.h"
#include "html_page.h"
#include "page.h"
#include "page_parts.h"
#include "svg.h"
#include "tool.h"
#include "view_report.h"

/* Level of deflate: twice as fast as the default, 3% larger. */
enum { LEVEL = 4 };

static const struct html_page view_page = {
    .style = HTML_PART(view_part_style),
    .script = HTML_PART(view_part_script),
};

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
		   sizeof view_part_body + sizeof view_part_script + 16384;
}

void view_page_free(struct view_page *p)
{
	free(p->data);
	p->data = NULL;
}

void view_page_write(const struct view_page *p, const struct view *v, FILE *f)
{
	char incomplete[2048], about[2048];

	view_incomplete_text(v, incomplete, sizeof incomplete);
	view_about_text(v, about, sizeof about);
	html_page_begin(f, &view_page, about);
	if (*incomplete) {
		fputs("<p id=\"incomplete\">", f);
		tape_svg_text(f, incomplete);
		fputs("</p>\n", f);
	}
	fputs("<p id=\"about\">", f);
	tape_svg_text(f, about);
	fputs("</p>\n", f);
	view_write_report(v, f);
	html_put_part(f, (struct html_part)HTML_PART(view_part_body));
	fprintf(f, "<script type=\"application/octet-stream\" id=\"data\" "
		"data-coding=\"%s\">\n", p->deflated ? "deflate" : "");
	tape_base64(f, p->data, p->n);
	fputs("</script>\n", f);
	html_page_end(f, &view_page);
}
